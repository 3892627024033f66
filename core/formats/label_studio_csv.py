"""Label Studio's CSV and TSV exports: JSON_MIN in a table, regions as JSON in the cells of their controls.

Layout: Label Studio's guide, "Export annotations" (labelstud.io/guide/export), CSV and TSV. Offsets are code
points, end exclusive.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from core.formats.framework.errors import FormatError, RecordError
from core.formats.framework.format import Holds, ReadOnlyFormat, ReadOptions, Refusal
from core.formats.framework.source import Source, legal_text
from core.formats.label_studio import MIN_FIELDS, flat_record, regions_names
from core.formats.shapes.json_lines import Record
from core.formats.shapes.standoff import Record as StandoffRecord
from core.formats.shapes.standoff import Standoff
from core.formats.tabular import first_rows, rows_of
from core.runtime.message import damage_of, message_of

_OWN = frozenset(("annotation_id", "annotator", "created_at", "updated_at", "lead_time"))
_DELIMITERS = (",", "\t")


class LabelStudioCsv(ReadOnlyFormat, Standoff):
    """A row for each annotation of a task: ``id``, the data, a column per control, ``annotator`` and times.

    All columns of regions become spans; those of choices and ratings stay further fields.
    """

    name = "label_studio_csv"
    title = "Label Studio CSV/TSV"
    extensions = (".csv", ".tsv")
    holds = Holds(ids=True)

    def sniff(self, head: str) -> float:
        """Sure if cells hold regions, or if the columns are Label Studio's own."""
        return 0.97 if _delimiter(head) is not None else 0.0

    def records(self, source: Source, options: ReadOptions) -> Iterator[StandoffRecord | Refusal]:
        """One record per row."""
        prefix = options.id_prefix or source.name
        delimiter = _delimiter(source.head()) or _likely_delimiter(source)
        names: list[str] = []
        ordinal = 0
        for row in rows_of(source, delimiter):
            if isinstance(row, Refusal):
                yield row
                continue
            line, cells, raw = row
            if not names:
                names = [cell.strip() for cell in cells]
                continue
            ordinal += 1
            try:
                if len(cells) > len(names):
                    raise RecordError(
                        "the row has {cells} cells and the header has {names}",
                        cells=len(cells),
                        names=len(names),
                    )
                yield flat_record(options, prefix, ordinal, line, raw, _record(names, cells))
            except RecordError as error:
                yield Refusal(line, message_of(error), raw)

    def refused_header(self, source: Source) -> str:
        """The row of column names."""
        delimiter = _delimiter(source.head()) or _likely_delimiter(source)
        first = next((row for row in rows_of(source, delimiter)), None)
        return first[2] if isinstance(first, tuple) else ""


def _delimiter(head: str) -> str | None:
    """What separates the columns of an export of Label Studio; None if this is none."""
    for delimiter in _DELIMITERS:
        rows = first_rows(head, delimiter)
        if len(rows) < 2:
            continue
        names = [cell.strip().lower().lstrip("\ufeff") for cell in rows[0]]
        if len(names) < 2 or "" in names:
            continue
        records = [_values(names, cells) for cells in rows[1:]]
        if any(regions_names(record) for record in records) or len(_OWN.intersection(names)) >= 4:
            return delimiter
    return None


def _likely_delimiter(source: Source) -> str:
    first = next(iter(source.head().splitlines()), "")
    if not first.strip():
        raise FormatError("{name} is empty: there is nothing to import", name=source.path.name)
    return max(_DELIMITERS, key=first.count)


def _values(names: list[str], cells: list[str]) -> Record:
    """The cells by column, those that may be regions parsed as far as they can be."""
    values: Record = {}
    for name, cell in zip(names, cells, strict=False):
        try:
            values[name] = _cell(cell)
        except RecordError:
            values[name] = cell
    return values


def _record(names: list[str], cells: list[str]) -> Record:
    """The cells by column; empty ones are left out.

    Raises:
        RecordError: a cell that looks like regions is not JSON.
    """
    values = {name: _cell(legal_text(cell)) for name, cell in zip(names, cells, strict=False) if name}
    return {name: value for name, value in values.items() if value != "" or name not in MIN_FIELDS}


def _cell(cell: str) -> Any:
    """The regions in a cell; the cell itself if it holds something else.

    Raises:
        RecordError: it begins like regions and is not JSON.
    """
    if not cell.startswith("[{"):
        return cell
    try:
        value = json.loads(cell)
    except (ValueError, RecursionError) as error:
        if '"start"' not in cell:
            return cell  # a text that begins so
        raise RecordError("not JSON: {reason}", reason=damage_of(error)) from None
    return value if regions_names({"": value}) else cell
