"""Characters that a tagger and its ONNX graph tag in a second of one processor, side by side in one process.

    python -m benchmarks.onnx_speed FOLDER --models DIR [DIR …] [--sentences N] [--page docs/runtimes.md]

Each ``DIR`` is a model folder, or a run folder with one; its graph is exported first. Both tag the dev and
test sentences of FOLDER in turn, or the first N of each, and the fastest pass of each counts. Spans must be
the same.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from datetime import date
from functools import partial
from pathlib import Path

import torch

from benchmarks.resume import machine, write_between_markers
from benchmarks.tagging_speed import FILES
from core.export.onnx.export import export
from core.export.onnx.runner import OnnxTagger
from core.formats import read_file
from core.taggers.base.model_folder import load_tagger
from core.taggers.base.tagging import tag
from core.text import Document

BEGIN, END = "<!-- onnx speed: written by benchmarks/onnx_speed.py -->", "<!-- onnx speed: end -->"


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure every model, print the table, and write it into the page."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=Path, help="folder of dev and test .char.bmes")
    parser.add_argument("--models", type=Path, nargs="+", required=True, help="model or run folders")
    parser.add_argument("--passes", type=int, default=3, help="over all sentences (default 3)")
    parser.add_argument("--sentences", type=int, help="of dev and of test; all when left out")
    parser.add_argument("--page", type=Path, help="page to write the table into")
    args = parser.parse_args(arguments)
    torch.set_num_threads(1)
    documents = [text for name in FILES for text in read_file(args.folder / name).documents[: args.sentences]]
    texts = [text.with_spans(()) for text in documents]
    environment = {
        "gpu": None, "threads": 1, "system": sys.platform, "python": sys.version.split()[0],
        "torch": torch.__version__,
    }  # fmt: skip
    load = f"load {os.getloadavg()[0]:.1f}"
    lines = [f"{machine(environment)}, {load}, {date.today().isoformat()}.", ""]
    lines += ["| tagger | torch | onnxruntime | faster |", "|---|---|---|---|"]
    lines += [measured(model, texts, args.passes) for model in args.models]
    table = "\n".join(lines)
    print(table)
    if args.page is not None:
        write_between_markers(args.page, table, BEGIN, END)
    return 0


def measured(model: Path, texts: Sequence[Document], passes: int) -> str:
    """The row of a model.

    Raises:
        SystemExit: the graph finds other spans.
    """
    inner = model / "model"
    tagger = load_tagger(inner if inner.is_dir() else model)
    with tempfile.TemporaryDirectory() as folder:
        export(tagger, Path(folder) / "onnx")
        runner = OnnxTagger(Path(folder) / "onnx", threads=1)
        ways: list[Callable[[Sequence[Document]], list[Document]]] = [partial(tag, tagger), runner.tag]
        best = [float("inf")] * len(ways)
        found: list[list[Document]] = [[] for _ in ways]
        for _ in range(passes + 1):
            for number, way in enumerate(ways):
                start = time.process_time()
                found[number] = way(texts)
                best[number] = min(best[number], time.process_time() - start)
    keys = [[[span.key for span in document.spans] for document in each] for each in found]
    if keys[0] != keys[1]:
        raise SystemExit(f"{model}: the graph finds other spans than the tagger")
    own, graph = (sum(len(text.text) for text in texts) / seconds for seconds in best)
    return f"| {tagger.title} (`{model.name}`) | {own:,.0f} | {graph:,.0f} | {graph / own:.2f}x |"


if __name__ == "__main__":
    raise SystemExit(main())
