"""Undo of a batch of the word list, and revert to a version; both make a new batch."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from core.store.db.errors import PayloadError, StoreError
from core.store.db.workspace import Workspace
from core.store.lexicon import batches as lexicon_batches
from core.store.lexicon.batches import LAST, Batch
from core.store.lexicon.entries import WordEntry
from core.store.lexicon.steps import carry_out
from core.store.lexicon.writing import Entries, Heading, Progress
from core.store.project.projects import checked_id, row_of


@dataclass(frozen=True, slots=True)
class TakenBack:
    """The inverse of the batches at the places in ``(after, upto]``.

    Args:
        undone: the batch it undoes, or None.
    """

    project_id: int
    after: int
    upto: int
    undone: int | None = None

    def words(self, db: sqlite3.Connection) -> list[str]:
        """The words these batches changed."""
        return lexicon_batches.changed_words(db, self.project_id, self.after, self.upto)

    def decide(
        self, db: sqlite3.Connection, words: Sequence[str], stands: Mapping[str, Entries]
    ) -> Mapping[str, Iterable[WordEntry]]:
        """Remove added entries and add removed ones, except for words changed since."""
        asked = set(words)
        decided: dict[str, Entries] = {}
        for word, gone, came in self._net(db, words):
            if word not in asked:
                continue
            before = stands.get(word, ())
            after = (*(entry for entry in before if entry not in came), *gone)
            mixed = any(entry.masked for entry in after) and not all(entry.masked for entry in after)
            decided[word] = before if mixed or not set(came) <= set(before) else after
        return decided

    def _net(
        self, db: sqlite3.Connection, words: Sequence[str]
    ) -> Iterable[tuple[str, list[WordEntry], list[WordEntry]]]:
        if len(words) > 50:
            # Words adjacent in the list, or nearly so.
            yield from lexicon_batches.net(db, self.project_id, self.after, self.upto, min(words), max(words))
        else:
            for word in words:
                yield from lexicon_batches.net(db, self.project_id, self.after, self.upto, word, word)

    def conclude(self, db: sqlite3.Connection, batch: int) -> None:
        """Record which batch was undone.

        Raises:
            StoreError: somebody else has undone it in the meantime.
        """
        if (
            self.undone is not None
            and not db.execute(
                "UPDATE lexicon_batches SET undone = ? WHERE id = ? AND undone IS NULL", (batch, self.undone)
            ).rowcount
        ):
            raise StoreError("somebody else has undone this change of the word list meanwhile")


class NothingLeft(StoreError):
    """Every word of the change was changed since."""


def undo(
    workspace: Workspace,
    project_id: int,
    batch: int | None = None,
    *,
    user: str | None = None,
    progress: Progress | None = None,
) -> tuple[Batch, Batch]:
    """Undo a batch (None: the latest not undone) by a new one; returns the undone one and the new one.

    Words changed since stay as they are. Args:
        user: None: the user of the undone batch.

    Raises:
        StoreError: there is nothing to undo.
    """
    with workspace.reading() as db:
        row_of(db, project_id)
        undone, heading, intent = _undoing(db, project_id, batch, user)
    try:
        return undone, carry_out(workspace, project_id, heading, intent, progress)
    except PayloadError:
        raise NothingLeft(
            "every word of this change was changed since; there is nothing left of it to undo"
        ) from None


def revert(
    workspace: Workspace, project_id: int, version: int, *, user: str, progress: Progress | None = None
) -> Batch:
    """Revert the list to ``version`` (0: before the first) by a new batch.

    Raises:
        NotFound: no such project. PayloadError: no such version, or the list does not differ from it.
    """
    with workspace.reading() as db:
        row_of(db, project_id)
        place = lexicon_batches.check_version(db, project_id, version)
    heading = Heading("revert", user, target=version)
    return carry_out(workspace, project_id, heading, TakenBack(project_id, place, LAST), progress)


def _undoing(
    db: sqlite3.Connection, project_id: int, batch: int | None, user: str | None
) -> tuple[Batch, Heading, TakenBack]:
    number = lexicon_batches.current_batch(db, project_id, None if batch is None else checked_id(batch))
    if number is None:
        raise StoreError("no change of the word list is left to undo")
    undone = lexicon_batches.read(db, number)
    place = lexicon_batches.check_version(db, project_id, number)
    heading = Heading("undo", user or undone.user, target=number)
    return undone, heading, TakenBack(project_id, place - 1, place, number)
