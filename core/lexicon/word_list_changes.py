"""Differences between two word lists, and their merge."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from core.lexicon.entry import Entry
from core.runtime.message import ToldValueError

CHOICES = ("second", "first", "both")
Words = Mapping[str, Sequence[Entry]]  # as in WordList.by_word


@dataclass(frozen=True, slots=True)
class WordDifference:
    """A word that differs between two lists; a list without it has an empty side."""

    word: str
    first: tuple[Entry, ...]
    second: tuple[Entry, ...]

    @property
    def change(self) -> str:
        """The change from the first to the second list: ``added``, ``removed`` or ``changed``."""
        if not self.first:
            return "added"
        return "changed" if self.second else "removed"


def differences(first: Words, second: Words) -> Iterator[WordDifference]:
    """Every word with different types or frequencies, alphabetically."""
    for word in sorted({**first, **second}):
        before, after = first.get(word, ()), second.get(word, ())
        if set(before) != set(after):
            yield WordDifference(word, tuple(before), tuple(after))


def merge(first: Words, second: Words, types: str = "both") -> tuple[list[Entry], int]:
    """The union of both lists, in the order of the first, and the number of words whose types differ.

    A word in both gets the higher frequency. An empty type never overrides a type.

    Args:
        types: the types to keep where they differ: those of the ``first`` list, the ``second``, or ``both``.

    Raises:
        ValueError: ``types`` is none of these.
    """
    if types not in CHOICES:
        raise ToldValueError(
            "types of words are treated as one of {choices}, got {types}", choices=CHOICES, types=repr(types)
        )
    merged: list[Entry] = []
    conflicts = 0
    for word in {**first, **second}:
        ours = {entry.type: entry.frequency for entry in first.get(word, ())}
        theirs = {entry.type: entry.frequency for entry in second.get(word, ())}
        kinds = {kind for kind in (*ours, *theirs) if kind} or {""}
        differing = _types(ours) and _types(theirs) and _types(ours) != _types(theirs)
        conflicts += bool(differing)
        if differing and types != "both":
            kinds = _types(ours) if types == "first" else _types(theirs)
        untyped = max(ours.get("", 0), theirs.get("", 0)) if len(kinds) == 1 else 0
        merged += [
            Entry(word, max(ours.get(kind, 0), theirs.get(kind, 0), untyped), kind) for kind in sorted(kinds)
        ]
    return merged, conflicts


def _types(frequencies: Mapping[str, int]) -> set[str]:
    return {kind for kind in frequencies if kind}
