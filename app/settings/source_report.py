"""What is told of a source of suggestions: its last run, a trial, how far people agreed with it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from app.i18n import Message, ngettext, pgettext
from app.services.session import Session
from app.services.sources.asking import Report, Trial
from app.settings.source_form import KIND_NAMES
from app.ui.code_span import code_span, code_spans
from app.ui.source_cost import unasked
from core.sources import SourceSettings
from core.sources.contract import Dropped
from core.store.suggest.sources import Agreement, StoredSource

DROPPED_NAMES: dict[Dropped, Message] = {
    "not in the text": ngettext(
        "{count} quotation is not in the text", "{count} quotations are not in the text"
    ),
    "unknown label": ngettext(
        "{count} has a label that was not asked for", "{count} have a label that was not asked for"
    ),
    "said twice": ngettext("{count} was said twice", "{count} were said twice"),
    "malformed": ngettext("{count} cannot be read", "{count} cannot be read"),
}  # fmt: skip
SHOWN = 3  # reasons


def source_rows(
    session: Session, held: Iterable[StoredSource], agreement: Mapping[int, Agreement]
) -> list[list[str]]:
    """The rows of the table of sources."""
    rows = []
    for source in held:
        settings = SourceSettings.from_json(source.settings)
        report = Report.from_json(source.report)
        rows.append(
            [
                settings.name,
                session._(KIND_NAMES[settings.kind]),
                right_so_far(session, agreement.get(source.id, Agreement())),
                f"{report.documents:,}",
                f"{report.spans:,}",
                f"{report.cost:.4g}" if report.cost else "–",
            ]
        )
    return rows


def right_so_far(session: Session, agreement: Agreement) -> str:
    """``80% of 25``: the share of the decided suggestions that people took."""
    if agreement.precision is None:
        return session._("nothing decided yet")
    return session._(
        "{percent}% of {decided}", percent=round(100 * agreement.precision), decided=f"{agreement.decided:,}"
    )


def last_run(session: Session, number: int, settings: SourceSettings, report: Report) -> str:
    """What came of the last run, and what is still to be asked."""
    told = [unasked(session, number, settings, report)]
    if report.at:
        told.append(_of_run(session, report))
    return session.paragraph(*told)


def trial_line(session: Session, trial: Trial) -> str:
    """What a trial came to: how many spans, how long it took, what was left out and why."""
    if trial.answer.problem is not None:
        return session._("No answer. {reason}", reason=session._(trial.answer.problem))
    told = [
        session.ngettext(
            "{count} span in {seconds} s.", "{count} spans in {seconds} s.", count=len(trial.spans),
            seconds=f"{trial.seconds:.2g}",
        )
    ]  # fmt: skip
    usage = trial.answer.usage
    if usage.cached:
        told.append(session._("The answer was kept from before; nothing was sent."))
    elif usage.asked:
        told.append(_tokens(session, usage.read, usage.written, trial.cost))
    told.append(_left_out(session, trial.answer.dropped, trial.unknown))
    return session.paragraph(*told)


def _of_run(session: Session, report: Report) -> str:
    told = [
        session.ngettext(
            "Last run: {count} document, {spans} suggestions, {seconds} s.",
            "Last run: {count} documents, {spans} suggestions, {seconds} s.",
            count=report.documents,
            spans=f"{report.spans:,}",
            seconds=f"{report.seconds:,.1f}",
        )
    ]
    if report.asked:
        told.append(_tokens(session, report.read, report.written, report.cost))
    if report.cached:
        told.append(
            session.ngettext("{count} answer was kept from before.", "{count} answers were kept from before.",
                             count=report.cached)
        )  # fmt: skip
    told.append(_left_out(session, report.dropped, report.unknown))
    for reason, count in report.unanswered.most_common(SHOWN):
        told.append(
            session.ngettext("{count} document without an answer: {reason}",
                             "{count} documents without an answer: {reason}", count=count,
                             reason=code_span(reason))
        )  # fmt: skip
    return session.paragraph(*told)


def _tokens(session: Session, read: int, written: int, cost: float) -> str:
    said = session._("{read} tokens read, {written} written.", read=f"{read:,}", written=f"{written:,}")
    price = session._(pgettext("price", "Cost: {cost}."), cost=f"{cost:.4g}") if cost else ""
    return session.paragraph(said, price)


def _left_out(session: Session, dropped: Mapping[Any, int], unknown: Mapping[str, int]) -> str:
    parts = [
        session._(name, count=dropped[reason])
        for reason, name in DROPPED_NAMES.items()
        if dropped.get(reason)
    ]
    told = session._("Left out: {reasons}.", reasons=session._(", ").join(parts)) if parts else ""
    if not unknown:
        return told
    lacking = session._(
        "The project lacks its labels {labels}: add them, or map them to yours above.",
        labels=code_spans(list(unknown)),
    )
    return session.paragraph(told, lacking)
