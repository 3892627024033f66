"""Files of every format: read to documents, written from them."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Literal

from core.formats import LOSSES, ReadOptions, ReadResult, Refusal, read_file, write_file
from core.text import Document
from latticelens.errors import LatticeLensError, plain_errors

__all__ = ["ReadResult", "Refusal", "StrPath", "documents_of", "read", "write"]

StrPath = str | os.PathLike[str]


def read(
    path: StrPath,
    format: str | None = None,
    *,
    text_column: str | None = None,
    encoding: str | None = None,
    offsets: str = "auto",
    unit: Literal["line", "paragraph", "file"] = "line",
) -> ReadResult:
    """Read a file, a folder or a ZIP.

    Args:
        path: what to read. format: its format's name as in docs/formats.md; None: found out from the content.
        text_column: field or column that holds the text; None: found out.
        encoding: of the bytes; None: found out.
        offsets: what its offsets count, as ``doctor`` names it; ``auto``: found out.
        unit: a document of plain text: ``line``, ``paragraph`` or ``file``.

    Returns:
        ``documents``; ``refusals`` (records that are invalid, each with ``line`` and ``reason``); ``format``;
        ``notes`` on repairs; ``counts``.

    Raises:
        LatticeLensError: there is nothing at ``path``, or it is not of the format, or of none.
    """
    if unit not in ("line", "paragraph", "file"):
        raise LatticeLensError(f"unit must be 'line', 'paragraph' or 'file', got {unit!r}")
    options = ReadOptions(text_column=text_column, encoding=encoding, offsets=offsets, unit=unit)
    with plain_errors():
        return read_file(Path(path), format, options)


def write(documents: Iterable[Document], path: StrPath, format: str | None = None) -> dict[str, str]:
    """Write documents to a file, atomically; one that is there is replaced.

    Args:
        documents: may be a generator. path: the file.
        format: its format's name; None: by the file's extension.

    Returns:
        what the format could not hold, by name and in words; empty when nothing was lost.

    Raises:
        LatticeLensError: no such format, one that is only read, or the file cannot be written.
    """
    with plain_errors():
        lost = write_file(documents, Path(path), format)
        return {name: str(LOSSES[name]) for name in lost}


def documents_of(source: StrPath | Iterable[Document], what: str) -> tuple[Document, ...]:
    """Documents given as such, or as a file of any format.

    Args:
        what: the argument's name, for errors.

    Raises:
        LatticeLensError: the file cannot be read or a record of it is refused, or it is no documents.
    """
    if isinstance(source, str | os.PathLike):
        result = read(source)
        if result.refusals:
            first = result.refusals[0]
            raise LatticeLensError(
                f"{what}: {len(result.refusals)} records of {source} are invalid, the first in line "
                f"{first.line}: {first.reason}; mend them, or give "
                f"read({os.fspath(source)!r}).documents, which leaves them out"
            )
        return result.documents
    documents = tuple(source)
    seen: set[str] = set()
    for number, document in enumerate(documents):
        if not isinstance(document, Document):
            raise LatticeLensError(
                f"{what}[{number}] must be a Document, got {type(document).__name__}; "
                "make one with Document(id, text, spans)"
            )
        if document.id in seen:
            raise LatticeLensError(f"{what}[{number}]: another document has the id {document.id!r} already")
        seen.add(document.id)
    return documents
