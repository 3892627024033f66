"""Scores of the runs with intervals, differences to the base, and changed spans."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import gradio as gr

from app.compare.figures import F1, difference_intervals, score_intervals
from app.compare.reading import Comparison, base_first, in_view
from app.i18n import _
from app.services import in_project
from app.services.session import Session
from app.ui.frame import Frame
from app.ui.headings import section_heading
from app.ui.numbers import interval, percent, points
from app.ui.widgets.figure_view import FigureView, figure_view
from app.ui.widgets.plain_table import plain_table, table_value
from core.inspection.corpus.significance import RESAMPLES, Measurement

COLUMNS = (_("run"), _("precision"), _("recall"), _("F1"), _("ΔF1 to base"), _("p"))


@dataclass
class ScoresView:
    """The tables and the figure."""

    how: gr.Markdown
    none: gr.Markdown
    group: gr.Column
    table: gr.Dataframe
    labels: gr.Dataframe
    picture: gr.Radio
    figure: FigureView

    @property
    def outputs(self) -> list[Any]:
        """The outputs of ``draw``."""
        return [self.how, self.none, self.group, self.table, self.labels, self.figure.plot]


def layout(frame: Frame) -> ScoresView:
    """Build the section."""
    texts = frame.texts
    section_heading(texts, _("Scores"))
    none = texts.bind(
        gr.Markdown(visible=False, elem_classes="ll-empty"),
        value=_("No document of these splits has labels, so nothing can be scored."),
    )
    with gr.Column(elem_id="compare-scores-board") as group:
        table = plain_table("compare-scores", 260, elem_classes="compare-table")
        how = gr.Markdown(elem_classes="ll-how", elem_id="compare-scores-how")
        picture = texts.bind(
            gr.Radio(elem_id="compare-picture"),
            chosen="scores",
            label=_("Figure"),
            choices=[(_("F1 of each run"), "scores"), (_("difference to the base"), "differences")],
        )
        figure = figure_view("compare-intervals")
        with texts.bind(gr.Accordion(open=False, elem_id="compare-labels-box"), label=_("By label")):
            labels = plain_table("compare-labels", elem_classes="compare-table")
            texts.hint(
                _(
                    "With many labels some p-values are small by chance: with 20 labels, expect one "
                    "below 0.05."
                )
            )
    return ScoresView(how, none, group, table, labels, picture, figure)


def draw(session: Session, comparison: Comparison, picture: str) -> dict[str, Any]:
    """Show the scores of a comparison."""
    if comparison.whole is None:
        hidden = gr.update(visible=False)
        return {"how": "", "none": gr.update(visible=True), "group": hidden, "figure": None}
    how = session.ngettext(
        "In brackets the 95% interval from {resamples} bootstrap resamples of {count} labelled "
        "document; p is from {resamples} random swaps of whole documents (Yeh 2000): a small p means "
        "that chance alone would seldom make such a difference in F1, a large one only that these "
        "documents cannot tell the runs apart.",
        "In brackets the 95% interval from {resamples} bootstrap resamples of {count} labelled "
        "documents; p is from {resamples} random swaps of whole documents (Yeh 2000): a small p means "
        "that chance alone would seldom make such a difference in F1, a large one only that these "
        "documents cannot tell the runs apart.",
        count=comparison.labelled,
        resamples=f"{RESAMPLES:,}",
    )
    if "train" in comparison.parts or "none" in comparison.parts:
        how += " " + session._("Scores on training documents are too high; judge by dev and test.")
    by_label = [
        [label, *row]
        for label, measured in comparison.by_label.items()
        for row in score_rows(session, comparison.runs, measured)
    ]
    return {
        "how": how,
        "none": gr.update(visible=False),
        "group": gr.update(visible=True),
        "table": table_value(session, COLUMNS, score_rows(session, comparison.runs, comparison.whole)),
        "labels": table_value(session, (_("label"), *COLUMNS), by_label),
        "figure": draw_picture(session, picture, comparison),
    }


def draw_picture(session: Session, picture: str, comparison: Comparison | None = None) -> Any:
    """Draw the chosen figure."""
    comparison = comparison or in_view(session)
    if comparison is None or comparison.whole is None:
        return None
    measured = {session._("all labels"): comparison.whole, **comparison.by_label}
    chosen = difference_intervals if picture == "differences" else score_intervals
    titles = [in_project.run_title(session, run) for run in comparison.runs]
    return chosen(measured, titles, session.language)


def score_rows(session: Session, runs: Sequence[str], measured: Measurement) -> list[list[str]]:
    """A row per run: precision, recall and F1 in percent with intervals, difference to the base, p."""
    rows = []
    for place, name in enumerate(base_first(session, runs)):
        ratios = [
            f"{percent(measured.scores[place, ratio])} {interval(measured.intervals[place, ratio])}"
            for ratio in range(3)
        ]
        difference, p = "–", "–"
        if place:
            gap = interval(measured.difference_intervals[place, F1], signed=True)
            difference = f"{points(measured.differences[place, F1])} {gap}"
            p = f"{measured.p_values[place, F1]:.4f}"
        rows.append([name, *ratios, difference, p])
    return rows


def wire(view: ScoresView, frame: Frame) -> None:
    """Connect the section's events."""
    frame.on([view.picture.input], draw_picture, [view.picture], [view.figure.plot])
