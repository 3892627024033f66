"""Distant labels in the store, in undoable batches.

A batch is kept as suggestions or saved into raw documents. Undo removes its labels only; later edits stay. A
saved batch is one event per document with the action ``distant``, which makes no annotated regions.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Literal, NamedTuple, get_args

from core.store.annotation.annotations import current_for_update, save
from core.store.db.errors import StoreError
from core.store.db.payload import MOST_SPANS, checked_choice, checked_user
from core.store.db.span_json import load_spans, spans_of
from core.store.db.workspace import Workspace
from core.store.document.raw_documents import RAW
from core.store.label.ids import label_ids, read_names
from core.store.label.labels import with_listed
from core.store.lexicon import batches as lexicon_batches
from core.store.lexicon import lists as lexicon_lists
from core.store.project import journal
from core.store.project.journal import Step
from core.store.project.projects import checked_id, row_of
from core.text import Span, SpanKey, sort_spans

Mode = Literal["suggest", "in_progress", "done"]
MODES: tuple[Mode, ...] = get_args(Mode)
ACTION, UNDO = "distant", "undo_distant"
DOCUMENTS_AT_ONCE = 50  # per transaction, so that other saves are not blocked


class TypedEntry(NamedTuple):
    """A word of the project's list with one of its types; ``origin`` is the change that added it."""

    word: str
    type: str
    frequency: int
    origin: int


class DistantLabels(NamedTuple):
    """The distant labels of one document, and the origin of each label's word, by span key."""

    document_id: int
    spans: Sequence[Span]
    origins: Mapping[SpanKey, int]


@dataclass(frozen=True, slots=True)
class DistantBatch:
    """A batch: version of the word list, mode, user, time (UTC ms) and counts.

    ``undone``: when it was undone, or None. ``labeller``: the source whose suggestions they were; empty: the
    dictionary, in a version and a direction.
    """

    id: int
    version: int
    direction: str
    ambiguous: str
    mode: str
    user: str
    at: int
    documents: int
    spans: int
    undone: int | None
    labeller: str = ""


def typed_entries(workspace: Workspace, project_id: int) -> tuple[list[TypedEntry], int]:
    """The typed words of the project, by word, and the version of the list."""
    with lexicon_lists.snapshot(workspace, project_id) as (db, number):
        rows = db.execute(
            "SELECT word, type, frequency, origin FROM lexicon_words "
            "WHERE list = ? AND NOT masked AND type <> 0 ORDER BY word, id",
            (number,),
        )
        types = label_ids(db, project_id).types
        entries = [TypedEntry(word, types[type_], *more) for word, type_, *more in map(tuple, rows)]
        return entries, lexicon_batches.revision(db, project_id)


def put(
    workspace: Workspace,
    project_id: int,
    labelled: Iterable[DistantLabels],
    mode: str,
    *,
    version: int,
    direction: str,
    ambiguous: str,
    user: str,
    labeller: str = "",
    progress: Callable[[int], None] | None = None,
) -> DistantBatch:
    """Store distant labels as one batch. Documents edited in the meantime and those without labels are left
    out; missing labels are added to the project.

    Args:
        mode: ``suggest``, or the status of the documents: with ``in_progress`` the rest of the text is
            unlabelled, with ``done`` it has no entities.
        labeller: as in `DistantBatch`.
        progress: called with the number of documents stored. If it raises, the batch is undone.

    Raises:
        PayloadError: no such mode. NotFound: no such project. StoreFull: no room.
    """
    checked_choice(mode, MODES, "mode")
    user = checked_user(user)
    with workspace.writing() as db:
        row_of(db, project_id)
        how = {
            "version": version, "direction": direction, "ambiguous": ambiguous, "mode": mode,
            "labeller": labeller,
        }  # fmt: skip
        number = journal.record(db, project_id, ACTION, user, how | {"documents": 0, "spans": 0}).id
    source, done = iter(labelled), 0
    try:
        while chunk := list(islice(source, DOCUMENTS_AT_ONCE)):
            with workspace.writing() as db:
                for document in chunk:
                    done += _put_one(workspace, db, project_id, number, document, mode, user)
            if progress is not None:
                progress(done)
    except BaseException:
        journal.undo(workspace, project_id, number, user=user)
        raise
    return get(workspace, project_id, number)


