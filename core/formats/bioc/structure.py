"""What BioC XML and BioC JSON have in common: the structure of a document.

Layout: Comeau et al. 2013, "BioC: a minimalist approach to interoperability for biomedical text processing",
and its DTD. Offsets are those of the whole document. BioC leaves open what they count, and files of code
points, UTF-16 units and bytes exist; texts of annotations decide, document by document.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

PASSAGES = "passages"
TYPE, SCORE = "type", "score"
MOST_BLANKS = 1 << 16  # that the offsets of one document may ask for

Infons = dict[str, str]
Clean = Callable[[str], str]


class Passage(NamedTuple):
    """A piece of text that begins at ``offset``, or the pieces (sentences) of one that has no text itself."""

    infons: Infons
    pieces: tuple[tuple[int, str], ...]


class Annotation(NamedTuple):
    """An annotation of one or more places, each an offset and a length."""

    id: str
    infons: Infons
    places: tuple[tuple[int, int], ...]
    text: str | None = None


class Tie(NamedTuple):
    """A relation; its nodes are ids of annotations or relations, each with a role."""

    id: str
    infons: Infons
    nodes: tuple[tuple[str, str], ...]


@dataclass
class Bioc:
    """One document of a collection, in the order of the file."""

    id: str
    infons: Infons = field(default_factory=dict)
    passages: list[Passage] = field(default_factory=list)
    annotations: list[Annotation] = field(default_factory=list)
    ties: list[Tie] = field(default_factory=list)


def filler(gap: int, is_inside: bool) -> str:
    """What stands between passages: a line break after blanks; blanks alone before the first one."""
    return " " * (gap - 1) + "\n" if gap and is_inside else " " * gap
