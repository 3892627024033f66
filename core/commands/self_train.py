"""``python -m core self-train``: a tagger that also learns its own confident predictions on raw text."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import Any

from core.commands.arguments.corpus_files import add_format
from core.commands.arguments.set_argument import add_set
from core.commands.runs.arguments import add_documents, add_folder, add_lexicon
from core.commands.runs.beginning import begun_otherwise
from core.commands.runs.following import follow
from core.commands.terminal.errors import CommandError
from core.commands.train import begin, resume
from core.training.run.run_folder import RunFolder

DEFAULT_TAGGER = "bilstm_crf"
ROUNDS = 5


def add_parser(subparsers: Any) -> None:
    """Add ``self-train``."""
    parser = subparsers.add_parser(
        "self-train",
        help="train a tagger on labelled documents and on its own confident predictions on raw text",
        description="Train a tagger on labelled documents, let it predict raw texts, and train again with "
        "what it is sure of, until dev F1 no longer rises. Prints one JSON object with dev and test scores "
        "and what became of every round. --out becomes a run folder: give it to tag and evaluate as --model.",
    )
    parser.add_argument(
        "--tagger", default=None, metavar="NAME", help=f"registered name; {DEFAULT_TAGGER} when left out"
    )
    add_documents(parser)
    parser.add_argument(
        "--raw",
        dest="unlabelled",
        metavar="FILE",
        help="raw texts to predict; spans in it are not read, texts of the other files are left out",
    )
    parser.add_argument(
        "--rounds", type=int, metavar="N", help=f"at most so many further trainings; {ROUNDS} when left out"
    )
    parser.add_argument(
        "--confidence",
        type=float,
        metavar="C",
        help="spans are learned from this confidence on, 0 to 1; 0.9 when left out",
    )
    add_folder(parser)
    add_lexicon(parser)
    add_format(parser)
    add_set(parser, "a training setting or a field of the tagger's config")
    parser.set_defaults(run=run, descriptions=None)


def run(args: argparse.Namespace) -> Mapping[str, Any]:
    """Train to the end and return the scores."""
    folder = RunFolder(args.out)
    given = {"self_training_rounds": args.rounds, "self_training_confidence": args.confidence}
    chosen = {name: value for name, value in given.items() if value is not None}
    if args.resume:
        resume(folder, args)
        _check_same(folder, args, chosen)
    else:
        begin(folder, args, args.tagger or DEFAULT_TAGGER, self_training=_settings(args, chosen))
    return follow(folder, "self-train")


def _settings(args: argparse.Namespace, chosen: Mapping[str, Any]) -> dict[str, Any]:
    from core.learning.self_training.settings import SelfTrainingSettings

    if not args.unlabelled:
        raise CommandError("--raw FILE is needed, the texts to predict (or --resume to go on with --out)")
    settings = SelfTrainingSettings.from_values({"self_training_rounds": ROUNDS, **chosen})
    if not settings.self_training_rounds:
        raise CommandError("--rounds must be 1 or more; without a round it is the command train")
    return settings.to_json()


def _check_same(folder: RunFolder, args: argparse.Namespace, chosen: Mapping[str, Any]) -> None:
    """Check that the options are those of the run."""
    stored = folder.read_request().self_training
    if not stored:
        raise CommandError(
            f"the run in {args.out} is no self-training; go on with: train --out {args.out} --resume"
        )
    for name, value in chosen.items():
        if value != stored.get(name):
            option = name.removeprefix("self_training_")
            raise begun_otherwise(args.out, f"--{option}", stored.get(name), value)
