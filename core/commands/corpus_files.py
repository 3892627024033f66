"""Labelled files named on the command line."""

from __future__ import annotations

import sys
from pathlib import Path

from core.commands.errors import CommandError
from core.formats import FormatError, read_file
from core.text import Document

SHOWN = 3  # refused records named one by one


def read_corpus(path: str, format: str | None = None) -> list[Document]:
    """The documents of a file; what was refused or decided about it goes to stderr.

    Args:
        path: the file. format: its format's name; None finds out.

    Raises:
        CommandError: there is no such file, it cannot be read, or not one record of it can.
    """
    if not Path(path).is_file():
        raise CommandError(f"there is no file {path}; check the path")
    try:
        result = read_file(Path(path), format)
    except (FormatError, OSError) as error:
        raise CommandError(f"{path}: {error}") from error
    for note in result.notes:
        print(f"{path}: {note}", file=sys.stderr)
    for refusal in result.refusals[:SHOWN]:
        print(f"{path}, line {refusal.line}: refused, {refusal.reason}", file=sys.stderr)
    if len(result.refusals) > SHOWN:
        print(f"{path}: {len(result.refusals)} records refused in all", file=sys.stderr)
    if not result.documents:
        raise CommandError(f"{path}: no document could be read from it")
    return list(result.documents)
