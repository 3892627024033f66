"""The snapshot of a run: the corpus copied from the database for the worker."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from core.corpus.corrected_case import CASES
from core.corpus.snapshot import PARTS, TAUGHT, UNLABELLED, AddedWord, Manifest, PartCounts, write_parts
from core.store.annotation.regions import MARKED, with_decided, with_regions
from core.store.db.payload import HELD_OUT
from core.store.db.workspace import Workspace
from core.store.document.documents import CHUNK, LABELLED, built
from core.store.label import labels
from core.store.lexicon import changes as lexicon_changes
from core.store.lexicon.changes import LexiconChanges
from core.store.run.ledger import corrected_cases
from core.store.suggest import sources
from core.text import Document, LabelSet

Build = Callable[[sqlite3.Connection, Sequence[sqlite3.Row]], Iterable[Document]]
_STANDING = "d.project_id = :project AND d.trashed IS NULL AND d.status <> 'ignored'"
_RAW = f"{_STANDING} AND d.split NOT IN ('dev', 'test')"
_CORRECTED = "SELECT document_id FROM corrections"
_USED = f"{_STANDING} AND ({LABELLED} OR d.id IN ({_CORRECTED}) OR d.id IN ({MARKED}))"
_UNLABELLED = (
    f"{_RAW} AND d.revision = 0 AND d.status <> 'done' AND d.id NOT IN ({_CORRECTED}) "
    f"AND d.id NOT IN ({MARKED})"
)
# Gold spans that no document shows: of a deleted label, or of a merged one where another reads the same.
_HAS_UNREAD = "SELECT 1 FROM labels WHERE project_id = :project AND reads_as IS NOT id"
_UNREAD = """
    s.annotator = '' AND l.reads_as IS NOT l.id AND (l.reads_as IS NULL OR EXISTS (
        SELECT 1 FROM spans o JOIN labels m ON m.id = o.label WHERE o.document_id = s.document_id
        AND o.annotator = '' AND o.start = s.start AND o."end" = s."end" AND m.reads_as = l.reads_as
        AND (m.id = m.reads_as OR m.id < l.id)))"""
_ALL_UNREAD = f"""
    FROM labels l CROSS JOIN spans s INDEXED BY spans_by_label ON s.label = l.id
    CROSS JOIN documents d ON d.id = s.document_id WHERE {_UNREAD} AND {_STANDING}"""
_READ = f"""
    d.gold_spans - (SELECT count(*) FROM spans s JOIN labels l ON l.id = s.label
                    WHERE s.document_id = d.id AND {_UNREAD})"""  # noqa: S608 - ours


def write(workspace: Workspace, project_id: int, run_folder: Path, source: int | None = None) -> Manifest:
    """Write ``run_folder/snapshot``: labelled documents by split, those with corrections, labels, words.

    Documents used for training were imported with spans, edited or annotated in part, or are done; documents
    without a split are used for training, ignored ones never. ``meta["annotated_regions"]`` limits a
    partially annotated one to its regions, and in dev and test to the decided ones. ``corrections`` holds
    every document of the ledger (also those of the other parts), to be tagged again, with its corrected
    cases. ``unlabelled`` holds raw texts outside dev and test; without any it is not written. ``taught``
    holds what ``source`` said of raw texts outside dev and test, where one teaches. All are read in one
    transaction, so later saves go into the next snapshot.

    Raises:
        DiskFullError: the snapshot is not complete. NotFound: no such project.
    """
    return _write(workspace, project_id, run_folder, PARTS, source)


def write_without_test(workspace: Workspace, project_id: int, run_folder: Path) -> Manifest:
    """Write ``run_folder/snapshot`` as ``write``, without the documents of test and of the ledger.

    For what compares trainings: a test set that chooses between them would be worn out.

    Raises:
        DiskFullError: the snapshot is not complete. NotFound: no such project.
    """
    return _write(workspace, project_id, run_folder, ("train", "dev"))


def counts(workspace: Workspace, project_id: int) -> dict[str, PartCounts]:
    """Sizes of the parts of a snapshot taken now, without unlabelled texts."""
    with workspace.reading_one_moment() as db:
        unread = db.execute(_HAS_UNREAD, {"project": project_id}).fetchone() is not None
        spans = _READ if unread else "d.gold_spans"
        # Triggers count the labelled documents. Few others are used.
        sums = [
            "SELECT split, number, characters, gold_spans FROM document_counts d "  # noqa: S608 - ours
            f"WHERE project_id = :project AND trashed = 0 AND status <> 'ignored' AND {LABELLED}",
            f"SELECT d.split, 1, length(d.text), {spans} FROM documents d "  # noqa: S608 - ours
            f"WHERE {_STANDING} AND NOT {LABELLED} AND d.id IN ({_CORRECTED} UNION {MARKED})",
            f"SELECT 'corrections', 1, length(d.text), {spans} FROM documents d "  # noqa: S608 - ours
            f"WHERE {_STANDING} AND d.id IN ({_CORRECTED})",
        ]
        if unread:
            sums.append(f"SELECT d.split, 0, 0, -count(*) {_ALL_UNREAD} AND {LABELLED} GROUP BY 1")
        rows = db.execute(
            "SELECT CASE split WHEN 'none' THEN 'train' ELSE split END, sum(number), sum(gold_spans), "  # noqa: S608
            f"sum(characters) FROM ({' UNION ALL '.join(sums)}) GROUP BY 1",
            {"project": project_id},
        )
        return dict.fromkeys(PARTS, PartCounts()) | {part: PartCounts(*sizes) for part, *sizes in rows}


def count_texts(workspace: Workspace, project_id: int) -> PartCounts:
    """Number of texts ``write_texts`` would write now."""
    with workspace.reading() as db:
        documents, characters = db.execute(
            f"SELECT COUNT(*), COALESCE(SUM(LENGTH(d.text)), 0) FROM documents d WHERE {_RAW}",  # noqa: S608
            {"project": project_id},
        ).fetchone()
    return PartCounts(documents, 0, characters)


def write_texts(
    workspace: Workspace, project_id: int, run_folder: Path, with_spans: bool = False
) -> PartCounts:
    """Write ``run_folder/snapshot`` for a run that learns from raw text.

    Documents of dev and test are left out, so that scores on them stay valid.
    Only ``unlabelled`` and the words of the project are written; the other parts are empty.

    Args:
        with_spans: the texts keep their labelled spans.

    Raises:
        DiskFullError: the snapshot is not complete. NotFound: no such project.
    """
    words = lexicon_changes.current(workspace, project_id)
    folder = run_folder / "snapshot"
    with workspace.reading_one_moment() as db:
        texts = _documents(db, project_id, _RAW, built if with_spans else _texts)
        manifest = write_parts(folder, {UNLABELLED: texts}, LabelSet(), _added(words), words.removed)
    return manifest.parts[UNLABELLED]


def _added(words: LexiconChanges) -> Iterator[AddedWord]:
    for word, kind in words.added.items():
        yield AddedWord(word, kind, words.frequencies.get(word, 1))


def count_taught(workspace: Workspace, project_id: int, source: int) -> int:
    """How many documents ``write`` would write as taught by this source now."""
    with workspace.reading() as db:
        (documents,) = db.execute(
            f"SELECT count(*) FROM documents d WHERE {_STANDING} AND {sources.taught_by(source)}",  # noqa: S608
            {"project": project_id},
        ).fetchone()
    return int(documents)


def _write(
    workspace: Workspace, project_id: int, run_folder: Path, parts: Sequence[str], source: int | None = None
) -> Manifest:
    names = labels.get(workspace, project_id)
    words = lexicon_changes.current(workspace, project_id)
    with workspace.reading_one_moment() as db:
        documents = {part: _documents(db, project_id, _of_part(part), _BUILT[part]) for part in parts}
        first = db.execute(
            f"SELECT 1 FROM documents d WHERE {_UNLABELLED} LIMIT 1",  # noqa: S608 - ours
            {"project": project_id},
        ).fetchone()
        if first is not None:
            documents[UNLABELLED] = _documents(db, project_id, _UNLABELLED, _texts)
        if source is not None:
            which = f"{_STANDING} AND {sources.taught_by(source)}"
            documents[TAUGHT] = _documents(
                db, project_id, which, lambda db, rows: sources.answered(db, source, rows)
            )
        return write_parts(run_folder / "snapshot", documents, names, _added(words), words.removed)


def _of_part(part: str) -> str:
    """The condition on ``d`` for a document to be in a part."""
    if part == "corrections":
        return f"{_USED} AND d.id IN ({_CORRECTED})"
    splits = "d.split = 'none' OR d.split = 'train'" if part == "train" else f"d.split = '{part}'"
    return f"{_USED} AND ({splits})"


def _documents(db: sqlite3.Connection, project_id: int, which: str, build: Build) -> Iterator[Document]:
    """The documents in order, a chunk of them in memory."""
    last = 0
    while True:
        rows = db.execute(
            f"SELECT d.* FROM documents d WHERE {which} AND d.id > :last ORDER BY d.id LIMIT :chunk",  # noqa: S608
            {"project": project_id, "last": last, "chunk": CHUNK},
        ).fetchall()
        if not rows:
            return
        yield from build(db, rows)
        last = rows[-1]["id"]


def _texts(db: sqlite3.Connection, rows: Sequence[sqlite3.Row]) -> list[Document]:
    return [Document(row["name"], row["text"]) for row in rows]


def _learned(db: sqlite3.Connection, rows: Sequence[sqlite3.Row]) -> Iterator[Document]:
    return with_regions(db, rows, built(db, rows))


def _scored(db: sqlite3.Connection, rows: Sequence[sqlite3.Row]) -> Iterator[Document]:
    return with_decided(db, rows, built(db, rows))


def _corrected(db: sqlite3.Connection, rows: Sequence[sqlite3.Row]) -> Iterator[Document]:
    """Each as in its part, with its corrected cases."""
    cases = corrected_cases(db, rows[0]["project_id"])
    for row in rows:
        (document,) = (_scored if row["split"] in HELD_OUT else _learned)(db, [row])
        listed = [case.to_json() for case in cases.get(row["id"], ())]
        yield replace(document, meta={**document.meta, CASES: listed})


_BUILT: dict[str, Build] = {"train": _learned, "dev": _scored, "test": _scored, "corrections": _corrected}
