"""BERT with and without neighbours beside each sentence, on Resume NER, as a table in docs/results.md.

    python -m benchmarks.neighbours FOLDER --runs DIR --encoder DIR [--steps table]

Each cell is one training in a process of its own, ``python -m core train`` with what the page says, its run
folder kept below ``--runs``; one that is complete is not trained again. Both arms see the same documents, the
first of the training file, in the same order by the same seeds, for the same number of epochs.
"""

from __future__ import annotations

import argparse
import json
import shlex
import statistics
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from benchmarks.resume import FILES, PAGE, ROOT, machine, write_between_markers

BEGIN, END = "<!-- neighbours: written by benchmarks/neighbours.py -->", "<!-- neighbours: end -->"
SETTINGS = ("learning_rate=5e-4", "encoder_rate=0.2")
NEIGHBOURS = (0, 1)


@dataclass(frozen=True)
class Part:
    """A share of the training documents: how many (None: all), for how many epochs, by which seeds."""

    documents: int | None
    epochs: int
    seeds: tuple[int, ...]


PARTS = (Part(500, 8, (1, 2, 3)), Part(None, 2, (1,)))


def main(arguments: Sequence[str] | None = None) -> int:
    """Train what is missing, then write the table of what there is."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=Path, help="folder of train, dev and test .char.bmes")
    parser.add_argument("--runs", type=Path, required=True, help="where the run folders are kept")
    parser.add_argument("--encoder", type=Path, required=True, help="folder of a small pretrained encoder")
    parser.add_argument("--threads", type=int, default=1, help="processor threads (default 1)")
    parser.add_argument("--steps", nargs="+", choices=("train", "table"), default=("train", "table"))
    parser.add_argument("--page", type=Path, default=PAGE, help="page to write the table into")
    args = parser.parse_args(arguments)
    if "train" in args.steps:
        for seed in sorted({seed for part in PARTS for seed in part.seeds}):
            for part in (part for part in PARTS if seed in part.seeds):
                for neighbours in NEIGHBOURS:
                    learn(part, seed, neighbours, args)
    if "table" in args.steps:
        table = render(args)
        print(table)
        write_between_markers(args.page, table, BEGIN, END)
    return 0


def learn(part: Part, seed: int, neighbours: int, args: argparse.Namespace) -> None:
    """One training, unless it is there."""
    folder = run_folder(part, seed, neighbours, args)
    if (folder / "scores.json").is_file():
        return
    files = {name: str((args.folder / file).resolve()) for name, file in FILES.items()}
    if part.documents is not None:
        files["train"] = str(first_documents(Path(files["train"]), part.documents, args.runs))
    command = [sys.executable, "-m", "core", "train", *options(part, neighbours), "--seed", str(seed)]
    command = [word.replace("ENCODER", str(args.encoder)) for word in command]
    for name, file in files.items():
        command += [f"--{name}", file]
    command += ["--out", str(folder), "--set", f"threads={args.threads}"]
    print(shlex.join(command[1:]), file=sys.stderr, flush=True)
    subprocess.run(command, cwd=ROOT, stdout=subprocess.DEVNULL, check=True)


def options(part: Part, neighbours: int) -> list[str]:
    """What the two arms of a part are trained with."""
    assignments = ("encoder=ENCODER", *SETTINGS, f"epochs={part.epochs}", f"neighbours={neighbours}")
    return ["--tagger", "bert", "--device", "cpu"] + [w for a in assignments for w in ("--set", a)]


def run_folder(part: Part, seed: int, neighbours: int, args: argparse.Namespace) -> Path:
    runs: Path = args.runs
    return runs / f"{part.documents or 'all'}-{neighbours}-{seed}"


def first_documents(source: Path, count: int, folder: Path) -> Path:
    """The first sentences of a file in columns, which blank lines part, as a file of its own."""
    blocks = source.read_text(encoding="utf-8").strip().split("\n\n")
    target = folder / f"{count}.char.bmes"
    folder.mkdir(parents=True, exist_ok=True)
    target.write_text("\n\n".join(blocks[:count]) + "\n", encoding="utf-8")
    return target


def render(args: argparse.Namespace) -> str:
    """The table, the machine and the commands; means over the seeds of a cell, and every seed's score."""
    head = ("training documents", "neighbours", "dev F1", "test F1", "test F1 by seed", "epochs", "s / epoch")
    lines, commands, environment = [_line(head), _line(["---"] * len(head))], [], None
    for part in PARTS:
        for neighbours in NEIGHBOURS:
            paths = [run_folder(part, seed, neighbours, args) / "scores.json" for seed in part.seeds]
            found = [json.loads(path.read_text(encoding="utf-8")) for path in paths if path.is_file()]
            if not found:
                continue
            environment = environment or found[0]["environment"]
            lines.append(_line([str(part.documents or "all"), str(neighbours), *_figures(found)]))
            commands.append(f"- `python -m core train {shlex.join(options(part, neighbours))} --seed N`")
    if environment is None:
        raise SystemExit(f"{args.runs} holds no finished training")
    return "\n".join([*lines, "", f"{machine(environment)}, {date.today().isoformat()}.", "", *commands])


def _figures(found: Sequence[dict[str, Any]]) -> list[str]:
    return [
        *(f"{100 * statistics.mean(one[part]['f1'] for one in found):.2f}" for part in ("dev", "test")),
        ", ".join(f"{100 * one['test']['f1']:.2f}" for one in found),
        str(found[0]["epochs"]),
        f"{statistics.mean(one['seconds_per_epoch'] for one in found):.0f}",
    ]


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    raise SystemExit(main())
