"""``python -m core distant``: label raw text with a typed word list."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from core.commands.arguments.corpus_files import add_format, format_of, read_corpus, say
from core.commands.arguments.typed_list import typed_words
from core.commands.terminal.errors import CommandError
from core.formats import FormatError, write_file
from core.learning.distant import AMBIGUOUS, TypedWords, distant_corpus
from core.lexicon.maximum_matching import DIRECTIONS
from core.text import Document

_EVERY = 5000


def add_parser(subparsers: Any) -> None:
    """Add ``distant``."""
    parser: argparse.ArgumentParser = subparsers.add_parser(
        "distant",
        help="label raw text with a typed word list by maximum matching",
        description="Write the documents with the labels their words get, and print how many. In jsonl every "
        "label keeps its source (meta.sources), and what has no label is unknown (meta.annotated_regions).",
    )
    parser.add_argument("--text", required=True, metavar="FILE", help="raw texts; labels in it are not read")
    parser.add_argument("--dictionary", required=True, metavar="FILE", help="word list with types")
    parser.add_argument(
        "--out", required=True, metavar="FILE", help="the file to write; one that is there is replaced"
    )
    parser.add_argument("--type", default="", metavar="LABEL", help="of the words without one")
    add_format(parser, "the text")
    parser.add_argument("--to", dest="target_format", metavar="NAME", help="format of OUT; from its ending")
    parser.add_argument(
        "--direction", choices=DIRECTIONS, default="bidirectional", help="bidirectional when left out"
    )
    parser.add_argument(
        "--ambiguous", choices=AMBIGUOUS, default=AMBIGUOUS[0],
        help="what a word of two types gets; skip when left out: no label",
    )  # fmt: skip
    parser.add_argument("--complete", action="store_true", help="what has no label is no entity, not unknown")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> dict[str, Any]:
    """Label; the counts."""
    target = Path(args.out)
    if target.exists() and any(
        Path(path).exists() and target.samefile(path) for path in (args.text, args.dictionary)
    ):
        raise CommandError(f"{target} is both what to read and what to write; name another file")
    words = TypedWords(typed_words(args.dictionary, args.type), source=Path(args.dictionary).name)
    corpus = read_corpus(args.text, args.format)
    target_format = args.target_format or format_of(target)
    counts: Counter[str] = Counter()
    labelled = distant_corpus(
        corpus.documents, words, args.direction, ambiguous=args.ambiguous, partial=not args.complete
    )
    try:
        lost = write_file(_counted(labelled, counts), target, target_format)
    except (FormatError, OSError) as error:
        raise CommandError(str(error)) from error
    say(corpus.notes)
    documents = counts.pop("", 0)
    return {
        "documents": len(corpus.documents),
        "labelled_documents": documents,
        "spans": sum(counts.values()),
        "labels": dict(counts.most_common()),
        "words": len(words),
        "words_of_two_types": len(words.conflicts),
        "direction": args.direction,
        "to": target_format,
        "lost": lost,
    }


def _counted(source: Iterable[Document], counts: Counter[str]) -> Iterator[Document]:
    """The same documents, counting their labels; "" counts the documents with a label."""
    for number, document in enumerate(source, start=1):
        counts.update(span.label for span in document.spans)
        counts[""] += bool(document.spans)
        if number % _EVERY == 0:
            print(f"{number} documents", file=sys.stderr)
        yield document
