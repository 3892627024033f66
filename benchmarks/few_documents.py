"""What each way of training gains where few documents are labelled, as one table in docs/results.md.

    python -m benchmarks.few_documents FOLDER --runs DIR [--sizes 100,500] [--seeds 1,2,3] [--ways NAME,…]

FOLDER holds Resume NER's ``train``, ``dev`` and ``test`` files. For every size and seed so many training
documents are drawn; of those that are left, ``--raw`` are read as raw text by self-training and by the
student of the distillation. The teacher is the ensemble: the baseline and two more of it with other seeds. A
training whose folder below ``--runs`` is complete is not repeated, one that was broken off goes on, and the
table has the rows whose runs are complete: it can grow over several sittings.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from benchmarks.best import parts_of
from benchmarks.resume import PAGE, ROOT, machine, write_between_markers
from core.corpus.document_json import write_documents
from core.formats import read_file
from core.taggers.base.registry import by_name
from core.training.settings import TrainingSettings

BEGIN, END = "<!-- few documents: written by benchmarks/few_documents.py -->", "<!-- few documents: end -->"
TAGGER = "bilstm_crf"  # the default of the command
BASELINE = "baseline"
MEMBERS = 3


@dataclass(frozen=True)
class Corpus:
    """The files of one size and seed, and where its runs are kept.

    Args:
        given: ``--train``, ``--dev`` and ``--test`` with their files. scored: the last two alone.
        raw: the file of raw texts. runs: the folder of the runs. seed: of the draw and of the trainings.
        options: of every training.
    """

    given: list[str]
    scored: list[str]
    raw: Path
    runs: Path
    seed: int
    options: list[str]

    def train(self, name: str, *more: str, seed: int | None = None, command: str = "train") -> Path:
        """The run folder of a training, which is done if it is not there yet."""
        start = [*self.given, "--seed", str(self.seed if seed is None else seed), *self.options, *more]
        return self.run(name, command, start)

    def run(self, name: str, command: str, start: Sequence[str]) -> Path:
        """The run folder of a command that is begun with these arguments, or goes on."""
        folder = self.runs / name
        if not (folder / "scores.json").is_file():
            begun = (folder / "request.json").is_file()
            arguments = [command, *(["--resume"] if begun else start), "--out", str(folder)]
            print(f"{folder}: {command}", file=sys.stderr, flush=True)
            called = [sys.executable, "-m", "core", *arguments]
            subprocess.run(called, cwd=ROOT, stdout=subprocess.DEVNULL, check=True)
        return folder

    def complete(self, name: str) -> bool:
        """Whether the run of this name has its scores."""
        return (self.runs / name / "scores.json").is_file()


def _baseline(corpus: Corpus) -> None:
    corpus.train(BASELINE)


def _fgm(corpus: Corpus) -> None:
    corpus.train("fgm", "--set", "fgm=1")


def _ema(corpus: Corpus) -> None:
    corpus.train("ema", "--set", "ema=0.99", "--set", "learning_rate=0.003")


def _r_drop(corpus: Corpus) -> None:
    corpus.train("r_drop", "--set", "r_drop=1")


def _ensemble(corpus: Corpus) -> None:
    seeds = [corpus.seed + 100 * member for member in range(1, MEMBERS)]
    members = [corpus.train(BASELINE), *(corpus.train(f"{BASELINE}-{seed}", seed=seed) for seed in seeds)]
    models = [part for member in members for part in ("--model", str(member / "model"))]
    corpus.run("ensemble", "ensemble", [*models, *corpus.scored, "--device", "cpu"])


def _distillation(corpus: Corpus) -> None:
    _ensemble(corpus)
    teacher = str(corpus.runs / "ensemble" / "model")
    corpus.train("distillation", "--model", teacher, "--raw", str(corpus.raw), command="distil")


def _self_training(corpus: Corpus) -> None:
    corpus.train("self_training", "--raw", str(corpus.raw), "--rounds", "2", command="self-train")


# The run of each way, what the table calls it, and what makes it.
WAYS: dict[str, tuple[str, Callable[[Corpus], None]]] = {
    BASELINE: (f"`{TAGGER}` with plain settings", _baseline),
    "fgm": ("FGM (`fgm=1`)", _fgm),
    "ema": ("EMA and a higher rate (`ema=0.99`, `learning_rate=0.003`)", _ema),
    "r_drop": ("R-Drop (`r_drop=1`)", _r_drop),
    "ensemble": (f"ensemble of {MEMBERS}", _ensemble),
    "distillation": ("student of that ensemble", _distillation),
    "self_training": ("self-training (`--rounds 2`)", _self_training),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what is missing, print the table, and write it into the page."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=Path, help="folder of train, dev and test")
    parser.add_argument("--runs", type=Path, required=True, help="where the run folders are kept")
    parser.add_argument("--sizes", default="100,500", help="training documents (default 100,500)")
    parser.add_argument("--seeds", default="1,2,3", help="comma between them (default 1,2,3)")
    parser.add_argument("--ways", default=",".join(WAYS), help="comma between them (default all)")
    parser.add_argument("--raw", type=int, default=500, help="raw texts (default 500)")
    parser.add_argument("--epochs", type=int, default=40, help="of every training (default 40)")
    parser.add_argument("--batch-size", type=int, default=4, help="documents per step (default 4)")
    parser.add_argument("--page", type=Path, default=PAGE, help="page to write the table into")
    parser.add_argument("--table-only", action="store_true", help="run nothing: the table of what is there")
    args = parser.parse_args(arguments)
    cells = [(int(size), int(seed)) for size in args.sizes.split(",") for seed in args.seeds.split(",")]
    corpora = {cell: corpus_of(args, *cell) for cell in cells}
    if not args.table_only:
        for corpus in corpora.values():
            for way in args.ways.split(","):
                WAYS[way][1](corpus)
    table = render(corpora, f"{args.epochs} epochs, batches of {args.batch_size}, {args.raw} raw texts")
    print(table)
    write_between_markers(args.page, table, BEGIN, END)
    return 0


def corpus_of(args: argparse.Namespace, size: int, seed: int) -> Corpus:
    """Draws the documents of one size and seed, and writes their files."""
    files = parts_of(args.folder.resolve())
    documents = list(read_file(files["train"]).documents)
    random.Random(seed).shuffle(documents)
    runs = args.runs.resolve() / f"{size}-{seed}"
    runs.mkdir(parents=True, exist_ok=True)
    write_documents(runs / "train.jsonl", documents[:size])
    raw = [document.with_spans(()) for document in documents[size : size + args.raw]]
    write_documents(runs / "raw.jsonl", raw)
    scored = ["--dev", str(files["dev"]), "--test", str(files["test"])]
    options = ["--device", "cpu", "--epochs", str(args.epochs)]
    # What the tagger learns best with is a way of its own here.
    plain = TrainingSettings()
    pinned = {name: getattr(plain, name) for name in by_name(TAGGER).learns_best_with}
    for name, value in {**pinned, "batch_size": args.batch_size, "threads": 1}.items():
        options += ["--set", f"{name}={value}"]
    return Corpus(
        ["--train", str(runs / "train.jsonl"), *scored], scored, runs / "raw.jsonl", runs, seed, options
    )


def render(corpora: dict[tuple[int, int], Corpus], how: str) -> str:
    """The machine, and a row for every size and way that has complete runs.

    Args:
        corpora: by size and seed. how: what all trainings have in common.
    """
    lines = ["| labelled | way | seeds | dev F1 | test F1 | test F1 above the baseline |"]
    lines += [f"|{'---|' * 6}"]
    environment = None
    for size in sorted({size for size, _ in corpora}):
        of_size = [corpus for (at, _), corpus in corpora.items() if at == size]
        for way, (title, _) in WAYS.items():
            runs = [corpus.runs for corpus in of_size if corpus.complete(way) and corpus.complete(BASELINE)]
            if not runs:
                continue
            scores = [_scores(run / way) for run in runs]
            dev, test = (
                statistics.mean(100 * each[part]["f1"] for each in scores) for part in ("dev", "test")
            )
            base = statistics.mean(100 * _scores(run / BASELINE)["test"]["f1"] for run in runs)
            gain = "–" if way == BASELINE else f"{test - base:+.2f}"
            lines.append(f"| {size} | {title} | {len(runs)} | {dev:.2f} | {test:.2f} | {gain} |")
            environment = _scores(runs[0] / BASELINE)["environment"]
    if environment is None:
        raise SystemExit("no run is complete")
    return "\n".join([f"{how}. {machine(environment)}, {date.today().isoformat()}.", "", *lines])


def _scores(folder: Path) -> dict[str, Any]:
    read: dict[str, Any] = json.loads((folder / "scores.json").read_text(encoding="utf-8"))
    return read


if __name__ == "__main__":
    raise SystemExit(main())
