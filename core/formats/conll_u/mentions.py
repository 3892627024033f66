"""CorefUD's mentions: brackets in the cells of a sentence (ufal.mff.cuni.cz/corefud, format 1.0)."""

from __future__ import annotations

import re
from itertools import pairwise

from core.formats.conll_u.draft import Draft, add_span
from core.formats.conll_u.rows import Rows
from core.formats.framework.attachments import Discontinuous
from core.formats.framework.errors import RecordError
from core.formats.framework.source import Notes
from core.formats.shapes.brackets import Brackets, Opened

_PART = re.compile(r"(.+)\[(\d+)/(\d+)\]")
_BRACKET = re.compile(r"\(([^()]+)(\)?)|([^()]+)\)")
NAMES = ("eid", "etype")  # the parts of an opening bracket where no comment names them
_ENTITY_NAMES, _TYPE_NAMES = ("eid", "grp"), ("etype", "entity")


def add_mentions(read: Draft, rows: Rows, names: list[str], notes: Notes) -> None:
    """Add the mentions of a sentence, whose brackets close in it.

    Args:
        names: the parts of an opening bracket.

    Raises:
        RecordError: a cell has no brackets, or they do not match.
    """
    if not rows.brackets:
        return
    offset = len(read.words) - len(rows.words)
    entity_at = next((names.index(name) for name in _ENTITY_NAMES if name in names), 0)
    type_at = next((names.index(name) for name in _TYPE_NAMES if name in names), None)
    brackets = Brackets()
    pieces: dict[str, list[tuple[int, int]]] = {}
    for value, word, empty, line in rows.brackets:
        place = 0
        for found in _BRACKET.finditer(value):
            if found.start() != place:
                break
            place = found.end()
            if found[1] is not None:
                cells = found[1].split("-")
                entity = cells[entity_at] if entity_at < len(cells) else cells[0]
                label = cells[type_at] if type_at is not None and type_at < len(cells) else ""
                brackets.open(Opened(entity, word, line, label))
                if not found[2]:
                    continue
                closing = entity
            else:
                closing = _closing(brackets, found[3], entity_at)
            opened = brackets.close(closing, line)
            after = word + (not empty)
            if opened.first >= after:
                notes.add("entities", f"line {opened.line}: a mention without words was left out")
                continue
            _add_mention(read, opened, offset, after, pieces, notes)
        if place != len(value):
            raise RecordError(
                "line {line}: {cell} is not a list of brackets", line=line, cell=repr(value[:40])
            )
    brackets.finish()


def _closing(brackets: Brackets, name: str, entity_at: int) -> str:
    """The entity that a closing bracket names: by its name alone, or by the parts up to its name."""
    if brackets.opened.get(name):
        return name
    cells = name.split("-")
    return cells[entity_at] if entity_at < len(cells) else name


def _add_mention(
    read: Draft,
    opened: Opened,
    offset: int,
    after: int,
    pieces: dict[str, list[tuple[int, int]]],
    notes: Notes,
) -> None:
    first, last = offset + opened.first, offset + after
    part = _PART.fullmatch(opened.name)
    if part is None:
        read.mentions.append((opened.name, first, last, opened.label))
        if opened.label:
            add_span(read, first, last, opened.label)
        return
    found = pieces.setdefault(part[1], [])
    found.append((read.words[first][0], read.words[last - 1][1]))
    if part[2] != part[3]:
        return
    del pieces[part[1]]
    found.sort()
    if not opened.label or any(left[1] > right[0] for left, right in pairwise(found)):
        return
    if len(found) > 1:
        read.parts.append(Discontinuous(tuple(found), opened.label))
    else:
        add_span(read, first, last, opened.label)
