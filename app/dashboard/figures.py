"""Figures of the Dashboard: progress and speed, labels, the learning curve, agreement."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from app.dashboard.overview import Overview, Stretch, Trained
from app.i18n import Language, _, ngettext, text
from app.ui.figures.axes import node_axis, visible
from app.ui.figures.legend import legend_above
from app.ui.figures.template import ACCENT, GRID, SECOND, styled
from app.ui.figures.training_curves import COLOURS, DASHES
from core.agreement import AgreementReport, Result
from core.inspection.corpus.power_law import PowerLaw
from core.store.review.pace import Pace

MEASURE_NAMES = {
    "span_f1": _("span F1"),
    "span_f1_relaxed": _("span F1, overlap"),
    "links": _("equal links"),
    "cohen_kappa": _("Cohen's κ"),
    "fleiss_kappa": _("Fleiss' κ"),
    "alpha": _("Krippendorff's α"),
    "alpha_u": _("α_U (units)"),
    "gamma": _("γ"),
}

PER_HOUR = {"documents": _("documents an hour"), "spans": _("spans an hour")}

SYMBOLS = ("circle", "diamond", "square", "triangle-up", "x", "star")
OTHER = "#8b93a1"
MOST_LABELS = 11  # labels shown; the rarest others are merged


def progress(overview: Overview, language: Language = "en") -> go.Figure | None:
    """Finished documents so far above, and below, if any day has a speed, documents and spans an hour by day.

    None without data: no work yet, or a single day without a speed.
    """
    days, paces = list(overview.by_date), list(overview.by_date.values())
    timed = any(pace.documents_per_hour is not None for pace in paces)
    if len(days) < 2 and not timed:
        return None
    figure = make_subplots(rows=2 if timed else 1, cols=1, shared_xaxes=True, vertical_spacing=0.12)
    figure.add_scatter(
        x=days,
        y=np.cumsum([pace.finished for pace in paces]),
        name=text(_("documents finished so far"), language),
        mode="lines+markers",
        line={"color": ACCENT, "width": 2, "shape": "hv"},
        hovertemplate="%{x|%Y-%m-%d}: %{y}<extra>%{fullData.name}</extra>",
        row=1,
        col=1,
    )
    figure.update_yaxes(title_text=text(_("documents"), language), rangemode="tozero", row=1, col=1)
    if timed:
        _speeds(figure, days, paces, language)
    _dates(figure, days)
    figure.update_xaxes(title_text=text(_("day"), language), row=2 if timed else 1, col=1)
    return legend_above(styled(figure, height=460 if timed else 280), 3 if timed else 0)


def _speeds(figure: go.Figure, days: Sequence[date], paces: Sequence[Pace], language: Language) -> None:
    for name, colour, symbol, values in (
        ("documents", ACCENT, "circle", [pace.documents_per_hour for pace in paces]),
        ("spans", SECOND, "diamond", [pace.spans_per_hour for pace in paces]),
    ):
        figure.add_scatter(
            x=days,
            y=values,
            name=text(PER_HOUR[name], language),
            mode="lines+markers",
            line={"color": colour, "width": 2, "dash": "solid" if name == "documents" else "dash"},
            marker={"symbol": symbol, "size": 7},
            hovertemplate="%{x|%Y-%m-%d}: %{y:.1f}<extra>%{fullData.name}</extra>",
            row=2,
            col=1,
        )
    figure.update_yaxes(title_text=text(_("per hour"), language), rangemode="tozero", row=2, col=1)


def label_drift(overview: Overview, language: Language = "en") -> go.Figure | None:
    """Spans by label, and each label's share day by day; None without spans."""
    names = [name for name, count in overview.marked.items() if count]
    if not names:
        return None
    days = [(day, by_label) for day, by_label in overview.by_day.items()]
    columns = 2 if len(days) > 1 else 1
    figure = make_subplots(rows=columns, cols=1, vertical_spacing=0.16 if columns > 1 else 0)
    figure.add_trace(
        go.Bar(
            y=list(range(len(names))),
            x=[overview.marked[name] for name in names],
            orientation="h",
            marker={"color": [overview.colours.get(name, OTHER) for name in names]},
            text=[str(overview.marked[name]) for name in names],
            textposition="outside",  # on the bars it could not be read in every label's colour
            cliponaxis=False,
            customdata=[visible(name) for name in names],
            hovertemplate="%{customdata}: %{x}<extra></extra>",
            showlegend=False,
        ),
        row=1,
        col=1,
    )
    figure.update_yaxes(**node_axis(names, ""), range=[len(names) - 0.5, -0.5], row=1, col=1)
    # Room for the number behind the longest bar, which Plotly does not leave in a narrow window.
    most = 1.2 * max(overview.marked[name] for name in names)
    figure.update_xaxes(title_text=text(_("spans"), language), range=[0, most], row=1, col=1)
    if columns > 1:
        _shares(figure, overview, days, language)
    height = 120 + 26 * len(names) + (300 if columns > 1 else 0)
    return legend_above(styled(figure, height=height), 0)


