"""Write a batch of changes into a project's word list."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import groupby
from typing import Protocol

from core.store.db.clock import now
from core.store.db.errors import PayloadError
from core.store.db.payload import checked_user
from core.store.label.ids import LabelIds, label_ids, with_names
from core.store.label.words import touch
from core.store.lexicon import batches as lexicon_batches
from core.store.lexicon import lists as lexicon_lists
from core.store.lexicon.batches import Batch
from core.store.lexicon.entries import WordEntry, change_of, checked_type
from core.store.project import journal
from core.store.project.journal import Progress
from core.store.project.projects import row_of

CHUNK = 20_000
Entries = tuple[WordEntry, ...]
Decide = Callable[[str, Entries], Iterable[WordEntry]]


@dataclass(frozen=True, slots=True)
class Heading:
    """Description of a batch: kind, user, source, and the batch it refers to."""

    kind: str
    user: str
    source: str = ""
    target: int | None = None


class Intent(Protocol):
    """What a batch does. Called again for words that somebody else changes in the meantime."""

    def words(self, db: sqlite3.Connection) -> list[str]:
        """The distinct words to change."""

    def decide(
        self, db: sqlite3.Connection, words: Sequence[str], current: Mapping[str, Entries]
    ) -> Mapping[str, Iterable[WordEntry]]:
        """The new entries of ``words``, from their current ones."""

    def finish(self, db: sqlite3.Connection, batch: int) -> None:
        """Runs after all words are written."""


@dataclass(frozen=True)
class Given:
    """Distinct, checked words and a decision for each."""

    listed: list[str]
    decision: Decide

    def words(self, db: sqlite3.Connection) -> list[str]:
        """The given words."""
        return self.listed

    def decide(
        self, db: sqlite3.Connection, words: Sequence[str], current: Mapping[str, Entries]
    ) -> Mapping[str, Iterable[WordEntry]]:
        """Decide every word separately."""
        return {word: self.decision(word, current.get(word, ())) for word in words if word in self._word_set}

    def finish(self, db: sqlite3.Connection, batch: int) -> None:
        """Nothing else."""

    @cached_property
    def _word_set(self) -> frozenset[str]:
        return frozenset(self.listed)


@dataclass
class Writing:
    """A batch being written from one list into another, or into the same one."""

    project_id: int
    batch: int
    intent: Intent
    source: int
    target: int
    counts: Counter[str] = field(default_factory=Counter)


def write_into(
    db: sqlite3.Connection,
    project_id: int,
    heading: Heading,
    intent: Intent,
    progress: Progress | None = None,
) -> Batch:
    """Write a batch into the current list, in an open transaction.

    Raises:
        PayloadError: nothing would change. Also whatever ``progress`` raises.
    """
    row_of(db, project_id)
    number = open_batch(db, project_id, heading)
    current = lexicon_lists.open_list(db, project_id)
    writing = Writing(project_id, number, intent, current, current)
    words = intent.words(db)
    for start in range(0, len(words), CHUNK):
        write_words(db, writing, words[start : start + CHUNK])
        if progress is not None:
            progress(min(start + CHUNK, len(words)))
    return close_batch(db, writing)


def open_batch(db: sqlite3.Connection, project_id: int, heading: Heading) -> int:
    """Create a batch without a place in the order.

    Raises:
        PayloadError: invalid heading.
    """
    number = db.execute(
        "INSERT INTO lexicon_batches (project_id, kind, source, user, at, target) VALUES (?, ?, ?, ?, ?, ?)",
        (
            project_id, heading.kind, checked_source(heading.source), checked_user(heading.user), now(),
            heading.target,
        ),
    ).lastrowid  # fmt: skip
    assert number is not None
    return number


def close_batch(db: sqlite3.Connection, writing: Writing) -> Batch:
    """Append a written batch to the order.

    Raises:
        PayloadError: nothing changes by it.
    """
    counts = writing.counts
    if not any(counts.values()):
        raise PayloadError("nothing changes: the word list is like that already")
    place = lexicon_batches.last_place(db, writing.project_id) + 1
    batch = lexicon_batches.read(db, writing.batch)
    step = None
    if batch.kind != "undo":
        first = db.execute(
            "SELECT min(word) FROM lexicon_changes WHERE project_id = ? AND batch = ?",
            (writing.project_id, batch.id),
        ).fetchone()[0]
        detail = {"batch": batch.id, "kind": batch.kind, "source": batch.source, "first": first}
        detail["words"] = sum(counts.values())
        step = journal.record(db, writing.project_id, lexicon_batches.KIND, batch.user, detail).id
    db.execute(
        "UPDATE lexicon_batches SET added = ?, removed = ?, changed = ?, place = ?, step = ? WHERE id = ?",
        (counts["added"], counts["removed"], counts["changed"], place, step, writing.batch),
    )
    writing.intent.finish(db, writing.batch)
    touch(db, writing.project_id)
    return lexicon_batches.read(db, writing.batch)


def write_words(db: sqlite3.Connection, writing: Writing, words: Sequence[str]) -> None:
    """Write the changes of these words; into another list unchanged words are copied."""
    label_map = label_ids(db, writing.project_id)
    current = current_entries(db, writing.source, words, label_map)
    decided = writing.intent.decide(db, words, {word: stored[0] for word, stored in current.items()})
    target = writing.target
    other = writing.source != target
    named = (*decided.values(), *(stored[0] for stored in current.values()))
    fresh = {e.type for entries in named for e in entries} - label_map.ids.keys() - {""}
    ids = with_names(db, writing.project_id, fresh).ids if fresh else label_map.ids
    changes, rows, gone = [], [], []
    for word in words:
        before, confirmed, documents = current.get(word, ((), frozenset(), None))
        after = _with_origins(before, decided[word], writing.batch) if word in decided else before
        changed = set(before) != set(after)
        if changed:
            writing.counts[change_of(before, after)] += 1
            changes += [_change(writing, word, entry, ids, 0) for entry in before if entry not in after]
            changes += [_change(writing, word, entry, ids, 1) for entry in after if entry not in before]
            if before and not other:
                gone.append((target, word))
        if changed or other:
            conflict = 0 if len(after) < 2 else 2 if confirmed.issuperset(e.type for e in after) else 1
            rows += [
                (
                    target,
                    word,
                    ids[e.type] if e.type else 0,
                    e.frequency,
                    e.masked,
                    e.origin,
                    len(word),
                    conflict,
                    documents,
                )
                for e in after
            ]
    db.executemany(
        "INSERT INTO lexicon_changes (project_id, batch, word, type, frequency, masked, came, origin) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        changes,
    )
    db.executemany("DELETE FROM lexicon_words WHERE list = ? AND masked IN (0, 1) AND word = ?", gone)
    db.executemany(
        "INSERT INTO lexicon_words "
        "(list, word, type, frequency, masked, origin, length, conflict, documents) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        rows,
    )


def _with_origins(before: Entries, after: Iterable[WordEntry], batch: int) -> Entries:
    """Unchanged entries keep their origin. After a merge of labels the more frequent of two entries with one
    type stays."""
    after = tuple(after)
    if not before and len(after) == 1:  # most words of a long list
        (entry,) = after
        return after if entry.origin else (WordEntry(entry.type, entry.frequency, entry.masked, batch),)
    origins = {entry[:3]: entry.origin for entry in before}
    of_type = {entry.type: entry.origin for entry in before}
    kept: dict[str, WordEntry] = {}
    for entry in after:
        rival = kept.get(entry.type)
        if rival is None or entry.frequency > rival.frequency:
            kept[entry.type] = entry
    return tuple(
        entry._replace(origin=origins.get(entry[:3]) or entry.origin or of_type.get(entry.type) or batch)
        for entry in kept.values()
    )


def current_entries(
    db: sqlite3.Connection, number: int, words: Sequence[str], label_map: LabelIds
) -> dict[str, tuple[Entries, frozenset[str], int | None]]:
    """The entries of these words in a list, their confirmed types and document counts."""
    current: dict[str, tuple[Entries, frozenset[str], int | None]] = {}
    rows = db.execute(
        "SELECT word, type, frequency, masked, origin, conflict, documents FROM lexicon_words "
        "WHERE list = ? AND masked IN (0, 1) AND word IN (SELECT value FROM json_each(?)) ORDER BY word, id",
        (number, json.dumps(list(words), ensure_ascii=False)),
    )
    for word, group in groupby(rows, key=lambda row: row["word"]):
        of_word = list(group)
        entries = tuple(
            WordEntry(label_map.types[row["type"]], row["frequency"], bool(row["masked"]), row["origin"])
            for row in of_word
        )
        settled = frozenset(label_map.types[row["type"]] for row in of_word if row["conflict"] == 2)
        current[word] = (entries, settled, of_word[0]["documents"])
    return current


def checked_source(source: object) -> str:
    """Check the name of a source, cut to the maximum length.

    Raises:
        PayloadError: not a string.
    """
    if not isinstance(source, str):
        raise PayloadError("the source of words is a name")
    return checked_type(" ".join(source.encode("utf-8", "replace").decode().split())[:100])


def _change(
    writing: Writing, word: str, entry: WordEntry, ids: Mapping[str, int], came: int
) -> tuple[object, ...]:
    return (
        writing.project_id, writing.batch, word, ids[entry.type] if entry.type else 0, entry.frequency,
        entry.masked, came, entry.origin,
    )  # fmt: skip
