"""The Settings page: an index, and its sections; the person's name and about."""

from __future__ import annotations

from dataclasses import dataclass
from types import ModuleType
from typing import Any

import gradio as gr

from app.i18n import _
from app.services.errors import AppError
from app.services.rights import place
from app.services.session import Session
from app.settings import audit_log as settings_audit_log
from app.settings import backups as settings_backups
from app.settings import guideline as settings_guideline
from app.settings import labels as settings_labels
from app.settings import logins as settings_logins
from app.settings import people as settings_people
from app.settings import projects as settings_projects
from app.settings import sections as settings_sections
from app.settings import sources as settings_sources
from app.settings import tokens as settings_tokens
from app.settings import webhooks as settings_webhooks
from app.ui.code_span import code_span
from app.ui.frame import Frame
from app.ui.headings import section_heading
from app.ui.widgets.plain_line import plain_line
from app.ui.window.navigation import project_choices
from core import __version__


@dataclass
class SettingsComponents:
    """Sections, each with its own message."""

    index: gr.HTML
    labels: settings_labels.LabelsComponents
    guideline: settings_guideline.GuidelineComponents
    sources: settings_sources.SourcesComponents
    projects: settings_projects.ProjectsComponents
    people: settings_people.PeopleComponents
    tokens: settings_tokens.TokensComponents
    webhooks: settings_webhooks.WebhooksComponents
    audit_log: settings_audit_log.AuditComponents
    backups: settings_backups.BackupsComponents
    logins: settings_logins.LoginsComponents
    user: gr.Textbox
    save_user: gr.Button
    user_message: gr.Markdown
    about: gr.HTML


# By the name of the section, which is the field of its components too.
MODULES: dict[str, ModuleType] = {
    "labels": settings_labels,
    "guideline": settings_guideline,
    "sources": settings_sources,
    "people": settings_people,
    "projects": settings_projects,
    "tokens": settings_tokens,
    "webhooks": settings_webhooks,
    "backups": settings_backups,
    "audit_log": settings_audit_log,
    "logins": settings_logins,
}


def layout(frame: Frame) -> SettingsComponents:
    """Build the page inside its tab."""
    parts: dict[str, Any] = {}
    with gr.Row(equal_height=False, elem_id="settings-body"):
        with gr.Column(min_width=0, elem_id="settings-side"):
            parts["index"] = settings_sections.index("settings-index")
        with gr.Column(min_width=0, elem_id="settings-sections"):
            for name, module in MODULES.items():
                with settings_sections.section(name):
                    parts[name] = module.layout(frame)
            with settings_sections.section("about"):
                section_heading(frame.texts, _("About"))
                parts["about"] = plain_line("settings-about")
            with settings_sections.section("you"):
                parts |= _layout_you(frame)
    return SettingsComponents(**parts)


def _layout_you(frame: Frame) -> dict[str, Any]:
    texts = frame.texts
    section_heading(texts, _("Your name"))
    user = texts.bind(
        gr.Textbox(max_lines=1, max_length=40, elem_id="settings-user"),
        label=_("Your name"),
        info=_("Every edit you make is recorded with it."),
    )
    save = texts.button(_("Save name"), elem_id="settings-save-user")
    message = gr.Markdown(elem_id="settings-user-message")
    return {"user": user, "save_user": save, "user_message": message}


def show(session: Session) -> dict[str, Any]:
    """Fill the page, but for its labels."""
    info = session.workbench.device.info
    about = session._(
        "LatticeLens {version}. Workspace: {folder}. Device: {device}",
        version=__version__,
        folder="–" if session.workbench.limits.demo else session.workspace.folder,
        device=info.why(session.language) if info else "…",
    )
    return {
        **settings_projects.show(session),
        **settings_people.show(session),
        "index": settings_sections.listed(session),
        "user": session.user,
        "about": about,
    }


def save_user(session: Session, name: str) -> dict[str, Any]:
    """Sign edits with this name from now on; other projects may be open to it.

    Raises:
        AppError: no name, or the person is logged in under another one.
    """
    cleaned = " ".join(name.split())[:40]
    if not cleaned:
        raise AppError("Enter a name first.")
    if session.logged_in and cleaned != session.user:
        raise AppError(
            "You are logged in as {name}; your edits are recorded under that name.", name=session.user
        )
    session.change(user=cleaned)
    done = session._("From now on your edits are recorded as {name}.", name=code_span(cleaned))
    return {"user_message": done, "project": project_choices(session), "moved": place(session)}


def wire(components: SettingsComponents, frame: Frame) -> None:
    """Connect the page's events."""
    c = components
    frame.on_show("settings", show, [c.index, *c.projects.shown, *c.people.shown, c.user, c.about])
    for name, module in MODULES.items():
        module.wire(getattr(c, name), frame)
    named = [c.user_message, frame.project, frame.moved]
    frame.on([c.save_user.click, c.user.submit], save_user, [c.user], named)
