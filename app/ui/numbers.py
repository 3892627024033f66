"""Scores, differences, sizes and times as the pages write them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

MOST_HIDDEN = 0.01  # percent; smaller shares are not told apart
TIE = 1e-9  # ties go up, as in assets/scripts/text/percent.js


def percent(value: float | None) -> str:
    """A score, or another ratio to compare, in percent without the sign; a dash for None."""
    return "–" if value is None else f"{100 * value + TIE:.1f}"


def share(part: float, whole: float = 1) -> str:
    """A part of something in percent, to two digits: ``42%``, ``7.3%``; 0 and 100 only where exact."""
    value = 100 * part / whole if whole else 0.0
    if value <= 0:
        return "0%"
    if value < MOST_HIDDEN:
        return f"< {MOST_HIDDEN}%"
    if value >= 99.5:
        return "100%" if value >= 100 else f"{min(value, 99.9):.1f}%"
    return f"{value + TIE:.2g}%"


def whole_percent(part: float, whole: float = 1) -> int:
    """Whole percent, rounded down: 100 only once all is there. Of progress and of what has been read."""
    return int(min(100.0, max(0.0, 100 * part / whole + TIE))) if whole else 0


def points(value: float) -> str:
    """A difference of ratios in percentage points with its sign."""
    shown = percent(abs(value))
    return f"{'−' if value < 0 else '+'}{shown}" if float(shown) else "0.0"


def interval(ends: Sequence[float], signed: bool = False) -> str:
    """An interval of ratios, or of their differences, in percent."""
    low, high = (points(end) if signed else percent(end) for end in ends)
    return f"[{low}, {high}]"


def size(count: int) -> str:
    """A number of bytes: ``12.3 MB``."""
    for unit, limit in (("B", 1e3), ("kB", 1e6), ("MB", 1e9)):
        if count < limit:
            return f"{count / limit * 1e3:.{0 if unit == 'B' else 1}f} {unit}"
    return f"{count / 1e9:.1f} GB"


def date(milliseconds: int, *, seconds: bool = False) -> str:
    """A time of the store in local time, to the minute or to the second."""
    return f"{datetime.fromtimestamp(milliseconds / 1000):%Y-%m-%d %H:%M{':%S' if seconds else ''}}"
