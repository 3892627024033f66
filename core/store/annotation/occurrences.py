"""Other occurrences of a surface in the scope of an edit, in pages, in reading order."""

from __future__ import annotations

import json
import sqlite3
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from core.store.annotation.scope import Scope
from core.store.db.errors import PayloadError
from core.store.db.workspace import Workspace
from core.store.label.ids import read_names
from core.store.project.projects import row_of
from core.text import Span

LONGEST_SURFACE = 200
CONTEXT = 24  # characters shown on either side
DOCUMENTS_AT_ONCE = 100
# Scripts without spaces between words: an adjacent letter does not make the surface part of a word.
_UNSPACED = ("CJK", "HIRAGANA", "KATAKANA", "BOPOMOFO", "THAI", "LAO", "KHMER", "MYANMAR", "TIBETAN")


@dataclass(frozen=True, slots=True)
class Occurrence:
    """An occurrence at ``[start, end)`` with its context.

    ``labels``: of spans at this place. ``overlapping``: other spans that overlap it, as surface and label.
    ``inside_word``: it is part of a longer word of a script with spaces between words.
    """

    document_id: int
    name: str
    start: int
    end: int
    before: str
    after: str
    labels: tuple[str, ...]
    overlapping: tuple[tuple[str, str], ...]
    inside_word: bool


@dataclass(frozen=True, slots=True)
class OccurrencePage:
    """Some occurrences; ``then``: where the next page starts as (document, start), None at the end."""

    rows: tuple[Occurrence, ...]
    then: tuple[int, int] | None


def starts(text: str, surface: str) -> Iterator[int]:
    """Start offsets of the non-overlapping occurrences of ``surface`` in ``text``."""
    at = text.find(surface)
    while at >= 0:
        yield at
        at = text.find(surface, at + len(surface))


def page(
    workspace: Workspace,
    scope: Scope,
    surface: str,
    *,
    but: int | None = None,
    since: tuple[int, int] = (0, 0),
    limit: int = 50,
) -> OccurrencePage:
    """At most ``limit`` occurrences in the scope.

    Args:
        but: a document that is left out (the one on the screen).
        since: ``then`` of the previous page.

    Raises:
        PayloadError: the surface is empty or longer than `LONGEST_SURFACE`. NotFound: no such project.
    """
    surface = _checked(surface)
    occurrences: list[Occurrence] = []
    document, start = since
    with workspace.reading() as db:
        row_of(db, scope.project_id)
        while True:
            asked = {"since": document, "but": but, "surface": surface, "limit": DOCUMENTS_AT_ONCE}
            rows = db.execute(
                f"SELECT id, name, text FROM documents d WHERE {scope.documents} "  # noqa: S608 - ours
                "AND id >= :since AND id IS NOT :but AND instr(text, :surface) > 0 ORDER BY id LIMIT :limit",
                scope.values | asked,
            ).fetchall()
            labelled = _spans_of(db, scope, [row["id"] for row in rows])
            for row in rows:
                first = start if row["id"] == document else 0
                for at in starts(row["text"], surface):
                    if at < first:
                        continue
                    if len(occurrences) == limit:
                        return OccurrencePage(tuple(occurrences), (row["id"], at))
                    end = at + len(surface)
                    occurrences.append(_occurrence(row, at, end, labelled.get(row["id"], [])))
            if len(rows) < DOCUMENTS_AT_ONCE:
                return OccurrencePage(tuple(occurrences), None)
            document, start = rows[-1]["id"] + 1, 0


def count(workspace: Workspace, scope: Scope, surface: str, *, but: int | None = None) -> tuple[int, int]:
    """Number of occurrences, and of documents with one.

    Raises:
        PayloadError, NotFound: as `page`.
    """
    surface = _checked(surface)
    with workspace.reading() as db:
        row_of(db, scope.project_id)
        row = db.execute(
            "SELECT coalesce(sum((length(text) - length(replace(text, :surface, ''))) / length(:surface)), "  # noqa: S608
            f"0), count(*) FROM documents d WHERE {scope.documents} AND id IS NOT :but "
            "AND instr(text, :surface) > 0",
            scope.values | {"surface": surface, "but": but},
        ).fetchone()
    return int(row[0]), int(row[1])


def _checked(surface: object) -> str:
    if not isinstance(surface, str) or not 0 < len(surface) <= LONGEST_SURFACE or "\0" in surface:
        raise PayloadError("a text to search for has 1 to {longest} characters", longest=LONGEST_SURFACE)
    return surface


def _spans_of(db: sqlite3.Connection, scope: Scope, document_ids: list[int]) -> dict[int, list[Span]]:
    spans: dict[int, list[Span]] = {}
    names = read_names(db, scope.project_id)
    rows = db.execute(
        f'SELECT document_id, start, "end", label FROM {scope.spans} '  # noqa: S608 - one of two of ours
        'WHERE document_id IN (SELECT value FROM json_each(:ids)) ORDER BY start, "end"',
        scope.values | {"ids": json.dumps(document_ids)},
    )
    for document_id, start, end, label in rows:
        name = names[label]
        if name is not None:
            spans.setdefault(document_id, []).append(Span(start, end, name))
    return spans


def _occurrence(row: sqlite3.Row, start: int, end: int, spans: list[Span]) -> Occurrence:
    text = row["text"]
    inside = (start > 0 and _one_word(text[start - 1], text[start])) or (
        end < len(text) and _one_word(text[end - 1], text[end])
    )
    touching = [span for span in spans if span.start < end and start < span.end]
    here = {span.label for span in touching if (span.start, span.end) == (start, end)}
    return Occurrence(
        row["id"],
        row["name"],
        start,
        end,
        text[max(0, start - CONTEXT) : start],
        text[end : end + CONTEXT],
        tuple(sorted(here)),
        tuple(
            (text[span.start : span.end], span.label)
            for span in touching
            if (span.start, span.end) != (start, end)
        ),
        inside,
    )


def _one_word(left: str, right: str) -> bool:
    return all(
        char.isalnum() and not unicodedata.name(char, "").startswith(_UNSPACED) for char in (left, right)
    )