def _put_one(
    workspace: Workspace,
    db: sqlite3.Connection,
    project_id: int,
    batch: int,
    document: DistantLabels,
    mode: str,
    user: str,
) -> int:
    spans = sort_spans({span.key: Span(*span.key) for span in document.spans}.values())[:MOST_SPANS]
    raw = db.execute(
        f"SELECT 1 FROM documents d WHERE d.id = ? AND d.project_id = ? AND {RAW}",  # noqa: S608 - ours
        (document.document_id, project_id),
    ).fetchone()
    if raw is None or not spans:
        return 0
    label_map, _ = with_listed(db, project_id, (span.label for span in spans))
    db.executemany(
        'INSERT INTO distant_labels (document_id, batch, start, "end", label, origin) '
        "VALUES (?, ?, ?, ?, ?, ?)",
        [
            (
                document.document_id,
                batch,
                span.start,
                span.end,
                label_map.ids[span.label],
                document.origins.get(span.key, 0),
            )
            for span in spans
        ],
    )
    if mode != "suggest":
        annotation = current_for_update(workspace, document.document_id)
        save(
            workspace, document.document_id, annotation.revision, spans, annotation.rejected,
            user=user, action=ACTION, status=mode, client_edit=f"{ACTION}:{batch}",
        )  # fmt: skip
    db.execute(
        "UPDATE steps SET detail = json_set(detail, '$.documents', json_extract(detail, '$.documents') + 1, "
        "'$.spans', json_extract(detail, '$.spans') + ?) WHERE id = ?",
        (len(spans), batch),
    )
    return 1


def get(workspace: Workspace, project_id: int, batch: int) -> DistantBatch:
    """A batch of the project.

    Raises:
        StoreError: no such batch.
    """
    matching = [row for row in batches(workspace, project_id) if row.id == batch]
    if not matching:
        raise StoreError(
            "this project has no batch {batch} of distant labels; reload the page", batch=str(batch)[:20]
        )
    return matching[0]


def batches(workspace: Workspace, project_id: int) -> list[DistantBatch]:
    """Every batch, newest first, undone ones included."""
    with workspace.reading() as db:
        made = journal.steps(db, checked_id(project_id), [ACTION])
    return [
        DistantBatch(step.id, user=step.user, at=step.at, undone=step.undone, **step.detail) for step in made
    ]


def documents_of(workspace: Workspace, project_id: int, batch: int, offset: int, limit: int) -> list[int]:
    """Ids of the documents a batch labelled, in order, without the trash."""
    with workspace.reading() as db:
        rows = db.execute(
            "SELECT DISTINCT t.document_id FROM distant_labels t JOIN documents d ON d.id = t.document_id "
            "WHERE t.batch = ? AND d.project_id = ? AND d.trashed IS NULL "
            "ORDER BY t.document_id LIMIT ? OFFSET ?",
            (checked_id(batch), checked_id(project_id), limit, offset),
        )
        return [row[0] for row in rows]


def suggested(workspace: Workspace, document_id: int) -> tuple[Span, ...] | None:
    """The suggestions of the latest batch for a document; None without a batch."""
    with workspace.reading() as db:
        row = db.execute(
            "SELECT max(b.id) AS id, b.project_id FROM distant_labels t "
            "JOIN steps b ON b.id = t.batch "
            "WHERE t.document_id = ? AND json_extract(b.detail, '$.mode') = 'suggest' AND b.undone IS NULL",
            (checked_id(document_id),),
        ).fetchone()
        if row["id"] is None:
            return None
        rows = db.execute(
            'SELECT start, "end", label FROM distant_labels WHERE document_id = ? AND batch = ?',
            (document_id, row["id"]),
        ).fetchall()
        return spans_of(rows, read_names(db, row["project_id"]))


