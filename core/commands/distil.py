"""``python -m core distil``: a trained run teaches a smaller tagger."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import Any

from core.commands.arguments.corpus_files import add_format
from core.commands.arguments.model_argument import model_path
from core.commands.arguments.set_argument import add_set
from core.commands.runs.arguments import add_documents, add_folder, add_lexicon
from core.commands.runs.following import follow
from core.commands.terminal.errors import CommandError
from core.commands.train import begin, resume
from core.training.run.errors import TrainingError
from core.training.run.run_folder import RunFolder

DEFAULT_TAGGER = "bilstm_crf"


def add_parser(subparsers: Any) -> None:
    """Add ``distil``."""
    parser = subparsers.add_parser(
        "distil",
        help="train a small tagger on labelled documents and the predictions of a trained run",
        description="Train a tagger on labelled documents, and on the probabilities that a trained run or "
        "ensemble gives the tags of their texts and of raw texts. Prints one JSON object with its dev and "
        "test scores. --out becomes a run folder: give it to tag and evaluate as --model.",
    )
    parser.add_argument("--model", metavar="DIR", help="run folder or model folder of the teacher")
    parser.add_argument(
        "--tagger",
        default=None,
        metavar="NAME",
        help=f"of the student, one with a tag per unit; {DEFAULT_TAGGER} when left out",
    )
    add_documents(parser)
    parser.add_argument(
        "--raw",
        dest="unlabelled",
        metavar="FILE",
        help="raw texts, on which only the teacher's predictions are learned; spans in it are not read, "
        "texts of --dev and --test are left out",
    )
    parser.add_argument(
        "--share",
        type=float,
        metavar="S",
        help="share of the loss that comes from the teacher, 0 to 1; 0.5 when left out",
    )
    parser.add_argument(
        "--temperature",
        type=float,
        metavar="T",
        help="above 1 the less likely tags of the teacher count more; 1 when left out",
    )
    add_folder(parser)
    add_lexicon(parser)
    add_format(parser)
    add_set(parser, "a training setting or a field of the student's config")
    parser.set_defaults(run=run, descriptions=None)


def run(args: argparse.Namespace) -> Mapping[str, Any]:
    """Train the student to the end and return its scores.

    Raises:
        CommandError: bad input, or the training cannot go on. Interrupted: stopped by the person.
    """
    folder = RunFolder(args.out)
    try:
        if args.resume:
            resume(folder, args)
            _check_same(folder, args)
        else:
            begin(folder, args, args.tagger or DEFAULT_TAGGER, _teacher(args))
        return follow(folder, "distil")
    except TrainingError as error:
        raise CommandError(str(error)) from error


def _check_same(folder: RunFolder, args: argparse.Namespace) -> None:
    """Check that the teacher, its share and its temperature are those of the run."""
    stored = folder.read_request().teacher
    if not stored:
        raise CommandError(
            f"the run in {args.out} has no teacher; go on with: train --out {args.out} --resume"
        )
    given = {"share": args.share, "temperature": args.temperature}
    if args.model:
        given["model"] = str(model_path(args.model).resolve())
    for name, value in given.items():
        if value is not None and value != stored.get(name):
            raise CommandError(
                f"the run in {args.out} was begun with --{name} {stored.get(name)}, not {value}; leave it "
                "out to resume, or begin a new run in another folder"
            )


def _teacher(args: argparse.Namespace) -> dict[str, Any]:
    """The teacher as in the request, checked together with the student before anything is written.

    Raises:
        CommandError: there is no such model, or the student cannot learn from it.
        TrainingError: a value does not fit.
    """
    from core.taggers.base.model_folder import read_header
    from core.taggers.base.registry import UnknownTaggerError, by_name
    from core.taggers.base.tagger import ModelFolderError
    from core.training.distillation.preparation import check_student
    from core.training.distillation.settings import DistillationSettings

    if not args.model:
        raise CommandError("--model DIR is needed, the run that teaches (or --resume to go on with --out)")
    path = model_path(args.model).resolve()
    try:
        read_header(path)
        check_student(by_name(args.tagger or DEFAULT_TAGGER))
    except (ModelFolderError, UnknownTaggerError) as error:
        raise CommandError(str(error)) from error
    given = {"share": args.share, "temperature": args.temperature}
    chosen = {name: value for name, value in given.items() if value is not None}
    return DistillationSettings.from_values({"model": str(path), **chosen}).to_json()
