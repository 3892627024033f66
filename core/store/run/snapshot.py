"""The frozen corpus of a run: what the worker reads instead of the live database."""

from __future__ import annotations

import errno
import hashlib
import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.store.annotation.regions import MARKED, with_regions
from core.store.db.errors import StoreFull
from core.store.db.workspace import Workspace
from core.store.document.documents import built
from core.store.label import labels
from core.store.lexicon import changes as lexicon_changes
from core.text import Document, Span

PARTS = ("train", "dev", "test", "corrections")
UNLABELLED = "unlabelled.jsonl"
_RAW = "project_id = ? AND trashed IS NULL AND split NOT IN ('dev', 'test')"


@dataclass(frozen=True, slots=True)
class SnapshotCounts:
    """What a snapshot holds: documents of each part, and spans of each part."""

    documents: dict[str, int]
    spans: dict[str, int]


@dataclass(frozen=True, slots=True)
class TextCounts:
    """How much text there is to learn from."""

    documents: int
    characters: int


def write(workspace: Workspace, project_id: int, run_folder: Path) -> SnapshotCounts:
    """Write ``run_folder/snapshot``: labelled documents by split, those with corrections, labels, words.

    A document teaches when it was imported with spans, was edited or annotated in part by a person, or is
    done; ones without a split train. One that is annotated in part says in ``meta["looked"]`` where
    (``annotation.regions``). ``corrections.jsonl`` holds every document of the ledger (also those of the
    other parts), to be answered again. ``unlabelled.jsonl`` holds the texts nobody has annotated yet, none of
    the dev or test split; where there are none it is not written. The documents are read in one moment: saves
    made meanwhile are in the next snapshot.
    ``manifest.json`` with the counts and sha256 of each file comes last, as the mark of completeness.

    Raises:
        StoreFull: no room; the snapshot is not complete. NotFound: no such project.
    """
    folder = run_folder / "snapshot"
    names = labels.get(workspace, project_id)
    words = lexicon_changes.current(workspace, project_id)
    parts, unlabelled = _read(workspace, project_id)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        hashes = {
            f"{part}.jsonl": _write(folder / f"{part}.jsonl", (_line(x) for x in parts[part]))
            for part in PARTS
        }
        if unlabelled:
            hashes[UNLABELLED] = _write(folder / UNLABELLED, (_line(x) for x in unlabelled))
        hashes["labels.json"] = _write(
            folder / "labels.json", [json.dumps(names.to_json(), ensure_ascii=False)]
        )
        hashes["lexicon.tsv"] = _write(folder / "lexicon.tsv", lexicon_changes.lines(words))
        counts = SnapshotCounts(
            {part: len(parts[part]) for part in PARTS},
            {part: sum(len(x.spans) for x in parts[part]) for part in PARTS},
        )
        manifest = {"documents": counts.documents, "spans": counts.spans, "sha256": hashes}
        _write(folder / "manifest.json", [json.dumps(manifest, ensure_ascii=False, indent=1)])
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise StoreFull(folder) from error
        raise
    return counts


def counts(workspace: Workspace, project_id: int) -> SnapshotCounts:
    """What a snapshot taken now would hold, unlabelled texts aside."""
    parts, _ = _read(workspace, project_id, unlabelled=False)
    return SnapshotCounts(
        {part: len(parts[part]) for part in PARTS},
        {part: sum(len(x.spans) for x in parts[part]) for part in PARTS},
    )


def count_texts(workspace: Workspace, project_id: int) -> TextCounts:
    """What ``write_texts`` would write now."""
    with workspace.reading() as db:
        row = db.execute(
            f"SELECT COUNT(*), COALESCE(SUM(LENGTH(text)), 0) FROM documents WHERE {_RAW}",  # noqa: S608
            (project_id,),
        ).fetchone()
    return TextCounts(*row)


