"""Converts spans to tags and back, in four tag schemes.

A tag is ``O`` or a prefix, a hyphen and a label. ``BIO``: B begins, I continues. ``BMES``: B begins, M is
inside, E ends, S is a single token; ``BIOES`` has I for M; ``BILOU`` has L for E and U for S.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from core.runtime.message import ToldValueError
from core.text.span import Span

SchemeName = Literal["BIO", "BIOES", "BMES", "BILOU"]
Malformed = Literal["discard", "repair"]


@dataclass(frozen=True, slots=True)
class TagScheme:
    """The prefixes of one scheme for the four roles. In BIO the roles share prefixes."""

    name: SchemeName
    begin: str
    inside: str
    end: str
    single: str

    def tags(self, labels: Sequence[str]) -> tuple[str, ...]:
        """All tags of these labels, ``O`` first, then by label."""
        prefixes = dict.fromkeys((self.begin, self.inside, self.end, self.single))
        return ("O", *(f"{prefix}-{label}" for label in labels for prefix in prefixes))

    def segment(self, length: int, label: str) -> list[str]:
        """The tags of one span of ``length`` tokens."""
        if length == 1:
            return [f"{self.single}-{label}"]
        return [f"{self.begin}-{label}", *[f"{self.inside}-{label}"] * (length - 2), f"{self.end}-{label}"]

    def is_legal(self, before: str | None, after: str | None) -> bool:
        """Whether ``after`` may follow ``before``; None is the edge of the sentence."""
        left, left_label = _split(before)
        right, right_label = _split(after)
        left_open = left in self._continuing()
        if right in (self.begin, self.single, ""):
            # BIO does not mark ends, so a span may stop anywhere.
            return not left_open or self.name == "BIO"
        return left_open and left_label == right_label

    def _continuing(self) -> frozenset[str]:
        return frozenset((self.begin, self.inside))


SCHEMES: dict[SchemeName, TagScheme] = {
    "BIO": TagScheme("BIO", "B", "I", "I", "B"),
    "BIOES": TagScheme("BIOES", "B", "I", "E", "S"),
    "BMES": TagScheme("BMES", "B", "M", "E", "S"),
    "BILOU": TagScheme("BILOU", "B", "I", "L", "U"),
}


class OverlapError(ToldValueError):
    """Spans overlap, so no tag sequence can represent them all."""


def encode(spans: Iterable[Span], length: int, scheme: SchemeName = "BMES") -> list[str]:
    """One tag per token for flat spans whose offsets count tokens.

    Raises:
        OverlapError: two spans share a token.
        ValueError: a span ends after ``length``.
    """
    tags = ["O"] * length
    for span in spans:
        if span.end > length:
            raise ToldValueError(
                "span {label} {start}-{end} ends after the {length} tokens",
                label=span.label,
                start=span.start,
                end=span.end,
                length=length,
            )
        if any(tag != "O" for tag in tags[span.start : span.end]):
            raise OverlapError(
                "span {label} {start}-{end} overlaps another span",
                label=span.label,
                start=span.start,
                end=span.end,
            )
        tags[span.start : span.end] = SCHEMES[scheme].segment(len(span), span.label)
    return tags


def decode(tags: Sequence[str], scheme: SchemeName = "BMES", malformed: Malformed = "discard") -> list[Span]:
    """Spans over token positions.

    Args:
        tags: one per token.
        scheme: how to read the prefixes.
        malformed: ``discard`` drops every run of tags that is not a complete legal span; ``repair`` reads a
            run as conlleval does: a span starts at any non-``O`` tag that cannot continue the one before it,
            and ends before any tag that cannot continue it.
    """
    rules = SCHEMES[scheme]
    spans: list[Span] = []
    start = 0
    while start < len(tags):
        if tags[start] == "O":
            start += 1
            continue
        end = start + 1
        while end < len(tags) and tags[end] != "O" and not _starts(scheme, tags[end - 1], tags[end]):
            end += 1
        label = _split(tags[start])[1]
        whole = list(tags[start:end]) == rules.segment(end - start, label)
        if whole or malformed == "repair":
            spans.append(Span(start, end, label))
        start = end
    return spans


def malformed_positions(tags: Sequence[str], scheme: SchemeName = "BMES") -> list[int]:
    """Positions whose tag cannot follow its predecessor; ``len(tags)`` if the last span has no end."""
    edges: list[str | None] = [None, *tags, None]
    return [i for i in range(len(tags) + 1) if not _is_legal(scheme, edges[i], edges[i + 1])]


@lru_cache(maxsize=1 << 16)
def _is_legal(scheme: SchemeName, before: str | None, after: str | None) -> bool:
    # A file has few different pairs of tags and millions of rows.
    return SCHEMES[scheme].is_legal(before, after)


@lru_cache(maxsize=1 << 16)
def _starts(scheme: SchemeName, before: str, after: str) -> bool:
    """Whether ``after`` begins a new span; neither tag is O."""
    rules = SCHEMES[scheme]
    left, left_label = _split(before)
    right, right_label = _split(after)
    closed = left in (rules.end, rules.single) and left not in rules._continuing()
    return closed or right in (rules.begin, rules.single) or left_label != right_label


def _split(tag: str | None) -> tuple[str, str]:
    if tag is None or tag == "O":
        return "", ""
    prefix, _, label = tag.partition("-")
    return prefix, label
