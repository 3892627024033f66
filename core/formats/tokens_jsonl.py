"""JSONL of tokens and tags, as Hugging Face's ``Dataset.to_json`` writes data sets of named entities."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import partial
from typing import Any

from core.formats.framework.errors import FormatError
from core.formats.framework.format import (
    Format,
    Holds,
    Losses,
    ReadOptions,
    Refusal,
    WriteOptions,
    flat_spans,
)
from core.formats.framework.source import Source
from core.formats.shapes.arrow_table import TAG_NAMES, TOKEN_NAMES, Columns, document_of_row
from core.formats.shapes.json_lines import Record, dump, first_records, read_records, share
from core.formats.shapes.tokens import over_tokens, rows
from core.text import Document
from core.text.tag_schemes import encode
from core.text.tokens import TOKENS, document_tokens


class TokensJsonl(Format):
    """``{"id", "tokens": […], "ner_tags": ["B-PER", …]}``, one per line.

    A ``text`` beside them is used if the tokens fit it.
    Numbers instead of tags are refused: the file does not say what they stand for.
    """

    name = "tokens_jsonl"
    title = "JSONL of tokens and tags (Hugging Face)"
    extensions = (".jsonl", ".json")
    holds = Holds(nested=False, crossing=False, ids=True)
    label_fields = TAG_NAMES

    def labels_read(self, record: Record) -> Collection[str]:
        """The tags."""
        return (_tags(record) or "",)

    def sniff(self, head: str) -> float:
        """Sure if there is a tag for every token."""
        return 0.94 * share(head, _is_record)

    def read(self, source: Source, options: ReadOptions) -> Iterator[Document | Refusal]:
        """One document per record.

        Raises:
            FormatError: the tags are numbers.
        """
        records = [record for record in first_records(source.head(), 20) if _is_record(record)]
        if any(isinstance(tag, int) for record in records for tag in record[_tags(record) or ""]):
            raise FormatError(
                "{name}: the tags are numbers, and the file does not say what they stand for; read the "
                "folder of the data set or its parquet file, which name them, or write the names instead",
                name=source.path.name,
            )
        return read_records(source, partial(_document, options, options.id_prefix or source.name))

    def render(self, document: Document, options: WriteOptions) -> tuple[str, Losses]:
        """One line with the text, its tokens and a BIO tag for each."""
        kept, lost = flat_spans(document.spans)
        starts, ends = {span.start for span in kept}, {span.end for span in kept}
        extents = rows(document.text, document_tokens(document), starts, ends) if document.text else []
        record = {
            "id": document.id,
            "text": document.text,
            "tokens": [document.text[start:end] for start, end in extents],
            "ner_tags": encode(over_tokens(kept, extents), len(extents), "BIO"),
        }
        return dump(record), lost | self.general_losses(document, {TOKENS})


def _document(
    options: ReadOptions, prefix: str, ordinal: int, line: int, raw: str, record: Record
) -> Document:
    tokens = next((name for name in TOKEN_NAMES if isinstance(record.get(name), list)), None)
    text = options.text_column or "text"
    columns = Columns(text if isinstance(record.get(text), str) else None, tokens, _tags(record), (), None)
    return document_of_row(record, columns, options.malformed, f"{prefix}-{ordinal}")


def _tags(record: Record) -> str | None:
    return next((name for name in TAG_NAMES if isinstance(record.get(name), list)), None)


def _is_record(record: Record) -> bool:
    tokens: Any = next((record[name] for name in TOKEN_NAMES if isinstance(record.get(name), list)), None)
    tags = record[name] if (name := _tags(record)) else None
    return (
        isinstance(tokens, list)
        and isinstance(tags, list)
        and len(tokens) == len(tags)
        and all(isinstance(token, str) for token in tokens)
        and all(isinstance(tag, (str, int)) for tag in tags)
    )
