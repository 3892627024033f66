"""Every change of a project's word list as one batch: written whole or not at all, a version to return to."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import groupby, islice

from core.store.clock import now
from core.store.errors import PayloadError, StoreError
from core.store.lexicon_entry import WordEntry, change_of, checked_type
from core.store.payload import checked_user
from core.store.projects import checked_id, row_of
from core.store.workspace import Workspace

CHUNK = 20_000
CACHE_KIB = 256 * 1024
LONGEST_SOURCE = 200
_STANDING = (
    "SELECT max(id) AS id FROM lexicon_batches "
    "WHERE project_id = ? AND kind <> 'undo' AND undone IS NULL AND id = coalesce(?, id)"
)
Entries = tuple[WordEntry, ...]
# Told how many words are done; may raise to cancel, and then nothing of the batch is written.
Tell = Callable[[int], None]


@dataclass(frozen=True, slots=True)
class Batch:
    """One version: who changed what when, and from where (``source``: a file's name, or "").

    Args:
        added, removed, changed: words. target: the batch that was undone or gone back to.
        undone: the batch that undid this one, or None.
    """

    id: int
    kind: str
    source: str
    user: str
    at: int
    added: int
    removed: int
    changed: int
    target: int | None
    undone: int | None


def write(
    workspace: Workspace,
    project_id: int,
    kind: str,
    words: Iterable[str],
    decide: Callable[[str, Entries], Iterable[WordEntry]],
    *,
    user: str,
    source: str = "",
    target: int | None = None,
    tell: Tell | None = None,
) -> Batch:
    """Change words as one batch.

    Args:
        words: each once, checked already. decide: from a word and what stands of it to what shall stand.
        tell: called after every 20,000 words.

    Raises:
        PayloadError: nothing changes by it. Whatever ``tell`` raises. After any error nothing is written.
    """
    with long_writing(workspace) as db:
        return write_into(
            db, project_id, kind, words, decide, user=user, source=source, target=target, tell=tell
        )


@contextmanager
def long_writing(workspace: Workspace) -> Iterator[sqlite3.Connection]:
    """``Workspace.writing`` that gives back the room which a long batch took for its pages."""
    with workspace.writing() as db:
        try:
            yield db
        finally:
            db.execute("PRAGMA cache_size = -2000")


def write_into(
    db: sqlite3.Connection,
    project_id: int,
    kind: str,
    words: Iterable[str],
    decide: Callable[[str, Entries], Iterable[WordEntry]],
    *,
    user: str,
    source: str = "",
    target: int | None = None,
    tell: Tell | None = None,
) -> Batch:
    """``write`` inside a transaction that is open already."""
    user = checked_user(user)
    row_of(db, project_id)
    number = db.execute(
        "INSERT INTO lexicon_batches (project_id, kind, source, user, at, target) VALUES (?, ?, ?, ?, ?, ?)",
        (project_id, kind, checked_source(source), user, now(), target),
    ).lastrowid
    assert number is not None
    counts = {"added": 0, "removed": 0, "changed": 0}
    done = 0
    source_words = iter(words)
    while chunk := list(islice(source_words, CHUNK)):
        if done == CHUNK:
            # A long one: without room for its pages every row would be read from and written to the disk.
            db.execute(f"PRAGMA cache_size = -{CACHE_KIB}")
        _write_chunk(db, project_id, number, chunk, decide, counts)
        done += len(chunk)
        if tell is not None:
            tell(done)
    if not any(counts.values()):
        raise PayloadError("nothing changes: the word list is like that already")
    db.execute(
        "UPDATE lexicon_batches SET added = :added, removed = :removed, changed = :changed WHERE id = :id",
        {**counts, "id": number},
    )
    touch(db, project_id)
    return _batch(db.execute("SELECT * FROM lexicon_batches WHERE id = ?", (number,)).fetchone())


def _write_chunk(
    db: sqlite3.Connection,
    project_id: int,
    number: int,
    words: Sequence[str],
    decide: Callable[[str, Entries], Iterable[WordEntry]],
    counts: dict[str, int],
) -> None:
    stands = standing(db, project_id, words)
    changes, rows, gone = [], [], []
    for word in words:
        before, settled, documents = stands.get(word, ((), frozenset(), None))
        # An entry that stays as it was keeps where it came from.
        known = {entry[:3]: entry.origin for entry in before}
        of_type = {entry.type: entry.origin for entry in before}
        after = tuple(
            entry._replace(origin=known.get(entry[:3]) or entry.origin or of_type.get(entry.type) or number)
            for entry in _of_one_type(decide(word, before))
        )
        if set(before) == set(after):
            continue
        counts[change_of(before, after)] += 1
        changes += [_change(project_id, number, word, e, 0) for e in before if e not in after]
        changes += [_change(project_id, number, word, e, 1) for e in after if e not in before]
        if before:
            gone.append((project_id, word))
        conflict = 0 if len(after) < 2 else 2 if settled.issuperset(e.type for e in after) else 1
        rows += [
            (project_id, word, e.type, e.frequency, e.masked, e.origin, len(word), conflict, documents)
            for e in after
        ]
    db.executemany(
        "INSERT INTO lexicon_changes (project_id, batch, word, type, frequency, masked, came, origin) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        changes,
    )
    db.executemany("DELETE FROM lexicon_words WHERE project_id = ? AND masked IN (0, 1) AND word = ?", gone)
    db.executemany(
        "INSERT INTO lexicon_words "
        "(project_id, word, type, frequency, masked, origin, length, conflict, documents) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        rows,
    )


def _of_one_type(entries: Iterable[WordEntry]) -> Iterable[WordEntry]:
    """Two labels may have become one since: of two entries with one type the more frequent stays."""
    kept: dict[str, WordEntry] = {}
    for entry in entries:
        known = kept.get(entry.type)
        if known is None or entry.frequency > known.frequency:
            kept[entry.type] = entry
    return kept.values()


def standing(
    db: sqlite3.Connection, project_id: int, words: Sequence[str]
) -> dict[str, tuple[Entries, frozenset[str], int | None]]:
    """What stands of these words: entries, the types a person said to keep together, documents counted."""
    found: dict[str, tuple[Entries, frozenset[str], int | None]] = {}
    rows = db.execute(
        "SELECT word, type, frequency, masked, origin, conflict, documents FROM lexicon_words "
        "WHERE project_id = ? AND masked IN (0, 1) AND word IN (SELECT value FROM json_each(?)) "
        "ORDER BY word, id",
        (project_id, json.dumps(list(words), ensure_ascii=False)),
    )
    for word, group in groupby(rows, key=lambda row: row["word"]):
        of_word = list(group)
        entries = tuple(
            WordEntry(row["type"], row["frequency"], bool(row["masked"]), row["origin"]) for row in of_word
        )
        settled = frozenset(row["type"] for row in of_word if row["conflict"] == 2)
        found[word] = (entries, settled, of_word[0]["documents"])
    return found


def undo(
    workspace: Workspace,
    project_id: int,
    batch: int | None = None,
    *,
    user: str | None = None,
    tell: Tell | None = None,
) -> tuple[Batch, Batch]:
    """Take back a batch (None: the latest that stands) by a new one; returns the undone one and the new one.

    A word that was changed since stays as it is.

    Args:
        user: who undoes it; None: whoever made it.

    Raises:
        StoreError: there is nothing to undo.
    """
    with long_writing(workspace) as db:
        row_of(db, project_id)
        return undo_into(db, project_id, batch, user=user, tell=tell)


def undo_into(
    db: sqlite3.Connection,
    project_id: int,
    batch: int | None = None,
    *,
    user: str | None = None,
    tell: Tell | None = None,
) -> tuple[Batch, Batch]:
    """``undo`` inside a transaction that is open already."""
    row = db.execute(_STANDING, (project_id, None if batch is None else checked_id(batch))).fetchone()
    if row["id"] is None:
        raise StoreError("no change of the word list is left to undo")
    undone = _batch(db.execute("SELECT * FROM lexicon_batches WHERE id = ?", (row["id"],)).fetchone())
    try:
        made = _take_back(
            db, project_id, undone.id - 1, undone.id, "undo", undone.id, user or undone.user, tell
        )
    except PayloadError:
        raise StoreError(
            "every word of this change was changed since; there is nothing left of it to undo"
        ) from None
    db.execute("UPDATE lexicon_batches SET undone = ? WHERE id = ?", (made.id, undone.id))
    return undone, made


def revert(
    workspace: Workspace, project_id: int, version: int, *, user: str, tell: Tell | None = None
) -> Batch:
    """Make the list what it was after ``version`` (0: before the first) by a new batch; nothing is lost.

    Raises:
        NotFound: no such project. PayloadError: no such version, or the list is like that already.
    """
    with long_writing(workspace) as db:
        row_of(db, project_id)
        check_version(db, project_id, version)
        return _take_back(db, project_id, version, 2**62, "revert", version, user, tell)


def _take_back(
    db: sqlite3.Connection,
    project_id: int,
    after: int,
    upto: int,
    kind: str,
    target: int,
    user: str,
    tell: Tell | None,
) -> Batch:
    """Write the opposite of what the batches in ``(after, upto]`` did together."""
    wanted: dict[str, tuple[set[WordEntry], list[WordEntry]]] = {}

    def words() -> Iterator[str]:
        for word, gone, came in net(db, project_id, after, upto):
            wanted[word] = (set(came), gone)
            yield word

    def decide(word: str, before: Entries) -> Entries:
        came, gone = wanted.pop(word)
        after = (*(entry for entry in before if entry not in came), *gone)
        mixed = any(entry.masked for entry in after) and not all(entry.masked for entry in after)
        return before if mixed or not came <= set(before) else after

    return write_into(db, project_id, kind, words(), decide, user=user, target=target, tell=tell)


def net(
    db: sqlite3.Connection, project_id: int, after: int, upto: int
) -> Iterator[tuple[str, list[WordEntry], list[WordEntry]]]:
    """Words that the batches in ``(after, upto]`` changed together, in order: entries gone, entries come.

    SQLite sorts them before it gives the first, so the tables may be written meanwhile.
    """
    rows = db.execute(
        "SELECT word, type, frequency, masked, origin, sum(2 * came - 1) AS sign FROM lexicon_changes "
        "WHERE project_id = ? AND batch > ? AND batch <= ? "
        "GROUP BY word, type, frequency, masked, origin HAVING sign <> 0 ORDER BY word",
        (project_id, after, upto),
    )
    for word, group in groupby(rows, key=lambda row: row["word"]):
        gone: list[WordEntry] = []
        came: list[WordEntry] = []
        for row in group:
            entry = WordEntry(row["type"], row["frequency"], bool(row["masked"]), row["origin"])
            (came if row["sign"] > 0 else gone).append(entry)
        yield word, gone, came


def versions(
    workspace: Workspace, project_id: int, *, offset: int = 0, limit: int = 50
) -> tuple[list[Batch], int]:
    """The batches, newest first, and how many there are."""
    with workspace.reading() as db:
        row_of(db, project_id)
        rows = db.execute(
            "SELECT * FROM lexicon_batches WHERE project_id = ? ORDER BY id DESC LIMIT ? OFFSET ?",
            (project_id, limit, offset),
        ).fetchall()
        total = db.execute(
            "SELECT count(*) FROM lexicon_batches WHERE project_id = ?", (project_id,)
        ).fetchone()[0]
    return [_batch(row) for row in rows], int(total)


def last_standing(workspace: Workspace, project_id: int) -> int | None:
    """The batch that ``undo`` would take back, or None."""
    with workspace.reading() as db:
        row_of(db, project_id)
        row = db.execute(_STANDING, (project_id, None)).fetchone()
    return None if row["id"] is None else int(row["id"])


def check_version(db: sqlite3.Connection, project_id: int, version: object) -> int:
    """``version`` where it is a batch of the project, or 0 for the beginning.

    Raises:
        PayloadError: it is not.
    """
    if version == 0 and not isinstance(version, bool):
        return 0
    row = db.execute(
        "SELECT 1 FROM lexicon_batches WHERE project_id = ? AND id = ?", (project_id, checked_id(version))
    ).fetchone()
    if row is None:
        raise PayloadError(f"this project's word list has no version {version}; reload the page")
    return int(version)  # type: ignore[call-overload]


def checked_source(source: object) -> str:
    """The name of where words come from, as it is shown; longer ones are cut.

    Raises:
        PayloadError: no text.
    """
    if not isinstance(source, str):
        raise PayloadError("the source of words is a name")
    return checked_type(" ".join(source.encode("utf-8", "replace").decode().split())[:100])


def touch(db: sqlite3.Connection, project_id: int) -> None:
    """Note that the word list is another one now, for those who keep something made of it."""
    db.execute(
        "INSERT INTO lexicon_state VALUES (?, 1) "
        "ON CONFLICT (project_id) DO UPDATE SET revision = revision + 1",
        (project_id,),
    )


def revision(db: sqlite3.Connection, project_id: int) -> int:
    """Goes up with every change of the word list."""
    row = db.execute("SELECT revision FROM lexicon_state WHERE project_id = ?", (project_id,)).fetchone()
    return int(row[0]) if row else 0


def _change(project_id: int, number: int, word: str, entry: WordEntry, came: int) -> tuple[object, ...]:
    return (
        project_id, number, word, entry.type, entry.frequency, entry.masked, came, entry.origin,
    )  # fmt: skip


def _batch(row: sqlite3.Row) -> Batch:
    return Batch(
        row["id"], row["kind"], row["source"], row["user"], row["at"],
        row["added"], row["removed"], row["changed"], row["target"], row["undone"],
    )  # fmt: skip
