"""Shared by standoff formats: raw records, and their conversion to documents.

A record has the file's offsets. Their convention is that of the format or of ``ReadOptions.offsets``, or
detected from surfaces: for the file from its first records, and for single records that fit other units only.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any, ClassVar, NamedTuple

from core.formats.framework import conventions
from core.formats.framework.attachments import Chain, Comment, Discontinuous, Link, Relation, to_meta
from core.formats.framework.conventions import (
    CODE_POINTS,
    Convention,
    converter,
    every_convention,
    with_other_units,
)
from core.formats.framework.errors import FormatError, RecordError
from core.formats.framework.format import Format, ReadOptions, Refusal
from core.formats.framework.source import Source
from core.formats.shapes.attributes import ATTRIBUTES, EQUIVALENCES, Attribute, Equivalence, link_of
from core.formats.shapes.json_lines import label_field, offset_field, score_field
from core.runtime.message import Message, _, message_of
from core.text import Document, EntityLink, OffsetError, Span, sort_spans
from core.text.entity_link import link_from_json

_SURVEYED = 300
_FEWEST, _SURE = 3, 0.9  # records, and their share, that must fit another convention to choose it
_OFFSETS = "offsets"  # the kind of note
_INCLUSIVE = _(" (end inclusive)")


class Mark(NamedTuple):
    """A span with the file's offsets; ``surface`` is None if the file has none."""

    start: int
    end: int
    label: str
    surface: str | None = None
    score: float | None = None
    link: EntityLink | None = None


@dataclass(frozen=True, slots=True)
class Record:
    """One raw record of a file.

    Args:
        line: its first line.
        parts: discontinuous spans: their pairs of offsets and their label.
        relations: type, and indices of both arguments: marks first, then ``parts``.
        comments: text, and the index of its span, or None.
        chains: links with the file's offsets.
        attributes: name, value, index of the span, and what a resource calls it, or None.
        equivalences: type, and indices of the spans.
        convention: stated in the record, or None.
        raw: the original record, to be stored if it is refused.
    """

    line: int
    id: str
    text: str
    marks: Sequence[Mark] = ()
    meta: Mapping[str, Any] = field(default_factory=dict)
    parts: Sequence[tuple[Sequence[tuple[int, int]], str]] = ()
    relations: Sequence[tuple[str, int, int]] = ()
    comments: Sequence[tuple[str, int | None]] = ()
    chains: Sequence[Sequence[Link]] = ()
    attributes: Sequence[tuple[str, str, int, str | None]] = ()
    equivalences: Sequence[tuple[str, Sequence[int]]] = ()
    convention: Convention | None = None
    raw: str = ""


class Standoff(Format):
    """A standoff format.

    Attributes:
        convention: the convention by definition.
        fallbacks: conventions to try for a record whose surfaces do not fit; None for the other units.
        sorts_spans: whether spans are put into reading order.
    """

    convention: Convention = CODE_POINTS
    sorts_spans: ClassVar[bool] = False
    fallbacks: tuple[Convention, ...] | None = None

    @abstractmethod
    def records(self, source: Source, options: ReadOptions) -> Iterator[Record | Refusal]:
        """Raw records in file order."""

    def read(self, source: Source, options: ReadOptions) -> Iterator[Document | Refusal]:
        """One document per record."""
        chosen = self.chosen_convention(source, options)
        is_given = options.offsets != "auto"
        fallbacks = with_other_units(chosen) if self.fallbacks is None else self.fallbacks
        for record in self.records(source, options):
            if isinstance(record, Refusal):
                yield record
                continue
            try:
                document = build(record, record.convention or chosen)
            except (RecordError, OffsetError, ValueError) as error:
                rescued = None if is_given else _with_fallback(record, fallbacks)
                if rescued is None:
                    yield Refusal(record.line, message_of(error), record.raw)
                    continue
                convention, document = rescued
                source.notes.add(
                    _OFFSETS,
                    f"{record.text[:20]!r}: the offsets fit their surfaces only as {convention.title}",
                )
            yield document.with_spans(sort_spans(document.spans)) if self.sorts_spans else document

    def chosen_convention(self, source: Source, options: ReadOptions) -> Convention:
        """The convention of a file: the given one, the format's own, or that detected from surfaces.

        Raises:
            FormatError: unknown convention.
        """
        if options.offsets != "auto":
            try:
                return conventions.by_name(options.offsets)
            except ValueError as error:
                raise FormatError(message_of(error)) from None
        first = islice(self.records(source.with_new_notes(), options), _SURVEYED)
        records = [item for item in first if isinstance(item, Record) and _has_surfaces(item)]
        wrong = [record for record in records if not fits(record, self.convention)]
        if not wrong:
            return self.convention
        counts = {
            convention: sum(fits(record, convention) for record in records)
            for convention in every_convention()
        }
        best = max(counts, key=lambda convention: counts[convention])
        if counts[best] < max(_FEWEST, _SURE * len(records)) or counts[best] <= counts[self.convention]:
            return self.convention
        source.notes.add(
            _OFFSETS,
            f"offsets: {best.title} (found: {counts[best]} of the first {len(records)} records with surfaces "
            f"fit so, {counts[self.convention]} as {self.convention.title})",
        )
        return best


