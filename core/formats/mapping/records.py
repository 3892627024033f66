"""The records of a file before anything is said of their fields: JSON, tables, rows of tokens, Parquet."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Literal, NamedTuple

from core.formats.framework.errors import FormatError, RecordError
from core.formats.framework.format import Refusal
from core.formats.framework.source import RawSource, Source
from core.formats.mapping.field_path import value_at
from core.formats.mapping.mapping import Mapping
from core.formats.shapes.arrow_table import CHUNK, arrow_errors, class_names, plain_row, pyarrow
from core.formats.shapes.json_lines import Record, numbered_records
from core.formats.shapes.rows import DOCSTART
from core.formats.tabular import first_rows, rows_of

Kind = Literal["json", "csv", "tsv", "columns", "parquet"]
COLUMN = "column {number}"  # the name of a column without one; part of mappings, so never translated
_SURVEYED = 200
_MOST_EQUAL = 0.75
_HEADERS = frozenset(
    ("token", "tokens", "word", "words", "form", "text", "content", "sentence", "body", "context", "title",
     "id", "label", "labels", "tag", "tags", "ner", "ner_tags", "entities", "spans", "start", "end", "split",
     "文本", "正文", "内容", "句子", "评论", "标签", "词"),
)  # fmt: skip
_NAME = re.compile(r"[^\W\d][\w #./:-]{0,39}")
_BLOCKS = re.compile(r"\n[ \t]*\n")


class RawRecord(NamedTuple):
    """One record: its first line (a row's number in Parquet), what the file has there, and its value."""

    line: int
    raw: str
    value: Record | RecordError


def kind_of(source: Source) -> Kind:
    """What kind of records a file has.

    Raises:
        FormatError: neither objects nor rows with several cells.
    """
    if isinstance(source, RawSource):
        if source.start(4) == b"PAR1":
            return "parquet"
        raise FormatError(
            "the fields of {name} cannot be mapped: it is no JSON, JSONL, CSV, TSV, Parquet or column file",
            name=source.path.name,
        )
    head = source.head().lstrip("\ufeff")
    if head.lstrip()[:1] in ("{", "["):
        return "json"
    if _has_blocks(head):
        return "columns"
    for kind, delimiter in (("tsv", "\t"), ("csv", ",")):
        counts = Counter(len(row) for row in first_rows(head, delimiter)[:-1] or first_rows(head, delimiter))
        if counts and max(counts) > 1 and counts.most_common(1)[0][0] > 1:
            return kind  # type: ignore[return-value]
    if any(len(_cells(line)) > 1 for line in head.split("\n")[:_SURVEYED]) and head.count("\n") > 1:
        return "columns"
    raise FormatError(
        "the fields of {name} cannot be mapped: it is no JSON, JSONL, CSV, TSV, Parquet or column file",
        name=source.path.name,
    )


def raw_records(source: Source, mapping: Mapping) -> Iterator[RawRecord]:
    """Every record in file order, grouped and taken out of their list as the mapping says."""
    kind = kind_of(source)
    if kind == "json":
        yield from _of_json(source, mapping.records)
    elif kind == "parquet":
        yield from _of_parquet(source)
    elif kind == "columns":
        yield from _of_blocks(source)
    else:
        table = _of_table(source, "," if kind == "csv" else "\t")
        yield from _grouped(table, mapping.group) if mapping.group else table


def first_values(source: Source, mapping: Mapping) -> list[Record]:
    """The first records that can be read."""
    records = (raw.value for raw in raw_records(source, mapping))
    return [value for value in islice(records, _SURVEYED) if not isinstance(value, RecordError)]


def _of_json(source: Source, inside: str) -> Iterator[RawRecord]:
    for line, raw, value in numbered_records(source):
        if isinstance(value, RecordError) or not inside:
            yield RawRecord(line, raw, value)
            continue
        items = value_at(value, inside)
        if not isinstance(items, list):
            fault = RecordError("there is no list of records at {path}", path=repr(inside))
            yield RawRecord(line, raw, fault)
            continue
        for number, item in enumerate(items, 1):
            written = json.dumps(item, ensure_ascii=False) + "\n"
            if isinstance(item, dict):
                yield RawRecord(line, written, item)
            else:
                fault = RecordError(
                    "record {number} of {path} is no object", number=number, path=repr(inside)
                )
                yield RawRecord(line, written, fault)


def _of_table(source: Source, delimiter: str) -> Iterator[RawRecord]:
    names: list[str] | None = None
    for row in rows_of(source, delimiter):
        if isinstance(row, Refusal):
            yield RawRecord(row.line, row.raw, RecordError(row.message))
            continue
        line, cells, raw = row
        if names is None:
            below = first_rows(source.head().lstrip("\ufeff"), delimiter)[1:]
            is_header = _is_header(cells, below)
            names = _names(cells if is_header else [], len(cells))
            if is_header:
                continue
        names += [COLUMN.format(number=number + 1) for number in range(len(names), len(cells))]
        yield RawRecord(line, raw, dict(zip(names, cells, strict=False)))


def _of_blocks(source: Source) -> Iterator[RawRecord]:
    """A record of columns for every sentence of a file with a token on each row."""
    names: list[str] | None = None
    first = 0
    rows: list[str] = []
    for number, line in _with_end(source):
        if line.strip(" \t"):
            if not rows and (line.startswith("#") or _cells(line)[:1] == [DOCSTART]):
                continue
            if names is None:
                cells = _cells(line)
                is_header = len(cells) > 1 and len({*cells}) == len(cells) and bool(
                    _HEADERS & {cell.strip().lower() for cell in cells[:1]}
                )  # fmt: skip
                names = _names(cells if is_header else [], len(cells))
                if is_header:
                    continue
            first = first or number
            rows.append(line)
            continue
        if rows and names is not None:
            yield RawRecord(first, "".join(row + "\n" for row in rows), _columns(rows, names, first))
        first, rows = 0, []


def _with_end(source: Source) -> Iterator[tuple[int, str]]:
    yield from source.lines()
    yield 0, ""


def _columns(rows: Sequence[str], names: Sequence[str], first: int) -> Record | RecordError:
    cells = [_cells(row) for row in rows]
    for place, row in enumerate(cells):
        if len(row) != len(names):
            return RecordError(
                "line {line}: the row has {cells} columns and the first row of the file {columns}",
                line=first + place,
                cells=len(row),
                columns=len(names),
            )
    return {name: [row[place] for row in cells] for place, name in enumerate(names)}


def _of_parquet(source: Source) -> Iterator[RawRecord]:
    pq = pyarrow("pyarrow.parquet")
    try:
        with source.path.open("rb") as stream:
            table = pq.ParquetFile(stream)
            schema = table.schema_arrow
            named = {name: known for name in schema.names if (known := class_names(schema, name))}
            number = 0
            for batch in table.iter_batches(CHUNK):
                for row in batch.to_pylist():
                    number += 1
                    value = plain_row(row, named)
                    raw = json.dumps(row, ensure_ascii=False, default=str) + "\n"
                    yield RawRecord(number, raw, value)
    except arrow_errors():
        raise FormatError(
            "{name} is damaged or not a Parquet file; write it again", name=source.path.name
        ) from None


def _grouped(table: Iterator[RawRecord], group: str) -> Iterator[RawRecord]:
    """Rows with one value in a column, one below the other, as one record of columns."""
    held: list[RawRecord] = []
    key = ""
    for row in table:
        if isinstance(row.value, RecordError):
            yield from _joined(held)
            held = []
            yield row
            continue
        cell = str(value_at(row.value, group, "")).strip()
        if held and cell and cell != key:
            yield from _joined(held)
            held = []
        key = cell or key
        held.append(row)
    yield from _joined(held)


def _joined(rows: Sequence[RawRecord]) -> Iterator[RawRecord]:
    if not rows:
        return
    values = [row.value for row in rows if not isinstance(row.value, RecordError)]
    names = dict.fromkeys(name for value in values for name in value)
    columns: Record = {name: [value.get(name, "") for value in values] for name in names}
    yield RawRecord(rows[0].line, "".join(row.raw for row in rows), columns)


def _has_blocks(head: str) -> bool:
    """Whether this is a file of sentences with blank lines between them and a token on each row."""
    blocks = [[row for row in block.split("\n") if row.strip()] for block in _BLOCKS.split(head.rstrip("\n"))]
    rows = [row for block in blocks for row in block if not row.startswith("#")]
    if (
        len(blocks) < 2
        or len(rows) <= len(blocks)
        or any('"' in row and "," in row for row in rows[:_SURVEYED])
    ):
        return False
    counts = Counter(len(_cells(row)) for row in rows)
    width, most = counts.most_common(1)[0]
    return width > 1 and most >= _MOST_EQUAL * len(rows)


def _cells(line: str) -> list[str]:
    """The cells of a row of a column file: between tabs if there are any, else between blanks."""
    if "\t" in line:
        return [cell.strip(" ") or " " for cell in line.rstrip("\n").split("\t")]
    return line.split()


def _is_header(cells: Sequence[str], below: Sequence[Sequence[str]]) -> bool:
    """Whether the first row of a table names its columns."""
    names = [cell.strip().lstrip("\ufeff") for cell in cells]
    if len({*names}) < len(names) or not all(names):
        return False
    if {name.lower() for name in names} & _HEADERS:
        return True
    if not below or not all(_NAME.fullmatch(name) for name in names):
        return False
    again = any(
        name == row[place].strip() for row in below for place, name in enumerate(names) if place < len(row)
    )
    lengths = [
        max((len(row[place]) for row in below if place < len(row)), default=0) for place in range(len(names))
    ]
    numbers = any(
        row[place].strip().isdecimal() for row in below for place in range(min(len(row), len(names)))
    )
    return not again and (numbers or max(lengths) > 2 * max(map(len, names)))


def _names(cells: Sequence[str], count: int) -> list[str]:
    named = [cell.strip().lstrip("\ufeff") for cell in cells]
    return named or [COLUMN.format(number=number + 1) for number in range(count)]
