"""The Annotate page's own server functions over a workspace on disk, for what reaches beyond one document."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from app.services.errors import AppError
from app.services.indexes.workspace_indexes import SentenceIndexes
from app.services.session import Session
from core.store.annotation import annotations
from core.store.db.workspace import Workspace
from core.store.document import documents
from core.store.label import labels
from core.store.project import projects
from core.text import Document, LabelSet, Span
from tests.store.by_hand import comments_of

LABELS = LabelSet.from_json(
    [
        {
            "name": "NAME",
            "hotkey": "1",
            "description": "A person's name.\n\n- no titles\n- no initials\n\nAsk if unsure.",
        },
        {"name": "ORG", "hotkey": "2", "colour": "#D55E00"},
        {"name": "TITLE", "hotkey": "3", "colour": "#009E73"},
        {"name": "LOC", "hotkey": "4", "colour": "#CC79A7"},
    ]
)


class NobodyTags:
    """No tagger serves: these flows need none."""

    def run_of(self, project_id: int) -> str:
        raise AppError("This project has no tagger yet. Train one on the Train page.")

    @contextmanager
    def tagger(self, project_id: int) -> Iterator[Any]:
        self.run_of(project_id)
        yield


class NothingEarlier:
    """Nobody has decided anything: other tests are about those suggestions."""

    ready = True

    def of(self, *_: Any) -> NothingEarlier:
        return self

    def is_reading(self, *_: Any) -> bool:
        return False

    def find(self, text: str, *, but: int) -> list[Span]:
        return []


class StoreBackend:
    """A project with ``texts``; ``user`` may change in between.

    Args:
        folder: of the workspace. marks: spans of the texts, by their place in the list.
    """

    def __init__(self, folder: Path, texts: list[str], marks: dict[int, list[Span]] | None = None) -> None:
        self.workspace = Workspace.open(folder)
        self.project = projects.create(self.workspace, "news").id
        labels.put(self.workspace, self.project, LABELS)
        found = [Document(f"d{at}", text) for at, text in enumerate(texts, start=1)]
        self.ids = documents.add(self.workspace, self.project, found).ids
        self.user = "lin"
        self.sentences = SentenceIndexes(self.workspace)
        for at, spans in (marks or {}).items():
            annotations.save(self.workspace, self.ids[at], 0, spans, user="setup")

    def find(self, token: object) -> Session:
        workbench = SimpleNamespace(
            workspace=self.workspace,
            taggers=NobodyTags(),
            labelled_sentences=self.sentences,
            earlier=NothingEarlier(),
        )
        return Session("a-token", self.user, workbench, self.project)  # type: ignore[arg-type]

    def spans(self) -> list[list[tuple[int, int, str]]]:
        """Spans of every document, in order."""
        return [[span.key for span in documents.get(self.workspace, id_).spans] for id_ in self.ids]

    def said(self, at: int = 0) -> list[tuple[int | None, int | None, str, bool]]:
        """Comments of a document outside the trash: where, what, and whether resolved."""
        found = comments_of(self.workspace, self.ids[at])
        return [(c.start, c.end, c.text, c.resolved is not None) for c in found]
