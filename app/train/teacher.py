"""The teacher of a training on the Train page: an earlier run, or a source that is asked first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import gradio as gr

from app.i18n import _, pgettext
from app.services import in_project
from app.services.errors import AppError
from app.services.rights import may, needs
from app.services.session import Session
from app.services.sources import asking
from app.services.sources.asking import Report, Reporting
from app.services.sources.opening import settings_of
from app.services.training.teaching import can_teach
from app.ui.frame import Frame
from app.ui.lacking import needs_class
from app.ui.runs.naming import run_choices
from app.ui.source_cost import unasked
from app.ui.window.navigation import link
from app.ui.work import WorkView, on_work, work_view
from core.sources import SourceSettings
from core.store.run import snapshot
from core.store.suggest import sources

NONE = ""  # in a teacher's place
RUN, SOURCE = "run ", "source "  # before a run's name and a source's number in the choice


@dataclass
class TeacherComponents:
    """The choice of the teacher, what is known of it, and how it is listened to."""

    teacher: gr.Dropdown
    facts: gr.Markdown
    chosen: gr.Column
    share: gr.Number
    ask: gr.Button
    work: WorkView

    @property
    def shown(self) -> list[Any]:
        """The outputs of ``show``."""
        return [self.teacher, self.facts, self.chosen, self.ask]


def layout(frame: Frame) -> TeacherComponents:
    """Build the section."""
    texts, parts = frame.texts, dict[str, Any]()
    with texts.bind(
        gr.Accordion(open=False, elem_id="train-teacher", elem_classes=needs_class("train")),
        label=_("Learn from a teacher, too"),
    ):
        texts.hint(
            _(
                "A run of this project or a source of suggestions (LAC, spaCy, a language model …) becomes "
                "the teacher: what it says of the raw documents is learned beside your labels, nothing of "
                "dev and test. So a small, fast tagger can learn from a large one or from an ensemble."
            )
        )
        parts["teacher"] = texts.bind(
            gr.Dropdown([], elem_id="train-teacher-choice"), label=pgettext("distillation", "Teacher")
        )
        parts["facts"] = gr.Markdown(elem_classes="ll-how", elem_id="train-teacher-facts")
        with gr.Column(visible=False) as parts["chosen"]:
            parts["share"] = texts.bind(
                gr.Number(0.5, minimum=0, maximum=1, step=0.05, elem_id="train-teacher-share"),
                label=_("Share of the teacher"),
                info=_("How much of the loss comes from the teacher; the rest comes from your labels."),
            )
            with gr.Row(elem_classes="ll-buttons"):
                parts["ask"] = texts.button(_("Run on the raw documents"), elem_id="train-teacher-ask")
        parts["work"] = work_view(frame, "train-teacher-work")
    return TeacherComponents(**parts)


def show(session: Session, chosen: str | None = None) -> dict[str, Any]:
    """Fill the section: the project's runs and sources, and what is known of the chosen one."""
    offered = _offered(session) if may(session, "train") else []
    value = chosen if chosen in [key for _name, key in offered] else NONE
    number = _number(value)
    left = _unasked(session, number) if number else 0
    return {
        "teacher": gr.update(
            choices=[(session._(pgettext("distillation", "none: labels alone")), NONE), *offered],
            value=value,
            visible=bool(offered),
        ),
        "facts": _facts(session, value, left) if value else ("" if offered else _no_teacher(session)),
        "chosen": gr.update(visible=bool(value)),
        "ask": gr.update(visible=left > 0),
    }


def _offered(session: Session) -> list[tuple[str, str]]:
    """The runs, the newest first, then the sources: what each is called, and its key."""
    names = [run.name for run in can_teach(session.workspace, session.project_id)]
    by_run = [(called, f"{RUN}{name}") for called, name in run_choices(session, names)]
    held = sources.of(session.workspace, session.project_id)
    return [*by_run, *((stored.settings["name"], f"{SOURCE}{stored.id}") for stored in held)]


def _number(key: str | None) -> int:
    """The number of the source with this key; 0 if it is none's."""
    number = (key or "").removeprefix(SOURCE)
    return int(number) if number != key and number.isdecimal() else 0


def _unasked(session: Session, number: int) -> int:
    return sources.count_unasked(session.workspace, session.project_id, number, to_teach=True)[0]


def _no_teacher(session: Session) -> str:
    return session._(
        "This project has neither a run nor a source of suggestions yet. Train one first, or "
        "[add a source on the Settings page]({address}).",
        address=link(session, "settings"),
    )


def _facts(session: Session, key: str, left: int) -> str:
    number = _number(key)
    if not number:
        return session._(
            "Before the first epoch it reads the training documents and the raw documents outside dev and "
            "test."
        )
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
    report = Report.from_json(stored.report)
    return session.paragraph(told, unasked(session, number, settings, report, to_teach=True))


@needs("train")
def choose(session: Session, key: str | None) -> dict[str, Any]:
    """Show what is known of a teacher."""
    return show(session, key)


@needs("train")
def ask(session: Session, report: Reporting, key: str | None) -> dict[str, Any]:
    """Ask the source about the raw documents outside dev and test that it was not asked about; what it has
    answered is kept.

    Raises:
        AppError, SourceError: no source is chosen, or it cannot be asked.
    """
    number = _number(key)
    if not number:
        raise AppError("Choose a source first.")
    asking.ask_about_all(session, report, number, to_teach=True)
    return show(session, key)


def teacher_of(session: Session, key: str | None, share: float | None) -> dict[str, Any]:
    """The teacher of a plan; empty without one.

    Raises:
        AppError: the share is missing. NotFound: the project has no such run or source.
    """
    if not key:
        return {}
    if share is None:
        raise AppError("Enter the share of the teacher, from 0 to 1.")
    number = _number(key)
    if number:
        return {"source": settings_of(session, number).name, "share": share}
    run = in_project.run(session, key.removeprefix(RUN))
    return {"model": str(run.model_folder), "share": share}


def wire(components: TeacherComponents, frame: Frame) -> None:
    """Connect the section's events."""
    c = components
    frame.on_show("train", show, c.shown, [c.teacher])
    frame.on([c.teacher.input], choose, [c.teacher], c.shown)
    on_work(
        frame, c.work, [c.ask.click], ask, [c.teacher], c.shown,
        doing=_("asking a source"), done=_("source asked"), kept=True,
    )  # fmt: skip
