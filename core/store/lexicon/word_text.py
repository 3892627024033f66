"""The added words of a project as one string in memory, for fast substring search."""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock

from core.store.lexicon.changes import LexiconChanges

_MOST_KEPT = 4
_kept: OrderedDict[tuple[str, int, int], str] = OrderedDict()
_lock = Lock()


def containing(changes: LexiconChanges, part: str, most: int) -> list[str]:
    """The first ``most`` added words with ``part`` in them, in the order of ``changes``."""
    text = _text(changes)
    words: list[str] = []
    at = text.find(part)
    while at >= 0 and len(words) < most:
        start = text.rfind("\n", 0, at) + 1
        end = text.index("\n", at)
        # A part with a line break would match across words; no word has one.
        if at + len(part) <= end:
            words.append(text[start:end])
        at = text.find(part, end)
    return words


def _text(changes: LexiconChanges) -> str:
    with _lock:
        text = _kept.pop(changes.stamp, None)
        if text is None:
            text = "\n".join(changes.added) + "\n"
        _kept[changes.stamp] = text
        while len(_kept) > _MOST_KEPT:
            _kept.popitem(last=False)
    return text
