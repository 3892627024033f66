"""Labelled sentences similar to the one at a character of a text, as far as the person may see them."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass

from app.services import rights
from app.services.indexes.labelled_sentences import Similar
from app.services.session import Session
from core.store.annotation import working
from core.store.document import documents
from core.text.segmentation import sentences

MOST_SIMILAR = 5
MOST_ASKED = 2_000  # characters of the sentence that are compared
NO_DOCUMENT = -1


@dataclass(frozen=True, slots=True)
class SimilarSentences:
    """Args:
    start, end: of the sentence in question. sentence: what of it is compared.
    rows: the most similar first; None while the index is being built.
    """

    start: int
    end: int
    sentence: str
    rows: tuple[Similar, ...] | None


def similar_in_document(
    session: Session, document: int, at: int, most: int = MOST_SIMILAR
) -> SimilarSentences:
    """Those similar to the sentence at a character of a document, in the person's version of it.

    In projects with individual versions, of the person's own finished versions only.

    Raises:
        NotAllowed: the person may not see the document. NotFound: no such document.
    """
    workspace = session.workspace
    annotator = working.annotator(workspace, document, session.user)
    current = working.without_spans(workspace, document, session.user)
    key = documents.project_of(workspace, document), session.user if annotator else None
    split = str(current.meta.get("split", "none"))
    return _found(session, key, current.text, at, most, but=document, split=split)


def similar_in_text(session: Session, text: str, at: int, most: int = MOST_SIMILAR) -> SimilarSentences:
    """Those of the session's project similar to the sentence at a character of any text.

    Raises:
        NotAllowed: the person may not see the project's documents.
    """
    rights.check(session, "see_documents")
    return _found(session, (session.project_id, None), text, at, most, but=NO_DOCUMENT, split="none")


def sentence_at(text: str, at: int) -> tuple[int, int]:
    """The sentence that contains a character; the last one for a position after the text."""
    starts = [start for start, _ in sentences(text)]
    if not starts:
        return 0, 0
    number = max(0, bisect_right(starts, at) - 1)
    return starts[number], starts[number + 1] if number + 1 < len(starts) else len(text)


def _found(
    session: Session, key: tuple[int, str | None], text: str, at: int, most: int, *, but: int, split: str
) -> SimilarSentences:
    start, end = sentence_at(text, at)
    sentence = text[start : min(end, start + MOST_ASKED)]
    index = session.workbench.labelled_sentences.at(key)
    rows = tuple(index.find(sentence, most, but=but, split=split)) if index.ready else None
    return SimilarSentences(start, end, sentence, rows)
