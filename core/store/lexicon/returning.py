"""Undo of a batch of the word list, and revert to a version; both make a new batch."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from core.store.db.errors import PayloadError, StoreError
from core.store.db.workspace import Workspace
from core.store.lexicon import batches as lexicon_batches
from core.store.lexicon.batches import LAST, Batch, net_changes
from core.store.lexicon.entries import WordEntry
from core.store.lexicon.steps import write_intent
from core.store.lexicon.writing import Entries, Heading
from core.store.project import journal
from core.store.project.journal import Progress, Step
from core.store.project.projects import row_of


@dataclass(frozen=True, slots=True)
class InverseChange:
    """The inverse of the batches at the places in ``(after, upto]``.

    Args:
        undone: the step it undoes, or None.
    """

    project_id: int
    after: int
    upto: int
    undone: Step | None = None

    def words(self, db: sqlite3.Connection) -> list[str]:
        """The words these batches changed."""
        return lexicon_batches.changed_words(db, self.project_id, self.after, self.upto)

    def decide(
        self, db: sqlite3.Connection, words: Sequence[str], current: Mapping[str, Entries]
    ) -> Mapping[str, Iterable[WordEntry]]:
        """Remove added entries and add removed ones, except for words changed since."""
        asked = set(words)
        decided: dict[str, Entries] = {}
        for word, gone, came in self._net(db, words):
            if word not in asked:
                continue
            before = current.get(word, ())
            after = (*(entry for entry in before if entry not in came), *gone)
            mixed = any(entry.masked for entry in after) and not all(entry.masked for entry in after)
            decided[word] = before if mixed or not set(came) <= set(before) else after
        return decided

    def _net(
        self, db: sqlite3.Connection, words: Sequence[str]
    ) -> Iterable[tuple[str, list[WordEntry], list[WordEntry]]]:
        if len(words) > 50:
            # Words adjacent in the list, or nearly so.
            yield from net_changes(db, self.project_id, self.after, self.upto, min(words), max(words))
        else:
            for word in words:
                yield from net_changes(db, self.project_id, self.after, self.upto, word, word)

    def finish(self, db: sqlite3.Connection, batch: int) -> None:
        """Close the step that is undone.

        Raises:
            AlreadyUndone: somebody else has undone it in the meantime.
        """
        if self.undone is not None:
            journal.close(db, self.undone)


class NothingLeft(StoreError):
    """All words of the change have been changed since."""


def undo(
    workspace: Workspace, project_id: int, *, user: str, progress: Progress | None = None
) -> tuple[Batch, Batch]:
    """Undo the latest change; returns the undone batch and the new one.

    Raises:
        StoreError: there is nothing to undo.
    """
    last = lexicon_batches.last_undoable(workspace, project_id)
    if last is None or last.step is None:
        raise StoreError("no change of the word list is left to undo")
    return cast(
        tuple[Batch, Batch], journal.undo(workspace, project_id, last.step, user=user, progress=progress)
    )


@journal.undoes(lexicon_batches.KIND)
def _undo(workspace: Workspace, step: Step, user: str, progress: Progress | None) -> tuple[Batch, Batch]:
    """Undo a batch by a new one; words changed since are kept.

    Raises:
        NothingLeft: all its words have been changed since.
    """
    project_id, number = step.project_id, step.detail["batch"]
    with workspace.reading() as db:
        undone = lexicon_batches.read(db, number)
        place = lexicon_batches.check_version(db, project_id, number)
    intent = InverseChange(project_id, place - 1, place, step)
    try:
        return undone, write_intent(
            workspace, project_id, Heading("undo", user, target=number), intent, progress
        )
    except PayloadError:
        raise NothingLeft(
            "every word of this change was changed since; there is nothing left of it to undo"
        ) from None


def revert(
    workspace: Workspace, project_id: int, version: int, *, user: str, progress: Progress | None = None
) -> Batch:
    """Revert the list to ``version`` (0: before the first) by a new batch; nothing is lost.

    Raises:
        NotFound: no such project. PayloadError: no such version, or the list equals it.
    """
    with workspace.reading() as db:
        row_of(db, project_id)
        place = lexicon_batches.check_version(db, project_id, version)
    heading = Heading("revert", user, target=version)
    return write_intent(workspace, project_id, heading, InverseChange(project_id, place, LAST), progress)
