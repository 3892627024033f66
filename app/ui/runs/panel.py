"""The right half of the Train page: a run's progress and results, and whether to activate it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import gradio as gr

from app.i18n import _
from app.services import in_project
from app.services.errors import AppError
from app.services.rights import needs
from app.services.session import Session
from app.services.training.training_runs import state_of
from app.ui.code_span import code_span
from app.ui.frame import Frame
from app.ui.headings import section_heading
from app.ui.lacking import needs_class
from app.ui.runs import decision as run_decision
from app.ui.runs import download as run_download
from app.ui.runs import naming as run_naming
from app.ui.runs import view as run_view
from app.ui.runs.job_in_view import JobInView
from app.ui.widgets.lazy_plot import LazyPlot, lazy_plot
from app.ui.widgets.plain_table import plain_table
from app.ui.widgets.shifting_choice import ShiftingDropdown
from core.store.run import runs
from core.store.run.runs import Run
from core.training.run.run_folder import RunFolder

IN_VIEW = JobInView("train", "run")
TICK_SECONDS = 1.5


@dataclass
class RunComponents:
    """The current run, the runs compared with it, and the table of all runs."""

    run: gr.Dropdown
    compare: gr.Dropdown
    called: run_naming.NamingView
    empty: gr.Markdown
    progress: gr.HTML
    cancel: gr.Button
    resume: gr.Button
    charts: gr.Column
    no_curves: gr.Markdown
    curves: LazyPlot
    log: gr.HTML
    result: gr.Column
    decision: run_decision.DecisionView
    scored: gr.Column
    caption: gr.Markdown
    scores: gr.Dataframe
    bars: LazyPlot
    problem: gr.Markdown
    all_runs: gr.Dataframe
    download: run_download.DownloadView
    timer: gr.Timer

    @property
    def view(self) -> list[Any]:
        """The outputs of ``follow``."""
        return [
            *self.called.outputs, self.empty, self.progress, self.cancel, self.resume, self.charts,
            self.no_curves, self.curves, self.log, self.result, *self.decision.outputs, self.scored,
            self.caption, self.scores, self.bars, self.problem, self.timer,
        ]  # fmt: skip


def layout(frame: Frame) -> RunComponents:
    """Build the right half of the page."""
    texts = frame.texts
    with gr.Row(equal_height=True):
        run = texts.bind(ShiftingDropdown([], elem_id="train-run"), label=_("Run"))
        compare = texts.bind(
            gr.Dropdown([], multiselect=True, elem_id="train-compare"), label=_("Compare with")
        )
    called = run_naming.layout(frame)
    empty = texts.bind(  # hidden until it is known that there is none
        gr.Markdown(visible=False, elem_classes="ll-empty", elem_id="train-empty"),
        value=_("No run yet. Choose a tagger and start one; its curves and scores appear here."),
    )
    progress = gr.HTML(elem_id="train-progress", min_height=36)
    with gr.Row(elem_classes=["ll-buttons", needs_class("train")]):
        cancel = texts.button(_("Cancel"), visible=False, elem_id="train-cancel")
        resume = texts.button(_("Resume this run"), visible=False, variant="primary", elem_id="train-resume")
    problem = gr.Markdown(elem_id="train-problem")
    with gr.Column(visible=False, elem_id="train-result") as result:
        decision = run_decision.layout(frame)
    no_curves = texts.hint(_("No curves: this run has no epochs."), visible=False, elem_id="train-no-curves")
    with gr.Column(visible=False) as charts:
        curves = lazy_plot("train-curves")
        texts.hint(
            _("Loss should fall and dev F1 should rise; once F1 stops rising, more epochs do not help.")
        )
    with gr.Column(visible=False, elem_id="train-scored") as scored:
        section_heading(frame.texts, _("Scores by label"))
        caption = gr.Markdown(elem_classes="ll-how")
        scores = plain_table("train-scores")
        bars = lazy_plot("train-bars")
        texts.hint(
            _("F1 by label on the same documents; for a label with few examples differences may be chance.")
        )
    with texts.bind(gr.Accordion(open=True, elem_id="train-log-box"), label=_("Log")):
        log = gr.HTML(elem_id="train-log", elem_classes="ll-log")
    with texts.bind(gr.Accordion(open=False, elem_id="train-runs-box"), label=_("All runs")):
        all_runs = plain_table("train-runs", height=320)
    download = run_download.layout(frame)
    return RunComponents(
        run, compare, called, empty, progress, cancel, resume, charts, no_curves, curves, log, result,
        decision, scored, caption, scores, bars, problem, all_runs, download,
        gr.Timer(TICK_SECONDS, active=False),
    )  # fmt: skip


def follow(session: Session, run: str | None, compared: Sequence[str] | None) -> dict[str, Any]:
    """Show everything about the current run."""
    IN_VIEW.turn_to(session, run)
    if run is None:
        gone = ("cancel", "resume", "charts", "no_curves", "result", "scored", "caption", "scores", "bars")
        return {
            **run_naming.show(session, None),
            **run_decision.hidden(),
            "empty": gr.update(visible=True),
            **dict.fromkeys(gone, gr.update(visible=False)),
            **dict.fromkeys(("progress", "log", "problem"), ""),
            "curves": None,
            "timer": gr.Timer(active=False),
        }
    row = in_project.run(session, run)
    # Not in `_view`, which comes while somebody types.
    named = {"empty": gr.update(visible=False), **run_naming.show(session, row)}
    return named | _view(session, row, list(compared or ()))


def tick(session: Session, run: str | None, compared: Sequence[str] | None) -> dict[str, Any]:
    """``follow`` while the run or its comparison goes on; no values if nothing has changed."""

    def news(name: str) -> dict[str, Any]:
        row = in_project.run(session, name)
        if IN_VIEW.has_moved(session, state_of(session, row), row.status):
            return _view(session, row, list(compared or ()))
        if row.status != "finished":
            return {}
        decided = run_decision.follow(session, row)
        if decided and not run_decision.is_running(session, row.name):
            decided["timer"] = gr.Timer(active=False)
        return decided

    return IN_VIEW.tick(session, run, news)


def _view(session: Session, run: Run, compared: list[str]) -> dict[str, Any]:
    state = state_of(session, run)
    compared = [name for name in compared if name != run.name]
    events = run_view.events_of(run)
    will_curve = state.active and run.tagger != "ensemble"  # its members have been trained
    curved = will_curve or run_view.have_epochs(session, [run.name, *compared])
    stored = run.status == "finished"
    problem = session.workbench.supervisor.problem(run.name)
    why = ""
    if problem:
        why = session._(
            "The run is finished but its results could not be stored: {reason}. Retrying every second.",
            reason=code_span(problem),
        )
    results: dict[str, Any] = run_decision.hidden()
    if stored:
        results = {**run_view.scores_updates(session, run, compared), **run_decision.show(session, run)}
    # Once more after the end, since the supervisor stores the results a moment later.
    unsettled = state.active or (state.status == "finished" and not stored)
    return {
        "progress": run_view.progress_html(session, run, state, events),
        "cancel": gr.update(visible=state.active),
        "resume": gr.update(visible=state.resumable and RunFolder(run.folder).request_file.is_file()),
        "charts": gr.update(visible=curved),
        "no_curves": gr.update(visible=not curved),
        "curves": run_view.curves(session, [run.name, *compared]) if curved else None,
        "log": run_view.log_html(session, events),
        "result": gr.update(visible=stored),
        "scored": gr.update(visible=stored and run_view.part_of(run) is not None),
        **results,
        "problem": why,
        "timer": gr.Timer(active=unsettled or run_decision.is_running(session, run.name)),
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


def name(
    session: Session, run: str | None, compared: Sequence[str] | None, title: str, note: str
) -> dict[str, Any]:
    """Name the run, and show it by its name everywhere on the page."""
    named = run_naming.save(session, run, title, note)
    return {**follow(session, named.name, compared), **pickers(session, named.name)}


def pickers(session: Session, run: str | None) -> dict[str, Any]:
    """The choices of runs with ``run`` chosen, and the table of all runs."""
    names = reversed(runs.titles(session.workspace, session.project_id))
    choices = run_naming.run_choices(session, names)
    headers, rows = run_view.runs_rows(session)
    return {
        "run": gr.update(choices=choices, value=run),
        "compare": gr.update(choices=choices),
        "all_runs": gr.update(value={"headers": headers, "data": rows}),
    }


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
    picked = [c.run, c.compare]
    naming = [c.called.title, c.called.note]
    frame.on(
        [c.called.save_naming.click, c.called.title.submit],
        name,
        [*picked, *naming],
        [*picked, c.all_runs, *c.view],
    )
    run_decision.wire(c.decision, frame, c.run, c.timer)
    run_download.wire(c.download, frame, c.run)
