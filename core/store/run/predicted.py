"""Documents of a project with predictions of runs beside the gold annotation."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from core.store.annotation.regions import MARKED, with_decided
from core.store.db.payload import SPLITS, checked_choice
from core.store.db.span_json import Names, load_items, load_spans
from core.store.db.workspace import Workspace
from core.store.document.documents import LABELLED, built
from core.store.label.ids import read_names
from core.store.project.projects import checked_id
from core.text import Document, Span
from core.text.annotated_regions import has_annotation, judged

PORTION = 500  # documents read between two reports
# Called with the number of documents read and their total; may raise to stop.
Progress = Callable[[int, int], None]

# Labelled: saved, done, or with a marked region.
_LABELLED = f"d.status <> 'ignored' AND ({LABELLED} OR d.id IN ({MARKED}))"


@dataclass(frozen=True, slots=True)
class PredictedDocument:
    """One labelled document.

    Args:
        document_id: the document's id. document: with its gold spans, and ``meta["annotated_regions"]`` (the
            decided ones, see `regions.with_decided`) where it is annotated in part.
        split: train, dev, test or none (also used for training). done: whether it is marked done.
        predicted: the run's decided spans, with scores. None where the run made no prediction.
    """

    document_id: int
    document: Document
    split: str
    done: bool
    predicted: tuple[Span, ...] | None


@dataclass(frozen=True, slots=True)
class ComparedDocument:
    """One document with predictions of all compared runs.

    Args:
        document_id, document: as for `PredictedDocument`.
        split: train, dev, test or none. labelled: whether it has a gold annotation.
        predicted: all spans of each run, in the order of the runs.
    """

    document_id: int
    document: Document
    split: str
    labelled: bool
    predicted: tuple[tuple[Span, ...], ...]

    @property
    def gold(self) -> tuple[Span, ...] | None:
        """The gold spans; None if the document is not labelled."""
        return self.document.spans if self.labelled else None


@dataclass(frozen=True, slots=True)
class PredictedDocuments:
    """The labelled documents of a project with the predictions of a run, in order, read in portions.

    Labelled means that something in it is decided: it is done, was imported with spans, or has a gold span, a
    rejected span or a marked region. They can be gone through again and again; each time the store is read.

    Args:
        splits: only of these. progress: called while they are gone through.

    Raises:
        PayloadError: no such split.
    """

    workspace: Workspace
    project_id: int
    run: str
    splits: tuple[str, ...] = SPLITS
    progress: Progress = lambda done, total: None

    def __post_init__(self) -> None:
        for split in self.splits:
            checked_choice(split, SPLITS, "split")
        checked_id(self.project_id)

    def __iter__(self) -> Iterator[PredictedDocument]:
        last = done = 0
        total = self._total()
        while True:
            with self.workspace.reading_one_moment() as db:
                rows = self._rows(db, "d.id > ?", last)
                found = self._built(db, rows)
            if not rows:
                return
            yield from found
            last, done = rows[-1]["id"], done + len(rows)
            self.progress(done, max(done, total))

    def of(self, ids: Iterable[int]) -> dict[int, PredictedDocument]:
        """Those with these ids, a few; what is no longer one of them is left out."""
        with self.workspace.reading_one_moment() as db:
            rows = [row for number in dict.fromkeys(ids) for row in self._rows(db, "d.id = ?", number)]
            return {each.document_id: each for each in self._built(db, rows)}

    def _total(self) -> int:
        with self.workspace.reading() as db:
            (total,) = db.execute(
                "SELECT coalesce(sum(number), 0) FROM document_counts d WHERE project_id = ? "  # noqa: S608
                "AND trashed = 0 AND split IN (SELECT value FROM json_each(?)) "
                f"AND status <> 'ignored' AND {LABELLED}",
                (self.project_id, json.dumps(self.splits)),
            ).fetchone()
        return int(total)

    def _rows(self, db: sqlite3.Connection, which: str, number: int) -> list[sqlite3.Row]:
        return db.execute(
            "SELECT d.*, p.spans AS predicted FROM documents d "  # noqa: S608 - ours
            "LEFT JOIN predictions p ON p.run = ? AND p.document_id = d.id "
            f"WHERE d.project_id = ? AND d.trashed IS NULL AND {_LABELLED} AND {which} "
            "AND d.split IN (SELECT value FROM json_each(?)) ORDER BY d.id LIMIT ?",
            (self.run, self.project_id, number, json.dumps(self.splits), PORTION),
        ).fetchall()

    def _built(self, db: sqlite3.Connection, rows: Sequence[sqlite3.Row]) -> list[PredictedDocument]:
        names = read_names(db, self.project_id)
        return [
            PredictedDocument(
                row["id"],
                document,
                row["split"],
                row["status"] == "done",
                None
                if row["predicted"] is None
                else tuple(judged(document, load_spans(row["predicted"], names))),
            )
            for row, document in zip(rows, with_decided(db, rows, built(db, rows)), strict=True)
            if has_annotation(document)
        ]


@dataclass(frozen=True, slots=True)
class ComparedDocuments:
    """The documents that several runs have all predicted, labelled or not, in order, read in portions.

    They can be gone through again and again; each time the store is read, and what has lost a prediction
    meanwhile is left out.

    Args:
        ids: in ascending order, only these documents. progress: called while they are gone through.
    """

    workspace: Workspace
    project_id: int
    runs: tuple[str, ...]
    ids: tuple[int, ...]
    progress: Progress = lambda done, total: None

    def __iter__(self) -> Iterator[ComparedDocument]:
        for start in range(0, len(self.ids), PORTION):
            self.progress(start, len(self.ids))
            with self.workspace.reading_one_moment() as db:
                found = _portion(db, self.project_id, self.runs, self.ids[start : start + PORTION])
            yield from found


def predicted_documents(
    workspace: Workspace, project_id: int, run: str, splits: Collection[str] | None = None
) -> PredictedDocuments:
    """Every labelled document of these splits (None: all) with the prediction of ``run``.

    Raises:
        PayloadError: no such split.
    """
    return PredictedDocuments(workspace, project_id, run, SPLITS if splits is None else tuple(splits))


def stamp(workspace: Workspace, project_id: int, run: str) -> tuple[object, ...]:
    """A cache key, of this process, that changes whenever the gold spans or the run's predictions do."""
    with workspace.reading() as db:
        names = sorted(read_names(db, checked_id(project_id)).items())
        row = db.execute(
            # The last id tells of new documents.
            "SELECT p.changes, c.changes, (SELECT seq FROM sqlite_sequence WHERE name = 'documents') "
            "FROM projects p LEFT JOIN prediction_counts c ON c.run = ? WHERE p.id = ?",
            (run, project_id),
        ).fetchone()
        return workspace.generation, project_id, run, *(row or ()), tuple(names)


