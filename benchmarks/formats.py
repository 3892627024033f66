"""How fast every file format is read and written: many small documents, processor time.

    python -m benchmarks.formats [--documents 2000] [--repeats 3] [--formats jsonl webanno …]

Texts are made up: 200 Han characters with four spans of five characters each, so that what is measured is
what a document costs. A format with a file a document is measured in a ZIP archive. The fastest of the
repeats counts, since other work on the machine only adds. Reading goes through ``core.formats.Reading`` as an
import does, with the format named; every document must come back. Formats that are only read are left out.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from core.formats import Reading, by_name, writable, write_file
from core.text import Document, Span

CHARACTERS, SPANS, SPAN = 200, 4, 5
LABELS = ("LOC", "ORG", "PER")
SEED = 1


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--documents", type=int, default=2000, metavar="N", help="in each file (2000)")
    parser.add_argument("--repeats", type=int, default=3, metavar="N", help="of each measurement (3)")
    parser.add_argument("--formats", nargs="+", default=writable(), choices=writable(), metavar="NAME")
    args = parser.parse_args(arguments)
    corpus = made_up(args.documents)
    print(
        f"{args.documents:,} documents of {CHARACTERS} characters and {SPANS} spans; documents a second of "
        f"processor time, the fastest of {args.repeats}\n"
    )
    print(f"{'format':<16}{'written':>10}{'read':>10}{'KiB':>8}")
    for name in args.formats:
        written, read, size = measured(corpus, name, args.repeats)
        print(f"{name:<16}{written:>10,.0f}{read:>10,.0f}{size / 1024:>8,.0f}", flush=True)
    return 0


def made_up(number: int) -> list[Document]:
    """Documents that are the same on every run."""
    chance = random.Random(SEED)
    documents = []
    for at in range(number):
        text = "".join(chr(chance.randint(0x4E00, 0x9000)) for _ in range(CHARACTERS))
        step = CHARACTERS // SPANS
        spans = tuple(Span(step * k, step * k + SPAN, LABELS[k % len(LABELS)]) for k in range(SPANS))
        documents.append(Document(f"d{at}", text, spans))
    return documents


def measured(corpus: Sequence[Document], name: str, repeats: int) -> tuple[float, float, int]:
    """Documents a second written and read, and the bytes of the file.

    Raises:
        AssertionError: another number of documents came back than was written.
    """
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"corpus{by_name(name).extensions[0]}"
        writing = fastest(lambda: write_file(corpus, path, name), repeats)
        reading = fastest(lambda: check(corpus, path, name), repeats)
        return len(corpus) / writing, len(corpus) / reading, path.stat().st_size


def check(corpus: Sequence[Document], path: Path, name: str) -> None:
    """Read the file to its end."""
    found = sum(isinstance(item, Document) for item in Reading(path, name))
    if found != len(corpus):
        raise AssertionError(f"{name}: {len(corpus)} documents were written, {found} came back")


def fastest(work: Callable[[], object], repeats: int) -> float:
    """Seconds of processor time."""
    seconds = []
    for _ in range(repeats):
        begun = time.process_time()
        work()
        seconds.append(time.process_time() - begun)
    return min(seconds)


if __name__ == "__main__":
    sys.exit(main())
