"""The text index of pairs of characters against SQLite's FTS5 over code points, on the same documents.

    python -m benchmarks.text_index [--documents 200000] [--folder DIR]

Both answer exactly. Times are processor time, medians of five, taken in one process: the machine may be busy.
Texts are made up: 20 to 120 characters; seven in eight are Chinese, the others Latin.
"""

from __future__ import annotations

import argparse
import random
import re
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from benchmarks.store import made_up
from core.store import Workspace
from core.store.document import documents, text_index
from core.store.project import projects
from core.text import Document

CHUNK = 500  # documents of a transaction, as an import has them
SEARCHES = (
    "北京", "大学", "书", "北", "一", "一丁", "甲乙丙", "北京大学", "中国发布", "京",
    "e", "the", "Beijing", "university", "qx", "zyzzyva", ", ", "𠀀",
)  # fmt: skip
WORDS = "the of university Beijing report market company and a to in people research announced qux 𠀀 zyzzyva"
_CAPITALS = re.compile("[A-Z]+")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--documents", type=int, default=200_000)
    parser.add_argument("--folder", type=Path, help="where the workspace is made (default: temporary)")
    arguments = parser.parse_args()
    documents.keep_up = lambda *_: None  # built below, where it is measured
    with (
        tempfile.TemporaryDirectory(dir=arguments.folder) as folder,
        Workspace.open(folder) as workspace,
    ):
        project = projects.create(workspace, "texts").id
        took = processor(lambda: documents.add(workspace, project, corpus(arguments.documents)))
        print(f"sqlite {sqlite3.sqlite_version}, {arguments.documents:,} documents")
        print(f"{'import without an index':<32}{took:>10.1f} s")
        compare(workspace, project)


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


def compare(workspace: Workspace, project: int) -> None:
    """Build both and ask both."""

    def pairs() -> None:
        while text_index.grow(workspace, project):
            pass

    longest = [0.0]

    def fts5() -> None:
        with workspace.writing() as db:
            db.execute(
                "CREATE VIRTUAL TABLE code_points USING fts5(characters, content='', columnsize=0, "
                "tokenize='ascii')"
            )
        for texts in chunks(workspace):
            began = time.process_time()
            with workspace.writing() as db:
                db.executemany(
                    "INSERT INTO code_points (rowid, characters) VALUES (?, ?)",
                    [(number, tokens(text)) for number, text in texts],
                )
            longest[0] = max(longest[0], time.process_time() - began)

    built = {"pairs": processor(pairs), "fts5": processor(fts5)}
    with workspace.reading() as db:
        sizes = {
            "pairs": db.execute("SELECT sum(length(postings)) FROM text_postings").fetchone()[0],
            "fts5": db.execute("SELECT sum(length(block)) FROM code_points_data").fetchone()[0],
        }
        texts = [row[0] for row in db.execute("SELECT text FROM documents ORDER BY id")]
        print(f"{'texts':<32}{sum(len(text.encode()) for text in texts) / 2**20:>10.1f} MiB")
        for name in built:
            print(f"{name + ': build':<32}{built[name]:>10.1f} s{sizes[name] / 2**20:>10.1f} MiB")
        print(f"{'fts5: longest transaction':<32}{1000 * longest[0]:>10.0f} ms")
        print(f"{'search':<16}{'found':>10}{'pairs ms':>12}{'fts5 ms':>12}{'ratio':>10}")
        for search in SEARCHES:
            expected = [at + 1 for at, text in enumerate(texts) if small(search) in small(text)]
            ask = {
                "pairs": lambda search=search: text_index.hits(db, project, search),
                "fts5": lambda search=search: hits(db, project, search),
            }
            times = {}
            for name, question in ask.items():
                assert question() == expected, (name, search)
                times[name] = 1000 * statistics.median(processor(question) for _ in range(5))
            ratio = times["fts5"] / times["pairs"]
            shown = f"{times['pairs']:>12.2f}{times['fts5']:>12.2f}{ratio:>10.2f}"
            print(f"{search:<16}{len(expected):>10,}{shown}")


def hits(db: sqlite3.Connection, project: int, search: str) -> list[int]:
    """What FTS5 says, without the documents in the trash."""
    rows = db.execute(
        "SELECT rowid FROM code_points WHERE code_points MATCH ? AND rowid NOT IN "
        "(SELECT id FROM documents WHERE project_id = ? AND trashed IS NOT NULL)",
        (f'"{tokens(search)}"', project),
    )
    return [row[0] for row in rows]


def tokens(text: str) -> str:
    """Each UTF-16 unit as four hexadecimal digits, ASCII capitals as small letters."""
    return small(text).encode("utf-16-be").hex(" ", 2)


def small(text: str) -> str:
    """ASCII capitals as small letters: what a search takes as the same."""
    return _CAPITALS.sub(lambda found: found[0].lower(), text)


def chunks(workspace: Workspace) -> Iterator[list[tuple[int, str]]]:
    """Numbers and texts as an import brings them."""
    last = 0
    while True:
        with workspace.reading() as db:
            rows = db.execute(
                "SELECT id, text FROM documents WHERE id > ? ORDER BY id LIMIT ?", (last, CHUNK)
            ).fetchall()
        if not rows:
            return
        yield [(row["id"], row["text"]) for row in rows]
        last = rows[-1]["id"]


def processor(work: Callable[[], object]) -> float:
    """Seconds of processor time."""
    began = time.process_time()
    work()
    return time.process_time() - began


if __name__ == "__main__":
    main()
