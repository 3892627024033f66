"""``python -m core ensemble``: several trained runs as one run that averages their probabilities."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import Any

from core.commands.arguments.corpus_files import add_format, say
from core.commands.arguments.model_argument import model_path
from core.commands.runs.arguments import add_folder, add_test
from core.commands.runs.beginning import check_device, check_new, find_run, go_on, read_parts, write_run
from core.commands.runs.following import follow
from core.commands.terminal.errors import CommandError
from core.training.run.run_folder import RunFolder
from core.training.run.run_request import RunRequest


def add_parser(subparsers: Any) -> None:
    """Add ``ensemble``."""
    parser = subparsers.add_parser(
        "ensemble",
        help="make one run of several trained ones, which averages their probabilities",
        description="Average the probabilities of trained runs, of tags or of spans, and print one JSON "
        "object with the dev and test scores. --out becomes a run folder that holds copies of the members: "
        "give it to tag and evaluate as --model.",
    )
    parser.add_argument(
        "--model",
        action="append",
        metavar="DIR",
        help="run folder or model folder of a member; repeat it for each, at least two",
    )
    parser.add_argument("--dev", metavar="FILE", help="calibrate the confidence on these, and score them")
    add_test(parser)
    add_folder(parser, resume="go on with the run in --out, same members")
    add_format(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> Mapping[str, Any]:
    """Make the ensemble and return its scores."""
    folder = RunFolder(args.out)
    if args.resume:
        go_on(folder, find_run(folder, args.out, "ensemble", "ensemble"), args.device)
    else:
        _begin(folder, args)
    return follow(folder, "ensemble")


def _begin(folder: RunFolder, args: argparse.Namespace) -> None:
    """Write the run folder: request and snapshot."""
    from core.corpus.snapshot import Snapshot
    from core.taggers.ensemble.agreement import check_agreement

    if not args.model:
        raise CommandError("--model DIR is needed, once for each member (or --resume to go on with --out)")
    check_new(folder, args.out)
    check_device(args.device)
    models = [model_path(each).resolve() for each in args.model]
    check_agreement(models)
    request = RunRequest(
        kind="ensemble",
        tagger="ensemble",
        config={"members": len(models)},
        device=args.device or "auto",
        models=[str(model) for model in models],
        predict_all=False,
    )
    parts, notes = read_parts(args, ("dev", "test"))
    say(notes)
    write_run(folder, args.out, Snapshot(parts), request)
