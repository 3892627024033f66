"""The lower half of the Probing tab: F1 against the number of training documents, for one or two runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import gradio as gr

from app.i18n import _
from app.i18n.terms import SPLIT_NAMES
from app.inspect.figures.probing import learning_curves
from app.services.errors import AppError
from app.services.rights import needs
from app.services.session import Session
from app.services.training.learning_curves import SHARES, curves_of, points_of, request_of, start_curve
from app.services.training.training_runs import sentence_of
from app.ui.frame import Frame
from app.ui.headings import section_heading
from app.ui.numbers import share
from app.ui.progress import bar, time_left
from app.ui.runs.naming import run_choices
from app.ui.widgets.figure_view import FigureView, figure_view
from core.store.run import runs
from core.training.run.run_state import RunState

TICK_SECONDS = 1.0
FIRST = (0.1, 0.25, 0.5, 1.0)


@dataclass
class LearningCurveView:
    """The components of the section, from top to bottom."""

    other: gr.Dropdown
    shares: gr.CheckboxGroup
    start: gr.Button
    shown: gr.Dropdown
    cancel: gr.Button
    resume: gr.Button
    progress: gr.HTML
    result: gr.Column
    figure: FigureView
    note: gr.Markdown
    timer: gr.Timer

    @property
    def state(self) -> list[Any]:
        """The outputs of `view_of`."""
        return [self.cancel, self.resume, self.progress, self.result, self.figure.plot, self.note, self.timer]


def layout(frame: Frame) -> LearningCurveView:
    texts = frame.texts
    section_heading(texts, _("Learning curve"))
    texts.hint(
        _(
            "Retrains one or two runs on growing shares of the training documents and scores them on "
            "the same documents; each point is one training, so differences of a point or two may be "
            "chance."
        )
    )
    with gr.Row(elem_classes="ll-fields"):
        other = texts.bind(gr.Dropdown(choices=[], elem_id="inspect-curve-other"), label=_("Compare with"))
        shares = texts.bind(
            gr.CheckboxGroup(
                [(share(part), part) for part in SHARES], value=list(FIRST), elem_id="inspect-curve-shares"
            ),
            label=_("Shares of the training documents"),
        )
        shown = texts.bind(
            gr.Dropdown(choices=[], visible=False, elem_id="inspect-curve-shown"), label=_("Curve")
        )
    with gr.Row(elem_classes="ll-buttons"):
        start = texts.button(_("Train the learning curve"), variant="primary", elem_id="inspect-curve-start")
        cancel = texts.button(_("Cancel"), visible=False, elem_id="inspect-curve-cancel")
        resume = texts.button(_("Continue"), visible=False, elem_id="inspect-curve-resume")
    progress = gr.HTML(elem_id="inspect-curve-progress", min_height=36)
    with gr.Column(visible=False) as result:
        figure = figure_view("inspect-curve-plot")
        note = gr.Markdown(elem_classes="ll-how")
    timer = gr.Timer(TICK_SECONDS, active=False)
    return LearningCurveView(
        other, shares, start, shown, cancel, resume, progress, result, figure, note, timer
    )


def show(session: Session, run: str | None, curve: str | None) -> dict[str, Any]:
    """List runs and curves, and show the chosen curve."""
    names = [item.name for item in runs.all_runs(session.workspace, session.project_id, "finished")]
    others = [(session._("no other run"), "")]
    others += [choice for choice in run_choices(session, names) if choice[1] != run]
    curves = curves_of(session)
    chosen = curve if curve in curves else next(iter(curves), None)
    return {
        "other": gr.update(choices=others, value=""),
        "shown": gr.update(choices=curves, value=chosen, visible=bool(curves)),
        **view_of(session, chosen),
    }


def show_again(session: Session, run: str | None, curve: str | None, opened: bool) -> dict[str, Any]:
    """`show` if the tab has been opened."""
    return show(session, run, curve) if opened else {}


def refuse_in_demo(session: Session) -> None:
    """Refuse in the public demo.

    Raises:
        AppError: this is the public demo.
    """
    if session.workbench.limits.demo:
        raise AppError(
            "Probing and learning curves take minutes of CPU time and are not available in the public demo."
            " Run LatticeLens on your own machine for them."
        )


@needs("train")
def start(session: Session, run: str | None, other: str | None, shares: list[float]) -> dict[str, Any]:
    """Queue a new curve.

    Raises:
        AppError: no run, no part chosen, nothing labelled, or this is the demo.
    """
    if not run:
        raise AppError("No tagger of this project can be opened yet. Train one first.")
    refuse_in_demo(session)
    chosen = [share for share in SHARES if share in shares]
    if not chosen:
        raise AppError("Choose at least one share.")
    name = start_curve(session, [run, *([other] if other and other != run else [])], chosen)
    return {
        "shown": gr.update(choices=curves_of(session), value=name, visible=True),
        **view_of(session, name),
    }


@needs("train")
def cancel(session: Session, curve: str | None) -> dict[str, Any]:
    """Ask the trainings to stop; finished ones are kept."""
    request_of(session, curve or "")
    session.workbench.jobs.cancel(curve or "")
    return view_of(session, curve)


@needs("train")
def resume(session: Session, curve: str | None) -> dict[str, Any]:
    """Resume the unfinished trainings.

    Raises:
        AppError: this is the demo.
    """
    refuse_in_demo(session)
    request_of(session, curve or "")
    session.workbench.jobs.resume(curve or "")
    return view_of(session, curve)


def view_of(session: Session, curve: str | None) -> dict[str, Any]:
    """The current state of a curve."""
    hidden = gr.update(visible=False)
    if not curve:
        return {
            "cancel": hidden,
            "resume": hidden,
            "progress": "",
            "result": hidden,
            "figure": None,
            "note": "",
            "timer": gr.Timer(active=False),
        }
    request = request_of(session, curve)
    state = session.workbench.jobs.state(curve)
    points = [point.to_json() for point in points_of(session, curve)]
    parts = sorted({point["part"] for point in points})
    notes = [
        session._("F1 on the {part} documents.", part=session._(SPLIT_NAMES[part]))
        for part in parts
        if part in ("dev", "test")
    ]
    return {
        "cancel": gr.update(visible=state.active),
        "resume": gr.update(visible=state.resumable),
        "progress": _bar(session, state, len(points), len(request.subjects) * len(set(request.shares))),
        "result": gr.update(visible=bool(points)),
        "figure": learning_curves(points, session.language) if points else None,
        "note": session.paragraph(*notes),
        "timer": gr.Timer(active=state.active),
    }


def wire(view: LearningCurveView, frame: Frame, tab: gr.Tab, run: gr.Dropdown, opened: gr.State) -> None:
    """Connect its events; ``opened``: whether the tab has been opened."""
    filled = [view.other, view.shown, *view.state]
    frame.on([tab.select], show, [run, view.shown], filled)
    frame.on([run.change], show_again, [run, view.shown, opened], filled)
    frame.on_show("inspect", show_again, filled, [run, view.shown, opened])
    frame.on([view.start.click], start, [run, view.other, view.shares], [view.shown, *view.state])
    frame.on([view.shown.input, view.timer.tick], view_of, [view.shown], view.state)
    frame.on([view.cancel.click], cancel, [view.shown], view.state)
    frame.on([view.resume.click], resume, [view.shown], view.state)


def _bar(session: Session, state: RunState, done: int, count: int) -> str:
    left = time_left(state.remaining_seconds, session.language) if state.active else ""
    if state.active:
        line = session.ngettext(
            "{curve}: {done} of {count} training",
            "{curve}: {done} of {count} trainings",
            curve=state.run,
            done=done,
            count=count,
        )
    elif state.status == "finished":
        line = session.ngettext(
            "{curve}: all {count} training is done",
            "{curve}: all {count} trainings are done",
            curve=state.run,
            count=count,
        )
    else:
        why = sentence_of(state.error or state.message, session)
        line = session.ngettext(
            "{curve}: ended after {done} of {count} training. {why}",
            "{curve}: ended after {done} of {count} trainings. {why}",
            curve=state.run,
            done=done,
            count=count,
            why=why,
        )
    return bar(state.fraction, line, left)