def document_splits(workspace: Workspace, project_id: int) -> list[tuple[int, str, str]]:
    """Id, name and split of every document, in order."""
    with workspace.reading() as db:
        return [
            (number, name, split)
            for number, name, split in db.execute(
                "SELECT id, name, split FROM documents WHERE project_id = ? AND trashed IS NULL ORDER BY id",
                (checked_id(project_id),),
            )
        ]


def compared_documents(
    workspace: Workspace,
    project_id: int,
    runs: Sequence[str],
    *,
    ids: Collection[int] | None = None,
    progress: Progress = lambda done, total: None,
) -> ComparedDocuments:
    """The documents that all ``runs`` have predicted.

    Args:
        ids: only these documents (None: all). progress: called while they are gone through.

    Raises:
        PayloadError: a malformed id.
    """
    project = checked_id(project_id)
    if ids is None:
        with workspace.reading() as db:
            rows = db.execute("SELECT id FROM documents WHERE project_id = ? AND trashed IS NULL", (project,))
            ids = [row["id"] for row in rows]
    numbers = sorted(checked_id(number) for number in ids)
    return ComparedDocuments(workspace, project, tuple(dict.fromkeys(runs)), tuple(numbers), progress)


def differing(
    workspace: Workspace,
    project_id: int,
    base: str,
    other: str,
    scanned: Progress = lambda done, total: None,
    progress: Progress = lambda done, total: None,
) -> tuple[int, ComparedDocuments]:
    """Number of documents predicted by both runs, and the ones on which they differ.

    Scores are ignored. Much faster than `compared_documents` if the runs mostly agree, as equal predictions
    are not parsed.

    Args:
        scanned: over all documents, while those that differ are looked for. progress: called while the
            latter are gone through.
    """
    project = checked_id(project_id)
    with workspace.reading_one_moment() as db:
        total, changed = 0, []
        (everything,) = db.execute(
            "SELECT count(*) FROM documents WHERE project_id = ? AND trashed IS NULL", (project,)
        ).fetchone()
        names = read_names(db, project)
        for number, before, after in db.execute(
            "SELECT d.id, p.spans, q.spans FROM documents d "
            "JOIN predictions p ON p.run = ? AND p.document_id = d.id "
            "JOIN predictions q ON q.run = ? AND q.document_id = d.id "
            "WHERE d.project_id = ? AND d.trashed IS NULL",
            (base, other, project),
        ):
            total += 1
            if not total % PORTION:
                scanned(total, everything)
            if before != after and _keys(before, names) != _keys(after, names):
                changed.append(number)
    return total, compared_documents(workspace, project, [base, other], ids=changed, progress=progress)


def _portion(
    db: sqlite3.Connection, project_id: int, runs: Sequence[str], ids: Sequence[int]
) -> list[ComparedDocument]:
    wanted, numbers = json.dumps(runs), json.dumps(ids)
    rows = db.execute(
        f"SELECT d.*, {_LABELLED} AS labelled FROM documents d "  # noqa: S608 - ours
        "WHERE d.project_id = ? AND d.trashed IS NULL "
        "AND d.id IN (SELECT value FROM json_each(?)) "
        "AND (SELECT count(*) FROM predictions p WHERE p.document_id = d.id "
        "AND p.run IN (SELECT value FROM json_each(?))) = ? ORDER BY d.id",
        (project_id, numbers, wanted, len(runs)),
    ).fetchall()
    said: dict[int, dict[str, tuple[Span, ...]]] = {row["id"]: {} for row in rows}
    names = read_names(db, project_id)
    for run, number, spans in db.execute(
        "SELECT run, document_id, spans FROM predictions WHERE run IN (SELECT value FROM json_each(?)) "
        "AND document_id IN (SELECT value FROM json_each(?))",
        (wanted, json.dumps(list(said))),
    ):
        said[number][run] = load_spans(spans, names)
    return [
        ComparedDocument(
            row["id"],
            document,
            row["split"],
            bool(row["labelled"]) and has_annotation(document),
            tuple(said[row["id"]][run] for run in runs),
        )
        for row, document in zip(rows, with_decided(db, rows, built(db, rows)), strict=True)
    ]


def _keys(column: str, names: Names) -> set[tuple[int, int, str | None]]:
    """The keys of the spans in a column."""
    return {(item[0], item[1], names[item[2]]) for item in load_items(column) if names[item[2]] is not None}
