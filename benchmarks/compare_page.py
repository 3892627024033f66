"""What comparing two runs costs over a corpus of its own making: seconds of the processor, and memory.

    python -m benchmarks.compare_page [--documents 200000] [--changed 0.2]

The corpus is that of ``benchmarks.errors_page``; the second run answers a share of its documents otherwise.
What is measured is the comparison over the whole project that the Compare page draws.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

from app.compare.reading import Asked, read
from benchmarks.errors_page import fill, memory, session_over
from core.store import Workspace
from core.store.run import predicted, predictions, runs
from core.text import Span

PARTS = ("train", "dev", "test")


def main(arguments: Sequence[str] | None = None) -> int:
    """Make the corpus and the runs, compare, print two lines."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--documents", type=int, default=200_000)
    parser.add_argument("--changed", type=float, default=0.2, help="share of documents answered otherwise")
    args = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        # In a process of its own, or what the corpus left free would hide what the comparison takes.
        with ProcessPoolExecutor(1, get_context("spawn")) as pool:
            project, names, spans = pool.submit(_filled, Path(folder), args.documents, args.changed).result()
        with Workspace.open(Path(folder)) as workspace:
            session = session_over(workspace, project)
            before = memory("VmRSS")
            Path("/proc/self/clear_refs").write_text("5")  # the peak is counted from here
            start = time.process_time()
            comparison = read(session, Asked(names, names[1], PARTS))
            seconds = time.process_time() - start
            added, stays = memory("VmHWM") - before, memory("VmRSS") - before
    changed = comparison.changes.changed
    print(f"{comparison.predicted:,} documents, {spans:,} gold spans, {changed:,} answered otherwise")
    print(f"{seconds:.1f} s of the processor, {added:.0f} MiB at most, {stays:.0f} MiB stay")
    return 0


def _filled(folder: Path, documents: int, changed: float) -> tuple[int, tuple[str, str], int]:
    with Workspace.open(folder) as workspace:
        session, run, spans = fill(workspace, documents)
        other = _second(workspace, session.project_id, run, changed)
        return session.project_id, (run, other), spans


def _second(workspace: Workspace, project: int, first: str, changed: float) -> str:
    """A run that answers as the first does, but leaves a span out of this share of the documents."""
    dice = random.Random(2)
    answers = []
    for document in predicted.predicted_documents(workspace, project, first):
        said: Sequence[Span] = document.predicted or ()
        answers.append(document.document.with_spans(said[1:] if dice.random() < changed else said))
    run = runs.create(workspace, project, "bilstm_crf").name
    runs.set_status(workspace, run, "finished")
    predictions.put(workspace, run, answers)
    return run


if __name__ == "__main__":
    sys.exit(main())
