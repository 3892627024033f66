"""Conditions of a filter, and the indexes that have the documents of one in order.

A million documents are not looked at one by one to find the fifty of a page. Of a condition that an index
knows (a word of the texts, a label, a field of the metadata, a status, …) at most `FEW` documents are read
from the index. Where there are no more, the list of them is the condition. Where there are more, a page is
soon full, and it begins with the index, in the order of the documents. Conditions that are common alone may
be rare together: their indexes are read side by side until enough documents have all of them.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

FEW = 10_000
MANY = 100_000
WINDOW = 100_000  # ids of documents between which indexes are read at once
# Both in one SELECT would read every document.
_ENDS = "SELECT (SELECT min(id) FROM documents), (SELECT max(id) FROM documents)"


@dataclass(frozen=True, slots=True)
class Lead:
    """Where an index has the documents of a condition.

    Args:
        table: of the FROM clause. number: its column with the document's id. where: the rows.
        repeated: whether a document can have several rows.
        in_order: whether the index has them in the order of the documents.
    """

    table: str
    number: str
    where: str
    repeated: bool = False
    in_order: bool = True

    @property
    def grouped(self) -> str:
        """The clause that makes one row of each document."""
        return f"GROUP BY {self.number}" if self.repeated else ""

    def few(self, db: sqlite3.Connection, values: Mapping[str, Any]) -> list[int] | None:
        """The documents, also those of other projects and of the trash; None if there are more than `FEW`."""
        rows = db.execute(
            f"SELECT DISTINCT {self.number} FROM {self.table} WHERE {self.where} LIMIT :few",  # noqa: S608
            {**values, "few": FEW + 1},
        )
        numbers = [row[0] for row in rows]
        return None if len(numbers) > FEW else numbers

    def between(self, db: sqlite3.Connection, values: Mapping[str, Any], first: int, last: int) -> list[int]:
        """The documents with ids from ``first`` to ``last``, read as one value: rows take much longer."""
        (listed,) = db.execute(
            f"SELECT json_group_array({self.number}) FROM {self.table} WHERE {self.where} "  # noqa: S608 - ours
            f"AND {self.number} BETWEEN :first AND :last",
            {**values, "first": first, "last": last},
        ).fetchone()
        numbers: list[int] = json.loads(listed)
        return numbers

    def has_many(self, db: sqlite3.Connection, values: Mapping[str, Any]) -> bool:
        """Whether there are more than `MANY` rows."""
        sql = f"SELECT 1 FROM {self.table} WHERE {self.where} LIMIT 1 OFFSET :many"  # noqa: S608 - ours
        return db.execute(sql, {**values, "many": MANY}).fetchone() is not None


def in_all(
    db: sqlite3.Connection, leads: Sequence[Lead], values: Mapping[str, Any]
) -> tuple[list[int], Lead]:
    """Documents that all of these indexes have, until there are more than `FEW`; and the shortest index."""
    first, last = db.execute(_ENDS).fetchone()
    sizes = dict.fromkeys(leads, 0)
    common: list[int] = []
    while first is not None and first <= last and len(common) <= FEW:
        here: set[int] | None = None
        for lead in sorted(leads, key=sizes.__getitem__):
            numbers = lead.between(db, values, first, first + WINDOW - 1)
            sizes[lead] += len(numbers)
            here = set(numbers) if here is None else here.intersection(numbers)
        common += sorted(here or ())
        first += WINDOW
    return common, min(leads, key=sizes.__getitem__)


@dataclass(frozen=True, slots=True)
class Condition:
    """One condition.

    Args:
        test: on ``d`` (documents), ``p`` (predictions), ``a`` and ``c`` (the worker's version).
        lead: where an index has its documents. kinds: whether `document_counts` has its columns.
        dense: the test where the index has more than `MANY`, if it differs.
        none: an SQL expression that is true where no document of the project passes, if that is quick to say.
    """

    test: str
    lead: Lead | None = None
    kinds: bool = False
    dense: str = ""
    none: str = ""


def of_field(at: int) -> Condition:
    """A field of the metadata has a value."""
    where = f"f.project_id = :project AND f.field = :field{at} AND f.value = :value{at}"
    test = f"EXISTS (SELECT 1 FROM document_fields f WHERE {where} AND f.document_id = d.id)"  # noqa: S608 - ours
    return Condition(test, Lead("document_fields f", "f.document_id", where))


def of_label(ids: list[int]) -> Condition:
    """A gold span has one of these labels."""
    test = " OR ".join(f"instr(d.labels, ',{id_:d},') > 0" for id_ in ids) or "0"
    chosen = ", ".join(str(int(id_)) for id_ in ids)
    where = f"s.annotator = '' AND s.label IN ({chosen})"
    table = "spans s INDEXED BY spans_by_label"
    lead = Lead(table, "s.document_id", where, repeated=True, in_order=len(ids) == 1)
    return Condition(f"({test})", lead if ids else None)


def of_status(name: str) -> Condition:
    """The gold annotation has this stored status, which is not ``new``."""
    where = f"o.project_id = :project AND o.trashed IS NULL AND o.status = '{name}' AND o.status <> 'new'"
    table = "documents o INDEXED BY documents_by_status"
    return Condition(f"d.status = '{name}'", Lead(table, "o.id", where), kinds=True)


def of_split(name: str) -> Condition:
    """The document is in this split, which is not ``none``."""
    where = f"o.project_id = :project AND o.trashed IS NULL AND o.split = '{name}' AND o.split <> 'none'"
    table = "documents o INDEXED BY documents_by_split"
    return Condition(f"d.split = '{name}'", Lead(table, "o.id", where), kinds=True)


def of_batch() -> Condition:
    """A batch of distant labels, not undone, labelled the document."""
    where = "t.batch = :batch AND EXISTS (SELECT 1 FROM steps b WHERE b.id = t.batch AND b.undone IS NULL)"
    test = f"EXISTS (SELECT 1 FROM distant_labels t WHERE t.document_id = d.id AND {where})"  # noqa: S608
    return Condition(test, Lead("distant_labels t", "t.document_id", where, repeated=True))


def of_annotator() -> Condition:
    """A user saved a change."""
    where = "e.user = :annotator AND e.action <> 'import'"
    test = f"d.id IN (SELECT e.document_id FROM events e WHERE {where})"  # noqa: S608 - ours
    return Condition(test, Lead("events e INDEXED BY events_of_user", "e.document_id", where, repeated=True))


def of_error() -> Condition:
    """There is a correction of the run of a kind."""
    where = "x.run = :run AND (x.kind = :error OR (:error = 'any' AND x.kind <> 'confirmed'))"
    test = f"EXISTS (SELECT 1 FROM corrections x WHERE x.document_id = d.id AND {where})"  # noqa: S608 - ours
    return Condition(test, Lead("corrections x", "x.document_id", where, in_order=False))


def of_comments(*, wanted: bool) -> Condition:
    """There are open comments, or none."""
    where = "m.trashed IS NULL AND m.resolved IS NULL"
    test = f"EXISTS (SELECT 1 FROM comments m WHERE m.document_id = d.id AND {where})"  # noqa: S608 - ours
    if not wanted:
        return Condition(f"NOT {test}")
    return Condition(test, Lead("comments m", "m.document_id", where, in_order=False))


def of_confidence(bounds: list[str]) -> Condition:
    """The lowest score of the run's spans is within the bounds, as ``>= :least``."""
    where = f"r.run = :run AND {' AND '.join(f'r.least_score {bound}' for bound in bounds)}"
    test = " AND ".join(f"p.least_score {bound}" for bound in bounds)
    table = "predictions r INDEXED BY predictions_in_order"
    # With many in these bounds a page is soon full, and nothing may be sorted first: hence the plus.
    dense = test.replace("p.least_score", "+p.least_score")
    return Condition(test, Lead(table, "r.document_id", where, in_order=False), dense=dense)


def of_prediction(*, wanted: bool) -> Condition:
    """The run has predicted the document, or not."""
    test = f"p.run IS {'NOT ' if wanted else ''}NULL"
    return Condition(test) if wanted else Condition(test, none=predicted_all())


def predicted_all(which: Literal["number", "scored"] = "number") -> str:
    """Whether the run has predicted all documents of the project; those of the trash count, too.

    Args:
        which: "scored": in each of them a span with a score.
    """
    return (
        f"(SELECT {which} FROM prediction_counts WHERE run = :run) "  # noqa: S608 - ours
        "= (SELECT sum(number) FROM document_counts WHERE project_id = :project) "
        "AND EXISTS (SELECT 1 FROM runs WHERE name = :run AND project_id = :project)"
    )
