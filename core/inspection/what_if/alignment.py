"""Aligns the characters of a text before and after an edit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from core.text import Span


@dataclass(frozen=True, slots=True)
class Stretch:
    """Characters ``start`` to ``end`` of the old text, aligned to ``new_start`` to ``new_end`` of the new;
    ``kept``: whether they are unchanged."""

    start: int
    end: int
    new_start: int
    new_end: int
    kept: bool

    @property
    def growth(self) -> int:
        """Number of characters added, negative if removed."""
        return (self.new_end - self.new_start) - (self.end - self.start)

    @property
    def size(self) -> int:
        """Number of characters of the longer side."""
        return max(self.end - self.start, self.new_end - self.new_start)


class Alignment:
    """Alignment of a text and its edited version, from first to last character.

    Args:
        stretches: without gaps or overlaps on either side.
    """

    def __init__(self, stretches: Sequence[Stretch]) -> None:
        self.stretches = tuple(stretches)

    @classmethod
    def between(cls, before: str, after: str) -> Alignment:
        """The most likely edit: common prefix and suffix are kept, the rest is aligned by `difflib`."""
        head = _common(before, after)
        tail = _common(before[head:][::-1], after[head:][::-1])
        inner = before[head : len(before) - tail], after[head : len(after) - tail]
        stretches = [Stretch(0, head, 0, head, True)] if head else []
        stretches += _one_replacement(list(_changed(*inner, head)))
        if tail:
            old, new = len(before) - tail, len(after) - tail
            stretches.append(Stretch(old, len(before), new, len(after), True))
        return cls(stretches)

    def moved(self, span: Span) -> Span | None:
        """The span over the same characters, or their replacement, after the edit; None if all were deleted.

        Insertions at its boundaries stay outside; a boundary inside a replaced stretch moves to the boundary
        of that stretch, unless both sides are equally long.
        """
        start = next((_inside(s, span.start, first=True) for s in self.stretches if span.start < s.end), 0)
        end = next((_inside(s, span.end - 1, first=False) for s in self.stretches if span.end <= s.end), 0)
        return Span(start, end, span.label, span.score) if start < end else None


def _inside(stretch: Stretch, at: int, *, first: bool) -> int:
    """The new boundary of a span whose first (or last) character is ``at``, inside ``stretch``."""
    if stretch.growth == 0:
        return stretch.new_start + at - stretch.start + (0 if first else 1)
    return stretch.new_start if first else stretch.new_end


def _common(left: str, right: str) -> int:
    """Length of the common prefix."""
    pairs = enumerate(zip(left, right, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(left), len(right)))


def _changed(before: str, after: str, shift: int) -> Iterator[Stretch]:
    for name, i, j, k, m in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        yield Stretch(i + shift, j + shift, k + shift, m + shift, name == "equal")


def _one_replacement(stretches: list[Stretch]) -> list[Stretch]:
    """An insertion on one side of a few kept characters and a deletion on the other are merged into one
    replacement: its sides merely share these characters, as 林知远 and 周林 do."""
    joined: list[Stretch] = []
    for stretch in stretches:
        joined.append(stretch)
        if len(joined) < 3:
            continue
        left, kept, right = joined[-3:]
        if not kept.kept or left.growth * right.growth >= 0:
            continue
        if kept.size <= max(left.size, right.size):
            joined[-3:] = [Stretch(left.start, right.end, left.new_start, right.new_end, False)]
    return joined
