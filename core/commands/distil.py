"""``python -m core distil``: a trained run, or a source of suggestions, teaches a smaller tagger."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from core.commands.arguments.corpus_files import add_format
from core.commands.arguments.model_argument import model_path
from core.commands.arguments.set_argument import add_set
from core.commands.arguments.source_argument import add_cache, add_labels, add_source, source_settings
from core.commands.runs.arguments import add_documents, add_folder, add_lexicon
from core.commands.runs.beginning import begun_otherwise
from core.commands.runs.following import follow
from core.commands.runs.teaching import ask_source
from core.commands.terminal.errors import CommandError
from core.commands.train import Teach, begin, resume
from core.training.run.run_folder import RunFolder

if TYPE_CHECKING:
    from core.text import Document

DEFAULT_TAGGER = "bilstm_crf"


def add_parser(subparsers: Any) -> None:
    """Add ``distil``."""
    parser = subparsers.add_parser(
        "distil",
        help="train a small tagger on labelled documents and the predictions of a trained run or a source",
        description="Train a tagger on labelled documents, and on the probabilities that a trained run or "
        "ensemble gives the tags of their texts and of raw texts, or on what a source (LAC, spaCy, a Hugging "
        "Face model, a language model) says of raw texts. Prints one JSON object with its dev and "
        "test scores. --out becomes a run folder: give it to tag and evaluate as --model.",
    )
    parser.add_argument("--model", metavar="DIR", help="run folder or model folder of the teacher")
    add_source(parser, more=", that teaches in place of --model")
    add_labels(parser)
    add_cache(parser)
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
        help="raw texts, on which only what the teacher says is learned; spans in it are not read, "
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
    """Train the student to the end and return its scores."""
    folder = RunFolder(args.out)
    if args.resume:
        resume(folder, args)
        _check_same(folder, args)
    else:
        begin(folder, args, args.tagger or DEFAULT_TAGGER, _teacher(args))
    return follow(folder, "distil")


def _check_same(folder: RunFolder, args: argparse.Namespace) -> None:
    """Check that the teacher, its share and its temperature are those of the run."""
    stored = folder.read_request().teacher
    if not stored:
        raise CommandError(
            f"the run in {args.out} has no teacher; go on with: train --out {args.out} --resume"
        )
    given = _listening(args)
    if args.model:
        given["model"] = str(model_path(args.model).resolve())
    if args.source:
        given["source"] = source_settings(args.source).name
    for name, value in given.items():
        if value != stored.get(name):
            raise begun_otherwise(args.out, f"--{name}", stored.get(name), value)


def _teacher(args: argparse.Namespace) -> Teach:
    """What the teacher adds to a run; the student and what is known of the teacher are checked at once.

    Raises:
        CommandError, Told: there is no such model or source, or the student cannot learn from it.
        TrainingError: a value does not fit.
    """
    from core.taggers.base.registry import by_name
    from core.training.distillation.preparation import check_student

    if bool(args.model) == bool(args.source):
        raise CommandError(
            "one teacher is needed: --model DIR, a run, or --source SOURCE with --raw FILE (or --resume to "
            "go on with --out)"
        )
    check_student(by_name(args.tagger or DEFAULT_TAGGER))
    return _source(args) if args.source else _model(args)


def _model(args: argparse.Namespace) -> Teach:
    from core.taggers.base.model_folder import read_header
    from core.training.distillation.preparation import check_taught
    from core.training.distillation.settings import DistillationSettings

    path = model_path(args.model).resolve()
    read_header(path)
    teacher = DistillationSettings.from_values({"model": str(path), **_listening(args)}).to_json()

    def teach(parts: Mapping[str, tuple[Document, ...]]) -> tuple[Mapping[str, Any], Sequence[Document]]:
        check_taught(teacher, parts["train"])
        return teacher, ()

    return teach


def _source(args: argparse.Namespace) -> Teach:
    from core.training.distillation.settings import DistillationSettings

    if not args.unlabelled:
        raise CommandError("--source teaches on raw texts: give them with --raw FILE")
    settings = source_settings(args.source)
    listening = DistillationSettings.from_values({"source": settings.name, **_listening(args)})

    def teach(parts: Mapping[str, tuple[Document, ...]]) -> tuple[Mapping[str, Any], Sequence[Document]]:
        lesson = ask_source(args, settings, parts)
        return replace(listening, labels="\n".join(lesson.labels)).to_json(), lesson.answers

    return teach


def _listening(args: argparse.Namespace) -> dict[str, Any]:
    """How the teacher is listened to, where it is given."""
    given = {"share": args.share, "temperature": args.temperature}
    return {name: value for name, value in given.items() if value is not None}
