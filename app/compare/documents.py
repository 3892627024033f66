"""The documents on which two runs differ: spans of every run and gold, one below the other, in pages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import gradio as gr

from app.compare.reading import Comparison, Disagreement, base_first, in_view
from app.i18n import _
from app.services import in_project
from app.services.errors import AppError
from app.services.session import Session
from app.ui.code_span import code_span
from app.ui.frame import Frame
from app.ui.runs.changed_documents import document_rows
from app.ui.widgets.sentence import sentence_view, sentences_value
from app.ui.widgets.shifting_choice import ShiftingDropdown, ShiftingRadio
from app.ui.window.navigation import open_document
from core.store.label import labels
from core.store.run import predicted
from core.store.run.predicted import ComparedDocument

FILTER_NAMES = {
    "any": _("any disagreement"),
    "base_right": _("base right, other wrong"),
    "other_right": _("base wrong, other right"),
    "both_wrong": _("both wrong, differently"),
    "no_gold": _("no gold"),
}

PAGE = 20
ANY = "any"
FILTERS = ("any", "base_right", "other_right", "both_wrong", "no_gold")
EXCERPT = 40
CHOSEN = "compare-chosen"


@dataclass(frozen=True)
class Chosen:
    """Documents selected in a table or a figure, and a description of them."""

    what: str
    ids: tuple[int, ...]


@dataclass
class DocumentsView:
    """The filters, the sentences, the selected document."""

    filter: gr.Radio
    label: gr.Dropdown
    chosen: gr.Row
    what: gr.Markdown
    everything: gr.Button
    none_fits: gr.Markdown
    rows: gr.HTML
    previous: gr.Button
    range: gr.Markdown
    next: gr.Button
    offset: gr.State
    document: gr.Dropdown
    open: gr.Button
    traces: gr.Button

    @property
    def filters(self) -> list[Any]:
        return [self.filter, self.label]

    @property
    def listed(self) -> list[Any]:
        """The outputs of ``show_rows``."""
        return [
            self.chosen, self.what, self.none_fits, self.rows, self.previous, self.range, self.next,
            self.offset, self.document,
        ]  # fmt: skip

    @property
    def outputs(self) -> list[Any]:
        """The outputs of ``draw``."""
        return [*self.filters, *self.listed]


def layout(frame: Frame) -> DocumentsView:
    """Build the section."""
    texts = frame.texts
    texts.bind(
        gr.Markdown(elem_classes="ll-section", elem_id="compare-documents"),
        value=_("Documents where they disagree"),
    )
    texts.hint(
        _(
            "Dashed: prediction; solid: gold; a run is right on a document when its spans equal the "
            "gold spans; click a sentence to choose its document."
        )
    )
    with gr.Row(equal_height=True):
        filter_ = texts.bind(ShiftingRadio(elem_id="compare-filter", scale=4), label=_("Show"))
        label = texts.bind(
            ShiftingDropdown(elem_id="compare-label", scale=1, min_width=160), label=_("Label that changed")
        )
    with gr.Row(visible=False, elem_classes="ll-buttons", equal_height=True) as chosen:
        what = gr.Markdown(elem_id="compare-chosen")
        everything = texts.button(_("Show all"), size="sm", elem_id="compare-all")
    nothing = texts.bind(
        gr.Markdown(visible=False, elem_classes="ll-empty", elem_id="compare-none"),
        value=_("No matching documents. Choose another filter, or more splits above."),
    )
    rows = sentence_view(elem_id="compare-rows")
    with gr.Row(elem_classes="ll-buttons", equal_height=True):
        previous = texts.button(_("Previous"), size="sm", elem_id="compare-previous")
        range_text = gr.Markdown(elem_id="compare-range")
        next_button = texts.button(_("Next"), size="sm", elem_id="compare-next")
    with gr.Row(equal_height=True, elem_classes="compare-hand"):
        document = texts.bind(
            gr.Dropdown([], elem_id="compare-document", scale=3), label=_("Document of this page")
        )
        open_button = texts.button(_("Open in Annotate"), elem_id="compare-open", scale=1, min_width=140)
        traces = texts.button(
            _("Both traces side by side"),
            variant="primary",
            elem_id="compare-traces-button",
            scale=1,
            min_width=140,
        )
    return DocumentsView(
        filter_, label, chosen, what, everything, nothing, rows, previous, range_text, next_button,
        gr.State(0), document, open_button, traces,
    )  # fmt: skip


def draw(
    session: Session, comparison: Comparison, filter_: str | None = None, label: str | None = None
) -> dict[str, Any]:
    """Show the documents of a comparison that fit the filters."""
    session.memory.pop(CHOSEN, None)
    counts = {name: len(passing(comparison.documents, name, ANY)) for name in FILTERS}
    named = [
        (session._("{name} ({count})", name=session._(FILTER_NAMES[name]), count=f"{count:,}"), name)
        for name, count in counts.items()
    ]
    filter_ = filter_ if filter_ in FILTERS else ANY
    touched = sorted({label for document in comparison.documents for label in document.labels})
    label = label if label in touched else ANY
    return {
        "filter": gr.update(choices=named, value=filter_),
        "label": gr.update(
            choices=[(session._("any"), ANY), *zip(touched, touched, strict=True)], value=label
        ),
        **show_rows(session, filter_, label, 0),
    }


def passing(disagreements: Sequence[Disagreement], filter_: str, label: str | None) -> list[int]:
    """The documents with one outcome (``any``: all) and changed spans of one label."""
    return [
        disagreement.document_id
        for disagreement in disagreements
        if filter_ in (ANY, disagreement.outcome) and (label in (None, ANY) or label in disagreement.labels)
    ]


def show_rows(session: Session, filter_: str, label: str | None, offset: int) -> dict[str, Any]:
    """Show a page of the list."""
    comparison, chosen = in_view(session), session.memory.get(CHOSEN)
    if comparison is None:
        return {}
    picked = chosen if isinstance(chosen, Chosen) else None
    ids = list(picked.ids) if picked else passing(comparison.documents, filter_, label)
    offset = max(0, min(offset, (len(ids) - 1) // PAGE * PAGE))
    asked = ids[offset : offset + PAGE]
    page = list(
        predicted.compared_documents(session.workspace, session.project_id, comparison.runs, ids=asked)
    )
    label_set = labels.get(session.workspace, session.project_id)
    names = base_first(session, comparison.runs)
    last = min(offset + PAGE, len(ids))
    return {
        "chosen": gr.update(visible=picked is not None),
        "what": session._("Only: {what}", what=code_span(picked.what)) if picked else "",
        "none_fits": gr.update(visible=not ids),
        "rows": sentences_value(
            [
                row
                for document in page
                for row in document_rows(session, document, names, comparison.runs.index(comparison.other))
            ],
            label_set,
        ),
        "previous": gr.update(interactive=offset > 0),
        "range": session._("{first}–{last} of {total}", first=offset + 1, last=last, total=len(ids))
        if ids
        else "",
        "next": gr.update(interactive=last < len(ids)),
        "offset": offset,
        "document": gr.update(
            choices=[(_choice(document), document.document_id) for document in page], value=None
        ),
    }


def first_rows(session: Session, filter_: str, label: str | None) -> dict[str, Any]:
    """Show the first page for new filters; clear a selection made elsewhere."""
    session.memory.pop(CHOSEN, None)
    return show_rows(session, filter_, label, 0)


def step_back(session: Session, filter_: str, label: str | None, offset: int) -> dict[str, Any]:
    """Show the previous page."""
    return show_rows(session, filter_, label, offset - PAGE)


def step_on(session: Session, filter_: str, label: str | None, offset: int) -> dict[str, Any]:
    """Show the next page."""
    return show_rows(session, filter_, label, offset + PAGE)


def show_chosen(session: Session, chosen: Chosen | None, filter_: str, label: str | None) -> dict[str, Any]:
    """Show the documents selected in a table or figure; without a selection keep the list."""
    if chosen is None:
        return {}
    session.memory[CHOSEN] = chosen
    return show_rows(session, filter_, label, 0)


def take(session: Session, event: gr.SelectData) -> Any:
    """Select the clicked sentence's document."""
    picked = event.value.get("id") if isinstance(event.value, dict) else None
    if not isinstance(picked, str) or not picked.isdecimal():
        return gr.skip()
    in_project.check_document(session, int(picked))
    return int(picked)


def open_in_annotate(session: Session, document: int | None) -> dict[str, Any]:
    """Open the document on the Annotate page."""
    open_document(session, in_hand(session, document))
    return gr.update(selected="annotate")


def in_hand(session: Session, document: int | None) -> int:
    """The selected document.

    Raises:
        AppError: none is selected. NotFound: it no longer exists.
    """
    if document is None:
        raise AppError("Choose a document of the list first.")
    in_project.check_document(session, document)
    return document


def _choice(document: ComparedDocument) -> str:
    line = " ".join(document.document.text.split())
    return f"{document.document.id} · {line if len(line) <= EXCERPT else line[:EXCERPT] + '…'}"


def wire(view: DocumentsView, frame: Frame) -> None:
    """Connect the section's events; the traces are wired by the page."""
    c = view
    frame.on([c.filter.input, c.label.input], first_rows, c.filters, c.listed)
    frame.on([c.everything.click], first_rows, c.filters, c.listed)
    frame.on([c.previous.click], step_back, [*c.filters, c.offset], c.listed)
    frame.on([c.next.click], step_on, [*c.filters, c.offset], c.listed)
    frame.on(c.rows.select, take, [], [c.document])
    frame.on([c.open.click], open_in_annotate, [c.document], [frame.tabs])
