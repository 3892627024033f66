"""Lexicons of a project's words, cached for each version of its word list."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from threading import Lock

from core.lexicon import Entry, Lexicon
from core.store.lexicon.changes import LexiconChanges

MOST_KEPT = 4
_kept: OrderedDict[tuple[object, ...], Lexicon] = OrderedDict()
_lock = Lock()


def added_entries(changes: LexiconChanges) -> list[Entry]:
    """Added words with frequency and type."""
    return [Entry(word, changes.frequencies.get(word, 1), kind) for word, kind in changes.added.items()]


def types_of(changes: LexiconChanges, word: str) -> tuple[str, ...]:
    """The types of an added word: several if they conflict, none if it has no type."""
    return changes.types.get(word) or tuple(filter(None, (changes.added.get(word, ""),)))


def laid_over(base: Lexicon, changes: LexiconChanges) -> Lexicon:
    """``base`` with the added and without the removed words."""
    if not changes.added and not changes.removed:
        return base
    return _made(
        ("over", changes.stamp, base.fingerprint),
        lambda: base.with_words(added_entries(changes)).without_words(changes.removed),
    )


def typed(changes: LexiconChanges) -> Lexicon:
    """The added words that have a type."""
    # An overlay over nothing: unlike a new lexicon it writes no cache file for every added word.
    return _made(
        ("typed", changes.stamp),
        lambda: Lexicon().with_words([Entry(word) for word, kind in changes.added.items() if kind]),
    )


def _made(key: tuple[object, ...], make: Callable[[], Lexicon]) -> Lexicon:
    with _lock:
        made = _kept.pop(key, None)
        if made is None:
            made = make()
        _kept[key] = made
        while len(_kept) > MOST_KEPT:
            _kept.popitem(last=False)
    return made
