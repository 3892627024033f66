"""The annotator alone over a real workspace with two small taggers, to choose the order of its queue."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import gradio as gr

from app.annotate.annotator import annotator, page_update
from app.i18n.binding import Texts
from app.services.device import DeviceInfo, DeviceProbe
from app.services.session import Sessions
from app.services.workbench import Workbench
from app.ui.frame import Frame
from core.runtime.message import Message
from core.store.document import documents
from core.store.label import labels
from core.store.project import projects
from core.store.run import runs
from core.text import Document, LabelSet
from tests.app.asking import FUNCTIONS
from tests.browser.blocks_server import TELL_TOKEN, serve
from tests.taggers.small_taggers import small_tagger

PLACES = ("清河", "青岛", "海州", "大学", "教书")
COUNT = 60


def fill(bench: Workbench) -> None:
    """Sixty documents nobody has labelled and two finished runs, the second of which serves."""
    project = projects.create(bench.workspace, "news")
    labels.put(bench.workspace, project.id, LabelSet().extended(["LOC", "ORG", "PER"]))
    texts = [
        Document(str(n), f"第{n}天林晚晴在{PLACES[n % 5]}，{PLACES[n * 7 % 5] * (n % 4)}")
        for n in range(COUNT)
    ]
    documents.add(bench.workspace, project.id, texts)
    for seed in (1, 2):
        run = runs.create(bench.workspace, project.id, "bilstm_crf")
        small_tagger("bilstm_crf", seed).save(run.folder / "model")
        runs.set_status(bench.workspace, run.name, "finished")
        projects.set_active(bench.workspace, project.id, run.name)


class OrdersServer:
    """Serves the annotator of one workspace after the other on a free port."""

    def __init__(self) -> None:
        self._probe = DeviceProbe("cpu", known=DeviceInfo("cpu", Message("no GPU here")))
        self.sessions = Sessions(lambda token: self.bench)
        with gr.Blocks(analytics_enabled=False) as self.demo:
            frame = Frame(Texts(), self.sessions)
            widget = annotator([frame.server(fn) for fn in FUNCTIONS.values()], elem_id="annotator")
            token = gr.Textbox(visible="hidden")
            self.demo.load(self._show, None, [token, widget], api_visibility="private")
            token.change(None, [token], None, js=TELL_TOKEN, api_visibility="private")

    def _show(self) -> tuple[str, dict]:
        return self.sessions.open("lin", "en").token, page_update("en", project=self.project)

    @contextmanager
    def workspace(self, folder: Path) -> Iterator[OrdersServer]:
        """Serves a fresh one."""
        self.bench = Workbench(folder, self._probe)
        try:
            fill(self.bench)
            self.project = self.bench.first_project()
            yield self
        finally:
            self.bench.close()

    def start(self) -> None:
        self.url = serve(self.demo)

    def stop(self) -> None:
        self.demo.close(verbose=False)
