"""Server functions for sentences: similar labelled sentences, and key sentences of a document."""

from __future__ import annotations

from app.services import in_project
from app.services.indexes.similar_sentences import similar_in_document
from app.services.rights import needs
from app.services.session import Session
from app.ui.payload import Count, OneDocument, Payload
from app.ui.server_function import Reply
from app.ui.widgets.similar_sentences import similar_rows
from core.store.document import documents
from core.store.label import labels

KEPT = "annotate key sentences"


class Place(Payload):
    """A character of a document."""

    document: Count
    at: Count


@needs("annotate")
def find_similar(session: Session, asked: Place) -> Reply:
    """Labelled sentences similar to the one at a character: ``rows``, see `similar_rows`; ``start`` and
    ``end`` of that one. ``pending`` instead of rows: the index is being built; ask again."""
    found = similar_in_document(session, asked.document, asked.at)
    place: Reply = {"start": found.start, "end": found.end, "pending": found.rows is None}
    if found.rows is None:
        return place
    label_set = labels.get(session.workspace, documents.project_of(session.workspace, asked.document))
    return place | {"rows": similar_rows(found, label_set)}


@needs("annotate")
def list_key_sentences(session: Session, asked: OneDocument) -> Reply:
    """Return ``rows``, highest rank first: ``start``, ``end``, ``rank``; empty for short texts."""
    text = in_project.without_spans(session, asked.document).text
    kept = session.memory.get(KEPT)
    if not isinstance(kept, tuple) or kept[0] != text:
        from core.retrieval.sentence_graph import key_sentences

        kept = (text, key_sentences(text))
        session.memory[KEPT] = kept
    return {"rows": [{"start": row.start, "end": row.end, "rank": round(row.rank, 2)} for row in kept[1]]}


FUNCTIONS = (find_similar, list_key_sentences)
