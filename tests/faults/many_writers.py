"""Twenty people save through one server while an import and a training go on."""

import json
import sqlite3
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Literal

import numpy as np

from core.jobs.queue import JobQueue
from core.store import Workspace
from core.store.annotation import annotations
from core.store.db.workspace import FILE_NAME
from core.store.document import documents
from core.store.label import labels
from core.store.project import projects, tokens
from core.store.run import snapshot
from core.text import Document, LabelSet, Span
from core.training.run.run_request import RunRequest
from tests.app.annotator_client import AnnotatorClient
from tests.browser.app_server import AppServer
from tests.faults.changes import TEXT, numbers_of, sound
from tests.faults.children import kill, start

WRITERS = 20
OWN = 3  # documents of a person
TAUGHT = 240  # more documents that are trained on
IMPORTED = 2000  # documents of a file
SMALL = {"hidden": 16, "heads": 2, "ffn": 16, "char_dim": 8, "bigram_dim": 0, "word_dim": 8}
Importer = Literal[
    "app", "process"
]  # a file after the other through the app, or beside it into its workspace


@dataclass(frozen=True)
class Saved:
    """A save that was acknowledged: of a document, by an edit, as a revision, after some seconds."""

    document: int
    edit: str
    revision: int
    seconds: float


@dataclass(frozen=True)
class Outcome:
    """What came of it.

    Args:
        saved: of each person, in order. lost: edits that were acknowledged and are not in the file, or there
            and not acknowledged. out_of_order: revisions that are not one more than the one before.
        locked: lines of the app's log with "locked". imported: documents before the first save, half way and
            after the last. epochs: of the training, likewise; it went on all the while.
    """

    saved: Sequence[Sequence[Saved]]
    lost: int
    out_of_order: int
    locked: int
    imported: tuple[int, int, int]
    epochs: tuple[int, int, int]

    def seconds(self, percentile: float) -> float:
        """Of a save."""
        return float(np.percentile([each.seconds for person in self.saved for each in person], percentile))


def work(folder: Path, seconds: float, importer: Importer) -> Outcome:
    """Let them work in a fresh workspace, and look afterwards what the file has of it.

    Raises:
        AssertionError: a save was refused, the training or the import ended, or the file is not sound.
    """
    with Workspace.open(folder) as workspace:
        project = projects.create(workspace, "busy").id
        labels.put(workspace, project, LabelSet().extended(["ORG", "LOC"]))
        for begin, count in (("own", OWN * WRITERS), ("taught", TAUGHT)):
            texts = (f"{begin}-{n:03d}" for n in range(count))
            documents.add(workspace, project, [Document(each, TEXT, (Span(0, 3, "LOC"),)) for each in texts])
        numbers = numbers_of(workspace, "own-")
        token = tokens.make(workspace, project, "import", "manager", user="me")[1]
    progress = []
    with (
        _training(folder, project) as jobs,
        AppServer(folder) as server,
        _importing(importer, server, folder, project, token),
        ThreadPoolExecutor(WRITERS) as people,
    ):
        clients = list(people.map(lambda who: AnnotatorClient(server.url, f"person {who}"), range(WRITERS)))
        _until(lambda: _epochs(jobs) > 0 and _documents(folder) > OWN * WRITERS + TAUGHT)
        progress.append((_documents(folder), _epochs(jobs)))
        until = time.monotonic() + seconds
        working = [
            people.submit(_saving, client, who, numbers[OWN * who : OWN * (who + 1)], until)
            for who, client in enumerate(clients)
        ]
        time.sleep(seconds / 2)
        progress.append((_documents(folder), _epochs(jobs)))
        saved = [each.result() for each in working]
        progress.append((_documents(folder), _epochs(jobs)))
        locked = server.log.read_text(encoding="utf-8").count("locked")
    lost, out_of_order = _compared(folder, saved, numbers)
    imported, epochs = (tuple(each) for each in zip(*progress, strict=True))
    assert imported[0] < imported[1] < imported[2], f"the import stood still: {imported}"
    assert epochs[0] < epochs[1] < epochs[2], f"the training stood still: {epochs}"
    return Outcome(saved, lost, out_of_order, locked, imported, epochs)


