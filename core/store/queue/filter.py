"""Filters of documents for queues, lists and exports, and their FROM and WHERE clauses."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from core.store.annotation.corrections import KINDS
from core.store.db.errors import PayloadError
from core.store.db.payload import SPLITS, checked_choice
from core.store.db.workspace import Workspace
from core.store.document import text_index
from core.store.label.ids import label_ids
from core.store.project.projects import row_of
from core.store.queue.condition import (
    FEW,
    Condition,
    Lead,
    in_all,
    of_annotator,
    of_batch,
    of_comments,
    of_confidence,
    of_error,
    of_field,
    of_label,
    of_prediction,
    of_split,
    of_status,
    predicted_all,
)

ANY_ERROR = "any"  # of Filter.error: any kind but "confirmed", which is no error
ERRORS = (ANY_ERROR, *(kind for kind in KINDS if kind != "confirmed"))
MOST_FIELDS = 8
LONGEST_SEARCH = 1_000  # characters; SQLite refuses patterns of 50,000 bytes

SCORES = (
    "LEFT JOIN queue_scores q ON q.project_id = :project "
    "AND q.acquisition = :acquisition AND q.document_id = d.id"
)
PREDICTIONS = "LEFT JOIN predictions p ON p.run = :run AND p.document_id = d.id"
# `document_counts` under the names of `documents`.
_OF_KINDS = """
    WITH d AS (SELECT status, split, revision, labels, number, nullif(trashed, 0) AS trashed
               FROM document_counts WHERE project_id = :project)
    SELECT coalesce(sum(number), 0) FROM d"""
# The trash is excluded by id, so that indexes without it are read without touching documents.
NOT_IN_TRASH = "NOT IN (SELECT id FROM documents WHERE project_id = :project AND trashed IS NOT NULL)"
_HANDED = """
    JOIN assignments a ON a.document_id = d.id AND a.user = :worker
    LEFT JOIN versions c ON c.document_id = d.id AND c.annotator = :worker"""
_LABELLED_BY_WORKER = (
    "EXISTS (SELECT 1 FROM spans s WHERE s.document_id = d.id AND s.annotator = :worker "
    "AND s.label IN (SELECT value FROM json_each(:labels)))"
)
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
_PEOPLE = """
    WITH RECURSIVE people(user) AS (
        SELECT min(user) FROM events WHERE action <> 'import'
        UNION ALL
        SELECT (SELECT min(user) FROM events WHERE action <> 'import' AND user > people.user)
        FROM people WHERE people.user IS NOT NULL)
    SELECT user FROM people WHERE user IS NOT NULL AND EXISTS (
        SELECT 1 FROM events e JOIN documents d ON d.id = e.document_id
        WHERE e.user = people.user AND e.action <> 'import' AND d.project_id = :project)"""


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
        kinds: whether `document_counts` has the columns of all conditions.
        few: whether one of ``tests`` is a list of documents.
        first: a further condition, whose index has many documents; None where there is none.
        index_whole: False if the text index is damaged and every text had to be read.
        unsuggested: whether only documents without suggestions match.
        at_least: documents that are known to match.
    """

    tests: tuple[str, ...]
    joins: str
    values: dict[str, Any]
    plain: bool
    kinds: bool
    few: bool
    first: Condition | None
    index_whole: bool
    unsuggested: bool
    at_least: int

    @property
    def lead(self) -> Lead | None:
        """The index to begin with, in the order of the documents."""
        return self.first.lead if self.first else None

    def count(self, db: sqlite3.Connection, most: int) -> int:
        """Number of documents, counted up to ``most`` (-1: all)."""
        if self.kinds and not self.few:
            tests = " AND ".join(self._all_tests())
            row = db.execute(f"{_OF_KINDS} WHERE {tests}", self.values).fetchone()
        else:
            row = db.execute(
                f"SELECT count(*) FROM (SELECT 1 {self._counted()} LIMIT :limit)",  # noqa: S608 - ours
                self.values | {"limit": most},
            ).fetchone()
        return int(row[0])

    def _counted(self) -> str:
        """Clauses with a row for each document; of an index alone without touching documents."""
        lead = self.lead
        if lead is None:
            return self.documents()
        if self.joins or self._is_long_search or self.tests != ("d.trashed IS NULL",):
            return f"{self.in_order()} {lead.grouped}"
        return f"FROM {lead.table} WHERE {lead.where} AND {lead.number} {NOT_IN_TRASH} {lead.grouped}"

    def documents(self, further: str = "", *, tables: tuple[str, ...] = (), scattered: bool = False) -> str:
        """Clauses that start from the documents, in their order.

        Args:
            further: another condition. tables: "p" and "q" if ``further`` or a sort needs the predictions or
                the scores. scattered: for a sort by another index than that of the documents in their order.
        """
        joins = PREDICTIONS if self._reads_predictions or "p" in tables else ""
        joins += f" {SCORES}" if "q" in tables else ""
        tests = self._all_tests(further)
        if scattered:
            tests[0] = f"+{tests[0]}"  # or the sort would be by hand
        return (
            f"FROM documents d {joins} {self.joins} WHERE d.project_id = :project AND {' AND '.join(tests)}"
        )

    def in_order(self) -> str:
        """Clauses that start from the lead, if there is one, in the order of the documents."""
        if self.lead is None:
            return self.documents()
        joins = PREDICTIONS if self._reads_predictions else ""
        # Of a long search the index knows the beginning.
        tests = self._all_tests() if self._is_long_search else self.tests
        return (
            f"FROM {self.lead.table} CROSS JOIN documents d ON d.id = {self.lead.number} {joins} "
            f"{self.joins} WHERE {self.lead.where} AND d.project_id = :project AND {' AND '.join(tests)}"
        )

    def others_first(self, table: str, which: str) -> str:
        """Clauses that start from another table, in the order of its index.

        Args:
            table: the table with its index, named ``p`` or ``q``. which: the rows.
        """
        name = table.split()[1]
        joins = PREDICTIONS if name != "p" and self._reads_predictions else ""
        return (
            f"FROM {table} CROSS JOIN documents d ON d.id = {name}.document_id {joins} {self.joins} "
            f"WHERE {which} AND d.project_id = :project AND {' AND '.join(self._all_tests())}"
        )

    @property
    def _is_long_search(self) -> bool:
        return len(self.values.get("folded", "")) > text_index.MOST_UNITS

    @property
    def _reads_predictions(self) -> bool:
        return any("p." in test for test in self._all_tests())

    def _all_tests(self, further: str = "") -> list[str]:
        first = [self.first.test] if self.first else []
        return [*self.tests, *first, *([further] if further else [])]


