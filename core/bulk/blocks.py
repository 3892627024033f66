"""Blocks: parts of the input that are tagged, written and resumed as one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from core.bulk.errors import BulkError, cluster_library
from core.bulk.lines import decompressed_size
from core.bulk.places import place
from core.bulk.sources import Kind, SourceFile
from core.runtime.message import damage_of

SMALLEST, LARGEST = 16 << 10, 8 << 20  # bytes of a block that is chosen here
A_WORKER = 32  # blocks for every worker; the last to end works on while the others have nothing left to do
PACKED = 4  # times that a compressed text is larger once decompressed, about


@dataclass(frozen=True, slots=True)
class Block:
    """A part of a file.

    Args:
        number: from 0, in the order of the input; names the part that its documents are written to.
        address, name, kind, compression: the file's, as in `SourceFile`.
        start, end: bytes of a file of lines (decompressed), rows of a table; a line belongs to the block in
            which it begins.
        size: bytes, for the progress.
    """

    number: int
    address: str
    name: str
    kind: Kind
    compression: str | None
    start: int
    end: int
    size: int

    def to_json(self) -> dict[str, Any]:
        """As JSON values."""
        return asdict(self)


def block_size(sources: Sequence[SourceFile], workers: int) -> int:
    """Bytes of a block, such that every worker gets several."""
    total = sum(source.size * (PACKED if source.compression else 1) for source in sources)
    return min(LARGEST, max(SMALLEST, total // (A_WORKER * max(1, workers))))


def cut(sources: Sequence[SourceFile], size: int, text_column: str) -> Iterator[Block]:
    """The blocks of all files, in order. Compressed files and Arrow files are read once for it.

    Args:
        size: bytes of a block, about.

    Raises:
        BulkError: a file is damaged, or a table has no such column.
    """
    number = 0
    for source in sources:
        try:
            for start, end, bytes_ in _extents(source, size, text_column):
                yield Block(
                    number, source.address, source.name, source.kind, source.compression, start, end, bytes_
                )
                number += 1
        except (OSError, cluster_library("pyarrow").ArrowException) as error:
            raise BulkError(
                "{file} cannot be read: {reason}", file=source.address, reason=damage_of(error)
            ) from error


def _extents(source: SourceFile, size: int, text_column: str) -> Iterator[tuple[int, int, int]]:
    if source.kind in ("text", "jsonl"):
        total = bytes_ = source.size
        if source.compression:
            total = bytes_ = decompressed_size(source.address, source.compression)
        step = size
    else:
        total, bytes_ = _measured(source, text_column)
        step = max(1, size * total // max(1, bytes_))
    for start in range(0, total, step):
        end = min(total, start + step)
        yield start, end, bytes_ * (end - start) // total


def _measured(source: SourceFile, text_column: str) -> tuple[int, int]:
    """Rows of a table, and the bytes of its texts."""
    there = place(source.address)
    with there.opened() as stream:
        if source.kind == "parquet":
            metadata = cluster_library("pyarrow.parquet").ParquetFile(stream).metadata
            _check_column(metadata.schema.to_arrow_schema(), source, text_column)
            column = [metadata.schema.column(index).path for index in range(metadata.num_columns)].index(
                text_column
            )
            groups = [metadata.row_group(index) for index in range(metadata.num_row_groups)]
            return metadata.num_rows, sum(group.column(column).total_uncompressed_size for group in groups)
        with cluster_library("pyarrow.ipc").open_stream(stream) as batches:
            _check_column(batches.schema, source, text_column)
            return sum(batch.num_rows for batch in batches), source.size


def _check_column(schema: Any, source: SourceFile, text_column: str) -> None:
    types = cluster_library("pyarrow").types
    if text_column not in schema.names:
        raise BulkError(
            "{file} has no column {column}; its columns are {columns}: choose one with --text-column",
            file=source.address,
            column=text_column,
            columns=", ".join(schema.names)[:300],
        )
    kind = schema.field(text_column).type
    if not (types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind)):
        raise BulkError(
            "column {column} of {file} holds {type}, not texts; choose another with --text-column",
            column=text_column,
            file=source.address,
            type=str(kind),
        )
