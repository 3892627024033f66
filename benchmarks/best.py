"""The search against every default, on test documents neither has seen, as one table in docs/results.md.

    python -m benchmarks.best --runs DIR [--corpus NAME=FOLDER ...] [--minutes 20] [--seeds 1,2,3]

For every corpus and seed: ``python -m core best`` for so many minutes on train and dev, ``python -m core
train`` with each tagger's defaults, and the F1 of all of them on test. FOLDER holds ``train``, ``dev`` and
``test`` in one format; ``demo`` is the corpus that comes with the project. A training whose folder below
``--runs`` is complete is not repeated, so the table can grow over several sittings. The table says at its end
whether the search was above every default.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from benchmarks.resume import PAGE, ROOT, write_between_markers

BEGIN, END = "<!-- best: written by benchmarks/best.py -->", "<!-- best: end -->"
DEMO = ROOT / "assets" / "demo" / "corpus.jsonl"
DEFAULTS = ("bilstm_crf", "soft_lexicon", "flat", "span")
PARTS = ("train", "dev", "test")


@dataclass(frozen=True)
class Row:
    """F1 on test of one corpus and seed.

    Args:
        found: the tagger the search chose. minutes: of the search. trials: it ran.
        f1: of what it chose. defaults: by tagger.
    """

    corpus: str
    seed: str
    found: str
    minutes: float
    trials: int
    f1: float
    defaults: dict[str, float]

    @property
    def above(self) -> bool:
        """Whether the search is above every default."""
        return self.f1 > max(self.defaults.values())


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what is missing, print the table, and write it into the page."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--runs", type=Path, required=True, help="where the run folders are kept")
    parser.add_argument(
        "--corpus", action="append", default=[], metavar="NAME=FOLDER", help="else the demo alone"
    )
    parser.add_argument("--minutes", type=float, default=20.0, help="of a search (default 20)")
    parser.add_argument("--seeds", default="1,2,3", help="comma between them (default 1,2,3)")
    parser.add_argument("--defaults", default=",".join(DEFAULTS), help="taggers to compare with")
    parser.add_argument("--threads", type=int, default=0, help="processor threads; 0 takes all cores")
    parser.add_argument("--device", default="cpu", help="cpu (default), cuda or mps")
    parser.add_argument("--page", type=Path, default=PAGE, help="page to write the table into")
    args = parser.parse_args(arguments)
    rows = []
    for corpus in args.corpus or ["demo"]:
        name, _, folder = corpus.partition("=")
        files = parts_of(Path(folder)) if folder else demo_parts(args.runs / name)
        rows += [compare(name, files, seed, args) for seed in args.seeds.split(",")]
    table = render(rows, machine())
    print(table)
    write_between_markers(args.page, table, BEGIN, END)
    return 0


def parts_of(folder: Path) -> dict[str, Path]:
    """The files of a folder by part; their names begin with it."""
    found = {part: sorted(folder.glob(f"{part}.*")) for part in PARTS}
    missing = [part for part, paths in found.items() if not paths]
    if missing:
        raise SystemExit(f"{folder} has no file {missing[0]}.*")
    return {part: paths[0] for part, paths in found.items()}


def demo_parts(folder: Path) -> dict[str, Path]:
    """The demo corpus by part, written into ``folder``."""
    folder.mkdir(parents=True, exist_ok=True)
    lines = DEMO.read_text(encoding="utf-8").splitlines(keepends=True)
    for part in PARTS:
        own = [line for line in lines if json.loads(line)["meta"]["split"] == part]
        (folder / f"{part}.jsonl").write_text("".join(own), encoding="utf-8")
    return {part: folder / f"{part}.jsonl" for part in PARTS}


def compare(name: str, files: dict[str, Path], seed: str, args: argparse.Namespace) -> Row:
    """The search and the defaults on one corpus with one seed."""
    where = ["--seed", seed, "--device", args.device, "--set", f"threads={args.threads}"]
    out = args.runs / f"{name}-{seed}-best"
    if not (out / "scores.json").is_file():
        begun = (out / "request.json").is_file()
        train = [] if begun else [str(files["train"]), "--dev", str(files["dev"]), *where]
        _core("best", *train, "--minutes", str(args.minutes), "--out", str(out), *["--resume"][: int(begun)])
    search = json.loads((out / "scores.json").read_text(encoding="utf-8"))
    defaults = {}
    for tagger in args.defaults.split(","):
        run = args.runs / f"{name}-{seed}-{tagger}"
        if not (run / "scores.json").is_file():
            given = [f"--{part}={path}" for part, path in files.items()]
            begun = ["--resume"] if (run / "request.json").is_file() else [*given, *where]
            _core("train", "--tagger", tagger, "--out", str(run), *begun)
        scores = json.loads((run / "scores.json").read_text(encoding="utf-8"))
        defaults[tagger] = float(scores["test"]["f1"])
    f1 = float(_core("evaluate", "--model", str(out), "--data", str(files["test"]))["f1"])
    found = json.loads((out / "model" / "config.json").read_text(encoding="utf-8"))["tagger"]
    return Row(name, seed, found, search["seconds"] / 60, search["trials"], f1, defaults)


def render(rows: Sequence[Row], where: str) -> str:
    """The machine, one row per corpus and seed, and whether the search was above every default."""
    taggers = list(rows[0].defaults)
    head = ["corpus", "seed", "minutes", "trials", "found", "**found**", *taggers]
    lines = [
        f"{date.today().isoformat()}, {where}. F1 on test in percent.",
        "",
        f"| {' | '.join(head)} |",
        f"|{'---|' * len(head)}",
    ]
    for row in rows:
        cells = [row.corpus, row.seed, f"{row.minutes:.0f}", str(row.trials), row.found]
        scores = [f"**{100 * row.f1:.1f}**", *(f"{100 * row.defaults[tagger]:.1f}" for tagger in taggers)]
        lines.append(f"| {' | '.join([*cells, *scores])} |")
    above = sum(row.above for row in rows)
    return "\n".join([*lines, "", f"Above every default in {above} of {len(rows)} searches."])


def machine() -> str:
    """What the figures were measured on."""

    return f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"


def _core(*arguments: str) -> dict[str, Any]:
    """Run a command in a process of its own; what it printed, if that is one object."""
    done = subprocess.run(
        [sys.executable, "-m", "core", *arguments], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True
    )
    try:
        printed: dict[str, Any] = json.loads(done.stdout)
    except ValueError:  # a leaderboard, one object a line
        return {}
    return printed


if __name__ == "__main__":
    raise SystemExit(main())
