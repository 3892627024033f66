"""Parquet, as ``datasets.load_dataset("parquet")`` and pandas read it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import BinaryIO

from core.formats.framework.errors import FormatError
from core.formats.framework.format import EVERYTHING, BinaryFormat, Losses, ReadOptions, Refusal, WriteOptions
from core.formats.framework.source import RawSource, Source
from core.formats.shapes.arrow_table import CHUNK, arrow_errors, columns_of, documents_of, pyarrow, table_of
from core.text import Document


class Parquet(BinaryFormat):
    """One row per document: id, text, tokens, ner_tags, spans, meta. Reads any table with texts or tokens."""

    name = "parquet"
    title = "Parquet (Hugging Face)"
    extensions = (".parquet",)
    holds = EVERYTHING

    def recognises(self, source: Source) -> float:
        """Sure of its first four bytes."""
        return 1.0 if isinstance(source, RawSource) and source.start(4) == b"PAR1" else 0.0

    def read(self, source: Source, options: ReadOptions) -> Iterator[Document | Refusal]:
        """One document per row."""
        pq = pyarrow("pyarrow.parquet")
        try:
            # Opened here, so that it is closed and can be deleted on Windows.
            with source.path.open("rb") as stream:
                table = pq.ParquetFile(stream)
                columns = columns_of(table.schema_arrow, options.text_column)
                prefix = options.id_prefix or source.name
                batches = table.iter_batches(CHUNK)
                yield from documents_of(batches, columns, source, options.malformed, prefix)
        except arrow_errors():
            raise FormatError(
                "{name} is damaged or not a Parquet file; write it again", name=source.path.name
            ) from None

    def write_binary(
        self, documents: Iterable[Document], target: BinaryIO, options: WriteOptions | None = None
    ) -> Losses:
        """One table."""
        pq = pyarrow("pyarrow.parquet")
        schema, batches = table_of(documents)
        with pq.ParquetWriter(target, schema) as writer:
            for batch in batches:
                writer.write_batch(batch)
        return {}
