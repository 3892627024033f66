"""Documents: pages of them, one, new ones as JSON or as a file of any known format, and the trash."""

from __future__ import annotations

import re
from pathlib import Path as FilePath
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Path, Query, Request
from pydantic import BaseModel, Field

from app.api.access import allowed
from app.api.errors import InvalidRequest, ToldRoute
from app.api.payloads import (
    LARGEST,
    LONGEST_TEXT,
    MOST_CHARACTERS,
    MOST_ON_A_PAGE,
    Body,
    DocumentReply,
    SpanList,
)
from app.services import in_project, rights
from app.services.importing import documents as importing
from app.services.session import Session
from app.services.storage.scratch import scratch_folder
from core.formats import ReadOptions, by_name
from core.store.annotation import annotations as stored_annotations
from core.store.annotation import working
from core.store.document import documents, trash
from core.store.document.documents import GOLD
from core.store.project import nesting
from core.store.queue import queue
from core.store.queue.filter import Filter
from core.text import Document, Span

router = APIRouter(route_class=ToldRoute, tags=["documents"])

Annotator = Annotated[Session, allowed("annotate")]
Importer = Annotated[Session, allowed("import")]
Number = Annotated[int, Path(ge=1, le=2**63 - 1)]
Split = Literal["train", "dev", "test", "none"]
IMPORT = "/documents/import"


class DocumentBody(Body):
    """A document to add; spans are those somebody has annotated, and missing labels are added."""

    id: Annotated[str, Field(min_length=1, max_length=200)]
    text: Annotated[str, Field(max_length=LONGEST_TEXT)]
    spans: SpanList = Field(default_factory=list)
    meta: dict[str, Any] = Field(default_factory=dict)
    split: Split = "none"

    def document(self) -> Document:
        """The document.

        Raises:
            ValueError: a span is reversed or ends after the text.
        """
        spans = tuple(
            Span(span.start, span.end, span.label, span.score, span.entity_link()) for span in self.spans
        )
        return Document(self.id, self.text, spans, {**self.meta, "split": self.split})


class DocumentsBody(Body):
    """Documents to add."""

    documents: Annotated[list[DocumentBody], Field(min_length=1, max_length=MOST_ON_A_PAGE)]


class PageReply(BaseModel):
    """A page of documents; ``next`` is the ``after`` of the next page, null at the end."""

    documents: list[DocumentReply]
    next: int | None


class AddedReply(BaseModel):
    """What was added.

    Args:
        added, duplicates, restored: numbers of documents: new ones, those that are there with the same id and
            text, and those that came back from the trash. ids: of all of them, in the order given; of a file
            left out. new_labels: names that the project did not have.
        refused: records of a file that cannot be read. problems: why, of the first ones.
    """

    added: int
    duplicates: int
    restored: int
    new_labels: list[str]
    ids: list[int] = []
    refused: int = 0
    problems: list[str] = []


class TrashedReply(BaseModel):
    """Number of documents moved to the trash."""

    trashed: int


async def _file(request: Request) -> bytes:
    """The body as it is, at most as much as `BodyLimit` lets through."""
    return await request.body()


@router.get("/documents")
def list_documents(
    session: Annotator,
    after: Annotated[int, Query(ge=0, le=LARGEST)] = 0,
    limit: Annotated[int, Query(ge=1, le=MOST_ON_A_PAGE)] = 50,
    status: Annotated[str | None, Query(max_length=40)] = None,
    split: Annotated[str | None, Query(max_length=40)] = None,
    label: Annotated[str | None, Query(max_length=200)] = None,
    search: Annotated[str, Query(max_length=1000)] = "",
) -> PageReply:
    """Documents in the order in which they came, with their annotations: one's own where annotators have
    versions of their own, else the gold ones."""
    worker = rights.worker_of(session)
    which = Filter(status=status, split=split, label=label, search=search, worker=worker)
    workspace, project_id = session.workspace, session.project_id
    ids = queue.following(workspace, project_id, after or None, which, limit=limit + 1)
    page = stored_annotations.several(workspace, ids[:limit], worker or GOLD)
    return PageReply.model_construct(
        documents=[DocumentReply.of(annotation) for annotation in page],
        next=ids[limit - 1] if len(ids) > limit else None,
    )


