"""``python -m core lexicon discover``: words of raw text that a dictionary does not hold yet."""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from core.commands.arguments.corpus_files import add_format, read_corpus, say
from core.commands.arguments.typed_list import read_words
from core.commands.terminal.errors import CommandError
from core.commands.terminal.progress_line import ProgressLine
from core.lexicon import Lexicon
from core.lexicon.discovery import NewWord, Thresholds, new_words
from core.lexicon.discovery.contexts import Context, contexts

MOST = 200


def add_action(actions: Any) -> None:
    """Add ``discover`` to the actions of ``lexicon``."""
    usual = Thresholds()
    parser: argparse.ArgumentParser = actions.add_parser(
        "discover",
        help="new words in raw text",
        description="Print candidates, the best first: how often, cohesion (pointwise mutual information at "
        "the weakest split) and the entropy of what stands before and after, both in bits.",
    )
    parser.add_argument(
        "--text", required=True, metavar="FILE", help="raw texts in any format; labels are not read"
    )
    add_format(parser, "the text")
    parser.add_argument(
        "--known",
        action="append",
        default=[],
        metavar="FILE",
        help="leave out the words of this list; may repeat",
    )
    parser.add_argument("--all", action="store_true", help="do not leave out the words of jieba's dictionary")
    parser.add_argument(
        "--count", type=int, default=usual.count, metavar="N", help=f"least occurrences; {usual.count}"
    )
    parser.add_argument(
        "--cohesion",
        type=float,
        default=usual.cohesion,
        metavar="BITS",
        help=f"least cohesion; {usual.cohesion:g}",
    )
    parser.add_argument(
        "--freedom",
        type=float,
        default=usual.freedom,
        metavar="BITS",
        help=f"least freedom; {usual.freedom:g}",
    )
    parser.add_argument(
        "--longest", type=int, default=usual.longest, metavar="N",
        help=f"characters, or words of an alphabetic script; {usual.longest}",
    )  # fmt: skip
    parser.add_argument("--most", type=int, default=MOST, metavar="N", help=f"how many to print; {MOST}")
    parser.add_argument(
        "--out", metavar="FILE", help="write all of them as a word list: word, tab, frequency"
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> dict[str, Any]:
    """The candidates."""
    try:
        thresholds = Thresholds(args.count, args.cohesion, args.freedom, args.longest)
    except ValueError as error:
        raise CommandError(str(error)) from error
    if args.most < 0:
        raise CommandError(f"--most must be 0 or more, got {args.most}")
    excluded = {entry.word for path in args.known for entry in read_words(path)}
    if not args.all:
        excluded.update(entry.word for entry in Lexicon.jieba())
    corpus = read_corpus(args.text, args.format)
    say(corpus.notes)
    line, began = ProgressLine(), time.monotonic()

    def report(share: float) -> None:
        spent = time.monotonic() - began
        line.show("counting", share, spent * (1 - share) / share if share else None)

    texts = (document.text for document in corpus.documents)
    words = new_words(texts, thresholds, excluded=excluded, progress=report)
    line.clear()
    if args.out:
        _write(Path(args.out), words)
    shown = words[: args.most]
    places = contexts(corpus.documents, [word.surface for word in shown])
    return {
        "documents": len(corpus.documents),
        "characters": sum(len(document.text) for document in corpus.documents),
        "candidates": len(words),
        "words": [
            {
                "word": word.surface, "count": word.count, "documents": places[word.surface].documents,
                "cohesion": round(word.cohesion, 3), "left_entropy": round(word.left_entropy, 3),
                "right_entropy": round(word.right_entropy, 3),
                "contexts": list(_shown(word.surface, places[word.surface].contexts)),
            }
            for word in shown
        ],
    }  # fmt: skip


def _shown(surface: str, places: list[Context]) -> Iterator[str]:
    return (f"{place.before}[{surface}]{place.after}" for place in places)


def _write(path: Path, words: list[NewWord]) -> None:
    lines = "".join(f"{word.surface}\t{word.count}\n" for word in words)
    try:
        path.write_text(lines, encoding="utf-8")
    except OSError as error:
        raise CommandError(f"{path} cannot be written: {error.strerror or error}") from error
