"""The Dashboard: progress, speed, expected gain of more documents, and agreement."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import gradio as gr

from app.dashboard.figures import (
    MEASURE_NAMES,
    agreement_dots,
    agreement_over_time,
    label_drift,
    learning_curve,
    progress,
)
from app.dashboard.overview import RESAMPLES, Overview, overview_of
from app.i18n import _, counted, pgettext, text
from app.services.session import Session
from app.ui.code_span import code_span
from app.ui.frame import Frame
from app.ui.headings import section_heading
from app.ui.widgets.figure_view import FigureView, figure_view
from app.ui.widgets.lazy_plot import plotly_loader
from app.ui.work import Report, WorkView, on_work, work_view
from core.agreement import Result
from core.store.review.pace import Pace

FIGURES = {
    "progress": (
        _("Progress and speed"),
        _(
            "Above: documents finished so far, counted once per annotator. Below: distinct documents and "
            "spans per hour of work on each day; working time is the time between saves at most 5 minutes "
            "apart."
        ),
    ),
    "labels": (
        pgettext("chart", "Labels"),
        _(
            "Above: current spans by label. Below, from the second day on: each label's share of the spans "
            "added that day, in the same colours."
        ),
    ),
    "curve": (
        _("Learning curve"),
        _(
            "Each mark is a finished run: its training documents and its F1 on the "
            "held-out ones. The line is a power law through the runs of one tagger, the "
            "band where a further run would lie 19 times in 20. Runs scored on different "
            "held-out documents compare only roughly."
        ),
    ),
}

COLUMN_NAMES = {
    "person": _("person"),
    "documents": _("documents"),
    "finished": _("finished"),
    "spans": _("spans"),
    "hours": _("hours at work"),
    "documents_per_hour": _("documents / h"),
    "spans_per_hour": _("spans / h"),
    "who": _("who"),
    "label": _("label"),
    "measure": _("measure"),
    "value": _("value"),
    "interval": _("95 % interval, or why not"),
}


BY_PAIR = ("span_f1", "alpha", "alpha_u")
BY_LABEL = ("span_f1", "fleiss_kappa", "alpha", "alpha_u")


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
    texts.bind(
        gr.Markdown(elem_classes="ll-purpose"),
        value=_("Progress, speed, and what more annotation would gain."),
    )
    with gr.Column(visible=False, elem_classes="ll-empty", elem_id="dashboard-empty") as empty:
        texts.bind(
            gr.Markdown(),
            value=_("Progress is shown here once there are documents. Import some first."),
        )
        to_annotate = texts.bind(
            gr.Button(variant="primary", elem_id="dashboard-to-annotate"), value=_("Go to Data")
        )
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
    people_table = _table("dashboard-people-table")
    texts.bind(
        gr.Markdown(elem_classes="ll-how"),
        value=_("Documents are counted once per day and person. A speed needs five minutes of work."),
    )
    section_heading(texts, _("Agreement"))
    note = gr.Markdown(elem_id="dashboard-agreement-note", elem_classes="ll-how")
    compute = texts.bind(
        gr.Button(visible=False, variant="primary", elem_id="dashboard-compute", elem_classes="ll-long"),
        value=_("Compare them"),
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
        texts.bind(
            gr.Markdown(elem_classes="ll-how"),
            value=_(
                "1 is full agreement; for κ and α, 0 is what chance would give. A measure "
                "without a dot is undefined there: the table below says why."
            ),
        )
        over_time = figure_view("dashboard-agreement-time")
        time_note = gr.Markdown(elem_classes="ll-how")
        with texts.bind(
            gr.Accordion(open=False, elem_id="dashboard-all"), label=_("All values, and what is undefined")
        ):
            table = _table("dashboard-agreement-table")
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
    frame.texts.bind(gr.Markdown(elem_classes="ll-how"), value=how)
    return view


def _table(elem_id: str) -> gr.Dataframe:
    return gr.Dataframe(
        datatype="str",
        interactive=False,
        show_label=False,
        max_height=420,
        buttons=[],
        elem_id=elem_id,
        elem_classes="compare-table",
    )


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


def numbers(session: Session, overview: Overview) -> str:
    """Progress in three lines."""
    counts, now = overview.counts, overview.now
    share = round(100 * counts["done"] / counts["all"])
    documents = session.ngettext(
        "**{done}** of **{count}** document done ({share} %); {progress} in progress, {new} untouched.",
        "**{done}** of **{count}** documents done ({share} %); {progress} in progress, {new} untouched.",
        count=counts["all"],
        done=f"{counts['done']:,}",
        share=share,
        progress=f"{counts['in_progress']:,}",
        new=f"{counts['new']:,}",
    )
    if counts["brought"]:
        documents += session.ngettext(
            " Of the untouched, {count} was imported with labels: it is used for training and can be "
            "checked.",
            " Of the untouched, {count} were imported with labels: they are used for training and can be "
            "checked.",
            count=counts["brought"],
        )
    if counts["to_check"]:
        documents += session.ngettext(
            " {count} is to be checked.", " {count} are to be checked.", count=counts["to_check"]
        )
    if counts["ignored"]:
        documents += session.ngettext(
            " {count} is ignored.", " {count} are ignored.", count=counts["ignored"]
        )
    lines = [
        documents,
        session.ngettext(
            "**{count}** gold span; the project has {labels}.",
            "**{count}** gold spans; the project has {labels}.",
            count=sum(overview.spans.values()),
            labels=counted.labels(len(overview.spans)),
        ),
    ]
    if overview.separate:
        lines.insert(
            1,
            session.ngettext(
                "**{count}** version assigned, **{done}** finished, with {spans}.",
                "**{count}** versions assigned, **{done}** finished, with {spans}.",
                done=f"{overview.handed.done:,}",
                count=overview.handed.handed,
                spans=counted.spans(sum(overview.handed.spans.values())),
            ),
        )
    if now.documents_per_hour is None or now.spans_per_hour is None:
        lines.append(session._("No speed yet: less than five minutes of work."))
    else:
        lines.append(
            session._(
                "**{documents}** and **{spans}** an hour of work, over the last {hours} at "
                "work (pauses of more than 5 minutes left out).",
                documents=counted.documents(_rate(now.documents_per_hour)),
                spans=counted.spans(_rate(now.spans_per_hour)),
                hours=counted.hours(round(now.hours, 1)),
            )
        )
    return "\n\n".join(lines)


def next_hour(session: Session, overview: Overview) -> str:
    """Expected gain of the next hour: documents, and F1 by the learning curve."""
    speed = overview.now.documents_per_hour
    parts = [f"## {session._('The next hour of work')}"]
    left = overview.left
    if speed is None:
        parts.append(session._("Documents per hour are not known yet: less than five minutes of work."))
    elif not left:
        waiting = overview.counts["all"] - overview.counts["done"] - overview.counts["ignored"]
        parts.append(
            session.ngettext(
                "All assigned versions are done; {count} document not reviewed yet.",
                "All assigned versions are done; {count} documents not reviewed yet.",
                count=waiting,
            )
            if overview.separate and waiting
            else session._("Every document is done.")
        )
    else:
        parts.append(
            session.ngettext(
                "At the current speed an hour of work gives about **{count}** document; the rest takes "
                "about {hours}.",
                "At the current speed an hour of work gives about **{count}** documents; the rest takes "
                "about {hours}.",
                count=_rate(min(speed, left)),
                hours=counted.hours(_rate(left / speed)),
            )
        )
    if not overview.curves:
        return "\n\n".join(
            [*parts, session._("Its effect on F1 is unknown until a run has been trained here.")]
        )
    for tagger, (runs, law) in overview.curves.items():
        if law is None:
            sizes = len({run.documents for run in runs})
            parts.append(
                session.ngettext(
                    "{tagger}: runs on {count} number of documents; a curve needs three or more.",
                    "{tagger}: runs on {count} different numbers of documents; a curve needs three or more.",
                    tagger=code_span(tagger),
                    count=sizes,
                )
            )
            continue
        low, high = law.slope_interval
        slope = {"slope": f"{law.slope:.2f}", "low": f"{low:.2f}", "high": f"{high:.2f}"}
        if not law.rises:
            parts.append(
                session.ngettext(
                    "{tagger}: the {count} run does not show that more documents help (slope "
                    "{slope}, 95 % interval {low} to {high}).",
                    "{tagger}: the {count} runs do not show that more documents help (slope "
                    "{slope}, 95 % interval {low} to {high}).",
                    tagger=code_span(tagger),
                    count=law.points,
                    **slope,
                )
            )
            continue
        today = runs[-1].documents
        more = min(speed or 0, left)
        before, (after, worst, best) = law.f1(today)[0], law.f1(today + more)
        if not more:
            parts.append(
                session._(
                    "{tagger}: at {today} its curve is at F1 {before} and still rises (slope "
                    "{slope}, 95 % interval {low} to {high}, from {points}).",
                    tagger=code_span(tagger),
                    points=counted.runs(law.points),
                    today=counted.documents(today),
                    before=f"{100 * before:.1f}",
                    **slope,
                )
            )
            continue
        parts.append(
            session.ngettext(
                "{tagger}: with {count} more document than today's {today}, F1 would go from "
                "{before} to about **{after}** (95 % interval {worst} to {best}; slope "
                "{slope}, {low} to {high}, from {points}).",
                "{tagger}: with {count} more documents than today's {today}, F1 would go from "
                "{before} to about **{after}** (95 % interval {worst} to {best}; slope "
                "{slope}, {low} to {high}, from {points}).",
                tagger=code_span(tagger),
                points=counted.runs(law.points),
                today=f"{today:,}",
                before=f"{100 * before:.1f}",
                count=_rate(more),
                after=f"{100 * after:.1f}",
                worst=f"{100 * worst:.1f}",
                best=f"{100 * best:.1f}",
                **slope,
            )
        )
    return "\n\n".join(parts)


def people_rows(session: Session, overview: Overview) -> dict[str, Any]:
    """One row a person: documents, finished, spans, hours, both speeds."""
    names = ("person", "documents", "finished", "spans", "hours", "documents_per_hour", "spans_per_hour")
    return {
        "headers": [session._(COLUMN_NAMES[name]) for name in names],
        "data": [[user, *_pace_cells(pace)] for user, pace in overview.people.items()],
    }


def _pace_cells(pace: Pace) -> list[str]:
    rates = (
        "–" if rate is None else f"{_rate(rate):,}" for rate in (pace.documents_per_hour, pace.spans_per_hour)
    )
    return [f"{pace.documents:,}", f"{pace.finished:,}", f"{pace.spans:,}", f"{pace.hours:.1f}", *rates]


def compute_agreement(session: Session, report: Report, by: str) -> dict[str, Any]:
    """Compute the agreement of the finished versions, and show it."""
    overview_of(session).compare(report)
    return compare_people(session, by)


def compare_people(session: Session, by: str) -> dict[str, Any]:
    """Agreement of the finished versions, once it is computed or quick to compute."""
    overview = overview_of(session)
    hidden = gr.update(visible=False)
    if not overview.versions:
        return {
            "agreement_note": session._(
                "Agreement is shown once two annotators have finished the same document. Assign each "
                "document to more than one person for that."
            ),
            "compute": hidden,
            "agreement": hidden,
            "pairs": None,
            "over_time": None,
            "time_note": "",
        }
    documents, versions = len(overview.versions), overview.compared
    if not overview.is_agreement_ready:
        note = session._(
            "{versions} of {documents} can be compared; that takes some seconds.",
            documents=counted.documents(documents),
            versions=counted.versions(versions),
        )
        return {
            "agreement_note": note,
            "compute": gr.update(visible=True),
            "agreement": hidden,
            "pairs": None,
            "over_time": None,
            "time_note": "",
        }
    over_time = agreement_over_time(overview.stretches, session.language)
    return {
        "agreement_note": session.ngettext(
            "{count} document finished by two or more of {people} people. Bars are 95 % intervals from "
            "{resamples} resamples of the documents. docs/agreement.md explains the measures.",
            "{count} documents finished by two or more of {people} people. Bars are 95 % intervals from "
            "{resamples} resamples of the documents. docs/agreement.md explains the measures.",
            count=documents,
            people=len(overview.report.annotators),
            resamples=RESAMPLES,
        ),
        "compute": hidden,
        "agreement": gr.update(visible=True),
        "pairs": draw_agreement(session, by),
        "over_time": over_time,
        "time_note": session._(
            _(
                "Each point covers the same number of documents, in the order they were finished; below it "
                "the day of the last one, and their number."
            )
            if over_time is not None
            else _("Agreement over time is shown from ten documents on that two annotators have finished.")
        ),
        "table": agreement_rows(session, overview),
    }


def draw_agreement(session: Session, by: str) -> Any:
    """The coefficients by pair or by label."""
    measures = BY_LABEL if by == "label" else BY_PAIR
    return agreement_dots(overview_of(session).report, by, measures, session.language)


def agreement_rows(session: Session, overview: Overview) -> dict[str, Any]:
    """Every coefficient with its interval, or with why it has none."""
    names = ("who", "label", "measure", "value", "interval", "documents")
    report = overview.report
    return {
        "headers": [session._(COLUMN_NAMES[name]) for name in names],
        "data": [
            [
                session._("everybody") if row.annotators == report.annotators else " – ".join(row.annotators),
                row.label or session._("all labels"),
                text(MEASURE_NAMES[row.measure], session.language),
                *_value(session, row.result),
                str(row.documents),
            ]
            for row in report.rows
        ],
    }


def _value(session: Session, result: Result) -> tuple[str, str]:
    if result.reason is not None:
        return "–", session._(result.reason.message)
    low_high = result.interval
    return f"{result.value:.3f}", f"[{low_high[0]:.3f}, {low_high[1]:.3f}]" if low_high else ""


def _rate(value: float) -> float:
    """A number of things: whole from ten on, else with one decimal."""
    return round(value) if value >= 10 else round(value, 1)


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
