"""The records of a block: texts with an id and a place, bad ones put aside with the reason."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from core.bulk.blocks import Block
from core.bulk.errors import cluster_library
from core.bulk.lines import LONGEST_LINE, LineStream
from core.bulk.places import place
from core.runtime.message import Message, Told, _, json_fault

ROWS = 256  # of a table read at once
SHOWN = 2000  # characters of a bad record that are kept
BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Record:
    """A text to tag.

    Args:
        place: byte at which its line begins, or number of its row, both counted from 0.
    """

    place: int
    id: str
    text: str


@dataclass(frozen=True, slots=True)
class Refused:
    """A record that was put aside.

    Args:
        raw: its beginning.
    """

    place: int
    reason: Message
    raw: str


class _Bad(Told):
    """A record that holds no text."""


class RecordReader:
    """Reads blocks; keeps the last file open, whose next block lies further on.

    Args:
        text_column: column or field of the text. id_column: of the id; None: ids are made of file and place.
    """

    def __init__(self, text_column: str, id_column: str | None = None) -> None:
        self._text, self._id = text_column, id_column
        self._open: LineStream | None = None

    def close(self) -> None:
        """Close the file that is open."""
        if self._open is not None:
            self._open.close()
            self._open = None

    def read(self, block: Block) -> Iterator[Record | Refused]:
        """Its records, in order. Blank lines of JSON are no records; of a text file they are empty texts.

        Raises:
            OSError, pyarrow.ArrowException: the file cannot be read.
        """
        read = self._lines if block.kind in ("text", "jsonl") else self._rows
        return read(block)

    def _lines(self, block: Block) -> Iterator[Record | Refused]:
        if self._open is None or self._open.address != block.address:
            self.close()
            self._open = LineStream(block.address, block.compression)
        for offset, line in self._open.lines(block.start, block.end):
            raw = line.removeprefix(BOM) if offset == 0 else line
            if block.kind == "jsonl" and not raw.strip():
                continue
            try:
                yield self._of_line(block, offset, raw)
            except _Bad as error:
                yield Refused(offset, error.message, raw[:SHOWN].decode("utf-8", "replace"))

    def _of_line(self, block: Block, offset: int, raw: bytes) -> Record:
        if len(raw) > LONGEST_LINE:
            raise _Bad("the line is longer than {count} MB", count=LONGEST_LINE >> 20)
        try:
            line = raw.decode("utf-8")
        except UnicodeDecodeError as error:
            raise _Bad("byte {place} is not UTF-8", place=error.start + 1) from None
        if block.kind == "text" and "\0" in line:
            raise _Bad("it holds a zero byte, so it is no text")
        if block.kind == "text":
            return self._record(block, offset, line.rstrip("\r\n"), None)
        try:
            values = json.loads(line)
        except json.JSONDecodeError as error:
            raise _Bad("it is not JSON: {fault}", fault=json_fault(error)) from None
        except (ValueError, RecursionError):
            raise _Bad("it is not JSON: {fault}", fault=_("it is nested too deeply")) from None
        if not isinstance(values, dict):
            raise _Bad("it is no JSON object")
        return self._of_fields(block, offset, values)

    def _rows(self, block: Block) -> Iterator[Record | Refused]:
        columns = [self._text, *([self._id] if self._id else [])]
        number = block.start
        for batch in _row_batches(block, columns):
            for row in batch.to_pylist():
                try:
                    yield self._of_fields(block, number, row)
                except _Bad as error:
                    yield Refused(number, error.message, str(row.get(self._text))[:SHOWN])
                number += 1

    def _of_fields(self, block: Block, number: int, values: dict[str, Any]) -> Record:
        if self._text not in values:
            raise _Bad(
                "there is no field {field}; it has {fields}", field=self._text, fields=", ".join(values)[:200]
            )
        text = values[self._text]
        if not isinstance(text, str):
            raise _Bad("the field {field} is no text", field=self._text)
        return self._record(block, number, text, values.get(self._id) if self._id else None)

    def _record(self, block: Block, number: int, text: str, id_: object) -> Record:
        try:
            text.encode("utf-8")
        except UnicodeEncodeError as error:
            raise _Bad("half a surrogate pair at character {position}", position=error.start + 1) from None
        if self._id and not ((isinstance(id_, str) and id_) or type(id_) is int):
            raise _Bad("the field {field} is no id: a text or a whole number", field=self._id)
        return Record(number, str(id_) if self._id else f"{block.name}:{number}", text)


def _row_batches(block: Block, columns: list[str]) -> Iterator[Any]:
    """Record batches of the block's rows alone, with these columns."""
    there = place(block.address)
    with there.opened() as stream:
        if block.kind == "parquet":
            table = cluster_library("pyarrow.parquet").ParquetFile(stream)
            columns = [column for column in columns if column in table.schema_arrow.names]
            first, groups = _row_groups(table.metadata, block)
            batches = table.iter_batches(ROWS, row_groups=groups, columns=columns)
            yield from _between(batches, first, block)
        else:
            with cluster_library("pyarrow.ipc").open_stream(stream) as batches:
                columns = [column for column in columns if column in batches.schema.names]
                for batch in _between(batches, 0, block):
                    yield batch.select(columns)


def _row_groups(metadata: Any, block: Block) -> tuple[int, list[int]]:
    """The first row of the first row group that holds rows of the block, and the numbers of these groups."""
    groups: list[int] = []
    begin, first = 0, block.start
    for number in range(metadata.num_row_groups):
        end = begin + metadata.row_group(number).num_rows
        if begin < block.end and end > block.start:
            if not groups:
                first = begin
            groups.append(number)
        begin = end
    return first, groups


def _between(batches: Any, first: int, block: Block) -> Iterator[Any]:
    """The rows of the block, of batches that begin with row ``first``."""
    at = first
    for batch in batches:
        begin, end = max(block.start, at), min(block.end, at + batch.num_rows)
        if begin < end:
            yield batch.slice(begin - at, end - begin)
        at += batch.num_rows
        if at >= block.end:
            return
