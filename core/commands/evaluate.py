"""``python -m core evaluate``: a model's scores on labelled documents."""

from __future__ import annotations

import argparse
from typing import Any

from core.commands.arguments.corpus_files import add_format, check_corpus, read_corpus, say
from core.commands.arguments.model_argument import load_model


def add_parser(subparsers: Any) -> None:
    """Add ``evaluate``."""
    parser = subparsers.add_parser(
        "evaluate",
        help="score a trained model on labelled documents",
        description="Print micro and per-label precision, recall and F1 over exact spans as one JSON object.",
    )
    parser.add_argument("--model", required=True, metavar="DIR", help="run folder or model folder")
    parser.add_argument("--data", required=True, metavar="FILE", help="labelled documents")
    add_format(parser, "the file")
    parser.add_argument("--device", default="auto", help="auto (default), cpu, cuda or mps")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> dict[str, Any]:
    """The scores; every document of the file counts."""
    check_corpus(args.data)
    tagger = load_model(args.model, args.device)
    documents, notes = read_corpus(args.data, args.format)
    say(notes)
    from core.training.evaluation import evaluate, scores_to_json

    return scores_to_json(evaluate(tagger, documents))
