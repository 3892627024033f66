"""Similar sentences: which terms find the better neighbours, and how long building and asking take.

    python -m benchmarks.retrieval FOLDER [--documents 50000] [--queries 200]

FOLDER holds the Resume files ``train.char.bmes`` and ``dev.char.bmes``. Quality: for every labelled sentence
of dev its five neighbours in train; how alike their sets of labels are (mean Jaccard index), and which share
of its entities some neighbour has with the same surface and label. Time: the index over a store of so many
documents, each a train sentence with a number, read from the store as the app does it; seconds of processor
time, since the machine may have other work. PageRank: networkx against the project's own on one graph.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
import tracemalloc
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import networkx

from app.services.indexes.labelled_sentences import LabelledSentences
from core.formats import read_file
from core.learning.active_learning.textrank import pagerank
from core.lexicon import Lexicon
from core.lexicon.maximum_matching import segment
from core.retrieval import Bm25Index, Term, bigrams
from core.retrieval.sentence_graph import key_sentences, similarity_graph
from core.store.db.workspace import Workspace
from core.store.document import documents
from core.store.project import projects
from core.text import Document, Span

NEIGHBOURS = 5
FRESH = 100  # documents that come later
GRAPHS = (300, 3_000, 20_000)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the three tables."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=Path, help="folder of train and dev .char.bmes")
    parser.add_argument("--documents", type=int, default=50_000, help="of the store (default 50,000)")
    parser.add_argument("--queries", type=int, default=200, help="asked (default 200)")
    args = parser.parse_args(arguments)
    train, dev = (list(read_file(args.folder / f"{part}.char.bmes").documents) for part in ("train", "dev"))
    quality(train, dev)
    print()
    with tempfile.TemporaryDirectory() as folder:
        speed(Path(folder), train, dev, args.documents, args.queries)
    print()
    ranks(train)
    return 0


def quality(train: Sequence[Document], dev: Sequence[Document]) -> None:
    lexicon = Lexicon.jieba()
    asked = [document for document in dev if document.spans]
    print(f"{len(asked)} labelled dev sentences, {NEIGHBOURS} neighbours each of {len(train)} in train")
    print("terms                                   same labels   same surface and label")
    for name, cut in (
        ("pairs of characters", bigrams),
        ("pairs and single characters", _with_characters),
        ("words, maximum matching (jieba's)", _segmented(lexicon)),
        ("all words and characters (jieba's)", _matched(lexicon)),
    ):
        index: Bm25Index[int] = Bm25Index(cut)
        for number, document in enumerate(train):
            index.add(number, document.text)
        index.apply_pending()
        alike, known = [], []
        for document in asked:
            found = [train[hit.key] for hit in index.search(document.text, NEIGHBOURS)]
            labels = {span.label for span in document.spans}
            theirs = [{span.label for span in near.spans} for near in found]
            alike.append(sum(len(labels & other) / len(labels | other) for other in theirs) / NEIGHBOURS)
            seen = {(near.surface(span), span.label) for near in found for span in near.spans}
            known += [(document.surface(span), span.label) in seen for span in document.spans]
        shares = statistics.mean(alike), statistics.mean(known)
        print(f"{name:38}  {100 * shares[0]:9.1f} %   {100 * shares[1]:18.1f} %")


def speed(folder: Path, train: Sequence[Document], dev: Sequence[Document], count: int, queries: int) -> None:
    with Workspace.open(folder / "workspace") as workspace:
        project = projects.create(workspace, "many").id
        documents.add(workspace, project, (_numbered(train, number) for number in range(count)))
        index = LabelledSentences(workspace, project)
        tracemalloc.start()
        index.update()
        memory = tracemalloc.get_traced_memory()[0] / 2**20
        tracemalloc.stop()
        index, build = LabelledSentences(workspace, project), 0.0
        build = _seconds(index.update)
        documents.add(workspace, project, (_numbered(train, count + number) for number in range(FRESH)))
        later = _seconds(index.update)
        nothing = _seconds(index.update)
        times = []
        for at in range(queries):
            text = dev[at % len(dev)].text
            times.append(_seconds(partial(index.find, text, NEIGHBOURS, but=0, split="train")))
        print(f"{count:,} documents, {NEIGHBOURS} of them for each of {queries} questions; processor time")
        print(f"read and build            {build:8.2f} s")
        print(f"memory of the index       {memory:8.0f} MiB")
        print(f"{FRESH} more documents        {1000 * later:8.0f} ms")
        print(f"nothing new               {1000 * nothing:8.0f} ms")
        print(f"a question, median        {1000 * statistics.median(times):8.1f} ms")
        print(f"a question, 95th percent  {1000 * sorted(times)[int(0.95 * len(times))]:8.1f} ms")


def ranks(train: Sequence[Document]) -> None:
    print("PageRank, seconds          graph   our own   networkx: its graph   its ranks")
    for count in GRAPHS:
        texts = [_numbered(train, number).text for number in range(count)]
        start = time.process_time()
        graph = similarity_graph(texts)
        made = time.process_time() - start
        own = _seconds(partial(pagerank, graph))
        start = time.process_time()
        other = networkx.from_scipy_sparse_array(graph)
        built = time.process_time() - start
        theirs = _seconds(partial(networkx.pagerank, other, tol=1e-10, max_iter=200))
        print(f"{count:>6,} sentences        {made:8.2f}  {own:8.3f}  {built:20.2f}  {theirs:10.2f}")
    text = "".join(f"{_numbered(train, number).text}。" for number in range(10_000))[:100_000]
    print(f"key sentences of {len(text):,} characters: {_seconds(lambda: key_sentences(text)):.2f} s")


def _numbered(train: Sequence[Document], number: int) -> Document:
    """A train sentence that is said once: with a number before it, where the file has come to its end."""
    found, again = train[number % len(train)], number // len(train)
    head = f"{again}号，" if again else ""
    spans = [Span(span.start + len(head), span.end + len(head), span.label) for span in found.spans]
    # What is imported with a label counts as finished, so each has one.
    return Document(str(number), head + found.text, tuple(spans) or (Span(0, 1, "NAME"),))


def _seconds(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def _with_characters(text: str) -> list[Term]:
    return bigrams(text) + _characters(text)


def _characters(text: str) -> list[Term]:
    return [Term(letter, at, at + 1) for at, letter in enumerate(text) if letter.isalnum()]


def _segmented(lexicon: Lexicon) -> Callable[[str], list[Term]]:
    def cut(text: str) -> list[Term]:
        words = [(match.head, match.tail + 1) for match in lexicon.match(text)]
        pieces = segment(len(text), words)
        return [Term(text[a:b], a, b) for a, b in pieces if text[a:b].strip() and text[a].isalnum()]

    return cut


def _matched(lexicon: Lexicon) -> Callable[[str], list[Term]]:
    def cut(text: str) -> list[Term]:
        words = [Term(match.word, match.head, match.tail + 1) for match in lexicon.match(text)]
        return words + _characters(text)

    return cut


if __name__ == "__main__":
    sys.exit(main())
