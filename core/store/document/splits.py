"""Assignment of documents to train, dev and test."""

from __future__ import annotations

import random
from collections.abc import Iterable

from core.store.db.errors import PayloadError
from core.store.db.payload import SPLITS, checked_choice
from core.store.db.workspace import Workspace
from core.store.document.documents import LABELLED
from core.store.project.projects import row_of

# Without the random slice set apart for evaluation: a new split would train on some of it.
FREE = "AND id NOT IN (SELECT document_id FROM queue_scores WHERE acquisition = 'apart')"


def assign_splits(
    workspace: Workspace,
    project_id: int,
    *,
    dev: float = 0.1,
    test: float = 0.1,
    seed: int = 1,
    only_unassigned: bool = False,
) -> dict[str, int]:
    """Split the labelled documents outside the trash into train, dev and test at random; others get none.

    Documents set apart for evaluation keep their split (`core.store.queue.scores.set_apart`).

    Args:
        dev, test: shares of the labelled documents; a share above zero gives at least one document if there
            are three or more. seed: makes the split reproducible.
        only_unassigned: do not move documents that have a split.

    Returns:
        Number of documents assigned to each split.

    Raises:
        PayloadError: negative shares, or nothing left for training.
    """
    if not (0 <= dev < 1 and 0 <= test < 1 and dev + test < 1):
        raise PayloadError(
            "dev and test are shares below 1 that leave some to train, got {dev} and {test}",
            dev=dev,
            test=test,
        )
    with workspace.writing() as db:
        row_of(db, project_id)
        labelled = [
            row["id"]
            for row in db.execute(
                "SELECT id FROM documents d WHERE project_id = ? AND trashed IS NULL "  # noqa: S608 - ours
                f"AND {LABELLED} AND (NOT ? OR split = 'none') {FREE} ORDER BY id",
                (project_id, only_unassigned),
            )
        ]
        if not only_unassigned:
            everything = f"UPDATE documents SET split = 'none' WHERE project_id = ? {FREE}"  # noqa: S608
            db.execute(everything, (project_id,))
        random.Random(seed).shuffle(labelled)  # noqa: S311 - a fair deal, not a secret
        held = [_held_out(share, len(labelled)) for share in (dev, test)]
        dealt = {
            "dev": labelled[: held[0]],
            "test": labelled[held[0] : sum(held)],
            "train": labelled[sum(held) :],
        }
        for split, ids in dealt.items():
            db.executemany("UPDATE documents SET split = ? WHERE id = ?", [(split, id_) for id_ in ids])
    return {split: len(dealt[split]) for split in ("train", "dev", "test")}


def set_split(workspace: Workspace, project_id: int, document_ids: Iterable[int], split: str) -> int:
    """Move documents of the project into ``split``; returns their number.

    Documents set apart for evaluation lose that mark in splits other than dev and test.

    Raises:
        PayloadError: no such split.
    """
    checked_choice(split, SPLITS, "split")
    document_ids = list(document_ids)
    with workspace.writing() as db:
        if split not in ("dev", "test"):
            db.executemany(
                "DELETE FROM queue_scores WHERE project_id = ? AND acquisition = 'apart' AND document_id = ?",
                [(project_id, id_) for id_ in document_ids],
            )
        changed = db.executemany(
            "UPDATE documents SET split = ? WHERE id = ? AND project_id = ?",
            [(split, id_, project_id) for id_ in document_ids],
        )
        return changed.rowcount if changed.rowcount > 0 else 0


def _held_out(share: float, documents: int) -> int:
    return max(1, round(share * documents)) if share > 0 and documents >= 3 else 0
