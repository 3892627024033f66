"""The emissions and transitions in which the best path with a span differs from the best one without it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import plotly.graph_objects as go

from app.i18n import Language, _, ngettext, text
from app.ui.figures.axes import signed, visible
from app.ui.figures.template import ACCENT, INK, SECOND, styled
from app.ui.why.margin import edges_of, place_of
from core.text.units import UnitName

if TYPE_CHECKING:
    from core.inspection.sentence.crf_paths import PathMargin, Term

MOST = 8


def span_decision(
    margin: PathMargin, tokens: tuple[str, ...], language: Language = "en", unit: UnitName = "character"
) -> go.Figure:
    """One bar for each term, largest first, the small ones together in a last one; they sum to the margin."""
    shown = MOST if len(margin.terms) > MOST + 1 else MOST + 1
    terms, rest = margin.terms[:shown], margin.terms[shown:]
    names = [term_name(term, tokens, language, unit) for term in terms]
    values = [term.value for term in terms]
    figure = go.Figure()
    for emission, name, colour in ((True, _("emissions"), ACCENT), (False, _("transitions"), SECOND)):
        rows = [row for row, term in enumerate(terms) if (term.kind == "emission") == emission]
        if rows:
            picked = [values[row] for row in rows]
            figure.add_trace(_bars(rows, picked, text(name, language), colour))
    if rest:
        names.append(text(ngettext("{count} smaller one", "{count} smaller ones"), language, count=len(rest)))
        values.append(sum(term.value for term in rest))
        figure.add_trace(_bars([len(terms)], values[-1:], text(_("small ones together"), language), INK))
    # Room on both sides for the numbers at the bars' ends.
    low, high = min([0.0, *values]), max([0.0, *values])
    room = 0.3 * ((high - low) or 1.0)
    figure.update_xaxes(
        title={"text": text(_("score for it"), language)},
        range=[low - (room if low else 0.02 * room), high + room],
        zeroline=True,
    )
    figure.update_yaxes(
        tickmode="array",
        tickvals=list(range(len(names))),
        ticktext=[visible(name) for name in names],
        showticklabels=False,
        range=[len(names) - 0.5, -0.8],
        showgrid=False,
        zeroline=False,
    )
    _name_bars(figure, names)
    figure.update_layout(bargap=0.6)
    return styled(figure, height=120 + 40 * max(len(names), 2)).update_layout(margin={"l": 16})


def _name_bars(figure: go.Figure, names: list[str]) -> None:
    """Each name above its bar: left of the bars, a phone would have no room for both."""
    place = {"xref": "paper", "x": 0, "xanchor": "left", "yanchor": "bottom", "showarrow": False}
    for row, name in enumerate(names):
        figure.add_annotation(text=visible(name), y=row - 0.22, **place)


def term_name(term: Term, tokens: tuple[str, ...], language: Language, unit: UnitName = "character") -> str:
    """E.g. ``远: E-PER, not O``; of a transition the tags on both sides, and where it stands."""
    here = place_of(term, tokens, unit)
    taken, other = (" → ".join(edges_of(term, tags)) for tags in (term.held, term.other))
    return text(_("{place}: {taken}, not {other}"), language, place=here, taken=taken, other=other)


def _bars(rows: list[int], values: list[float], name: str, colour: str) -> go.Bar:
    return go.Bar(
        x=values,
        y=rows,
        orientation="h",
        name=name,
        marker={"color": colour},
        text=[signed(value, 2) for value in values],
        textposition="outside",
        cliponaxis=False,
        hovertemplate="%{x:+.3f}<extra>%{fullData.name}</extra>",
    )
