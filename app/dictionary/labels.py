"""The Labels tab: distant labels by maximum matching, previewed, stored as a batch, undone as a whole."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import gradio as gr
from pydantic import Field

from app.dictionary import distant_labelling
from app.dictionary.distant_labelling import Choice, Example, Preview
from app.dictionary.panel import go_to, place_object, task_object
from app.dictionary.widgets.dictionary_bench import dictionary_bench
from app.i18n import _
from app.services.rights import may, needs
from app.services.session import Session
from app.ui.frame import Frame
from app.ui.payload import Count, CountOrNone, Payload, Text
from app.ui.server_function import Reply
from core.learning.distant import Ambiguous
from core.lexicon.maximum_matching import Direction
from core.store.document import documents, raw_documents
from core.store.label import labels
from core.store.project import journal
from core.store.suggest import distant
from core.store.suggest.distant import DistantBatch, Mode
from core.text import SpanKey

NAME = "labels"
RIGHT = "import"  # it labels many documents at once, as an import does
LISTED = 20
EXCERPT = 240  # characters of an example


@dataclass
class LabelsComponents:
    """A widget with its own server functions."""

    bench: gr.HTML


def layout(frame: Frame) -> LabelsComponents:
    """Build the tab."""
    frame.texts.hint(
        _(
            "Label raw documents with the words of the dictionary. Documents that anybody has worked "
            "on are left alone, every label keeps its source, and a whole batch can be undone."
        )
    )
    functions = [
        frame.server(fn)
        for fn in (labels_state, labels_preview, labels_apply, labels_stop, labels_take_back, labels_show)
    ]
    return LabelsComponents(dictionary_bench(NAME, functions, elem_id="dictionary-labels"))


def wire(components: LabelsComponents, frame: Frame) -> None:
    """Connect the tab's events; the widget calls its server functions itself."""
    frame.on(components.bench.open, go_to, [], [frame.tabs])


class Chosen(Payload):
    """How to match words, what to do where one has several types, and the types to label."""

    direction: Direction
    ambiguous: Ambiguous
    types: Annotated[list[Text], Field(max_length=1_000)]

    @property
    def choice(self) -> Choice:
        return Choice(self.direction, self.ambiguous, frozenset(self.types))


class Labelling(Chosen):
    """The same, and where the labels go."""

    mode: Mode


class OneBatch(Payload):
    """The number of a batch."""

    batch: Count


class BatchPage(OneBatch):
    """Its documents from row ``offset`` on."""

    offset: CountOrNone = 0


@needs("see_documents")
def labels_state(session: Session) -> Reply:
    """The documents and types to label with, the preview if there is one, and all batches."""
    workspace, project_id = session.workspace, session.project_id
    label_set = labels.get(workspace, project_id)
    preview = distant_labelling.last_preview(session)
    batch = distant_labelling.last_batch(session)
    return {
        **place_object(session),
        "work": task_object(session, distant_labelling.LABELLING),
        "raw": raw_documents.count(workspace, project_id),
        "documents": documents.count(workspace, project_id)["all"],
        "types": [
            [name, words, name in label_set] for name, words in distant_labelling.types_of(session).items()
        ],
        "colours": {label.name: label.colour for label in label_set},
        "may_change": may(session, RIGHT),
        "preview": preview and _preview(preview),
        "made": batch and batch.id,
        "batches": [_batch(item) for item in distant.batches(workspace, project_id) if item.documents],
    }


@needs("see_documents")
def labels_preview(session: Session, asked: Chosen) -> Reply:
    """Start the preview of a labelling."""
    distant_labelling.preview(session, asked.choice)
    return labels_state(session)


@needs(RIGHT)
def labels_apply(session: Session, asked: Labelling) -> Reply:
    """Begin to label."""
    distant_labelling.label(session, asked.choice, asked.mode)
    return labels_state(session)


@needs("see_documents")
def labels_stop(session: Session) -> Reply:
    """Stop the work; a stopped labelling writes nothing."""
    distant_labelling.LABELLING.stop(session)
    return labels_state(session)


@needs(RIGHT)
def labels_take_back(session: Session, asked: OneBatch) -> Reply:
    """Undo a batch."""
    taken = journal.undo(
        session.workspace, session.project_id, asked.batch, user=session.user, kinds=[distant.ACTION]
    )
    return labels_state(session) | {"taken": taken}


@needs("see_documents")
def labels_show(session: Session, asked: BatchPage) -> Reply:
    """A page of a batch's documents, with those of its labels that remain or are still suggested."""
    workspace = session.workspace
    batch, offset = asked.batch, asked.offset
    stored = distant.get(workspace, session.project_id, batch)
    numbers = distant.documents_of(workspace, session.project_id, batch, offset, LISTED)
    rows = []
    for number in numbers:
        document = documents.get(workspace, number)
        stand = [key for key, source in distant.sources(workspace, number).items() if source[0] == batch]
        rows.append(
            {
                "document": number,
                "name": document.id,
                "text": document.text[:EXCERPT],
                "marks": [_mark(key) for key in stand if key[1] <= EXCERPT],
                "spans": len(stand),
            }
        )
    return {"rows": rows, "total": stored.documents, "batch": batch, "offset": offset}


def _preview(preview: Preview) -> dict[str, Any]:
    return {
        "raw": preview.raw, "documents": preview.documents, "spans": preview.spans,
        "skipped": preview.skipped, "by_label": list(preview.by_label.items()),
        "examples": [_example(example) for example in preview.examples],
        "direction": preview.choice.direction, "ambiguous": preview.choice.ambiguous,
        "types": sorted(preview.choice.types),
    }  # fmt: skip


def _example(example: Example) -> dict[str, Any]:
    document = example.document
    marks = [_mark(span.key) for span in document.spans if span.end <= EXCERPT]
    return {"document": example.number, "name": document.id, "text": document.text[:EXCERPT], "marks": marks}


def _mark(key: SpanKey) -> dict[str, Any]:
    return {"start": key[0], "end": key[1], "label": key[2], "source": "dictionary"}


def _batch(batch: DistantBatch) -> dict[str, Any]:
    return {
        "id": batch.id, "version": batch.version, "direction": batch.direction, "mode": batch.mode,
        "user": batch.user, "at": batch.at, "documents": batch.documents, "spans": batch.spans,
        "undone": batch.undone, "labeller": batch.labeller,
    }  # fmt: skip
