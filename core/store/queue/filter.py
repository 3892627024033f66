"""Filters of documents for queues, lists and exports, and their FROM and WHERE clauses."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from core.store.annotation.corrections import KINDS
from core.store.db.errors import PayloadError
from core.store.db.payload import SPLITS, checked_choice
from core.store.db.workspace import Workspace
from core.store.document import text_index
from core.store.label.ids import label_ids
from core.store.project.projects import row_of

ANY_ERROR = "any"  # of Filter.error: any kind but "confirmed", which is no error
ERRORS = (ANY_ERROR, *(kind for kind in KINDS if kind != "confirmed"))
MOST_FIELDS = 8
LONGEST_SEARCH = 1_000  # characters; SQLite refuses patterns of 50,000 bytes

SCORES = (
    "LEFT JOIN queue_scores q ON q.project_id = :project "
    "AND q.acquisition = :acquisition AND q.document_id = d.id"
)
PREDICTIONS = "LEFT JOIN predictions p ON p.run = :run AND p.document_id = d.id"
# The trash is excluded by id, so that indexes without it are read without touching documents.
NOT_IN_TRASH = "NOT IN (SELECT id FROM documents WHERE project_id = :project AND trashed IS NOT NULL)"
_HANDED = """
    JOIN assignments a ON a.document_id = d.id AND a.user = :worker
    LEFT JOIN versions c ON c.document_id = d.id AND c.annotator = :worker"""
_LABELLED_BY_WORKER = (
    "EXISTS (SELECT 1 FROM spans s WHERE s.document_id = d.id AND s.annotator = :worker "
    "AND s.label IN (SELECT value FROM json_each(:labels)))"
)
_EDITED_BY = "d.id IN (SELECT document_id FROM events WHERE user = :annotator AND action <> 'import')"
# A stored status "new" is one of three states: somebody may have brought labels, or something suggests them.
STATES = ("new", "preannotated", "imported", "in_progress", "to_check", "done", "ignored")
_IMPORTED = "d.revision > 0 AND d.labels <> ''"
_IMPORTED_FOR_WORKER = (
    "EXISTS (SELECT 1 FROM events e WHERE e.document_id = d.id AND e.annotator = '' AND e.revision = 1 "
    "AND e.action = 'import')"
)
_SUGGESTED = (
    "(p.least_score IS NOT NULL OR coalesce(p.spans, '[]') <> '[]' OR d.id IN "
    "(SELECT t.document_id FROM steps b JOIN distant_labels t ON t.batch = b.id "
    "WHERE b.project_id = :project AND b.kind = 'distant' AND b.undone IS NULL "
    "AND json_extract(b.detail, '$.mode') = 'suggest') "
    "OR EXISTS (SELECT 1 FROM source_answers o WHERE o.document_id = d.id AND o.spans <> '[]'))"
)
_WORKER_STATUS = "CASE WHEN d.status = 'ignored' THEN 'ignored' ELSE coalesce(c.status, 'new') END"


def _state(status: str, imported: str) -> str:
    return (
        f"CASE WHEN {status} <> 'new' THEN {status} WHEN {imported} THEN 'imported' "
        f"WHEN {_SUGGESTED} THEN 'preannotated' ELSE 'new' END"
    )


# The state of a row, in terms of d (documents), p (predictions) and c (the worker's version).
GOLD_STATE = _state("d.status", _IMPORTED)
WORKER_STATE = _state(_WORKER_STATUS, _IMPORTED_FOR_WORKER)
_CORRECTED = (
    "EXISTS (SELECT 1 FROM corrections x WHERE x.document_id = d.id AND x.run = :run "
    "AND (x.kind = :error OR (:error = 'any' AND x.kind <> 'confirmed')))"
)
_PEOPLE = """
    WITH RECURSIVE people(user) AS (
        SELECT min(user) FROM events WHERE action <> 'import'
        UNION ALL
        SELECT (SELECT min(user) FROM events WHERE action <> 'import' AND user > people.user)
        FROM people WHERE people.user IS NOT NULL)
    SELECT user FROM people WHERE user IS NOT NULL AND EXISTS (
        SELECT 1 FROM events e JOIN documents d ON d.id = e.document_id
        WHERE e.user = people.user AND e.action <> 'import' AND d.project_id = :project)"""
_HAS_FIELD = (
    "SELECT f.document_id FROM document_fields f WHERE f.project_id = :project "
    "AND f.field = :field{at} AND f.value = :value{at}"
)
_COMMENTED = (
    "EXISTS (SELECT 1 FROM comments m WHERE m.document_id = d.id AND m.trashed IS NULL "
    "AND m.resolved IS NULL)"
)
_OF_BATCH = (
    "EXISTS (SELECT 1 FROM distant_labels t JOIN steps b ON b.id = t.batch "
    "WHERE t.document_id = d.id AND t.batch = :batch AND b.undone IS NULL)"
)


@dataclass(frozen=True, slots=True)
class Filter:
    """A filter of documents; None and an empty search match everything.

    Args:
        status: of `STATES`. split: train, dev, test or none. ignored, done: False leaves out documents that
            are ignored, or done, unless ``status`` asks for them.
        meta: fields of the metadata with their values, all of which a document has.
        label: of a current span. predicted: whether ``run`` (or the active run) has a prediction.
        search: a substring of the text of any length, ignoring ASCII case.
        trashed: only documents in the trash.
        worker: only documents assigned to this annotator, with the status and labels of their version.
        annotator: a user who saved a change.
        confidence_from, confidence_to: inclusive bounds of the lowest score of ``run``'s spans. Documents
            without predicted spans never match.
        error: a correction of ``run`` of this kind (missed, spurious, boundary, type, or any).
        commented: whether it has open comments.
        batch: labelled by this batch of distant labels, not undone.
        imported_at: came with the import of this moment (`Added.at`).
    """

    status: str | None = None
    split: str | None = None
    label: str | None = None
    predicted: bool | None = None
    search: str = ""
    trashed: bool = False
    worker: str | None = None
    annotator: str | None = None
    confidence_from: float | None = None
    confidence_to: float | None = None
    error: str | None = None
    commented: bool | None = None
    batch: int | None = None
    meta: tuple[tuple[str, str], ...] = ()
    ignored: bool = True
    done: bool = True
    imported_at: int | None = None


def people(workspace: Workspace, project_id: int) -> list[str]:
    """Everybody who saved a change in the project, by name, for ``Filter.annotator``."""
    with workspace.reading() as db:
        return [row["user"] for row in db.execute(_PEOPLE, {"project": project_id})]


@dataclass(frozen=True, slots=True)
class Source:
    """FROM and WHERE clauses of a filter, with parameters for all user input.

    Args:
        tests: conditions on ``d`` (documents), ``p`` (predictions), ``a`` and ``c`` (the worker's version).
        joins: for the worker. plain: whether the trash is the only condition.
        only: for a search alone, all its hits in order. index_whole: False if the text index is damaged and
            every text had to be read. unsuggested: whether only documents without suggestions match.
        fields: for metadata alone, their conditions in terms of a document's id.
    """

    tests: tuple[str, ...]
    joins: str
    values: dict[str, Any]
    plain: bool
    only: list[int] | None = None
    index_whole: bool = True
    unsuggested: bool = False
    fields: tuple[str, ...] = ()

    def counted(self) -> str:
        """Clauses with a row for each document, to count: of metadata alone without touching documents."""
        if not self.fields:
            return self.documents()
        others = " AND ".join(f"f.document_id {test}" for test in (*self.fields[1:], NOT_IN_TRASH))
        return f"FROM ({_HAS_FIELD.format(at=0)}) f WHERE {others}"

    def documents(self, further: str = "", *, tables: tuple[str, ...] = ()) -> str:
        """Clauses that start from the documents, in their order.

        Args:
            further: another condition. tables: "p" and "q" if ``further`` or a sort needs the predictions or
                the scores.
        """
        tests = [*self.tests, *([further] if further else [])]
        joins = PREDICTIONS if "p" in tables or any("p." in test for test in self.tests) else ""
        joins += f" {SCORES}" if "q" in tables else ""
        return (
            f"FROM documents d {joins} {self.joins} WHERE d.project_id = :project AND {' AND '.join(tests)}"
        )

    def others_first(self, table: str, which: str) -> str:
        """Clauses that start from another table, in the order of its index.

        Args:
            table: the table with its index, named ``p`` or ``q``. which: the rows.
        """
        name = table.split()[1]
        joins = "" if name == "p" or not any("p." in test for test in self.tests) else PREDICTIONS
        return (
            f"FROM {table} CROSS JOIN documents d ON d.id = {name}.document_id {joins} {self.joins} "
            f"WHERE {which} AND d.project_id = :project AND {' AND '.join(self.tests)}"
        )


def source(
    db: sqlite3.Connection, project_id: int, which: Filter, run: str | None, acquisition: str = ""
) -> Source:
    """Build the clauses of a filter. Args:
        run: whose predictions are used; None: the active run's. acquisition: whose scores are used.

    Raises:
        PayloadError: unknown status, split or kind of error. NotFound: no such project.
    """
    project = row_of(db, project_id)
    labels = [] if which.label is None else label_ids(db, project_id).read_as(which.label)
    tests = [f"d.trashed IS {'NOT ' if which.trashed else ''}NULL", *_tests(which, labels)]
    values = {
        "project": project_id, "run": run or project.active_run, "status": which.status,
        "split": which.split, "labels": json.dumps(labels),
        "worker": which.worker, "annotator": which.annotator,
        "least": which.confidence_from, "most": which.confidence_to, "error": which.error,
        "acquisition": acquisition, "batch": which.batch, "imported": which.imported_at,
        **{name: text for at, pair in enumerate(which.meta)
           for name, text in zip((f"field{at}", f"value{at}"), pair, strict=True)},
    }  # fmt: skip
    joins = _HANDED if which.worker is not None else ""
    simple, hits, whole = len(tests) == 1 and not joins, None, True
    if which.search:
        hits, whole = text_index.hits(db, project_id, which.search, trashed=which.trashed)
        tests.append("d.id IN (SELECT value FROM json_each(:hits))")
        values["hits"] = json.dumps(hits)
    plain = simple and hits is None and not which.trashed
    metadata = [_of_field(at) for at in range(len(which.meta))]
    alone = not (joins or which.search or which.trashed) and len(tests) == 1 + len(metadata)
    return Source(
        tuple(tests), joins, values, plain, hits if simple else None, whole,
        unsuggested=which.status == "new", fields=tuple(metadata) if alone else (),
    )  # fmt: skip


def _tests(which: Filter, labels: Sequence[int]) -> list[str]:
    tests = []
    if which.status is not None:
        tests.append(_has_state(which))
    else:
        status = "d.status" if which.worker is None else _WORKER_STATUS
        unwanted = {"ignored": which.ignored, "done": which.done}
        tests += [f"{status} <> '{name}'" for name, wanted in unwanted.items() if not wanted]
    if which.split is not None:
        checked_choice(which.split, SPLITS, "split")
        tests.append("d.split = :split")
    if which.label is not None:
        gold = " OR ".join(f"instr(d.labels, ',{id_:d},') > 0" for id_ in labels) or "0"
        tests.append(f"({gold})" if which.worker is None else _LABELLED_BY_WORKER)
    if which.predicted is not None:
        tests.append(f"p.run IS {'NOT ' if which.predicted else ''}NULL")
    if which.annotator is not None:
        tests.append(_EDITED_BY)
    if which.confidence_from is not None:
        tests.append("p.least_score >= :least")
    if which.confidence_to is not None:
        tests.append("p.least_score <= :most")
    if which.error is not None:
        checked_choice(which.error, ERRORS, "error")
        tests.append(_CORRECTED)
    if which.commented is not None:
        tests.append(_COMMENTED if which.commented else f"NOT {_COMMENTED}")
    if which.batch is not None:
        tests.append(_OF_BATCH)
    if which.imported_at is not None:
        tests.append("d.imported = :imported")
    if len(which.meta) > MOST_FIELDS:
        raise PayloadError("a filter names at most {most} fields of the metadata", most=MOST_FIELDS)
    tests += [f"d.id {_of_field(at)}" for at in range(len(which.meta))]
    if len(which.search) > LONGEST_SEARCH:
        raise PayloadError(
            "a search has up to {longest} characters, got {length}",
            longest=LONGEST_SEARCH,
            length=len(which.search),
        )
    return tests


def _of_field(at: int) -> str:
    return f"IN ({_HAS_FIELD.format(at=at)})"


def _has_state(which: Filter) -> str:
    """The condition for the state, of columns of one index as far as it can be."""
    state = checked_choice(which.status, STATES, "status")
    gold = which.worker is None
    status, imported = ("d.status", _IMPORTED) if gold else (_WORKER_STATUS, _IMPORTED_FOR_WORKER)
    if state not in ("new", "preannotated", "imported"):
        return f"{status} = :status"
    if state == "imported":
        return f"{status} = 'new' AND {imported}"
    return f"{status} = 'new' AND NOT ({imported}) AND {'NOT ' if state == 'new' else ''}{_SUGGESTED}"
