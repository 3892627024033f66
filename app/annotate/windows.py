"""Server functions for long documents: lattice words of a stretch, and tagging part by part.

Tagging 100,000 characters takes many seconds. The page requests one part after the other, so that it can
show progress, draw spans as they come, and stop.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from app.annotate.suggestions import lattice_words, tagger_spans
from app.services import in_project
from app.services.rights import needs
from app.services.session import Session
from app.ui.payload import Count, Payload, Words
from app.ui.server_function import Reply
from app.ui.widgets.sentence import span_object
from core.store.label import labels
from core.store.run import predictions
from core.text import Document, Span
from core.text.overlap import WINDOW, Window, WindowSpans, in_windows, reading_windows
from core.text.segmentation import windows
from core.text.tokens import token_edges

PART = 2_000  # characters tagged per request: a second or two on a slow machine
MOST_WORD_CHARACTERS = 20_000  # per request for words: more than the page ever shows
MEMORY = "annotate tagging"


@dataclass
class _Begun:
    """An unfinished prediction: run, text, and how far it has been tagged."""

    document: int
    run: str
    text: str
    windows: WindowSpans
    until: int = 0


class Stretch(Payload):
    """A stretch of a document."""

    document: Count
    start: Count
    end: Count


class Part(Payload):
    """Where to go on tagging a document, and words to leave out of the tagger's lexicon for this request."""

    document: Count
    start: Count
    without: Words


@needs("annotate")
def list_words_between(session: Session, asked: Stretch) -> Reply:
    """Return ``words``, lattice words of a stretch as ``[start, end]``, whether the active tagger has
    ``read`` them, and ``until``, the end of the stretch."""
    start = asked.start
    text = in_project.without_spans(session, asked.document).text
    until = min(asked.end, len(text), start + MOST_WORD_CHARACTERS)
    words, read = [], False
    for left, right in windows(text[start:until], WINDOW):
        matched = lattice_words(session, text[start + left : start + right])
        words += [[start + left + head, start + left + tail] for head, tail in matched.places]
        read = matched.read
    return {"words": words, "read": read, "until": max(start, until)}


@needs("annotate")
def tag_from(session: Session, asked: Part) -> Reply:
    """Tag a part of the text: ``spans`` between ``from`` (at or before ``start``) and ``until``, and the
    text's ``length``.

    Called from 0 on, each time with the last ``until``, it stores the prediction when the text is complete
    and returns ``active_run``. To stop, call it no more: an unfinished prediction is not stored.
    """
    document, start, without = asked.document, asked.start, asked.without
    shown = in_project.without_spans(session, document)
    text = shown.text
    taggers, project = session.workbench.taggers, session.project_id
    run = taggers.run_of(project)
    parts = _part(_windows_of(text, _edges(shown), taggers.usual_length(project)), start)
    nested = taggers.allows_nested(project)
    fresh = _Begun(document, run, text, WindowSpans(nested))
    begun = None if without else _continued(session, fresh, start)
    spans = _tagged(session, shown, parts, without, (begun or fresh).windows)
    until = parts[-1].last if parts else len(text)
    label_names = set(labels.get(session.workspace, session.project_id).names)
    answer: Reply = {
        "spans": [span_object(span, "tagger") for span in spans if span.label in label_names],
        "from": parts[0].first if parts else start,
        "until": until,
        "length": len(text),
    }
    if begun is not None and _finished(session, begun, until):
        answer["active_run"] = {"name": run, "answered": True}
    return answer


FUNCTIONS = (list_words_between, tag_from)


@lru_cache(maxsize=2)
def _windows_of(text: str, edges: tuple[int, ...] | None, usual: int | None) -> list[Window]:
    """As `document_windows`, which reads the whole text: of a long one hundreds of parts are asked for."""
    return reading_windows(text, edges=None if edges is None else list(edges), usual=usual)


def _part(found: Sequence[Window], start: int) -> list[Window]:
    """The windows of one request from ``start`` on."""
    first = bisect_right(found, start, key=lambda window: window.last)
    if first == len(found):
        return []
    last = bisect_left(found, found[first].first + PART, first, key=lambda window: window.last)
    return list(found[first : last + 1])


def _edges(document: Document) -> tuple[int, ...] | None:
    edges = token_edges(document)
    return None if edges is None else tuple(edges)


def _tagged(
    session: Session, shown: Document, parts: Sequence[Window], without: Sequence[str], into: WindowSpans
) -> list[Span]:
    """Tag windows of a document and add their spans, at offsets in the text, to ``into``."""
    documents = in_windows(shown, parts)
    if without:
        window_spans = [tagger_spans(session, document, without)[0] for document in documents]
    else:
        tagged = session.workbench.taggers.tag(session.project_id, documents)
        window_spans = [list(document.spans) for document in tagged]
    return [
        span for window, spans in zip(parts, window_spans, strict=True) for span in into.add(window, spans)
    ]


def _continued(session: Session, asked: _Begun, start: int) -> _Begun | None:
    """The prediction continued by a part from ``start``; a new one at the beginning of a text.

    None for a part out of order, or of another text or run than the parts before.
    """
    if start == 0:
        return asked
    begun = session.memory.pop(MEMORY, None)
    if not isinstance(begun, _Begun):
        return None
    before = (begun.document, begun.run, begun.text, begun.until)
    return begun if before == (asked.document, asked.run, asked.text, start) else None


def _finished(session: Session, begun: _Begun, until: int) -> bool:
    """Remember an unfinished prediction, store a complete one.

    It is stored so that edits against it count as corrections of this run.
    """
    begun.until = until
    if until < len(begun.text):
        session.memory[MEMORY] = begun
        return False
    session.memory.pop(MEMORY, None)
    predictions.put_one(session.workspace, begun.run, begun.document, begun.windows.spans)
    return True
