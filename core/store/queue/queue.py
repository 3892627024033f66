"""The queue of documents: filtered, searched, sorted and paged."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from core.store.db.workspace import Workspace
from core.store.document import text_index
from core.store.project.projects import checked_id
from core.store.queue.filter import GOLD_STATE, WORKER_STATE, Filter, Source, everything, source
from core.store.queue.order import Stretch, stretches

EXCERPT = 120  # characters of the text that a row of the queue shows
LARGE = 200_000  # documents of a project from which on the matching ones are counted up to MOST_COUNTED
MOST_COUNTED = 10_000
Answer = TypeVar("Answer")

_SUMMARY = f"""
    SELECT d.id, d.name,
           substr(d.text, max(1, instr(lower(d.text), lower(:search)) - 10), :excerpt) AS excerpt,
           length(d.text) AS length, d.split,
           CASE WHEN :worker IS NULL THEN {GOLD_STATE} ELSE {WORKER_STATE} END AS status,
           CASE WHEN :worker IS NULL THEN d.revision ELSE coalesce(c.revision, 0) END AS revision,
           (SELECT count(DISTINCT s.start || '-' || s."end" || ' ' || l.reads_as) FROM spans s
            JOIN labels l ON l.id = s.label AND l.reads_as IS NOT NULL
            WHERE s.document_id = d.id AND s.annotator = coalesce(:worker, '')) AS spans, p.least_score,
           CASE WHEN 'ignored' IN (d.status, c.status) THEN coalesce((SELECT e.reason FROM events e
               WHERE e.document_id = d.id AND e.revision = CASE WHEN d.status = 'ignored' THEN d.revision
               ELSE c.revision END AND e.annotator = CASE WHEN d.status = 'ignored' THEN ''
               ELSE :worker END), '') ELSE '' END AS reason
    FROM documents d LEFT JOIN predictions p ON p.run = :run AND p.document_id = d.id
    LEFT JOIN versions c ON c.document_id = d.id AND c.annotator = :worker
    WHERE d.id IN (SELECT value FROM json_each(:ids))"""  # noqa: S608 - ours


@dataclass(frozen=True, slots=True)
class Summary:
    """One row of the queue. ``excerpt`` starts at the search hit, if any; ``status`` is one of ``STATES``;
    ``reason``: why the document is ignored, if it is.
    """

    id: int
    name: str
    excerpt: str
    length: int
    split: str
    status: str
    revision: int
    spans: int
    least_score: float | None
    reason: str


@dataclass(frozen=True, slots=True)
class Page:
    """Some rows of the queue and their total number; ``more``: there are more than ``total``, but in a large
    project they are not all counted."""

    rows: tuple[Summary, ...]
    total: int
    more: bool = False


def page(
    workspace: Workspace,
    project_id: int,
    which: Filter | None = None,
    *,
    order: str = "in order",
    offset: int = 0,
    limit: int = 50,
    run: str | None = None,
    acquisition: str = "",
) -> Page:
    """One page of the queue; ``run`` (default: the active run) gives the confidences.

    Args:
        acquisition: whose scores the orders "lowest score" and "highest score" sort by.

    Raises:
        PayloadError: unknown status, split or order.
    """
    which = which or Filter()
    first, wanted = max(0, offset), max(0, limit)

    def ask(db: sqlite3.Connection, clauses: Source) -> Page:
        total, more = _total(db, clauses, first + wanted)
        ids = _places(db, stretches(db, order, clauses), clauses, first, min(wanted, max(0, total - first)))
        # Texts are read for the page's rows only, not while sorting.
        values = clauses.values | {"ids": json.dumps(ids), "excerpt": EXCERPT, "search": which.search}
        rows = db.execute(_SUMMARY, values) if ids else ()
        summaries = {row["id"]: Summary(*row) for row in rows}
        return Page(tuple(summaries[id_] for id_ in ids), total, more)

    return _asked(workspace, project_id, which, run, acquisition, ask)


def first_to_annotate(workspace: Workspace, project_id: int, which: Filter | None = None) -> int | None:
    """The first document that nobody has annotated, else the first of all; None where there is none."""
    which = which or Filter()
    raw = [
        following(workspace, project_id, None, replace(which, status=state), limit=1)
        for state in ("new", "preannotated")
    ]
    first = [found[0] for found in raw if found]
    if first:
        return min(first)
    found = following(workspace, project_id, None, which, limit=1)
    return found[0] if found else None


def neighbour(
    workspace: Workspace,
    project_id: int,
    document_id: int,
    which: Filter | None = None,
    *,
    backwards: bool = False,
    order: str = "in order",
    run: str | None = None,
    acquisition: str = "",
) -> int | None:
    """The document after another in the queue, or before it; None at its end, and for one of another project.

    The other document has its place in the order also where it does not pass the filter. Ignored documents
    are passed over, unless the filter asks for them.

    Raises:
        PayloadError: as ``page``.
    """
    number = checked_id(document_id)

    def ask(db: sqlite3.Connection, clauses: Source) -> list[int]:
        segments = stretches(db, order, clauses)[:: -1 if backwards else 1]
        return _beyond(db, segments, clauses, number, 1, backwards=backwards)

    found = _asked(workspace, project_id, replace(which or Filter(), ignored=False), run, acquisition, ask)
    return found[0] if found else None


def following(
    workspace: Workspace,
    project_id: int,
    document_id: int | None,
    which: Filter | None = None,
    *,
    limit: int,
    order: str = "in order",
    run: str | None = None,
    acquisition: str = "",
) -> list[int]:
    """The documents after another in the queue, at most ``limit``; of None the first ones.

    Unlike `page`, which counts rows, it passes over no document while others leave the list. The document has
    its place in the order also where it does not pass the filter; after one of another project nothing comes.

    Raises:
        PayloadError: as ``page``.
    """
    after = None if document_id is None else checked_id(document_id)

    def ask(db: sqlite3.Connection, clauses: Source) -> list[int]:
        return _beyond(db, stretches(db, order, clauses), clauses, after, limit)

    return _asked(workspace, project_id, which or Filter(), run, acquisition, ask)


def _beyond(
    db: sqlite3.Connection,
    segments: Sequence[Stretch],
    clauses: Source,
    document_id: int | None,
    limit: int,
    *,
    backwards: bool = False,
) -> list[int]:
    """The documents after one in these segments; of None the first ones."""
    begun = document_id is None
    found: list[int] = []
    for stretch in segments:
        place: tuple[Any, ...] | None = ()
        if not begun:
            place = stretch.place(db, clauses, document_id or 0)
            if place is None:
                continue
            begun = True
        wanted = limit - len(found)
        found += stretch.following(db, clauses, place or (), limit=wanted, backwards=backwards)
        if len(found) >= limit:
            break
    return found


def matching(
    workspace: Workspace, project_id: int, which: Filter | None = None, *, run: str | None = None
) -> list[int]:
    """The ids of all documents that match, in order.

    Raises:
        PayloadError: as ``page``.
    """

    def ask(db: sqlite3.Connection, clauses: Source) -> list[int]:
        (one,) = stretches(db, "in order", clauses)
        return one.following(db, clauses, limit=-1)

    return _asked(workspace, project_id, which or Filter(), run, "", ask)


def _asked(
    workspace: Workspace,
    project_id: int,
    which: Filter,
    run: str | None,
    acquisition: str,
    ask: Callable[[sqlite3.Connection, Source], Answer],
) -> Answer:
    """What ``ask`` answers. Where the text index is damaged, the texts are read, and it is made anew."""
    with workspace.reading() as db:
        try:
            clauses = source(db, project_id, which, run, acquisition)
            answer = ask(db, clauses)
        except sqlite3.DatabaseError as error:
            if not (which.search and text_index.is_damage(error)):
                raise
            clauses = source(db, project_id, which, run, acquisition, read_texts=True)
            answer = ask(db, clauses)
    if not clauses.index_whole:
        text_index.rebuild(workspace, project_id)
    return answer


def _total(db: sqlite3.Connection, clauses: Source, at_least: int) -> tuple[int, bool]:
    """Number of documents, and whether there are more: in a large project not all are counted."""
    if clauses.kinds or clauses.few or everything(db, clauses) <= LARGE:
        return clauses.count(db, -1), False
    most = max(MOST_COUNTED, at_least)
    if clauses.at_least > most:
        return most, True
    counted = clauses.count(db, most + 1)
    return min(counted, most), counted > most


def _places(
    db: sqlite3.Connection, segments: Sequence[Stretch], clauses: Source, offset: int, limit: int
) -> list[int]:
    """The ids of one page, of no more documents than there are: a query that looks for more reads every
    document once again."""
    if not limit:
        return []
    if len(segments) == 1:
        total = clauses.count(db, -1) if clauses.kinds and not clauses.few else None
        return segments[0].page(db, clauses, offset, limit, total)
    ids: list[int] = []
    passed = 0  # documents of earlier segments
    for at, stretch in enumerate(segments):
        if len(ids) == limit:
            break
        here = stretch.page(db, clauses, max(0, offset - passed), limit - len(ids))
        ids += here
        if at + 1 < len(segments) and len(ids) < limit:
            passed += stretch.count(db, clauses)
    return ids
