"""``python -m core ensemble``: several trained runs as one run that averages their probabilities."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import Any

from core.commands.arguments.corpus_files import add_format, read_corpus, say
from core.commands.arguments.model_argument import model_path
from core.commands.terminal.errors import CommandError
from core.commands.train import check_device
from core.commands.training_run import check_new, follow
from core.training.run.errors import TrainingError
from core.training.run.run_folder import RunFolder
from core.training.run.run_request import DEVICES, RunRequest


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
    parser.add_argument("--test", metavar="FILE", help="scored once, at the end")
    parser.add_argument("--out", required=True, metavar="DIR", help="run folder to write")
    parser.add_argument("--resume", action="store_true", help="go on with the run in --out, same members")
    parser.add_argument("--device", choices=DEVICES, default=None, help="auto when left out")
    add_format(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> Mapping[str, Any]:
    """Make the ensemble and return its scores.

    Raises:
        CommandError: bad input, or members that cannot be averaged. Interrupted: stopped by the person.
    """
    folder = RunFolder(args.out)
    try:
        if args.resume:
            if not folder.request_file.exists():
                raise CommandError(f"{args.out} holds no run to resume; leave out --resume to begin one")
            folder.cancel_file.unlink(missing_ok=True)
        else:
            _begin(folder, args)
        return follow(folder, "ensemble")
    except TrainingError as error:
        raise CommandError(str(error)) from error


def _begin(folder: RunFolder, args: argparse.Namespace) -> None:
    """Write the run folder: request and snapshot."""
    from core.corpus.snapshot import Snapshot, write_snapshot
    from core.taggers.base.tagger import ModelFolderError
    from core.taggers.ensemble.agreement import EnsembleError, check_agreement

    if not args.model:
        raise CommandError("--model DIR is needed, once for each member (or --resume to go on with --out)")
    check_new(folder, args.out)
    check_device(args.device)
    models = [model_path(each).resolve() for each in args.model]
    try:
        check_agreement(models)
    except (EnsembleError, ModelFolderError) as error:
        raise CommandError(str(error)) from error
    parts = {}
    for part in ("dev", "test"):
        path = getattr(args, part)
        if path:
            corpus = read_corpus(path, args.format)
            say(corpus.notes)
            parts[part] = tuple(corpus.documents)
    try:
        write_snapshot(folder.snapshot, Snapshot(parts))
    except OSError as error:
        raise CommandError(f"{args.out} cannot be written ({error.strerror}); name another folder") from error
    folder.write_request(
        RunRequest(
            kind="ensemble",
            tagger="ensemble",
            config={"members": len(models)},
            device=args.device or "auto",
            models=[str(model) for model in models],
            predict_all=False,
        )
    )
