"""The guideline section of the Settings page: a page of Markdown with a preview and its earlier versions."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count
from typing import Annotated, Any

import gradio as gr
from pydantic import Field

from app.i18n import _
from app.services.rights import may, needs
from app.services.session import Session
from app.ui.frame import Frame
from app.ui.headings import section_heading
from app.ui.markdown import markdown_parts
from app.ui.payload import Count, Payload
from app.ui.server_function import Reply, ServerError
from app.ui.widgets.page_code import page_widget
from core.store.project import guideline
from core.store.project.guideline import StaleGuideline, Version

LONGEST = 2 * guideline.LONGEST  # accepted from the page; the store has its own, lower limit
_visits = count(1)


class Edited(Payload):
    """The text, and the revision it was written on."""

    text: Annotated[str, Field(max_length=LONGEST)]
    base: Count


class Draft(Payload):
    """A text that is being written."""

    text: Annotated[str, Field(max_length=LONGEST)]


class OneVersion(Payload):
    """An earlier version."""

    revision: Count


@dataclass
class GuidelineComponents:
    """A widget with its own server functions."""

    editor: gr.HTML


def layout(frame: Frame) -> GuidelineComponents:
    """Build the section."""
    section_heading(frame.texts, _("Guideline of this project"))
    editor = page_widget(
        "guideline/editor.js",
        '<div class="lla-root"><div class="ll-guideline-page"></div></div>',
        functions=[frame.server(fn) for fn in FUNCTIONS],
        styles=("annotator", "guideline"),
        elem_id="settings-guideline",
        page=None,
    )
    return GuidelineComponents(editor)


def wire(components: GuidelineComponents, frame: Frame) -> None:
    """Read the guideline again whenever the page is shown."""
    frame.on_show("settings", show, [components.editor])


def show(session: Session) -> dict[str, Any]:
    """Tell the widget which project to show; it then asks for the text itself."""
    page = {"language": session.language, "project": session.project_id, "visit": next(_visits)}
    return gr.update(page=page | {"may_change": may(session, "change_labels")})


@needs("annotate")
def guideline_read(session: Session) -> Reply:
    """The current ``text`` and its ``revision``, and ``versions``, newest first."""
    versions = guideline.versions(session.workspace, session.project_id)
    current = versions[0] if versions else guideline.NONE
    return _object(current) | {"text": current.text, "versions": [_object(version) for version in versions]}


@needs("annotate")
def guideline_version(session: Session, asked: OneVersion) -> Reply:
    """The ``text`` of one version."""
    return {"text": guideline.version(session.workspace, session.project_id, asked.revision).text}


@needs("annotate")
def guideline_preview(session: Session, draft: Draft) -> Reply:
    """The text as ``parts``, see `markdown_parts`."""
    return {"parts": markdown_parts(draft.text)}


@needs("change_labels")
def guideline_save(session: Session, edited: Edited) -> Reply:
    """Save the text as another version; return what `guideline_read` does.

    Raises:
        ServerError: ``conflict``, somebody has saved since; with their ``revision`` and ``text``.
    """
    try:
        guideline.save(session.workspace, session.project_id, edited.text, edited.base, user=session.user)
    except StaleGuideline as error:
        raise ServerError("conflict", error, **_object(error.current), text=error.current.text) from error
    return guideline_read(session)


FUNCTIONS = (guideline_read, guideline_version, guideline_preview, guideline_save)


def _object(version: Version) -> Reply:
    return {"revision": version.revision, "user": version.user, "at": version.at}
