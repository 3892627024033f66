"""Links that spans of a project already have: by the surface they are on, and their contexts."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable

from core.store.db.span_json import load_link
from core.store.db.texts_of_spans import beside_text
from core.store.db.workspace import Workspace
from core.store.project.projects import checked_id
from core.text import EntityLink

CONTEXT = 100  # characters on either side
MOST_CONTEXTS = 20  # per entry
_LINKED = (
    "FROM spans s INDEXED BY spans_with_link JOIN documents d ON d.id = s.document_id "
    "WHERE s.link IS NOT NULL AND d.project_id = :project AND d.trashed IS NULL "
    "AND s.annotator IN ('', :annotator)"
)


def on_surface(
    workspace: Workspace, project_id: int, surface: str, *, annotator: str = "", but: int | None = None
) -> Counter[EntityLink]:
    """How often the spans with this surface have each link.

    Args:
        annotator: whose version counts beside the gold annotation. but: a document that does not count.
    """
    cells: Counter[str] = Counter()
    with workspace.reading_one_moment() as db:
        spans = db.execute(
            f"SELECT s.document_id, s.start, s.link {_LINKED} AND d.id IS NOT :but "
            'AND s."end" - s.start = :length ORDER BY s.document_id',
            {"project": checked_id(project_id), "annotator": annotator, "but": but, "length": len(surface)},
        )
        for _, text, (_, start, cell) in beside_text(db, spans):
            if text.startswith(surface, start):
                cells[cell] += 1
    counts: Counter[EntityLink] = Counter()
    for cell, times in cells.items():
        link = load_link(cell)
        if link is not None:
            counts[link] += times
    return counts


def contexts(
    workspace: Workspace,
    project_id: int,
    links: Iterable[EntityLink],
    *,
    annotator: str = "",
    but: int | None = None,
) -> dict[tuple[str, str], list[str]]:
    """Text around earlier spans with a link, by its target, at most ``MOST_CONTEXTS`` of each.

    Args:
        annotator, but: as in ``on_surface``.
    """
    found: dict[tuple[str, str], list[str]] = {}
    with workspace.reading() as db:
        for target in {link.target for link in links}:
            begins = json.dumps(target[1]).join("[,")  # ["Q1", for the id is the first part of the cell
            rows = db.execute(
                "SELECT substr(d.text, max(0, s.start - :context) + 1, "
                f's."end" - s.start + 2 * :context), s.link {_LINKED} AND d.id IS NOT :but '
                "AND s.link >= :first AND s.link < :last LIMIT :most",
                {"project": checked_id(project_id), "annotator": annotator, "but": but, "context": CONTEXT,
                 "first": begins, "last": begins + "\U0010ffff", "most": MOST_CONTEXTS},
            ).fetchall()  # fmt: skip
            texts = [row[0] for row in rows if (link := load_link(row[1])) and link.target == target]
            if texts:
                found[target] = texts
    return found
