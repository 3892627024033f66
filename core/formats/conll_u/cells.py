"""The last cell of a row of CoNLL-U: a tag, brackets of entities, and the blanks beside the token."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

_TAG_KEYS = ("ner", "ne", "name", "entity_tag")
_ESCAPED = re.compile(r"\\([stnrp\\])")
_BLANKS = {"s": " ", "t": "\t", "n": "\n", "r": "\r", "p": "|", "\\": "\\"}
_SPELLED = {char: f"\\{letter}" for letter, char in _BLANKS.items()}


@dataclass(frozen=True, slots=True)
class Misc:
    """What the last cell says. ``after`` is None if it does not say what follows the token."""

    tag: str = ""
    entity: str = ""
    before: str = ""
    after: str | None = None


@lru_cache(maxsize=1 << 14)
def misc_of(cell: str) -> Misc:
    """What a cell says; cached, because most rows of a file have one of few cells."""
    if cell == "_" or "=" not in cell:
        return Misc()
    items = dict(item.partition("=")[::2] for item in cell.split("|"))
    tag = next((value for key, value in items.items() if key.lower() in _TAG_KEYS), "")
    after: str | None = None
    if items.get("SpaceAfter") == "No":
        after = ""
    elif "SpacesAfter" in items:
        after = _unescaped(items["SpacesAfter"])
    before = _unescaped(items.get("SpacesBefore", ""))
    return Misc("" if tag in ("O", "_") else tag, items.get("Entity", ""), before, after)


def written(tag: str, before: str, gap: str, last: bool) -> str:
    """The last cell of a row; ``last`` is that of the document, after which no blank is understood."""
    items = [] if tag == "O" else [f"NER={tag}"]
    if not gap:
        items.append("SpaceAfter=No")
    elif gap != " " or last:
        items.append(f"SpacesAfter={_escaped(gap)}")
    if before:
        items.append(f"SpacesBefore={_escaped(before)}")
    return "|".join(items) or "_"


def _unescaped(value: str) -> str:
    return _ESCAPED.sub(lambda found: _BLANKS[found[1]], value)


def _escaped(blanks: str) -> str:
    return "".join(_SPELLED.get(char, char) for char in blanks)