def write_texts(workspace: Workspace, project_id: int, run_folder: Path) -> TextCounts:
    """Write ``run_folder/snapshot`` for a run that learns from texts alone, labelled or not.

    Documents of the dev and test split are left out: what is measured on them must not have been read before.
    Only ``unlabelled.jsonl`` and the words of the project are written, and an empty ``train.jsonl``.

    Raises:
        StoreFull: no room; the snapshot is not complete. NotFound: no such project.
    """
    folder = run_folder / "snapshot"
    words = lexicon_changes.current(workspace, project_id)
    with workspace.reading() as db:
        rows = db.execute(
            f"SELECT name, text FROM documents WHERE {_RAW} ORDER BY id",  # noqa: S608
            (project_id,),
        ).fetchall()
    counts = TextCounts(len(rows), sum(len(text) for _, text in rows))
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lines = (_line(Document(name, text)) for name, text in rows)
        hashes = {"train.jsonl": _write(folder / "train.jsonl", [])}
        hashes[UNLABELLED] = _write(folder / UNLABELLED, lines)
        hashes["lexicon.tsv"] = _write(folder / "lexicon.tsv", lexicon_changes.lines(words))
        manifest = {"documents": counts.documents, "characters": counts.characters, "sha256": hashes}
        _write(folder / "manifest.json", [json.dumps(manifest, ensure_ascii=False, indent=1)])
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise StoreFull(folder) from error
        raise
    return counts


def _read(
    workspace: Workspace, project_id: int, unlabelled: bool = True
) -> tuple[dict[str, list[Document]], list[Document]]:
    """Documents by part and unlabelled ones, in one transaction so that they belong to one moment."""
    texts: list[Document] = []
    with workspace.reading() as db:
        db.execute("BEGIN")
        try:
            rows = db.execute(
                "SELECT d.*, EXISTS (SELECT 1 FROM corrections c "  # noqa: S608 - a constant
                "WHERE c.document_id = d.id) AS corrected "
                "FROM documents d WHERE project_id = ? AND trashed IS NULL "
                "AND (revision > 0 OR status = 'done' OR corrected "
                f"OR id IN ({MARKED})) ORDER BY id",
                (project_id,),
            ).fetchall()
            found = list(with_regions(db, rows, built(db, rows)))
            if unlabelled:
                texts = [
                    Document(name, text)
                    for name, text in db.execute(
                        "SELECT d.name, d.text FROM documents d "  # noqa: S608 - a constant
                        "WHERE project_id = ? AND trashed IS NULL "
                        "AND revision = 0 AND status != 'done' AND split NOT IN ('dev', 'test') AND NOT "
                        "EXISTS (SELECT 1 FROM corrections c WHERE c.document_id = d.id) "
                        f"AND id NOT IN ({MARKED}) ORDER BY id",
                        (project_id,),
                    )
                ]
        finally:
            db.execute("COMMIT")
    parts: dict[str, list[Document]] = {part: [] for part in PARTS}
    for row, document in zip(rows, found, strict=True):
        parts["train" if row["split"] == "none" else row["split"]].append(document)
        if row["corrected"]:
            parts["corrections"].append(document)
    return parts, texts


def read_documents(path: Path) -> Iterator[Document]:
    """Documents of a JSONL file as ``write`` makes them (also ``predictions.jsonl`` of a run), one by one.

    Raises:
        ValueError: a line is no such document; names file and line.
    """
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, start=1):
            if not line.strip():
                continue
            try:
                yield document_from_json(json.loads(line))
            except (ValueError, TypeError, KeyError, AttributeError) as error:
                raise ValueError(
                    f"{path}, line {number}: no document with id, text and spans ({error})"
                ) from error


def document_from_json(value: dict[str, Any]) -> Document:
    """A document from ``{"id", "text", "spans": [{"start", "end", "label", "text"?, "score"?}], "meta"?}``.

    Raises:
        ValueError (also OffsetError), KeyError, TypeError: it is something else, or a surface does not hold.
    """
    spans = [Span(x["start"], x["end"], x["label"], x.get("score")) for x in value.get("spans", [])]
    document = Document(str(value["id"]), value["text"], tuple(spans), value.get("meta") or {})
    for span, item in zip(spans, value.get("spans", []), strict=True):
        if "text" in item:
            document.check_surface(span, item["text"])
    return document


def _line(document: Document) -> str:
    spans = [
        {"start": span.start, "end": span.end, "label": span.label}
        | ({} if span.score is None else {"score": span.score})
        for span in document.spans
    ]
    value = {"id": document.id, "text": document.text, "spans": spans, "meta": dict(document.meta)}
    return json.dumps(value, ensure_ascii=False) + "\n"


def _write(path: Path, lines: Iterable[str]) -> str:
    """Write beside, flush to the disk, rename; returns the sha256 of what was written."""
    beside = path.with_name(path.name + ".part")
    digest = hashlib.sha256()
    with beside.open("wb") as file:
        for line in lines:
            data = line.encode()
            digest.update(data)
            file.write(data)
        file.flush()
        os.fsync(file.fileno())
    os.replace(beside, path)
    return digest.hexdigest()