def _saving(client: AnnotatorClient, who: int, own: Sequence[int], until: float) -> list[Saved]:
    """One person saves without a pause."""
    client.rested()
    revisions, done = dict.fromkeys(own, 1), list[Saved]()
    while time.monotonic() < until:
        at = len(done)
        number, edit = own[at % len(own)], f"person-{who}-edit-{at:05d}"
        spans = [{"start": at % 7, "end": at % 7 + 1 + at % 3, "label": "ORG"}]
        begun = time.monotonic()
        answer = client.save(number, revisions[number], spans, edit)
        assert answer["ok"], answer
        revisions[number] = answer["revision"]
        done.append(Saved(number, edit, answer["revision"], time.monotonic() - begun))
    return done


def _compared(folder: Path, saved: Sequence[Sequence[Saved]], numbers: Sequence[int]) -> tuple[int, int]:
    """Edits that the file and the people do not agree about, and revisions out of order."""
    with Workspace.open(folder) as workspace:
        sound(workspace)
        with workspace.reading() as db:
            rows = db.execute(
                "SELECT document_id, client_edit, revision FROM events WHERE client_edit IS NOT NULL"
            ).fetchall()
        told = [each for person in saved for each in person]
        lost = {tuple(row) for row in rows} ^ {(each.document, each.edit, each.revision) for each in told}
        out_of_order = 0
        for number in numbers:
            revisions = [each.revision for each in told if each.document == number]
            expected = list(range(2, len(revisions) + 2))
            out_of_order += sum(one != other for one, other in zip(revisions, expected, strict=True))
            out_of_order += annotations.current(workspace, number).revision != len(revisions) + 1
    return len(lost), out_of_order


@contextmanager
def _training(folder: Path, project: int) -> Iterator[JobQueue]:
    """A training of many minutes."""
    with Workspace.open(folder) as workspace:
        jobs = JobQueue(workspace.runs_folder)
        jobs.start(
            RunRequest(config=SMALL, settings={"epochs": 1000, "batch_size": 4, "threads": 1}),
            lambda path: snapshot.write(workspace, project, path),
        )
    try:
        yield jobs
        assert jobs.running() is not None, f"the training ended: {jobs.states()}"
    finally:
        jobs.abandon()


def _epochs(jobs: JobQueue) -> int:
    (state,) = jobs.states()
    events = jobs.folder(state.run).events_file
    return events.read_text(encoding="utf-8").count('"event": "epoch"') if events.exists() else 0


@contextmanager
def _importing(
    importer: Importer, server: AppServer, folder: Path, project: int, token: str
) -> Iterator[None]:
    if importer == "process":
        child, connection = start(_import_beside, folder, project)
        try:
            yield
        finally:
            with connection:
                kill(child)
        return
    stop = threading.Event()
    with ThreadPoolExecutor(1) as one:
        importing = one.submit(_import_through, server.url, token, stop)
        try:
            yield
        finally:
            stop.set()
        importing.result()


def _import_beside(connection: Connection, folder: Path, project: int) -> None:
    with Workspace.open(folder) as workspace:
        for at in range(10**6):
            documents.add(workspace, project, (Document(*each) for each in _batch(at)))


def _import_through(url: str, token: str, stop: threading.Event) -> None:
    at = 0
    while not stop.is_set():
        lines = (json.dumps({"id": name, "text": text, "spans": []}) for name, text in _batch(at))
        request = urllib.request.Request(
            f"{url}api/v1/documents/import?name=batch-{at}.jsonl",
            "\n".join(lines).encode(),
            {"Authorization": f"Bearer {token}"},
        )
        with urllib.request.urlopen(request, timeout=60) as answer:
            assert answer.status == 201, answer.status
        at += 1


def _batch(at: int) -> Iterator[tuple[str, str]]:
    return ((f"new-{at}-{n}", f"林知远在青禾大学任教{at}-{n}") for n in range(IMPORTED))


def _documents(folder: Path) -> int:
    with closing(sqlite3.connect(f"{(folder / FILE_NAME).as_uri()}?mode=ro", uri=True)) as db:
        return int(db.execute("SELECT count(*) FROM documents").fetchone()[0])


def _until(holds: Callable[[], bool], patience: float = 120.0) -> None:
    deadline = time.monotonic() + patience
    while not holds():
        assert time.monotonic() < deadline, "the import or the training did not begin"
        time.sleep(0.2)
