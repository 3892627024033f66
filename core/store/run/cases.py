"""Cases: texts made up to test a run, stored as documents so that every later run is tested on them."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from core.store.annotation.annotations import current_for_update, save
from core.store.db.errors import PayloadError, StoreError
from core.store.db.workspace import Workspace
from core.store.document import documents
from core.store.project.projects import checked_id
from core.store.run import predictions
from core.text import Document, Span

SOURCE = "what-if"


class CaseExists(StoreError):
    """The project already has a document with this text.

    Args:
        document_id, name: of that document.
    """

    def __init__(self, document_id: int, name: str) -> None:
        super().__init__(
            "the document {name} already has this text and was not changed; open it to "
            "change its expected spans",
            name=repr(name[:80]),
        )
        self.document_id, self.name = document_id, name


@dataclass(frozen=True, slots=True)
class Case:
    """A test case.

    Args:
        text: the text. expected: all its gold spans.
        run: the tested run. predicted: its spans, with scores.
        made_from: id of the document whose text was edited, or None.
    """

    text: str
    expected: tuple[Span, ...]
    run: str
    predicted: tuple[Span, ...]
    made_from: str | None = None


def keep(workspace: Workspace, project_id: int, case: Case, *, user: str) -> int:
    """Store the case as a finished document with its corrections of the run, in one transaction; returns its
    id.

    Raises:
        CaseExists: the project has the text already, outside the trash.
        PayloadError: neither expected nor predicted spans.
        UnknownLabelError, NotFound, StoreFull: as `annotations.save`; nothing was stored.
    """
    if not case.expected and not case.predicted:
        raise PayloadError("a case needs an expected span, or a predicted span that is wrong")
    with workspace.writing() as db:
        row = db.execute(
            "SELECT id, name FROM documents WHERE project_id = ? AND text = ? AND trashed IS NULL",
            (checked_id(project_id), case.text),
        ).fetchone()
        if row is not None:
            raise CaseExists(row["id"], row["name"])
        (document_id,) = documents.add(workspace, project_id, [_document(case)], user=user).ids
        predictions.put_one(workspace, case.run, document_id, case.predicted)
        expected = {span.key for span in case.expected}
        save(
            workspace,
            document_id,
            # One restored from the trash has been saved before.
            current_for_update(workspace, document_id).revision,
            [Span(*span.key) for span in case.expected],
            [Span(*span.key) for span in case.predicted if span.key not in expected],
            user=user,
            action="case",
            run=case.run,
            status="done",
        )
    return document_id


def _document(case: Case) -> Document:
    # Named by its text, so that a case restored from the trash is the same document.
    digest = hashlib.blake2b(case.text.encode("utf-8", "replace"), digest_size=4).hexdigest()
    meta = {"source": SOURCE, "run": case.run}
    return Document(
        f"{SOURCE}-{digest}",
        case.text,
        (),
        meta if case.made_from is None else meta | {"from": case.made_from},
    )
