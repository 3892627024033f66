"""The one SQLite file of a workspace: projects, documents, annotations as events, runs, the ledger.

Open a workspace, then call the module that has the word for what you do, the workspace first::

    workspace = Workspace.open(folder)
    project = projects.create(workspace, "news")
    done = documents.add(workspace, project.id, [Document("1", "张三在北京。")])
    stands = annotations.current(workspace, done.ids[0])
    annotations.save(workspace, done.ids[0], stands.revision, [Span(0, 2, "PER")], user="me")

Documents are named by the store's own numbers (``document_id: int``); the id a document came with is
its ``Document.id`` here, in snapshots and in predictions. Every error is a ``StoreError`` whose message can
be shown.
"""

from core.store import (
    annotations,
    documents,
    labels,
    ledger,
    lexicon_changes,
    predictions,
    projects,
    queue,
    runs,
    snapshot,
    splits,
    trash,
)
from core.store.annotations import Annotation, Saved
from core.store.backup import backup, restore
from core.store.corrections import KINDS, Claim
from core.store.demo import load_demo
from core.store.document_import import Added
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
from core.store.events import Event
from core.store.ledger import LedgerPage, Verdict
from core.store.lexicon_changes import LexiconChanges
from core.store.projects import Project
from core.store.queue import Filter, Summary
from core.store.runs import Run
from core.store.snapshot import SnapshotCounts
from core.store.workspace import Workspace

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
    "SnapshotCounts",
    "StaleRevision",
    "StoreBusy",
    "StoreError",
    "StoreFull",
    "StoreReadOnly",
    "Summary",
    "Verdict",
    "Workspace",
    "WorkspaceTooNew",
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