def build(record: Record, convention: Convention) -> Document:
    """The document of a record under one convention.

    Raises:
        RecordError, OffsetError, ValueError: offsets outside the text, or another surface there.
    """
    text = record.text
    spans = _spans(record, convention)
    if not (
        record.parts
        or record.relations
        or record.comments
        or record.chains
        or record.attributes
        or record.equivalences
    ):
        return Document(record.id, text, tuple(spans), record.meta)
    parts = _parts(record, convention)
    keys = [span.key for span in spans] + [part.key for part in parts]
    attached = to_meta(
        parts,
        [Relation(name, keys[source], keys[target]) for name, source, target in record.relations],
        [Comment(words, None if about is None else keys[about]) for words, about in record.comments],
        _chains(record, convention),
    )
    attributes = []
    for name, value, about, named in record.attributes:
        link = link_of(name, value, named) if about < len(spans) and spans[about].link is None else None
        if link is None:
            attributes.append(Attribute(name, value, keys[about], named).to_json())
        else:
            spans[about] = replace(spans[about], link=link)
    if attributes:
        attached[ATTRIBUTES] = attributes
    if record.equivalences:
        attached[EQUIVALENCES] = [
            Equivalence(name, tuple(keys[one] for one in members)).to_json()
            for name, members in record.equivalences
        ]
    return Document(record.id, text, tuple(spans), {**record.meta, **attached})


def checked_mark(
    start: Any,
    end: Any,
    label: Any,
    surface: Any = None,
    score: Any = None,
    names: tuple[str, str] = ("a span's start", "a span's end"),
) -> Mark:
    """A mark from JSON values.

    Args:
        names: of the two offsets, for the error.

    Raises:
        RecordError: an offset, the label or the score is none.
    """
    return Mark(
        offset_field(start, names[0]),
        offset_field(end, names[1]),
        label_field(label),
        surface if isinstance(surface, str) else None,
        score_field(score),
    )


def span_mark(item: Mapping[str, Any]) -> Mark:
    """The mark of an object with ``start``, ``end``, ``label``, and perhaps ``text``, ``score`` and ``link``.

    Raises:
        RecordError: as `checked_mark`, or the link is an object and no link.
    """
    mark = checked_mark(
        item.get("start"), item.get("end"), item.get("label"), item.get("text"), item.get("score")
    )
    link = item.get("link")
    if not isinstance(link, Mapping):
        return mark
    try:
        return mark._replace(link=link_from_json(link))
    except ValueError as error:
        raise RecordError("{reason}", reason=error) from None


def fits(record: Record, convention: Convention) -> bool:
    """Whether every span lies in the text and has the surface the file gives for it."""
    try:
        _spans(record, convention)
        _parts(record, convention)
        _chains(record, convention)
    except (RecordError, OffsetError, ValueError):
        return False
    return True


def _has_surfaces(record: Record) -> bool:
    return any(mark.surface is not None for mark in record.marks)


def _with_fallback(record: Record, fallbacks: Sequence[Convention]) -> tuple[Convention, Document] | None:
    """The first convention that fits all surfaces of the record, and the document."""
    if not record.marks or any(mark.surface is None for mark in record.marks):
        return None
    for convention in fallbacks:
        if fits(record, convention):
            return convention, build(record, convention)
    return None


def _spans(record: Record, convention: Convention) -> list[Span]:
    if not record.marks:
        return []
    text = record.text
    if convention == CODE_POINTS:
        spans = []
        for start, end, label, surface, score, link in record.marks:
            if not 0 <= start < end <= len(text):
                raise outside_text(label, start, end, len(text))
            if surface is not None and text[start:end] != surface:
                raise mismatch(label, start, end, surface, text[start:end], "")
            spans.append(Span(start, end, label, score, link))
        return spans
    convert = converter(text, convention)
    spans = []
    for start, end, label, surface, score, link in record.marks:
        try:
            begin, stop = convert(start, end)
        except ValueError as error:
            if surface is None or not convention.inclusive:
                raise RecordError("span {label} {reason}", label=label, reason=error) from None
            actual = text[max(start, 0) : max(end + 1, 0)]  # the text there says more
            raise mismatch(label, start, end, surface, actual, _INCLUSIVE) from None
        if surface is not None and text[begin:stop] != surface:
            how = _INCLUSIVE if convention == Convention(inclusive=True) else f" ({convention.title})"
            raise mismatch(label, start, end, surface, text[begin:stop], how)
        spans.append(Span(begin, stop, label, score, link))
    return spans


def outside_text(label: str, start: Any, end: Any, length: int) -> RecordError:
    """The error for a span that does not lie in a text of ``length`` characters."""
    return RecordError(
        "span {label} {start}-{end} does not lie in the text, which has {length} characters",
        label=label,
        start=start,
        end=end,
        length=length,
    )


def mismatch(label: str, start: int, end: int, surface: str, actual: str, how: str | Message) -> RecordError:
    """The error for a span whose surface is another in the text."""
    return RecordError(
        "span {label} {start}-{end}{how} should read {surface} but the text there is {found}",
        label=label,
        start=start,
        end=end,
        how=how,
        surface=f"{surface!r:.60}",
        found=f"{actual!r:.60}",
    )


def _parts(record: Record, convention: Convention) -> list[Discontinuous]:
    if not record.parts:
        return []
    convert = converter(record.text, convention)
    parts = []
    for pairs, label in record.parts:
        extents = []
        for pair in pairs:
            try:
                extents.append(convert(*pair))
            except ValueError as error:
                raise RecordError(
                    "a part of the discontinuous span {label} {reason}", label=label, reason=error
                ) from None
        parts.append(Discontinuous(tuple(sorted(extents)), label))
    return parts


def _chains(record: Record, convention: Convention) -> list[Chain]:
    if not record.chains:
        return []
    convert = converter(record.text, convention)
    chains = []
    for chain in record.chains:
        links = []
        for start, end, *words in chain:
            try:
                links.append(Link(*convert(start, end), *words))
            except ValueError as error:
                raise RecordError("a link of a chain {reason}", reason=error) from None
        chains.append(Chain(tuple(links)))
    return chains
