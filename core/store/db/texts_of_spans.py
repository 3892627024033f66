"""The texts that spans lie in, each read once.

Cutting spans out of a text in SQL costs as much as the text is long, for each span: SQLite counts the
characters from the beginning of the text.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator
from itertools import groupby, islice
from typing import Any

_DOCUMENTS = 100  # whose texts are held at once


def beside_text(
    db: sqlite3.Connection, spans: Iterable[tuple[Any, ...]]
) -> Iterator[tuple[str, str, tuple[Any, ...]]]:
    """Name and text of its document beside each span.

    Args:
        spans: rows that begin with the document's id, those of one document in a row.
    """
    groups = ((id_, list(rows)) for id_, rows in groupby(spans, key=lambda row: row[0]))
    while some := list(islice(groups, _DOCUMENTS)):
        ids = json.dumps([id_ for id_, _ in some])
        found = {
            id_: (name, text)
            for id_, name, text in db.execute(
                "SELECT id, name, text FROM documents WHERE id IN (SELECT value FROM json_each(?))", (ids,)
            )
        }
        for id_, rows in some:
            name, text = found[id_]
            for row in rows:
                yield name, text, row
