"""Which ``.tsv`` files of a folder are WebAnno's, and their text."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from core.formats.framework.errors import FormatError
from core.formats.framework.source import FolderSource, read_text

Begins = Callable[[str], bool]  # whether a file with this beginning is one of the version that is read
_BEGINNING = 256  # bytes
_LOOKED_AT = 50  # files


def holds_one(source: object, begins: Begins) -> bool:
    """Whether a folder, an archive or a single file has such a file."""
    return isinstance(source, FolderSource) and any(
        begins_so(path, begins) for path in source.files(".tsv")[:_LOOKED_AT]
    )


def text_of(path: Path, begins: Begins) -> str:
    """The text of a file; empty if it cannot be decoded and does not begin so.

    Raises:
        FormatError: it begins so, and cannot be decoded.
    """
    try:
        return read_text(path)
    except FormatError:
        if begins_so(path, begins):
            raise
        return ""


def begins_so(path: Path, begins: Begins) -> bool:
    """Whether a file begins so, as far as its first bytes tell."""
    with path.open("rb") as stream:
        return begins(stream.read(_BEGINNING).decode("utf-8-sig", "replace"))
