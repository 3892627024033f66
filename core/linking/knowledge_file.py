"""Reads files of knowledge bases: CSV, TSV and JSON Lines, with id, name, aliases, type, description.

Columns are found by their names, in English or Chinese, whatever their order. Aliases are a list in JSON, and
in a table several between ``|``. A table without an ``id`` column is refused, and so is one without ``name``.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.formats.framework.errors import FormatError
from core.formats.framework.source import Source
from core.runtime.message import Message, _, message_of
from core.text.knowledge_entry import KnowledgeEntry

LARGEST = 2_000_000_000  # bytes
BETWEEN_ALIASES = "|"
_COLUMNS = {
    "id": ("id", "identifier", "qid", "kb_id", "entity_id", "编号", "标识"),
    "name": ("name", "label", "title", "canonical_name", "名称", "名字"),
    "aliases": ("aliases", "alias", "synonyms", "names", "别名", "同义词"),
    "type": ("type", "kind", "category", "类型", "类别"),
    "description": ("description", "definition", "desc", "text", "描述", "说明", "简介"),
}
_LONGEST_CELL = 1_000_000


@dataclass(frozen=True, slots=True)
class Refused:
    """A line that is no entry, and why."""

    line: int
    message: Message


def read_entries(
    path: Path, progress: Callable[[int], None] | None = None
) -> Iterator[tuple[int, KnowledgeEntry] | Refused]:
    """The entries of a file with their lines, one by one.

    Args:
        progress: called after every thousand lines with their number; may raise to stop.

    Raises:
        FormatError: nothing in the file can be read: it is empty, too large, no text, in another encoding
            than it seems, or a table without the columns.
    """
    if path.stat().st_size > LARGEST:
        raise FormatError(
            "{name} has more than {most} GB; split it, and merge the parts", name=path.name, most=2
        )
    source = Source(path)
    first = next((line for _number, line in source.lines() if line.strip()), "")
    rows = _objects(source) if first.lstrip("\ufeff \t").startswith("{") else _table(source, first)
    for count, item in enumerate(rows, 1):
        yield item
        if progress is not None and count % 1000 == 0:
            progress(count)


def _objects(source: Source) -> Iterator[tuple[int, KnowledgeEntry] | Refused]:
    for number, line in source.lines():
        if not line.strip():
            continue
        try:
            record = json.loads(line.lstrip("\ufeff"))
        except (ValueError, RecursionError):
            yield Refused(number, _("is not a JSON object"))
            continue
        if not isinstance(record, dict):
            yield Refused(number, _("is not a JSON object"))
            continue
        fields = _fields(list(record))
        yield _entry(number, {part: record[name] for part, name in fields.items()})


def _table(source: Source, first: str) -> Iterator[tuple[int, KnowledgeEntry] | Refused]:
    separator = max("\t,;", key=first.count)
    csv.field_size_limit(_LONGEST_CELL)
    with source.open() as stream:
        rows = csv.reader(stream, delimiter=separator)
        names = next((row for row in rows if any(cell.strip() for cell in row)), [])
        names = [name.lstrip("\ufeff").strip() for name in names]
        fields = _fields(names)
        if not {"id", "name"} <= set(fields):
            raise FormatError(
                "{name}: the first row should name the columns, among them id and name, but it is {row}",
                name=source.path.name,
                row=f"{first!r:.80}",
            )
        at = {part: names.index(name) for part, name in fields.items()}
        while True:
            number = rows.line_num + 1
            try:
                row = next(rows)
            except StopIteration:
                return
            except csv.Error as error:
                yield Refused(number, _("is not a row of the table: {reason}", reason=error))
                continue
            if not any(cell.strip() for cell in row):
                continue
            if len(row) != len(names):
                yield Refused(
                    number, _("has {found} cells instead of {count}", found=len(row), count=len(names))
                )
                continue
            yield _entry(number, {part: row[place] for part, place in at.items()})


def _fields(names: list[str]) -> dict[str, str]:
    """For each part of an entry the column that holds it."""
    lower = {name.strip().lower(): name for name in reversed(names)}
    found = {}
    for part, known in _COLUMNS.items():
        name = next((lower[name] for name in known if name in lower), None)
        if name is not None:
            found[part] = name
    return found


def _entry(number: int, cells: Mapping[str, Any]) -> tuple[int, KnowledgeEntry] | Refused:
    parts: dict[str, str] = {}
    for part in ("id", "name", "type", "description"):
        value = cells.get(part)
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            value = str(value)
        if value is not None and not isinstance(value, str):
            return Refused(number, _("{part} is not text", part=part))
        parts[part] = (value or "").strip()
    for part in ("id", "name"):
        if not parts[part]:
            return Refused(number, _("has no {part}", part=part))
    aliases = cells.get("aliases") or ()
    if isinstance(aliases, str):
        aliases = aliases.split(BETWEEN_ALIASES)
    if not isinstance(aliases, (list, tuple)) or not all(isinstance(alias, str) for alias in aliases):
        return Refused(number, _("the aliases are not a list of texts"))
    known = dict.fromkeys(alias.strip() for alias in aliases)
    try:
        "".join((*parts.values(), *known)).encode()
        return number, KnowledgeEntry(
            parts["id"],
            parts["name"],
            tuple(alias for alias in known if alias and alias != parts["name"]),
            parts["type"],
            parts["description"],
        )
    except UnicodeEncodeError:
        return Refused(number, _("contains an incomplete character"))
    except ValueError as error:
        return Refused(number, message_of(error))
