"""How long the store takes: import, save, queue, search, ledger, on a workspace of its own.

python benchmarks/store.py [--documents 50000] [--saves 500] [--folder DIR] [--json]
"""

from __future__ import annotations

import argparse
import json
import platform
import random
import sqlite3
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from core.store import Filter, Workspace, documents, labels, ledger, predictions, projects, queue, runs
from core.store import annotations as store_annotations
from core.text import Document, LabelSet, Span

PARTS = ("青禾市", "气象局", "昨日", "发布", "大风", "预报", "医院", "林知远", "出任", "院长", "新药", "上市")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--documents", type=int, default=50_000)
    parser.add_argument("--saves", type=int, default=500)
    parser.add_argument(
        "--folder", type=Path, help="where the workspace is made (default: a temporary folder)"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=arguments.folder) as folder:
        rows = measure(Path(folder), arguments.documents, arguments.saves)
    machine = {
        "python": platform.python_version(),
        "sqlite": sqlite3.sqlite_version,
        "machine": platform.platform(),
    }
    if arguments.json:
        print(json.dumps({"rows": rows, **machine}))
        return
    print(", ".join(f"{key} {value}" for key, value in machine.items()))
    for row in rows:
        print(f"{row['what']:<52}{row['median_ms']:>10.2f} ms median{row['p95_ms']:>10.2f} ms p95")


def measure(folder: Path, number: int, saves: int) -> list[dict[str, Any]]:
    """One row per operation: what, median and p95 in milliseconds, repetitions."""
    with Workspace.open(folder) as workspace:
        project = projects.create(workspace, "measured")
        labels.put(workspace, project.id, LabelSet.from_names(["LOC", "ORG", "PER"]))
        dice = random.Random(1)
        corpus = [Document(str(at), "".join(dice.choices(PARTS, k=14)), _spans(at)) for at in range(number)]
        rows = [
            timed(
                f"import {number} documents of 4 spans",
                lambda _: documents.add(workspace, project.id, corpus),
                1,
            )
        ]
        run = runs.create(workspace, project.id, "flat").name
        rows.append(
            timed(f"store {number} predictions", lambda _: predictions.put(workspace, run, corpus), 1)
        )
        projects.set_serving(workspace, project.id, run)
        rows.append(timed("save an edit", saver(workspace, run), saves))
        rows.append(
            timed(
                "save an edit, all being read",
                _busy(workspace, project.id, run, number // 2),
                saves,
            )
        )
        reads: list[tuple[str, Callable[[int], Any]]] = [
            ("read an annotation", lambda at: store_annotations.current(workspace, 1 + at)),
            ("queue page, in order", lambda at: queue.page(workspace, project.id, offset=50 * at)),
            (
                "queue page, least confident",
                lambda _: queue.page(workspace, project.id, order="least confident"),
            ),
            (
                "queue page, search for one character",
                lambda _: queue.page(workspace, project.id, Filter(search="药")),
            ),
            ("neighbours in the queue", lambda at: queue.neighbours(workspace, project.id, 1 + at)),
            ("ledger page", lambda _: ledger.page(workspace, project.id)),
            ("ledger verdict", lambda _: ledger.verdict(workspace, run, None)),
        ]
        return rows + [timed(what, read, 20) for what, read in reads]


def saver(workspace: Workspace, run: str) -> Callable[[int], Any]:
    """Saves one edit on the next document, as the annotator does."""

    def save(at: int) -> None:
        found = store_annotations.current(workspace, 1 + at)
        spans = [*found.document.spans[1:], Span(1 + at % 5, 10 + at % 5, "PER")]
        store_annotations.save(
            workspace, 1 + at, found.revision, spans, user="me", run=run, client_edit=f"e{at}"
        )

    return save


def timed(what: str, call: Callable[[int], Any], times: int) -> dict[str, Any]:
    """Median and p95 of ``call(0)`` … ``call(times - 1)``."""
    taken = []
    for at in range(times):
        start = time.perf_counter()
        call(at)
        taken.append(1000 * (time.perf_counter() - start))
    return {"what": what, "median_ms": statistics.median(taken), "p95_ms": _p95(taken), "times": times}


def _busy(workspace: Workspace, project_id: int, run: str, first: int) -> Callable[[int], Any]:
    """A saver on other documents with a reader beside it that goes through all documents once."""
    save = saver(workspace, run)
    reader = threading.Thread(
        target=lambda: sum(1 for _ in documents.iterate(workspace, project_id)), daemon=True
    )

    def call(at: int) -> None:
        if at == 0:
            reader.start()
        save(first + at)

    return call


def _p95(values: Sequence[float]) -> float:
    return sorted(values)[max(0, round(0.95 * len(values)) - 1)]


def _spans(at: int) -> tuple[Span, ...]:
    return tuple(
        Span(start, start + 3, ("LOC", "ORG", "PER")[(at + start) % 3], 0.5 + at % 97 / 200)
        for start in (0, 6, 12, 18)
    )


if __name__ == "__main__":
    main()
