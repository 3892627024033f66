"""``python -m core key-sentences``: the sentences of a long text that most others resemble."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from core.commands.arguments.corpus_files import add_format, check_file, read_corpus, say
from core.commands.terminal.errors import CommandError
from core.text import Document

MOST = 1000
PLAIN = ".txt"


def add_parser(subparsers: Any) -> None:
    """Add ``key-sentences``."""
    parser = subparsers.add_parser(
        "key-sentences",
        help="find the sentences of a long text that tell most of it",
        description="Rank the sentences of a text by TextRank and print one JSON object a sentence, the "
        "highest rank first: document, start, end, text, rank. A rank of 1 is an average sentence's. A .txt "
        "file is one text; in other formats every document is.",
    )
    parser.add_argument("--text", required=True, metavar="FILE", help="the text, or documents")
    parser.add_argument(
        "--count", type=int, metavar="N", help="sentences of a text; else one in ten, from 3 to 10"
    )
    add_format(parser, "the file")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """One object for every key sentence of every text."""
    from core.retrieval.sentence_graph import LONG, key_sentences

    if args.count is not None and not 1 <= args.count <= MOST:
        raise CommandError(f"--count {args.count}: expected 1 to {MOST}")
    printed = 0
    for document in _documents(args):
        for row in key_sentences(document.text, args.count):
            printed += 1
            yield {
                "document": document.id,
                "start": row.start,
                "end": row.end,
                "text": document.text[row.start : row.end],
                "rank": round(row.rank, 3),
            }
    if not printed:
        say(
            [
                f"{args.text}: no text has {LONG} sentences that share anything; "
                "shorter ones are read as a whole"
            ]
        )


def _documents(args: argparse.Namespace) -> list[Document]:
    if args.format is None and Path(args.text).suffix.lower() == PLAIN:
        check_file(args.text)
        try:
            return [Document(Path(args.text).name, Path(args.text).read_text(encoding="utf-8-sig"))]
        except (OSError, UnicodeDecodeError) as error:
            raise CommandError(f"{args.text} is no UTF-8 text ({error}); save it as UTF-8") from error
    corpus = read_corpus(args.text, args.format)
    say(corpus.notes)
    return corpus.documents
