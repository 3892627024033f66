"""Spans and chains of coreference from brackets that open on one row and close on another."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from core.formats.framework.attachments import Chain, Link
from core.formats.framework.errors import RecordError
from core.text.tokens import Extent

COREFERENCE = "coref"


@dataclass(frozen=True, slots=True)
class Opened:
    """A bracket that is open: its name, the number of its first token, its line, and its label."""

    name: str
    first: int
    line: int
    label: str = ""


@dataclass
class Brackets:
    """The brackets of a document that are open; those of one name close from the last one opened."""

    opened: dict[str, list[Opened]] = field(default_factory=lambda: defaultdict(list))

    def open(self, bracket: Opened) -> None:
        """Open a bracket."""
        self.opened[bracket.name].append(bracket)

    def close(self, name: str, line: int) -> Opened:
        """Close the last bracket with this name.

        Raises:
            RecordError: there is none.
        """
        if not self.opened[name]:
            raise RecordError(
                "line {line}: {bracket} closes what is not open", line=line, bracket=repr(f"{name})")
            )
        return self.opened[name].pop()

    def finish(self) -> None:
        """Check that nothing is left open.

        Raises:
            RecordError: something is.
        """
        left = min(
            (one for many in self.opened.values() for one in many), key=lambda one: one.line, default=None
        )
        if left is not None:
            raise RecordError(
                "line {line}: {bracket} is never closed",
                line=left.line,
                bracket=repr(f"({left.label or left.name}"),
            )


def chains_of(mentions: Iterable[tuple[str, int, int, str]], extents: Sequence[Extent]) -> list[Chain]:
    """The chains of at least two mentions, each in reading order.

    Args:
        mentions: entity, first token, the one after the last, and type.
        extents: of the tokens.
    """
    chains: dict[str, list[Link]] = defaultdict(list)
    for entity, first, after, kind in mentions:
        chains[entity].append(Link(extents[first][0], extents[after - 1][1], kind, COREFERENCE))
    found = []
    for links in chains.values():
        links.sort(key=lambda link: (link.start, -link.end))
        if len(links) > 1:
            found.append(Chain((*links[:-1], links[-1]._replace(relation=""))))
    return found
