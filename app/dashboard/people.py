"""The people of the Dashboard: the pace of each, and how far they agree."""

from __future__ import annotations

from typing import Any

import gradio as gr

from app.dashboard.figures import MEASURE_NAMES, agreement_dots, agreement_over_time
from app.dashboard.overview import RESAMPLES, Overview, overview_of
from app.dashboard.progress_text import rounded
from app.i18n import _, counted, text
from app.services.session import Session
from app.ui.widgets.plain_table import table_value
from app.ui.work import Report
from core.agreement import Result
from core.store.review.pace import Pace

OF_PEOPLE = (
    _("person"), _("documents"), _("finished"), _("spans"), _("hours at work"), _("documents / h"),
    _("spans / h"),
)  # fmt: skip
OF_AGREEMENT = (
    _("who"), _("label"), _("measure"), _("value"), _("95% interval, or why not"), _("documents"),
)  # fmt: skip
BY_PAIR = ("span_f1", "alpha", "alpha_u")
BY_LABEL = ("span_f1", "fleiss_kappa", "alpha", "alpha_u")


def people_rows(session: Session, overview: Overview) -> dict[str, Any]:
    """One row a person: documents, finished, spans, hours, both speeds."""
    rows = [[user, *_pace_cells(pace)] for user, pace in overview.people.items()]
    return table_value(session, OF_PEOPLE, rows)


def _pace_cells(pace: Pace) -> list[str]:
    speeds = (pace.documents_per_hour, pace.spans_per_hour)
    rates = ("–" if speed is None else f"{rounded(speed):,}" for speed in speeds)
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
            "{versions} of {documents} can be compared; this takes some seconds.",
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
            "{count} document finished by two or more of {people} people; bars are 95% intervals from "
            "{resamples} resamples of the documents, and docs/agreement.md explains the measures.",
            "{count} documents finished by two or more of {people} people; bars are 95% intervals from "
            "{resamples} resamples of the documents, and docs/agreement.md explains the measures.",
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
    report = overview.report
    rows = [
        [
            session._("everybody") if row.annotators == report.annotators else " – ".join(row.annotators),
            row.label or session._("all labels"),
            text(MEASURE_NAMES[row.measure], session.language),
            *_value(session, row.result),
            str(row.documents),
        ]
        for row in report.rows
    ]
    return table_value(session, OF_AGREEMENT, rows)


def _value(session: Session, result: Result) -> tuple[str, str]:
    if result.reason is not None:
        return "–", session._(result.reason.message)
    low_high = result.interval
    return f"{result.value:.3f}", f"[{low_high[0]:.3f}, {low_high[1]:.3f}]" if low_high else ""
