"""An entry of a knowledge base that spans can be linked to."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from core.runtime.message import ToldValueError
from core.text.entity_link import LONGEST_NAME, NIL, EntityLink

MOST_ALIASES = 1_000
LONGEST_DESCRIPTION = 20_000  # characters
_BLANKS = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class KnowledgeEntry:
    """One thing with its names.

    Args:
        id: unique in its knowledge base. aliases: further names. type: such as PER, or empty.

    Raises:
        ValueError: an id or name that is empty, too long, or of several lines; too many aliases.
    """

    id: str
    name: str
    aliases: tuple[str, ...] = ()
    type: str = ""
    description: str = ""

    def __post_init__(self) -> None:
        EntityLink(self.id, self.name)  # the rules of an id and a name
        if self.id == NIL:
            raise ToldValueError("the id NIL stands for no entry; give the entry another one")
        if not self.name.strip():
            raise ToldValueError("the entry {id} has no name", id=self.id)
        if len(self.aliases) > MOST_ALIASES:
            raise ToldValueError("the entry {id} has more than {most} aliases", id=self.id, most=MOST_ALIASES)
        for alias in self.aliases:
            EntityLink(self.id, alias)
        if len(self.type) > LONGEST_NAME or len(self.description) > LONGEST_DESCRIPTION:
            raise ToldValueError(
                "the description of {id} has more than {most} characters",
                id=self.id,
                most=LONGEST_DESCRIPTION,
            )

    @property
    def names(self) -> tuple[str, ...]:
        """The name and every alias, each once."""
        return tuple(dict.fromkeys((self.name, *self.aliases)))


def folded(name: str) -> str:
    """A name for comparison: compatible characters as one, without case, blanks as one."""
    return _BLANKS.sub(" ", unicodedata.normalize("NFKC", name).casefold()).strip()
