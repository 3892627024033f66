"""The annotator over a real workspace, without the pages around it, for the browser tests of suggestions."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from app.services.device import DeviceInfo, DeviceProbe
from app.services.session import Session, Sessions
from app.services.workbench import Workbench
from core.runtime.message import Message
from core.store.annotation import annotations
from core.store.document import documents
from core.store.label import labels
from core.store.project import projects
from core.store.run import predictions, runs
from core.text import Document, LabelSet, Span
from tests.browser.gestures import visit
from tests.store.by_hand import add_words

TEXT = "林晓在青禾大学。合同HT-2041由林晓签。"
SECOND = "第二篇：林晓和HT-77。"


@contextmanager
def project_backend(folder: Path, *texts: str) -> Iterator[tuple[Sessions, Session]]:
    """The sessions of a new project, and the one the page will have (its token is the test server's)."""
    probe = DeviceProbe("cpu", known=DeviceInfo("cpu", Message("")))
    bench = Workbench(folder / "workspace", probe)
    try:
        project = projects.create(bench.workspace, "news").id
        labels.put(bench.workspace, project, LabelSet().extended(["NAME", "ORG", "ID"]))
        documents.add(
            bench.workspace,
            project,
            [Document(f"d{n}", text) for n, text in enumerate(texts or (TEXT, SECOND))],
        )
        sessions = Sessions(lambda token: bench)
        session = Session("a-token", "lin", bench, project)
        sessions._sessions["a-token"] = session
        yield sessions, session
    finally:
        bench.close()


def serve(session: Session, document: int, *spans: Span) -> str:
    """An active run that said this about a document."""
    run = runs.create(session.workspace, session.project_id, "flat")
    runs.set_status(session.workspace, run.name, "finished")
    predictions.put_one(session.workspace, run.name, document, spans)
    projects.set_active(session.workspace, session.project_id, run.name)
    return run.name


def said_elsewhere(session: Session, surface: str, label: str, times: int = 1) -> None:
    """Documents, already done, in which people labelled a surface so."""
    for number in range(times):
        text = f"{surface}又来了，第{number}次。"
        (id_,) = documents.add(
            session.workspace, session.project_id, [Document(f"{surface}{number}", text)]
        ).ids
        annotations.save(
            session.workspace,
            id_,
            0,
            [Span(0, len(surface), label)],
            user="mei",
            action="label",
            status="done",
        )


def type_word(session: Session, word: str, label: str) -> None:
    """A word of the dictionary with a type."""
    add_words(session.workspace, session.project_id, {word: label}, user="mei")


@pytest.fixture
def opened(serving, page, tmp_path):
    """``opened(*texts)``: the page and its session; what is set up before is given as ``before(session)``."""
    with ExitStack() as stack:

        def start(*texts, before=lambda session: None):
            backend, session = stack.enter_context(project_backend(tmp_path, *texts))
            before(session)
            visit(page, serving(backend))
            return session

        yield start
