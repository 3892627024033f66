"""``python -m core distant-train``: from a typed word list and raw text to a run folder with a tagger."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from core.commands.arguments.corpus_files import add_format, read_corpus, say
from core.commands.arguments.set_argument import add_set, assignments
from core.commands.tagger_help import TaggerHelp
from core.commands.terminal.errors import CommandError
from core.commands.train import check_training, split_settings
from core.commands.training_run import check_new, follow
from core.lexicon import Entry, LexiconError, read_word_list
from core.training.run.errors import TrainingError
from core.training.run.run_folder import RunFolder
from core.training.run.run_request import DEVICES, RunRequest


def add_parser(subparsers: Any) -> None:
    """Add ``distant-train``."""
    parser = subparsers.add_parser(
        "distant-train",
        help="train a tagger from a typed word list and raw text, without labels",
        description="Train a tagger from words of known type and texts nobody has labelled, and print one "
        "JSON object: matches and prior of each type, scores where --dev or --test have labels. --out "
        "becomes a run folder: give it to tag and evaluate as --model.",
        add_help=False,
    )
    parser.add_argument("-h", "--help", action=TaggerHelp, default="pu")
    parser.add_argument(
        "--words",
        action="append",
        default=[],
        metavar="[TYPE=]FILE",
        help="word list with types, or TYPE=FILE to give all its words one; may be repeated",
    )
    parser.add_argument("--texts", metavar="FILE", help="raw texts; spans in it are not read")
    parser.add_argument("--labelled", metavar="FILE", help="documents people labelled, in whole or in part")
    parser.add_argument("--dev", metavar="FILE", help="scored at the end; chooses the epoch with stop=dev")
    parser.add_argument("--test", metavar="FILE", help="scored once, at the end")
    parser.add_argument("--out", required=True, metavar="DIR", help="run folder to write")
    parser.add_argument("--resume", action="store_true", help="go on with the run in --out")
    parser.add_argument("--tagger", default="pu", metavar="NAME", help="registered name; pu when left out")
    parser.add_argument("--method", default=None, metavar="NAME", help="same as --set method=NAME")
    parser.add_argument("--device", choices=DEVICES, default="auto", help="auto when left out")
    add_format(parser, "the labelled files")
    add_set(parser, "a field of the method, of the training or of the tagger's config")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> Mapping[str, Any]:
    """Train to the end and return the scores.

    Raises:
        CommandError: bad input, or the training cannot go on. Interrupted: stopped by the person.
    """
    folder = RunFolder(args.out)
    try:
        if not args.resume:
            _begin(folder, args)
        elif not folder.request_file.exists() or folder.read_request().kind != "distant":
            raise CommandError(f"{args.out} holds no such run to resume; leave out --resume to begin one")
        else:
            folder.cancel_file.unlink(missing_ok=True)
        return follow(folder, "distant-train")
    except TrainingError as error:
        raise CommandError(str(error)) from error


def _begin(folder: RunFolder, args: argparse.Namespace) -> None:
    """Write the run folder: request, snapshot, words."""
    from core.corpus.snapshot import UNLABELLED, Snapshot, write_snapshot
    from core.learning.pu.corpus import write_typed_words

    if not args.words or not (args.texts or args.labelled):
        raise CommandError("--words FILE and --texts FILE are needed (or --resume to go on with --out)")
    check_new(folder, args.out)
    distant, config, settings = _split(args)
    words = [entry for given in args.words for entry in _words(given)]
    files = {"train": args.labelled, "dev": args.dev, "test": args.test}
    corpora = {part: read_corpus(path, args.format) for part, path in files.items() if path}
    if args.texts:
        corpora[UNLABELLED] = read_corpus(args.texts)
    for corpus in corpora.values():
        say(corpus.notes)
    parts = {part: tuple(corpus.documents) for part, corpus in corpora.items()}
    parts[UNLABELLED] = tuple(document.with_spans(()) for document in parts.get(UNLABELLED, ()))
    try:
        write_snapshot(folder.snapshot, Snapshot(parts))
        write_typed_words(folder.snapshot, words)
    except OSError as error:
        raise CommandError(f"{args.out} cannot be written ({error.strerror}); name another folder") from error
    folder.write_request(
        RunRequest(
            kind="distant",
            tagger=args.tagger,
            config=config,
            settings=settings,
            device=args.device,
            distant=distant,
        )
    )


def _split(args: argparse.Namespace) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    """``--set`` values as those of the method, of the tagger's config and of the training."""
    from core.learning.pu.settings import DistantSettings
    from core.taggers.base.config_fields import config_fields
    from core.training.settings import typed_values

    given = assignments(args)
    if args.method is not None:
        given["method"] = args.method
    method_fields = {item.name for item in config_fields(DistantSettings)}
    distant = {name: value for name, value in given.items() if name in method_fields}
    DistantSettings.from_values(distant)
    rest = {name: value for name, value in given.items() if name not in method_fields}
    config, settings = split_settings(args.tagger, rest)
    check_training(args.tagger, config, settings)
    return typed_values(DistantSettings, distant), config, settings


def _words(given: str) -> list[Entry]:
    """The words of a list; those of ``TYPE=FILE`` all have the type.

    Raises:
        CommandError: it cannot be read, or a line of it cannot.
    """
    kind, equals, path = given.partition("=")
    if not equals or Path(given).exists():
        kind, path = "", given
    try:
        words = read_word_list(Path(path))
        if words.problems:
            raise CommandError(f"--words {path}: {words.problems[0]}")
        return [Entry(entry.word, entry.frequency, kind or entry.type) for entry in words.entries]
    except OSError as error:
        raise CommandError(f"--words {path}: {error.strerror}") from error
    except LexiconError as error:
        raise CommandError(f"--words {path}: {error}") from error
