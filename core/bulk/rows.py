"""What is written of every document: its text, its spans, and by which run."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

from core.bulk.errors import cluster_library
from core.bulk.records import Record, Refused
from core.text import Document

PartFormat = Literal["parquet", "jsonl"]
DIGITS = 6  # of a score
SCORES = "score"


def spans_of(document: Document) -> list[dict[str, Any]]:
    """Its spans as rows have them: code points, end exclusive, the surface, the probability."""
    return [
        {
            "start": span.start,
            "end": span.end,
            "label": span.label,
            "text": document.surface(span),
            SCORES: None if span.score is None else round(span.score, DIGITS),
        }
        for span in document.spans
    ]


def row_of(record: Record, document: Document, source: str, run: str, version: str) -> dict[str, Any]:
    """The row of a document."""
    return {
        "id": record.id,
        "text": document.text,
        "spans": spans_of(document),
        "run": run,
        "version": version,
        "source": source,
        "place": record.place,
    }


def refused_row(refused: Refused, source: str) -> dict[str, Any]:
    """A line of ``refused``."""
    return {"source": source, "place": refused.place, "reason": str(refused.reason), "raw": refused.raw}


def span_type() -> Any:
    """Arrow's type of a document's spans."""
    pa = cluster_library("pyarrow")
    return pa.list_(
        pa.struct(
            [
                ("start", pa.int64()),
                ("end", pa.int64()),
                ("label", pa.string()),
                ("text", pa.string()),
                (SCORES, pa.float64()),
            ]
        )
    )


def part_schema() -> Any:
    """The columns of a part."""
    pa = cluster_library("pyarrow")
    name = pa.string()
    return pa.schema(
        [
            ("id", name),
            ("text", name),
            ("spans", span_type()),
            ("run", name),
            ("version", name),
            ("source", name),
            ("place", pa.int64()),
        ]
    )


class PartWriter:
    """The content of a part, packed as the rows come, so that a block takes little memory."""

    def __init__(self, format: PartFormat) -> None:
        self._format = format
        self._bytes = io.BytesIO()
        self._table: Any = None
        if format == "parquet":
            self._table = cluster_library("pyarrow.parquet").ParquetWriter(
                self._bytes, part_schema(), compression="zstd"
            )

    def add(self, rows: Sequence[Mapping[str, Any]]) -> None:
        """Append rows."""
        if self._table is None:
            self._bytes.write(lines_of(rows))
        elif rows:
            pa = cluster_library("pyarrow")
            self._table.write_table(pa.Table.from_pylist(list(rows), schema=part_schema()))

    def content(self) -> bytes:
        """The bytes of the finished part."""
        if self._table is not None:
            self._table.close()
        return self._bytes.getvalue()


def lines_of(rows: Iterable[Mapping[str, Any]]) -> bytes:
    """Rows as JSON lines."""
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode("utf-8", "replace")
