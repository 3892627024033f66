"""Writes the folder of a new run, or finds the run to go on with, after checking what can be checked."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.commands.arguments.corpus_files import read_corpus
from core.commands.terminal.errors import CommandError
from core.training.fitting import MOST, check_epochs, fitting_settings
from core.training.run.run_folder import RunFolder
from core.training.run.run_request import Kind, RunRequest
from core.training.settings import TrainingSettings, config_from_values, typed_values

if TYPE_CHECKING:
    from core.corpus.snapshot import Snapshot
    from core.text import Document

JIEBA = "jieba"
LEXICON_FILE = "base_lexicon.txt"


def check_new(folder: RunFolder, out: str) -> None:
    """Check that a run can begin in a folder.

    Args:
        out: the folder as the person wrote it.

    Raises:
        CommandError: it holds a run already, or is a file.
    """
    if folder.request_file.exists():
        raise CommandError(
            f"{out} holds a run already; add --resume to go on with it, or name another folder"
        )
    if folder.path.exists() and not folder.path.is_dir():
        raise CommandError(f"{out} is a file; name a folder to write the run to")


def begun_otherwise(out: str, option: str, was: object, value: object) -> CommandError:
    """The refusal to go on with a run that was begun with another value of an option."""
    return CommandError(
        f"the run in {out} was begun with {option} {was}, not {value}; leave it out to resume, or begin a "
        "new run in another folder"
    )


def read_parts(
    args: argparse.Namespace, names: Iterable[str], unlabelled: str | None = None
) -> tuple[dict[str, tuple[Document, ...]], list[str]]:
    """The documents of each part whose flag of the same name was given, and what is to be said of the files.

    Args:
        unlabelled: a file more, whose spans are not kept; with it, or None, there is a part of that name.

    Raises:
        CommandError: a file cannot be read.
    """
    from core.corpus.snapshot import UNLABELLED

    corpora = {name: read_corpus(getattr(args, name), args.format) for name in names if getattr(args, name)}
    if unlabelled:
        corpora[UNLABELLED] = read_corpus(unlabelled)
    parts = {name: tuple(corpus.documents) for name, corpus in corpora.items()}
    parts[UNLABELLED] = tuple(document.with_spans(()) for document in parts.get(UNLABELLED, ()))
    return parts, [note for corpus in corpora.values() for note in corpus.notes]


def write_run(
    folder: RunFolder,
    out: str,
    snapshot: Snapshot,
    request: RunRequest,
    beside: Callable[[Path], None] = lambda snapshot: None,
) -> None:
    """Write the run folder; the request last, which makes it one.

    Args:
        out: the folder as the person wrote it. beside: writes more files into the snapshot's folder.

    Raises:
        CommandError: it cannot be written.
    """
    from core.corpus.snapshot import write_snapshot

    try:
        write_snapshot(folder.snapshot, snapshot)
        beside(folder.snapshot)
    except OSError as error:
        raise CommandError(f"{out} cannot be written ({error.strerror}); name another folder") from error
    folder.write_request(request)


def find_run(folder: RunFolder, out: str, kind: Kind = "train", what: str = "run") -> RunRequest:
    """The request of the run to go on with.

    Args:
        out: the folder as the person wrote it. what: a run of this kind, in a word.

    Raises:
        CommandError, Told: there is none of this kind. TrainingError: its request is damaged.
    """
    if not folder.request_file.exists() or folder.read_request().kind != kind:
        raise CommandError(f"{out} holds no {what} to resume; leave out --resume to begin one")
    return folder.read_request()


def go_on(folder: RunFolder, request: RunRequest, device: str | None) -> None:
    """Let a run go on as requested, on another device if one is given.

    Raises:
        TrainingError: the device is unavailable.
    """
    request = replace(request, device=device or request.device)
    check_device(request.device)
    folder.write_request(request)
    folder.cancel_file.unlink(missing_ok=True)


def split_settings(tagger: str, values: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """``--set`` values as those of the tagger's config and those of the training.

    Raises:
        CommandError, Told: an unknown tagger or field, or a value that does not fit.
    """
    from core.taggers.base.config_fields import config_fields
    from core.taggers.base.registry import by_name

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
    TrainingSettings.from_values({"epochs": MOST, **settings})  # left open, they may come to so many
    config_from_values(kind.Config, config)
    return typed_values(kind.Config, config), typed_values(TrainingSettings, settings)


def begin_with(
    tagger: str, values: Mapping[str, Any], documents: int = 0
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The tagger's config and the training settings of a new run, completed and checked.

    Args:
        documents: to learn from, which decides how many epochs there are; 0 for a check before they are read,
            with as many epochs as any corpus gets.

    Raises:
        CommandError, Told, TrainingError: as :func:`split_settings` and :func:`check_training`.
    """
    from core.taggers.base.registry import by_name

    config, settings = split_settings(tagger, values)
    kind = by_name(tagger)
    settings = fitting_settings(kind, config_from_values(kind.Config, config), settings, documents)
    check_training(tagger, config, settings)
    return config, settings


def check_training(tagger: str, config: Mapping[str, Any], settings: Mapping[str, Any]) -> None:
    """Check what can be checked before anything is written.

    A missing encoder or layer, attacks on frozen embeddings, successors without an epoch of their own.

    Raises:
        CommandError, Told: names the option. TrainingError: names the conflicting settings.
    """
    from core.taggers.base.registry import by_name
    from core.training.strategies.frozen_embeddings import refuse_idle_attacks

    kind = by_name(tagger)
    whole = config_from_values(kind.Config, config)
    training = TrainingSettings.from_values(settings)
    refuse_idle_attacks(kind, whole, training)
    check_epochs(whole, training.epochs)
    kind.check_config(whole)


def check_device(name: str | None) -> None:
    """Refuse an unavailable device before anything is written.

    Raises:
        TrainingError: it is unavailable; names the available ones.
    """
    from core.training.device import choose_device

    choose_device(name or "auto")


class WordList:
    """The word list of ``--lexicon``, read at once, or jieba's without one.

    Raises:
        CommandError: it cannot be read, or is none.
    """

    def __init__(self, path: str | None) -> None:
        self._content: bytes | None = None
        if path is not None:
            from core.lexicon import Lexicon, LexiconError

            try:
                Lexicon.from_file(Path(path))
                self._content = Path(path).read_bytes()
            except (LexiconError, OSError) as error:
                raise CommandError(f"--lexicon {path}: {error}") from error

    @property
    def name(self) -> str:
        """As the request names it."""
        return JIEBA if self._content is None else LEXICON_FILE

    def write(self, snapshot: Path) -> None:
        """Write a copy beside the documents, unless it is jieba's."""
        if self._content is not None:
            (snapshot / LEXICON_FILE).write_bytes(self._content)
