"""Which documents a queue, a list or an export takes: a filter, and its FROM and WHERE."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from typing import Any

from core.store.corrections import KINDS
from core.store.errors import PayloadError
from core.store.payload import SPLITS, STATUSES, checked_choice
from core.store.projects import row_of
from core.store.workspace import Workspace

ANY_ERROR = "any"  # of Filter.error: a correction of any kind but "confirmed", which is none
ERRORS = (ANY_ERROR, *(kind for kind in KINDS if kind != "confirmed"))
LONGEST_SEARCH = 1_000  # characters; SQLite refuses patterns of 50,000 bytes

SCORES = (
    "LEFT JOIN queue_scores q ON q.project_id = :project AND q.strategy = :strategy AND q.document_id = d.id"
)
PREDICTIONS = "LEFT JOIN predictions p ON p.run = :run AND p.document_id = d.id"
_HANDED = """
    JOIN assignments a ON a.document_id = d.id AND a.user = :worker
    LEFT JOIN copies c ON c.document_id = d.id AND c.user = :worker"""
_LABELLED = "EXISTS (SELECT 1 FROM spans s WHERE s.document_id = d.id AND s.label = :label)"
_LABELLED_BY_WORKER = (
    "EXISTS (SELECT 1 FROM json_each(c.spans) s WHERE json_extract(s.value, '$[2]') = :label)"
)
_EDITED_BY = (
    "(EXISTS (SELECT 1 FROM events e WHERE e.document_id = d.id AND e.user = :annotator) "
    "OR EXISTS (SELECT 1 FROM copies k WHERE k.document_id = d.id AND k.user = :annotator))"
)
_CORRECTED = (
    "EXISTS (SELECT 1 FROM corrections x WHERE x.document_id = d.id AND x.run = :run "
    "AND (x.kind = :error OR (:error = 'any' AND x.kind <> 'confirmed')))"
)
_COMMENTED = (
    "EXISTS (SELECT 1 FROM comments m WHERE m.document_id = d.id AND m.trashed IS NULL "
    "AND m.resolved IS NULL)"
)


@dataclass(frozen=True, slots=True)
class Filter:
    """Which documents; None and an empty search let everything through.

    Args:
        status: new, in_progress or done. split: train, dev, test or none.
        label: on a current span. predicted: whether ``run`` (or the serving run) has answered.
        search: any substring of the text, one Chinese character included; ASCII letters of either case.
        trashed: documents in the trash instead of the others.
        worker: only documents handed to this person, with the status and the labels of their own copy.
        annotator: somebody who saved a change of it.
        confidence_from, confidence_to: bounds, both included, of the least score among the spans that
            ``run`` found. A document in which it found none, or was not asked, is outside of any.
        error: a correction of ``run`` of this kind (missed, spurious, boundary, type, or any).
        commented: whether a comment on it waits for an answer.
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


def people(workspace: Workspace, project_id: int) -> list[str]:
    """Everybody who saved a change in the project, by name; what ``Filter.annotator`` can be."""
    with workspace.reading() as db:
        rows = db.execute(
            "SELECT DISTINCT user FROM (SELECT e.user FROM events e JOIN documents d ON d.id = e.document_id "
            "WHERE d.project_id = :project UNION SELECT c.user FROM copies c JOIN documents d "
            "ON d.id = c.document_id WHERE d.project_id = :project) ORDER BY user",
            {"project": project_id},
        )
        return [row["user"] for row in rows]


def source(
    db: sqlite3.Connection,
    project_id: int,
    which: Filter,
    run: str | None,
    keys: tuple[str, ...],
    strategy: str = "",
) -> tuple[str, dict[str, Any]]:
    """FROM and WHERE of what passes, with its values; whatever came from outside is a value, never SQL.

    Args:
        run: whose answers are meant; None for the serving run's.
        keys: what is sorted by: says which tables are joined. strategy: whose scores are.

    Raises:
        PayloadError: a status, split or kind of error that does not exist. NotFound: no such project.
    """
    project = row_of(db, project_id)
    tests = [f"d.trashed IS {'NOT ' if which.trashed else ''}NULL", *_tests(which)]
    values = {
        "project": project_id, "run": run or project.serving_run, "status": which.status,
        "split": which.split, "label": which.label, "search": which.search,
        "pattern": _pattern(which.search), "worker": which.worker, "annotator": which.annotator,
        "least": which.confidence_from, "most": which.confidence_to, "error": which.error,
        "strategy": strategy,
    }  # fmt: skip
    join = PREDICTIONS if any("p." in part for part in (*keys, *tests)) else ""
    if any("q." in key for key in keys):
        join += f" {SCORES}"
    if which.worker is not None:
        join += _HANDED
    return f"FROM documents d {join} WHERE d.project_id = :project AND {' AND '.join(tests)}", values


def _tests(which: Filter) -> list[str]:
    tests = []
    if which.status is not None:
        checked_choice(which.status, STATUSES, "status")
        tests.append("d.status = :status" if which.worker is None else "coalesce(c.status, 'new') = :status")
    if which.split is not None:
        checked_choice(which.split, SPLITS, "split")
        tests.append("d.split = :split")
    if which.label is not None:
        tests.append(_LABELLED if which.worker is None else _LABELLED_BY_WORKER)
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
    if len(which.search) > LONGEST_SEARCH:
        raise PayloadError(f"a search has up to {LONGEST_SEARCH} characters, got {len(which.search)}")
    if which.search:
        # Last, because it reads the text. LIKE looks at bytes where instr counts characters, and makes no
        # lower-case copy of every text: a third of the time.
        tests.append(r"d.text LIKE :pattern ESCAPE '\'")
    return tests


def _pattern(search: str) -> str:
    """``search`` anywhere, for LIKE, which takes ASCII letters of either case alike."""
    escaped = "".join(f"\\{char}" if char in "\\%_" else char for char in search)
    return f"%{escaped}%"
