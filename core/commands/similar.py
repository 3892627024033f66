"""``python -m core similar``: the sentences of a file that are most like a text."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Any

from core.commands.arguments.corpus_files import add_format, read_corpus, say
from core.commands.terminal.errors import CommandError

MOST = 1000


def add_parser(subparsers: Any) -> None:
    """Add ``similar``."""
    parser = subparsers.add_parser(
        "similar",
        help="find the sentences of a file that are most like a text",
        description="Rank the sentences of a file by what they share with a text (BM25 over pairs of "
        "characters, and words of alphabetic scripts) and print one JSON object a sentence, the best first: "
        "document, start, end, text, score, spans.",
    )
    parser.add_argument("--text", required=True, metavar="FILE", help="documents to look in")
    parser.add_argument("--query", required=True, metavar="TEXT", help="what the sentences should be like")
    parser.add_argument("--count", type=int, default=5, metavar="N", help="most sentences (default 5)")
    add_format(parser, "the file")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """One object for every sentence found."""
    from core.retrieval import Bm25Index, bigrams
    from core.text.segmentation import sentences

    if not 1 <= args.count <= MOST:
        raise CommandError(f"--count {args.count}: expected 1 to {MOST}")
    if not bigrams(args.query):
        raise CommandError("--query has no letter or digit; give a few words or characters")
    corpus = read_corpus(args.text, args.format)
    say(corpus.notes)
    index: Bm25Index[tuple[int, int, int]] = Bm25Index()
    for number, document in enumerate(corpus.documents):
        for start, end in sentences(document.text):
            index.add((number, start, end), document.text[start:end])
    index.apply_pending()
    results = index.search(args.query, args.count)
    if not results:
        say([f"{args.text}: no sentence shares anything with the query"])
    for (number, start, end), score in results:
        document = corpus.documents[number]
        spans = [span for span in document.spans if start <= span.start and span.end <= end]
        yield {
            "document": document.id,
            "start": start,
            "end": end,
            "text": document.text[start:end],
            "score": round(score, 4),
            "spans": [[span.start - start, span.end - start, span.label] for span in spans],
        }