@router.get("/documents/{document}")
def read_document(session: Annotator, document: Number) -> DocumentReply:
    """One document with its current annotation."""
    check_sees(session, document)
    return DocumentReply.of(working.current(session.workspace, document, session.user))


@router.post("/documents", status_code=201)
def add_documents(session: Importer, body: DocumentsBody) -> AddedReply:
    """Add documents. One that is there with the same id and text is only counted; an id that another text has
    gets a suffix."""
    check_size(len(document.text) for document in body.documents)
    session.workbench.check_disk()
    made = [document.document() for document in body.documents]
    added = documents.add(session.workspace, session.project_id, made, user=session.user)
    nesting.guess_from(session.workspace, session.project_id, made)
    return AddedReply(
        added=added.added,
        duplicates=added.duplicates,
        restored=added.restored,
        new_labels=list(added.new_labels),
        ids=list(added.ids),
    )


@router.post(IMPORT, status_code=201)
def import_file(
    session: Importer,
    body: Annotated[bytes, Depends(_file)],
    name: Annotated[str, Query(min_length=1, max_length=200)],
    format: Annotated[str, Query(max_length=40)] = importing.AUTO,
    split: Annotated[Literal["auto", "train", "dev", "test", "none"], Query()] = "auto",
) -> AddedReply:
    """Import a file, which is the body as it is. Its name tells format and split; archives are unpacked."""
    if format != importing.AUTO:
        by_name(format)
    session.workbench.check_disk()
    path = scratch_folder("api-import") / file_name(name)
    path.write_bytes(body)
    previews, unreadable = importing.look_at_all(importing.gathered([path]), format, ReadOptions())
    state = importing.Imported(0, 0, 0)
    for step in importing.import_files(
        session.workspace, session.project_id, previews, split, user=session.user
    ):
        state = step
    problems = [session._(refusal.message) for preview in previews for refusal in preview.refusals]
    problems += [session._(each.error.message) for each in unreadable]
    return AddedReply(
        added=state.added,
        duplicates=state.duplicates,
        restored=state.restored,
        new_labels=list(dict.fromkeys(state.new_labels)),
        refused=sum(preview.refused for preview in previews) + len(unreadable),
        problems=problems[:20],
    )


@router.delete("/documents/{document}")
def trash_document(
    session: Annotated[Session, allowed("remove_documents")], document: Number
) -> TrashedReply:
    """Move a document to the trash, from which the Data page restores it."""
    in_project.check_document(session, document)
    return TrashedReply(trashed=trash.trash_documents(session.workspace, session.project_id, [document]))


def check_sees(session: Session, document_id: int) -> None:
    """Require that the document is in the token's project and that the caller may read it.

    Raises:
        NotFound: it is not in the project. NotAllowed: it is not assigned to the user, who may not see all.
    """
    in_project.check_document(session, document_id)
    if not rights.may(session, "see_documents"):
        whose = working.annotator(session.workspace, document_id, session.user)
        if whose != session.user:
            rights.check(session, "see_documents")


def check_size(lengths: Any) -> None:
    """Refuse more text than a request may hold.

    Raises:
        InvalidRequest: says how much that is.
    """
    total = sum(lengths)
    if total > MOST_CHARACTERS:
        raise InvalidRequest(
            "A request has at most {most} characters of text, got {total}. Send several.",
            most=f"{MOST_CHARACTERS:,}",
            total=f"{total:,}",
        )


def file_name(name: str) -> str:
    """A name without folders for a file whose kind and split its name tells."""
    plain = re.sub(r"[^\w.-]+", "-", FilePath(name.replace("\\", "/")).name).strip("-.")
    return plain[-80:].lstrip("-.") or "file"
