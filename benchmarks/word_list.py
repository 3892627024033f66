"""A project's word list of very many words: brought, read by pages, taken back, while two people save.

One saves in this process, as in the app, the other in another one; each ten times a second.
"""

from __future__ import annotations

import random
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from core.store import Workspace
from core.store.annotation.annotations import current, save
from core.store.document import documents
from core.store.lexicon import lists as lexicon_lists
from core.store.lexicon import returning as lexicon_returning
from core.store.lexicon import word_import as lexicon_import
from core.store.lexicon import words as lexicon_words
from core.store.lexicon.entries import WordEntry
from core.store.lexicon.query import WordQuery
from core.store.project import projects
from core.text import Document, Span

EVERY = 0.1  # seconds between two saves
QUIET = 10.0  # seconds in which nothing else happens, to compare with


def measure_list(listed: Sequence[str]) -> dict[str, Any]:
    """All figures by name: seconds of processor time, those with ``wall`` on the clock."""
    chance = random.Random(3)
    types = ("PER", "LOC", "ORG", "")
    words = {word: (WordEntry(chance.choice(types), chance.randrange(1, 50_000)),) for word in listed}
    figures: dict[str, Any] = {"list_words": len(words)}
    with tempfile.TemporaryDirectory() as scratch, Workspace.open(Path(scratch)) as workspace:
        project = projects.create(workspace, "words").id
        made = [Document(name, f"张伟在{name}", (Span(0, 2, "PER"),)) for name in ("here", "elsewhere")]
        ids = documents.add(workspace, project, made).ids

        def changing(name: str, work: Callable[[], object]) -> None:
            with _people_saving(workspace, ids) as waits:
                begin, wall = time.process_time(), time.monotonic()
                work()
                figures[f"list_{name}_seconds"] = time.process_time() - begin
                figures[f"list_{name}_wall_seconds"] = time.monotonic() - wall
            for where, found in waits.items():
                figures[f"list_{name}_saves_{where}"] = len(found)
                figures[f"list_{name}_save_{where}_p95_milliseconds"] = 1000 * _p95(found)
                figures[f"list_{name}_save_{where}_longest_milliseconds"] = 1000 * max(found)

        changing("idle", lambda: time.sleep(QUIET))
        changing(
            "bring",
            lambda: lexicon_import.import_list(workspace, project, words, user="me", source="words.txt"),
        )
        figures["list_mib"] = workspace.file.stat().st_size / 2**20
        figures |= _pages(workspace, project, next(iter(words)), len(words))
        changing("undo", lambda: lexicon_returning.undo(workspace, project, user="me"))
        begin = time.monotonic()
        lexicon_lists.finish(workspace)
        figures["list_old_cleared_after_wall_seconds"] = time.monotonic() - begin
    return figures


def _pages(workspace: Workspace, project: int, some: str, count: int) -> dict[str, float]:
    queries = {
        "first": (WordQuery(), 0),
        "middle": (WordQuery(), count // 2),
        "last": (WordQuery(), count - 100),
        "by_frequency": (WordQuery(sort="frequency", descending=True), 0),
        "of_a_type": (WordQuery(type="PER"), count // 8),
        "beginning": (WordQuery(search=some[:1], match="prefix"), 0),
        "part": (WordQuery(search=some[:2]), 0),
        "part_by_frequency": (WordQuery(search=some[:1], sort="frequency"), 0),
    }
    figures = {}
    for name, (query, offset) in queries.items():
        times = []
        for _ in range(6):  # the first as for whoever turns pages
            begin = time.process_time()
            lexicon_words.page(workspace, project, query, offset=offset)
            times.append(time.process_time() - begin)
        figures[f"list_page_{name}_milliseconds"] = 1000 * min(times[1:])
    return figures


@contextmanager
def _people_saving(workspace: Workspace, ids: Sequence[int]) -> Iterator[dict[str, list[float]]]:
    """Two people who save until the block ends; then how long each save took, by who it was."""
    waits: dict[str, list[float]] = {}
    over = threading.Event()
    here = threading.Thread(
        target=lambda: waits.update(here=list(_saves(workspace, ids[0], lambda: over.wait(EVERY))))
    )
    elsewhere = subprocess.Popen(
        [sys.executable, "-m", "benchmarks.word_list", str(workspace.folder), str(ids[1])],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert elsewhere.stdout is not None
    elsewhere.stdout.readline()
    here.start()
    try:
        yield waits
    finally:
        over.set()
        here.join()
        told, _ = elsewhere.communicate("\n")
        waits["elsewhere"] = [float(line) for line in told.splitlines()]


def _saves(workspace: Workspace, document: int, over: Callable[[], bool]) -> Iterator[float]:
    revision = current(workspace, document).revision
    turn = 0
    while True:
        turn += 1
        begin = time.monotonic()
        revision = save(workspace, document, revision, [Span(turn % 2, 2, "PER")], user="me").revision
        yield time.monotonic() - begin
        if over():
            return


def _p95(found: Sequence[float]) -> float:
    return statistics.quantiles(found, n=20)[-1] if len(found) > 1 else found[0]


def _save_elsewhere() -> None:
    over = threading.Event()
    with Workspace.open(sys.argv[1]) as workspace:
        print("ready", flush=True)
        threading.Thread(target=_wait_for_a_line, args=(over,), daemon=True).start()
        for seconds in _saves(workspace, int(sys.argv[2]), lambda: over.wait(EVERY)):
            print(seconds)


def _wait_for_a_line(over: threading.Event) -> None:
    sys.stdin.readline()
    over.set()


if __name__ == "__main__":
    _save_elsewhere()
