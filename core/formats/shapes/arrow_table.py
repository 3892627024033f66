"""Arrow tables: one row per document, with tokens and tags, and with a spans column so that nothing is lost.

Layout: Hugging Face's documentation, "Features" (``Sequence(ClassLabel)``) and the ``huggingface`` entry of a
schema's metadata. Only pyarrow reads and writes; nothing is unpickled or executed.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple

from core.formats.framework.conventions import CODE_POINTS
from core.formats.framework.errors import FormatError, RecordError
from core.formats.framework.format import Refusal, flat_spans
from core.formats.framework.optional import required
from core.formats.framework.source import Source, legal_text
from core.formats.jsonl import TEXT_NAMES
from core.formats.shapes.json_lines import id_field, label_field, plain_value
from core.formats.shapes.rows import is_tag, scheme_of
from core.formats.shapes.standoff import Mark, Record, build, span_mark
from core.formats.shapes.tokens import aligned, join, over_tokens, rows
from core.runtime.message import _
from core.text import Document, OffsetError, Span
from core.text.tag_schemes import Malformed, decode, encode
from core.text.tokens import TOKENS, document_tokens

CHUNK = 1000  # rows of one record batch
_WHAT = _("Reading and writing Parquet and Hugging Face datasets")
TAG_NAMES = ("ner_tags", "tags", "labels", "ner", "entities")
TOKEN_NAMES = ("tokens", "words")
LINK = ("id", "name", "source")  # fields of `EntityLink`


def pyarrow(module: str = "pyarrow") -> Any:
    """pyarrow or one of its modules.

    Raises:
        FormatError: it is not installed.
    """
    return required(module, "pyarrow", _WHAT)


def arrow_errors() -> tuple[type[Exception], ...]:
    """What reading a damaged file raises: Arrow allocates what a length in the file says, however large."""
    return pyarrow().ArrowException, MemoryError, OSError


class Columns(NamedTuple):
    """Names of the columns; None for missing ones."""

    text: str | None
    tokens: str | None
    tags: str | None
    tag_names: tuple[str, ...]  # by number; empty where tags are texts
    spans: str | None


def columns_of(schema: Any, text_column: str | None) -> Columns:
    """Find the columns of a table.

    Raises:
        FormatError: none of them holds a text or tokens.
    """
    names = list(schema.names)
    text = next(
        (name for name in (text_column, *TEXT_NAMES) if name and name in names and _is_text(schema, name)),
        None,
    )
    tokens = next((name for name in TOKEN_NAMES if name in names and _is_list(schema, name)), None)
    tags = next((name for name in TAG_NAMES if name in names and _is_list(schema, name)), None)
    if text is None and tokens is None:
        raise FormatError(
            "there is no column with a text ({known}) or with tokens; the columns are {columns}",
            known=TEXT_NAMES[:3],
            columns=", ".join(names)[:200],
        )
    spans = "spans" if "spans" in names and _is_list(schema, "spans") else None
    return Columns(text, tokens, tags if tokens else None, class_names(schema, tags), spans)


def documents_of(
    batches: Iterable[Any], columns: Columns, source: Source, malformed: Malformed, prefix: str
) -> Iterator[Document | Refusal]:
    """One document per row.

    Raises:
        ArrowException: the table is damaged.
    """
    number = 0
    for batch in batches:
        batch.validate(full=True)  # offsets that lead out of it would end the process
        for row in batch.to_pylist():
            number += 1
            try:
                yield document_of_row(row, columns, malformed, f"{prefix}-{number}")
            except (RecordError, OffsetError, ValueError, TypeError) as error:
                raw = json.dumps(row, ensure_ascii=False, default=str)
                yield Refusal(number, _("row {number}: {reason}", number=number, reason=error), raw + "\n")


def schema_for(labels: Sequence[str]) -> Any:
    """The schema of a table of documents whose spans have these labels."""
    pa = pyarrow()
    tags = tag_names(labels)
    link = pa.struct([(name, pa.string()) for name in LINK])
    span = pa.struct(
        [
            ("start", pa.int64()), ("end", pa.int64()), ("label", pa.string()), ("score", pa.float64()),
            ("link", link),
        ]
    )  # fmt: skip
    features = {
        "id": {"dtype": "string", "_type": "Value"},
        "text": {"dtype": "string", "_type": "Value"},
        "tokens": {"feature": {"dtype": "string", "_type": "Value"}, "_type": "List"},
        "ner_tags": {"feature": {"names": tags, "_type": "ClassLabel"}, "_type": "List"},
        "spans": {
            "feature": {
                "start": {"dtype": "int64", "_type": "Value"},
                "end": {"dtype": "int64", "_type": "Value"},
                "label": {"dtype": "string", "_type": "Value"},
                "score": {"dtype": "float64", "_type": "Value"},
                "link": {name: {"dtype": "string", "_type": "Value"} for name in LINK},
            },
            "_type": "List",
        },
        "meta": {"dtype": "string", "_type": "Value"},
    }
    return pa.schema(
        [
            ("id", pa.string()),
            ("text", pa.string()),
            ("tokens", pa.list_(pa.string())),
            ("ner_tags", pa.list_(pa.int64())),
            ("spans", pa.list_(span)),
            ("meta", pa.string()),
        ],
        metadata={"huggingface": json.dumps({"info": {"features": features}}, ensure_ascii=False)},
    )


def tag_names(labels: Sequence[str]) -> list[str]:
    """The classes of ``ner_tags``: O, then B- and I- of every label."""
    return ["O", *(f"{prefix}-{label}" for label in labels for prefix in "BI")]


def table_of(documents: Iterable[Document]) -> tuple[Any, Iterator[Any]]:
    """The schema and the record batches of documents; holds them all in memory to collect their labels."""
    corpus = list(documents)
    labels = list(dict.fromkeys(span.label for document in corpus for span in document.spans))
    schema = schema_for(labels)
    return schema, batches_of(corpus, schema, labels)


def batches_of(documents: Iterable[Document], schema: Any, labels: Sequence[str]) -> Iterator[Any]:
    """The record batches of documents, of the schema for these labels."""
    pa = pyarrow()
    number = {name: place for place, name in enumerate(tag_names(labels))}
    waiting = iter(documents)
    while chunk := list(islice(waiting, CHUNK)):
        yield pa.RecordBatch.from_pylist([row_of(document, number) for document in chunk], schema=schema)


def row_of(document: Document, number: Mapping[str, int]) -> dict[str, Any]:
    """A document as one row.

    Args:
        number: of each class of `tag_names`.

    Raises:
        KeyError: a span has a label without a class.
    """
    flat, _ = flat_spans(document.spans)
    kept = document_tokens(document)
    starts, ends = {span.start for span in flat}, {span.end for span in flat}
    extents = rows(document.text, kept, starts, ends) if document.text else []
    return {
        "id": document.id,
        "text": document.text,
        "tokens": [document.text[start:end] for start, end in extents],
        "ner_tags": [number[tag] for tag in encode(over_tokens(flat, extents), len(extents), "BIO")],
        "spans": [
            {
                "start": span.start,
                "end": span.end,
                "label": span.label,
                "score": span.score,
                "link": span.link and span.link.to_json(),
            }
            for span in document.spans
        ],
        "meta": json.dumps(dict(document.meta), ensure_ascii=False, default=plain_value)
        if document.meta
        else None,
    }


def document_of_row(row: dict[str, Any], columns: Columns, malformed: Malformed, otherwise: str) -> Document:
    """The document of one row, as JSON values.

    Args:
        otherwise: its id where the row has none.

    Raises:
        RecordError, OffsetError, ValueError: tokens and tags do not fit, or spans lie outside the text.
    """
    identifier = id_field(row, "id", otherwise)
    meta = _meta(row, columns)
    text = row.get(columns.text) if columns.text else None
    if text is not None and (columns.spans is None or row.get(columns.spans) is not None):
        if not isinstance(text, str):
            raise RecordError("the text should be a text, but it is {text}", text=f"{text!r:.60}")
        if columns.spans is not None or not columns.tags:
            marks = [_mark(item) for item in (row.get("spans") or [] if columns.spans else [])]
            return build(Record(0, identifier, legal_text(text), marks, meta), CODE_POINTS)
    return _of_tokens(row, columns, malformed, identifier, text if isinstance(text, str) else None, meta)


def _of_tokens(
    row: dict[str, Any],
    columns: Columns,
    malformed: Malformed,
    identifier: str,
    text: str | None,
    meta: dict[str, Any],
) -> Document:
    """The document of a row with tokens and tags."""
    tokens = row.get(columns.tokens) if columns.tokens else None
    if not isinstance(tokens, list) or not all(isinstance(token, str) for token in tokens):
        raise RecordError(
            "the tokens should be a list of texts, but they are {tokens}", tokens=f"{tokens!r:.60}"
        )
    tags = _tags(row.get(columns.tags) if columns.tags else None, columns.tag_names, len(tokens))
    filled = [(token, tag) for token, tag in zip(tokens, tags, strict=True) if token]
    extents = aligned(text, [token for token, _ in filled]) if text is not None else []
    if text is None or len(extents) < len(filled):
        text, extents = join([token for token, _ in filled])
    scheme = scheme_of({tag[0] for _, tag in filled if tag != "O"})
    spans = [
        Span(extents[span.start][0], extents[span.end - 1][1], label_field(span.label))
        for span in decode([tag for _, tag in filled], scheme, malformed)
    ]
    kept = {TOKENS: [list(extent) for extent in extents]} if TOKENS not in meta and extents else {}
    return Document(identifier, legal_text(text), tuple(spans), meta | kept)


def _tags(values: Any, names: Sequence[str], count: int) -> list[str]:
    if values is None:
        return ["O"] * count
    if not isinstance(values, list) or len(values) != count:
        raise RecordError(
            "there should be a tag for every one of {tokens} tokens, but they are {values}",
            tokens=count,
            values=f"{values!r:.60}",
        )
    tags = []
    for value in values:
        if isinstance(value, int) and not isinstance(value, bool) and names:
            if not 0 <= value < len(names):
                raise RecordError(
                    "there is no tag number {value}; there are {tags}", value=value, tags=len(names)
                )
            value = names[value]
        if not isinstance(value, str) or not is_tag(value):
            message = (
                _("{tag} is not a tag; a tag is O or B- I- M- E- S- L- U- and a label")
                if names
                else _(
                    "{tag} is not a tag; a tag is O or B- I- M- E- S- L- U- and a label, and the file "
                    "does not name its classes"
                )
            )
            raise RecordError(message, tag=f"{value!r:.40}")
        tags.append(value)
    return tags


def _mark(item: Any) -> Mark:
    if not isinstance(item, dict):
        raise RecordError("a span should have start, end and label, but it is {item}", item=f"{item!r:.60}")
    link = item.get("link")
    if isinstance(link, dict):  # Arrow has every field of a struct; those without a value are not there
        item = {**item, "link": {name: value for name, value in link.items() if value is not None} or None}
    return span_mark(item)


def _meta(row: dict[str, Any], columns: Columns) -> dict[str, Any]:
    """The meta that we wrote, else the other columns."""
    stored = row.get("meta")
    if isinstance(stored, str) and stored.startswith("{"):
        try:
            loaded = json.loads(stored)
        except (ValueError, RecursionError):
            loaded = None
        if isinstance(loaded, dict):
            return loaded
    taken = {"id", columns.text, columns.tokens, columns.tags, columns.spans}
    return {name: _json(value) for name, value in row.items() if name not in taken and value is not None}


def _json(value: Any) -> Any:
    """A cell as JSON; dates, bytes and other Arrow types become text."""
    if isinstance(value, str):
        return legal_text(value)
    if value is None or isinstance(value, (bool, int)):
        return value
    if isinstance(value, float):
        return value if value == value and abs(value) != float("inf") else str(value)
    if isinstance(value, list):
        return [_json(item) for item in value]
    if isinstance(value, dict):
        return {str(name): _json(item) for name, item in value.items()}
    return str(value)


def plain_row(row: Mapping[str, Any], names: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """A row as JSON, the numbers in columns of classes replaced by their names.

    Args:
        names: the class names by column; a number without a name stays a number.
    """
    plain = {str(name): _json(value) for name, value in row.items()}
    for name, known in names.items():
        if isinstance(plain.get(name), list):
            plain[name] = [
                known[value] if type(value) is int and 0 <= value < len(known) else value
                for value in plain[name]
            ]
    return plain


def class_names(schema: Any, tags: str | None) -> tuple[str, ...]:
    """The class names of a column of numbers, from Hugging Face's metadata."""
    try:
        info = json.loads((schema.metadata or {}).get(b"huggingface", b"{}"))
        return names_of_feature(info["info"]["features"][tags])
    except (KeyError, TypeError, ValueError, AttributeError):
        return ()


def names_of_feature(feature: Any) -> tuple[str, ...]:
    """The class names of a ``Sequence(ClassLabel)`` in JSON; empty for any other feature."""
    if isinstance(feature, list) and feature:
        feature = {"feature": feature[0]}
    names = feature.get("feature", {}).get("names") if isinstance(feature, dict) else None
    return tuple(names) if isinstance(names, list) and all(isinstance(name, str) for name in names) else ()


def _is_text(schema: Any, name: str) -> bool:
    types = pyarrow("pyarrow.types")
    kind = schema.field(name).type
    return bool(types.is_string(kind) or types.is_large_string(kind))


def _is_list(schema: Any, name: str) -> bool:
    types = pyarrow("pyarrow.types")
    kind = schema.field(name).type
    return bool(types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind))
