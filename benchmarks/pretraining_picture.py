"""Sample efficiency as a small SVG: test F1 against labelled documents, a panel for each tagger."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape
from typing import Any

# Okabe and Ito's colours; dashes tell the lines apart without colour.
STYLES = {
    "none": ("#888888", "3 3", "without"),
    "word2vec": ("#0072b2", "", "word2vec"),
    "fasttext": ("#d55e00", "7 3", "fastText"),
    "mlm": ("#009e73", "", "MLM, head first"),
    "mlm_at_once": ("#cc79a7", "7 3", "MLM, all at once"),
}
TITLES = {"flat": "FLAT", "soft_lexicon": "SoftLexicon", "bert": "BERT"}
PANEL, HEIGHT, LEFT, TOP, BOTTOM, GAP = 250, 300, 52, 52, 44, 24


def write_svg(rows: Sequence[dict[str, Any]]) -> str:
    """The picture of the ``score`` rows; documents on a logarithmic axis."""
    taggers = [name for name in TITLES if any(row["tagger"] == name for row in rows)]
    width = LEFT + len(taggers) * (PANEL + GAP)
    low = math.floor(10 * min(row["f1"] for row in rows)) / 10
    high = max(math.ceil(10 * max(row["f1"] for row in rows)) / 10, low + 0.1)
    sizes = sorted({row["documents"] for row in rows})
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {HEIGHT}" font-family="sans-serif" '
        'font-size="12" role="img" aria-label="test F1 against labelled documents">',
        f'<rect width="{width}" height="{HEIGHT}" fill="#ffffff"/>',
    ]
    shown = [start for start in STYLES if any(row["start"] == start for row in rows)]
    for number, start in enumerate(shown):
        colour, dash, name = STYLES[start]
        x = LEFT + 130 * number
        parts.append(_line(x, 14, x + 24, 14, colour, dash, 2))
        parts.append(f'<text x="{x + 30}" y="18">{escape(name)}</text>')
    for number, tagger in enumerate(taggers):
        left = LEFT + number * (PANEL + GAP)
        parts += _panel(tagger, [row for row in rows if row["tagger"] == tagger], left, sizes, low, high)
    centre = (TOP + HEIGHT - BOTTOM) / 2
    turned = f'transform="rotate(-90 14 {centre})"'
    parts.append(f'<text x="14" y="{centre}" text-anchor="middle" {turned}>test F1, %</text>')
    return "\n".join([*parts, "</svg>", ""])


def _panel(
    tagger: str, rows: Sequence[dict[str, Any]], left: float, sizes: Sequence[int], low: float, high: float
) -> list[str]:
    first, last = math.log(sizes[0]), math.log(sizes[-1])

    def place(documents: float, f1: float) -> tuple[float, float]:
        share = (math.log(documents) - first) / ((last - first) or 1)
        y = HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * (f1 - low) / (high - low)
        return round(left + 8 + (PANEL - 16) * share, 1), round(y, 1)

    middle = left + PANEL / 2
    parts = [
        f'<text x="{middle}" y="{TOP - 12}" text-anchor="middle" font-weight="bold">{TITLES[tagger]}</text>'
    ]
    steps = round(10 * (high - low))
    for step in range(steps + 1):
        f1 = low + (high - low) * step / steps
        _, y = place(sizes[0], f1)
        parts.append(_line(left, y, left + PANEL, y, "#e5e5e5"))
        if left == LEFT:
            parts.append(
                f'<text x="{left - 6}" y="{y + 4}" text-anchor="end" fill="#444">{100 * f1:.0f}</text>'
            )
    for size in sizes:
        x, _ = place(size, low)
        parts.append(
            f'<text x="{x}" y="{HEIGHT - BOTTOM + 16}" text-anchor="middle" fill="#444">{size}</text>'
        )
    parts.append(f'<text x="{middle}" y="{HEIGHT - 8}" text-anchor="middle">labelled documents</text>')
    for start, (colour, dash, _) in STYLES.items():
        found = sorted((row["documents"], row["f1"]) for row in rows if row["start"] == start)
        points = [place(*pair) for pair in found]
        if points:
            path = " ".join(f"{x},{y}" for x, y in points)
            style = f' stroke-dasharray="{dash}"' if dash else ""
            parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"{style}/>')
            parts += [f'<circle cx="{x}" cy="{y}" r="3" fill="{colour}"/>' for x, y in points]
    return parts


def _line(x1: float, y1: float, x2: float, y2: float, colour: str, dash: str = "", width: float = 1) -> str:
    style = f' stroke-dasharray="{dash}"' if dash else ""
    return f'<line x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}" stroke="{colour}" stroke-width="{width}"{style}/>'
