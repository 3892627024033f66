"""The scope of a bulk edit: which annotations it changes.

With a shared annotation, the gold annotation of every document. With individual versions it depends on what
the user has open: from their own version, their own versions of the documents assigned to them; from the gold
annotation (which reviewers see without a version of their own), the gold annotations with no adjudication to
come: of documents that are done or not assigned.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

from core.store.annotation import working
from core.store.db.workspace import Workspace
from core.store.document.documents import GOLD, document_row
from core.store.project import members
from core.store.project.projects import checked_id

Kind = Literal["together", "own", "gold"]
_HANDED = "EXISTS (SELECT 1 FROM assignments a WHERE a.document_id = d.id AND a.user = :user)"
_WORKFLOW = "d.trashed IS NULL AND d.project_id = (SELECT p.id FROM projects p WHERE p.id = :project "
# Checked with every write: changed assignments or another workflow take effect at once.
_DOCUMENTS: dict[Kind, str] = {
    "together": f"{_WORKFLOW} AND p.workflow = 'together')",
    "own": f"{_WORKFLOW} AND p.workflow = 'separate') AND {_HANDED}",
    "gold": f"{_WORKFLOW} AND p.workflow = 'separate') AND NOT {_HANDED} AND (d.status = 'done' "  # noqa: S608 - ours
    "OR NOT EXISTS (SELECT 1 FROM assignments a WHERE a.document_id = d.id))",
}
# A version that was never saved has the imported spans.
_OWN_SPANS = """(
    SELECT s.document_id, s.start, s."end", s.label FROM spans s WHERE s.annotator = :user
    UNION ALL
    SELECT a.document_id, json_extract(one.value, '$[0]'), json_extract(one.value, '$[1]'),
        json_extract(one.value, '$[2]')
    FROM documents o JOIN assignments a ON a.document_id = o.id AND a.user = :user
    JOIN events e ON e.document_id = o.id AND e.annotator = '' AND e.revision = 1 AND e.action = 'import'
    JOIN json_each(e.added) one
    WHERE o.project_id = :project AND o.trashed IS NULL AND NOT EXISTS (
        SELECT 1 FROM versions v WHERE v.document_id = o.id AND v.annotator = :user))"""


@dataclass(frozen=True, slots=True)
class Scope:
    """The annotations of a project that a user's bulk edit changes.

    Args:
        kind: ``together``: the shared annotation; ``own``: the user's versions; ``gold``: gold annotations
            beside individual versions.
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
        """An SQL table of ``document_id``, ``start``, ``end`` and ``label`` (its id), with ``values``."""
        return _OWN_SPANS if self.kind == "own" else "(SELECT * FROM spans WHERE annotator = '')"

    @property
    def annotator(self) -> str:
        """Whose annotations they are."""
        return self.user if self.kind == "own" else GOLD

    @property
    def values(self) -> dict[str, Any]:
        """The named parameters of ``documents`` and ``spans``."""
        return {"project": self.project_id, "user": self.user}

    def of(self, db: sqlite3.Connection, ids: Iterable[int]) -> list[int]:
        """The ones of these documents in the scope, in order.

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


def scope_from(workspace: Workspace, document_id: int, user: str) -> Scope:
    """The scope of a bulk edit that the user makes from this document.

    Raises:
        NotAllowed: they may not work on the document. NotFound: no such document.
    """
    annotator = working.annotator(workspace, document_id, user)
    with workspace.reading() as db:
        project_id = document_row(db, document_id)["project_id"]
        separate = members.is_separate(db, project_id)
    kind: Kind = "own" if annotator != GOLD else "gold" if separate else "together"
    return Scope(project_id, user, kind)
