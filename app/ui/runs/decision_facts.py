"""What is known of a run beside the active one, as HTML: scores, corrections, changes, cost."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from html import escape

from app.i18n import _, counted
from app.services import in_project
from app.services.evaluation import decision as decisions
from app.services.evaluation.decision import Cost, Decision
from app.services.session import Session
from app.ui.numbers import interval, percent, points, size
from app.ui.progress import clock
from app.ui.window.navigation import link
from core.inspection.corpus.significance import RESAMPLES, Measurement
from core.store.run import ledger
from core.store.run.ledger import Verdict
from core.store.run.runs import Run

# How the difference in F1 is read, by where its interval lies.
READINGS = {
    "better": _("Better: the 95% interval of the difference lies above 0."),
    "worse": _("Worse: the 95% interval of the difference lies below 0."),
    "same": _("No clear difference: the 95% interval includes 0, so it may be chance."),
}

F1 = 2  # place of F1 beside precision and recall
MOST_LABELS = 10  # the others are unfolded


def summary_html(session: Session, run: Run, decision: Decision | None) -> str:
    """F1 with its difference, the ledger's counts, what changes, and the way to the pages with more."""
    other = decisions.rival(session, run.name)
    lines = [] if decision is None else [score_html(session, decision)]
    facts = [
        (session._("Corrections"), ledger_line(session, ledger.verdict(session.workspace, run.name, other)))
    ]
    if decision is not None and decision.shared:
        facts.append((session._("Predictions"), changes_line(session, decision)))
    lines.append(
        '<dl class="ll-decision-facts">'
        + "".join(f"<div><dt>{escape(name)}</dt><dd>{escape(said)}</dd></div>" for name, said in facts)
        + "</dl>"
    )
    links = [(session._("Corrections in the ledger"), link(session, "ledger", run=run.name))]
    if other is not None:
        compare = link(session, "compare", runs=f"{other},{run.name}")
        links.insert(0, (session._("Compare in detail"), compare))
    lines.append(
        '<p class="ll-decision-links">'
        + "".join(f'<a href="{escape(address)}">{escape(name)}</a>' for name, address in links)
        + "</p>"
    )
    return "".join(lines)


def score_html(session: Session, decision: Decision) -> str:
    """F1 on the held-out documents, and how it differs from the other run's."""
    if decision.whole is None:
        why = session._(
            "No document with gold labels was held out and predicted, so there is no F1 to compare. Put some "
            "into dev or test on the Data page."
        )
        return f'<p class="ll-how">{escape(why)}</p>'
    whole, here = decision.whole, len(decision.runs) - 1
    score = f"F1 {percent(whole.scores[here, F1])}"
    if not here:
        over = session.ngettext(
            "95% interval {interval}, on {count} held-out document.",
            "95% interval {interval}, on {count} held-out documents.",
            count=decision.documents,
            interval=interval(whole.intervals[0, F1]),
        )
        return f'<p class="ll-decision-score"><strong>{escape(score)}</strong></p>' + _quiet(over)
    kind = reading(whole)
    difference = (
        f"{points(whole.differences[1, F1])} {interval(whole.difference_intervals[1, F1], signed=True)}"
    )
    against = session._(
        "{run}: {f1}",
        run=in_project.run_title(session, decision.runs[0]),
        f1=f"F1 {percent(whole.scores[0, F1])}",
    )
    over = session.ngettext(
        "On {count} document that both runs held out; bootstrap with {resamples} resamples.",
        "On {count} documents that both runs held out; bootstrap with {resamples} resamples.",
        count=decision.documents,
        resamples=f"{RESAMPLES:,}",
    )
    return (
        f'<p class="ll-decision-score"><strong>{escape(score)}</strong> '
        f'<span class="ll-decision-{kind}">{escape(difference)}</span> <span>{escape(against)}</span></p>'
        f"<p>{escape(session._(READINGS[kind]))}</p>{_quiet(over)}"
    )


