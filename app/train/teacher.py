"""A source of suggestions that teaches, on the Train page: chosen, asked, and listened to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import gradio as gr

from app.i18n import _, pgettext
from app.services.errors import AppError
from app.services.rights import may, needs
from app.services.session import Session
from app.services.sources import asking
from app.services.sources.asking import Report, Reporting
from app.services.sources.opening import settings_of
from app.ui.frame import Frame
from app.ui.lacking import needs_class
from app.ui.source_cost import unasked
from app.ui.window.navigation import link
from app.ui.work import WorkView, on_work, work_view
from core.sources import SourceSettings
from core.store.run import snapshot
from core.store.suggest import sources

NONE = 0  # in a source's place


@dataclass
class TeacherComponents:
    """The choice of the source, what is known of it, and how it is listened to."""

    source: gr.Dropdown
    facts: gr.Markdown
    chosen: gr.Column
    share: gr.Number
    ask: gr.Button
    work: WorkView

    @property
    def shown(self) -> list[Any]:
        """The outputs of ``show``."""
        return [self.source, self.facts, self.chosen, self.ask]


def layout(frame: Frame) -> TeacherComponents:
    """Build the section."""
    texts, parts = frame.texts, dict[str, Any]()
    with texts.bind(
        gr.Accordion(open=False, elem_id="train-teacher", elem_classes=needs_class("train")),
        label=_("Learn from a source, too"),
    ):
        texts.bind(
            gr.Markdown(elem_classes="ll-how"),
            value=_(
                "A source of suggestions (LAC, spaCy, a language model …) becomes the teacher: what it says "
                "of the raw documents is learned beside your labels, nothing of dev and test."
            ),
        )
        parts["source"] = texts.bind(
            gr.Dropdown([], elem_id="train-teacher-source"), label=pgettext("distillation", "Teacher")
        )
        parts["facts"] = gr.Markdown(elem_classes="ll-how", elem_id="train-teacher-facts")
        with gr.Column(visible=False) as parts["chosen"]:
            parts["share"] = texts.bind(
                gr.Number(0.5, minimum=0, maximum=1, step=0.05, elem_id="train-teacher-share"),
                label=_("Share of the teacher"),
                info=_("How much of the loss comes from the teacher; the rest comes from your labels."),
            )
            with gr.Row(elem_classes="ll-buttons"):
                parts["ask"] = texts.bind(
                    gr.Button(elem_id="train-teacher-ask"), value=_("Ask about the raw documents")
                )
        parts["work"] = work_view(frame, "train-teacher-work")
    return TeacherComponents(**parts)


def show(session: Session, chosen: int | None = None) -> dict[str, Any]:
    """Fill the section: the project's sources, and what is known of the chosen one."""
    held = sources.of(session.workspace, session.project_id) if may(session, "train") else []
    known = {stored.id: stored for stored in held}
    number = chosen if chosen in known else NONE
    choices = [(stored.settings["name"], stored.id) for stored in held]
    left = sources.count_unasked(session.workspace, session.project_id, number)[0] if number else 0
    return {
        "source": gr.update(
            choices=[(session._(pgettext("distillation", "none: labels alone")), NONE), *choices],
            value=number,
            visible=bool(held),
        ),
        "facts": _facts(session, number, left) if number else ("" if held else _no_source(session)),
        "chosen": gr.update(visible=bool(number)),
        "ask": gr.update(visible=left > 0),
    }


def _no_source(session: Session) -> str:
    return session._(
        "This project has no source of suggestions yet. [Add one on the Settings page]({address}).",
        address=link(session, "settings"),
    )


def _facts(session: Session, number: int, left: int) -> str:
    stored = sources.get(session.workspace, session.project_id, number)
    settings = SourceSettings.from_json(stored.settings)
    taught = snapshot.count_taught(session.workspace, session.project_id, number)
    told = session.ngettext(
        "It has answered on {count} raw document outside dev and test, from which a run learns.",
        "It has answered on {count} raw documents outside dev and test, from which a run learns.",
        count=taught,
    )
    if not left:
        return told
    return session.paragraph(told, unasked(session, number, settings, Report.from_json(stored.report)))


@needs("train")
def choose(session: Session, number: int | None) -> dict[str, Any]:
    """Show what is known of a source."""
    return show(session, number)


@needs("train")
def ask(session: Session, report: Reporting, number: int | None) -> dict[str, Any]:
    """Ask the source about the raw documents that it was not asked about; what it has answered is kept.

    Raises:
        AppError, SourceError: none is chosen, or it cannot be asked.
    """
    if not number:
        raise AppError("Choose a source first.")
    asking.ask_about_all(session, report, number)
    return show(session, number)


def teacher_of(session: Session, number: int | None, share: float | None) -> dict[str, Any]:
    """The teacher of a plan; empty without one.

    Raises:
        AppError: the share is missing. NotFound: the project has no such source.
    """
    if not number:
        return {}
    if share is None:
        raise AppError("Enter the share of the teacher, from 0 to 1.")
    return {"source": settings_of(session, number).name, "share": share}


def wire(components: TeacherComponents, frame: Frame) -> None:
    """Connect the section's events."""
    c = components
    frame.on_show("train", show, c.shown, [c.source])
    frame.on([c.source.input], choose, [c.source], c.shown)
    on_work(
        frame, c.work, [c.ask.click], ask, [c.source], c.shown,
        doing=_("asking a source"), done=_("source asked"), kept=True,
    )  # fmt: skip