def source(
    db: sqlite3.Connection,
    project_id: int,
    which: Filter,
    run: str | None,
    acquisition: str = "",
    *,
    read_texts: bool = False,
) -> Source:
    """Build the clauses of a filter.

    Args:
        run: whose predictions are used; None: the active run's. acquisition: whose scores are used.
        read_texts: search every text, as the text index is damaged.

    Raises:
        PayloadError: unknown status, split or kind of error. NotFound: no such project.
    """
    project = row_of(db, project_id)
    _check(which)
    values = {
        "project": project_id, "run": run or project.active_run,
        "worker": which.worker, "annotator": which.annotator,
        "least": which.confidence_from, "most": which.confidence_to, "error": which.error,
        "acquisition": acquisition, "batch": which.batch, "imported": which.imported_at,
        **{name: text for at, pair in enumerate(which.meta)
           for name, text in zip((f"field{at}", f"value{at}"), pair, strict=True)},
    }  # fmt: skip
    labels = [] if which.label is None else label_ids(db, project_id).read_as(which.label)
    values["labels"] = json.dumps(labels)
    conditions = list(_conditions(which, labels))
    whole, few = True, None
    if which.search:
        hits = _hits(db, project_id, which, read_texts=read_texts)
        if hits is None:
            folded = text_index.folded(which.search)
            values |= {"phrase": text_index.phrase(which.search), "folded": folded}
        else:
            whole, few = hits.whole, hits.numbers
        table = text_index.name_of(project_id)
        lead = Lead(table, f"{table}.rowid", f"{table} MATCH :phrase")
        conditions.insert(0, Condition(text_index.CONTAINS, lead))
    first = conditions[0] if few is not None else None
    for condition in conditions if few is None else ():
        few = condition.lead.few(db, values) if condition.lead else None
        if condition.none and db.execute(f"SELECT {condition.none}", values).fetchone()[0]:
            few = []
        if few is not None:
            first = condition
            break
    passed = [] if first is None else [first]
    at_least = 0
    together = _in_order(conditions) if few is None else []
    if len(together) > 1:
        common, rarest = in_all(db, [each.lead for each in together if each.lead], values)
        first = next(each for each in together if each.lead == rarest)
        # Of a long search the index knows the beginning.
        is_exact = len(which.search) <= text_index.MOST_UNITS
        if len(common) <= FEW:
            few = common
            passed = [each for each in together if is_exact or each.test != text_index.CONTAINS]
        elif is_exact and len(together) == len(conditions) and which.worker is None and not which.trashed:
            at_least = len(common) - len(_trash(db, project_id).intersection(common))
    elif together:
        first = together[0]
    if few is None:
        passed = [first] if first else []
    in_trash = Condition(f"d.trashed IS {'NOT ' if which.trashed else ''}NULL", kinds=True)
    tests = [in_trash, *(each for each in conditions if each not in passed)]
    joins = _HANDED if which.worker is not None else ""
    tests = [
        replace(each, test=each.dense)
        if each.dense and each.lead and each.lead.has_many(db, values)
        else each
        for each in tests
    ]
    if few is not None:
        values["few"] = json.dumps(few)
        tests.append(Condition("d.id IN (SELECT value FROM json_each(:few))"))
        first = None
    everything = [*tests, first] if first else tests
    return Source(
        tuple(each.test for each in tests), joins, values,
        plain=not joins and not which.trashed and len(everything) == 1,
        kinds=not joins and all(each.kinds for each in everything),
        few=few is not None, first=first, index_whole=whole, unsuggested=which.status == "new",
        at_least=at_least,
    )  # fmt: skip


