"""``python -m core train``: from labelled files to a run folder with a trained model."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from core.commands.arguments.corpus_files import add_format, read_corpus, say
from core.commands.arguments.label_descriptions import read_descriptions
from core.commands.arguments.set_argument import add_set, assignments
from core.commands.tagger_help import TaggerHelp
from core.commands.terminal.errors import CommandError
from core.commands.terminal.stop_signals import stop_on_signals
from core.commands.training_run import check_new, follow
from core.text import LabelSet
from core.training.launch import is_main
from core.training.run.errors import TrainingError
from core.training.run.run_folder import RunFolder
from core.training.run.run_request import DEVICES, RunRequest
from core.training.settings import TrainingSettings, typed_values

LEXICON_FILE = "base_lexicon.txt"
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
    parser.add_argument("--train", metavar="FILE", help="labelled documents to learn from")
    parser.add_argument(
        "--dev", metavar="FILE", help="choose the best epoch; else a tenth of --train is held out"
    )
    parser.add_argument("--test", metavar="FILE", help="scored once, at the end")
    parser.add_argument(
        "--unlabelled",
        metavar="FILE",
        help="texts to learn from without labels (VAT, word counts); spans in it are not read, texts of "
        "--dev and --test are left out",
    )
    parser.add_argument("--out", required=True, metavar="DIR", help="run folder to write")
    parser.add_argument("--resume", action="store_true", help="go on with the run in --out, same documents")
    parser.add_argument("--device", choices=DEVICES, default=None, help="auto when left out")
    parser.add_argument(
        "--lexicon", metavar="FILE", help="word list to match; jieba's dictionary when left out"
    )
    parser.add_argument(
        "--descriptions", metavar="FILE", help="JSON object of labels and their guidelines, for mrc"
    )
    add_format(parser)
    add_set(parser, "a training setting or a field of the tagger's config")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> Mapping[str, Any] | Sequence[Mapping[str, Any]]:
    """Train to the end and return the scores.

    Of several processes launched by accelerate, only the main one writes the folder and returns scores.

    Raises:
        CommandError: bad input, or the training cannot go on. Interrupted: stopped by the person.
    """
    folder = RunFolder(args.out)
    if not is_main():
        return _join_training(folder)
    try:
        if args.resume:
            resume(folder, args)
        else:
            begin(folder, args, args.tagger or DEFAULT_TAGGER)
        return follow(folder, "train")
    except TrainingError as error:
        raise CommandError(str(error)) from error


def begin(
    folder: RunFolder, args: argparse.Namespace, tagger: str, teacher: Mapping[str, Any] | None = None
) -> None:
    """Write the run folder: request and snapshot.

    Args:
        args: as ``train`` and ``distil`` parse them. teacher: as in the request; None without a teacher.

    Raises:
        CommandError, TrainingError: something does not fit; nothing was written.
    """
    from core.corpus.snapshot import UNLABELLED, Snapshot, write_snapshot

    if not args.train:
        raise CommandError("--train FILE is needed (or --resume to go on with the run in --out)")
    check_new(folder, args.out)
    config, settings = split_settings(tagger, assignments(args))
    check_training(tagger, config, settings)
    lexicon = lexicon_bytes(args.lexicon)
    labels = read_descriptions(args.descriptions) if args.descriptions else LabelSet()
    check_device(args.device)
    corpora = {
        part: read_corpus(getattr(args, part), args.format)
        for part in ("train", "dev", "test")
        if getattr(args, part)
    }
    blank = [
        getattr(args, part)
        for part, corpus in corpora.items()
        if not any(document.spans for document in corpus.documents)
    ]
    if args.train in blank:
        raise CommandError(f"{args.train}: there is nothing to learn, no document of it has a labelled span")
    if args.unlabelled:
        corpora[UNLABELLED] = read_corpus(args.unlabelled)
    for corpus in corpora.values():
        say(corpus.notes)
    say(f"{path}: no document has a labelled span, so every score on it is 0" for path in blank)
    parts = {part: tuple(corpus.documents) for part, corpus in corpora.items()}
    parts[UNLABELLED] = tuple(document.with_spans(()) for document in parts.get(UNLABELLED, ()))
    try:
        write_snapshot(folder.snapshot, Snapshot(parts, labels))
        if lexicon is not None:
            (folder.snapshot / LEXICON_FILE).write_bytes(lexicon)
    except OSError as error:
        raise CommandError(f"{args.out} cannot be written ({error.strerror}); name another folder") from error
    folder.write_request(
        RunRequest(
            tagger=tagger,
            config=config,
            settings=settings,
            device=args.device or "auto",
            lexicon="jieba" if lexicon is None else LEXICON_FILE,
            predict_all=False,
            teacher=teacher or {},
        )
    )


def resume(folder: RunFolder, args: argparse.Namespace) -> None:
    """Check that the options match the run; only the device may change.

    Raises:
        CommandError: there is no run, or it was begun with other options.
    """
    if not folder.request_file.exists():
        raise CommandError(f"{args.out} holds no run to resume; leave out --resume to begin one")
    request = folder.read_request()
    if args.tagger and args.tagger != request.tagger:
        raise CommandError(f"the run in {args.out} trains {request.tagger}, not {args.tagger}")
    config, settings = split_settings(request.tagger, assignments(args))
    for name, value in {**config, **settings}.items():
        stored = {**request.config, **request.settings}.get(name)
        if stored != value:
            was = "its default" if stored is None else stored
            raise CommandError(
                f"the run in {args.out} was begun with {name} {was}, not {value}; leave it out to resume, or "
                "begin a new run in another folder"
            )
    check_device(args.device or request.device)
    if args.device and args.device != request.device:
        folder.write_request(replace(request, device=args.device))
    folder.cancel_file.unlink(missing_ok=True)


def split_settings(tagger: str, values: Mapping[str, str]) -> tuple[dict[str, Any], dict[str, Any]]:
    """``--set`` values as those of the tagger's config and those of the training.

    Raises:
        CommandError: an unknown tagger or field, or a value that does not fit.
    """
    from core.taggers.base.config_fields import ConfigError, config_fields
    from core.taggers.base.registry import UnknownTaggerError, by_name
    from core.training.settings import config_from_values

    try:
        kind = by_name(tagger)
        config_names = [item.name for item in config_fields(kind.Config)]
        setting_names = [item.name for item in config_fields(TrainingSettings)]
        for name in values:
            if name not in config_names and name not in setting_names:
                raise CommandError(
                    f"--set {name}: no such field; training has {', '.join(setting_names)}; "
                    f"{tagger} has {', '.join(config_names)}"
                )
        settings = {name: value for name, value in values.items() if name in setting_names}
        config = {name: value for name, value in values.items() if name not in setting_names}
        TrainingSettings.from_values(settings)
        config_from_values(kind.Config, config)
        return typed_values(kind.Config, config), typed_values(TrainingSettings, settings)
    except (UnknownTaggerError, ConfigError, TrainingError) as error:
        raise CommandError(str(error)) from error


def check_training(tagger: str, config: Mapping[str, Any], settings: Mapping[str, Any]) -> None:
    """Check what can be checked before anything is written.

    A missing encoder or layer, and adversarial training with frozen embeddings.

    Raises:
        CommandError: names the option. TrainingError: names the conflicting settings.
    """
    from core.taggers.base.config_fields import ConfigError
    from core.taggers.base.registry import by_name
    from core.training.settings import config_from_values
    from core.training.strategies.frozen_embeddings import refuse_idle_attacks

    kind = by_name(tagger)
    whole = config_from_values(kind.Config, config)
    refuse_idle_attacks(kind, whole, TrainingSettings.from_values(settings))
    try:
        kind.check_config(whole)
    except ConfigError as error:
        raise CommandError(str(error)) from error


def check_device(name: str | None) -> None:
    """Refuse an unavailable device before anything is written.

    Raises:
        TrainingError: it is unavailable; names the available ones.
    """
    from core.training.device import choose_device

    choose_device(name or "auto")


def lexicon_bytes(path: str | None) -> bytes | None:
    """The content of a word list that can be read, or None for none."""
    if path is None:
        return None
    from core.lexicon import Lexicon, LexiconError

    try:
        Lexicon.from_file(Path(path))
        return Path(path).read_bytes()
    except (LexiconError, OSError) as error:
        raise CommandError(f"--lexicon {path}: {error}") from error


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
