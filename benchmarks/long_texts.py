"""Long texts: in pieces as long as the texts a tagger learned from, against windows of 400 characters.

    python -m benchmarks.long_texts --test FILE [--model DIR] [--split test dev] [--joiner " "] [--usual N]

First it says how many spans of the file the end of a sentence cuts; without a model, that alone. The test
documents are joined, in their order, to texts of 1,500 characters. F1 and characters a processor second on
one thread follow: of the documents by themselves, of the long texts in windows of 400, and of the long texts
as they are tagged. A tagger that does not know its length is given that of ``--usual``.
"""

from __future__ import annotations

import argparse
import sys
import time
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from pathlib import Path

import torch

from core.formats import read_file
from core.taggers.base.model_folder import load_tagger
from core.taggers.base.tagger import Tagger
from core.taggers.base.tagging import tag
from core.text import Document, Span
from core.text.scoring import score_documents
from core.text.segmentation import sentences

LONG = 1_500


def main(arguments: Sequence[str] | None = None) -> int:
    """Tag the documents in each of the three ways and print a line for each."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--model", type=Path)
    parser.add_argument("--test", type=Path, required=True)
    parser.add_argument("--split", nargs="*", help="only documents of these splits")
    parser.add_argument("--joiner", default="", help="between two documents")
    parser.add_argument("--characters", type=int, default=40_000, help="of test documents, at most")
    parser.add_argument("--usual", type=int, help="for a tagger that does not know its length")
    args = parser.parse_args(arguments)
    documents = [
        document
        for document in read_file(args.test).documents
        if not args.split or document.meta.get("split") in args.split
    ]
    spans = sum(len(document.spans) for document in documents)
    print(f"{spans:,} spans, the end of a sentence cuts {sum(map(cut, documents)):,}")
    if args.model is None:
        return 0
    torch.set_num_threads(1)
    tagger = load_tagger(args.model)
    usual = tagger.usual_length or args.usual
    documents = list(_some(documents, args.characters))
    texts = list(joined(documents, args.joiner))
    spans = sum(len(document.spans) for document in documents)
    print(f"{tagger.name}: {len(documents)} documents, {spans:,} spans; in {len(texts)} texts; usual {usual}")
    for what, length, given in (
        ("documents", usual, documents),
        ("windows of 400", None, texts),
        ("usual length", usual, texts),
    ):
        tagger.usual_length = length
        f1, speed = measured(tagger, given)
        print(f"{what:<16}F1 {f1:>6.2f}{speed:>9,.0f} characters a processor second", flush=True)
    return 0


def cut(document: Document) -> int:
    """How many spans have the end of a sentence inside."""
    ends = [end for _, end in sentences(document.text)]
    return sum(bisect_right(ends, span.start) < bisect_left(ends, span.end) for span in document.spans)


def _some(documents: Iterable[Document], most: int) -> Iterable[Document]:
    characters = 0
    for document in documents:
        characters += len(document.text)
        if characters > most:
            return
        yield document


def joined(documents: Iterable[Document], joiner: str) -> Iterable[Document]:
    """The documents end to end, in texts of a little more than ``LONG`` characters."""
    text, spans = "", list[Span]()
    for document in documents:
        spans += [Span(s.start + len(text), s.end + len(text), s.label) for s in document.spans]
        text += document.text + joiner
        if len(text) > LONG:
            yield Document("", text, tuple(spans))
            text, spans = "", []
    if text:
        yield Document("", text, tuple(spans))


def measured(tagger: Tagger, documents: Sequence[Document]) -> tuple[float, float]:
    """F1 in percent, and characters a processor second."""
    bare = [document.with_spans(()) for document in documents]
    tag(tagger, bare[:1])  # what is made once for all texts
    start = time.process_time()
    tagged = tag(tagger, bare)
    seconds = time.process_time() - start
    f1 = score_documents(documents, tagged).micro.f1
    return 100 * f1, sum(len(d.text) for d in documents) / seconds


if __name__ == "__main__":
    sys.exit(main())
