"""The Dashboard: how far the project is, how fast it goes, what a run would gain, how far people agree."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import gradio as gr

from app.dashboard.figures import agreement_dots, agreement_over_time, label_drift, learning_curve, progress
from app.dashboard.overview import RESAMPLES, Overview, overview_of
from app.i18n import text
from app.services.session import Session
from app.ui.code_span import code_span
from app.ui.frame import Frame
from app.ui.widgets.figure_view import FigureView, figure_view
from app.ui.widgets.lazy_plot import plotly_loader
from core.agreement import Result
from core.store.review.pace import Pace

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
    agreement: gr.Column
    by: gr.Radio
    pairs: FigureView
    over_time: FigureView
    time_note: gr.Markdown
    table: gr.Dataframe

    @property
    def agreed(self) -> list[Any]:
        """The outputs of ``compare_people``."""
        return [
            self.agreement_note, self.compute, self.agreement, self.pairs.plot, self.over_time.plot,
            self.time_note, self.table,
        ]  # fmt: skip

    @property
    def shown(self) -> list[Any]:
        """The outputs of ``show``."""
        return [
            self.empty, self.board, self.numbers, self.progress.plot, self.labels.plot, self.curve_box,
            self.curve.plot, self.next_hour, self.people, self.people_table, *self.agreed,
        ]  # fmt: skip


def layout(frame: Frame) -> DashboardComponents:
    """Build the page inside its tab."""
    texts = frame.texts
    plotly_loader()
    texts.bind(gr.Markdown(elem_classes="ll-purpose"), value="dashboard.purpose")
    with gr.Column(visible=False, elem_classes="ll-empty", elem_id="dashboard-empty") as empty:
        texts.bind(gr.Markdown(), value="dashboard.empty")
        to_annotate = texts.bind(
            gr.Button(variant="primary", elem_id="dashboard-to-annotate"), value="dashboard.to_annotate"
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
        empty, to_annotate, board, numbers, progress_view, labels_view, curve_box, curve_view, next_hour,
        people, **parts,
    )  # fmt: skip


def _layout_people(frame: Frame) -> dict[str, Any]:
    texts = frame.texts
    texts.bind(gr.Markdown(elem_classes="ll-section"), value="dashboard.people")
    people_table = _table("dashboard-people-table")
    texts.bind(gr.Markdown(elem_classes="ll-how"), value="dashboard.people_how")
    texts.bind(gr.Markdown(elem_classes="ll-section"), value="dashboard.agreement")
    note = gr.Markdown(elem_id="dashboard-agreement-note", elem_classes="ll-how")
    compute = texts.bind(
        gr.Button(visible=False, variant="primary", elem_id="dashboard-compute"), value="dashboard.compute"
    )
    with gr.Column(visible=False, elem_id="dashboard-agreement") as agreement:
        by = texts.bind(
            gr.Radio(elem_id="dashboard-by"),
            chosen="pair",
            label="dashboard.by",
            choices=[("dashboard.by_pair", "pair"), ("dashboard.by_label", "label")],
        )
        pairs = figure_view("dashboard-agreement-figure")
        texts.bind(gr.Markdown(elem_classes="ll-how"), value="dashboard.how.agreement")
        over_time = figure_view("dashboard-agreement-time")
        time_note = gr.Markdown(elem_classes="ll-how")
        with texts.bind(gr.Accordion(open=False, elem_id="dashboard-all"), label="dashboard.all_values"):
            table = _table("dashboard-agreement-table")
    return {
        "people_table": people_table, "agreement_note": note, "compute": compute, "agreement": agreement,
        "by": by, "pairs": pairs, "over_time": over_time, "time_note": time_note, "table": table,
    }  # fmt: skip


def _figure(frame: Frame, name: str) -> FigureView:
    frame.texts.bind(gr.Markdown(elem_classes="ll-section"), value=f"dashboard.{name}")
    view = figure_view(f"dashboard-{name}")
    frame.texts.bind(gr.Markdown(elem_classes="ll-how"), value=f"dashboard.how.{name}")
    return view


def _table(elem_id: str) -> gr.Dataframe:
    return gr.Dataframe(
        datatype="str", interactive=False, show_label=False, max_height=420, buttons=[], elem_id=elem_id,
        elem_classes="compare-table",
    )  # fmt: skip


def show(session: Session, by: str) -> tuple[Any, ...]:
    """Fill the page. Outputs: ``DashboardComponents.shown``."""
    found = overview_of(session)
    if not found.counts["all"]:
        nothing = [gr.skip()] * 15
        return gr.update(visible=True), gr.update(visible=False), *nothing
    return (
        gr.update(visible=False),
        gr.update(visible=True),
        numbers(session, found),
        progress(found, session.language),
        label_drift(found, session.language),
        gr.update(visible=bool(found.curves)),
        learning_curve(found.curves, session.language),
        next_hour(session, found),
        gr.update(visible=found.several),
        people_rows(session, found) if found.several else gr.skip(),
        *(compare_people(session, by, asked=False) if found.several else [gr.skip()] * 7),
    )


def numbers(session: Session, found: Overview) -> str:
    """Where the project stands, in three lines."""
    counts, now = found.counts, found.now
    share = round(100 * counts["done"] / counts["all"])
    documents = session.text(
        "dashboard.numbers.documents", all=f"{counts['all']:,}", done=f"{counts['done']:,}", share=share,
        progress=f"{counts['in_progress']:,}", new=f"{counts['new']:,}",
    )  # fmt: skip
    if counts["brought"]:
        documents += session.text("dashboard.numbers.brought", brought=f"{counts['brought']:,}")
    lines = [
        documents,
        session.text(
            "dashboard.numbers.spans", spans=f"{sum(found.spans.values()):,}", labels=len(found.spans)
        ),
    ]
    if found.separate:
        lines.insert(
            1,
            session.text(
                "dashboard.numbers.copies", done=f"{found.handed.done:,}", handed=f"{found.handed.handed:,}",
                spans=f"{sum(found.handed.spans.values()):,}",
            ),
        )  # fmt: skip
    if now.documents_per_hour is None or now.spans_per_hour is None:
        lines.append(session.text("dashboard.numbers.no_speed"))
    else:
        lines.append(
            session.text(
                "dashboard.numbers.speed", documents=_rate(now.documents_per_hour),
                spans=_rate(now.spans_per_hour), hours=f"{now.hours:.1f}",
            )
        )  # fmt: skip
    return "\n\n".join(lines)


def next_hour(session: Session, found: Overview) -> str:
    """What the next hour of work would bring: documents, and F1 as far as the curve can say."""
    speed = found.now.documents_per_hour
    parts = [f"### {session.text('dashboard.next_hour')}"]
    left = found.left
    if speed is None:
        parts.append(session.text("dashboard.next.no_speed"))
    elif not left:
        waiting = found.counts["all"] - found.counts["done"]
        parts.append(
            session.text("dashboard.next.copies_done", count=waiting)
            if found.separate and waiting
            else session.text("dashboard.next.nothing_left")
        )
    else:
        parts.append(
            session.text("dashboard.next.documents", count=_rate(min(speed, left)), hours=_rate(left / speed))
        )
    if not found.curves:
        return "\n\n".join([*parts, session.text("dashboard.next.no_runs")])
    for tagger, (runs, law) in found.curves.items():
        if law is None:
            sizes = len({run.documents for run in runs})
            parts.append(session.text("dashboard.next.too_few", tagger=code_span(tagger), sizes=sizes))
            continue
        low, high = law.slope_interval
        slope = {"slope": f"{law.slope:.2f}", "low": f"{low:.2f}", "high": f"{high:.2f}"}
        if not law.rises:
            parts.append(
                session.text("dashboard.next.flat", tagger=code_span(tagger), points=law.points, **slope)
            )
            continue
        today = runs[-1].documents
        more = min(speed or 0, left)
        before, (after, worst, best) = law.f1(today)[0], law.f1(today + more)
        if not more:
            parts.append(
                session.text(
                    "dashboard.next.stands", tagger=code_span(tagger), points=law.points,
                    today=f"{today:,}", before=f"{100 * before:.1f}", **slope,
                )
            )  # fmt: skip
            continue
        parts.append(
            session.text(
                "dashboard.next.curve", tagger=code_span(tagger), points=law.points, today=f"{today:,}",
                before=f"{100 * before:.1f}", more=_rate(more), after=f"{100 * after:.1f}",
                worst=f"{100 * worst:.1f}", best=f"{100 * best:.1f}", **slope,
            )
        )  # fmt: skip
    return "\n\n".join(parts)


def people_rows(session: Session, found: Overview) -> dict[str, Any]:
    """One row a person: documents, finished, spans, hours, both speeds."""
    names = ("person", "documents", "finished", "spans", "hours", "documents_per_hour", "spans_per_hour")
    return {
        "headers": [session.text(f"dashboard.column.{name}") for name in names],
        "data": [[user, *_pace_cells(one)] for user, one in found.people.items()],
    }


def _pace_cells(one: Pace) -> list[str]:
    rates = ("–" if rate is None else _rate(rate) for rate in (one.documents_per_hour, one.spans_per_hour))
    return [f"{one.documents:,}", f"{one.finished:,}", f"{one.spans:,}", f"{one.hours:.1f}", *rates]


def compare_people(session: Session, by: str, *, asked: bool = True) -> tuple[Any, ...]:
    """Agreement of the finished copies. Outputs: ``DashboardComponents.agreed``.

    Args:
        asked: compute it however long it takes.
    """
    found = overview_of(session)
    hidden = gr.update(visible=False)
    if not found.versions:
        return session.text("dashboard.agreement_none"), hidden, hidden, None, None, "", gr.skip()
    documents, versions = len(found.versions), found.compared
    if not asked and not found.is_agreement_ready:
        note = session.text("dashboard.agreement_ask", documents=f"{documents:,}", versions=f"{versions:,}")
        return note, gr.update(visible=True), hidden, None, None, "", gr.skip()
    over_time = agreement_over_time(found.stretches, session.language)
    return (
        session.text(
            "dashboard.agreement_how", documents=f"{documents:,}", people=len(found.report.annotators),
            resamples=RESAMPLES,
        ),
        hidden,
        gr.update(visible=True),
        draw_agreement(session, by),
        over_time,
        session.text("dashboard.how.time" if over_time is not None else "dashboard.time_none"),
        agreement_rows(session, found),
    )  # fmt: skip


def draw_agreement(session: Session, by: str) -> Any:
    """The coefficients by pair or by label."""
    measures = BY_LABEL if by == "label" else BY_PAIR
    return agreement_dots(overview_of(session).report, by, measures, session.language)


def agreement_rows(session: Session, found: Overview) -> dict[str, Any]:
    """Every coefficient with its interval, or with why it has none."""
    names = ("who", "label", "measure", "value", "interval", "documents")
    report = found.report
    return {
        "headers": [session.text(f"dashboard.column.{name}") for name in names],
        "data": [
            [
                session.text("dashboard.everybody") if row.annotators == report.annotators
                else " – ".join(row.annotators),
                row.label or session.text("dashboard.all_labels"),
                text(f"dashboard.measure.{row.measure}", session.language),
                *_value(session, row.result),
                str(row.documents),
            ]
            for row in report.rows
        ],
    }  # fmt: skip


def _value(session: Session, result: Result) -> tuple[str, str]:
    if result.reason is not None:
        return "–", result.reason.zh if session.language == "zh" else result.reason.en
    low_high = result.interval
    return f"{result.value:.3f}", f"[{low_high[0]:.3f}, {low_high[1]:.3f}]" if low_high else ""


def _rate(value: float) -> str:
    """A number of things: whole from ten on, else with one decimal."""
    return f"{value:,.0f}" if value >= 10 else f"{value:.1f}"


def to_annotate_page(session: Session) -> dict[str, Any]:
    """Turn to the Data page, where documents come in."""
    return gr.update(selected="data")


def wire(components: DashboardComponents, frame: Frame) -> None:
    """Connect the page's events."""
    c = components
    frame.on_show("dashboard", show, c.shown, [c.by])
    frame.on([c.compute.click], compare_people, [c.by], c.agreed, show_progress="full")
    frame.on([c.by.input], draw_agreement, [c.by], [c.pairs.plot])
    frame.on([c.to_annotate.click], to_annotate_page, [], [frame.tabs])
