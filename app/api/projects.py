"""The project of the token: its name, its documents in numbers, its active run."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path
from pydantic import BaseModel

from app.api.access import allowed
from app.api.errors import ToldRoute
from app.services import rights
from app.services.session import Session
from core.store.db.errors import NotFound
from core.store.document import documents
from core.store.project import event_log, members, projects

router = APIRouter(route_class=ToldRoute, tags=["projects"])

Annotator = Annotated[Session, allowed("annotate")]


class ProjectReply(BaseModel):
    """A project.

    Args:
        active_run: the run whose tagger answers, or null. documents: numbers of documents: all, by split
            and by status; null without the right to see all documents.
        last_event: number of the last event, to follow from here on. role: of the token.
        rights: what the token allows.
    """

    id: int
    name: str
    active_run: str | None
    documents: dict[str, int] | None
    last_event: int
    role: str
    rights: list[str]


class ProjectsReply(BaseModel):
    """The projects that the token opens: one."""

    projects: list[ProjectReply]


@router.get("/projects")
def list_projects(session: Annotator) -> ProjectsReply:
    """The projects that the token opens."""
    return ProjectsReply(projects=[_project(session)])


@router.get("/projects/{project}")
def read_project(session: Annotator, project: Annotated[int, Path(ge=1, le=2**63 - 1)]) -> ProjectReply:
    """One project; any but the token's is not found."""
    if project != session.project_id:
        raise NotFound("project", project)
    return _project(session)


def _project(session: Session) -> ProjectReply:
    workspace, project_id = session.workspace, session.project_id
    project = projects.get(workspace, project_id)
    sees = rights.may(session, "see_documents")
    return ProjectReply(
        id=project.id,
        name=project.name,
        active_run=project.active_run,
        documents=documents.count(workspace, project_id) if sees else None,
        last_event=event_log.latest(workspace, project_id),
        role=session.role or "manager",
        rights=[right for right in members.RIGHTS if rights.may(session, right)],
    )
