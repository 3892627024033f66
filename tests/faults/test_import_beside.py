"""An import in one process ends its transaction for whoever waits to save in another."""

import time
from multiprocessing.connection import Connection
from pathlib import Path

from core.store import Workspace
from core.store.db.waiting_mark import WaitingMark
from core.store.document import documents
from core.store.project import projects
from core.text import Document
from tests.faults.children import kill, start


def _save_when_told(connection: Connection, folder: Path) -> None:
    """Write as soon as the file is free, and send how many documents it had then."""
    with Workspace.open(folder) as workspace:
        connection.recv()
        with workspace.writing() as db:
            (count,) = db.execute("SELECT count(*) FROM documents").fetchone()
        connection.send(count)
        connection.recv()


def test_whoever_waits_in_another_process_writes_before_the_import_goes_on(tmp_path, monkeypatch):
    monkeypatch.setattr(documents, "IMPORTED", 50)
    monkeypatch.setattr(documents, "YIELDING", 5)
    monkeypatch.setattr(documents, "REST_SECONDS", 2.0)  # on a loaded machine nobody comes in within a tenth
    add_chunk, steps, committed = documents.add_chunk, [], []
    with Workspace.open(tmp_path) as workspace:
        project = projects.create(workspace, "beside").id
        child, connection = start(_save_when_told, tmp_path)

        def interrupted(*given):
            steps.append(given)
            if len(steps) == 3:
                connection.send(None)
                deadline = time.monotonic() + 5  # less than a writer waits for the file
                while not workspace.waiting.is_up and time.monotonic() < deadline:
                    time.sleep(0.01)
            return add_chunk(*given)

        monkeypatch.setattr(documents, "add_chunk", interrupted)
        texts = [Document(f"d{at}", f"北京{at}") for at in range(60)]
        added = documents.add(workspace, project, texts, progress=committed.append)
        seen = connection.recv()
        assert not workspace.waiting.is_up
        with connection:
            kill(child)
    assert (committed, added.added) == ([15, 50, 60], 60)
    assert seen == 15, "of a transaction that ended for it, and before the next"


def test_without_anybody_waiting_there_is_no_mark_and_one_of_a_killed_process_is_gone(tmp_path):
    mark = WaitingMark(tmp_path / "workspace.sqlite")
    assert not mark.is_up
    assert list(tmp_path.iterdir()) == []
    child, connection = start(_wait_for_ever, tmp_path)
    assert connection.recv() == "up"
    assert mark.is_up
    with connection:
        kill(child)
    assert not mark.is_up


def _wait_for_ever(connection: Connection, folder: Path) -> None:
    with WaitingMark(folder / "workspace.sqlite").up():
        connection.send("up")
        connection.recv()


def test_where_files_cannot_be_locked_writing_goes_on(tmp_path, monkeypatch):
    def refused(*given):
        raise OSError("no locks here")

    monkeypatch.setattr("core.store.db.waiting_mark.fcntl.flock", refused)
    mark = WaitingMark(tmp_path / "workspace.sqlite")
    with mark.up():
        assert not mark.is_up
