"""How long the annotator's saves and lists take: in the store, over HTTP, by eight people, by corpus size."""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks.store import made_up
from core.store import Filter, Workspace
from core.store.annotation.annotations import save
from core.store.document import documents
from core.store.label import labels
from core.store.project import projects
from core.store.queue import queue
from core.text import LabelSet, Span
from tests.app.annotator_client import AnnotatorClient
from tests.browser.app_server import AppServer

PEOPLE = 8
LISTS = 15  # times each list is asked for


def saving(options: argparse.Namespace) -> None:
    """Saves of one edit: by a call of the store, over HTTP, and by eight people at once."""
    print(f"\n{'saves':<34}{'median ms':>10}{'p95 ms':>8}{'a second':>10}")
    with _workspace(options.saves + PEOPLE) as folder:
        with Workspace.open(folder) as workspace:

            def store(at: int) -> None:
                save(workspace, 1 + at, 1, [Span(0, 2, "ORG")], user="me", client_edit=f"s-{at}")

            _print("server side", [_timed(store, at) for at in range(options.saves)])
        server = AppServer(folder)
        server.start()
        try:
            alone = _Person(server.url, 0, options.saves)
            alone.work()
            _print("over HTTP, one person", alone.taken)
            people = [_Person(server.url, number, options.saves) for number in range(1, PEOPLE + 1)]
            start = time.perf_counter()
            with ThreadPoolExecutor(PEOPLE) as at_work:
                for one in [at_work.submit(person.work) for person in people]:
                    one.result()
            seconds = time.perf_counter() - start
            taken = [one for person in people for one in person.taken]
            _print(f"over HTTP, {PEOPLE} people at once", taken, len(taken) / seconds)
        finally:
            server.stop()


class _Person:
    """Saves edit after edit of one document; an edit that is not acknowledged stops the measurement."""

    def __init__(self, url: str, number: int, saves: int) -> None:
        self.client = AnnotatorClient(url, f"person {number}")
        self.document, self.number, self.saves = 1 + number, number, saves
        found = self.client.ask("open_document", document=self.document)
        self.revision = found["document"]["revision"]
        self.taken: list[float] = []

    def work(self) -> None:
        self.client.rested()
        for at in range(self.saves):
            self.taken.append(_timed(self._save, at))

    def _save(self, at: int) -> None:
        spans = [{"start": at % 9, "end": at % 9 + 2, "label": "ORG"}]
        answer = self.client.save(self.document, self.revision, spans, f"edit-{self.number:03d}-{at:06d}")
        if not answer["ok"]:
            raise RuntimeError(f"save {at} of person {self.number} was refused: {answer}")
        self.revision = answer["revision"]


def listing(options: argparse.Namespace) -> None:
    """Pages of the queue by size of the corpus, the text index built."""
    lists: dict[str, Callable[[Workspace, int], Any]] = {
        "first page": lambda workspace, _: queue.page(workspace, 1),
        "last page": lambda workspace, number: queue.page(workspace, 1, offset=number - 50),
        "one label": lambda workspace, _: queue.page(workspace, 1, Filter(label="ORG")),
        "北京": lambda workspace, _: queue.page(workspace, 1, Filter(search="北京")),
    }
    print(f"\n{'documents':>10}" + "".join(f"{name:>13}" for name in lists) + "   ms, median")
    for number in options.documents:
        with _workspace(number) as folder, Workspace.open(folder) as workspace:
            medians = [_asked(ask, workspace, number) for ask in lists.values()]
            print(f"{number:>10}" + "".join(f"{median:>13.1f}" for median in medians), flush=True)


def _asked(ask: Callable[[Workspace, int], Any], workspace: Workspace, number: int) -> float:
    taken = [_timed(lambda _: ask(workspace, number), at) for at in range(LISTS + 1)]
    return statistics.median(taken[1:])


@contextmanager
def _workspace(number: int) -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        with Workspace.open(folder) as workspace:
            project = projects.create(workspace, "corpus").id
            labels.put(workspace, project, LabelSet().extended(["LOC", "ORG", "PER"]))
            documents.add(workspace, project, made_up(number, spans=True))
        yield Path(folder)


def _timed(call: Callable[[int], Any], at: int) -> float:
    start = time.perf_counter()
    call(at)
    return 1000 * (time.perf_counter() - start)


def _print(what: str, taken: list[float], rate: float | None = None) -> None:
    p95 = sorted(taken)[max(0, round(0.95 * len(taken)) - 1)]
    a_second = "" if rate is None else f"{rate:>10.0f}"
    print(f"{what:<34}{statistics.median(taken):>10.2f}{p95:>8.2f}{a_second}", flush=True)
