"""Twenty people save through one server while an import and a training go on in other processes."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Sequence
from multiprocessing.connection import Connection
from pathlib import Path

import numpy as np
import pytest

from core.jobs.queue import JobQueue
from core.store import Workspace
from core.store.annotation import annotations
from core.store.document import documents
from core.store.label import labels
from core.store.project import projects
from core.store.run import snapshot
from core.text import Document, LabelSet, Span
from core.training.run.run_request import RunRequest
from tests.app.annotator_client import AnnotatorClient
from tests.browser.app_server import AppServer
from tests.faults.changes import TEXT, numbers_of, sound
from tests.faults.children import kill, start

WRITERS = 20
SECONDS = float(os.environ.get("LATTICELENS_FAULT_SECONDS", 10))
SMALL = {"hidden": 16, "heads": 2, "ffn": 16, "char_dim": 8, "bigram_dim": 0, "word_dim": 8}


def importing(connection: Connection, folder: Path, project: int) -> None:
    """Import batch after batch into the same file."""
    with Workspace.open(folder) as workspace:
        for at in range(10**6):
            texts = [Document(f"new-{at}-{n}", f"林知远在青禾大学任教{at}-{n}") for n in range(200)]
            documents.add(workspace, project, texts)
            connection.send(200 * (at + 1))


def saving(
    server: AppServer, who: int, own: Sequence[int], until: float
) -> list[tuple[int, str, int, float]]:
    """One person saves without a pause: document, edit, revision and seconds of each."""
    client = AnnotatorClient(server.url, f"person {who}")
    revisions, done = dict.fromkeys(own, 1), []
    while time.monotonic() < until:
        at = len(done)
        number = own[at % len(own)]
        spans = [{"start": at % 7, "end": at % 7 + 1 + at % 3, "label": "ORG"}]
        begun = time.monotonic()
        answer = client.save(number, revisions[number], spans, f"person-{who}-edit-{at:05d}")
        assert answer["ok"], answer
        revisions[number] = answer["revision"]
        done.append((number, f"person-{who}-edit-{at:05d}", answer["revision"], time.monotonic() - begun))
    return done


@pytest.mark.exhaustive
def test_twenty_writers_an_import_and_a_training_lose_nothing_and_lock_nobody_out(tmp_path):
    folder = tmp_path / "workspace"
    with Workspace.open(folder) as workspace:
        project = projects.create(workspace, "busy").id
        labels.put(workspace, project, LabelSet().extended(["ORG", "LOC"]))
        own = [Document(f"own-{n:03d}", TEXT, (Span(0, 3, "LOC"),)) for n in range(3 * WRITERS)]
        documents.add(workspace, project, own)
        numbers = numbers_of(workspace, "own-")
        jobs = JobQueue(workspace.runs_folder)
        run = jobs.start(
            RunRequest(config=SMALL, settings={"epochs": 10_000, "threads": 1}),
            lambda path: snapshot.write(workspace, project, path),
        )
    saved: list[list[tuple[int, str, int, float]]] = [[] for _ in range(WRITERS)]
    try:
        with AppServer(folder) as server:
            child, connection = start(importing, folder, project)
            until = time.monotonic() + SECONDS + WRITERS * 0.1

            def person(who: int) -> None:
                saved[who] = saving(server, who, numbers[3 * who : 3 * who + 3], until)

            threads = [threading.Thread(target=person, args=(who,)) for who in range(WRITERS)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            imported = max((connection.recv() for _ in iter(connection.poll, False)), default=0)
            kill(child)
            log = server.log.read_text(encoding="utf-8")
    finally:
        jobs.abandon()
    assert "locked" not in log
    assert all(saved), "everybody saved"
    with Workspace.open(folder) as workspace:
        sound(workspace)
        with workspace.reading() as db:
            rows = db.execute(
                "SELECT document_id, client_edit, revision FROM events WHERE client_edit IS NOT NULL"
            ).fetchall()
        assert {tuple(row) for row in rows} == {each[:3] for person in saved for each in person}
        for number in numbers:
            told = [each[2] for person in saved for each in person if each[0] == number]
            assert told == list(range(2, len(told) + 2))
            assert annotations.current(workspace, number).revision == len(told) + 1
    seconds = np.array([each[3] for person in saved for each in person])
    slowest = np.percentile(seconds, [50, 99, 100])
    print(
        f"{len(seconds)} saves of {WRITERS} people in {SECONDS:.0f} s beside {imported} imported documents "
        f"and training {run}: median {slowest[0]:.3f} s, p99 {slowest[1]:.3f} s, longest {slowest[2]:.3f} s"
    )
    assert slowest[2] < 10  # SQLite would have given up
