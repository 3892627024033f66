"""The snapshot of a run: the corpus copied from the database for the worker."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from core.corpus.snapshot import PARTS, UNLABELLED, AddedWord, Manifest, PartCounts, write_parts
from core.store.annotation.regions import MARKED, with_decided, with_regions
from core.store.db.payload import HELD_OUT
from core.store.db.workspace import Workspace
from core.store.document.documents import LABELLED, built
from core.store.label import labels
from core.store.lexicon import changes as lexicon_changes
from core.store.lexicon.changes import LexiconChanges
from core.text import Document, LabelSet

_RAW = "project_id = ? AND trashed IS NULL AND status <> 'ignored' AND split NOT IN ('dev', 'test')"


def write(workspace: Workspace, project_id: int, run_folder: Path) -> Manifest:
    """Write ``run_folder/snapshot``: labelled documents by split, those with corrections, labels, words.

    Documents used for training were imported with spans, edited or annotated in part, or are done; documents
    without a split are used for training, ignored ones never. ``meta["annotated_regions"]`` limits a
    partially annotated one to its regions, and in dev and test to the decided ones. ``corrections`` holds
    every document of the ledger (also those of the other parts), to be tagged again. ``unlabelled`` holds raw
    texts outside dev and test; without any it is not written. All documents are read in one transaction, so
    later saves go into the next snapshot.

    Raises:
        DiskFullError: the snapshot is not complete. NotFound: no such project.
    """
    names = labels.get(workspace, project_id)
    words = lexicon_changes.current(workspace, project_id)
    parts, unlabelled = _read(workspace, project_id)
    if unlabelled:
        parts[UNLABELLED] = unlabelled
    return write_parts(run_folder / "snapshot", parts, names, _added(words), words.removed)


def write_without_test(workspace: Workspace, project_id: int, run_folder: Path) -> Manifest:
    """Write ``run_folder/snapshot`` as ``write``, without the documents of test and of the ledger.

    For what compares trainings: a test set that chooses between them would be worn out.

    Raises:
        DiskFullError: the snapshot is not complete. NotFound: no such project.
    """
    names = labels.get(workspace, project_id)
    words = lexicon_changes.current(workspace, project_id)
    read, unlabelled = _read(workspace, project_id)
    parts = {part: read[part] for part in ("train", "dev")}
    if unlabelled:
        parts[UNLABELLED] = unlabelled
    return write_parts(run_folder / "snapshot", parts, names, _added(words), words.removed)


def counts(workspace: Workspace, project_id: int) -> dict[str, PartCounts]:
    """Sizes of the parts of a snapshot taken now, without unlabelled texts."""
    parts, _ = _read(workspace, project_id, unlabelled=False)
    return {part: PartCounts.of(documents) for part, documents in parts.items()}


def count_texts(workspace: Workspace, project_id: int) -> PartCounts:
    """Number of texts ``write_texts`` would write now."""
    with workspace.reading() as db:
        documents, characters = db.execute(
            f"SELECT COUNT(*), COALESCE(SUM(LENGTH(text)), 0) FROM documents WHERE {_RAW}",  # noqa: S608
            (project_id,),
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
    columns = "*" if with_spans else "name, text"
    with workspace.reading() as db:
        rows = db.execute(
            f"SELECT {columns} FROM documents WHERE {_RAW} ORDER BY id",  # noqa: S608
            (project_id,),
        ).fetchall()
        spans = [document.spans for document in built(db, rows)] if with_spans else [()] * len(rows)
    texts = (Document(row["name"], row["text"], own) for row, own in zip(rows, spans, strict=True))
    folder = run_folder / "snapshot"
    manifest = write_parts(folder, {UNLABELLED: texts}, LabelSet(), _added(words), words.removed)
    return manifest.parts[UNLABELLED]


def _added(words: LexiconChanges) -> Iterator[AddedWord]:
    for word, kind in words.added.items():
        yield AddedWord(word, kind, words.frequencies.get(word, 1))


def _read(
    workspace: Workspace, project_id: int, unlabelled: bool = True
) -> tuple[dict[str, list[Document]], list[Document]]:
    """Documents by part and unlabelled ones, read in one transaction."""
    texts: list[Document] = []
    with workspace.reading() as db:
        db.execute("BEGIN")
        try:
            rows = db.execute(
                "SELECT d.*, EXISTS (SELECT 1 FROM corrections c "  # noqa: S608 - a constant
                "WHERE c.document_id = d.id) AS corrected "
                "FROM documents d WHERE project_id = ? AND trashed IS NULL AND status <> 'ignored' "
                f"AND ({LABELLED} OR corrected "
                f"OR id IN ({MARKED})) ORDER BY id",
                (project_id,),
            ).fetchall()
            scored = [row for row in rows if row["split"] in HELD_OUT]
            learned = [row for row in rows if row["split"] not in HELD_OUT]
            documents = [
                *zip(learned, with_regions(db, learned, built(db, learned)), strict=True),
                *zip(scored, with_decided(db, scored, built(db, scored)), strict=True),
            ]
            if unlabelled:
                texts = [
                    Document(name, text)
                    for name, text in db.execute(
                        "SELECT d.name, d.text FROM documents d "  # noqa: S608 - a constant
                        "WHERE project_id = ? AND trashed IS NULL "
                        "AND revision = 0 AND status NOT IN ('done', 'ignored') "
                        "AND split NOT IN ('dev', 'test') "
                        "AND NOT EXISTS (SELECT 1 FROM corrections c WHERE c.document_id = d.id) "
                        f"AND id NOT IN ({MARKED}) ORDER BY id",
                        (project_id,),
                    )
                ]
        finally:
            db.execute("COMMIT")
    parts: dict[str, list[Document]] = {part: [] for part in PARTS}
    for row, document in documents:
        parts["train" if row["split"] == "none" else row["split"]].append(document)
        if row["corrected"]:
            parts["corrections"].append(document)
    return parts, texts
