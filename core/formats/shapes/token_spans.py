"""Shared by JSON formats whose spans are given by the numbers of tokens.

These formats have no running text. A text is written beside the tokens, in a field that their tools ignore,
and is used where the tokens fit it; else the tokens are joined.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from core.formats.framework.errors import RecordError
from core.formats.framework.source import Source, legal_text
from core.formats.shapes.json_lines import label_field, offset_field
from core.formats.shapes.tokens import aligned, join, rows, token_meta
from core.runtime.message import Message, _
from core.text import Document
from core.text.tokens import Extent, document_tokens


class Tokenised(NamedTuple):
    """A text and the offsets of its tokens; a token without characters has an empty extent."""

    text: str
    extents: list[Extent]

    @property
    def meta(self) -> dict[str, Any]:
        """The ``meta`` that remembers the tokens, if the text alone does not give them."""
        return token_meta(self.text, [extent for extent in self.extents if extent[0] < extent[1]])

    def extent(self, first: Any, after: Any, label: str) -> Extent | None:
        """Offsets of the tokens from ``first`` to before ``after``; None if they have no characters.

        Raises:
            RecordError: there are no such tokens.
        """
        start, stop = offset_field(first, "a token's number"), offset_field(after, "a token's number")
        if not 0 <= start <= stop <= len(self.extents):
            raise self._outside(start, stop - 1, label)
        inside = [extent for extent in self.extents[start:stop] if extent[0] < extent[1]]
        return (inside[0][0], inside[-1][1]) if inside else None

    def extent_to(self, first: Any, last: Any, label: str) -> Extent | None:
        """As ``extent``, for the number of the last token.

        Raises:
            RecordError: there are no such tokens.
        """
        start, end = offset_field(first, "a token's number"), offset_field(last, "a token's number")
        if not 0 <= start <= end < len(self.extents):
            raise self._outside(start, end, label)
        return self.extent(start, end + 1, label)

    def _outside(self, first: int, last: int, label: str) -> RecordError:
        return RecordError(
            "span {label} of the tokens {first} to {last} does not lie in the record: its tokens are "
            "numbered from 0 and end before {count}",
            label=label,
            first=first,
            last=last,
            count=len(self.extents),
        )


def are_tokens(value: Any) -> bool:
    """Whether this is a list of texts."""
    return isinstance(value, list) and all(isinstance(token, str) for token in value)


def tokenised(tokens: Any, text: Any = None) -> Tokenised:
    """The running text of tokens.

    Args:
        text: what was written beside them; used if the tokens fit it.

    Raises:
        RecordError: they are no list of texts.
    """
    if not are_tokens(tokens):
        raise RecordError(
            "the tokens should be a list of texts, but they are {tokens}", tokens=f"{tokens!r:.60}"
        )
    filled = [token for token in tokens if token] if "" in tokens else tokens
    extents = aligned(text, filled) if isinstance(text, str) else []
    if not isinstance(text, str) or len(extents) < len(filled):
        text, extents = join(filled)
    legal_text(text)
    if len(filled) == len(tokens):
        return Tokenised(text, extents)
    known = iter(extents)
    every: list[Extent] = []
    for token in tokens:
        end = every[-1][1] if every else 0
        every.append(next(known) if token else (end, end))
    return Tokenised(text, every)


def items_of(values: Any, length: int, what: Message, form: str) -> list[list[Any]]:
    """The items of a list of lists.

    Args:
        length: the least number of values of each. what: what each is. form: what it looks like.

    Raises:
        RecordError: it is something else.
    """
    if values is None:
        return []
    for item in values if isinstance(values, list) else [values]:
        if not isinstance(values, list) or not isinstance(item, list) or len(item) < length:
            raise RecordError(
                "{what} should be {form}, but it is {item}", what=what, form=form, item=f"{item!r:.60}"
            )
    return list(values)


def triples_of(values: Any) -> list[tuple[Any, Any, str]]:
    """Start, end and label of every span in a list of lists; more values of a span, its scores, are ignored.

    Raises:
        RecordError: it is something else, or a label is none.
    """
    spans = items_of(values, 3, _("a span"), "[start, end, label]")
    return [(item[0], item[1], label_field(item[2])) for item in spans]


def note_empty(source: Source, line: int, label: str) -> None:
    """Note that a span without characters was left out."""
    source.notes.add("empty", f"line {line}: a span {label!r:.40} without characters was left out")


def written_tokens(document: Document, needed: Iterable[Extent]) -> list[Extent]:
    """The tokens to write, cut so that these extents begin and end at tokens.

    Blanks are no tokens, because the tools' encoders have nothing for them, unless an extent needs them.
    """
    text = document.text
    if not text:
        return []
    starts: set[int] = set()
    ends: set[int] = set()
    for start, end in needed:
        starts.add(start)
        ends.add(end)
    found = rows(text, document_tokens(document), starts, ends)
    bare = [extent for extent in found if not text[extent[0] : extent[1]].isspace()]
    if len(bare) == len(found):
        return found
    fits = starts <= {start for start, _ in bare} and ends <= {end for _, end in bare}
    return bare if fits else found


class Numbers:
    """The numbers of tokens by their offsets."""

    def __init__(self, extents: Sequence[Extent]) -> None:
        self._first = {start: number for number, (start, _) in enumerate(extents)}
        self._after = {end: number + 1 for number, (_, end) in enumerate(extents)}

    def first(self, start: int) -> int:
        """The token that begins here."""
        return self._first[start]

    def after(self, end: int) -> int:
        """The number after the token that ends here."""
        return self._after[end]

    def last(self, end: int) -> int:
        """The token that ends here."""
        return self._after[end] - 1