def _shares(
    figure: go.Figure, overview: Overview, days: Sequence[tuple[int, Mapping[str, int]]], language: Language
) -> None:
    totals: dict[str, int] = {}
    for _day, by_label in days:
        for name, count in by_label.items():
            totals[name] = totals.get(name, 0) + count
    shown = sorted(totals, key=lambda name: (-totals[name], name))[:MOST_LABELS]
    rest = [name for name in totals if name not in shown]
    groups = [(name, [name], overview.colours.get(name, OTHER)) for name in shown]
    if rest:
        groups.append(
            (
                text(ngettext("{count} other label", "{count} other labels"), language, count=len(rest)),
                rest,
                OTHER,
            )
        )
    dates = [_date(day) for day, _ in days]
    sums = [sum(by_label.values()) for _day, by_label in days]
    for name, members, colour in groups:
        counts = [sum(by_label.get(member, 0) for member in members) for _day, by_label in days]
        figure.add_bar(
            x=dates,
            y=[100 * count / total for count, total in zip(counts, sums, strict=True)],
            name=visible(name),
            marker={"color": colour},
            customdata=counts,
            hovertemplate="%{x|%Y-%m-%d}: %{y:.0f}% (%{customdata})<extra>%{fullData.name}</extra>",
            showlegend=False,
            row=2,
            col=1,
        )
    figure.update_layout(barmode="stack")
    figure.update_yaxes(title_text=text(_("share, %"), language), range=[0, 100], row=2, col=1)
    figure.update_xaxes(
        type="date",
        tickformat="%m-%d" if len(days) < 200 else "%Y-%m",
        title_text=text(_("day"), language),
        row=2,
        col=1,
    )


def learning_curve(
    curves: Mapping[str, tuple[Sequence[Trained], PowerLaw | None]], language: Language = "en"
) -> go.Figure | None:
    """F1 of every run against its training documents, with the fitted power laws; None without runs."""
    if not curves:
        return None
    figure = go.Figure()
    for place, (tagger, (runs, law)) in enumerate(curves.items()):
        colour = COLOURS[place % len(COLOURS)]
        figure.add_scatter(
            x=[run.documents for run in runs],
            y=[100 * run.f1 for run in runs],
            name=visible(tagger),
            legendgroup=tagger,
            mode="markers",
            marker={"color": colour, "size": 9, "symbol": SYMBOLS[place % len(SYMBOLS)]},
            customdata=[visible(run.name) for run in runs],
            hovertemplate="%{customdata}: %{x}, %{y:.1f}<extra>%{fullData.name}</extra>",
        )
        if law is not None:
            _fitted(figure, tagger, runs, law, place, language)
    figure.update_xaxes(title_text=text(_("training documents"), language), rangemode="tozero")
    figure.update_yaxes(title_text=text(_("F1, %"), language), minallowed=0, maxallowed=100)
    return legend_above(styled(figure, height=360), 2 * len(curves))


def _fitted(
    figure: go.Figure, tagger: str, runs: Sequence[Trained], law: PowerLaw, place: int, language: Language
) -> None:
    """The fitted curve with its 95% band, extended by half."""
    colour = COLOURS[place % len(COLOURS)]
    sizes = np.linspace(runs[0].documents, 1.5 * runs[-1].documents, 60)
    values = 100 * np.array([law.f1(size) for size in sizes])
    figure.add_scatter(
        x=np.concatenate([sizes, sizes[::-1]]),
        y=np.concatenate([values[:, 2], values[::-1, 1]]),
        fill="toself",
        fillcolor=_faint(colour),
        line={"width": 0},
        hoverinfo="skip",
        legendgroup=tagger,
        showlegend=False,
    )
    figure.add_scatter(
        x=sizes,
        y=values[:, 0],
        name=text(_("{tagger}, fitted"), language, tagger=visible(tagger)),
        legendgroup=tagger,
        mode="lines",
        line={"color": colour, "width": 2, "dash": DASHES[(place + 1) % len(DASHES)]},
        hovertemplate="%{x:.0f}: %{y:.1f}<extra>%{fullData.name}</extra>",
    )


