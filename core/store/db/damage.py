"""Find damaged rows, after one could not be read and in a backup to restore.

The schema's constraints (STRICT, NOT NULL, CHECK) do not cover JSON cells, and a restored file may lack them.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any, NamedTuple

from core.runtime.message import Message, _
from core.store.db.payload import SPLITS, STATUSES

_UNKNOWN = 1 << 62  # the length of a missing text
MOST_TOLD = 1000  # stop counting damaged rows here


class Context(NamedTuple):
    """What cells are checked against: the length of their document's text and the label ids."""

    length: int
    labels: frozenset[int]


Judge = Callable[[Any, Context], "Message | None"]  # the problem with a cell, or None


@dataclass(frozen=True, slots=True)
class Damage:
    """A damaged row: its table, key and column, and the problem."""

    table: str
    key: tuple[tuple[str, object], ...]
    column: str
    what: Message

    @property
    def message(self) -> Message:
        """Where it lies, and what is wrong with it."""
        return _(
            "table {table}, row {row}, column {column} {what}",
            table=self.table,
            row=", ".join(f"{name} {str(value)[:60]}" for name, value in self.key),
            column=self.column,
            what=self.what,
        )

    def __str__(self) -> str:
        return str(self.message)


def damaged_rows(db: sqlite3.Connection) -> list[Damage]:
    """The first damaged rows of a file, table by table, each with its first problem.

    Args:
        db: a connection used for this only; invalid UTF-8 is read from it as lone surrogates.
    """
    db.text_factory = _decoded
    return list(islice(_damages(db), MOST_TOLD))


def _damages(db: sqlite3.Connection) -> Iterator[Damage]:
    lengths: dict[object, int] = {}
    labels = frozenset(row[0] for row in db.execute("SELECT id FROM labels"))
    for table, (key, judges) in _TABLES.items():
        there = {row[1] for row in db.execute(f"PRAGMA table_info({table})")}
        columns = [name for name in judges if name in there]
        if not columns or not there.issuperset(key):
            continue  # written by an earlier version
        names = ", ".join(f'"{name}"' for name in (*key, *columns))
        for row in db.execute(f"SELECT {names} FROM {table}"):  # noqa: S608 - names of our own schema
            cells = dict(zip((*key, *columns), row, strict=True))
            if table == "documents":
                lengths[cells["id"]] = len(cells["text"]) if isinstance(cells["text"], str) else 0
            length = lengths.get(cells.get("document_id", cells.get("id")), _UNKNOWN)
            for column in columns:
                what = judges[column](cells[column], Context(length, labels))
                if what is not None:
                    yield Damage(table, tuple((name, cells[name]) for name in key), column, what)
                    break


def _text(cell: Any, context: Context) -> Message | None:
    if not isinstance(cell, str):
        return _("holds nothing") if cell is None else _("is not text")
    try:
        cell.encode("utf-8")
    except UnicodeEncodeError:
        return _("is not UTF-8")
    return None


def _label(cell: Any, context: Context) -> Message | None:
    return None if cell in context.labels else _("holds a label that is not there")


def _number(cell: Any, context: Context) -> Message | None:
    if cell is None:
        return _("holds nothing")
    return None if isinstance(cell, int) else _("is not a whole number")


def _one_of(*words: str) -> Judge:
    def judge(cell: Any, context: Context) -> Message | None:
        if cell is None:
            return _("holds nothing")
        return None if cell in words else _("holds an unknown value")

    return judge


def _json(kind: type | None) -> Judge:
    def judge(cell: Any, context: Context) -> Message | None:
        wrong = _text(cell, context)
        if wrong is not None:
            return wrong
        try:
            value = json.loads(cell)
        except (ValueError, RecursionError):
            return _("is not JSON")
        return None if kind is None or isinstance(value, kind) else _("is JSON of another form")

    return judge


def _spans(cell: Any, context: Context) -> Message | None:
    wrong = _json(list)(cell, context)
    if wrong is not None:
        return wrong
    problems = (_span_item(item, context) for item in json.loads(cell))
    return next((problem for problem in problems if problem is not None), None)


def _span(cell: Any, context: Context) -> Message | None:
    if cell is None:
        return None
    return _json(list)(cell, context) or _span_item(json.loads(cell), context)


def _span_item(item: Any, context: Context) -> Message | None:
    """The problem with the array of a span (see ``span_json``), or None."""
    fits = (
        isinstance(item, list)
        and len(item) in (3, 4, 5)
        and all(type(offset) is int for offset in item[:2])
        and type(item[2]) is int
        and (len(item) == 3 or item[3] is None or type(item[3]) in (int, float))
        and 0 <= item[0] < item[1]
        and (len(item) < 5 or _is_link(item[4]))
    )
    if not fits:
        return _("is not a list of spans")
    if item[1] > context.length:
        return _("holds a span beyond the text")
    return None if item[2] in context.labels else _("holds a label that is not there")


def _is_link(item: Any) -> bool:
    return isinstance(item, list) and len(item) == 3 and all(isinstance(part, str) for part in item)


def _link(cell: Any, context: Context) -> Message | None:
    if cell is None:
        return None
    return _json(list)(cell, context) or (None if _is_link(json.loads(cell)) else _("is not a link"))


def _end(cell: Any, context: Context) -> Message | None:
    return _number(cell, context) or (_("holds a span beyond the text") if cell > context.length else None)


_CHANGE: dict[str, Judge] = {
    "user": _text, "at": _number, "action": _text, "added": _spans, "removed": _spans, "rejected": _spans,
    "status": _one_of(*STATUSES),
}  # fmt: skip
# For every table that is read into objects: its key columns, and a check for each other column.
# `documents` comes first: the checks of the others need the lengths of its texts.
_TABLES: Mapping[str, tuple[tuple[str, ...], dict[str, Judge]]] = {
    "documents": (("id",), {
        "name": _text, "text": _text, "meta": _json(dict), "split": _one_of(*SPLITS),
        "status": _one_of(*STATUSES), "revision": _number, "rejected": _spans,
    }),
    "spans": (("document_id", "annotator", "start", "end", "label"), {
        "annotator": _text, "start": _number, "end": _end, "label": _label, "link": _link,
    }),
    "knowledge_entries": (("id",), {"identifier": _text, "name": _text, "aliases": _json(list)}),
    "events": (("document_id", "annotator", "revision"), _CHANGE),
    "versions": (("document_id", "annotator"), {
        "revision": _number, "rejected": _spans, "status": _one_of(*STATUSES),
    }),
    "predictions": (("run", "document_id"), {"spans": _spans}),
    "sources": (("id",), {"settings": _json(dict), "report": _json(dict)}),
    "source_answers": (("source", "document_id"), {"spans": _spans}),
    "corrections": (("id",), {"document_id": _number, "kind": _text, "before": _span, "after": _span}),
    "projects": (("id",), {"name": _text}),
    "labels": (("id",), {"name": _text, "colour": _text, "hotkey": _text, "description": _text}),
    "label_names": (("id",), {"label": _number, "name": _text}),
    "runs": (("name",), {"tagger": _text, "folder": _text, "status": _text, "scores": _json(dict)}),
    "adjudications": (("id",), {"seen": _json(dict), "resolved": _json(None)}),
    "project_settings": (("project_id", "key"), {"value": _json(None)}),
    "steps": (("id",), {"kind": _text, "detail": _json(dict)}),
    "audit": (("id",), {"user": _text, "detail": _json(dict)}),
}  # fmt: skip


def _decoded(cell: bytes) -> str:
    return cell.decode("utf-8", "surrogateescape")
