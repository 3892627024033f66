"""Windows over a long text, in the lengths a tagger is used to, and which of them decides about a span."""

from __future__ import annotations

import sys
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from core.runtime.message import ToldValueError
from core.text.document import Document
from core.text.segmentation import best_cut, sentence_groups, sentences
from core.text.span import Span
from core.text.tokens import cut_tokens, document_tokens, token_edges
from core.text.units import boundaries

# Characters a tagger reads at once. Attention grows with the square, and training sentences are shorter.
WINDOW = 400
# A window reads one part in so many beyond the cut on either side: neighbours overlap by 56 of 400
# characters, and no text costs more than 1.2 times its length.
CONTEXT_SHARE = 14
# Texts above this share of a window are as long as windows: they were cut into windows themselves.
NEAR = 0.75


@dataclass(frozen=True, slots=True)
class Window:
    """A part of a text that is read at once, ``text[start:end]``.

    Args:
        start, end: the text that is read. first, last: its core, without the context shared with the previous
            and the next window; cores tile the text.
        previous_end: where the window before it ends. next_start: where the one behind it starts.
    """

    start: int
    end: int
    first: int
    last: int
    previous_end: int = 0
    next_start: int = sys.maxsize

    def decides(self, span: Span) -> bool:
        """Whether this window decides about a span that it contains, given by offsets in the text.

        Of the windows that contain a span, the one in which it lies furthest from an edge decides, the
        earlier one in a tie. So exactly one window decides about a span that any window contains.
        """
        middle = span.start + span.end
        if span.end <= self.previous_end and middle <= self.previous_end + self.start:
            return False
        return not (span.start >= self.next_start and middle > self.next_start + self.end)

    def moved(self, by: int) -> Window:
        """The same window where its text begins at ``by``."""
        return Window(
            self.start + by,
            self.end + by,
            self.first + by,
            self.last + by,
            self.previous_end + by,
            min(sys.maxsize, self.next_start + by),
        )


def overlapping_windows(text: str, limit: int = WINDOW, edges: list[int] | None = None) -> list[Window]:
    """Windows of at most ``limit`` characters in order; together they read the whole text.

    The cut between two of them lies at the end of a sentence or clause if there is one nearby; both extend
    ``limit // CONTEXT_SHARE`` characters beyond it, less where that would cut a word. So a span of up to
    twice that length, less two words, is contained in the window that decides about it. An empty text has no
    window.

    Args:
        edges: the edges of its words, in order, ends included; None for those of `boundaries`.

    Raises:
        ValueError: ``limit`` is less than 1.
    """
    if limit < 1:
        raise ToldValueError("a window needs a limit of at least 1 character, got {limit}", limit=limit)
    if len(text) <= limit:
        return [Window(0, len(text), 0, len(text))] if text else []
    context = limit // CONTEXT_SHARE
    ends = [end for _, end in sentences(text)]
    edges = boundaries(text) if edges is None else edges
    cuts: list[int] = []
    start = first = 0
    while len(text) - start > limit:
        target = start + limit - context
        # Not much before the target: short windows would read the same context over and over.
        first = best_cut(text, max(first, target - max(2 * context, 1)), target, ends)
        cuts.append(first)
        start = _edge_from(edges, first - context, first)
    starts = [0, *(_edge_from(edges, cut - context, cut) for cut in cuts)]
    stops = [*(_edge_up_to(edges, cut, cut + context) for cut in cuts), len(text)]
    return [
        Window(start, stop, first, last, previous_end, next_start)
        for start, stop, first, last, previous_end, next_start in zip(
            starts,
            stops,
            [0, *cuts],
            [*cuts, len(text)],
            [0, *stops[:-1]],
            [*starts[1:], sys.maxsize],
            strict=True,
        )
    ]


def usual_length_of(header: Mapping[str, Any]) -> int | None:
    """The mean length of the texts that a tagger learned from, as the header of its folder says it.

    Raises:
        ValueError: what stands there is no length.
    """
    usual = header.get("usual_length")
    if usual is not None and (type(usual) is not int or usual < 1):
        raise ToldValueError("'usual_length' must be a positive number")
    return usual


def shortest(lengths: Sequence[int | None]) -> int | None:
    """The usual length of texts for several taggers that read the same windows; None if one's is unknown."""
    known = [length for length in lengths if length is not None]
    return min(known) if known and len(known) == len(lengths) else None


def reading_windows(
    text: str, limit: int = WINDOW, edges: list[int] | None = None, usual: int | None = None
) -> list[Window]:
    """Windows over a text for a tagger that learned from texts of about ``usual`` characters.

    A text of up to twice that length is read at once, a longer one in whole sentences, as many at a time as
    are usual: a tagger that has learned from sentences finds less when it reads twenty of them at once, and
    attention costs more (docs/results.md, "Long texts"). A sentence that is longer than ``limit`` is read in
    overlapping windows, and so is the text if the length of the tagger's texts is unknown or near ``limit``.

    Args:
        limit, edges: as for ``overlapping_windows``. usual: the mean length; None if it is unknown.

    Raises:
        ValueError: ``limit`` is less than 1.
    """
    if usual is None or usual > limit * NEAR:
        return overlapping_windows(text, limit, edges)
    found: list[Window] = []
    for start, end in sentence_groups(text, usual, limit, None if edges is None else frozenset(edges)):
        if end - start <= limit:
            found.append(Window(start, end, start, end, start, end))
            continue
        inside = edges and [
            edge - start for edge in edges[bisect_left(edges, start) : bisect_right(edges, end)]
        ]
        found += [window.moved(start) for window in overlapping_windows(text[start:end], limit, inside)]
    return found


def document_windows(document: Document, limit: int = WINDOW, usual: int | None = None) -> list[Window]:
    """``reading_windows`` of a document, which cut no token it came with unless one is longer than the
    context of windows that overlap."""
    return reading_windows(document.text, limit, token_edges(document), usual)


def in_windows(document: Document, windows: Iterable[Window]) -> list[Document]:
    """Windows of a document as documents, with its tokens and without spans."""
    tokens = document_tokens(document)
    return [
        Document(document.id, document.text[w.start : w.end], (), cut_tokens(tokens, w.start, w.end))
        for w in windows
    ]


def _edge_from(edges: list[int], low: int, high: int) -> int:
    """The first word boundary between ``low`` and ``high``, or ``low`` if there is none."""
    found = edges[bisect_left(edges, low)]
    return found if found <= high else low


def _edge_up_to(edges: list[int], low: int, high: int) -> int:
    """The last word boundary between ``low`` and ``high``, or ``high`` if there is none."""
    found = edges[bisect_right(edges, high) - 1]
    return found if found >= low else high


@dataclass
class WindowSpans:
    """Collects the spans of one text from those predicted in its windows.

    Args:
        nested: whether spans may overlap. If not, and two windows contradict each other across a cut, the
            earlier one wins.
    """

    nested: bool
    spans: list[Span] = field(default_factory=list)
    _reach: int = 0

    def add(self, window: Window, predicted: Iterable[Span]) -> list[Span]:
        """Add the spans of the next window, and return those kept with offsets in the text.

        Args:
            predicted: with offsets from the start of the window.
        """
        moved = (Span(s.start + window.start, s.end + window.start, s.label, s.score) for s in predicted)
        kept = [span for span in moved if window.decides(span)]
        if not self.nested:
            kept = [span for span in kept if span.start >= self._reach]
        self.spans += kept
        self._reach = max([self._reach, *(span.end for span in kept)])
        return kept
