"""The sections of the Settings page, and the index that leads to them: one is shown at a time.

Each has an address, ``#settings?section=people``. The index lists those that the person may use; the others
are neither listed nor shown, and the server refuses what they would ask.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import gradio as gr

from app.i18n import Message, _
from app.services.rights import may
from app.services.session import Session
from app.ui.lacking import needs_class
from app.ui.widgets.page_code import page_widget


@dataclass(frozen=True)
class Section:
    """One section: its name in the address, its title, and the right it needs, if any."""

    name: str
    title: Message
    needs: str = ""


GROUPS: tuple[tuple[Message, Sequence[Section]], ...] = (
    (
        _("This project"),
        (
            Section("labels", _("Labels")),
            Section("guideline", _("Guideline")),
            Section("sources", _("Sources of suggestions"), "manage"),
            Section("people", _("People")),
            Section("projects", _("Projects")),
        ),
    ),
    (
        _("Programs"),
        (Section("tokens", _("Access tokens"), "manage"), Section("webhooks", _("Webhooks"), "manage")),
    ),
    (
        _("Workspace"),
        (
            Section("backups", _("Backup"), "manage"),
            Section("audit_log", _("Audit log"), "manage"),
            Section("about", _("About")),
        ),
    ),
    (_("You"), (Section("you", _("Your name")), Section("logins", _("Login and sessions")))),
)
SECTIONS = {section.name: section for _title, sections in GROUPS for section in sections}


def index(elem_id: str) -> gr.HTML:
    """The index, empty until it is given the value that `listed` makes."""
    return page_widget("settings/index.js", "<div></div>", styles=("settings",), value=None, elem_id=elem_id)


def section(name: str) -> gr.Column:
    """The column of a section: what is built inside is shown when the address names it.

    Raises:
        KeyError: there is no such section.
    """
    needs = SECTIONS[name].needs
    classes = ["ll-settings-section", *([needs_class(needs)] if needs else [])]
    return gr.Column(elem_id=f"settings-section-{name}", elem_classes=classes)


def listed(session: Session) -> dict[str, Any]:
    """What the index shows: the sections for this person, in groups, in their language."""
    logs_in = session.workbench.identity is not None
    groups = [
        {
            "title": session._(title),
            "sections": [
                {"name": one.name, "title": session._(one.title)}
                for one in sections
                if (not one.needs or may(session, one.needs)) and (one.name != "logins" or logs_in)
            ],
        }
        for title, sections in GROUPS
    ]
    return {
        "title": session._("Settings"),
        "label": session._("Section"),
        "groups": [group for group in groups if group["sections"]],
    }
