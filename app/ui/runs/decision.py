"""Whether a finished run becomes the active one: what changes, what it costs, and the two buttons."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import Any

import gradio as gr

from app.i18n import _
from app.services import in_project
from app.services.background.tasks import Task
from app.services.errors import AppError
from app.services.evaluation import decision as decisions
from app.services.evaluation.decision import Decision
from app.services.rights import may, needs
from app.services.session import Session
from app.ui.code_span import code_span
from app.ui.frame import Frame
from app.ui.headings import section_heading
from app.ui.lacking import needs_class
from app.ui.numbers import date, whole_percent
from app.ui.progress import bar
from app.ui.runs.changed_documents import document_rows
from app.ui.runs.decision_facts import summary_html, table_html
from app.ui.widgets.sentence import sentence_view, sentences_value
from core.store.label import labels
from core.store.project import projects
from core.store.run import runs
from core.store.run.runs import Run
from core.text import LabelSet

STEPS = {
    "reading": _("Comparing: reading the predictions"),
    "scoring": _("Comparing: scores with intervals"),
    "timing": _("Comparing: speed of the taggers"),
    "": _("Comparing"),
}

STOPPING_SECONDS = 5.0  # a step of the comparison takes less


@dataclass
class DecisionView:
    """What is known of the run, the decision, and examples."""

    comparing: gr.HTML
    stop_comparing: gr.Button
    compare_again: gr.Button
    summary: gr.HTML
    activate: gr.Button
    keep: gr.Button
    decided: gr.Markdown
    comparison: gr.HTML
    changed: gr.Column
    examples: gr.HTML

    @property
    def outputs(self) -> list[Any]:
        """The outputs of ``show``."""
        return [
            self.comparing, self.stop_comparing, self.compare_again, self.summary, self.activate,
            self.keep,
            self.decided, self.comparison, self.changed, self.examples,
        ]  # fmt: skip


def layout(frame: Frame) -> DecisionView:
    """Build the section."""
    texts = frame.texts
    section_heading(texts, _("Result"))
    comparing = gr.HTML(elem_id="train-comparing")
    summary = gr.HTML(elem_id="train-decision")
    with gr.Row(elem_classes="ll-buttons"):
        activate_button = texts.button(
            _("Make active"),
            visible=False,
            variant="primary",
            elem_id="train-activate",
            elem_classes=needs_class("promote"),
        )
        keep_button = texts.button(
            _("Keep the active run"), visible=False, elem_id="train-keep", elem_classes=needs_class("promote")
        )
        stop_button = texts.button(_("Cancel the comparison"), visible=False, elem_id="train-comparing-stop")
        again_button = texts.button(_("Compare again"), visible=False, elem_id="train-comparing-again")
    decided_line = gr.Markdown(elem_id="train-message")
    comparison = gr.HTML(elem_id="train-decision-table")
    with gr.Column(visible=False) as changed:
        texts.hint(_("Examples of what changes. Dashed: prediction. Solid: gold."))
        examples = sentence_view(elem_id="train-examples")
    return DecisionView(
        comparing, stop_button, again_button, summary, activate_button, keep_button, decided_line,
        comparison, changed, examples,
    )  # fmt: skip


def hidden() -> dict[str, Any]:
    """The section of a run that is not finished."""
    return {
        **dict.fromkeys(("comparing", "summary", "decided", "comparison"), ""),
        **dict.fromkeys(
            ("stop_comparing", "compare_again", "activate", "keep", "changed"), gr.update(visible=False)
        ),
        "examples": sentences_value([], LabelSet()),
    }


def show(session: Session, run: Run) -> dict[str, Any]:
    """The section of a finished run; the comparison is begun if need be."""
    return _shown(session, run, decisions.of(session, run))


def follow(session: Session, run: Run) -> dict[str, Any]:
    """The section while the comparison goes on; no values without news."""
    task = decisions.latest(session, run.name)
    if task is None or session.memory.get("decision-seen") == _seen(task):
        return {}
    return _shown(session, run, task)


def is_running(session: Session, run: str) -> bool:
    """Whether the comparison of the run goes on."""
    task = decisions.latest(session, run)
    return task is not None and task.running


def _seen(task: Task[Decision]) -> tuple[Any, ...]:
    return task.kind, task.number, task.doing, task.fraction, task.running


def _shown(session: Session, run: Run, task: Task[Decision]) -> dict[str, Any]:
    session.memory["decision-seen"] = _seen(task)
    state = task.state(session.language)
    active = session.workbench.active_run(session.project_id)
    is_open = active != run.name and may(session, "promote")
    decision = task.result
    comparing = ""
    if state["running"]:
        step = session._(STEPS.get(task.doing, STEPS[""]))
        comparing = bar(task.fraction, step, f"{whole_percent(task.fraction)}%")
    elif decision is None:
        why = state["error"] or session._("The comparison was cancelled.")
        comparing = f'<p class="ll-how">{escape(why)}</p>'
    return {
        "comparing": comparing,
        "stop_comparing": gr.update(visible=state["running"]),
        "compare_again": gr.update(visible=not state["running"] and decision is None),
        "summary": summary_html(session, run, decision),
        "activate": gr.update(visible=is_open),
        "keep": gr.update(visible=is_open and active is not None),
        "decided": decided(session, run, active),
        "comparison": "" if decision is None else table_html(session, decision),
        "changed": gr.update(visible=bool(decision and decision.examples)),
        "examples": examples(session, decision),
    }


def decided(session: Session, run: Run, active: str | None) -> str:
    """Whether the run is active, or was declined."""
    if active == run.name:
        said = session._("{run} is the active run of this project.", run=code_span(run.title))
        if projects.get(session.workspace, session.project_id).previous_run is not None:
            said += " " + session._("You can roll back on the Ledger page.")
        return said
    if run.declined is not None:
        return session._(
            "{run} was reviewed on {date} and not made active. You can still make it active.",
            run=code_span(run.title),
            date=date(run.declined),
        )
    return ""


def examples(session: Session, decision: Decision | None) -> dict[str, Any]:
    """The examples: gold, the prediction of the active run, and that of this one."""
    if decision is None:
        return sentences_value([], LabelSet())
    names = [in_project.run_title(session, run) for run in decision.runs]
    rows = [row for document in decision.examples for row in document_rows(session, document, names)]
    return sentences_value(rows, labels.get(session.workspace, session.project_id))


@needs("promote")
def make_active(session: Session, run: str | None) -> Run:
    """Make the run the active one.

    Raises:
        AppError: it has no finished model.
    """
    chosen = _chosen(session, run)
    if chosen.status != "finished":
        raise AppError(
            "{run} is not finished and cannot be made active. Resume it, or choose another run.",
            run=chosen.title,
        )
    projects.set_active(session.workspace, session.project_id, chosen.name)
    return in_project.run(session, chosen.name)


def activate(session: Session, run: str | None) -> dict[str, Any]:
    """Make the run the active one and show it so."""
    return show(session, make_active(session, run))


@needs("promote")
def keep(session: Session, run: str | None) -> dict[str, Any]:
    """Keep the active run and record that decision."""
    return show(session, runs.decline(session.workspace, _chosen(session, run).name))


def stop_comparing(session: Session, run: str | None) -> dict[str, Any]:
    """Cancel the comparison."""
    chosen = _chosen(session, run)
    task = decisions.latest(session, chosen.name)
    if task is None:
        return {}
    task.stop()
    task.wait(STOPPING_SECONDS)
    return _shown(session, chosen, task)


def compare_again(session: Session, run: str | None) -> dict[str, Any]:
    """Begin the comparison again."""
    chosen = _chosen(session, run)
    return _shown(session, chosen, decisions.of(session, chosen, again=True))


def _chosen(session: Session, run: str | None) -> Run:
    if run is None:
        raise AppError("Choose a run first.")
    return in_project.run(session, run)


def wire(view: DecisionView, frame: Frame, run: Any, timer: Any) -> None:
    """Connect the section's events.

    Args:
        run: the picker of the run. timer: it calls `follow`, while it is active.
    """
    v = view
    for button, fn in ((v.activate, activate), (v.keep, keep), (v.stop_comparing, stop_comparing)):
        frame.on([button.click], fn, [run], v.outputs)

    def going_on(session: Session, chosen: str | None) -> dict[str, Any]:
        return {**compare_again(session, chosen), "timer": gr.Timer(active=True)}

    frame.on([v.compare_again.click], going_on, [run], [*v.outputs, timer])
