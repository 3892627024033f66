"""The server is killed while people save: every acknowledged edit is there, in order, and none twice."""

import http.client
import random
import signal
import threading
import time
from dataclasses import dataclass, field

import pytest

from core.store.annotation import annotations
from core.store.annotation.events import at_revision
from core.store.db.workspace import Workspace
from core.store.document import documents
from core.store.label import labels
from core.store.project import projects
from core.text import Document, LabelSet
from tests.app.annotator_client import AnnotatorClient
from tests.browser.app_server import AppServer
from tests.sweep import sweep

PEOPLE = 4
BROKEN = (OSError, http.client.HTTPException, AssertionError)


@dataclass
class Person:
    """Saves one edit after another on documents of their own, and sends again what was not answered."""

    number: int
    server: AppServer
    documents: list[int]
    saves: int
    acknowledged: list[tuple[int, str, int]] = field(default_factory=list)
    sent: list[tuple[int, str]] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)

    def work(self) -> None:
        client: AnnotatorClient | None = None
        bases = dict.fromkeys(self.documents, 0)
        for at in range(self.saves):
            document = self.documents[at % len(self.documents)]
            edit = f"person-{self.number}-edit-{at:04d}"
            self.sent.append((document, edit))
            spans = [{"start": at % 7, "end": at % 7 + 1 + at % 3, "label": "ORG"}]
            answer = None
            while answer is None:
                try:
                    client = client or AnnotatorClient(self.server.url, f"person {self.number}")
                    answer = client.save(document, bases[document], spans, edit)
                except BROKEN:  # killed: another page, the same edit with the same base and id
                    client = None
                    time.sleep(0.2)
            if not answer["ok"]:
                self.wrong.append(f"{edit}: {answer}")
                return
            bases[document] = answer["revision"]
            self.acknowledged.append((document, edit, answer["revision"]))


@pytest.fixture
def server(tmp_path):
    workspace = tmp_path / "workspace"
    with Workspace.open(workspace) as opened:
        project = projects.create(opened, "kill")
        labels.put(opened, project.id, LabelSet().extended(["ORG"]))
        documents.add(opened, project.id, [Document(str(i), "青禾市气象局发布大风预报") for i in range(40)])
    running = AppServer(workspace)
    running.start()
    yield running
    running.stop(signal.SIGKILL)


@pytest.mark.parametrize(("saves", "kills"), sweep([(40, 1), (125, 3)], [(40, 1)]))
@pytest.mark.exhaustive
def test_killing_the_server_loses_no_acknowledged_edit_and_doubles_none(server, saves, kills):
    with Workspace.open(server.workspace) as opened:
        ids = made_here(opened)
    people = [Person(n, server, ids[10 * n : 10 * n + 10], saves) for n in range(PEOPLE)]
    threads = [threading.Thread(target=person.work) for person in people]
    for thread in threads:
        thread.start()
    dice = random.Random(7)
    for kill in range(1, kills + 1):
        wanted = kill * PEOPLE * saves // (kills + 1)
        while sum(len(person.acknowledged) for person in people) < wanted:
            assert not any(person.wrong for person in people)
            time.sleep(0.002)
        time.sleep(dice.random() / 50)  # anywhere inside a save
        server.stop(signal.SIGKILL)
        server.start()
    for thread in threads:
        thread.join(timeout=300)
        assert not thread.is_alive()
    assert [person.wrong for person in people] == [[]] * PEOPLE
    server.stop(signal.SIGKILL)

    with Workspace.open(server.workspace) as opened:
        for person in people:
            assert len(person.acknowledged) == saves
            for document in person.documents:
                events = annotations.history(opened, document)
                stored = stored_edits(opened, document)
                sent = [edit for own, edit in person.sent if own == document]
                assert [edit for edit in stored if edit] == sent, "every edit once, in the order it was made"
                told = [(edit, revision) for own, edit, revision in person.acknowledged if own == document]
                assert [(edit, at) for at, edit in enumerate(stored, start=1)] == told
                spans, _ = at_revision(events, len(events))
                assert annotations.current(opened, document).document.spans == spans


def made_here(opened: Workspace) -> list[int]:
    with opened.reading() as db:
        rows = db.execute("SELECT id FROM documents WHERE text = '青禾市气象局发布大风预报' ORDER BY id")
        return [row["id"] for row in rows]


def stored_edits(opened: Workspace, document: int) -> list[str | None]:
    with opened.reading() as db:
        rows = db.execute(
            "SELECT client_edit FROM events WHERE document_id = ? ORDER BY revision", (document,)
        )
        return [row["client_edit"] for row in rows]
