"""How many characters a trained tagger tags in a second of one processor, as a table in docs/results.md.

    python -m benchmarks.tagging_speed FOLDER --models DIR [DIR …] [--before CHECKOUT]

Each ``DIR`` is a model folder, or a run folder with one. Every tagger tags the dev and test sentences of
FOLDER (``dev.char.bmes``, ``test.char.bmes``) on one thread; seconds are those of the processor
(``time.process_time``), which other work disturbs less than those of a clock, and the fastest pass counts.
``--before`` is a checkout of an earlier commit: its code tags the same sentences with the same models, in
turn with this one, and the table says whether spans and scores are the same.

The last columns are what a person waits for on the Tag page, by the clock: the first sentence after a tagger
is loaded in a fresh process that has imported its code, and a sentence after that.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
BEGIN, END = "<!-- tagging speed: written by benchmarks/tagging_speed.py -->", "<!-- tagging speed: end -->"
FILES = ("dev.char.bmes", "test.char.bmes")
CLOSE = 1e-4  # scores that differ by rounding


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure every model with every checkout in turn, print the table, and write it into the page."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=Path, help="folder of dev and test .char.bmes")
    parser.add_argument("--models", type=Path, nargs="+", required=True, help="model or run folders")
    parser.add_argument("--before", type=Path, help="a checkout of an earlier commit, to compare with")
    parser.add_argument("--turns", type=int, default=3, help="processes per model and checkout (default 3)")
    parser.add_argument("--passes", type=int, default=4, help="passes in each of them (default 4)")
    parser.add_argument("--page", type=Path, help="page to write the table into")
    parser.add_argument("--measure", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args(arguments)
    if args.measure:
        print(json.dumps(measure(args.folder, args.models[0], args.passes)))
        return 0
    missing = [name for name in FILES if not (args.folder / name).is_file()]
    if missing:
        print(f"{args.folder} lacks {', '.join(missing)}", file=sys.stderr)
        return 2
    table = render([_in_turn(model, args) for model in args.models])
    print(table)
    if args.page is not None:
        from benchmarks.resume import write_between_markers

        write_between_markers(args.page, table, BEGIN, END)
    return 0


def measure(folder: Path, model: Path, passes: int) -> dict[str, Any]:
    """Speed, waiting times and predictions of one model, in this process and with the code it finds."""
    import torch

    from core.formats import read_file
    from core.taggers.base.model_folder import load_tagger
    from core.taggers.base.tagging import tag
    from core.text.scoring import score_documents

    torch.set_num_threads(1)
    gold = [list(read_file(folder / name).documents) for name in FILES]
    texts = [document.with_spans(()) for part in gold for document in part]
    tagger = load_tagger(model)
    sentence = next(text for text in texts if 25 <= len(text.text) <= 35)
    waits = []
    for _ in range(6):
        start = time.perf_counter()
        tag(tagger, [sentence])
        waits.append(time.perf_counter() - start)
    seconds = []
    for _ in range(passes + 1):
        start = time.process_time()
        found = tag(tagger, texts)
        seconds.append(time.process_time() - start)
    return {
        "title": tagger.title,
        "speed": sum(len(text.text) for text in texts) / min(seconds[1:]),
        "first": waits[0],
        "next": min(waits[1:]),
        "f1": score_documents(gold[-1], found[len(gold[0]) :]).micro.f1,
        "spans": [[(*span.key, span.score) for span in document.spans] for document in found],
        "environment": {
            "gpu": None,
            "threads": torch.get_num_threads(),
            "system": sys.platform,
            "python": sys.version.split()[0],
            "torch": torch.__version__,
        },
    }


def _in_turn(model: Path, args: argparse.Namespace) -> dict[str, Any]:
    """The figures of a model: the fastest of every checkout's turns."""
    inner = model / "model"
    model = inner if inner.is_dir() else model
    checkouts = [ROOT] if args.before is None else [args.before, ROOT]
    turns: dict[Path, list[dict[str, Any]]] = {checkout: [] for checkout in checkouts}
    for _ in range(args.turns):
        for checkout, results in turns.items():
            command = [sys.executable, str(Path(__file__).resolve()), str(args.folder.resolve()), "--measure"]
            command += ["--models", str(model.resolve()), "--passes", str(args.passes)]
            environment = {**os.environ, "PYTHONPATH": str(checkout.resolve()), "OMP_NUM_THREADS": "1"}
            done = subprocess.run(command, cwd=checkout, env=environment, stdout=subprocess.PIPE, check=True)
            results.append(json.loads(done.stdout))
    best = [max(results, key=lambda result: result["speed"]) for results in turns.values()]
    for figures, results in zip(best, turns.values(), strict=True):
        for wait in ("first", "next"):
            figures[wait] = min(result[wait] for result in results)
    return {"name": model.parent.name if model.name == "model" else model.name, "best": best}


def difference(before: Sequence[Sequence[list[Any]]], now: Sequence[Sequence[list[Any]]]) -> str:
    """How far two predictions of the same sentences differ, in words."""
    keys = [[[span[:3] for span in spans] for spans in found] for found in (before, now)]
    others = sum(one != other for one, other in zip(*keys, strict=True))
    if others:
        return f"{others} sentences differ"
    pairs = [
        (one[3], other[3])
        for left, right in zip(before, now, strict=True)
        for one, other in zip(left, right, strict=True)
        if one[3] is not None
    ]
    farthest = max((abs(one - other) for one, other in pairs), default=0.0)
    return "the same" if farthest <= CLOSE else f"scores by {farthest:.1g}"


def render(rows: Sequence[dict[str, Any]]) -> str:
    """The machine and one row per model."""
    from benchmarks.resume import machine

    compared = len(rows[0]["best"]) > 1
    names = ["tagger", "test F1", *(["before", "now", "faster", "spans and scores"] if compared else ["now"])]
    names += ["first sentence, ms", "next, ms"]
    lines = [f"{machine(rows[0]['best'][-1]['environment'])}, {date.today().isoformat()}.", ""]
    lines += [_line(names), _line(["---"] * len(names))]
    for row in rows:
        *before, now = row["best"]
        cells = [f"{now['title']} (`{row['name']}`)", f"{100 * now['f1']:.2f}"]
        if before:
            cells += [f"{before[0]['speed']:,.0f}", f"{now['speed']:,.0f}"]
            cells += [
                f"{now['speed'] / before[0]['speed']:.2f}x",
                difference(before[0]["spans"], now["spans"]),
            ]
        else:
            cells.append(f"{now['speed']:,.0f}")
        for wait in ("first", "next"):
            cells.append(" → ".join(f"{1e3 * result[wait]:.1f}" for result in row["best"]))
        lines.append(_line(cells))
    return "\n".join(lines)


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    raise SystemExit(main())
