"""What a second thread costs a tagger on the machine as it is: processor time and time by the clock.

``python -m benchmarks.threads`` tags the demo corpus over and over with the demo tagger. Threads wait for
each other asleep (``OMP_WAIT_POLICY=PASSIVE``, as ``python -m core`` has it) or spinning (as libgomp has it
by itself). Processor times can be compared while other programs run; times by the clock cannot.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from itertools import cycle
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
WAITING = {"asleep": {"OMP_WAIT_POLICY": "PASSIVE"}, "spinning": {"GOMP_SPINCOUNT": "300000"}}


def lines_of(corpus: Path, size: int) -> Iterator[str]:
    """The texts of a JSONL file, again from the start until they have ``size`` bytes of UTF-8."""
    texts = [json.loads(line)["text"] for line in corpus.read_text(encoding="utf-8").splitlines()]
    for text in cycle(texts):
        if size <= 0:
            return
        line = " ".join(text.split())
        size -= len(line.encode()) + 1
        yield line


def seconds(path: Path, threads: int, environment: dict[str, str]) -> tuple[float, float]:
    """Of the processor and by the clock, for ``python -m core tag`` with so many threads."""
    command = [sys.executable, "-m", "core", "tag", "--model", "assets/demo_tagger", "--device", "cpu"]
    used, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(
        [*command, "--threads", str(threads), str(path)],
        cwd=ROOT,
        env={**os.environ, **environment},
        stdout=subprocess.DEVNULL,
        check=True,
    )
    now = resource.getrusage(resource.RUSAGE_CHILDREN)
    processor = now.ru_utime + now.ru_stime - used.ru_utime - used.ru_stime
    return processor, time.perf_counter() - begun


def main(arguments: Sequence[str] | None = None) -> int:
    """Print a row for every way of waiting and number of threads."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--megabytes", type=float, default=1.0, help="of text; 1")
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2], help="1 2")
    args = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "texts.txt"
        lines = lines_of(ROOT / "assets" / "demo" / "corpus.jsonl", round(args.megabytes * 1e6))
        path.write_text("\n".join(lines), encoding="utf-8")
        print("waiting    threads  processor s  clock s  load before")
        for waiting, environment in WAITING.items():
            for threads in args.threads:
                load = os.getloadavg()[0]
                processor, clock = seconds(path, threads, environment)
                print(f"{waiting:9} {threads:8} {processor:12.1f} {clock:8.1f} {load:12.1f}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
