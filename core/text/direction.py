"""Whether a text runs from right to left."""

from __future__ import annotations

from unicodedata import bidirectional


def runs_left(text: str) -> bool:
    """Whether a text runs from right to left: its first letter does, as browsers decide for ``dir=auto``."""
    kinds = map(bidirectional, text)
    return next((kind in ("R", "AL") for kind in kinds if kind in ("L", "R", "AL")), False)
