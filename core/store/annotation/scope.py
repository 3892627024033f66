"""Which annotations an edit of many documents reaches.

Where everybody labels together, the agreed annotation of every document. Where each person labels by
themselves, what they have in front of them says which: from a copy of their own, their own copies of the
documents handed to them, and nothing of anybody else's; from the agreed annotation (people who review see it
where they have no copy), the agreed annotations that no review is still to make: of documents that are done,
or handed to nobody.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

from core.store.annotation import working_copy
from core.store.db.workspace import Workspace
from core.store.document.documents import document_row
from core.store.project import members
from core.store.project.projects import checked_id

Kind = Literal["together", "own", "agreed"]
_HANDED = "EXISTS (SELECT 1 FROM assignments a WHERE a.document_id = d.id AND a.user = :user)"
_WORKFLOW = "d.trashed IS NULL AND d.project_id = (SELECT p.id FROM projects p WHERE p.id = :project "
# Asked again with every write: a hand taken away, or another way to work, counts at once.
_DOCUMENTS: dict[Kind, str] = {
    "together": f"{_WORKFLOW} AND p.workflow = 'together')",
    "own": f"{_WORKFLOW} AND p.workflow = 'separate') AND {_HANDED}",
    "agreed": f"{_WORKFLOW} AND p.workflow = 'separate') AND NOT {_HANDED} AND (d.status = 'done' "  # noqa: S608 - ours
    "OR NOT EXISTS (SELECT 1 FROM assignments a WHERE a.document_id = d.id))",
}
# A copy nobody has saved in holds what the document was imported with.
_OWN_SPANS = """(
    SELECT a.document_id, json_extract(one.value, '$[0]') AS start, json_extract(one.value, '$[1]') AS "end",
        json_extract(one.value, '$[2]') AS label
    FROM documents o JOIN assignments a ON a.document_id = o.id AND a.user = :user
    LEFT JOIN copies c ON c.document_id = a.document_id AND c.user = a.user
    LEFT JOIN events e ON e.document_id = a.document_id AND e.revision = 1 AND e.action = 'import'
    JOIN json_each(coalesce(c.spans, e.added, '[]')) one
    WHERE o.project_id = :project AND o.trashed IS NULL)"""


@dataclass(frozen=True, slots=True)
class Reach:
    """The annotations of a project that one person's edit of many documents reaches.

    Args:
        kind: ``together`` for all of a project where people label together, ``own`` for the person's copies,
            ``agreed`` for the agreed annotations where each labels by themselves.
    """

    project_id: int
    user: str
    kind: Kind

    @property
    def documents(self) -> str:
        """An SQL condition on ``documents d``, with ``values``."""
        return _DOCUMENTS[self.kind]

    @property
    def spans(self) -> str:
        """An SQL table of ``document_id``, ``start``, ``end`` and ``label``, with ``values``."""
        return _OWN_SPANS if self.kind == "own" else "spans"

    @property
    def values(self) -> dict[str, Any]:
        """What ``documents`` and ``spans`` ask for by name."""
        return {"project": self.project_id, "user": self.user}

    def of(self, db: sqlite3.Connection, ids: Iterable[int]) -> list[int]:
        """Those of some documents that are reached, in order.

        Raises:
            NotAllowed: the person may not annotate here.
        """
        members.check_in(db, self.project_id, self.user, "annotate")
        rows = db.execute(
            f"SELECT d.id FROM documents d WHERE {self.documents} "  # noqa: S608 - one of three of ours
            "AND d.id IN (SELECT value FROM json_each(:ids)) ORDER BY d.id",
            self.values | {"ids": json.dumps([checked_id(id_) for id_ in ids])},
        )
        return [row[0] for row in rows]


def around(workspace: Workspace, document_id: int, user: str) -> Reach:
    """What an edit reaches that the person makes from this document.

    Raises:
        NotAllowed: they may not work on the document. NotFound: no such document.
    """
    own = working_copy.is_own(workspace, document_id, user)
    with workspace.reading() as db:
        project_id = document_row(db, document_id)["project_id"]
        separate = members.is_separate(db, project_id)
    return Reach(project_id, user, "own" if own else "agreed" if separate else "together")
