"""How long the store takes on large projects: import, save, list, search, ledger, changes of many documents.

    python -m benchmarks.store [--documents 50000 200000] [--saves 500] [--folder DIR] [--keep DIR] [--json]

Every size is measured in a process and a workspace of its own, so that the memory told is its own. Texts are
made up: 20 to 120 characters, a word of a list now and then, so that 北京 stands in about a quarter of them.
From a million on, another project is measured (`benchmarks.store_large`).
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import platform
import random
import resource
import sqlite3
import statistics
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from benchmarks import store_large
from core.store import Filter, Workspace
from core.store.annotation import annotations as store_annotations
from core.store.document import documents
from core.store.label import changes as label_changes
from core.store.label import labels
from core.store.project import assignments, journal, members, projects
from core.store.queue import bulk, queue
from core.store.run import ledger, predictions, runs
from core.text import Document, LabelSet, Span

WORDS = ("北京", "大学", "公司", "先生", "记者", "市场", "中国", "发布", "研究")
LETTERS = [chr(0x4E00 + at) for at in range(3000)]
PEOPLE = 8
CARRYING = 25_000  # documents with the label that is changed
MOST_CHANGED = 100_000  # documents in one change
ORDERS = (
    bulk.Order("status", "to_check"), bulk.Order("split", "train"), bulk.Order("assign", "me"),
    bulk.Order("trash"),
)  # fmt: skip
Row = dict[str, Any]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--documents", type=int, nargs="+", default=[50_000, 200_000])
    parser.add_argument("--saves", type=int, default=500)
    parser.add_argument(
        "--folder", type=Path, help="where the workspaces are made (default: a temporary folder)"
    )
    parser.add_argument(
        "--keep", type=Path, help="where the workspace of a million documents stays, to be measured again"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    arguments = parser.parse_args()
    found: dict[int, list[Row]] = {}
    for number in arguments.documents:
        # Spawned: a forked child would begin with this process's memory.
        spawned = multiprocessing.get_context("spawn")
        with tempfile.TemporaryDirectory(dir=arguments.folder) as folder, spawned.Pool(1) as alone:
            if number >= store_large.LARGE:
                found[number] = alone.apply(store_large.measure, (arguments.keep or Path(folder), number))
            else:
                found[number] = alone.apply(measure, (Path(folder), number, arguments.saves))
    machine = {
        "python": platform.python_version(),
        "sqlite": sqlite3.sqlite_version,
        "machine": platform.platform(),
    }
    if arguments.json:
        print(json.dumps({"documents": found, **machine}, ensure_ascii=False))
        return
    print(", ".join(f"{key} {value}" for key, value in machine.items()))
    for number, rows in found.items():
        print(f"\n{number:,} documents")
        for row in rows:
            print(line(row))


def line(row: Row) -> str:
    """One measurement as it is printed."""
    if "median_ms" in row:
        processor = f"{row['processor_ms']:>10.2f} ms of the processor" if "processor_ms" in row else ""
        return f"{row['what']:<52}{row['median_ms']:>10.2f} ms median{row['p95_ms']:>10.2f} ms p95{processor}"
    return f"{row['what']:<52}{row['value']:>10,.1f} {row['unit']}"


def measure(folder: Path, number: int, saves: int) -> list[Row]:
    """All rows of one size."""
    with Workspace.open(folder / "raw") as workspace:
        project = projects.create(workspace, "raw").id
        rows = importing(workspace, project, made_up(number), "raw documents", ("seconds", "MiB"))
        rows.append(indexed(workspace, project))
    with Workspace.open(folder / "labels") as workspace:
        rows += changing_labels(workspace)
    with Workspace.open(folder / "labelled") as workspace:
        project = projects.create(workspace, "labelled").id
        labels.put(workspace, project, LabelSet().extended(["LOC", "ORG", "PER"]))
        corpus = list(made_up(number, spans=True))
        rows += importing(workspace, project, iter(corpus), "documents of 4 spans", ("documents a second",))
        run = runs.create(workspace, project, "flat").name
        rows.append(
            timed(f"store {number:,} predictions", lambda _: predictions.put(workspace, run, corpus), 1)
        )
        projects.set_active(workspace, project, run)
        rows += saving(workspace, project, run, saves) + reading(workspace, project, run, number)
        return rows + changing_many(workspace, project)


def importing(
    workspace: Workspace, project: int, corpus: Iterator[Document], what: str, units: Sequence[str]
) -> list[Row]:
    """How long an import takes, how much memory it adds, or how many documents a second it takes in."""
    before = _peak_mib()
    start = time.perf_counter()
    added = documents.add(workspace, project, corpus).added
    seconds = time.perf_counter() - start
    values = {"seconds": seconds, "MiB": _peak_mib() - before, "documents a second": added / seconds}
    names = {"MiB": "memory that this adds"}
    return [
        {"what": names.get(unit, f"import {what}"), "value": values[unit], "unit": unit} for unit in units
    ]


def indexed(workspace: Workspace, project: int) -> Row:
    """What the text index, which the import builds, adds to the file."""
    with workspace.reading() as db:
        size = db.execute(f"SELECT sum(length(block)) FROM text_index_{project}_data").fetchone()[0]
        texts = db.execute("SELECT sum(length(CAST(text AS BLOB))) FROM documents").fetchone()[0]
    return {"what": "text index", "value": size / 2**20, "unit": f"MiB (texts: {texts / 2**20:.1f})"}


def saving(workspace: Workspace, project: int, run: str, saves: int) -> list[Row]:
    """One after another, while everything is read, while documents come in, and by several people at once."""
    rows = [timed("save an edit", saver(workspace, run), saves)]
    beside = {
        "save an edit, all being read": lambda: sum(1 for _ in documents.iterate(workspace, project)),
        "save an edit, documents being imported": lambda: documents.add(
            workspace, project, made_up(20_000, seed=2)
        ),
    }
    first = saves
    for what, work in beside.items():
        rows.append(timed(what, _beside(work, saver(workspace, run), first), saves))
        first += saves
    rows.append(together(workspace, run, first, saves))
    return rows


def together(workspace: Workspace, run: str, first: int, saves: int) -> Row:
    """How many edits a second several people save, each on documents of their own."""
    save = saver(workspace, run)

    def work(person: int) -> None:
        for at in range(saves // PEOPLE):
            save(first + person * saves + at)

    people = [threading.Thread(target=work, args=(person,)) for person in range(PEOPLE)]
    start = time.perf_counter()
    for person in people:
        person.start()
    for person in people:
        person.join()
    rate = PEOPLE * (saves // PEOPLE) / (time.perf_counter() - start)
    return {"what": f"{PEOPLE} people save at once", "value": rate, "unit": "edits a second"}


def changing_labels(workspace: Workspace) -> list[Row]:
    """Renaming, merging and deleting a label that 25,000 documents carry, and taking each back."""
    project = projects.create(workspace, "labels").id
    labels.put(workspace, project, LabelSet().extended(["LOC", "ORG", "PER"]))
    documents.add(workspace, project, made_up(CARRYING, spans=True))
    run = runs.create(workspace, project, "flat").name
    predictions.put(workspace, run, made_up(CARRYING, spans=True))
    rows = []
    for kind, new in (("rename", ("PERSON",)), ("merge", ("ORG",)), ("delete", ())):
        change, back = [], []
        for _ in range(10):
            start = time.perf_counter()
            made = getattr(label_changes, kind)(workspace, project, "PER", *new, user="me")
            change.append(1000 * (time.perf_counter() - start))
            start = time.perf_counter()
            journal.undo(workspace, project, made.id, user="me")
            back.append(1000 * (time.perf_counter() - start))
        for what, taken in ((f"{kind} a label of {CARRYING:,} documents", change), ("take that back", back)):
            median = statistics.median(taken)
            rows.append({"what": what, "median_ms": median, "p95_ms": _p95(taken), "times": len(taken)})
    return rows


def changing_many(workspace: Workspace, project: int) -> list[Row]:
    """A change of up to 100,000 documents, and taking it back, for each kind of change."""
    members.put(workspace, project, "me", "manager", by="me")
    assignments.set_plan(workspace, project, "separate", 1, by="me")
    ids = queue.matching(workspace, project)[:MOST_CHANGED]
    rows = []
    for order in ORDERS:
        start = time.perf_counter()
        step = bulk.apply(workspace, project, ids, order, user="me")
        change = time.perf_counter() - start
        assert step.documents, order
        start = time.perf_counter()
        journal.undo(workspace, project, step.id, user="me")
        what = f"{order.change} of {step.documents:,} documents"
        rows += [
            {"what": what, "value": change, "unit": "seconds"},
            {"what": "take that back", "value": time.perf_counter() - start, "unit": "seconds"},
        ]
    return rows


def reading(workspace: Workspace, project: int, run: str, number: int) -> list[Row]:
    """Lists, searches, the ledger."""
    reads: list[tuple[str, Callable[[int], Any]]] = [
        ("read an annotation", lambda at: store_annotations.current(workspace, 1 + at)),
        ("list page, the first", lambda _: queue.page(workspace, project)),
        ("list page, the last", lambda _: queue.page(workspace, project, offset=number - 50)),
        ("list page, least confident", lambda _: queue.page(workspace, project, order="least confident")),
        ("list page, one label", lambda _: queue.page(workspace, project, Filter(label="ORG"))),
        ("list page, metadata", lambda _: queue.page(workspace, project, Filter(meta=(("genre", "news"),)))),
        ("list page, unlabelled", lambda _: queue.page(workspace, project, Filter(status="new"))),
        ("list page, pre-annotated", lambda _: queue.page(workspace, project, Filter(status="preannotated"))),
        *(
            (f"search for {text}", lambda _, text=text: queue.page(workspace, project, Filter(search=text)))
            for text in ("北京", "大学", "书", "甲乙丙")
        ),
        ("ledger page", lambda _: ledger.page(workspace, project)),
        ("ledger verdict", lambda _: ledger.verdict(workspace, run, None)),
    ]
    return [timed(what, read, 20) for what, read in reads]


def saver(workspace: Workspace, run: str) -> Callable[[int], Any]:
    """Saves one edit on the next document, as the annotator does."""

    def save(at: int) -> None:
        found = store_annotations.current(workspace, 1 + at)
        spans = [*found.document.spans[1:], Span(1 + at % 5, 10 + at % 5, "PER")]
        store_annotations.save(
            workspace, 1 + at, found.revision, spans, user="me", run=run, client_edit=f"e{at}"
        )

    return save


def timed(what: str, call: Callable[[int], Any], times: int) -> Row:
    """Median and p95 of ``call(0)`` … ``call(times - 1)``; where there are many, after one not counted."""
    if times > 1:
        call(0)
    taken, worked = [], []
    for at in range(times):
        start, before = time.perf_counter(), time.process_time()
        call(at)
        taken.append(1000 * (time.perf_counter() - start))
        worked.append(1000 * (time.process_time() - before))
    return {
        "what": what, "median_ms": statistics.median(taken), "p95_ms": _p95(taken),
        "processor_ms": statistics.median(worked), "times": times,
    }  # fmt: skip


def made_up(number: int, *, spans: bool = False, seed: int = 1) -> Iterator[Document]:
    """Documents of made-up text; the same seed makes the same."""
    dice = random.Random(seed)
    for at in range(number):
        wanted, text = dice.randint(20, 120), ""
        while len(text) < wanted:
            letter = LETTERS[min(len(LETTERS) - 1, int(dice.expovariate(1 / 400)))]
            text += dice.choice(WORDS) if dice.random() < 0.04 else letter
        yield Document(f"{seed}-{at}", text, _spans(at) if spans else (), {"genre": ("news", "blog")[at % 2]})


def _beside(work: Callable[[], Any], save: Callable[[int], Any], first: int) -> Callable[[int], Any]:
    """A saver on documents from ``first`` on, with other work under way from its first call."""
    other = threading.Thread(target=work, daemon=True)

    def call(at: int) -> None:
        if not other.is_alive() and other.ident is None:
            other.start()
        save(first + at)

    return call


def _p95(values: Sequence[float]) -> float:
    return sorted(values)[max(0, round(0.95 * len(values)) - 1)]


def _peak_mib() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _spans(at: int) -> tuple[Span, ...]:
    return tuple(
        Span(start, start + 3, ("LOC", "ORG", "PER")[(at + start) % 3], 0.5 + at % 97 / 200)
        for start in (0, 5, 10, 15)
    )


if __name__ == "__main__":
    main()
