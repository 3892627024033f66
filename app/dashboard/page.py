"""The Dashboard: progress, speed, expected gain of more documents, and agreement."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import gradio as gr

from app.dashboard.figures import label_drift, learning_curve, progress
from app.dashboard.overview import overview_of
from app.dashboard.people import compare_people, compute_agreement, draw_agreement, people_rows
from app.dashboard.progress_text import next_hour, numbers
from app.i18n import _, pgettext
from app.services.session import Session
from app.ui.frame import Frame
from app.ui.headings import section_heading
from app.ui.widgets.figure_view import FigureView, figure_view
from app.ui.widgets.lazy_plot import plotly_loader
from app.ui.widgets.plain_table import plain_table
from app.ui.work import WorkView, on_work, work_view

FIGURES = {
    "progress": (
        _("Project progress"),
        _(
            "Above: documents finished so far, counted once per annotator; below, from five minutes of "
            "work on: documents and spans per hour of work on each day, where work is the time between "
            "saves at most 5 minutes apart."
        ),
    ),
    "labels": (
        pgettext("chart", "Labels"),
        _(
            "Above: current spans by label; below, from the second day on: each label's share of the "
            "spans added that day, in the same colours."
        ),
    ),
    "curve": (
        _("Learning curve"),
        _(
            "Each mark is a finished run with its training documents and its F1 on held-out ones; "
            "the line is a power law through the runs of one tagger, and a further run would lie in "
            "the band 19 times in 20."
        ),
    ),
}


@dataclass
class DashboardComponents:
    """Numbers first, then the figures, each with a sentence on how to read it."""

    empty: gr.Column
    to_annotate: gr.Button
    board: gr.Column
    numbers: gr.Markdown
    progress: FigureView
    labels: FigureView
    curve_box: gr.Column
    curve: FigureView
    next_hour: gr.Markdown
    people: gr.Column
    people_table: gr.Dataframe
    agreement_note: gr.Markdown
    compute: gr.Button
    work: WorkView
    agreement: gr.Column
    by: gr.Radio
    pairs: FigureView
    over_time: FigureView
    time_note: gr.Markdown
    table: gr.Dataframe

    @property
    def agreement_outputs(self) -> list[Any]:
        """The outputs of ``compare_people``."""
        return [
            self.agreement_note,
            self.compute,
            self.agreement,
            self.pairs.plot,
            self.over_time.plot,
            self.time_note,
            self.table,
        ]

    @property
    def shown(self) -> list[Any]:
        """The outputs of ``show``."""
        return [
            self.empty,
            self.board,
            self.numbers,
            self.progress.plot,
            self.labels.plot,
            self.curve_box,
            self.curve.plot,
            self.next_hour,
            self.people,
            self.people_table,
            *self.agreement_outputs,
        ]


def layout(frame: Frame) -> DashboardComponents:
    """Build the page inside its tab."""
    texts = frame.texts
    plotly_loader()
    texts.purpose(_("Progress, speed, and what more annotation would gain."))
    with gr.Column(visible=False, elem_classes="ll-empty", elem_id="dashboard-empty") as empty:
        texts.bind(
            gr.Markdown(), value=_("Progress is shown here once there are documents. Import some first.")
        )
        to_annotate = texts.button(_("Import documents"), variant="primary", elem_id="dashboard-to-annotate")
    with gr.Column(visible=False, elem_id="dashboard-board") as board:
        numbers = gr.Markdown(elem_id="dashboard-numbers")
        progress_view = _figure(frame, "progress")
        labels_view = _figure(frame, "labels")
        with gr.Column(visible=False) as curve_box:
            curve_view = _figure(frame, "curve")
        next_hour = gr.Markdown(elem_id="dashboard-next-hour")
        with gr.Column(visible=False, elem_id="dashboard-people") as people:
            parts = _layout_people(frame)
    return DashboardComponents(
        empty,
        to_annotate,
        board,
        numbers,
        progress_view,
        labels_view,
        curve_box,
        curve_view,
        next_hour,
        people,
        **parts,
    )


def _layout_people(frame: Frame) -> dict[str, Any]:
    texts = frame.texts
    section_heading(texts, _("People"))
    people_table = plain_table("dashboard-people-table", elem_classes="compare-table")
    texts.hint(_("Documents are counted once per day and person; a speed needs five minutes of work."))
    section_heading(texts, _("Agreement"))
    note = gr.Markdown(elem_id="dashboard-agreement-note", elem_classes="ll-how")
    compute = texts.button(
        _("Compare them"),
        visible=False,
        variant="primary",
        elem_id="dashboard-compute",
        elem_classes="ll-long",
    )
    work = work_view(frame, "dashboard-work")
    with gr.Column(visible=False, elem_id="dashboard-agreement") as agreement:
        by = texts.bind(
            gr.Radio(elem_id="dashboard-by"),
            chosen="pair",
            label=_("Show"),
            choices=[(_("by pair of people"), "pair"), (_("by label"), "label")],
        )
        pairs = figure_view("dashboard-agreement-figure")
        texts.hint(
            _(
                "1 is full agreement and, for κ and α, 0 is what chance would give; a measure without a "
                "dot is undefined, for the reason in the table below."
            )
        )
        over_time = figure_view("dashboard-agreement-time")
        time_note = gr.Markdown(elem_classes="ll-how")
        with texts.bind(
            gr.Accordion(open=False, elem_id="dashboard-all"), label=_("All values, and what is undefined")
        ):
            table = plain_table("dashboard-agreement-table", elem_classes="compare-table")
    return {
        "people_table": people_table,
        "agreement_note": note,
        "compute": compute,
        "work": work,
        "agreement": agreement,
        "by": by,
        "pairs": pairs,
        "over_time": over_time,
        "time_note": time_note,
        "table": table,
    }


def _figure(frame: Frame, name: str) -> FigureView:
    title, how = FIGURES[name]
    section_heading(frame.texts, title)
    view = figure_view(f"dashboard-{name}")
    frame.texts.hint(how)
    return view


def show(session: Session, by: str) -> dict[str, Any]:
    """Fill the page."""
    overview = overview_of(session)
    if not overview.counts["all"]:
        return {"empty": gr.update(visible=True), "board": gr.update(visible=False)}
    return {
        "empty": gr.update(visible=False),
        "board": gr.update(visible=True),
        "numbers": numbers(session, overview),
        "progress": progress(overview, session.language),
        "labels": label_drift(overview, session.language),
        "curve_box": gr.update(visible=bool(overview.curves)),
        "curve": learning_curve(overview.curves, session.language),
        "next_hour": next_hour(session, overview),
        "people": gr.update(visible=overview.several),
        "people_table": people_rows(session, overview) if overview.several else gr.skip(),
        **(compare_people(session, by) if overview.several else {}),
    }


def to_annotate_page(session: Session) -> dict[str, Any]:
    """Turn to the Data page, where documents come in."""
    return gr.update(selected="data")


def wire(components: DashboardComponents, frame: Frame) -> None:
    """Connect the page's events."""
    c = components
    frame.on_show("dashboard", show, c.shown, [c.by])
    on_work(
        frame, c.work, [c.compute.click], compute_agreement, [c.by], c.agreement_outputs,
        doing=_("comparing annotators"), done=_("annotators compared"),
    )  # fmt: skip
    frame.on([c.by.input], draw_agreement, [c.by], [c.pairs.plot])
    frame.on([c.to_annotate.click], to_annotate_page, [], [frame.tabs])
