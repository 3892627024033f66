"""How a project's lexicon differs from its base, and words taken out of it."""

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
    """How the project's lexicon differs from its base: words added (with type or ""), words removed.

    Args:
        added: of a word with several types the one seen most often.
        frequencies: of added words, where it is not 1. types: all types of the words that have several.
        stamp: equal for what was read from one workspace between two changes; for those who keep something.
    """

    added: Mapping[str, str] = field(default_factory=dict)
    removed: tuple[str, ...] = ()
    frequencies: Mapping[str, int] = field(default_factory=dict, compare=False)
    types: Mapping[str, tuple[str, ...]] = field(default_factory=dict, compare=False)
    stamp: tuple[str, int, int] = field(default=("", 0, 0), compare=False)


_kept: WeakKeyDictionary[Workspace, dict[int, LexiconChanges]] = WeakKeyDictionary()
_kept_lock = Lock()


def current(workspace: Workspace, project_id: int) -> LexiconChanges:
    """What stands, in alphabetical order; read once and kept until the list changes."""
    with lexicon_lists.snapshot(workspace, project_id) as (db, number):
        stamp = (str(workspace.file), project_id, lexicon_batches.revision(db, project_id))
        with _kept_lock:
            known = _kept.setdefault(workspace, {}).get(project_id)
        if known is not None and known.stamp == stamp:
            return known
        rows = db.execute(
            "SELECT word, type, frequency, masked, conflict FROM lexicon_words "
            "WHERE list = ? ORDER BY masked, word",
            (number,),
        )
        found = _read(rows, label_ids(db, project_id).types, stamp)
    with _kept_lock:
        _kept.setdefault(workspace, {})[project_id] = found
    return found


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
    """Take words out of the lexicon, whether the base or a person put them in; the batch.

    Raises:
        PayloadError: no words, an empty or too long one, or one with a tab or line break.
    """
    checked = list(dict.fromkeys(map(checked_word, words)))
    if not checked:
        raise PayloadError("no words given; type at least one")
    batch = lexicon_steps.write(
        workspace, project_id, "remove", checked, lambda word, before: (MASK,), user=user
    )
    return batch.id
