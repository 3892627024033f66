"""A small project of staff: nine labelled sentences about who works where, and others as they are."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from core.store.db.workspace import Workspace
from core.store.document import documents
from core.store.label import labels
from core.store.project import projects
from core.store.project.projects import Project
from core.text import Document, LabelSet, Span

NAMES, PLACES = ("陈禾", "周敏", "邹岚"), ("青岛", "松江", "昆明")


def add_staff(folder: Path, name: str, more: Sequence[Document] = ()) -> Project:
    """Add the project, under a name that no other module gives, to the workspace in ``folder``."""
    labelled = [
        Document(f"l{n}{m}", f"{person}在{place}工作。", (Span(0, 2, "PER"), Span(3, 5, "LOC")))
        for n, person in enumerate(NAMES)
        for m, place in enumerate(PLACES)
    ]
    with Workspace.open(folder) as workspace:
        project = projects.create(workspace, name)
        labels.put(workspace, project.id, LabelSet().extended(["PER", "LOC"]))
        documents.add(workspace, project.id, [*labelled, *more])
    return project
