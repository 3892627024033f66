"""The Compare page: two or more runs on the same documents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import gradio as gr

from app.compare import changes as compare_changes
from app.compare import documents as compare_documents
from app.compare import reading as compare_reading
from app.compare import scores as compare_scores
from app.compare import traces as compare_traces
from app.compare.changes import ChangesView
from app.compare.documents import ANY, Chosen, DocumentsView
from app.compare.reading import Comparison
from app.compare.scores import ScoresView
from app.compare.traces import TracesView
from app.i18n import Message, _
from app.services import in_project
from app.services.evaluation.held_out import HELD_OUT, documents_of
from app.services.rights import needs
from app.services.session import Session
from app.ui.frame import Frame
from app.ui.runs.naming import run_choices
from app.ui.widgets.lazy_plot import plotly_loader
from app.ui.widgets.shifting_choice import ShiftingCheckboxGroup, ShiftingDropdown, ShiftingRadio
from app.ui.work import Report, WorkView, on_work, work_view
from core.store.project import projects
from core.store.run import predicted, runs

PART_NAMES = {
    "dev": _("dev"),
    "test": _("test"),
    "train": _("train"),
    "none": _("no part"),
}


MOST_RUNS = 4
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
    answer: gr.Button
    work: WorkView
    nothing: gr.Markdown
    results: gr.Column
    changes: ChangesView
    scores: ScoresView
    documents: DocumentsView
    traces: TracesView

    @property
    def picks(self) -> list[Any]:
        """The inputs of ``compare``."""
        return [self.runs, self.parts, self.other, self.scores.picture, self.changes.by]

    @property
    def filters(self) -> list[Any]:
        """What narrows the lists of a comparison."""
        return [self.changes.kind, *self.documents.filters]

    @property
    def outputs(self) -> list[Any]:
        """The outputs of ``compare``."""
        return [
            self.other, self.status, self.answer, self.nothing, self.results, *self.changes.outputs,
            *self.scores.outputs, *self.documents.outputs, *self.traces.outputs,
        ]  # fmt: skip


def layout(frame: Frame) -> CompareComponents:
    """Build the page inside its tab."""
    texts = frame.texts
    plotly_loader()
    texts.bind(
        gr.Markdown(elem_classes="ll-purpose"),
        value=_(
            "Two or more runs on the same documents: what changes, who is right, and "
            "whether a difference in score is more than chance."
        ),
    )
    with gr.Column(visible=False, elem_classes="ll-empty", elem_id="compare-empty") as empty:
        texts.bind(
            gr.Markdown(),
            value=_(
                "A comparison needs two finished runs of this project. Train a second tagger, or the same "
                "one again after some corrections."
            ),
        )
        to_train = texts.bind(
            gr.Button(variant="primary", elem_id="compare-to-train"), value=_("Train a tagger")
        )
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
        status = gr.Markdown(elem_id="compare-status", elem_classes="ll-how")
        with gr.Row(elem_classes="ll-buttons"):
            answer_button = gr.Button(visible=False, elem_id="compare-answer")
        work = work_view(frame, "compare-work")
        nothing = gr.Markdown(visible=False, elem_classes="ll-empty", elem_id="compare-nothing")
        with gr.Column(visible=False, elem_id="compare-results") as results:
            changes = compare_changes.layout(frame)
            scores = compare_scores.layout(frame)
            documents = compare_documents.layout(frame)
            traces = compare_traces.layout(frame)
    return CompareComponents(
        empty, to_train, board, picked, parts, other, status, answer_button, work, nothing, results, changes,
        scores, documents, traces,
    )  # fmt: skip


def show(
    session: Session,
    picked: Sequence[str] | None,
    parts: Sequence[str],
    other: str | None,
    picture: str,
    by: str,
    kind: str | None = None,
    filter_: str | None = None,
    label: str | None = None,
) -> dict[str, Any]:
    """List the finished runs and compare the chosen ones; the address may name others, and filters."""
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
        **compare(session, chosen, asked, other, picture, by, kind, filter_, label),
    }


def usual(session: Session, names: Sequence[str]) -> list[str]:
    """The active run and the newest of the others; the two newest if none is active."""
    active = projects.get(session.workspace, session.project_id).active_run
    newest = [name for name in reversed(names) if name != active]
    base = [active] if active in names else newest[1:2]
    return [name for name in (*base, *newest[:1]) if name is not None]


def compare(
    session: Session,
    picked: Sequence[str] | None,
    parts: Sequence[str],
    other: str | None,
    picture: str,
    by: str,
    kind: str | None = None,
    filter_: str | None = None,
    label: str | None = None,
) -> dict[str, Any]:
    """Compare the runs chosen on the page; what narrows the lists begins anew unless it is given."""
    chosen = list(dict.fromkeys(picked or ()))[:MOST_RUNS]
    if len(chosen) < 2:
        return _nothing(session, _("Choose two runs or more above."), [])
    against = other if other in chosen[1:] else chosen[1]
    comparison = compare_reading.read(session, chosen, against, parts)
    missing = _missing(session, chosen, parts)
    if not comparison.predicted and not comparison.changes.total:
        return _nothing(
            session,
            _(
                "No document of these splits has predictions of all these runs. Choose other splits above, "
                "or predict the missing documents."
            ),
            missing,
        )
    return {
        "other": gr.update(choices=run_choices(session, chosen[1:]), value=against, visible=len(chosen) > 2),
        "status": status_text(session, comparison),
        "answer": _answer_button(session, missing),
        "nothing": gr.update(visible=False),
        "results": gr.update(visible=True),
        **compare_changes.draw(session, comparison, by, kind),
        **compare_scores.draw(session, comparison, picture),
        **compare_documents.draw(session, comparison, filter_, label),
        **compare_traces.hidden(session),
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
    return f"{compared} {scored}"


def _nothing(session: Session, why: Message, missing: Sequence[int]) -> dict[str, Any]:
    """Explain why there is nothing to show, and offer to predict missing documents."""
    session.memory.pop(compare_reading.MEMORY, None)
    return {
        "other": gr.update(visible=False),
        "status": "",
        "answer": _answer_button(session, missing),
        "nothing": gr.update(visible=True, value=session._(why)),
        "results": gr.update(visible=False),
    }


def _missing(session: Session, chosen: Sequence[str], parts: Sequence[str]) -> list[int]:
    """Documents of the splits without a prediction of at least one run."""
    unpredicted = {
        number
        for run in chosen
        for number in predicted.unpredicted(session.workspace, session.project_id, run)
    }
    return [number for number in documents_of(session, chosen, parts) if number in unpredicted]


def _answer_button(session: Session, missing: Sequence[int]) -> dict[str, Any]:
    return gr.update(
        visible=bool(missing),
        value=session.ngettext(
            "Predict the {count} missing document",
            "Predict the {count} missing documents",
            count=len(missing),
        ),
    )


@needs("train")
def answer(
    session: Session,
    report: Report,
    picked: Sequence[str] | None,
    parts: Sequence[str],
    other: str | None,
    picture: str,
    by: str,
) -> dict[str, Any]:
    """Predict the documents of the splits that a run lacks, then compare."""
    chosen = list(dict.fromkeys(picked or ()))[:MOST_RUNS]
    wanted = set(documents_of(session, chosen, parts))
    for run in chosen:
        unpredicted = predicted.unpredicted(session.workspace, session.project_id, run)
        missing = [number for number in unpredicted if number in wanted]
        title = session._("{run} is tagging", run=in_project.run_title(session, run))

        def tell(done: int, total: int, title: str = title) -> None:
            report(done, total, title)

        session.workbench.taggers.predict(session.project_id, run, missing, tell)
    return compare(session, picked, parts, other, picture, by)


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
    frame.on_show("compare", show, [c.empty, c.board, c.runs, c.parts, *c.outputs], [*c.picks, *c.filters])
    comparing = frame.on(
        [c.runs.input, c.parts.input, c.other.input],
        compare,
        c.picks,
        c.outputs,
        show_progress="minimal",
        show_progress_on=[c.runs],
    )
    answering = on_work(
        frame, c.work, [c.answer.click], answer, c.picks, c.outputs,
        doing=_("predicting missing documents"), done=_("missing documents predicted"), kept=True,
    )  # fmt: skip
    for event in (comparing, answering):
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
