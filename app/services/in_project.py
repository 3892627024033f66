"""Look up documents and runs named by a browser in the session's project only.

Ids and names from browsers are untrusted. All pages use these functions, so that access to one project gives
none to others.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.store.annotation import working
from core.store.db.errors import NotFound
from core.store.document import documents
from core.store.run import runs

if TYPE_CHECKING:
    from app.services.session import Session
    from core.store.annotation.annotations import Annotation
    from core.store.run.runs import Run
    from core.text import Document


def check_document(session: Session, document_id: int) -> None:
    """Require that the project has this document.

    Raises:
        NotFound: it has none of this id. PayloadError: malformed id.
    """
    if documents.project_of(session.workspace, document_id) != session.project_id:
        raise NotFound("document", document_id)


def document(session: Session, document_id: int) -> Document:
    """The document with its current spans. Raises: as `check_document`."""
    check_document(session, document_id)
    return documents.get(session.workspace, document_id)


def annotation(session: Session, document_id: int) -> Annotation:
    """The annotation that the person edits: their own version, or gold.

    Raises:
        NotFound: as `check_document`. NotAllowed: the person may not see the document.
    """
    check_document(session, document_id)
    return working.current(session.workspace, document_id, session.user)


def without_spans(session: Session, document_id: int) -> Document:
    """A document that the person may see, without its spans. Raises: as `annotation`."""
    check_document(session, document_id)
    return working.without_spans(session.workspace, document_id, session.user)


def run(session: Session, name: str) -> Run:
    """The run with this name.

    Raises:
        NotFound: there is none in this project.
    """
    row = runs.get(session.workspace, name)
    if row.project_id != session.project_id:
        raise NotFound("run", name)
    return row


def run_title(session: Session, name: str) -> str:
    """What the run is called; the name of one that is gone."""
    return runs.titles(session.workspace, session.project_id).get(name, name)
