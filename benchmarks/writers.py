"""Twenty people save without a pause beside an import and a training: what is lost, and how long it takes.

    python -m benchmarks.writers [--seconds 60] [--import app process]

The people are pages of one server, over HTTP; the training is a process of its own; the import goes through
the app, or is a process beside it in the same workspace. Load is that of before. Exit status 1: an edit that
was acknowledged was lost or is out of order, somebody met a locked database, or the 99th percentile of a save
is more than a quarter second.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from pathlib import Path
from typing import get_args

from tests.faults.many_writers import WRITERS, Importer, work

AIM = 0.25  # seconds of the 99th percentile


def main() -> int:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument(
        "--import", nargs="+", dest="importers", choices=get_args(Importer), default=get_args(Importer)
    )
    arguments = parser.parse_args()
    print(f"{WRITERS} people, {arguments.seconds:.0f} s")
    print(
        f"{'import by':<10}{'saves':>8}{'median s':>10}{'p99 s':>8}{'longest s':>11}{'lost':>6}"
        f"{'disordered':>12}{'locked':>8}{'imported':>10}{'epochs':>8}{'load':>6}"
    )
    missed = False
    for importer in arguments.importers:
        before = os.getloadavg()[0]
        with tempfile.TemporaryDirectory() as folder:
            outcome = work(Path(folder) / "workspace", arguments.seconds, importer)
        wrong = outcome.lost, outcome.out_of_order, outcome.locked
        median, high, longest = map(outcome.seconds, (50, 99, 100))
        imported, epochs = (each[-1] - each[0] for each in (outcome.imported, outcome.epochs))
        missed |= any(wrong) or high > AIM
        print(
            f"{importer:<10}{sum(map(len, outcome.saved)):>8,}{median:>10.3f}{high:>8.3f}{longest:>11.3f}"
            f"{wrong[0]:>6}{wrong[1]:>12}{wrong[2]:>8}{imported:>10,}{epochs:>8,}{before:>6.1f}",
            flush=True,
        )
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
