"""Writing a file of any format: beside its place first, so that a failure leaves no half file."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import IO, Any

from core.formats.framework.errors import FormatError
from core.formats.framework.format import Format, Losses, WriteOptions
from core.formats.framework.registry import by_extension, by_name
from core.text import Document


def _written(
    chosen: Format, handle: int, documents: Iterable[Document], options: WriteOptions | None
) -> Losses:
    """Write to an open file and let the disk have it."""
    stream: IO[Any]
    if chosen.binary:
        with os.fdopen(handle, "wb") as stream:
            losses = chosen.write_binary(documents, stream, options)
            stream.flush()
            os.fsync(stream.fileno())
        return losses
    # Half surrogates come only from outside the readers; one stays one character, so offsets stay right.
    with os.fdopen(handle, "w", encoding="utf-8", errors="replace", newline="") as stream:
        losses = chosen.write(documents, stream, options)
        stream.flush()
        os.fsync(stream.fileno())
    return losses


def write_file(
    documents: Iterable[Document],
    path: Path | str,
    format: str | None = None,
    options: WriteOptions | None = None,
) -> Losses:
    """Write documents, streaming, and say what the format could not hold.

    Args:
        format: name of the format; None takes the one the file's ending stands for.

    Raises:
        FormatError: there is no such format, or the file cannot be written (the disk is full, no permission);
            a file that stood there before stands unchanged.
    """
    target = Path(path)
    chosen = by_name(format) if format else by_extension(target)
    if chosen is None:
        raise FormatError(f"the ending of {target.name} says no format; name one")
    temporary = ""
    try:
        handle, temporary = tempfile.mkstemp(
            prefix=f".{target.name[:40]}.", suffix=".part", dir=target.parent
        )
        losses = _written(chosen, handle, documents, options)
        os.replace(temporary, target)
    except OSError as error:
        raise FormatError(f"cannot write {target}: {error.strerror or error}") from error
    finally:
        if temporary and os.path.exists(temporary):
            os.unlink(temporary)
    return losses
