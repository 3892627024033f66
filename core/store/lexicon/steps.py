"""Changes of a project's word list: short ones in one transaction, long ones in steps.

What counts as short grows with the list, because a long change copies all other words.

A long change writes a new list (`core.store.lexicon.lists`). Words that others change in the meantime are
decided again, until few enough are left for the transaction that makes the new list current. So readers see
the old version or the new one, and a killed process leaves the old one.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from itertools import groupby

from core.store.db.errors import StoreError
from core.store.db.workspace import Workspace
from core.store.label.ids import label_ids
from core.store.lexicon import batches as lexicon_batches
from core.store.lexicon import lists as lexicon_lists
from core.store.lexicon.batches import Batch
from core.store.lexicon.entries import WordEntry, change_of
from core.store.lexicon.writing import (
    CHUNK,
    Decide,
    Given,
    Heading,
    Intent,
    Writing,
    close_batch,
    current_entries,
    open_batch,
    write_into,
    write_words,
)
from core.store.project.journal import Progress
from core.store.project.projects import row_of

AT_ONCE = 2_000  # more words than this are written in steps
# A long list is not copied for few words: one transaction takes one word (some 0.1 ms) for every `LONG`
# others. Copying a million words takes minutes, and space for a second list.
AT_ONCE_IN_LONG = 10_000
LONG = 10
TOLD = 5_000  # rows between two progress reports, which may cancel: about a second
CACHE_KIB = 256 * 1024
_ATTEMPTS = 5
_SCATTERED = 50  # words from all over the list that are looked up one by one


class _Overtaken(Exception):
    """Something other than words changed in the meantime (such as a label's name): start again."""


def write(
    workspace: Workspace,
    project_id: int,
    kind: str,
    words: Iterable[str],
    decide: Decide,
    *,
    user: str,
    source: str = "",
    progress: Progress | None = None,
) -> Batch:
    """Change words as one batch.

    Args:
        words: distinct and checked. decide: maps a word and its current entries to its new entries; called
            again if somebody else changes the word in the meantime.
        progress: called after every 20,000 words, and every 5,000 rows of a long change.

    Raises:
        PayloadError: nothing would change. Also whatever ``progress`` raises. After an error nothing is
            written.
    """
    intent = Given(list(words), decide)
    return write_intent(workspace, project_id, Heading(kind, user, source), intent, progress)


def write_intent(
    workspace: Workspace, project_id: int, heading: Heading, intent: Intent, progress: Progress | None = None
) -> Batch:
    """Like ``write``, for any intent."""
    with workspace.reading() as db:
        row_of(db, project_id)
        in_steps = _goes_in_steps(db, project_id, len(intent.words(db)))
    if not in_steps:
        with workspace.writing() as db:
            return write_into(db, project_id, heading, intent, progress)
    lexicon_lists.sweep_later(workspace)  # left by a killed process
    with room_for_pages(workspace):
        for _ in range(_ATTEMPTS):
            with suppress(_Overtaken):
                return _LongWriting(workspace, project_id, heading, intent, progress).run()
    raise StoreError("the labels or words of this project kept changing meanwhile; try again later")


def _goes_in_steps(db: sqlite3.Connection, project_id: int, words: int) -> bool:
    """Whether a change of so many words is too long for one transaction."""
    if words <= AT_ONCE:
        return False
    return words > AT_ONCE_IN_LONG or _length(db, project_id) < (LONG + 1) * words


def _length(db: sqlite3.Connection, project_id: int) -> int:
    number = lexicon_lists.current_list(db, project_id)
    return int(db.execute("SELECT count(*) FROM lexicon_words WHERE list = ?", (number,)).fetchone()[0])


@contextmanager
def room_for_pages(workspace: Workspace) -> Iterator[None]:
    """Enlarge the page cache, so that steps through a long list do not reread what the previous one wrote."""
    with workspace.writing() as db:
        db.execute(f"PRAGMA cache_size = -{CACHE_KIB}")
    try:
        yield
    finally:
        with suppress(StoreError), workspace.writing() as db:
            db.execute("PRAGMA cache_size = -2000")


class _LongWriting:
    """One attempt; ``run`` once."""

    def __init__(
        self,
        workspace: Workspace,
        project_id: int,
        heading: Heading,
        intent: Intent,
        progress: Progress | None,
    ) -> None:
        self.workspace, self.project_id, self.intent, self.progress = workspace, project_id, intent, progress
        self.words, self.others, self.written = 1, 0, 0
        with workspace.writing() as db:
            row_of(db, project_id)
            source = lexicon_lists.open_list(db, project_id)
            self.seen = self.began = lexicon_batches.last_place(db, project_id)
            self.revision = lexicon_batches.revision(db, project_id)
            batch = open_batch(db, project_id, heading)
            target = lexicon_lists.begin(db, project_id, batch)
        self.writing = Writing(project_id, batch, intent, source, target)

    def run(self) -> Batch:
        try:
            with self.workspace.reading() as db:
                words = self.intent.words(db)
                self.words = max(1, len(words))
                self.others = max(0, _length(db, self.project_id) - len(words))
            self._write(words)
            self._copy_others(frozenset(words))
            made = None
            while made is None:
                made = self._catch_up()
        except BaseException:
            # If this fails too, the list is swept by its age.
            with suppress(StoreError):
                lexicon_lists.abandon(self.workspace, self.writing.target)
            raise
        finally:
            lexicon_lists.sweep_later(self.workspace)
        return made

    @contextmanager
    def _step(self) -> Iterator[sqlite3.Connection]:
        with lexicon_lists.step(self.workspace) as db:
            self._check(db)
            yield db

    def _check(self, db: sqlite3.Connection) -> None:
        lexicon_lists.keep_alive(db, self.writing.target)
        if lexicon_lists.current_list(db, self.project_id) != self.writing.source:
            raise _Overtaken  # by another long change

    def _write(self, words: list[str]) -> None:
        for start in range(0, len(words), lexicon_lists.ROWS):
            part = words[start : start + lexicon_lists.ROWS]
            with self._step() as db:
                write_words(db, self.writing, part)
            self._report(len(part))

    def _report(self, rows: int) -> None:
        before, self.written = self.written, self.written + rows
        whole = self.words + self.others
        if self.progress is not None and (before // TOLD < self.written // TOLD or self.written == whole):
            # Progress in changed words; copied ones count as instantaneous.
            self.progress(min(self.words, self.written * self.words // whole))

    def _copy_others(self, written: frozenset[str]) -> None:
        """Copy the words that do not change."""
        last: tuple[int, str, str] = (-1, "", "")
        waiting: list[int] = []
        while True:
            with self.workspace.reading() as db:
                rows = db.execute(
                    "SELECT id, masked, word, type FROM lexicon_words "
                    "WHERE list = ? AND (masked, word, type) > (?, ?, ?) ORDER BY masked, word, type LIMIT ?",
                    (self.writing.source, *last, CHUNK),
                ).fetchall()
            waiting += [row["id"] for row in rows if row["word"] not in written]
            while len(waiting) >= lexicon_lists.ROWS or (waiting and len(rows) < CHUNK):
                self._copy(waiting[: lexicon_lists.ROWS])
                del waiting[: lexicon_lists.ROWS]
            if len(rows) < CHUNK:
                return
            last = (rows[-1]["masked"], rows[-1]["word"], rows[-1]["type"])

    def _copy(self, ids: list[int]) -> None:
        with self._step() as db:
            db.execute(
                "INSERT INTO lexicon_words "
                "(list, word, type, frequency, masked, origin, length, conflict, documents) "
                "SELECT ?, word, type, frequency, masked, origin, length, conflict, documents "
                "FROM lexicon_words WHERE id IN (SELECT value FROM json_each(?)) ORDER BY id",
                (self.writing.target, json.dumps(ids)),
            )
        self._report(len(ids))

    def _catch_up(self) -> Batch | None:
        """Redo the words others have changed; finishes if they are few, else returns None."""
        with self._step() as db:
            upto = lexicon_batches.last_place(db, self.project_id)
            words = lexicon_batches.changed_words(db, self.project_id, self.seen, upto)
            if len(words) <= lexicon_lists.ROWS:
                self._write_again(db, words)
                return self._end(db)
        for start in range(0, len(words), lexicon_lists.ROWS):
            with self._step() as db:
                self._write_again(db, words[start : start + lexicon_lists.ROWS])
        self.seen = upto
        return None

    def _end(self, db: sqlite3.Connection) -> Batch:
        batches = db.execute(
            "SELECT count(*) FROM lexicon_batches WHERE project_id = ? AND place > ?",
            (self.project_id, self.began),
        ).fetchone()[0]
        if lexicon_batches.revision(db, self.project_id) != self.revision + batches:
            raise _Overtaken
        made = close_batch(db, self.writing)
        lexicon_lists.make_current(db, self.project_id, self.writing.target)
        return made

    def _write_again(self, db: sqlite3.Connection, words: list[str]) -> None:
        writing = self.writing
        listed = json.dumps(words, ensure_ascii=False)
        noted = db.execute(
            "SELECT word, type, frequency, masked, origin, came FROM lexicon_changes WHERE project_id = ? "
            "AND batch = ? AND word IN (SELECT value FROM json_each(?)) ORDER BY word",
            (self.project_id, writing.batch, listed),
        ).fetchall()
        label_map = label_ids(db, self.project_id)
        stood = current_entries(db, writing.target, words, label_map)
        for word, group in groupby(noted, key=lambda row: row["word"]):
            after = set(stood[word][0]) if word in stood else set()
            before = set(after)
            for row in group:
                entry = WordEntry(
                    label_map.types[row["type"]], row["frequency"], bool(row["masked"]), row["origin"]
                )
                (before.discard if row["came"] else before.add)(entry)
            writing.counts[change_of(before, after)] -= 1
        db.execute(
            "DELETE FROM lexicon_changes WHERE project_id = ? AND batch = ? "
            "AND word IN (SELECT value FROM json_each(?))",
            (self.project_id, writing.batch, listed),
        )
        db.execute(
            "DELETE FROM lexicon_words WHERE list = ? AND masked IN (0, 1) "
            "AND word IN (SELECT value FROM json_each(?))",
            (writing.target, listed),
        )
        for start in range(0, len(words), _SCATTERED):
            write_words(db, writing, words[start : start + _SCATTERED])
