"""Server functions for sentences: similar labelled sentences, and key sentences of a document."""

from __future__ import annotations

from bisect import bisect_right

from app.services.labelled_sentences import Similar
from app.services.rights import needs
from app.services.session import Session
from app.ui.payload import Count, OneDocument, Payload
from app.ui.server_function import Reply
from app.ui.widgets.sentence import span_object
from core.retrieval import bigrams
from core.retrieval.terms import shared
from core.store.annotation import working
from core.store.document import documents
from core.store.label import labels
from core.text.segmentation import sentences

MOST_SIMILAR = 5
MOST_ASKED = 2_000  # characters of the sentence that are compared
KEPT = "annotate key sentences"


class Place(Payload):
    """A character of a document."""

    document: Count
    at: Count


@needs("annotate")
def find_similar(session: Session, asked: Place) -> Reply:
    """Labelled sentences similar to the one at a character: ``rows``; ``start`` and ``end`` of that one.

    A row has ``document``, ``name``, ``start`` (of the sentence there), ``text``, ``spans``, ``shared`` (both
    counted from its beginning). ``pending`` instead of rows: the index is being built; ask again.
    """
    workspace = session.workspace
    annotator = working.annotator(workspace, asked.document, session.user)
    current = working.current(workspace, asked.document, session.user).document
    start, end = sentence_at(current.text, asked.at)
    sentence = current.text[start : min(end, start + MOST_ASKED)]
    project_id = documents.project_of(workspace, asked.document)
    index = session.workbench.labelled_sentences.at((project_id, session.user if annotator else None))
    place = {"start": start, "end": end}
    if not index.ready:
        return place | {"pending": True}
    similar = index.find(
        sentence, MOST_SIMILAR, but=asked.document, split=str(current.meta.get("split", "none"))
    )
    label_names = set(labels.get(workspace, project_id).names)
    return place | {"rows": [_row(sentence, row, label_names) for row in similar], "pending": False}


@needs("annotate")
def list_key_sentences(session: Session, asked: OneDocument) -> Reply:
    """Return ``rows``, highest rank first: ``start``, ``end``, ``rank``; empty for short texts."""
    text = working.current(session.workspace, asked.document, session.user).document.text
    kept = session.memory.get(KEPT)
    if not isinstance(kept, tuple) or kept[0] != text:
        from core.retrieval.sentence_graph import key_sentences

        kept = (text, key_sentences(text))
        session.memory[KEPT] = kept
    return {"rows": [{"start": row.start, "end": row.end, "rank": round(row.rank, 2)} for row in kept[1]]}


FUNCTIONS = (find_similar, list_key_sentences)


def sentence_at(text: str, at: int) -> tuple[int, int]:
    """The sentence that contains a character; the last one for a position after the text."""
    starts = [start for start, _ in sentences(text)]
    if not starts:
        return 0, 0
    number = max(0, bisect_right(starts, at) - 1)
    return starts[number], starts[number + 1] if number + 1 < len(starts) else len(text)


def _row(asked: str, row: Similar, label_names: set[str]) -> Reply:
    return {
        "document": row.document,
        "name": row.name,
        "start": row.start,
        "text": row.text,
        "spans": [span_object(span) for span in row.spans if span.label in label_names],
        "shared": [list(place) for place in shared(bigrams(asked), bigrams(row.text))],
    }
