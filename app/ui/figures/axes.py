"""Axes labelled with characters and words of a sentence, or with tags."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from html import unescape
from typing import Any
from unicodedata import east_asian_width

import numpy as np
import plotly.graph_objects as go

from core.text.direction import runs_left

MOST_TICKS = 80
# Pixels of a label at the template's 12 px: a Chinese character, any other, a line; and the margin.
WIDE, NARROW, LINE = 12.5, 7.5, 15.6
AXIS_TITLE, FREE = 36, 8
# Special pieces, such as [CLS], are written downwards without their brackets.
_SPECIAL = re.compile(r"(\??)\[([A-Z]+)\]")
# Pieces of a query begin with a question mark (`core.taggers.base.trace.PieceTrace`).
_WRITTEN_DOWN = re.compile("\\??[\u2e80-\u9fff\uf900-\ufaff\U00020000-\U0003ffff…]+")


def node_axis(names: Sequence[str], title: str, most: int = MOST_TICKS) -> dict[str, Any]:
    """A numeric axis labelled with names, as a category axis would merge equal characters.

    With more than ``most`` names only every n-th is shown.
    """
    step = -(-len(names) // most) if names else 1
    positions = list(range(0, len(names), step))
    return {
        "title": {"text": title},
        "tickmode": "array",
        "tickvals": positions,
        "ticktext": [visible(names[position]) for position in positions],
        # Single characters stand upright; plotly turns longer words when they would touch.
        "tickangle": 0 if all(len(name) == 1 for name in names) else None,
        "showgrid": False,
        "zeroline": False,
    }


def reading_range(tokens: Sequence[str]) -> list[float]:
    """The range of a horizontal axis of a sentence's units: from right to left if the sentence runs so."""
    ends = [-0.5, max(len(tokens), 1) - 0.5]
    return ends[::-1] if runs_left("".join(tokens)) else ends


def upright_axis(names: Sequence[str], title: str, most: int = MOST_TICKS) -> dict[str, Any]:
    """`node_axis` for a horizontal axis, with Chinese words and special pieces set vertically.

    Plotly would rotate all names as soon as two of them touch.
    """
    axis = node_axis(names, title, most)
    shown = [names[position] for position in axis["tickvals"]]
    standing = [len(name) == 1 or _can_stand(name) for name in shown]
    # One or two other labels fit beside characters; many do not.
    if standing.count(False) <= 2:
        axis["tickangle"] = 0
        axis["ticktext"] = [
            "<br>".join(_SPECIAL.sub(r"\1\2", name)) if down and len(name) > 1 else text
            for name, text, down in zip(shown, axis["ticktext"], standing, strict=True)
        ]
    return axis


def _can_stand(name: str) -> bool:
    return any(written.fullmatch(name) for written in (_WRITTEN_DOWN, _SPECIAL))


def snug(figure: go.Figure) -> go.Figure:
    """Set margins for the names on the axes.

    Plotly's automargin would measure every label and draw again, a third of the time for a sentence's
    heatmap. It is used for rotated labels only.
    """
    across, down = list(figure.select_xaxes()), list(figure.select_yaxes())
    margin = {"l": FREE + max(map(_width, _ticks(down)), default=0) + _title(down)}
    figure.update_yaxes(automargin=False)
    if all(axis.tickangle == 0 for axis in across):
        lines = max((name.count("<br>") + 1 for name in _ticks(across)), default=1)
        margin["b"] = FREE + lines * LINE + _title(across)
        figure.update_xaxes(automargin=False)
    figure.update_layout(margin={side: round(pixels) for side, pixels in margin.items()})
    return figure


def _ticks(axes: Iterable[Any]) -> list[str]:
    return [name for axis in axes for name in axis.ticktext or ()]


def _title(axes: Iterable[Any]) -> int:
    return AXIS_TITLE if any(axis.title.text for axis in axes) else 0


def _width(name: str) -> float:
    return sum(WIDE if east_asian_width(character) in "WF" else NARROW for character in unescape(name))


def pairs(rows: Sequence[str], columns: Sequence[str]) -> np.ndarray:
    """Both names of every cell of a heatmap, for its hover text, ``[R, C, 2]``.

    Hover text from the axes would be a number where a tick is left out.
    """
    down = np.array([visible(name) for name in rows], dtype=object)[:, None]
    across = np.array([visible(name) for name in columns], dtype=object)[None, :]
    return np.stack(np.broadcast_arrays(down, across), axis=-1)


def visible(name: str) -> str:
    """A tick name with visible blanks and escaped markup (plotly renders ``<b>``)."""
    if not name.strip():
        return {"\n": "↵", "\r": "↵", "\t": "⇥"}.get(name, "␣")
    return name.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def signed(value: float, digits: int) -> str:
    """A number with its sign, the minus as wide as the plus."""
    return f"{value:+.{digits}f}".replace("-", "−")
