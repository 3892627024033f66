"""Memory and time of the Embeddings tab over a corpus of its own making.

    python -m benchmarks.embedding_map [--documents 200000]

The corpus is that of ``benchmarks.errors_page``, read by the demo tagger; its predictions lie in the store.
Memory is what the map adds to a process that has the tagger loaded.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Sequence
from functools import partial
from multiprocessing import get_context
from pathlib import Path

from app.inspect.corpus.vector_map import Asked, layers_of, vector_map
from benchmarks.errors_page import fill, memory, session_over
from core.inspection.representations.projection import principal_components
from core.inspection.representations.states import span_vectors
from core.store import Workspace
from core.store.project import projects
from core.store.run import runs
from core.text import Document
from latticelens import DEMO_TAGGER


def main(arguments: Sequence[str] | None = None) -> int:
    """Make the corpus, draw two maps of it, print one line a measurement."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--documents", type=int, default=200_000)
    args = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        # By another process: what is freed here again would be there to be used, and not be counted.
        filling = get_context("spawn").Process(target=_fill, args=(folder, args.documents))
        filling.start()
        filling.join()
        with Workspace.open(Path(folder)) as workspace:
            _measure(workspace)
    return 0


def _fill(folder: str, count: int) -> None:
    with Workspace.open(Path(folder)) as workspace:
        _session, run, spans = fill(workspace, count, DEMO_TAGGER)
        print(f"{count} documents, {spans} labelled spans, all answered by {run}", flush=True)


def _measure(workspace: Workspace) -> None:
    project = projects.all_projects(workspace)[0].id
    session, (run,) = session_over(workspace, project), runs.all_runs(workspace, project)
    layer = layers_of(session, run.name)[-1]
    draw = partial(vector_map, session, method="pca", progress=lambda *step: None)
    with session.workbench.taggers.tagger(project, run.name) as tagger:
        principal_components(
            span_vectors(tagger, [Document("", "一二三四")], [[(0, 1), (1, 2), (2, 4)]], layer)
        )
    before = memory("VmRSS")
    Path("/proc/self/clear_refs").write_text("5")  # the peak is counted from here
    for what in ("first map", "again, kept"):
        start, worked = time.perf_counter(), time.process_time()
        points = len(draw(Asked(run.name, layer, "span", ("train", "dev", "test"))).points)
        seconds, worked = time.perf_counter() - start, time.process_time() - worked
        added, stays = memory("VmHWM") - before, memory("VmRSS") - before
        print(f"{what:<14}{points:>6} points{seconds:>8.2f} s{worked:>8.2f} s of the processor", end="")
        print(f"{added:>8.0f} MiB at most{stays:>6.0f} MiB stay")


if __name__ == "__main__":
    sys.exit(main())
