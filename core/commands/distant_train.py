"""``python -m core distant-train``: from a typed word list and raw text to a run folder with a tagger."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from core.commands.arguments.corpus_files import add_format, say
from core.commands.arguments.set_argument import add_set, assignments
from core.commands.runs.arguments import add_folder, add_test
from core.commands.runs.beginning import (
    check_new,
    check_training,
    find_run,
    go_on,
    read_parts,
    split_settings,
    write_run,
)
from core.commands.runs.following import follow
from core.commands.runs.tagger_help import TaggerHelp
from core.commands.terminal.errors import CommandError
from core.lexicon import Entry, LexiconError, read_word_list
from core.training.run.run_folder import RunFolder
from core.training.run.run_request import RunRequest


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
    parser.add_argument(
        "--labelled", dest="train", metavar="FILE", help="documents people labelled, in whole or in part"
    )
    parser.add_argument("--dev", metavar="FILE", help="scored at the end; chooses the epoch with stop=dev")
    add_test(parser)
    add_folder(parser)
    parser.add_argument("--tagger", default="pu", metavar="NAME", help="registered name; pu when left out")
    parser.add_argument("--method", default=None, metavar="NAME", help="same as --set method=NAME")
    add_format(parser, "the labelled files")
    add_set(parser, "a field of the method, of the training or of the tagger's config")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> Mapping[str, Any]:
    """Train to the end and return the scores."""
    folder = RunFolder(args.out)
    if args.resume:
        go_on(folder, find_run(folder, args.out, "distant", "such run"), args.device)
    else:
        _begin(folder, args)
    return follow(folder, "distant-train")


def _begin(folder: RunFolder, args: argparse.Namespace) -> None:
    """Write the run folder: request, snapshot, words."""
    from core.corpus.snapshot import Snapshot
    from core.learning.pu.corpus import write_typed_words

    if not args.words or not (args.texts or args.train):
        raise CommandError("--words FILE and --texts FILE are needed (or --resume to go on with --out)")
    check_new(folder, args.out)
    distant, config, settings = _split(args)
    words = [entry for given in args.words for entry in _words(given)]
    request = RunRequest(
        kind="distant",
        tagger=args.tagger,
        config=config,
        settings=settings,
        device=args.device or "auto",
        distant=distant,
    )
    parts, notes = read_parts(args, ("train", "dev", "test"), args.texts)
    say(notes)
    write_run(folder, args.out, Snapshot(parts), request, lambda beside: write_typed_words(beside, words))


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
