"""FLAT and SoftLexicon on Resume from scratch: three seeds through ``python -m core train``, as tables in
docs/results.md.

Run ``python -m benchmarks.resume FOLDER`` with a folder that holds ``train.char.bmes``, ``dev.char.bmes`` and
``test.char.bmes``. The tables are written between two markers, so no figure is ever typed by hand.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shlex
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "results.md"
BEGIN, END = "<!-- resume: written by benchmarks/resume.py -->", "<!-- resume: end -->"
FILES = {part: f"{part}.char.bmes" for part in ("train", "dev", "test")}


def main(arguments: Sequence[str] | None = None) -> int:
    """Train every seed of every tagger, print the tables, and write them into the page."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=Path, help="folder of train, dev and test .char.bmes")
    parser.add_argument("--taggers", default="flat,soft_lexicon", help="comma between them (default both)")
    parser.add_argument("--seeds", default="1,2,3", help="comma between them (default 1,2,3)")
    parser.add_argument("--epochs", help="instead of the default number")
    parser.add_argument("--device", default="cpu", help="cpu (default), cuda, mps or auto")
    parser.add_argument(
        "--set", action="append", default=[], metavar="FIELD=VALUE", help="passed on to train"
    )
    parser.add_argument("--page", type=Path, default=PAGE, help="page to write the tables into")
    args = parser.parse_args(arguments)
    missing = [name for name in FILES.values() if not (args.folder / name).is_file()]
    if missing:
        print(f"{args.folder} lacks {', '.join(missing)}", file=sys.stderr)
        return 2
    common = ["--device", args.device]
    if args.epochs:
        common += ["--epochs", args.epochs]
    for assignment in args.set:
        common += ["--set", assignment]
    tables = []
    for tagger in args.taggers.split(","):
        options, runs = ["--tagger", tagger, *common], {}
        for seed in args.seeds.split(","):
            runs[seed] = train(args.folder, seed, options)
            f1 = 100 * runs[seed]["test"]["f1"]
            print(f"{tagger}, seed {seed}: test F1 {f1:.2f}", file=sys.stderr, flush=True)
        tables.append(render(runs, options))
    table = "\n\n".join(tables)
    print(table)
    write_between_markers(args.page, table)
    return 0


def train(folder: Path, seed: str, options: Sequence[str]) -> dict[str, Any]:
    """One training in a process of its own; what it printed."""
    with tempfile.TemporaryDirectory() as out:
        command = [sys.executable, "-m", "core", "train", *options, "--seed", seed, "--out", f"{out}/run"]
        for part, name in FILES.items():
            command += [f"--{part}", str((folder / name).resolve())]
        done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, check=True)
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def render(runs: dict[str, dict[str, Any]], options: Sequence[str]) -> str:
    """The command, the machine and one row per seed, with the mean last."""
    environment = next(iter(runs.values()))["environment"]
    files = " ".join(f"--{part} {name}" for part, name in FILES.items())
    lines = [
        "```",
        f"python -m core train {shlex.join(options)} --seed N {files} --out DIR",
        "```",
        "",
        f"{date.today().isoformat()}, {machine(environment)}.",
        "",
        "| seed | dev F1 | test precision | test recall | test F1 | best epoch | seconds | s / epoch |",
        "|---|---|---|---|---|---|---|---|",
    ]
    rows = [figures(run) for run in runs.values()]
    for seed, row in zip(runs, rows, strict=True):
        lines.append(f"| {seed} | {_cells(row)} |")
    mean = [statistics.mean(column) for column in zip(*rows, strict=True)]
    lines.append(f"| **mean** | {_cells(mean)} |")
    if len(rows) > 1:
        lines += ["", f"Standard deviation of the test F1: {statistics.stdev(row[3] for row in rows):.2f}."]
    return "\n".join(lines)


def figures(run: dict[str, Any]) -> list[float]:
    """The columns of a row, scores in percent."""
    test = run["test"]
    return [
        100 * run["dev"]["f1"],
        100 * test["precision"],
        100 * test["recall"],
        100 * test["f1"],
        float(run["best_epoch"]),
        run["seconds"],
        run["seconds_per_epoch"],
    ]


def machine(environment: dict[str, Any]) -> str:
    """What the figures were measured on."""
    where = environment["gpu"] or f"{_processor()}, {environment['threads']} threads of {os.cpu_count()}"
    return f"{where}, {environment['system']}, Python {environment['python']}, torch {environment['torch']}"


def write_between_markers(page: Path, table: str, first: str = BEGIN, last: str = END) -> None:
    """Replace what stands between two markers of ``page``; the page is begun where there is none."""
    if not page.exists():
        page.write_text(f"# Results\n\n{first}\n{last}\n", encoding="utf-8")
    text = page.read_text(encoding="utf-8")
    before, begin, rest = text.partition(first)
    _, end, after = rest.partition(last)
    if not begin or not end:
        raise SystemExit(f"{page} lacks the markers {first} and {last}; put them where the table belongs")
    page.write_text(f"{before}{first}\n{table}\n{last}{after}", encoding="utf-8")


def _cells(row: Sequence[float]) -> str:
    *scores, best, seconds, per_epoch = row
    return " | ".join(
        [*(f"{value:.2f}" for value in scores), f"{best:.3g}", f"{seconds:.0f}", f"{per_epoch:.1f}"]
    )


def _processor() -> str:
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.is_file():
        for line in cpuinfo.read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


if __name__ == "__main__":
    raise SystemExit(main())