def _in_order(conditions: Sequence[Condition]) -> list[Condition]:
    """Those whose index has the documents in their order."""
    return [each for each in conditions if each.lead and each.lead.in_order]


def _trash(db: sqlite3.Connection, project_id: int) -> set[int]:
    sql = "SELECT id FROM documents WHERE project_id = ? AND trashed IS NOT NULL"
    return {row[0] for row in db.execute(sql, (project_id,))}


def everything(db: sqlite3.Connection, clauses: Source) -> int:
    """Number of documents of the project, those of the trash included."""
    return int(db.execute(_OF_KINDS, clauses.values).fetchone()[0])


def _hits(
    db: sqlite3.Connection, project_id: int, which: Filter, *, read_texts: bool
) -> text_index.Hits | None:
    """The documents of a search; None if they are many."""
    if read_texts:
        numbers = text_index.scan(db, project_id, which.search, trashed=which.trashed)
        return text_index.Hits(numbers, False)
    return text_index.few_hits(db, project_id, which.search, FEW, trashed=which.trashed)


def _check(which: Filter) -> None:
    for value, choices, name in (
        (which.status, STATES, "status"), (which.split, SPLITS, "split"), (which.error, ERRORS, "error"),
    ):  # fmt: skip
        if value is not None:
            checked_choice(value, choices, name)
    if len(which.meta) > MOST_FIELDS:
        raise PayloadError("a filter names at most {most} fields of the metadata", most=MOST_FIELDS)
    if len(which.search) > LONGEST_SEARCH:
        raise PayloadError(
            "a search has up to {longest} characters, got {length}",
            longest=LONGEST_SEARCH,
            length=len(which.search),
        )


def _conditions(which: Filter, labels: list[int]) -> Iterator[Condition]:
    """The conditions, without those of the trash and the search."""
    gold = which.worker is None
    if which.status is not None:
        yield _has_state(which.status, gold=gold, trashed=which.trashed)
    else:
        status = "d.status" if gold else _WORKER_STATUS
        for name, wanted in (("ignored", which.ignored), ("done", which.done)):
            if not wanted:
                yield Condition(f"{status} <> '{name}'", kinds=gold)
    if which.split is not None:
        by_index = which.split != "none" and not which.trashed
        yield of_split(which.split) if by_index else Condition(f"d.split = '{which.split}'", kinds=True)
    if which.label is not None:
        yield of_label(labels) if gold else Condition(_LABELLED_BY_WORKER)
    if which.predicted is not None:
        yield of_prediction(wanted=which.predicted)
    if which.annotator is not None:
        yield of_annotator()
    bounds = {">= :least": which.confidence_from, "<= :most": which.confidence_to}
    if any(bound is not None for bound in bounds.values()):
        yield of_confidence([test for test, bound in bounds.items() if bound is not None])
    if which.error is not None:
        yield of_error()
    if which.commented is not None:
        yield of_comments(wanted=which.commented)
    if which.batch is not None:
        yield of_batch()
    if which.imported_at is not None:
        yield Condition("d.imported = :imported")
    yield from map(of_field, range(len(which.meta)))


def _has_state(state: str, *, gold: bool, trashed: bool) -> Condition:
    """The condition for the state, of columns of one index as far as it can be."""
    status, imported = ("d.status", _IMPORTED) if gold else (_WORKER_STATUS, _IMPORTED_FOR_WORKER)
    if state not in ("new", "preannotated", "imported"):
        by_index = gold and not trashed
        return of_status(state) if by_index else Condition(f"{status} = '{state}'", kinds=gold)
    if state == "imported":
        return Condition(f"{status} = 'new' AND {imported}", kinds=gold)
    test = f"{status} = 'new' AND NOT ({imported}) AND {'NOT ' if state == 'new' else ''}{_SUGGESTED}"
    return Condition(test, none=predicted_all("scored") if state == "new" else "")
