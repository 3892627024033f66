"""Scores, differences, sizes and times as the pages write them."""

from __future__ import annotations

from collections.abc import Sequence


def percent(value: float) -> str:
    """A ratio in percent."""
    return f"{100 * value:.1f}"


def points(value: float) -> str:
    """A difference of ratios in percentage points with its sign."""
    shown = f"{100 * value:+.1f}"
    return shown.replace("-", "−") if float(shown) else "0.0"


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
