"""Export: the documents as a file of any format that is written."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Query
from fastapi.responses import FileResponse
from pydantic import BaseModel

from app.api.access import allowed
from app.api.errors import ToldRoute
from app.services.errors import AppError
from app.services.exporting import documents as exporting
from app.services.session import Session
from core.formats import available, by_name, writable
from core.store.project import projects

router = APIRouter(route_class=ToldRoute, tags=["export"])


class FormatReply(BaseModel):
    """A file format; ``name`` is the value of ``format``. All are read."""

    name: str
    title: str
    extensions: list[str]
    written: bool


class FormatsReply(BaseModel):
    """The formats that an import reads; an export writes those that are ``written``."""

    formats: list[FormatReply]


@router.get("/formats")
def list_formats(session: Annotated[Session, allowed("annotate")]) -> FormatsReply:
    """The formats of files."""
    written = set(writable())
    return FormatsReply(
        formats=[
            FormatReply(
                name=name,
                title=by_name(name).title,
                extensions=list(by_name(name).extensions),
                written=name in written,
            )
            for name in available()
        ]
    )


@router.get("/export", response_class=FileResponse)
def export(
    session: Annotated[Session, allowed("export")],
    format: Annotated[str, Query(max_length=40)] = "jsonl",
    split: Annotated[Literal["train", "dev", "test", "none"] | None, Query()] = None,
    labelled: Annotated[bool, Query()] = False,
    ignored: Annotated[bool, Query()] = False,
) -> FileResponse:
    """The documents as a file: of a split, labelled ones only, with those that are ignored. What the format
    cannot hold is said by the header ``X-LatticeLens-Losses``, as ``name=number``, by commas."""
    choice = exporting.Choice(split, labelled, ignored=ignored)
    workspace, project_id = session.workspace, session.project_id
    if format not in writable():
        by_name(format)  # an unknown one says what there is
        raise AppError("Files of the format {format} are only read.", format=format)
    if not exporting.how_many(workspace, project_id, choice):
        raise AppError("No document matches this choice, so there is nothing to export.")
    lost = exporting.losses(exporting.chosen(workspace, project_id, choice), format)
    name = projects.get(workspace, project_id).name
    path = exporting.export_chosen(session, choice, format, f"{name}-{split}" if split else name)[0]
    losses = ", ".join(f"{what}={number}" for what, number in lost.items() if number)
    return FileResponse(
        path,
        media_type="application/octet-stream",
        filename=path.name,
        headers={"X-LatticeLens-Losses": losses} if losses else None,
    )
