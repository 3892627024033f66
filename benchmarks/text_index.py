"""The text index against reading every text: what it costs to build, its size, how long a search takes.

    python -m benchmarks.text_index [--documents 200000] [--folder DIR]

Every answer is checked. Times are processor time, medians of five, taken in one process: the machine may be
busy. Texts are made up: 20 to 120 characters; seven in eight are Chinese, the others Latin.
"""

from __future__ import annotations

import argparse
import random
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path

from benchmarks.store import made_up
from core.store import Workspace
from core.store.document import documents, text_index
from core.store.project import projects
from core.text import Document

SEARCHES = (
    "北京", "大学", "书", "北", "一", "一丁", "甲乙丙", "北京大学", "中国发布", "京",
    "e", "the", "Beijing", "university", "qx", "zyzzyva", ", ", "𠀀",
)  # fmt: skip
WORDS = "the of university Beijing report market company and a to in people research announced qux 𠀀 zyzzyva"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--documents", type=int, default=200_000)
    parser.add_argument("--folder", type=Path, help="where the workspace is made (default: temporary)")
    arguments = parser.parse_args()
    with (
        tempfile.TemporaryDirectory(dir=arguments.folder) as folder,
        Workspace.open(folder) as workspace,
    ):
        project = projects.create(workspace, "texts").id
        chunks = [time.process_time()]
        documents.add(
            workspace,
            project,
            corpus(arguments.documents),
            progress=lambda _: chunks.append(time.process_time()),
        )
        longest = max(after - before for before, after in pairwise(chunks))
        print(f"sqlite {sqlite3.sqlite_version}, {arguments.documents:,} documents")
        print(f"{'import, index and all':<32}{chunks[-1] - chunks[0]:>10.1f} s")
        print(f"{'its longest 500 documents':<32}{1000 * longest:>10.0f} ms")
        again = processor(lambda: text_index.rebuild(workspace, project))
        print(f"{'the index built anew':<32}{again:>10.1f} s")
        ask(workspace, project)


def ask(workspace: Workspace, project: int) -> None:
    """Sizes, and every search with and without the index."""
    with workspace.reading() as db:
        size = db.execute(f"SELECT sum(length(block)) FROM text_index_{project}_data").fetchone()[0]
        texts = [row[0] for row in db.execute("SELECT text FROM documents ORDER BY id")]
        print(f"{'texts':<32}{sum(len(text.encode()) for text in texts) / 2**20:>10.1f} MiB")
        print(f"{'index':<32}{size / 2**20:>10.1f} MiB")
        print(f"{'search':<16}{'found':>10}{'index ms':>12}{'texts ms':>12}")
        for search in SEARCHES:
            expected = [at + 1 for at, text in enumerate(texts) if search.lower() in text.lower()]

            def hits(search: str = search) -> text_index.Hits:
                return text_index.hits(db, project, search)

            def scan(search: str = search) -> object:
                asked = "SELECT id FROM documents WHERE instr(lower(text), ?) > 0 ORDER BY id"
                return db.execute(asked, (search.lower(),)).fetchall()

            assert hits() == (expected, True), search
            taken = [1000 * statistics.median(processor(work) for _ in range(5)) for work in (hits, scan)]
            print(f"{search:<16}{len(expected):>10,}{taken[0]:>12.2f}{taken[1]:>12.2f}")


def corpus(number: int) -> Iterator[Document]:
    """Chinese texts, every eighth Latin; the same number makes the same."""
    dice, words = random.Random(7), WORDS.split()
    weights = [1 / (1 + at) for at in range(len(words))]
    for at, document in enumerate(made_up(number)):
        if at % 8:
            yield document
        else:
            chosen = dice.choices(words, weights, k=dice.randint(4, 20))
            yield Document(document.id, ", ".join(chosen) + f" {at:x}")


def processor(work: Callable[[], object]) -> float:
    """Seconds of processor time."""
    began = time.process_time()
    work()
    return time.process_time() - began


if __name__ == "__main__":
    main()
