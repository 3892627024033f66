"""The errors of a run: confusion of labels, boundaries, and scores by a property of the spans."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from app.i18n import Language, _, pgettext, text
from app.ui.figures.axes import node_axis, visible
from app.ui.figures.sentence_alone import sentence_alone
from app.ui.figures.template import ACCENT, SECOND, styled
from core.inspection.corpus.errors import BOUNDARIES
from core.text.scoring import Score

BOUNDARY_NAMES = {
    ("short", "right"): _("left too short"),
    ("long", "right"): _("left too long"),
    ("right", "short"): _("right too short"),
    ("right", "long"): _("right too long"),
    ("short", "short"): _("both too short"),
    ("long", "long"): _("both too long"),
    ("long", "short"): _("shifted left"),
    ("short", "long"): _("shifted right"),
}

THIRD = "#009E73"
# Nothing at all is no colour, so that a cell that holds one case stands out on a light and on a dark page.
COUNTS = [[0.0, "rgba(0, 0, 0, 0)"], [1e-9, "#cfe3ee"], [1.0, ACCENT]]
MOST_IN_CELLS = 24


def label_confusion(
    counts: np.ndarray, labels: Sequence[str], language: Language = "en", *, hide_diagonal: bool = False
) -> go.Figure:
    """Heatmap of counts ``[L + 1, L + 1]``: rows are gold labels, columns predicted ones.

    The last row is spurious, the last column missed. A point's ``x`` and ``y`` are its
    column and row. Without spans, and without errors and its diagonal, it is a sentence.
    """
    if not counts.any():
        return sentence_alone(text(_("There are no spans here, neither labelled nor predicted."), language))
    rows = [*labels, text(_("nothing (spurious)"), language)]
    columns = [*labels, text(_("nothing (missed)"), language)]
    if hide_diagonal and not (counts - np.diag(np.diag(counts))).any():
        return sentence_alone(
            text(
                _("All spans are found with their labels, and no others: there is nothing off the diagonal."),
                language,
            )
        )
    cells: list[list[int | None]] = counts.tolist()
    if hide_diagonal:
        for at in range(len(labels)):
            cells[at][at] = None
    written = [["" if not count else f"{count:,}" for count in line] for line in cells]
    shown = [count for line in cells for count in line if count is not None]
    figure = go.Figure(
        go.Heatmap(
            z=cells,
            text=written,
            texttemplate="%{text}" if len(labels) <= MOST_IN_CELLS else None,
            customdata=_said(rows, columns),
            colorscale=COUNTS,
            zmin=0,
            zmax=max([*shown, 1]),
            showscale=False,
            xgap=2,
            ygap=2,
            hovertemplate="%{customdata}: %{z}<extra></extra>",
            hoverongaps=False,
        )
    )
    figure.update_xaxes(**node_axis(columns, text(_("predicted"), language)))
    figure.update_yaxes(**node_axis(rows, text(_("gold"), language)), autorange="reversed")
    # On one line the last column's name would reach beyond the figure, and plotly would leave it out.
    *names, last = figure.layout.xaxis.ticktext
    figure.update_xaxes(ticktext=[*names, last.replace(" (", "<br>(")])
    edge = len(labels) - 0.5
    line: dict[str, Any] = {"line": {"color": "rgba(128, 136, 150, 0.7)", "width": 1, "dash": "dot"}}
    figure.add_hline(y=edge, **line)
    figure.add_vline(x=edge, **line)
    return styled(figure, height=int(np.clip(140 + 34 * len(rows), 300, 760)))


def _said(rows: Sequence[str], columns: Sequence[str]) -> list[list[str]]:
    return [[f"{visible(row)} → {visible(column)}" for column in columns] for row in rows]


def boundary_errors(counts: Sequence[tuple[int, int]], language: Language = "en") -> go.Figure:
    """Bars for each of `BOUNDARIES`: how often with the right label, and how often with another one; a
    sentence where no boundary is wrong.

    A point's ``y`` is its place in `BOUNDARIES`, its trace 0 for the right label.
    """
    if not any(map(any, counts)):
        return sentence_alone(text(_("No boundary is wrong."), language))
    names = [text(BOUNDARY_NAMES[ends], language) for ends in BOUNDARIES]
    places = list(range(len(BOUNDARIES)))
    figure = go.Figure()
    for part, (name, colour, pattern) in enumerate(
        ((_("label right"), ACCENT, ""), (_("label wrong too"), SECOND, "/"))
    ):
        figure.add_bar(
            name=text(name, language),
            x=[count[part] for count in counts],
            y=places,
            orientation="h",
            customdata=names,
            marker={"color": colour, "pattern": {"shape": pattern}},
            hovertemplate="%{customdata}: %{x}<extra>%{fullData.name}</extra>",
        )
    figure.update_layout(barmode="stack", bargap=0.3, legend_traceorder="normal")
    most = max((sum(count) for count in counts), default=0)
    figure.update_xaxes(
        title_text=text(pgettext("axis", "spans"), language),
        range=[0, 1.05 * max(most, 1)],
        tickformat=",d",
        # Few spans would have ticks at halves, written as whole numbers.
        dtick=1 if most < 6 else None,
    )
    figure.update_yaxes(**node_axis(names, ""), autorange="reversed")
    return styled(figure, height=340)


def scores_by(
    scores: Sequence[Score], names: Sequence[str], title: str, language: Language = "en"
) -> go.Figure:
    """Recall and precision as bars, F1 as a mark, bin by bin, in percent; the ticks say how many spans.

    A point's ``x`` is its bin, its trace 0 for recall, 1 for precision, 2 for F1. A bin in which people
    (or the run) have no span has no recall (or precision). Without any span it is a sentence.
    """
    if not any(score.gold or score.predicted for score in scores):
        return sentence_alone(text(_("There are no spans here, neither labelled nor predicted."), language))
    places = list(range(len(names)))
    recall = [100 * score.recall if score.gold else None for score in scores]
    precision = [100 * score.precision if score.predicted else None for score in scores]
    f1 = [100 * score.f1 if score.gold or score.predicted else None for score in scores]
    gold, predicted = [score.gold for score in scores], [score.predicted for score in scores]
    figure = go.Figure()
    for name, of, values, totals, colour, pattern in (
        (_("recall"), _("gold: {correct} of {total}"), recall, gold, ACCENT, ""),
        (_("precision"), _("predicted: {correct} of {total}"), precision, predicted, SECOND, "/"),
    ):
        figure.add_bar(
            name=text(name, language),
            x=places,
            y=values,
            customdata=[
                text(of, language, correct=f"{score.correct:,}", total=f"{total:,}")
                for score, total in zip(scores, totals, strict=True)
            ],
            marker={"color": colour, "pattern": {"shape": pattern}},
            hovertemplate="%{y:.1f}% (%{customdata})<extra>%{fullData.name}</extra>",
        )
    figure.add_scatter(
        name="F1",
        x=places,
        y=f1,
        mode="markers",
        marker={"color": THIRD, "symbol": "diamond", "size": 9, "line": {"color": "#ffffff", "width": 1}},
        hovertemplate="%{y:.1f}%<extra>F1</extra>",
    )
    figure.update_layout(barmode="group", bargap=0.25)
    figure.update_xaxes(
        title={"text": text(_("{axis} (below: gold spans)"), language, axis=title), "font": {"size": 12}},
        tickmode="array",
        tickvals=places,
        ticktext=[f"{visible(name)}<br>{score.gold:,}" for name, score in zip(names, scores, strict=True)],
        tickangle=0,
        range=[-0.6, len(names) - 0.4],
    )
    quarters = [0, 25, 50, 75, 100]
    figure.update_yaxes(range=[0, 104], tickvals=quarters, ticktext=[f"{part}%" for part in quarters])
    return styled(figure, height=320)
