"""``python -m core train``: from labelled files to a run folder with a trained model."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from core.commands.arguments.corpus_files import add_format, say
from core.commands.arguments.label_descriptions import read_descriptions
from core.commands.arguments.set_argument import add_set, assignments
from core.commands.runs.arguments import add_documents, add_folder, add_lexicon
from core.commands.runs.beginning import (
    WordList,
    begin_with,
    begun_otherwise,
    check_device,
    check_new,
    find_run,
    go_on,
    read_parts,
    split_settings,
    write_run,
)
from core.commands.runs.engine import add_engine, device_of, engine, group_of, in_request
from core.commands.runs.following import follow
from core.commands.runs.tagger_help import TaggerHelp
from core.commands.terminal.errors import CommandError
from core.commands.terminal.stop_signals import stop_on_signals
from core.text import LabelSet
from core.training.launch import is_main
from core.training.run.errors import TrainingError
from core.training.run.run_folder import RunFolder
from core.training.run.run_request import RunRequest

if TYPE_CHECKING:
    from core.cluster.options import WorkerGroup
    from core.text import Document

LABELLED = ("train", "dev", "test")
# From the documents by part: the teacher as in the request, and texts that it has answered on.
Teach = Callable[[Mapping[str, "tuple[Document, ...]"]], tuple[Mapping[str, Any], "Sequence[Document]"]]
DEFAULT_TAGGER = "flat"


def add_parser(subparsers: Any) -> None:
    """Add ``train``."""
    parser = subparsers.add_parser(
        "train",
        help="train a tagger on labelled documents",
        description="Train a tagger and print one JSON object with its dev and test scores. --out becomes a "
        "run folder: give it to tag and evaluate as --model.",
        add_help=False,
    )
    parser.add_argument("-h", "--help", action=TaggerHelp, default=DEFAULT_TAGGER)
    parser.add_argument(
        "--tagger", default=None, metavar="NAME", help=f"registered name; {DEFAULT_TAGGER} when left out"
    )
    add_documents(parser)
    parser.add_argument(
        "--unlabelled",
        metavar="FILE",
        help="texts to learn from without labels (VAT, word counts); spans in it are not read, texts of "
        "--dev and --test are left out",
    )
    add_folder(parser)
    add_lexicon(parser)
    parser.add_argument(
        "--descriptions", metavar="FILE", help="JSON object of labels and their guidelines, for mrc"
    )
    add_format(parser)
    add_set(parser, "a training setting or a field of the tagger's config")
    add_engine(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> Mapping[str, Any] | Sequence[Mapping[str, Any]]:
    """Train to the end and return the scores.

    Of several processes launched by accelerate, only the main one writes the folder and returns scores.
    """
    folder = RunFolder(args.out)
    if not is_main():
        return _join_training(folder)
    group = _workers(folder, args)
    with engine(group, args.out):
        if args.resume:
            resume(folder, args, group)
        else:
            begin(folder, args, args.tagger or DEFAULT_TAGGER, group=group)
        return follow(folder, "train")


def _workers(folder: RunFolder, args: argparse.Namespace) -> WorkerGroup | None:
    """The workers that were asked for, which the tagger must be able to share.

    Raises:
        CommandError, Told: a number is out of range, or the tagger cannot be trained by several.
    """
    from core.taggers.base.registry import by_name

    threads = assignments(args).get("threads", 0)
    tagger = args.tagger or DEFAULT_TAGGER
    if args.resume:
        request = find_run(folder, args.out)
        tagger, threads = request.tagger, request.settings.get("threads", 0)
    group = group_of(args, int(threads) if str(threads).isdecimal() else 0)
    if group is not None and group.workers > 1 and not by_name(tagger).needs_training:
        raise CommandError(
            f"--workers {group.workers}: {tagger} learns nothing in steps that workers could share; "
            "leave --engine ray out"
        )
    return group


def begin(
    folder: RunFolder,
    args: argparse.Namespace,
    tagger: str,
    teach: Teach | None = None,
    group: WorkerGroup | None = None,
    self_training: Mapping[str, Any] | None = None,
) -> None:
    """Write the run folder: request and snapshot.

    Args:
        args: as ``train`` and ``distil`` parse them. teach: what a teacher adds; None without a teacher.
        group: workers that share the training. self_training: as in the request; None without it.

    Raises:
        CommandError, TrainingError: something does not fit; nothing was written.
    """
    from core.corpus.snapshot import TAUGHT, Snapshot

    if not args.train:
        raise CommandError("--train FILE is needed (or --resume to go on with the run in --out)")
    check_new(folder, args.out)
    begin_with(tagger, assignments(args))  # what does not fit is said before documents are read
    lexicon = WordList(args.lexicon)
    labels = read_descriptions(args.descriptions) if args.descriptions else LabelSet()
    check_device(args.device)
    parts, notes = read_parts(args, LABELLED, args.unlabelled)
    blank = [part for part in LABELLED if part in parts and not any(each.spans for each in parts[part])]
    if "train" in blank:
        raise CommandError(f"{args.train}: there is nothing to learn, no document of it has a labelled span")
    config, settings = begin_with(tagger, assignments(args), len(parts["train"]))
    say(notes)
    if "epochs" in settings.keys() - assignments(args).keys():
        documents = len(parts["train"])
        say([f"{settings['epochs']} epochs, as many as {documents} documents need; or give --epochs N"])
    for part in blank:
        say([f"{getattr(args, part)}: no document has a labelled span, so every score on it is 0"])
    teacher, taught = teach(parts) if teach else ({}, ())
    if taught:
        parts[TAUGHT] = tuple(taught)
    request = RunRequest(
        tagger=tagger,
        config=config,
        settings=settings,
        device=device_of(args, group) or "auto",
        lexicon=lexicon.name,
        predict_all=False,
        teacher=teacher,
        self_training=self_training or {},
        cluster=in_request(group),
    )
    write_run(folder, args.out, Snapshot(parts, labels), request, lexicon.write)


def resume(folder: RunFolder, args: argparse.Namespace, group: WorkerGroup | None = None) -> None:
    """Check that the options match the run; only the device and the workers may change.

    Raises:
        CommandError: there is no run, or it was begun with other options.
    """
    request = find_run(folder, args.out)
    if args.tagger and args.tagger != request.tagger:
        raise CommandError(f"the run in {args.out} trains {request.tagger}, not {args.tagger}")
    config, settings = split_settings(request.tagger, assignments(args))
    for name, value in {**config, **settings}.items():
        stored = {**request.config, **request.settings}.get(name)
        if stored != value:
            was = "its default" if stored is None else stored
            raise begun_otherwise(args.out, name, was, value)
    go_on(folder, replace(request, cluster=in_request(group)), device_of(args, group))


def _join_training(folder: RunFolder) -> Sequence[Mapping[str, Any]]:
    """Take part in the main process's training; only that process prints and writes."""
    from core.training.run.run import execute_training
    from core.training.stopping import Stopped

    with stop_on_signals() as stopped:
        try:
            execute_training(folder, lambda event: None, stopped)
        except (Stopped, TrainingError):
            raise SystemExit(1) from None  # the main process reports it
    return ()