def reading(measured: Measurement) -> str:
    """``better``, ``worse`` or ``same``: where the interval of the difference in F1 lies."""
    low, high = measured.difference_intervals[1, F1]
    return "better" if low > 0 else "worse" if high < 0 else "same"


def ledger_line(session: Session, verdict: Verdict) -> str:
    """The counts of the ledger, in a sentence."""
    if not verdict.total:
        return session._("There are no corrections yet.")
    line = session._(
        "{fixed} fixed, {still_wrong} still wrong, {newly_broken} newly broken, of {corrections}",
        fixed=verdict.fixed,
        still_wrong=verdict.still_wrong,
        newly_broken=verdict.newly_broken,
        corrections=counted.corrections(verdict.total, verdict.confirmed),
    )
    if verdict.unknown:
        line += " " + session._("({count} not predicted)", count=verdict.unknown)
    return line


def changes_line(session: Session, decision: Decision) -> str:
    """How many predictions change, and how."""
    if not decision.changed:
        return session.ngettext(
            "the same in the {count} document that both predicted",
            "the same in all {count} documents that both predicted",
            count=decision.shared,
        )
    return session._(
        "{spans} changed in {changed} of {total}: {new} new, {lost} lost, {boundary} with the boundary "
        "moved, {label} with another label",
        spans=counted.spans(decision.spans),
        changed=counted.documents(decision.changed),
        total=decision.shared,
        **decision.kinds,
    )


def table_html(session: Session, decision: Decision) -> str:
    """F1 by label and the cost of each run."""
    titles = [in_project.run_title(session, run) for run in decision.runs]
    heads = ["", *titles]
    if len(titles) > 1:
        heads.append(session._("difference"))
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in heads)
    rows: list[list[str]] = []
    if decision.whole is not None:
        whole = [(session._(_("F1, all labels")), decision.whole)]
        by_gold = sorted(decision.by_label.items(), key=lambda item: (-int(item[1].counts[0, 2]), item[0]))
        rows = [_f1_row(name, measured) for name, measured in (*whole, *by_gold)]
    first, rest = rows[: MOST_LABELS + 1], rows[MOST_LABELS + 1 :]
    costs = [list(row) for row in cost_rows(session, decision.costs)]
    if len(titles) > 1:
        costs = [[*row, ""] for row in costs]
    more = ""
    if rest:
        name = session.ngettext("{count} further label", "{count} further labels", count=len(rest))
        more = f"<details><summary>{escape(name)}</summary>{_table('', rest)}</details>"
    return f"{_table(head, [*first, *costs])}{more}"


def cost_rows(session: Session, costs: Iterable[Cost]) -> list[list[str]]:
    """Name and value for each run: training, size and speed; without what no run knows."""
    known: Mapping[str, list[str | None]] = {
        session._(_("Training time")): [None if c.seconds is None else clock(c.seconds) for c in costs],
        session._(_("Model size")): [None if c.size is None else size(c.size) for c in costs],
        session._(_("Sentences per second, here")): [
            None if c.speed is None else f"{c.speed:,.{0 if c.speed >= 10 else 1}f}" for c in costs
        ],
    }
    return [[name, *(value or "–" for value in row)] for name, row in known.items() if any(row)]


def _f1_row(name: str, measured: Measurement) -> list[str]:
    row = [f"{name} ({int(measured.counts[0, 2])})", *(percent(scores[F1]) for scores in measured.scores)]
    if len(measured.scores) > 1:
        ends = interval(measured.difference_intervals[1, F1], signed=True)
        row.append(f"{points(measured.differences[1, F1])} {ends}")
    return row


def _table(head: str, rows: Iterable[list[str]]) -> str:
    body = "".join(
        f'<tr><th scope="row">{escape(row[0])}</th>'
        + "".join(f"<td>{escape(cell)}</td>" for cell in row[1:])
        + "</tr>"
        for row in rows
    )
    heads = f"<thead><tr>{head}</tr></thead>" if head else ""
    return f'<table class="ll-plain-table ll-decision-table">{heads}<tbody>{body}</tbody></table>'


def _quiet(line: str) -> str:
    return f'<p class="ll-how">{escape(line)}</p>'
