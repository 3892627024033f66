"""The annotator's answers about a part of a long document: its lattice words, and the tagger part by part.

A text of 100,000 characters takes the tagger many seconds: the page asks for one part after the other, so
that it shows how far it is, draws what is found, and can stop.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any

from app.annotate.suggestions import lattice_words, tagger_spans
from app.annotate.widget.annotator import Reply
from app.services.serving import PIECE
from app.services.session import Session
from app.ui.widgets.sentence import span_object
from core.store.annotation import working
from core.store.label import labels
from core.store.run import predictions
from core.text import Document, Span
from core.text.segmentation import windows

PIECES = 5  # of one answer: a second or two on a slow machine
MOST_WORD_CHARACTERS = 20_000  # of one question for words: more than any window shows
MEMORY = "annotate tagging"


@dataclass
class _Begun:
    """A prediction that is being put together: whose, of which text, and up to where it is known."""

    document: int
    run: str
    text: str
    until: int = 0
    spans: list[Span] = field(default_factory=list)


class WindowAnswers(ABC):
    """Answers the annotator from the store of the session behind the token. See `WindowBackend`."""

    @abstractmethod
    def _session(self, token: str) -> AbstractContextManager[Session]:
        """The session of ``token`` for the block; every error in it becomes an `AnnotatorError`."""

    def words_between(self, token: str, document: int, start: int, end: int) -> Reply:
        with self._session(token) as session:
            text = working.current(session.workspace, document, session.user).document.text
            until = min(end, len(text), start + MOST_WORD_CHARACTERS)
            words = []
            for left, right in windows(text[start:until], PIECE):
                found = lattice_words(session, text[start + left : start + right])
                words += [[start + left + head, start + left + tail] for head, tail in found]
            return {"words": words, "until": max(start, until)}

    def tag_from(self, token: str, document: int, start: int, without: tuple[str, ...]) -> Reply:
        with self._session(token) as session:
            text = working.current(session.workspace, document, session.user).document.text
            run = session.workbench.serving.run_of(session.project_id)
            pieces = [piece for piece in windows(text, PIECE) if piece[1] > start][:PIECES]
            spans = _tagged(session, text, pieces, without)
            until = pieces[-1][1] if pieces else len(text)
            known = set(labels.get(session.workspace, session.project_id).names)
            answer: dict[str, Any] = {
                "spans": [span_object(span, "tagger") for span in spans if span.label in known],
                "from": pieces[0][0] if pieces else start,
                "until": until,
                "length": len(text),
            }
            if not without and _finished(session, _Begun(document, run, text), start, until, spans):
                answer["serving"] = {"name": run, "answered": True}
            return answer


def _tagged(
    session: Session, text: str, pieces: Sequence[tuple[int, int]], without: Sequence[str]
) -> list[Span]:
    """The serving tagger's spans in pieces of a text, at their places in the text."""
    documents = [Document(str(left), text[left:right]) for left, right in pieces]
    if without:
        found = [tagger_spans(session, document, without)[0] for document in documents]
    else:
        answers = session.workbench.serving.tag(session.project_id, documents)
        found = [list(answer.spans) for answer in answers]
    return [
        Span(span.start + left, span.end + left, span.label, span.score)
        for (left, _), spans in zip(pieces, found, strict=True)
        for span in spans
    ]


def _finished(session: Session, asked: _Begun, start: int, until: int, spans: Sequence[Span]) -> bool:
    """Add a part to the prediction this session is putting together; store it once it is whole.

    Stored, so that what the person says against it can be told as a correction of this run. A part out of
    turn, or of another text or run than the parts before, makes no prediction.
    """
    begun = session.memory.get(MEMORY)
    if start == 0:
        begun = asked
    if not isinstance(begun, _Begun) or (begun.document, begun.run, begun.text, begun.until) != (
        asked.document, asked.run, asked.text, start,
    ):  # fmt: skip
        session.memory.pop(MEMORY, None)
        return False
    begun.spans += spans
    begun.until = until
    session.memory[MEMORY] = begun
    if until < len(asked.text):
        return False
    del session.memory[MEMORY]
    predictions.put_one(session.workspace, asked.run, asked.document, begun.spans)
    return True
