"""A workspace in a temporary folder, and the few words to fill it."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from core.store import Project, Run, Workspace
from core.store.db import damage
from core.store.db.workspace import connect
from core.store.document import documents
from core.store.label import labels
from core.store.project import projects
from core.store.run import predictions, runs
from core.text import Document, LabelSet, Span
from tests.store.separate import Separate, separate
from tests.workspaces import new_workspace

TEXT = "林知远先生出任青禾大学附属医院院长。"


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    with Workspace.open(new_workspace(tmp_path / "workspace")) as opened:
        yield opened
        with closing(connect(opened.file)) as db:
            assert damage.damaged_rows(db) == [], "what the store wrote counts as damage"


@pytest.fixture
def project(workspace: Workspace) -> Project:
    made = projects.create(workspace, "news")
    labels.put(workspace, made.id, LabelSet().extended(["PER", "ORG", "LOC", "TITLE"]))
    return made


@pytest.fixture
def document_id(workspace: Workspace, project: Project) -> int:
    return documents.add(workspace, project.id, [Document("a", TEXT)]).ids[0]


@pytest.fixture
def team(workspace: Workspace, project: Project) -> Separate:
    return separate(workspace, project)


@pytest.fixture
def answered(workspace: Workspace, project: Project):
    """``answered("flat", 1, (0, 2, "PER"), …)``: a finished run that said these spans about document 1."""

    def make(tagger: str, document_id: int, *keys: tuple[int, int, str], run: Run | None = None) -> Run:
        run = run or runs.create(workspace, project.id, tagger)
        predictions.put_one(workspace, run.name, document_id, [Span(*key, 0.5) for key in keys])
        return runs.set_status(workspace, run.name, "finished")

    return make
