"""Things with their number, for sentences that count more than one: gettext chooses by one count alone."""

from __future__ import annotations

from core.runtime.message import Message, _, ngettext


def characters(count: float) -> Message:
    return ngettext("{count} character", "{count} characters", count=count)


def comments(count: float) -> Message:
    return ngettext("{count} comment", "{count} comments", count=count)


def corrections(count: float, confirmed: int = 0) -> Message:
    """As "3 corrections and 2 confirmations", of which there are ``count`` in all."""
    corrected = ngettext("{count} correction", "{count} corrections", count=count - confirmed)
    if not confirmed:
        return corrected
    confirmations = ngettext("{count} confirmation", "{count} confirmations", count=confirmed)
    if confirmed == count:
        return confirmations
    return _("{corrections} and {confirmations}", corrections=corrected, confirmations=confirmations)


def documents(count: float) -> Message:
    return ngettext("{count} document", "{count} documents", count=count)


def edits(count: float) -> Message:
    return ngettext("{count} edit", "{count} edits", count=count)


def entries(count: float) -> Message:
    return ngettext("{count} entry", "{count} entries", count=count)


def files(count: float) -> Message:
    return ngettext("{count} file", "{count} files", count=count)


def hours(count: float) -> Message:
    return ngettext("{count} hour", "{count} hours", count=count)


def labels(count: float) -> Message:
    return ngettext("{count} label", "{count} labels", count=count)


def minutes(count: float) -> Message:
    return ngettext("{count} minute", "{count} minutes", count=count)


def patterns(count: float) -> Message:
    return ngettext("{count} pattern", "{count} patterns", count=count)


def points(count: float) -> Message:
    return ngettext("{count} point", "{count} points", count=count)


def predictions(count: float) -> Message:
    return ngettext("{count} prediction", "{count} predictions", count=count)


def runs(count: float) -> Message:
    return ngettext("{count} run", "{count} runs", count=count)


def seconds(count: float) -> Message:
    return ngettext("{count} second", "{count} seconds", count=count)


def spans(count: float) -> Message:
    return ngettext("{count} span", "{count} spans", count=count)


def versions(count: float) -> Message:
    return ngettext("{count} version", "{count} versions", count=count)


def words(count: float) -> Message:
    return ngettext("{count} word", "{count} words", count=count)
