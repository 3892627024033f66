"""The annotator's answers about a part of a long document: its lattice words, and the tagger part by part.

A text of 100,000 characters takes the tagger many seconds: the page asks for one part after the other, so
that it shows how far it is, draws what is found, and can stop.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

from app.annotate.suggestions import lattice_words, tagger_spans
from app.annotate.widget.annotator import Reply
from app.services.session import Session
from app.ui.widgets.sentence import span_object
from core.store.annotation import working
from core.store.label import labels
from core.store.run import predictions
from core.text import Document, Span
from core.text.overlap import WINDOW, Window, WindowSpans, overlapping_windows
from core.text.segmentation import windows

WINDOWS = 5  # of one answer: a second or two on a slow machine
MOST_WORD_CHARACTERS = 20_000  # of one question for words: more than any window shows
MEMORY = "annotate tagging"


@dataclass
class _Begun:
    """A prediction that is being put together: whose, of which text, and up to where it is known."""

    document: int
    run: str
    text: str
    found: WindowSpans
    until: int = 0


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
            for left, right in windows(text[start:until], WINDOW):
                found = lattice_words(session, text[start + left : start + right])
                words += [[start + left + head, start + left + tail] for head, tail in found]
            return {"words": words, "until": max(start, until)}

    def tag_from(self, token: str, document: int, start: int, without: tuple[str, ...]) -> Reply:
        with self._session(token) as session:
            text = working.current(session.workspace, document, session.user).document.text
            run = session.workbench.serving.run_of(session.project_id)
            parts = [window for window in overlapping_windows(text) if window.last > start][:WINDOWS]
            nested = session.workbench.serving.allows_nested(session.project_id)
            asked = _Begun(document, run, text, WindowSpans(nested))
            begun = None if without else _continued(session, asked, start)
            spans = _tagged(session, text, parts, without, (begun or asked).found)
            until = parts[-1].last if parts else len(text)
            known = set(labels.get(session.workspace, session.project_id).names)
            answer: dict[str, Any] = {
                "spans": [span_object(span, "tagger") for span in spans if span.label in known],
                "from": parts[0].first if parts else start,
                "until": until,
                "length": len(text),
            }
            if begun is not None and _finished(session, begun, until):
                answer["serving"] = {"name": run, "answered": True}
            return answer


def _tagged(
    session: Session, text: str, parts: Sequence[Window], without: Sequence[str], into: WindowSpans
) -> list[Span]:
    """The serving tagger's spans in windows of a text, at their offsets in the text; added to ``into``."""
    documents = [Document(str(window.start), text[window.start : window.end]) for window in parts]
    if without:
        found = [tagger_spans(session, document, without)[0] for document in documents]
    else:
        tagged = session.workbench.serving.tag(session.project_id, documents)
        found = [list(document.spans) for document in tagged]
    return [span for window, spans in zip(parts, found, strict=True) for span in into.add(window, spans)]


def _continued(session: Session, asked: _Begun, start: int) -> _Begun | None:
    """The prediction that a part from ``start`` continues, a new one at the beginning of a text.

    None for a part out of turn, or of another text or run than the parts before: it makes no prediction.
    """
    if start == 0:
        return asked
    begun = session.memory.pop(MEMORY, None)
    if not isinstance(begun, _Begun):
        return None
    before = (begun.document, begun.run, begun.text, begun.until)
    return begun if before == (asked.document, asked.run, asked.text, start) else None


def _finished(session: Session, begun: _Begun, until: int) -> bool:
    """Remember how far a prediction is, or store it once it is whole.

    Stored, so that what the person says against it can be told as a correction of this run.
    """
    begun.until = until
    if until < len(begun.text):
        session.memory[MEMORY] = begun
        return False
    session.memory.pop(MEMORY, None)
    predictions.put_one(session.workspace, begun.run, begun.document, begun.found.spans)
    return True
