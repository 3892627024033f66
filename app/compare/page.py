"""The Compare page: two or more runs on the same documents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any

import gradio as gr

from app.compare import changes as compare_changes
from app.compare import documents as compare_documents
from app.compare import missing as missing_documents
from app.compare import reading as compare_reading
from app.compare import scores as compare_scores
from app.compare import traces as compare_traces
from app.compare.changes import ChangesView
from app.compare.documents import ANY, Chosen, DocumentsView
from app.compare.missing import MissingView
from app.compare.reading import Asked, Comparison
from app.compare.scores import ScoresView
from app.compare.traces import TracesView
from app.i18n import Message, _
from app.services.session import Session
from app.ui.frame import Frame
from app.ui.runs.naming import run_choices
from app.ui.widgets.lazy_plot import plotly_loader
from app.ui.widgets.shifting_choice import ShiftingCheckboxGroup, ShiftingDropdown, ShiftingRadio
from app.ui.work import OfChoices, Report, WorkView, on_work, work_view
from core.store.db.payload import HELD_OUT
from core.store.project import projects
from core.store.run import runs

PART_NAMES = {"dev": _("dev"), "test": _("test"), "train": _("train"), "none": _("no split")}

STEPS = {
    "reading": _("reading the predictions"),
    "scoring": _("resampling for intervals and p-values"),
    "finding": _("finding the documents that differ"),
    "differing": _("reading the documents that differ"),
}

MOST_RUNS = 4
WANTED = "compare-wanted"  # in the memory of the session: what is to be compared, and what narrows its lists
_requests = count(1)
PARTS = ("dev", "test", "train", "none")


@dataclass
class CompareComponents:
    """What to compare, then the results."""

    empty: gr.Column
    to_train: gr.Button
    board: gr.Column
    runs: gr.Dropdown
    parts: gr.CheckboxGroup
    other: gr.Radio
    status: gr.Markdown
    missing: MissingView
    work: WorkView
    again: gr.Button
    request: gr.Textbox
    nothing: gr.Markdown
    results: gr.Column
    changes: ChangesView
    scores: ScoresView
    documents: DocumentsView
    traces: TracesView

    @property
    def picks(self) -> list[Any]:
        """The inputs of ``choose``."""
        return [self.runs, self.parts, self.other]

    @property
    def filters(self) -> list[Any]:
        """What narrows the lists of a comparison."""
        return [self.changes.kind, *self.documents.filters]

    @property
    def known(self) -> list[Any]:
        """The outputs of ``choose``."""
        return [
            self.other,
            self.request,
            self.status,
            self.missing.predict,
            self.again,
            self.nothing,
            self.results,
        ]

    @property
    def computed(self) -> list[Any]:
        """The outputs of ``draw``."""
        return [
            self.status, self.missing.predict, self.again, self.nothing, self.results, *self.changes.outputs,
            *self.scores.outputs, *self.documents.outputs, *self.traces.outputs,
        ]  # fmt: skip


def layout(frame: Frame) -> CompareComponents:
    """Build the page inside its tab."""
    texts = frame.texts
    plotly_loader()
    texts.purpose(
        _(
            "Two or more runs on the same documents: what changes, who is right, and "
            "whether a difference in score is more than chance."
        )
    )
    with gr.Column(visible=False, elem_classes="ll-empty", elem_id="compare-empty") as empty:
        texts.bind(
            gr.Markdown(),
            value=_(
                "A comparison needs two finished runs of this project. Train a second tagger, or the same "
                "one again after some corrections."
            ),
        )
        to_train = texts.button(_("Train a tagger"), variant="primary", elem_id="compare-to-train")
    with gr.Column(visible=False, elem_id="compare-board") as board:
        with gr.Row(equal_height=True):
            picked = texts.bind(
                ShiftingDropdown(
                    [], multiselect=True, max_choices=MOST_RUNS, elem_id="compare-runs", scale=3
                ),
                label=_("Runs; the first is the base"),
            )
            parts = texts.bind(
                ShiftingCheckboxGroup(elem_id="compare-parts", scale=2, min_width=300),
                chosen=list(HELD_OUT),
                label=_("Scores and documents of"),
                choices=[(PART_NAMES[part], part) for part in PARTS],
            )
        other = texts.bind(
            ShiftingRadio([], visible=False, elem_id="compare-other"),
            label=_("Compare in detail with the base"),
        )
        request = gr.Textbox(visible="hidden", show_label=False)
        work = work_view(frame, "compare-work")
        with gr.Row(elem_classes="ll-buttons"):
            again = texts.button(
                _("Compare again"), visible=False, elem_id="compare-again", elem_classes="ll-long"
            )
        status = gr.Markdown(elem_id="compare-status", elem_classes="ll-how")
        missing = missing_documents.layout(frame)
        nothing = gr.Markdown(visible=False, elem_classes="ll-empty", elem_id="compare-nothing")
        with gr.Column(visible=False, elem_id="compare-results") as results:
            changes = compare_changes.layout(frame)
            scores = compare_scores.layout(frame)
            documents = compare_documents.layout(frame)
            traces = compare_traces.layout(frame)
    return CompareComponents(
        empty, to_train, board, picked, parts, other, status, missing, work, again, request, nothing, results,
        changes, scores, documents, traces,
    )  # fmt: skip


@dataclass(frozen=True)
class Wanted:
    """What is to be compared, and what narrows its lists: kind of change, outcome, label."""

    asked: Asked
    kind: str | None = None
    filter: str | None = None
    label: str | None = None


def show(
    session: Session,
    picked: Sequence[str] | None,
    parts: Sequence[str],
    other: str | None,
    kind: str | None = None,
    filter_: str | None = None,
    label: str | None = None,
) -> dict[str, Any]:
    """List the finished runs and ask for their comparison; the address may name others, and filters."""
    names = [run.name for run in runs.all_runs(session.workspace, session.project_id, "finished")]
    chosen = [name for name in picked or () if name in names]
    if len(chosen) < 2:
        chosen = usual(session, names)
    asked = [part for part in parts if part in PARTS] or list(HELD_OUT)
    return {
        "empty": gr.update(visible=len(names) < 2),
        "board": gr.update(visible=len(names) >= 2),
        "runs": gr.update(choices=run_choices(session, names), value=chosen),
        "parts": asked,
        **choose(session, chosen, asked, other, kind, filter_, label),
    }


def usual(session: Session, names: Sequence[str]) -> list[str]:
    """The active run and the newest of the others; the two newest if none is active."""
    active = projects.get(session.workspace, session.project_id).active_run
    newest = [name for name in reversed(names) if name != active]
    base = [active] if active in names else newest[1:2]
    return [name for name in (*base, *newest[:1]) if name is not None]


def choose(
    session: Session,
    picked: Sequence[str] | None,
    parts: Sequence[str],
    other: str | None,
    kind: str | None = None,
    filter_: str | None = None,
    label: str | None = None,
) -> dict[str, Any]:
    """Ask for the comparison of the chosen runs; what narrows the lists begins anew unless it is given."""
    chosen = list(dict.fromkeys(picked or ()))[:MOST_RUNS]
    request = str(next(_requests))
    if len(chosen) < 2:
        session.memory.pop(WANTED, None)
        session.memory.pop(compare_reading.MEMORY, None)
        return {
            "other": gr.update(visible=False),
            "request": request,
            **_nothing(session, _("Choose two runs or more above.")),
        }
    against = other if other in chosen[1:] else chosen[1]
    session.memory[WANTED] = Wanted(Asked(tuple(chosen), against, tuple(parts)), kind, filter_, label)
    return {
        "other": gr.update(choices=run_choices(session, chosen[1:]), value=against, visible=len(chosen) > 2),
        "request": request,
    }


def wanted(session: Session) -> Wanted | None:
    """What is to be compared; None without two runs."""
    kept = session.memory.get(WANTED)
    return kept if isinstance(kept, Wanted) else None


def asked_of(session: Session, *_inputs: Any) -> Asked | None:
    """The comparison that is wanted, whatever its lists are narrowed to."""
    now = wanted(session)
    return None if now is None else now.asked


def compare(session: Session, report: Report, *_inputs: Any) -> Comparison | None:
    """Compute the comparison that is wanted.

    Raises:
        PayloadError: no such split. NotFound: no such run in this project.
    """
    asked = asked_of(session)

    def tell(done: int, total: int, step: str, fraction: float) -> None:
        report(done, total, session._(STEPS[step]), fraction)

    return None if asked is None else compare_reading.read(session, asked, tell)


def draw(session: Session, comparison: Comparison | None, picture: str, by: str) -> dict[str, Any]:
    """Show a comparison."""
    now = wanted(session)
    if comparison is None or now is None:
        return {}
    session.memory[compare_reading.MEMORY] = comparison
    offered = {
        "predict": missing_documents.offer(session, comparison.missing),
        "again": gr.update(visible=False),
    }
    if not comparison.predicted and not comparison.changes.total:
        why = _(
            "No document of these splits has predictions of all these runs. Choose other splits above, "
            "or predict the missing documents."
        )
        return {**_nothing(session, why), **offered}
    return {
        **offered,
        "status": status_text(session, comparison),
        "nothing": gr.update(visible=False),
        "results": gr.update(visible=True),
        **compare_changes.draw(session, comparison, by, now.kind),
        **compare_scores.draw(session, comparison, picture),
        **compare_documents.draw(session, comparison, now.filter, now.label),
        **compare_traces.hidden(session),
    }


def unanswered(session: Session, ended: bool) -> dict[str, Any]:
    """Hide the former comparison until there is another; offer to begin again if none will come."""
    return {
        "status": "",
        "predict": gr.update(visible=False),
        "again": gr.update(visible=ended),
        "nothing": gr.update(visible=False),
        "results": gr.update(visible=False),
    }


def status_text(session: Session, comparison: Comparison) -> str:
    """How many documents are compared, and which of them the scores are over."""
    compared = session.ngettext(
        "{count} document of these splits has predictions of all runs, {labelled} of them with labels.",
        "{count} documents of these splits have predictions of all runs, {labelled} of them with labels.",
        count=comparison.predicted,
        labelled=comparison.labelled,
    )
    if not comparison.labelled or set(comparison.parts) - set(HELD_OUT):
        return compared
    scored = session.ngettext(
        "Scored on {count} document that all of these runs held out.",
        "Scored on {count} documents that all of these runs held out.",
        count=comparison.labelled,
    )
    return session.paragraph(compared, scored)


def _nothing(session: Session, why: Message) -> dict[str, Any]:
    """Explain why there is nothing to show."""
    return {**unanswered(session, False), "nothing": gr.update(visible=True, value=session._(why))}


def list_group(
    session: Session, event: gr.SelectData, kind: str, by: str, filter_: str, label: str | None
) -> dict[str, Any]:
    """List the documents of the clicked group of changes."""
    group = compare_changes.chosen_group(session, kind, by, event)
    chosen = None if group is None else Chosen(_named(session, group), group.documents)
    return compare_documents.show_chosen(session, chosen, filter_, label)


def list_side(session: Session, event: gr.EventData, filter_: str, label: str | None) -> dict[str, Any]:
    """List the documents of the clicked bar."""
    selection = compare_changes.chosen_side(session, event)
    chosen = None if selection is None else Chosen(selection[0], tuple(selection[1]))
    return compare_documents.show_chosen(session, chosen, filter_, label)


def _named(session: Session, group: Any) -> str:
    return ", ".join(compare_changes.group_name(session, group))


def to_train_page(session: Session) -> dict[str, Any]:
    """Open the Train page."""
    return gr.update(selected="train")


def wire(components: CompareComponents, frame: Frame) -> None:
    """Connect the page's events."""
    c = components
    frame.address(
        "compare", dict.fromkeys(("kind", "show", "label"), ANY),
        runs=c.runs, splits=c.parts, other=c.other, by=c.changes.by, kind=c.changes.kind,
        show=c.documents.filter, label=c.documents.label,
    )  # fmt: skip
    filled = [c.empty, c.board, c.runs, c.parts, *c.known]
    frame.on_show("compare", show, filled, [*c.picks, *c.filters])
    choosing = frame.on([c.runs.input, c.parts.input, c.other.input], choose, c.picks, c.known)
    on_work(
        frame, c.work, [c.request.change, c.again.click], compare,
        [c.scores.picture, c.changes.by], c.computed, doing=_("comparing runs"), done=_("runs compared"),
        choices=OfChoices(asked_of, draw, unanswered),
    )  # fmt: skip
    predicting = missing_documents.wire(c.missing, frame, c.runs, c.parts)
    frame.then(predicting, choose, c.picks, c.known)
    for event in (choosing, predicting):
        frame.reveal(event, "compare-results")
    frame.on([c.to_train.click], to_train_page, [], [frame.tabs])
    compare_changes.wire(c.changes, frame)
    compare_scores.wire(c.scores, frame)
    compare_documents.wire(c.documents, frame)
    compare_traces.wire(c.traces, frame, c.documents.traces, c.documents.document)
    listed = c.documents.listed
    scroll = "() => document.getElementById('compare-documents')?.scrollIntoView({block: 'start'})"
    for event in (
        frame.on(
            [c.changes.groups.select],
            list_group,
            [c.changes.kind, c.changes.by, *c.documents.filters],
            listed,
        ),
        frame.on(c.changes.sides.bar.pick, list_side, c.documents.filters, listed),
    ):
        event.success(None, js=scroll, api_visibility="private")
