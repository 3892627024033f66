"""Labelled files named on the command line."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from core.commands.terminal.errors import CommandError
from core.formats import FormatError, ReadOptions, ReadResult, by_extension, read_file, writable
from core.formats.framework.candidates import UnsureFormat
from core.formats.mapping.mapping import Mapping, mapping_argument
from core.text import Document, OffsetError
from core.text.annotated_regions import annotated_regions

SHOWN = 3  # refused records named one by one


class Corpus(NamedTuple):
    """The documents of a file, and notes on it, one line each."""

    documents: list[Document]
    notes: list[str]


def add_format(parser: argparse.ArgumentParser, what: str = "the files", dest: str = "format") -> None:
    """Add ``--from``, the format of what the command reads, and ``--map``, which takes its place.

    Args:
        dest: the argument that then holds the name, the `Mapping`, or None.
    """
    either = parser.add_mutually_exclusive_group()
    either.add_argument("--from", dest=dest, metavar="NAME", help=f"format of {what}; otherwise found out")
    either.add_argument(
        "--map",
        dest=dest,
        type=_mapping,
        metavar="MAPPING",
        help=f"fields of {what}, if no format fits: text=body,spans=ents,… or a JSON file of that",
    )


def as_read(
    format: str | Mapping | None, options: ReadOptions | None = None
) -> tuple[str | None, ReadOptions]:
    """The name of a format (None: detect), and the options that hold the mapping given in its place."""
    options = options or ReadOptions()
    return (None, replace(options, mapping=format)) if isinstance(format, Mapping) else (format, options)


def _mapping(written: str) -> Mapping:
    try:
        return mapping_argument(written)
    except FormatError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def format_of(target: Path) -> str:
    """The name of the format that a file to write has by its extension.

    Raises:
        CommandError: no format has it.
    """
    chosen = by_extension(target)
    if chosen is None:
        names = ", ".join(writable())
        raise CommandError(
            f"the file extension of {target.name} belongs to no format; add --to with one of {names}"
        )
    return chosen.name


def check_file(path: str) -> None:
    """Refuse a path that is no file.

    Raises:
        CommandError: naming the path.
    """
    if not Path(path).is_file():
        raise CommandError(f"there is no file {path}; check the path")


def check_corpus(path: str) -> None:
    """Refuse a path at which there is nothing: a corpus may be a folder, too.

    Raises:
        CommandError: naming the path.
    """
    if not Path(path).exists():
        raise CommandError(f"there is no file {path}; check the path")


def read_corpus(path: str, format: str | Mapping | None = None) -> Corpus:
    """Read a file, a ZIP archive or a folder of files.

    Args:
        path: where it is. format: name of its format, or which of its fields hold what; None: detect.

    Raises:
        CommandError: there is no such file, it cannot be read, not one record of it can, or a record's
            annotated regions are malformed.
    """
    check_corpus(path)
    try:
        result = read_file(Path(path), *as_read(format))
    except UnsureFormat as error:
        raise CommandError(f"{error}: --from NAME, or --map text=FIELD,spans=FIELD") from error
    except (FormatError, OSError) as error:
        reason = str(error)
        raise CommandError(reason if Path(path).name in reason else f"{path}: {reason}") from error
    if not result.documents:
        first = result.refusals[0] if result.refusals else None
        why = f"; line {first.line}: {first.reason}" if first else ""
        raise CommandError(f"{path}: no document could be read from it{why}")
    try:
        for document in result.documents:
            annotated_regions(document)
    except OffsetError as error:
        raise CommandError(f"{path}: {error}; mend or remove it") from error
    return Corpus(list(result.documents), [f"{path}: {note}" for note in _notes(result)])


def say(notes: Iterable[str]) -> None:
    """Print notes on stderr."""
    for note in notes:
        print(note, file=sys.stderr)


def _notes(result: ReadResult) -> list[str]:
    notes = list(result.notes)
    notes += [f"line {refusal.line}: refused, {refusal.reason}" for refusal in result.refusals[:SHOWN]]
    if len(result.refusals) > SHOWN:
        notes.append(f"{len(result.refusals)} records refused in all")
    return notes
