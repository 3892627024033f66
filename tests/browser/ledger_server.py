"""The Ledger page, or another, alone in an app of its own, on a workspace that has seen two runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import gradio as gr

from app.i18n.binding import Texts
from app.ledger import page as ledger
from app.services.background.tasks import Tasks
from app.services.limits.table import ALONE, Limits
from app.services.loaded_taggers import LoadedTaggers
from app.services.session import Sessions
from app.ui.frame import PAGES, Frame
from core.store import Workspace
from core.store.annotation import annotations
from core.store.document import documents
from core.store.label import labels
from core.store.project import projects
from core.store.run import predictions, runs
from core.text import Document, LabelSet, Span
from tests.browser.blocks_server import serve

ASSETS = Path(__file__).resolve().parents[2] / "assets"
HOSTILE = "<img src=x onerror=alert(1)>${globalThis.hacked=1}{{x}}`林知远`到岗"


class EchoTagger(LoadedTaggers):
    """Answers every document with one span over its first two characters."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    def tag(  # type: ignore[override]
        self, project_id: int, batch: Sequence[Document], run: str | None = None
    ) -> list[Document]:
        return [document.with_spans([Span(0, 2, "PER", 0.9)]) for document in batch]


@dataclass
class Bench:
    """As much of a workbench as the page asks for."""

    workspace: Workspace
    limits: Limits = ALONE

    @cached_property
    def tasks(self) -> Tasks:
        return Tasks()

    @cached_property
    def taggers(self) -> EchoTagger:
        return EchoTagger(self.workspace)

    def first_project(self, user: str = "me", last: int | None = None) -> int:
        return projects.all_projects(self.workspace)[0].id


def fill(workspace: Workspace) -> tuple[str, str]:
    """Five corrections, under the second run one each: fixed, still wrong, newly broken, held, unanswered."""
    project = projects.create(workspace, "news")
    labels.put(workspace, project.id, LabelSet().extended(["PER", "ORG", "TITLE"]))
    texts = [
        "林知远先生出任青禾大学附属医院院长。",
        "青禾大学附属医院昨日开诊。",
        "主任医师周敏介绍了新药的用法。",
        "会后，" + "与会者依次发言，" * 12 + "周敏总结了全天的讨论。",
        HOSTILE,
    ]
    batch = [Document(str(i), text) for i, text in enumerate(texts)]
    numbers = documents.add(workspace, project.id, batch).ids
    # (first run says, person says, person rejects, second run says)
    deep = texts[3].index("周敏")
    stories = [
        ([(7, 11, "ORG")], [(7, 15, "ORG")], [], [(7, 15, "ORG")]),
        ([(0, 8, "PER")], [(0, 8, "ORG")], [], [(0, 8, "PER")]),
        ([(4, 6, "PER")], [(4, 6, "PER")], [], [(0, 6, "PER")]),
        ([(deep, deep + 2, "PER")], [(deep, deep + 2, "PER")], [], [(deep, deep + 2, "PER")]),
        ([(0, 4, "ORG")], [], [(0, 4, "ORG")], None),
    ]
    first = runs.create(workspace, project.id, "flat").name
    second = runs.create(workspace, project.id, "flat", parent=first).name
    projects.set_active(workspace, project.id, first)
    for number, (said, kept, refused, _) in zip(numbers, stories, strict=True):
        predictions.put_one(workspace, first, number, [Span(*key, 0.7) for key in said])
        spans, rejected = [Span(*key) for key in kept], [Span(*key) for key in refused]
        annotations.save(workspace, number, 0, spans, rejected, user="lin", run=first)
    for number, story in zip(numbers, stories, strict=True):
        if story[3] is not None:
            predictions.put_one(workspace, second, number, [Span(*key, 0.8) for key in story[3]])
    for run in (first, second):
        runs.set_status(workspace, run, "finished")
    return first, second


class LedgerServer:
    """Serves the page on a free port; ``workspace`` may be changed between pages.

    Args:
        shown: its name. module: it has its ``layout`` and ``wire``.
    """

    workspace: Workspace

    def __init__(self, shown: str = "ledger", module: Any = ledger) -> None:
        self.sessions = Sessions(lambda token: Bench(self.workspace))  # type: ignore[arg-type, return-value]
        frame = Frame(Texts(), self.sessions)
        with gr.Blocks(analytics_enabled=False) as self.demo:
            frame.token = gr.Textbox(visible="hidden", elem_id="ll-token")
            frame.moved = gr.Textbox(visible="hidden")
            with gr.Tabs(selected="annotate") as frame.tabs:
                for page in PAGES:
                    with gr.Tab(page, id=page, elem_id=f"ll-tab-{page}") as frame.tab[page]:
                        if page == shown:
                            frame.page, components = page, module.layout(frame)
            frame.name(components)
            module.wire(components, frame)
            frame.page = None
            frame.fill_when_moved()
            self.demo.load(self._open, None, frame.token, api_visibility="private")

    def _open(self) -> str:
        return self.sessions.open("lin", "en").token

    def start(self) -> None:
        self.url = serve(self.demo, css_paths=[ASSETS / "app.css"])

    def stop(self) -> None:
        self.demo.close(verbose=False)
