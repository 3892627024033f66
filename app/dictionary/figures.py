"""Figures of a dictionary measured against annotations: coverage of each label, precision of the matches."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import plotly.graph_objects as go

from app.i18n import Language, _, text
from app.ui.figures.axes import visible
from app.ui.figures.sentence_alone import sentence_alone
from app.ui.figures.template import ACCENT, INK, SECOND, styled
from core.learning.distant.measure import Coverage, MatchCounts

PART_NAMES = {
    "held": _("in the dictionary"),
    "other": _("with another type"),
    "missing": _("not in the dictionary"),
    "right": _("labelled as such"),
    "otherwise": _("labelled differently"),
    "unlabelled": _("not labelled"),
}

QUIET = "#9aa3b0"
PARTS = ((ACCENT, ""), (SECOND, "/"), (QUIET, "."))


def coverage_bars(coverage: Mapping[str, Coverage], language: Language = "en") -> go.Figure:
    """A bar for each label, in percent of its occurrences: held with this type, held with others, not held.

    Labels with more occurrences come first, from the top. Without occurrences it is a sentence.
    """
    if not any(label_coverage.occurrences for label_coverage in coverage.values()):
        return sentence_alone(text(_("Nothing is labelled yet, so there is nothing to cover."), language))
    rows = sorted(coverage.items(), key=lambda item: (-item[1].occurrences, item[0]))
    counts = [
        (
            label_coverage.held,
            label_coverage.other,
            label_coverage.occurrences - label_coverage.held - label_coverage.other,
            label_coverage.occurrences,
        )
        for _, label_coverage in rows
    ]
    keys = ("held", "other", "missing")
    title = text(_("share of labelled occurrences (%)"), language)
    return _stacked([name for name, _ in rows], counts, keys, title, language)


def match_bars(matches: Mapping[str, MatchCounts], language: Language = "en") -> go.Figure:
    """A bar for each type, in percent of its matches: labelled with it, differently, not labelled.

    Without matches it is a sentence.
    """
    if not any(type_matches.matches for type_matches in matches.values()):
        return sentence_alone(text(_("The dictionary matches nothing in the labelled documents."), language))
    rows = sorted(matches.items(), key=lambda item: (-item[1].matches, item[0]))
    counts = [
        (type_matches.right, type_matches.otherwise, type_matches.unlabelled, type_matches.matches)
        for _, type_matches in rows
    ]
    keys = ("right", "otherwise", "unlabelled")
    title = text(_("share of matches (%)"), language)
    return _stacked([name for name, _ in rows], counts, keys, title, language)


def _stacked(
    names: list[str],
    counts: list[tuple[int, int, int, int]],
    keys: tuple[str, str, str],
    title: str,
    language: Language,
) -> go.Figure:
    places = list(range(len(names)))
    figure = go.Figure()
    for part, (key, (colour, pattern)) in enumerate(zip(keys, PARTS, strict=True)):
        figure.add_bar(
            name=text(PART_NAMES[key], language),
            orientation="h",
            x=[100 * row[part] / row[3] if row[3] else 0.0 for row in counts],
            y=places,
            customdata=[row[part] for row in counts],
            marker={"color": colour, "pattern": {"shape": pattern, "fgcolor": INK}},
            hovertemplate="%{customdata:,} (%{x:.1f}%)<extra>%{fullData.name}</extra>",
        )
    figure.update_layout(barmode="stack", bargap=0.35)
    figure.update_xaxes(title_text=title, range=[0, 100])
    shown = [f"{visible(name)} ({row[3]:,})" for name, row in zip(names, counts, strict=True)]
    figure.update_yaxes(
        tickmode="array", tickvals=places, ticktext=shown, autorange="reversed", showgrid=False
    )
    return styled(figure, height=int(np.clip(130 + 34 * len(names), 220, 760)))
