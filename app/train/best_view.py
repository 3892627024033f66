"""What the page says of a search: its bar, its leaderboard, its outcome."""

from __future__ import annotations

from typing import Any

from app.i18n import Message, _, pgettext
from app.i18n.terms import RUN_STATES
from app.services.session import Session
from app.services.training.search import Search, advice_of
from app.services.training.training_runs import sentence_of, told_of
from app.ui.code_span import code_span
from app.ui.numbers import interval, percent, size
from app.ui.runs import view as run_view
from app.ui.widgets.plain_table import table_value
from core.learning.search.trials import Trial, ranked

COLUMNS = (
    _("rank"),
    _("trial"),
    _("tagger"),
    _("dev F1, 95% interval"),
    _("state"),
    _("training, s"),
    _("characters a second"),
    _("model"),
    _("settings"),
)
STATE_NAMES = {
    "running": _("in progress"),
    "finished": _("finished"),
    "pruned": pgettext("trial", "given up"),
    "failed": _("failed"),
}
START_NAMES = {"default": _("defaults"), "recipe": _("often good"), "": pgettext("trial", "suggested")}
TIME_WAS_UP = _("ended: time was up")
FEWER = _("fewer epochs")
SHOWN = 100  # rows


def progress_html(session: Session, search: Search) -> str:
    """The bar, as of a training."""
    state = search.state
    message = "" if state.status == "finished" else sentence_of(state.error or state.message, session)
    return run_view.job_bar(session, told_of(session, search.name, state, message), state)


def table_of(session: Session, search: Search) -> dict[str, Any]:
    """The leaderboard: finished trials best first, then the others, newest first."""
    best_first = ranked(search.trials)
    others = [trial for trial in reversed(search.trials) if trial.state != "finished"]
    rows = [_row(session, search, trial, str(rank)) for rank, trial in enumerate(best_first, start=1)]
    rows += [_row(session, search, trial, "–") for trial in others]
    return table_value(session, COLUMNS, rows[:SHOWN])


def outcome(session: Session, search: Search) -> str:
    """Sentences on what the search has come to, as Markdown."""
    lines = []
    best = next(iter(ranked(search.trials)), None)
    gain = search.scores.get("gain")
    if best is not None and gain is not None:
        if search.scores["default"] == best.number:
            lines.append(
                session._(
                    "Nothing tried so far is better than the defaults of {tagger}.",
                    tagger=code_span(best.tagger),
                )
            )
        else:
            lines.append(
                session._(
                    "The best trial is {difference} points above the best default, 95% interval {interval}.",
                    difference=percent(gain["f1"]),
                    interval=interval(gain["interval"], signed=True),
                )
            )
    told = None if search.state.active else advice_of(session, search)
    if told is not None:
        lines.append(session._(told))
    return "\n\n".join(lines)


def choices_of(session: Session, search: Search) -> list[tuple[str, int]]:
    """The finished trials as choices, best first."""
    return [
        (
            session._(
                "{tagger}, dev F1 {f1} (trial {number})",
                tagger=trial.tagger,
                f1=percent(trial.f1 or 0.0),
                number=trial.number + 1,
            ),
            trial.number,
        )
        for trial in ranked(search.trials)
    ]


def _row(session: Session, search: Search, trial: Trial, rank: str) -> list[str]:
    f1 = "–" if trial.f1 is None else percent(trial.f1)
    if trial.low is not None and trial.high is not None:
        f1 += " " + interval((trial.low, trial.high))
    speed, space = trial.characters_per_second, trial.size
    return [
        rank,
        str(trial.number + 1),
        trial.tagger,
        f1,
        _state(session, search, trial),
        f"{trial.seconds:,.0f}" if trial.seconds else "–",
        "–" if speed is None else f"{speed:,.0f}",
        "–" if space is None else size(space),
        _settings(session, trial),
    ]


def _settings(session: Session, trial: Trial) -> str:
    """What kind of trial it is, and what differs from the defaults of its tagger, as ``--set`` takes them.

    Of a failed one why it failed, of an average the numbers of its members.
    """
    from core.taggers.base.registry import by_name

    if trial.error is not None:
        return session._(trial.error)
    if trial.members:
        numbers = [number + 1 for number in trial.members]
        return session._(_("average of trials {numbers}", numbers=numbers))
    usual = by_name(trial.tagger).learns_best_with
    shown = [
        f"{name}={value:.3g}" if isinstance(value, float) else f"{name}={value}"
        for name, value in {**trial.config, **trial.settings}.items()
        if usual.get(name) != value
    ]
    return ", ".join([session._(START_NAMES[trial.start]), *shown])


def _state(session: Session, search: Search, trial: Trial) -> str:
    name: Message = STATE_NAMES[trial.state]
    if trial.state == "running" and not search.state.active:
        name = RUN_STATES["interrupted"]
    elif trial.state == "pruned" and trial.cut:
        name = TIME_WAS_UP
    if trial.state == "finished" and trial.cut:
        return f"{session._(name)}, {session._(FEWER)}"
    return session._(name)