def agreement_dots(
    report: AgreementReport, by: str, measures: Sequence[str], language: Language = "en"
) -> go.Figure | None:
    """Coefficients as dots with 95% intervals; undefined ones have no dot. None without any value.

    Args:
        by: ``pair`` (all labels together, everybody first) or ``label`` (over everybody).
    """
    lines: list[tuple[str, tuple[str, ...] | None, str | None]]
    if by == "label":
        lines = [(text(_("all labels"), language), None, None)]
        lines += [(name, None, name) for name in report.labels]
    else:
        lines = [(text(_("everybody"), language), None, None)]
        pairs = dict.fromkeys(row.annotators for row in report.rows if len(row.annotators) == 2)
        lines += [(" – ".join(pair), pair, None) for pair in pairs if pair != report.annotators]
    figure, drawn = go.Figure(), 0
    for place, measure in enumerate(measures):
        results = [report.result(measure, pair, label) for _, pair, label in lines]
        drawn += _dots(figure, text(MEASURE_NAMES[measure], language), place, len(measures), results)
    if not drawn:
        return None
    names = [name for name, _, _ in lines]
    figure.update_yaxes(**node_axis(names, ""), range=[len(names) - 0.5, -0.5])
    figure.update_xaxes(title_text=text(_("agreement"), language), maxallowed=1.05)
    figure.add_vline(x=0, line={"color": OTHER, "width": 1})
    styled(figure, height=140 + 18 * len(measures) + len(names) * max(28, 15 * len(measures)))
    for edge in range(1, len(names)):
        figure.add_hline(y=edge - 0.5, line={"color": GRID, "width": 1})
    return legend_above(figure, len(measures))


def _dots(figure: go.Figure, name: str, place: int, count: int, results: Sequence[Result | None]) -> int:
    at = [line for line, result in enumerate(results) if result is not None and result.value is not None]
    values = [result.value for result in results if result is not None and result.value is not None]
    ends = [result.interval for result in results if result is not None and result.value is not None]
    shift = (place - (count - 1) / 2) * min(0.22, 0.7 / max(1, count))
    colour = COLOURS[place % len(COLOURS)]
    figure.add_scatter(
        name=name,
        x=values,
        y=[line + shift for line in at],
        mode="markers",
        marker={"color": colour, "size": 9, "symbol": SYMBOLS[place % len(SYMBOLS)]},
        error_x={
            "type": "data",
            "array": [
                max(0.0, end[1] - value) if end else 0 for end, value in zip(ends, values, strict=True)
            ],
            "arrayminus": [
                max(0.0, value - end[0]) if end else 0 for end, value in zip(ends, values, strict=True)
            ],
            "color": colour,
            "thickness": 1.5,
            "width": 4,
        },
        hovertemplate="%{x:.3f}<extra>%{fullData.name}</extra>",
    )
    return len(at)


def agreement_over_time(stretches: Sequence[Stretch], language: Language = "en") -> go.Figure | None:
    """Agreement on groups of documents in the order in which they were finished; None with fewer than two."""
    if len(stretches) < 2:
        return None
    figure = go.Figure()
    for place, (measure, results) in enumerate(
        (
            ("span_f1", [stretch.span_f1 for stretch in stretches]),
            ("alpha", [stretch.alpha for stretch in stretches]),
        )
    ):
        colour = COLOURS[place]
        ends = [result.interval for result in results]
        figure.add_scatter(
            x=list(range(len(stretches))),
            y=[result.value for result in results],
            name=text(MEASURE_NAMES[measure], language),
            mode="lines+markers",
            line={"color": colour, "width": 2, "dash": DASHES[place]},
            marker={"symbol": SYMBOLS[place], "size": 8},
            error_y={
                "type": "data",
                "array": [
                    e[1] - r.value if e and r.value is not None else 0
                    for e, r in zip(ends, results, strict=True)
                ],
                "arrayminus": [
                    r.value - e[0] if e and r.value is not None else 0
                    for e, r in zip(ends, results, strict=True)
                ],
                "color": colour,
                "width": 4,
            },
            hovertemplate="%{y:.3f}<extra>%{fullData.name}</extra>",
        )
    names = [f"{stretch.until:%Y-%m-%d}<br>{stretch.documents}" for stretch in stretches]
    figure.update_xaxes(
        tickmode="array",
        tickvals=list(range(len(names))),
        ticktext=names,
        title_text=text(_("finished until, documents"), language),
    )
    figure.update_yaxes(title_text=text(_("agreement"), language), maxallowed=1.05)
    return legend_above(styled(figure, height=340), 2)


def _dates(figure: go.Figure, days: Sequence[date]) -> None:
    """Whole days, as few ticks as there are days."""
    figure.update_xaxes(type="date", tickformat="%m-%d" if len(days) < 200 else "%Y-%m")
    if len(days) <= 10:
        figure.update_xaxes(tickmode="array", tickvals=list(days))


def _date(number: int) -> date:
    return date.fromordinal(number + date(1970, 1, 1).toordinal())


def _faint(colour: str) -> str:
    red, green, blue = (int(colour[at : at + 2], 16) for at in (1, 3, 5))
    return f"rgba({red}, {green}, {blue}, 0.15)"
