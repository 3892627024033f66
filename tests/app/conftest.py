"""An open workbench on a temporary workspace, and a session that looks at it."""

from collections.abc import Iterator
from pathlib import Path

import gradio as gr
import pytest

from app.i18n.binding import Texts
from app.services.device import DeviceInfo, DeviceProbe
from app.services.session import Session, Sessions
from app.services.workbench import Workbench
from app.ui.frame import PAGES, Frame
from core.runtime.message import Message
from core.store.document import documents
from core.store.label import labels
from core.store.project import projects
from core.store.run import runs
from core.text import Document, LabelSet, Span
from tests.by_hand import ByHand
from tests.workspaces import new_workspace

TEXT = "张伟在北京工作"


class Clock:
    """Seconds that pass when a test says so."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def probe() -> DeviceProbe:
    """A probe that has found a CPU without loading torch."""
    return DeviceProbe("auto", known=DeviceInfo("cpu", Message("no GPU here")))


@pytest.fixture(scope="module")
def frame() -> Iterator[Frame]:
    """A frame inside a Blocks, with an empty tab for every page; a module builds its page once in it."""
    made = Frame(Texts(), Sessions(lambda token: None))
    with gr.Blocks():
        made.token, made.moved = gr.Textbox(), gr.Textbox()
        with gr.Tabs() as made.tabs:
            for name in PAGES:
                with gr.Tab(name) as made.tab[name]:
                    pass
        yield made


@pytest.fixture
def workbench(tmp_path: Path, probe: DeviceProbe) -> Iterator[Workbench]:
    bench = Workbench(new_workspace(tmp_path / "workspace"), probe)
    project = projects.create(bench.workspace, "people")
    labels.put(bench.workspace, project.id, LabelSet().extended(["PER", "LOC"]))
    yield bench
    bench.close()


@pytest.fixture
def session(workbench: Workbench) -> Session:
    return Session("token", "lin", workbench, workbench.first_project())


@pytest.fixture
def filled(session: Session) -> Session:
    """The session with four labelled documents, one of them dev, and one without spans."""
    spans = (Span(0, 2, "PER"), Span(3, 5, "LOC"))
    labelled = [
        Document(f"d-{n}", f"{TEXT}{n}", spans, {"split": "dev" if n == 3 else "train"}) for n in range(4)
    ]
    documents.add(session.workspace, session.project_id, [*labelled, Document("raw", "今天下雨。")])
    return session


@pytest.fixture
def no_worker(filled, monkeypatch):
    """Runs are queued and cancelled in the folder; no process is started."""
    filled.workbench.supervisor.stop()
    jobs = filled.workbench.jobs
    monkeypatch.setattr(jobs, "_start", lambda folder: folder.set_state(status="running", pid=1))
    monkeypatch.setattr(jobs, "_is_working", lambda state, worker: True)


@pytest.fixture
def served(filled, tmp_path, monkeypatch):
    """The filled session, with an active run ``demo`` that marks 北京."""
    runs.register(filled.workspace, filled.project_id, "demo", "flat", tmp_path, {})
    projects.set_active(filled.workspace, filled.project_id, "demo")

    def tag(project_id, asked, run=None):
        return [
            item.with_spans([Span(at, at + 2, "LOC", 0.75)] if (at := item.text.find("北京")) >= 0 else [])
            for item in asked
        ]

    monkeypatch.setattr(filled.workbench.taggers, "tag", tag)
    monkeypatch.setattr(filled.workbench.taggers, "allows_nested", lambda project_id, run=None: False)
    return filled


@pytest.fixture
def hand() -> ByHand:
    """What works only when a test says so."""
    return ByHand()
