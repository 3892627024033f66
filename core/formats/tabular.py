"""CSV and TSV with the text in one column."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, islice

from core.formats.framework.errors import FormatError, RecordError
from core.formats.framework.format import Format, Holds, Losses, ReadOptions, Refusal, WriteOptions
from core.formats.framework.source import Source, legal_text
from core.formats.jsonl import TEXT_NAMES
from core.formats.shapes.prose import is_prose
from core.runtime.message import _, message_of
from core.text import Document

_NAMES = (*TEXT_NAMES, "文本", "正文", "内容", "句子", "评论")
_OURS = ("id", "text")
_UNMATCHED = _("the quotes do not match; inside a quoted cell, write a quote twice")
# A spreadsheet takes a cell that begins so for a formula; in Chinese and Japanese ones, full-width signs too.
_FORMULA = re.compile(r"'*[=+\-@\t\r\n＝＋－＠]")
_LONGEST_CELL = 1 << 30  # Python's own limit of 131,072 refuses long texts
_SURVEYED_ROWS = 50
_RETRIES = 20
_COSTLY = 1 << 22  # characters one retry may reread; more count as several retries

Cells = tuple[int, list[str], str]  # line of the first cell, cells, original row


@dataclass(frozen=True, slots=True)
class _Columns:
    """Indices of the cells; ``names`` is empty if there is no header row."""

    names: tuple[str, ...]
    text: int
    id: int | None


class Tabular(Format):
    """One document per row. The first row is a header if one of its cells is a known name for a text.

    Without a header the text is the column with the longest cells. Other columns go into ``meta``; ``id`` is
    the id. Quotes follow RFC 4180, so cells may hold line breaks. A line with an unclosed quote is refused.

    What is written is safe to open in a spreadsheet: a cell that it would take for a formula gets an
    apostrophe before it, as does one that would otherwise read as one of these. In a file of our two
    columns, ``id`` and ``text``, it is taken off again.
    """

    def __init__(self, name: str, title: str, delimiter: str) -> None:
        self.name = name
        self.title = title
        self.delimiter = delimiter
        self.extensions = (f".{name}",)
        self.holds = Holds(spans=False, nested=False, crossing=False, ids=True)

    def sniff(self, head: str) -> float:
        """Fairly sure if the first row names a text column, less so if all rows have equally many cells."""
        rows = first_rows(head, self.delimiter)
        if not rows:
            return 0.0
        if _named(rows[0]) is not None:
            return 0.7 if len(rows[0]) > 1 else 0.15
        return (
            0.3 if len(rows) > 1 and len(rows[0]) > 1 and len({len(row) for row in rows[:-1]}) == 1 else 0.05
        )

    def read(self, source: Source, options: ReadOptions) -> Iterator[Document | Refusal]:
        """One document per row; empty lines are skipped."""
        columns = self._columns(source, options)
        prefix = options.id_prefix or source.name
        ours = columns.names == _OURS
        ordinal = 0
        for record in islice(rows_of(source, self.delimiter), bool(columns.names), None):
            ordinal += 1
            if isinstance(record, Refusal):
                yield record
                continue
            cells = [_bare(cell) for cell in record[1]] if ours else record[1]
            if cells != record[1]:
                source.notes.add(
                    "formulas", f"line {record[0]}: the apostrophe before a formula was taken off"
                )
            try:
                yield _document(cells, columns, f"{prefix}-{ordinal}")
            except RecordError as error:
                yield Refusal(record[0], message_of(error), record[2])

    def header_names(self, source: Source) -> tuple[str, ...]:
        """The cells of the first row, of which one can be chosen as the column of the text."""
        first = next(rows_of(source, self.delimiter), None)
        return tuple(cell.strip() for cell in first[1]) if isinstance(first, tuple) else ()

    def refused_header(self, source: Source) -> str:
        """The header row, if the file has one."""
        first = next(rows_of(source, self.delimiter), None)
        return first[2] if isinstance(first, tuple) and _named(first[1]) is not None else ""

    def header(self, options: WriteOptions) -> str:
        """The names of the two columns."""
        return self._row(list(_OURS))

    def render(self, document: Document, options: WriteOptions) -> tuple[str, Losses]:
        """One row."""
        lost = self.general_losses(document)
        identifier, text = (cell.replace("\0", " ") for cell in (document.id, document.text))
        if text != document.text:
            lost["texts"] = 1
        if identifier != document.id:
            lost["ids"] = 1
        return self._row([f"'{cell}" if _FORMULA.match(cell) else cell for cell in (identifier, text)]), lost

    def _row(self, cells: list[str]) -> str:
        target = io.StringIO(newline="")
        csv.writer(target, delimiter=self.delimiter).writerow(cells)
        return target.getvalue()

    def _columns(self, source: Source, options: ReadOptions) -> _Columns:
        records = islice(rows_of(source, self.delimiter), _SURVEYED_ROWS)
        rows = [record[1] for record in records if isinstance(record, tuple)]
        if not rows:
            raise FormatError(
                "{name} holds no row that can be read as {title}", name=source.path.name, title=self.title
            )
        first = [cell.strip() for cell in rows[0]]
        if options.text_column is not None and options.text_column not in first:
            raise FormatError(
                "{name} has no column {column}; there are {first}",
                name=source.path.name,
                column=repr(options.text_column),
                first=first,
            )
        text = first.index(options.text_column) if options.text_column is not None else _named(first)
        if text is None:
            text = max(
                range(len(first)), key=lambda index: sum(len(row[index]) for row in rows if index < len(row))
            )
            if len(first) > 1 and not is_prose([row[text] for row in rows if text < len(row)]):
                raise FormatError(
                    "{name}: no column holds texts, other than ids and categories; name the columns in "
                    "the first row",
                    name=source.path.name,
                )
            source.notes.add("columns", f"no row of column names; the text was taken from column {text + 1}")
            return _Columns((), text, None)
        source.notes.add("columns", f"the text was taken from the column {first[text]!r}")
        id_name = (options.id_column or "id").lower()
        identifier = next((index for index, name in enumerate(first) if name.lower() == id_name), None)
        return _Columns(tuple(first), text, identifier)


def first_rows(head: str, delimiter: str) -> list[list[str]]:
    """The first rows of a file with this beginning; none if its quotes do not match."""
    csv.field_size_limit(_LONGEST_CELL)
    try:
        rows = csv.reader(io.StringIO(head, newline=""), delimiter=delimiter)
        return [row for row in islice(rows, _SURVEYED_ROWS) if row]
    except csv.Error:
        return []


def _named(cells: list[str]) -> int | None:
    """The index of the cell that is a known name for a text column, or None."""
    lowered = [cell.strip().lower() for cell in cells]
    return next((lowered.index(name) for name in _NAMES if name in lowered), None)


def _bare(cell: str) -> str:
    """A cell as it was before it was kept from being a formula."""
    return cell[1:] if cell.startswith("'") and _FORMULA.match(cell) else cell


def _document(cells: list[str], columns: _Columns, otherwise: str) -> Document:
    if columns.text >= len(cells):
        raise RecordError(
            "the row has {cells} cells; the text should be in cell {cell}",
            cells=len(cells),
            cell=columns.text + 1,
        )
    identifier = cells[columns.id] if columns.id is not None and columns.id < len(cells) else ""
    meta = {
        columns.names[index] if index < len(columns.names) else f"column {index + 1}": legal_text(cell)
        for index, cell in enumerate(cells)
        if cell and index not in (columns.text, columns.id)
    }
    return Document(legal_text(identifier) or otherwise, legal_text(cells[columns.text]), (), meta)


def rows_of(source: Source, delimiter: str) -> Iterator[Cells | Refusal]:
    """Rows with their first line; rows that cannot be parsed are refused, and reading continues."""
    csv.field_size_limit(_LONGEST_CELL)
    with source.open(newline="") as stream:
        lines: Iterator[str] = stream
        line, retries = 1, _RETRIES
        while True:
            taken: list[str] = []
            reader = csv.reader(_recorded(lines, taken), delimiter=delimiter, strict=True)
            try:
                for cells in reader:
                    if cells:
                        yield line, cells, "".join(taken)
                    line += len(taken)
                    taken.clear()
                return
            except csv.Error:  # of quotes: cells may be as long as the file
                refused = taken if retries <= 0 else taken[:1]
                yield Refusal(line, _UNMATCHED, "".join(refused))
                lines = chain(taken[len(refused) :], lines)
                if len(taken) > 1:  # these lines are read again
                    retries -= 1 + sum(map(len, taken)) // _COSTLY
                line += len(refused)


def _recorded(lines: Iterator[str], taken: list[str]) -> Iterator[str]:
    for line in lines:
        taken.append(line)
        yield line
