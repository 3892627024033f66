"""The curves of a simulation as a plotly page and as a small SVG."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from html import escape
from pathlib import Path

from core.learning.active_learning.savings import UNITS, Unit
from core.learning.active_learning.simulation import FULL, Point

# Okabe and Ito's colours, which colour-blind readers can tell apart; random is grey.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8b5a2b", "#6a3d9a", "#000000")
CHANCE = "#888888"
WIDTH, HEIGHT = 720, 400
LEFT, RIGHT, TOP, BOTTOM = 56, 190, 20, 48
Curve = list[tuple[float, float]]


def mean_curves(points: Sequence[Point], unit: Unit) -> dict[str, Curve]:
    """Mean (amount, F1) over the seeds for every strategy, at each size that all its seeds have."""
    seeds: dict[str, set[int]] = {}
    at: dict[tuple[str, int], list[Point]] = {}
    for point in points:
        if point.strategy != FULL:
            seeds.setdefault(point.strategy, set()).add(point.seed)
            at.setdefault((point.strategy, point.documents), []).append(point)
    curves: dict[str, Curve] = {name: [] for name in seeds}
    for (name, _), at_size in sorted(at.items(), key=lambda item: item[0][1]):
        if len(at_size) == len(seeds[name]):
            amount = statistics.fmean(float(getattr(point, unit)) for point in at_size)
            curves[name].append((amount, statistics.fmean(point.f1 for point in at_size)))
    return {name: curve for name, curve in curves.items() if curve}


def full_f1(points: Sequence[Point]) -> float | None:
    """Mean F1 of the trainings on all documents."""
    scores = [point.f1 for point in points if point.strategy == FULL]
    return statistics.fmean(scores) if scores else None


def colours(names: Sequence[str]) -> dict[str, str]:
    """A colour for each strategy; random is grey."""
    others = [name for name in names if name != "random"]
    return {"random": CHANCE, **{name: COLOURS[place % len(COLOURS)] for place, name in enumerate(others)}}


def write_html(path: Path, points: Sequence[Point], shares: Sequence[float]) -> None:
    """Write a self-contained page: F1 against documents, characters and spans."""
    import plotly.graph_objects as go
    from plotly.subplots import make_subplots

    figure = make_subplots(rows=1, cols=len(UNITS), shared_yaxes=True, horizontal_spacing=0.03)
    full = full_f1(points)
    for column, unit in enumerate(UNITS, start=1):
        curves = mean_curves(points, unit)
        chosen = colours(list(curves))
        for name, curve in curves.items():
            figure.add_trace(
                go.Scatter(
                    x=[amount for amount, _ in curve], y=[f1 for _, f1 in curve], name=name,
                    legendgroup=name, showlegend=column == 1, mode="lines+markers",
                    line={"color": chosen[name], "dash": "dot" if name == "random" else "solid"},
                ),
                row=1, col=column,
            )  # fmt: skip
        figure.update_xaxes(title_text=f"{unit} labelled", row=1, col=column)
        if full is not None:
            for share in (*shares, 1.0):
                figure.add_hline(full * share, line={"color": "#bbbbbb", "width": 1}, row=1, col=column)
    figure.update_yaxes(title_text="F1", row=1, col=1)
    figure.update_layout(template="plotly_white", hovermode="x unified", height=480)
    figure.write_html(path, include_plotlyjs=True)


def write_svg(points: Sequence[Point], share: float) -> str:
    """F1 against documents labelled, with a line at ``share`` of the full F1; empty axes without points."""
    curves = mean_curves(points, "documents")
    full = full_f1(points)
    all_points = [pair for curve in curves.values() for pair in curve]
    most = max((amount for amount, _ in all_points), default=1.0)
    low = int(10 * min((f1 for _, f1 in all_points), default=0.0)) / 10
    high = max([f1 for _, f1 in all_points] + ([full] if full is not None else []), default=1.0)
    high = min(1.0, int(20 * high + 1) / 20)

    def place(amount: float, f1: float) -> tuple[float, float]:
        x = LEFT + (WIDTH - LEFT - RIGHT) * amount / most
        y = HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * (f1 - low) / max(high - low, 1e-9)
        return round(x, 1), round(y, 1)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
        'font-family="sans-serif" font-size="12" role="img" aria-label="F1 against documents labelled">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>',
    ]
    for step in range(6):
        f1 = low + (high - low) * step / 5
        x, y = place(0, f1)
        parts.append(_line(x, y, WIDTH - RIGHT, y, "#e5e5e5"))
        parts.append(f'<text x="{x - 6}" y="{y + 4}" text-anchor="end" fill="#444">{100 * f1:.0f}</text>')
    for step in range(6):
        x, y = place(most * step / 5, low)
        label = f"{most * step / 5:.0f}"
        parts.append(f'<text x="{x}" y="{y + 18}" text-anchor="middle" fill="#444">{label}</text>')
    middle = (LEFT + WIDTH - RIGHT) / 2
    parts.append(f'<text x="{middle}" y="{HEIGHT - 8}" text-anchor="middle">documents labelled</text>')
    centre = HEIGHT / 2
    turned = f'transform="rotate(-90 14 {centre})"'
    parts.append(f'<text x="14" y="{centre}" text-anchor="middle" {turned}>test F1</text>')
    if full is not None:
        _, y = place(0, full * share)
        parts.append(_line(LEFT, y, WIDTH - RIGHT, y, "#444444", dash="6 4"))
        parts.append(
            f'<text x="{WIDTH - RIGHT + 8}" y="{y + 4}" fill="#444">{100 * share:.0f}% of full F1</text>'
        )
    chosen = colours(list(curves))
    for number, (name, curve) in enumerate(curves.items()):
        path = " ".join(f"{x},{y}" for x, y in (place(*pair) for pair in curve))
        dash = ' stroke-dasharray="3 3"' if name == "random" else ""
        parts.append(
            f'<polyline points="{path}" fill="none" stroke="{chosen[name]}" stroke-width="2"{dash}/>'
        )
        y = HEIGHT - BOTTOM - 18 * (len(curves) - number)
        parts.append(_line(WIDTH - RIGHT + 8, y - 4, WIDTH - RIGHT + 30, y - 4, chosen[name], width=2))
        parts.append(f'<text x="{WIDTH - RIGHT + 36}" y="{y}">{escape(name.replace("_", " "))}</text>')
    return "\n".join([*parts, "</svg>", ""])


def _line(
    x1: float, y1: float, x2: float, y2: float, colour: str, *, dash: str = "", width: float = 1
) -> str:
    style = f' stroke-dasharray="{dash}"' if dash else ""
    return f'<line x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}" stroke="{colour}" stroke-width="{width}"{style}/>'
