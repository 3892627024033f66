"""The one SQLite file of a workspace: projects, documents, annotations as events, runs, the ledger.

Open a workspace, then call the module that has the word for what you do, the workspace first::

    workspace = Workspace.open(folder)
    project = projects.create(workspace, "news")
    done = documents.add(workspace, project.id, [Document("1", "张三在北京。")])
    stands = annotations.current(workspace, done.ids[0])
    annotations.save(workspace, done.ids[0], stands.revision, [Span(0, 2, "PER")], user="me")

Documents are named by the store's own numbers (``document_id: int``); the id a document came with is its
``Document.id`` here, in snapshots and in predictions. Every error is a ``StoreError`` whose message can be shown.
"""

from core.store import annotations, documents, labels, projects
from core.store.annotations import Annotation, Event, Saved
from core.store.documents import Added
from core.store.errors import (
    LabelInUse,
    NameTaken,
    NotAWorkspace,
    NotFound,
    PayloadError,
    StaleRevision,
    StoreBusy,
    StoreError,
    StoreFull,
    StoreReadOnly,
    WorkspaceTooNew,
)
from core.store.projects import Project
from core.store.workspace import Workspace

__all__ = [
    "Added",
    "Annotation",
    "Event",
    "LabelInUse",
    "NameTaken",
    "NotAWorkspace",
    "NotFound",
    "PayloadError",
    "Project",
    "Saved",
    "StaleRevision",
    "StoreBusy",
    "StoreError",
    "StoreFull",
    "StoreReadOnly",
    "Workspace",
    "WorkspaceTooNew",
    "annotations",
    "documents",
    "labels",
    "projects",
]
