"""Characters that a tagger and its ONNX graph tag in a second of one processor, side by side in one process.

    python -m benchmarks.onnx_speed FILE [FILE …] --models DIR [DIR …] [--sentences N] [--page PAGE]

Each ``DIR`` is a model folder, or a run folder with one; its graph is exported first. Both tag the sentences
of every FILE in turn, or the first N of each, and the fastest pass of each counts. Spans must be the same.

Each row is written into PAGE (docs/runtimes.md) when it is measured, in place of the row of that model or
below the last one, with the load of the machine. Rows of another machine, or of other versions, go.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from importlib.metadata import version
from pathlib import Path

import torch

from benchmarks.resume import machine, write_between_markers
from core.export.onnx.export import export
from core.export.onnx.runner import OnnxTagger
from core.formats import read_file
from core.taggers.base.model_folder import load_tagger
from core.taggers.base.tagging import tag
from core.text import Document

BEGIN, END = "<!-- onnx speed: written by benchmarks/onnx_speed.py -->", "<!-- onnx speed: end -->"
HEAD = "| tagger | torch | onnxruntime | faster | load |\n|---|---|---|---|---|"
_MODEL = re.compile(r"\(`([^`]*)`\)")


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure every model, print its row, and write it into the page."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("files", type=Path, nargs="+", help="sentences, in any format that import reads")
    parser.add_argument("--models", type=Path, nargs="+", required=True, help="model or run folders")
    parser.add_argument("--passes", type=int, default=3, help="over all sentences (default 3)")
    parser.add_argument("--sentences", type=int, help="of each file; all when left out")
    parser.add_argument("--page", type=Path, help="page to write the table into")
    args = parser.parse_args(arguments)
    torch.set_num_threads(1)
    texts = [
        text.with_spans(()) for name in args.files for text in read_file(name).documents[: args.sentences]
    ]
    environment = {
        "gpu": None, "threads": 1, "system": sys.platform, "python": sys.version.split()[0],
        "torch": torch.__version__,
    }  # fmt: skip
    where = f"{machine(environment)}, onnxruntime {version('onnxruntime')}."
    for model in args.models:
        row = measured(model, texts, args.passes)
        print(row, flush=True)
        if args.page is not None:
            written = args.page.read_text(encoding="utf-8").partition(BEGIN)[2].partition(END)[0]
            write_between_markers(args.page, with_row(written, where, row), BEGIN, END)
    return 0


def with_row(table: str, where: str, row: str) -> str:
    """The table with this row in the place of that of the same model, or last.

    Args:
        table: as this returned it. where: what is measured on; rows of a table of another place are left out.
    """
    head, _, body = table.strip().partition(f"\n\n{HEAD}\n")
    rows = {_model(line): line for line in body.splitlines()} if head == where else {}
    return "\n".join([where, "", HEAD, *{**rows, _model(row): row}.values()])


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
    if _keys(found[0]) != _keys(found[1]):
        raise SystemExit(f"{model}: the graph finds other spans than the tagger")
    own, graph = (sum(len(text.text) for text in texts) / seconds for seconds in best)
    load = os.getloadavg()[0]
    return (
        f"| {tagger.title} (`{model.name}`) | {own:,.0f} | {graph:,.0f} | {graph / own:.2f}x | {load:.1f} |"
    )


def _keys(documents: Iterable[Document]) -> list[list[tuple[int, int, str]]]:
    return [[span.key for span in document.spans] for document in documents]


def _model(row: str) -> str:
    named = _MODEL.search(row)
    return named[1] if named else row


if __name__ == "__main__":
    raise SystemExit(main())
