"""The annotator's questions about a part of a long document: its lattice words, and the tagger part by part.

A text of 100,000 characters takes the tagger many seconds: the page asks for one part after the other, so
that it shows how far it is, draws what is found, and can stop.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from app.annotate.suggestions import lattice_words, tagger_spans
from app.services.rights import needs
from app.services.session import Session
from app.ui.payload import Count, Payload, Words
from app.ui.server_function import Reply
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


class Stretch(Payload):
    """A stretch of a document."""

    document: Count
    start: Count
    end: Count


class Part(Payload):
    """From where on to tag a document, and the words to take out of the tagger's lexicon for this once."""

    document: Count
    start: Count
    without: Words


@needs("annotate")
def list_words_between(session: Session, asked: Stretch) -> Reply:
    """``words``: lattice words of a stretch as ``[start, end]``; ``until`` where they were read."""
    start = asked.start
    text = working.current(session.workspace, asked.document, session.user).document.text
    until = min(asked.end, len(text), start + MOST_WORD_CHARACTERS)
    words = []
    for left, right in windows(text[start:until], WINDOW):
        found = lattice_words(session, text[start + left : start + right])
        words += [[start + left + head, start + left + tail] for head, tail in found]
    return {"words": words, "until": max(start, until)}


@needs("annotate")
def tag_from(session: Session, asked: Part) -> Reply:
    """``spans`` of the tagger in a part of the text: from ``from``, at or before ``start``, to ``until``; and
    the ``length`` of the text.

    Asked from 0 on, each time with the last ``until``, it keeps the whole prediction in the end and tells
    ``serving``. Stopping needs no call: a prediction that was not finished is not kept.
    """
    document, start, without = asked.document, asked.start, asked.without
    text = working.current(session.workspace, document, session.user).document.text
    run = session.workbench.serving.run_of(session.project_id)
    parts = [window for window in overlapping_windows(text) if window.last > start][:WINDOWS]
    nested = session.workbench.serving.allows_nested(session.project_id)
    fresh = _Begun(document, run, text, WindowSpans(nested))
    begun = None if without else _continued(session, fresh, start)
    spans = _tagged(session, text, parts, without, (begun or fresh).found)
    until = parts[-1].last if parts else len(text)
    known = set(labels.get(session.workspace, session.project_id).names)
    answer: Reply = {
        "spans": [span_object(span, "tagger") for span in spans if span.label in known],
        "from": parts[0].first if parts else start,
        "until": until,
        "length": len(text),
    }
    if begun is not None and _finished(session, begun, until):
        answer["serving"] = {"name": run, "answered": True}
    return answer


FUNCTIONS = (list_words_between, tag_from)


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
