"""The right half of the Train page: a run's progress and results, and whether to activate it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import gradio as gr

from app.i18n import Message, _
from app.services import in_project
from app.services.errors import AppError
from app.services.rights import needs
from app.services.session import Session
from app.services.training.training_runs import state_of
from app.ui.code_span import code_span
from app.ui.frame import Frame
from app.ui.runs import changes as run_changes
from app.ui.runs import view as run_view
from app.ui.widgets.shifting_choice import ShiftingDropdown
from core.store.project import projects
from core.store.run import runs
from core.store.run.runs import Run
from core.training.run.run_folder import RunFolder

TICK_SECONDS = 1.5


@dataclass
class RunComponents:
    """The current run, the runs compared with it, and the table of all runs."""

    run: gr.Dropdown
    compare: gr.Dropdown
    empty: gr.Markdown
    progress: gr.HTML
    cancel: gr.Button
    resume: gr.Button
    charts: gr.Column
    no_curves: gr.Markdown
    curves: gr.Plot
    log: gr.HTML
    result: gr.Column
    caption: gr.Markdown
    scores: gr.Dataframe
    bars: gr.Plot
    verdict: gr.Markdown
    changes: gr.Markdown
    decide: gr.Row
    activate: gr.Button
    keep: gr.Button
    see: gr.Button
    message: gr.Markdown
    table: gr.Dataframe
    timer: gr.Timer

    @property
    def view(self) -> list[Any]:
        """The outputs of ``follow``."""
        return [
            self.empty, self.progress, self.cancel, self.resume, self.charts, self.no_curves,
            self.curves, self.log,
            self.result, self.caption, self.scores, self.bars, self.verdict, self.changes, self.see,
            self.decide, self.message, self.timer,
        ]  # fmt: skip


def layout(frame: Frame) -> RunComponents:
    """Build the right half of the page."""
    texts = frame.texts
    with gr.Row(equal_height=True):
        run = texts.bind(ShiftingDropdown([], elem_id="train-run"), label=_("Run"))
        compare = texts.bind(
            gr.Dropdown([], multiselect=True, elem_id="train-compare"), label=_("Compare with")
        )
    empty = texts.bind(
        gr.Markdown(elem_classes="ll-empty", elem_id="train-empty"),
        value=_("No run yet. Choose a tagger and start one; its curves and scores appear here."),
    )
    progress = gr.HTML(elem_id="train-progress", min_height=36)
    with gr.Row(elem_classes="ll-buttons"):
        cancel = texts.bind(gr.Button(visible=False, elem_id="train-cancel"), value=_("Cancel this run"))
        resume = texts.bind(
            gr.Button(visible=False, variant="primary", elem_id="train-resume"), value=_("Resume this run")
        )
    no_curves = texts.bind(
        gr.Markdown(visible=False, elem_classes="ll-how", elem_id="train-no-curves"),
        value=_("No curves: this run has no epochs."),
    )
    with gr.Column(visible=False) as charts:
        curves = gr.Plot(show_label=False, elem_id="train-curves", elem_classes="ll-figure")
        texts.bind(
            gr.Markdown(elem_classes="ll-how"),
            value=_(
                "Loss should fall and dev F1 should rise. Once F1 stops rising, more epochs do not help."
            ),
        )
    with gr.Column(visible=False, elem_id="train-result") as result:
        heading(frame, _("Effect on your corrections"))
        verdict = gr.Markdown(elem_id="train-verdict")
        changes = gr.Markdown(elem_id="train-changes")
        with gr.Row(elem_classes="ll-buttons") as decide:
            activate = texts.bind(
                gr.Button(variant="primary", elem_id="train-activate"), value=_("Activate this tagger")
            )
            keep = texts.bind(gr.Button(elem_id="train-keep"), value=_("Keep the current tagger"))
            see = texts.bind(gr.Button(elem_id="train-see"), value=_("Compare the two"))
        message = gr.Markdown(elem_id="train-message")
        heading(frame, _("Scores by label"))
        caption = gr.Markdown(elem_classes="ll-how")
        scores = gr.Dataframe(
            datatype="str",
            interactive=False,
            show_label=False,
            max_height=420,
            buttons=[],
            elem_id="train-scores",
        )
        bars = gr.Plot(show_label=False, elem_id="train-bars", elem_classes="ll-figure")
        texts.bind(
            gr.Markdown(elem_classes="ll-how"),
            value=_("F1 by label on the same documents; a label with few examples moves by chance."),
        )
    with texts.bind(gr.Accordion(open=True, elem_id="train-log-box"), label=_("Log")):
        log = gr.HTML(elem_id="train-log", elem_classes="ll-log")
    with texts.bind(gr.Accordion(open=False, elem_id="train-runs-box"), label=_("All runs")):
        table = gr.Dataframe(
            datatype="str",
            interactive=False,
            show_label=False,
            max_height=320,
            buttons=[],
            elem_id="train-runs",
        )
    return RunComponents(
        run, compare, empty, progress, cancel, resume, charts, no_curves, curves, log, result, caption,
        scores, bars, verdict, changes, decide, activate, keep, see, message, table,
        gr.Timer(TICK_SECONDS, active=False),
    )  # fmt: skip


def heading(frame: Frame, title: Message) -> None:
    """A heading inside a page."""
    frame.texts.bind(gr.Markdown(elem_classes="ll-section"), value=title)


def follow(session: Session, run: str | None, compared: Sequence[str] | None) -> dict[str, Any]:
    """Show everything about the current run."""
    session.memory.pop("train-seen", None)
    if run is None:
        hidden = (
            "cancel",
            "resume",
            "charts",
            "no_curves",
            "result",
            "caption",
            "scores",
            "bars",
            "see",
            "decide",
        )
        emptied = ("progress", "log", "verdict", "changes", "message")
        return {
            "empty": gr.update(visible=True),
            **dict.fromkeys(hidden, gr.update(visible=False)),
            **dict.fromkeys(emptied, ""),
            "curves": None,
            "timer": gr.Timer(active=False),
        }
    return {"empty": gr.update(visible=False)} | _view(
        session, in_project.run(session, run), list(compared or ())
    )


def tick(session: Session, run: str | None, compared: Sequence[str] | None) -> dict[str, Any]:
    """``follow`` while the run is active; no values if nothing has changed."""
    if run is None or session.page != "train":
        return {}
    row = in_project.run(session, run)
    state = state_of(session, row)
    seen = (state.status, state.fraction, state.message, row.status)
    if seen == session.memory.get("train-seen"):
        return {}
    session.memory["train-seen"] = seen
    return _view(session, row, list(compared or ()))


def _view(session: Session, run: Run, compared: list[str]) -> dict[str, Any]:
    state = state_of(session, run)
    compared = [name for name in compared if name != run.name]
    events = run_view.events_of(run)
    curved = state.active or run_view.have_epochs(session, [run.name, *compared])
    stored = run.status == "finished"
    problem = session.workbench.supervisor.problem(run.name)
    active = session.workbench.active_run(session.project_id)
    message = ""
    if active == run.name:
        message = session._("{run} is the active tagger of this project.", run=code_span(run.name))
    elif run.declined is not None:
        message = session._(
            "{run} was reviewed on {date} and not activated. You can still activate it.",
            run=code_span(run.name),
            date=run_view.date(run.declined),
        )
    if problem:
        message = session._(
            "The run is finished but its results could not be stored: {reason}. Retrying every second.",
            reason=code_span(problem),
        )
    results: dict[str, Any] = {"verdict": "", "changes": ""}
    if stored:
        results = {
            **run_view.scores_updates(session, run, compared),
            "verdict": run_view.verdict_text(session, run),
            "changes": run_changes.promotion(session, active, run.name),
        }
    # Once more after the end, since the supervisor stores the results a moment later.
    active = state.active or (state.status == "finished" and not stored)
    return {
        "progress": run_view.progress_html(session, run, state),
        "cancel": gr.update(visible=state.active),
        "resume": gr.update(visible=state.resumable and RunFolder(run.folder).request_file.is_file()),
        "charts": gr.update(visible=curved),
        "no_curves": gr.update(visible=not curved),
        "curves": run_view.curves(session, [run.name, *compared]) if curved else None,
        "log": run_view.log_html(session, events),
        "result": gr.update(visible=stored),
        **results,
        "see": gr.update(visible=active is not None),
        "decide": gr.update(visible=active != run.name),
        "message": message,
        "timer": gr.Timer(active=active),
    }


@needs("train")
def cancel(session: Session, run: str | None, compared: Sequence[str]) -> dict[str, Any]:
    """Ask the run to stop."""
    session.workbench.jobs.cancel(in_project.run(session, _chosen(run)).name)
    return follow(session, run, compared)


@needs("train")
def resume(session: Session, run: str | None, compared: Sequence[str]) -> dict[str, Any]:
    """Resume a stopped run."""
    session.workbench.check_room()
    session.workbench.jobs.resume(in_project.run(session, _chosen(run)).name)
    return follow(session, run, compared)


@needs("promote")
def activate(session: Session, run: str | None) -> str:
    """Activate the run.

    Raises:
        AppError: it has no finished model.
    """
    name = _chosen(run)
    if in_project.run(session, name).status != "finished":
        raise AppError(
            "{run} is not finished and cannot be activated. Resume it, or choose another run.", run=name
        )
    projects.set_active(session.workspace, session.project_id, name)
    return session._(
        "{run} is now active. You can roll back on the Ledger page with one click.", run=code_span(name)
    )


@needs("promote")
def keep(session: Session, run: str | None) -> str:
    """Keep the active run and record that decision."""
    name = runs.decline(session.workspace, in_project.run(session, _chosen(run)).name).name
    active = session.workbench.active_run(session.project_id)
    return session._(
        "{run} stays active; {other} is marked as declined.",
        run=code_span(active) if active else session._("no tagger"),
        other=code_span(name),
    )


def see_changes(session: Session, run: str | None) -> dict[str, Any]:
    """Open the Compare page with the active run and this one."""
    return run_changes.open_compare(session, session.workbench.active_run(session.project_id), _chosen(run))


def _chosen(run: str | None) -> str:
    if run is None:
        raise AppError("Choose a run first.")
    return run


def wire(components: RunComponents, frame: Frame) -> None:
    """Connect the section's events."""
    c = components
    frame.on([c.run.input, c.compare.input], follow, [c.run, c.compare], c.view)
    frame.on(c.timer.tick, tick, [c.run, c.compare], c.view)
    frame.on([c.cancel.click], cancel, [c.run, c.compare], c.view)
    frame.on([c.resume.click], resume, [c.run, c.compare], c.view)
    frame.on([c.activate.click], activate, [c.run], [c.message])
    frame.on([c.keep.click], keep, [c.run], [c.message])
    frame.on([c.see.click], see_changes, [c.run], [frame.tabs])
