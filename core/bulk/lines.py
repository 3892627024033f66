"""Lines of a file from any byte on, in constant memory."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any

from core.bulk.places import place

LONGEST_LINE = 64 << 20  # bytes; a longer one is no document
_STEP = 1 << 20


class LineStream:
    """A file of lines. A line belongs to the range in which it begins, as in Hadoop's text input.

    A compressed file is only read forwards: the next range is reached from where the last one ended, and from
    the beginning if it lies before. Offsets then count the bytes after decompression.
    """

    def __init__(self, address: str, compression: str | None) -> None:
        self.address = address
        self._compression = compression
        self._open()

    def _open(self) -> None:
        there = place(self.address)
        raw: Any = there.opened() if self._compression is None else there.streamed(self._compression)
        self._stream = io.BufferedReader(raw, _STEP)
        self._at = 0  # where the next line begins
        self._last = -1  # no line begins behind it and before ``_at``

    def close(self) -> None:
        """Close the file."""
        self._stream.close()

    def lines(self, start: int, end: int) -> Iterator[tuple[int, bytes]]:
        """The lines that begin in ``[start, end)``, each with its offset in bytes and with its line end.

        Of a line longer than ``LONGEST_LINE`` only one byte more than that is given.

        Raises:
            OSError: the file cannot be read or decompressed.
        """
        self._reach(start)
        while self._at < end:
            offset = self._at
            line = self._stream.readline(LONGEST_LINE + 1)
            if not line:
                return
            self._last, self._at = offset, offset + len(line)
            if len(line) > LONGEST_LINE and not line.endswith(b"\n"):
                self._skip_line()
            yield offset, line

    def _reach(self, start: int) -> None:
        if self._last < start <= self._at:
            return
        if self._compression is None:
            self._stream.seek(max(0, start - 1))
            self._at = max(0, start - 1)
        else:
            if self._at >= start:
                self.close()
                self._open()
            while self._at < start - 1:
                step = self._stream.read(min(_STEP, start - 1 - self._at))
                if not step:
                    break
                self._at += len(step)
        self._last = start - 1
        if start:
            self._skip_line()

    def _skip_line(self) -> None:
        while rest := self._stream.readline(_STEP):
            self._at += len(rest)
            if rest.endswith(b"\n"):
                return


def decompressed_size(address: str, compression: str) -> int:
    """How many bytes a compressed file holds; reads it once.

    Raises:
        OSError: it is damaged.
    """
    there = place(address)
    size = 0
    with there.streamed(compression) as stream:
        while step := stream.read(_STEP):
            size += len(step)
    return size
