"""Import of a word list into a project, and its preview."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Literal

from core.store.db.errors import PayloadError
from core.store.db.payload import checked_choice
from core.store.db.workspace import Workspace
from core.store.label.ids import label_ids
from core.store.lexicon import lists as lexicon_lists
from core.store.lexicon import steps as lexicon_steps
from core.store.lexicon.batches import Batch
from core.store.lexicon.entries import WordEntry, checked_frequency, checked_type, checked_word
from core.store.lexicon.writing import CHUNK, Entries, current_entries
from core.store.project.journal import Progress

CHOICES = ("file", "ours", "both")
KINDS = ("new", "returning", "same", "frequency", "typed", "conflict")
MOST_KEPT = 1_000

Kind = Literal["new", "returning", "same", "frequency", "typed", "conflict"]
# Words and their entries in the imported list.
Incoming = Mapping[str, Sequence[WordEntry]]


@dataclass(frozen=True, slots=True)
class TypeConflict:
    """A word whose types differ from those in the imported list."""

    word: str
    ours: tuple[WordEntry, ...]
    theirs: tuple[WordEntry, ...]


@dataclass(frozen=True, slots=True)
class ImportPreview:
    """What an import would change.

    Args:
        counts: words by kind: ``new``; ``returning`` (removed before); ``same``; ``frequency`` (higher in the
            imported list); ``typed`` (gets its first type); ``conflict`` (has other types).
        conflicts: the first thousand conflicts. ambiguous: words with several types in the imported list.
    """

    counts: Mapping[Kind, int]
    conflicts: tuple[TypeConflict, ...] = ()
    ambiguous: int = 0
    examples: Mapping[Kind, tuple[str, ...]] = field(default_factory=dict)


def preview(
    workspace: Workspace, project_id: int, words: Incoming, *, progress: Callable[[int], None] | None = None
) -> ImportPreview:
    """What ``import_list`` would change; writes nothing.

    Raises:
        NotFound: no such project. Also whatever ``progress``, called after every 20,000 words, raises.
    """
    counts: dict[Kind, int] = dict.fromkeys(KINDS, 0)  # type: ignore[arg-type]
    examples: dict[Kind, list[str]] = {}
    conflicts: list[TypeConflict] = []
    done = 0
    for chunk in _chunks(words):
        with lexicon_lists.snapshot(workspace, project_id) as (db, number):
            current = current_entries(db, number, chunk, label_ids(db, project_id))
        for word in chunk:
            before = current[word][0] if word in current else ()
            kind, _ = outcome(before, words[word], "both")
            counts[kind] += 1
            shown = examples.setdefault(kind, [])
            if len(shown) < 5:
                shown.append(word)
            if kind == "conflict" and len(conflicts) < MOST_KEPT:
                conflicts.append(TypeConflict(word, before, tuple(words[word])))
        done += len(chunk)
        if progress is not None:
            progress(done)
    ambiguous = sum(len(entries) > 1 for entries in words.values())
    return ImportPreview(
        counts, tuple(conflicts), ambiguous, {kind: tuple(shown) for kind, shown in examples.items()}
    )


def import_list(
    workspace: Workspace,
    project_id: int,
    words: Incoming,
    *,
    user: str,
    source: str,
    choice: str = "file",
    choices: Mapping[str, str] | None = None,
    kind: str = "import",
    progress: Progress | None = None,
) -> Batch:
    """Import a list as one batch; of two frequencies the higher is kept.

    Args:
        choice: types of conflicting words: from the ``file``, ``ours``, or ``both``.
        choices: another choice for single words. progress: as in ``lexicon_steps.write``.

    Raises:
        PayloadError: an invalid word, type or choice, or nothing would change.
    """
    checked_choice(choice, CHOICES, "choice")
    by_word = {word: checked_choice(value, CHOICES, "choice") for word, value in (choices or {}).items()}

    def decide(word: str, before: Entries) -> Entries:
        return outcome(before, words[word], by_word.get(word, choice))[1]

    def checked() -> Iterator[str]:
        # Sorted, so that the index grows at its end, which is far quicker for a million words.
        for word in sorted(words):
            entries = words[word]
            if checked_word(word) != word or not entries:
                raise PayloadError(
                    "{word} is no word with its types; read the list again", word=repr(word[:40])
                )
            for entry in entries:
                checked_type(entry.type)
                checked_frequency(entry.frequency)
            yield word

    return lexicon_steps.write(
        workspace, project_id, kind, checked(), decide, user=user, source=source, progress=progress
    )


def outcome(before: Entries, comes: Sequence[WordEntry], choice: str) -> tuple[Kind, Entries]:
    """The kind of change of a word, and its entries afterwards for a choice."""
    theirs = {entry.type: entry.frequency for entry in comes}
    if not before or before[0].masked:
        kind: Kind = "returning" if before else "new"
        return kind, tuple(WordEntry(type_, frequency) for type_, frequency in theirs.items())
    ours = {entry.type: entry.frequency for entry in before}
    if set(theirs) == {""} and "" not in ours:
        # A list without types says nothing about types; with one type the frequency is that type's.
        theirs = {next(iter(ours)): theirs[""]} if len(ours) == 1 else {}
    if theirs.keys() <= ours.keys():
        after = _joined(ours, {type_: theirs[type_] for type_ in theirs})
        return ("same" if after == ours else "frequency"), _entries(after)
    if set(ours) == {""}:
        return "typed", _entries({type_: max(n, ours[""]) for type_, n in theirs.items()})
    if choice == "file":
        after = {type_: max(n, ours.get(type_, 0)) for type_, n in theirs.items()}
    elif choice == "both":
        after = _joined(ours, theirs)
    else:
        after = _joined(ours, {type_: n for type_, n in theirs.items() if type_ in ours})
    return "conflict", _entries(after)


def _joined(ours: Mapping[str, int], theirs: Mapping[str, int]) -> dict[str, int]:
    return {type_: max(ours.get(type_, 0), theirs.get(type_, 0)) for type_ in {**ours, **theirs}}


def _entries(frequencies: Mapping[str, int]) -> Entries:
    return tuple(WordEntry(type_, frequency) for type_, frequency in frequencies.items())


def _chunks(words: Incoming) -> Iterator[list[str]]:
    source = iter(words)
    while chunk := list(islice(source, CHUNK)):
        yield chunk
