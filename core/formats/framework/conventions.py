"""Offset conventions, and conversion to code points with exclusive ends."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Literal

import regex

from core.runtime.message import ToldValueError, _

Unit = Literal["code_points", "utf16", "utf8", "graphemes", "tokens"]
Breaks = Literal["as_they_are", "crlf_as_one", "lf_as_two"]
UNITS: tuple[Unit, ...] = ("code_points", "utf16", "utf8", "graphemes", "tokens")
BREAKS: tuple[Breaks, ...] = ("as_they_are", "crlf_as_one", "lf_as_two")

_CLUSTER = regex.compile(r"\X")
_TOKEN = regex.compile(r"\S+")
_UNIT_TITLES = {
    "code_points": "code points",
    "utf16": "UTF-16 units",
    "utf8": "UTF-8 bytes",
    "graphemes": "graphemes",
    "tokens": "tokens between blanks",
}
_BREAK_TITLES = {"crlf_as_one": "CRLF counted as one", "lf_as_two": "every line break counted as two"}


@dataclass(frozen=True, slots=True)
class Convention:
    """An offset convention.

    Args:
        unit: what is counted. inclusive: whether the end is the last unit of the span.
        one_based: whether the first unit is number 1.
        breaks: whether CRLF counts as one unit, or a lone line feed as two (if line breaks were converted
            after annotation).
    """

    unit: Unit = "code_points"
    inclusive: bool = False
    one_based: bool = False
    breaks: Breaks = "as_they_are"

    @property
    def name(self) -> str:
        """Name on the command line: ``utf16+inclusive``."""
        parts = [self.unit, *["inclusive"] * self.inclusive, *["one_based"] * self.one_based]
        return "+".join([*parts, *[self.breaks] * (self.breaks != "as_they_are")])

    @property
    def title(self) -> str:
        """Display name: ``UTF-16 units, end inclusive``."""
        parts = [_UNIT_TITLES[self.unit], "end inclusive" if self.inclusive else "end exclusive"]
        if self.one_based:
            parts.append("from 1")
        if self.breaks in _BREAK_TITLES:
            parts.append(_BREAK_TITLES[self.breaks])
        return ", ".join(parts)


CODE_POINTS = Convention()
UTF16 = Convention("utf16")
GRAPHEMES = Convention("graphemes")


def every_convention() -> tuple[Convention, ...]:
    """All conventions, the usual ones first; ``breaks`` varies only for code points and UTF-16."""
    plain = [
        Convention(unit, inclusive, one_based)
        for one_based, inclusive, unit in product((False, True), (False, True), UNITS)
    ]
    broken = [
        Convention(unit, inclusive, False, breaks)
        for breaks, inclusive, unit in product(BREAKS[1:], (False, True), UNITS[:2])
    ]
    return (*plain, *broken)


def by_name(name: str) -> Convention:
    """The convention of this name.

    Raises:
        ValueError: unknown name; the message lists the valid parts.
    """
    unit, *parts = name.replace(" ", "").split("+")
    breaks = [part for part in parts if part in BREAKS]
    if unit not in UNITS or set(parts) - {"inclusive", "one_based", *BREAKS} or len(breaks) > 1:
        raise ValueError(
            f"{name!r} is no offset convention; one of {', '.join(UNITS)}, with +inclusive, +one_based, "
            "+crlf_as_one or +lf_as_two behind it where that holds"
        )
    return Convention(
        unit, "inclusive" in parts, "one_based" in parts, breaks[0] if breaks else "as_they_are"
    )


def with_other_units(convention: Convention) -> tuple[Convention, ...]:
    """The conventions that differ from this one in the unit only."""
    others: tuple[Unit, ...] = ("code_points", "utf16", "graphemes", "utf8")
    return tuple(replace(convention, unit=unit) for unit in others if unit != convention.unit)


def same_everywhere(text: str, convention: Convention) -> bool:
    """Whether the convention numbers the units of this text like code points."""
    if convention.breaks == "crlf_as_one" and "\r\n" in text:
        return False
    if convention.breaks == "lf_as_two" and "\n" in text:
        return False
    if convention.unit == "tokens":
        return False
    if convention.unit == "code_points":
        return True
    if text.isascii():
        return convention.unit != "graphemes" or "\r" not in text
    if convention.unit == "utf16":
        return max(text) <= "\uffff"
    return False


def converter(text: str, convention: Convention) -> Callable[[int, int], tuple[int, int]]:
    """A function from a pair of the convention's offsets to start and end in code points.

    It raises ValueError for a pair that lies outside the text, is empty, or cuts a character or cluster.
    """
    first = int(convention.one_based)
    step = int(convention.inclusive) - first
    if same_everywhere(text, convention):
        starts: Sequence[int] = range(len(text) + 1)
        ends = starts
    else:
        starts, ends = _boundaries(text, convention)

    def convert(start: int, end: int) -> tuple[int, int]:
        begin, stop = start - first, end + step
        if not 0 <= begin < stop < len(ends):
            raise ToldValueError(
                "{start}-{end} does not lie in the text, which has {length} characters ({title})",
                start=start,
                end=end,
                length=len(text),
                title=convention.title,
            )
        extent = starts[begin], ends[stop]
        if extent[0] < 0 or extent[1] < 0:
            inside = _("a surrogate pair") if convention.unit == "utf16" else _("a character")
            raise ToldValueError(
                "{start}-{end} begins or ends inside {inside} ({title})",
                start=start,
                end=end,
                inside=inside,
                title=convention.title,
            )
        return extent

    return convert


def _boundaries(text: str, convention: Convention) -> tuple[list[int], list[int]]:
    """Code-point offset of every unit's start, and of every unit's end one later; -1 inside a character."""
    if convention.unit == "tokens":
        extents = [match.span() for match in _TOKEN.finditer(text)]
        return [start for start, _ in extents] + [len(text)], [0] + [end for _, end in extents]
    places: list[int] = []
    at = 0
    for length, width in _pieces(text, convention):
        places += [at] + [-1] * (width - 1)
        at += length
    places.append(at)
    return places, places


def _pieces(text: str, convention: Convention) -> Iterator[tuple[int, int]]:
    """The lengths of characters or clusters in code points and in units."""
    if convention.unit == "graphemes":
        pieces: Iterator[str] = (match[0] for match in _CLUSTER.finditer(text))
    elif convention.breaks == "crlf_as_one":
        pieces = (match[0] for match in regex.finditer(r"(?s)\r\n|.", text))
    else:
        pieces = iter(text)
    before = ""
    for piece in pieces:
        if convention.unit == "graphemes" or (convention.breaks == "crlf_as_one" and piece == "\r\n"):
            width = 1
        elif convention.breaks == "lf_as_two" and piece == "\n" and before != "\r":
            width = 2
        elif convention.unit == "utf16":
            width = 1 + (piece > "\uffff")
        else:
            width = len(piece.encode("utf-8")) if convention.unit == "utf8" else 1
        before = piece
        yield len(piece), width
