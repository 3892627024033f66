"""Runs benchmarks and writes what they print into docs/results.md, so that no figure there is typed by hand.

``python -m benchmarks.results flat_attention lexicon store`` runs each with its defaults and replaces what
stands between its two markers on the page. Options after ``--`` go to the one named last.
"""

from __future__ import annotations

import argparse
import os
import platform
import shlex
import subprocess
import sys
from collections.abc import Sequence
from datetime import date
from pathlib import Path

from benchmarks.resume import PAGE, ROOT, write_between_markers

BENCHMARKS = (
    "annotate",
    "calibration",
    "cmeee",
    "crf",
    "earlier",
    "errors_page",
    "first_page",
    "flat_attention",
    "formats",
    "inspect_page",
    "journeys",
    "lattice_view",
    "lexicon",
    "retrieval",
    "segmentation",
    "pu",
    "pretraining",
    "simulate",
    "store",
    "threads",
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what was named, in order; 1 as soon as one fails."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    cut = given.index("--") if "--" in given else len(given)
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("names", nargs="+", choices=BENCHMARKS, help="modules of benchmarks/")
    parser.add_argument("--page", type=Path, default=PAGE, help="page to write into")
    args = parser.parse_args(given[:cut])
    for name in args.names:
        options = given[cut + 1 :] if name == args.names[-1] else []
        command = ["python", "-m", f"benchmarks.{name}", *options]
        print(shlex.join(command), file=sys.stderr, flush=True)
        run = subprocess.run(
            [sys.executable, *command[1:]], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=False
        )
        if run.returncode:
            print(f"{name} ended with status {run.returncode}; the page is as it was", file=sys.stderr)
            return 1
        write_between_markers(args.page, block(command, run.stdout), *markers(name))
    return 0


def markers(name: str) -> tuple[str, str]:
    """What stands above and below the output of a benchmark on the page."""
    return f"<!-- {name}: written by benchmarks/results.py -->", f"<!-- {name}: end -->"


def block(command: Sequence[str], output: str) -> str:
    """The command, the machine and the output, as Markdown."""
    cores = os.cpu_count()
    where = (
        f"{date.today().isoformat()}, {platform.machine()}, {cores} cores, Python {platform.python_version()}"
    )
    return f"`{shlex.join(command)}` ({where})\n\n```\n{output.rstrip()}\n```"


if __name__ == "__main__":
    sys.exit(main())
