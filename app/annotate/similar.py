"""The annotator's answers about sentences: labelled ones like the one on the screen, and key ones."""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect_right
from contextlib import AbstractContextManager

from app.annotate.widget.annotator import Reply
from app.services.labelled_sentences import Similar
from app.services.session import Session
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


class SimilarAnswers(ABC):
    """Answers the annotator from the store of the session behind the token. See `SimilarBackend`."""

    @abstractmethod
    def _session(self, token: str) -> AbstractContextManager[Session]:
        """The session of ``token`` for the block; every error in it becomes an `AnnotatorError`."""

    def similar(self, token: str, document: int, at: int) -> Reply:
        with self._session(token) as session:
            workspace = session.workspace
            own = working.annotator(workspace, document, session.user)
            stands = working.current(workspace, document, session.user).document
            start, end = sentence_at(stands.text, at)
            asked = stands.text[start : min(end, start + MOST_ASKED)]
            project_id = documents.project_of(workspace, document)
            index = session.workbench.labelled_sentences.at((project_id, session.user if own else None))
            place = {"start": start, "end": end}
            if not index.ready:
                return place | {"pending": True}
            found = index.find(asked, MOST_SIMILAR, but=document, split=str(stands.meta.get("split", "none")))
            known = set(labels.get(workspace, project_id).names)
            return place | {"rows": [_row(asked, row, known) for row in found], "pending": False}

    def key_sentences(self, token: str, document: int) -> Reply:
        with self._session(token) as session:
            text = working.current(session.workspace, document, session.user).document.text
            kept = session.memory.get(KEPT)
            if not isinstance(kept, tuple) or kept[0] != text:
                from core.retrieval.sentence_graph import key_sentences

                kept = (text, key_sentences(text))
                session.memory[KEPT] = kept
            return {
                "rows": [{"start": row.start, "end": row.end, "rank": round(row.rank, 2)} for row in kept[1]]
            }


def sentence_at(text: str, at: int) -> tuple[int, int]:
    """The sentence in which a character stands; the last one for a place behind the text."""
    starts = [start for start, _ in sentences(text)]
    if not starts:
        return 0, 0
    number = max(0, bisect_right(starts, at) - 1)
    return starts[number], starts[number + 1] if number + 1 < len(starts) else len(text)


def _row(asked: str, row: Similar, known: set[str]) -> Reply:
    return {
        "document": row.document,
        "name": row.name,
        "start": row.start,
        "text": row.text,
        "spans": [span_object(span) for span in row.spans if span.label in known],
        "shared": [list(place) for place in shared(bigrams(asked), bigrams(row.text))],
    }
