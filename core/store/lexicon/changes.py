"""Differences of a project's lexicon from its base, and words taken out of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from threading import Lock
from weakref import WeakKeyDictionary

from core.store.db.errors import PayloadError
from core.store.db.workspace import Workspace
from core.store.label.ids import label_ids
from core.store.lexicon import batches as lexicon_batches
from core.store.lexicon import lists as lexicon_lists
from core.store.lexicon import steps as lexicon_steps
from core.store.lexicon.entries import LONGEST_WORD, MASK, checked_word

__all__ = ["LONGEST_WORD", "LexiconChanges", "current", "remove"]


@dataclass(frozen=True, slots=True)
class LexiconChanges:
    """Words added to the base lexicon (with their type or "") and removed from it.

    Args:
        added: for a word with several types, the most frequent.
        frequencies: of added words, if not 1. types: all types of words that have several.
        stamp: a cache key that changes with the list.
    """

    added: Mapping[str, str] = field(default_factory=dict)
    removed: tuple[str, ...] = ()
    frequencies: Mapping[str, int] = field(default_factory=dict, compare=False)
    types: Mapping[str, tuple[str, ...]] = field(default_factory=dict, compare=False)
    stamp: tuple[str, int, int] = field(default=("", 0, 0), compare=False)


_kept: WeakKeyDictionary[Workspace, dict[int, LexiconChanges]] = WeakKeyDictionary()
_kept_lock = Lock()


def current(workspace: Workspace, project_id: int) -> LexiconChanges:
    """The current changes, in alphabetical order; cached until the list changes."""
    with lexicon_lists.snapshot(workspace, project_id) as (db, number):
        stamp = (str(workspace.file), project_id, lexicon_batches.revision(db, project_id))
        with _kept_lock:
            cached = _kept.setdefault(workspace, {}).get(project_id)
        if cached is not None and cached.stamp == stamp:
            return cached
        rows = db.execute(
            "SELECT word, type, frequency, masked, conflict FROM lexicon_words "
            "WHERE list = ? ORDER BY masked, word",
            (number,),
        )
        changes = _read(rows, label_ids(db, project_id).types, stamp)
    with _kept_lock:
        _kept.setdefault(workspace, {})[project_id] = changes
    return changes


def _read(
    rows: Iterable[tuple[str, int, int, int, int]], names: Mapping[int, str], stamp: tuple[str, int, int]
) -> LexiconChanges:
    added: dict[str, str] = {}
    removed: list[str] = []
    frequencies: dict[str, int] = {}
    types: dict[str, tuple[str, ...]] = {}
    for word, type_, frequency, masked, conflict in rows:
        if masked:
            removed.append(word)
            continue
        kind = names[type_]
        if conflict:
            types[word] = tuple(sorted({*types.get(word, ()), kind}))
            if frequency <= frequencies.get(word, -1 if word not in added else 1):
                continue
        added[word] = kind
        if frequency != 1:
            frequencies[word] = frequency
    return LexiconChanges(added, tuple(removed), frequencies, types, stamp)


def remove(workspace: Workspace, project_id: int, words: Iterable[str], *, user: str) -> int:
    """Remove words from the lexicon, base or added; returns the batch.

    Raises:
        PayloadError: no words, or one that is empty, too long, or has a tab or line break.
    """
    checked = list(dict.fromkeys(map(checked_word, words)))
    if not checked:
        raise PayloadError("no words given; type at least one")
    batch = lexicon_steps.write(
        workspace, project_id, "remove", checked, lambda word, before: (MASK,), user=user
    )
    return batch.id
