"""Overlapping windows over a long text, and which window decides about a span."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from core.text.message import ToldValueError
from core.text.segmentation import best_cut, sentences
from core.text.span import Span

# Characters a tagger reads at once. Attention grows with the square, and training sentences are shorter.
WINDOW = 400
# A window reads one part in so many beyond the cut on either side: neighbours overlap by 56 of 400
# characters, and no text costs more than 1.2 times its length.
CONTEXT_SHARE = 14


@dataclass(frozen=True, slots=True)
class Window:
    """A part of a text that is read at once, ``text[start:end]``.

    Args:
        start, end: the text that is read. first, last: its core, without the context shared with the previous
            and the next window; cores tile the text.
    """

    start: int
    end: int
    first: int
    last: int

    def decides(self, span: Span) -> bool:
        """Whether this window decides about a span that it contains, given by offsets in the text.

        Of the windows that contain a span, the one in which it lies furthest from an edge decides, the
        earlier one in a tie. So exactly one window decides about a span that any window contains.
        """
        middle = span.start + span.end
        before_holds_it = span.end <= 2 * self.first - self.start
        behind_holds_it = span.start >= 2 * self.last - self.end
        if self.start < self.first and before_holds_it and middle <= 2 * self.first:
            return False
        return not (self.last < self.end and behind_holds_it and middle > 2 * self.last)


def overlapping_windows(text: str, limit: int = WINDOW) -> list[Window]:
    """Windows of at most ``limit`` characters in order; together they read the whole text.

    The cut between two of them lies at the end of a sentence or clause if there is one nearby; both extend
    ``limit // CONTEXT_SHARE`` characters beyond it, so a span of up to twice that length is contained in the
    window that decides about it. An empty text has no window.

    Raises:
        ValueError: ``limit`` is less than 1.
    """
    if limit < 1:
        raise ToldValueError("a window needs a limit of at least 1 character, got {limit}", limit=limit)
    if len(text) <= limit:
        return [Window(0, len(text), 0, len(text))] if text else []
    context = limit // CONTEXT_SHARE
    ends = [end for _, end in sentences(text)]
    windows: list[Window] = []
    start = first = 0
    while len(text) - start > limit:
        target = start + limit - context
        # Not much before the target: short windows would read the same context over and over.
        cut = best_cut(text, max(first, target - max(2 * context, 1)), target, ends)
        windows.append(Window(start, cut + context, first, cut))
        start, first = cut - context, cut
    return [*windows, Window(start, len(text), first, len(text))]


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