def sources(workspace: Workspace, document_id: int) -> dict[SpanKey, tuple[int, int, int]]:
    """Batch, version of the list and origin of the word, for each distant label of a document that is still
    there or suggested."""
    with workspace.reading() as db:
        rows = db.execute(
            'SELECT t.start, t."end", t.label, b.id, t.origin, b.project_id, '
            "json_extract(b.detail, '$.version') AS version, json_extract(b.detail, '$.mode') AS mode "
            "FROM distant_labels t JOIN steps b ON b.id = t.batch "
            "WHERE t.document_id = ? AND b.undone IS NULL ORDER BY b.id",
            (checked_id(document_id),),
        ).fetchall()
        if not rows:
            return {}
        names = read_names(db, rows[0]["project_id"])
        current = {
            (start, end, names[label])
            for start, end, label in db.execute(
                "SELECT start, \"end\", label FROM spans WHERE document_id = ? AND annotator = ''",
                (document_id,),
            )
        }
        sources_by_key: dict[SpanKey, tuple[int, int, int]] = {}
        for row in rows:
            label = names[row["label"]]
            key = (row["start"], row["end"], label)
            if label is not None and (row["mode"] == "suggest" or key in current):
                sources_by_key[row["start"], row["end"], label] = (row["id"], row["version"], row["origin"])
    return sources_by_key


@journal.undoes(ACTION)
def _undo(workspace: Workspace, step: Step, user: str, progress: journal.Progress | None) -> int:
    """Undo a batch; returns the number of documents changed.

    Untouched documents are restored; in documents edited since, only the unchanged labels of the batch are
    removed.
    """
    is_suggested = step.detail["mode"] == "suggest"
    changed = 0 if is_suggested else _remove_from_documents(workspace, step.project_id, step.id, user)
    with workspace.writing() as db:
        journal.close(db, step)
    return int(step.detail["documents"]) if is_suggested else changed


def _remove_from_documents(workspace: Workspace, project_id: int, batch: int, user: str) -> int:
    with workspace.reading() as db:
        names = read_names(db, project_id)
        events = {
            row["document_id"]: (row["revision"], load_spans(row["added"], names))
            for row in db.execute(
                "SELECT e.document_id, e.revision, e.added FROM documents d JOIN events e "
                "ON e.document_id = d.id AND e.annotator = '' "
                "WHERE d.project_id = ? AND e.action = ? AND e.client_edit = ?",
                (checked_id(project_id), ACTION, f"{ACTION}:{batch}"),
            )
        }
    changed = 0
    numbers = iter(sorted(events))
    while chunk := list(islice(numbers, DOCUMENTS_AT_ONCE)):
        with workspace.writing() as db:
            gone = _in_trash(db, chunk)
            for number in chunk:
                if number not in gone:
                    changed += _remove_from(workspace, number, *events[number], batch, user)
    return changed


def _remove_from(
    workspace: Workspace, number: int, revision: int, added: Sequence[Span], batch: int, user: str
) -> int:
    annotation = current_for_update(workspace, number)
    ours = {span.key for span in added}
    kept = [span for span in annotation.document.spans if span.key not in ours]
    untouched = annotation.revision == revision
    saved = save(
        workspace, number, annotation.revision, kept, annotation.rejected, user=user, action=UNDO,
        status="new" if untouched else None, client_edit=f"{UNDO}:{batch}",
    )  # fmt: skip
    return int(saved.revision != annotation.revision)


def _in_trash(db: sqlite3.Connection, numbers: Sequence[int]) -> set[int]:
    rows = db.execute(
        "SELECT id FROM documents WHERE trashed IS NOT NULL AND id IN (SELECT value FROM json_each(?))",
        (json.dumps(list(numbers)),),
    )
    return {row[0] for row in rows}
