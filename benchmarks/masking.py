"""What each objective of masked-language-model training gains where few documents are labelled.

    python -m benchmarks.masking FOLDER --encoder DIR --runs DIR [--sizes 100,500] [--seeds 1,2,3]

FOLDER holds Resume NER's ``train``, ``dev`` and ``test`` files. The encoder goes on with the text of all
training documents, equally many steps by every objective, and ``bert`` learns on top of it from the first
``--sizes`` documents of one draw, once for every seed. Only ``entities`` reads labels: those of the documents
that the tagger learns from. A training whose folder below ``--runs`` is complete is not repeated, one that
was broken off goes on, and the table in docs/results.md has what is complete.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import subprocess
import sys
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Any

from benchmarks.best import parts_of
from benchmarks.resume import PAGE, ROOT, machine, write_between_markers
from core.corpus.document_json import write_documents
from core.formats import read_file

BEGIN, END = "<!-- masking: written by benchmarks/masking.py -->", "<!-- masking: end -->"
NONE, BASELINE, LABELLED = "none", "words", "entities"
# The options of each objective.
WAYS: dict[str, tuple[str, ...]] = {
    NONE: (),
    BASELINE: ("masking=words",),
    "spans": ("masking=spans", "span_boundary=true"),
    LABELLED: ("masking=entities",),
    "replaced": ("masking=words", "replaced_detection=true"),
}
TITLES = {
    NONE: "the encoder as it is",
    BASELINE: "whole words",
    "spans": "spans and their boundaries (SpanBERT)",
    LABELLED: "words, and the entities labelled (ERNIE)",
    "replaced": "whole words, and replaced pieces told (ELECTRA)",
}
EPOCHS = {100: 20}  # of the tagger, by labelled documents
OTHER_EPOCHS = 10
DEV = 100  # documents the best epoch is chosen by


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what is missing, print the table, and write it into the page."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=Path, help="folder of train, dev and test")
    parser.add_argument("--encoder", type=Path, required=True, help="folder of the encoder")
    parser.add_argument("--runs", type=Path, required=True, help="where the trainings are kept")
    parser.add_argument("--sizes", default="100,500", help="labelled documents (default 100,500)")
    parser.add_argument("--seeds", default="1,2,3", help="of the taggers (default 1,2,3)")
    parser.add_argument("--ways", default=",".join(WAYS), help="comma between them (default all)")
    parser.add_argument("--epochs", type=int, default=3, help="over the text (default 3)")
    parser.add_argument("--page", type=Path, default=PAGE, help="page to write the table into")
    parser.add_argument("--table-only", action="store_true", help="run nothing: the table of what is there")
    args = parser.parse_args(arguments)
    args.runs = args.runs.resolve()
    sizes, seeds = ([int(part) for part in given.split(",")] for given in (args.sizes, args.seeds))
    if not args.table_only:
        measure(args, sizes, seeds)
    table = render(args.runs, sizes, seeds, args.epochs)
    print(table)
    write_between_markers(args.page, table, BEGIN, END)
    return 0


def measure(args: argparse.Namespace, sizes: Sequence[int], seeds: Sequence[int]) -> None:
    """Do what is not there yet: every size by all objectives, the first seed before the next."""
    files = parts_of(args.folder.resolve())
    documents = list(read_file(files["train"]).documents)
    random.Random(1).shuffle(documents)
    args.runs.mkdir(parents=True, exist_ok=True)
    write_documents(args.runs / "dev.jsonl", read_file(files["dev"]).documents[:DEV])
    for seed in seeds:
        for size in sizes:
            train, dev = args.runs / f"train-{size}.jsonl", args.runs / "dev.jsonl"
            write_documents(train, documents[:size])
            for way in args.ways.split(","):
                encoder = args.encoder.resolve() if way == NONE else _pretrained(args, way, size, documents)
                _run(
                    "train",
                    _tagger(args.runs, way, size, seed),
                    "scores.json",
                    *("--tagger", "bert", "--set", f"encoder={encoder}", "--seed", str(seed)),
                    *("--train", str(train), "--dev", str(dev)),
                    *("--test", str(files["test"]), "--epochs", str(EPOCHS.get(size, OTHER_EPOCHS))),
                )


def _pretrained(args: argparse.Namespace, way: str, size: int, documents: Sequence[Any]) -> Path:
    """The folder of the encoder that went on by this objective."""
    name = f"{way}-{size}" if way == LABELLED else way
    text = args.runs / f"{name}.jsonl"
    labelled = size if way == LABELLED else 0
    write_documents(text, [*documents[:labelled], *(each.with_spans(()) for each in documents[labelled:])])
    options = [part for option in WAYS[way] for part in ("--set", option)]
    folder = args.runs / name
    _run(
        "mlm",
        folder,
        "result.json",
        *("--text", str(text), "--set", f"encoder={args.encoder.resolve()}", "--epochs", str(args.epochs)),
        *("--set", "learning_rate=1e-4", *options),
    )
    return folder / "model"


def _run(command: str, folder: Path, done: str, *options: str) -> None:
    """A command that is begun, or goes on, unless its last file is there."""
    if (folder / done).is_file():
        return
    print(f"{folder.name}: {command}", file=sys.stderr, flush=True)
    start = ["--resume"] if command == "train" and (folder / "request.json").is_file() else [*options]
    if command == "mlm" and folder.is_dir():
        start.append("--resume")
    if start != ["--resume"]:
        start += ["--set", "threads=1", "--device", "cpu"]
    called = [sys.executable, "-m", "core", command, *start, "--out", str(folder)]
    printed = subprocess.run(called, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True).stdout
    if command == "mlm":
        (folder / done).write_text(printed, encoding="utf-8")


def render(runs: Path, sizes: Sequence[int], seeds: Sequence[int], epochs: int) -> str:
    """The machine, and a row for every size and objective with complete runs."""
    lines = ["| labelled | the encoder learned | perplexity | seeds | dev F1 | test F1 | above whole words |"]
    lines += [f"|{'---|' * 7}"]
    environment = None
    for size in sizes:
        for way, title in TITLES.items():
            own, base = (_scores(runs, each, size, seeds) for each in (way, BASELINE))
            both = [seed for seed in own if seed in base]
            if not both:
                continue
            dev, test = (
                statistics.mean(100 * own[seed][part]["f1"] for seed in both) for part in ("dev", "test")
            )
            words = statistics.mean(100 * base[seed]["test"]["f1"] for seed in both)
            above = "–" if way == BASELINE else f"{test - words:+.2f}"
            known = f"{_perplexity(runs, way, size):.1f}" if way != NONE else "–"
            lines.append(f"| {size} | {title} | {known} | {len(both)} | {dev:.2f} | {test:.2f} | {above} |")
            environment = own[both[0]]["environment"]
    if environment is None:
        raise SystemExit("no run is complete")
    how = (
        f"{epochs} epochs over the text, step size 0.0001; the tagger {EPOCHS[100]} epochs at 100 documents, "
    )
    how += f"{OTHER_EPOCHS} at more"
    return "\n".join([f"{how}. {machine(environment)}, {date.today().isoformat()}.", "", *lines])


def _tagger(runs: Path, way: str, size: int, seed: int) -> Path:
    return runs / f"bert-{way}-{size}-{seed}"


def _scores(runs: Path, way: str, size: int, seeds: Sequence[int]) -> dict[int, dict[str, Any]]:
    files = {seed: _tagger(runs, way, size, seed) / "scores.json" for seed in seeds}
    return {seed: json.loads(file.read_text("utf-8")) for seed, file in files.items() if file.is_file()}


def _perplexity(runs: Path, way: str, size: int) -> float:
    """On the text held out, masked as in training, of the epoch that was kept."""
    name = f"{way}-{size}" if way == LABELLED else way
    result = json.loads((runs / name / "result.json").read_text(encoding="utf-8"))
    return float(result["history"][result["best_epoch"] - 1]["dev"])


if __name__ == "__main__":
    raise SystemExit(main())
