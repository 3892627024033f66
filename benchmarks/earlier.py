"""How long earlier decisions take: reading a project the first time, following a save, asking for a document.

    python -m benchmarks.earlier [--documents 50000] [--asked 500]

Every document is made up: 97 to 197 Han characters with five labelled words of two to four. The words come
from a list in which every one is as likely (``many``: nearly every surface is rare, a hard case), or from a
smaller one in which few words are frequent, as names are (``few``). Seconds are processor time of one thread.
"""

from __future__ import annotations

import argparse
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate
from pathlib import Path

from core.store.annotation import annotations as store_annotations
from core.store.db.workspace import Workspace
from core.store.document import documents
from core.store.project import projects
from core.store.suggest.earlier import EarlierDecisions
from core.text import Document, Span

LABELS = ("LOC", "ORG", "PER")
LETTERS = [chr(0x4E00 + at) for at in range(3000)]
SHORTEST, LONGEST, SPANS = 97, 197, 5
LISTS = {"many": (250_000, 0.0), "few": (20_000, 1.0)}  # words, exponent of Zipf's law
SAVES = 20
SEED = 1


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure both lists of words and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--documents", type=int, default=50_000, metavar="N", help="in the project (50,000)")
    parser.add_argument("--asked", type=int, default=500, metavar="N", help="documents asked about (500)")
    args = parser.parse_args(arguments)
    print(f"{args.documents:,} documents of {SHORTEST} to {LONGEST} characters, {SPANS} spans each")
    for name, (words, exponent) in LISTS.items():
        with tempfile.TemporaryDirectory() as folder, Workspace.open(Path(folder) / "made") as workspace:
            project = projects.create(workspace, "made").id
            ids = documents.add(workspace, project, made_up(args.documents, words, exponent)).ids
            used = {
                one.text[span.start : span.end]
                for one in documents.iterate(workspace, project)
                for span in one.spans
            }
            how = "few of them frequent" if exponent else "all as likely"
            print(f"\n{name}: {words:,} words, {how}; {len(used):,} of them labelled")
            for what, value in measured(workspace, project, ids, args.asked):
                print(f"{what:<42}{value}", flush=True)
    return 0


def made_up(number: int, words: int, exponent: float) -> Iterator[Document]:
    """Documents that are the same on every run."""
    chance = random.Random(SEED)
    known = ["".join(chance.choices(LETTERS, k=chance.randint(2, 4))) for _ in range(words)]
    weights = list(accumulate((1 + place) ** -exponent for place in range(words)))
    for at in range(number):
        pieces: list[str] = []
        spans: list[Span] = []
        length, step = 0, chance.randint(SHORTEST, LONGEST) // SPANS
        for word in chance.choices(known, cum_weights=weights, k=SPANS):
            pieces += [*chance.choices(LETTERS, k=step - len(word)), word]
            length += step
            # A word has one label nearly always.
            label = LABELS[(len(word) + (chance.random() < 0.05)) % len(LABELS)]
            spans.append(Span(length - len(word), length, label))
        yield Document(f"d{at}", "".join(pieces), tuple(spans))


def measured(workspace: Workspace, project: int, ids: Sequence[int], asked: int) -> Iterator[tuple[str, str]]:
    """What was measured and the figure."""
    index = EarlierDecisions(workspace, project)
    yield "reading the project the first time", f"{_seconds(index.update):8.1f} s"
    chosen = random.Random(SEED).sample(list(ids), min(asked, len(ids)))
    spans, times = 0, []
    for id_ in chosen:
        text = documents.get(workspace, id_).text
        begun = time.process_time()
        spans += len(index.find(text, but=id_))
        times.append(1000 * (time.process_time() - begun))
    yield "found in a document, mean", f"{spans / len(times):8.1f}"
    yield "asking for a document, median", f"{statistics.median(times):8.2f} ms"
    yield "asking for a document, 95th percentile", f"{sorted(times)[int(0.95 * len(times))]:8.2f} ms"
    following = []
    for id_ in chosen[:SAVES]:
        now = store_annotations.current(workspace, id_)
        more = Span(0, 3, LABELS[0])  # a surface nobody has labelled yet
        store_annotations.save(workspace, id_, now.revision, [*now.document.spans, more], (), user="made")
        following.append(1000 * _seconds(index.update))
    yield "following a save, median", f"{statistics.median(following):8.1f} ms"


def _seconds(work: Callable[[], object]) -> float:
    begun = time.process_time()
    work()
    return time.process_time() - begun


if __name__ == "__main__":
    sys.exit(main())
