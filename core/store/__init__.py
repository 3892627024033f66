"""The one SQLite file of a workspace: projects, documents, annotations as events, runs, the ledger.

Open a workspace and pass it to the functions of the packages::

    workspace = Workspace.open(folder)
    project = projects.create(workspace, "news")
    done = documents.add(workspace, project.id, [Document("1", "张三在北京。")])
    annotation = annotations.current(workspace, done.ids[0])
    annotations.save(workspace, done.ids[0], annotation.revision, [Span(0, 2, "PER")], user="me")

Documents have integer ids (``document_id``); ``Document.id`` is the imported id, also in snapshots and
predictions. Every error is a ``StoreError`` whose message can be shown.

Some modules are imported here only because they register how their steps of the journal are undone.
"""

from core.store.annotation import annotations
from core.store.annotation.annotations import Annotation, Saved, StaleRevision
from core.store.annotation.corrections import KINDS, Claim
from core.store.annotation.events import Event
from core.store.db.backup import backup, restore
from core.store.db.errors import (
    LabelInUse,
    NameTaken,
    NotAWorkspace,
    NotFound,
    PayloadError,
    StoreBusy,
    StoreError,
    StoreFull,
    StoreReadOnly,
    WorkspaceTooNew,
    WorkspaceTooOld,
)
from core.store.db.workspace import Workspace
from core.store.demo import load_demo
from core.store.document import documents, splits, trash
from core.store.document.document_import import Added
from core.store.knowledge import bases  # noqa: F401
from core.store.label import changes, labels  # noqa: F401
from core.store.lexicon import changes as lexicon_changes
from core.store.lexicon import rejected_candidates, returning  # noqa: F401
from core.store.lexicon.changes import LexiconChanges
from core.store.project import projects
from core.store.project.projects import Project
from core.store.queue import queue
from core.store.queue.queue import Filter, Summary
from core.store.review import adjudications  # noqa: F401
from core.store.run import ledger, predictions, runs, snapshot
from core.store.run.ledger import LedgerPage, Verdict
from core.store.run.runs import Run
from core.store.suggest import distant  # noqa: F401

__all__ = [
    "KINDS",
    "Added",
    "Annotation",
    "Claim",
    "Event",
    "Filter",
    "LabelInUse",
    "LedgerPage",
    "LexiconChanges",
    "NameTaken",
    "NotAWorkspace",
    "NotFound",
    "PayloadError",
    "Project",
    "Run",
    "Saved",
    "StaleRevision",
    "StoreBusy",
    "StoreError",
    "StoreFull",
    "StoreReadOnly",
    "Summary",
    "Verdict",
    "Workspace",
    "WorkspaceTooNew",
    "WorkspaceTooOld",
    "annotations",
    "backup",
    "documents",
    "labels",
    "ledger",
    "lexicon_changes",
    "load_demo",
    "predictions",
    "projects",
    "queue",
    "restore",
    "runs",
    "snapshot",
    "splits",
    "trash",
]
