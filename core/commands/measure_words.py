"""``python -m core lexicon measure``: a word list against labelled documents."""

from __future__ import annotations

import argparse
from typing import Any

from core.commands.arguments.corpus_files import add_format, read_corpus, say
from core.commands.arguments.typed_list import typed_words
from core.learning.distant import AMBIGUOUS, DictionaryMeasure, TypedWords, measure
from core.learning.distant.measure import MatchCounts
from core.lexicon.maximum_matching import DIRECTIONS

MOST = 20


def add_action(actions: Any) -> None:
    """Add ``measure`` to the actions of ``lexicon``."""
    parser: argparse.ArgumentParser = actions.add_parser(
        "measure",
        help="coverage and precision of a typed word list against labels",
        description="Print what a word list covers of labelled documents, and precision, recall and F1 of "
        "maximum matching in every direction.",
    )
    parser.add_argument("--dictionary", required=True, metavar="FILE", help="word list with types")
    parser.add_argument("--type", default="", metavar="LABEL", help="of the words without one")
    parser.add_argument("--labelled", required=True, metavar="FILE", help="documents people labelled")
    add_format(parser, "the documents")
    parser.add_argument(
        "--ambiguous", choices=AMBIGUOUS, default=AMBIGUOUS[0],
        help="what a word of two types counts as; skip when left out",
    )  # fmt: skip
    parser.add_argument(
        "--most", type=int, default=MOST, metavar="N", help=f"bad and missing words to print; {MOST}"
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> dict[str, Any]:
    """The measure."""
    words = TypedWords(typed_words(args.dictionary, args.type))
    corpus = read_corpus(args.labelled, args.format)
    say(corpus.notes)
    result = measure(corpus.documents, words, ambiguous=args.ambiguous)
    return {
        "documents": result.documents,
        "words": len(words),
        "words_of_two_types": len(words.conflicts),
        "coverage": {
            label: {
                "occurrences": counts.occurrences, "held": counts.held, "held_otherwise": counts.other,
                "surfaces": counts.surfaces, "held_surfaces": counts.held_surfaces,
            }
            for label, counts in result.coverage.items()
        },
        "matching": {direction: _direction(result, direction) for direction in DIRECTIONS},
        "worst": [
            {"word": word, "type": kind, **_counts(n)}
            for word, kind, n in result.worst("bidirectional", max(0, args.most))
        ],
        "missing": [
            {"word": word, "type": kind, "count": times}
            for (word, kind), times in list(result.missing.items())[: max(0, args.most)]
        ],
    }  # fmt: skip


def _direction(result: DictionaryMeasure, direction: Any) -> dict[str, Any]:
    scores = result.scores[direction]
    return {
        "micro": scores[""].to_json() if scores else None,
        "per_label": {label: score.to_json() for label, score in scores.items() if label},
        "matches": {kind: _counts(counts) for kind, counts in result.matches[direction].items()},
    }


def _counts(counts: MatchCounts) -> dict[str, int]:
    return {"right": counts.right, "otherwise": counts.otherwise, "unlabelled": counts.unlabelled}
