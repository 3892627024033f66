"""The link of a span to an entry of a knowledge base (entity linking)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from core.runtime.message import ToldValueError

NIL = "NIL"  # the id that says: no entry of the knowledge base, as in TAC KBP and HIPE
LONGEST_ID, LONGEST_NAME, LONGEST_SOURCE = 200, 500, 200  # characters
_FIELDS = {"id", "name", "source"}
_CONTROL = re.compile(r"[\x00-\x1f\x7f\x85\u2028\u2029]")


@dataclass(frozen=True, slots=True)
class EntityLink:
    """What a span refers to.

    Args:
        id: of the entry in its knowledge base; ``NIL``: it has none.
        name: what the knowledge base calls it; empty if unknown.
        source: the knowledge base, such as ``Wikidata``; empty if unknown.

    Raises:
        ValueError: an empty id, a part that is too long, or a line break or control character in one.
    """

    id: str
    name: str = ""
    source: str = ""

    def __post_init__(self) -> None:
        for part, text, longest in (
            ("id", self.id, LONGEST_ID),
            ("name", self.name, LONGEST_NAME),
            ("source", self.source, LONGEST_SOURCE),
        ):
            if not isinstance(text, str) or len(text) > longest or _CONTROL.search(text):
                raise ToldValueError(
                    "the {part} of a link is one line of at most {longest} characters, got {text}",
                    part=part,
                    longest=longest,
                    text=f"{text!r:.60}",
                )
        if not self.id.strip():
            raise ToldValueError("a link needs an id")

    @property
    def is_nil(self) -> bool:
        """Whether it says that the knowledge base has no entry."""
        return self.id == NIL

    def same(self, other: EntityLink) -> bool:
        """Whether both mean the same entry; a link that names no source may be of any."""
        if self.id != other.id:
            return False
        return self.is_nil or self.source == other.source or not (self.source and other.source)

    @property
    def target(self) -> tuple[str, str]:
        """What two links to the same entry have in common: source and id. Every ``NIL`` is the same."""
        return ("", NIL) if self.is_nil else (self.source, self.id)

    def to_json(self) -> dict[str, str]:
        """``{"id", "name"?, "source"?}``."""
        parts = {"id": self.id, "name": self.name, "source": self.source}
        return {part: text for part, text in parts.items() if text}


def link_from_json(value: Any) -> EntityLink | None:
    """Parse the output of ``EntityLink.to_json``; None for None.

    Raises:
        ValueError: it is something else.
    """
    if value is None:
        return None
    if not isinstance(value, Mapping) or not {"id"} <= set(value) <= _FIELDS:
        raise ToldValueError("a link is an object with an id, and perhaps a name and a source")
    return EntityLink(**value)
