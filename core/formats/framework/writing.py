"""Writes a file of any format, atomically, so that a failure leaves no incomplete file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from core.corpus.atomic import write_text, writing
from core.formats.framework.errors import FormatError
from core.formats.framework.format import Companion, Losses, WriteOptions
from core.formats.framework.registry import by_extension, by_name
from core.runtime.message import refusal_of
from core.text import Document


def write_file(
    documents: Iterable[Document],
    path: Path | str,
    format: str | None = None,
    options: WriteOptions | None = None,
) -> Losses:
    """Write documents as a stream, and the file that a tool needs beside it; returns the losses.

    Args:
        format: name of the format; None: by the file's extension.

    Raises:
        FormatError: no such format, one that is only read, or the file cannot be written (disk full, no
            permission); an existing file is unchanged.
    """
    target = Path(path)
    chosen = by_name(format) if format else by_extension(target)
    if chosen is None:
        raise FormatError("the file extension of {name} belongs to no format; choose one", name=target.name)
    if not chosen.writes:
        raise FormatError("{title} is only read; choose another format to write", title=chosen.title)
    companion = chosen.companion()
    try:
        if companion is not None:
            documents = _noted(documents, companion)
        # Lone surrogates, which no reader lets in, are replaced by one character each, so offsets stay right.
        with writing(target, binary=chosen.binary, errors="replace") as stream:
            if chosen.binary:
                lost = chosen.write_binary(documents, stream, options)
            else:
                lost = chosen.write(documents, stream, options)
        if companion is not None:
            write_text(target.with_suffix(companion.ending), [companion.content()])
        return lost
    except OSError as error:
        raise FormatError(
            "cannot write {target}: {reason}", target=target, reason=refusal_of(error)
        ) from error


def _noted(documents: Iterable[Document], companion: Companion) -> Iterator[Document]:
    for document in documents:
        companion.add(document)
        yield document
