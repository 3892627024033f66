"""From the structure of a BioC document to a record of ours."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

from core.formats.bioc.structure import MOST_BLANKS, PASSAGES, SCORE, TYPE, Annotation, Bioc, filler
from core.formats.framework.conventions import CODE_POINTS, UTF16, Convention, converter
from core.formats.framework.conventions import by_name as convention_of
from core.formats.framework.errors import RecordError
from core.formats.framework.format import Holds, ReadOptions, Refusal
from core.formats.framework.source import Notes, Source, legal_text
from core.formats.shapes.json_lines import label_field
from core.formats.shapes.standoff import Mark, Record, Standoff, build, fits, mismatch
from core.runtime.message import message_of

_LABELS = (TYPE, "class", "label", "category")  # keys of the infon that is the label, the usual one first
_PLAIN_ROLES = ("", "Arg1", "Arg2")
_BYTES = Convention("utf8")
_WHITE = re.compile(r"\s+")


class BiocFormat(Standoff):
    """Passages joined to one text in which their offsets hold.

    What the offsets leave out between passages is filled with blanks and a line break. The infon ``type`` is
    the label, ``score`` the confidence if it is one, ``identifier`` the link, others are attributes of the
    span; infons of the document and of passages are further fields. Annotations of several places are
    discontinuous spans; an annotation without characters is dropped with a note. Fields of the collection
    are not kept.
    """

    holds = Holds(discontinuous=True, relations=True, authors=True, scores=True, links=True, ids=True)
    fallbacks = ()  # every record names its convention

    def chosen_convention(self, source: Source, options: ReadOptions) -> Convention:
        """The given one; otherwise each document has its own.

        Raises:
            FormatError: unknown convention.
        """
        if options.offsets == "auto":
            return CODE_POINTS
        return super().chosen_convention(source, options)

    def record(
        self, found: Bioc, line: int, otherwise: str, raw: str, notes: Notes, options: ReadOptions
    ) -> Record | Refusal:
        """The record of one document under the convention that fits its texts.

        Args:
            otherwise: the id of a document without one.
        """
        try:
            if not found.passages:
                raise RecordError("the document has no passages")
            given = None if options.offsets == "auto" else convention_of(options.offsets)
            record = _fitting(found, [given] if given else _conventions(found), notes)
        except ValueError as error:  # of offsets, and RecordError
            return Refusal(line, message_of(error), raw)
        assert record.convention is not None  # set by `_fitting`
        if given is None and record.convention != CODE_POINTS:
            notes.add(
                "offsets",
                f"{record.text[:20]!r}: the offsets fit their surfaces only as {record.convention.title}",
            )
        return replace(record, line=line, id=legal_text(found.id) or otherwise, raw=raw)


def _conventions(found: Bioc) -> list[Convention]:
    """What the offsets of a document may count; texts of ASCII count alike in all."""
    widest = max(
        (max(text, default="") for passage in found.passages for _, text in passage.pieces), default=""
    )
    return [CODE_POINTS, *[UTF16] * (widest > "\uffff"), *[_BYTES] * (widest > "\x7f")]


def _fitting(found: Bioc, conventions: Sequence[Convention], notes: Notes) -> Record:
    """The record under the first convention that fits.

    Raises:
        RecordError: none does; says why the first one does not.
    """
    problem: ValueError | None = None
    for convention in conventions:
        mine = Notes()
        try:
            record = _record(found, convention, mine)
        except ValueError as error:
            problem = problem or error
            continue
        if len(conventions) == 1 or fits(record, convention):
            break
        problem = problem or _misfit(record, convention)
    else:
        assert problem is not None  # there is a first convention
        raise problem
    for text in mine.texts():
        notes.add("bioc", text)
    return record


def _misfit(record: Record, convention: Convention) -> ValueError:
    """Why a record does not fit a convention."""
    try:
        build(record, convention)
    except ValueError as error:
        return error
    raise AssertionError("it fits")


def _record(found: Bioc, convention: Convention, notes: Notes) -> Record:
    text, extents = _assembled(found, convention)
    legal_text(text)
    where = found.id or "?"
    marks: list[Mark] = []
    parts: list[tuple[list[tuple[int, int]], str]] = []
    places: dict[str, tuple[bool, int]] = {}
    attributes: list[tuple[str, str, tuple[bool, int]]] = []
    for annotation in found.annotations:
        label, score, others = _label_and_more(annotation)
        held = [(start, start + length) for start, length in annotation.places if length]
        if not held:
            notes.add("bioc", f"{where}: the annotation {annotation.id!r:.40} has no characters; left out")
            continue
        place = (len(held) > 1, len(parts) if len(held) > 1 else len(marks))
        if len(held) > 1:
            _check_parts(text, held, label, annotation.text, convention)
            parts.append((held, label))
        else:
            surface = _surface(text, held[0], annotation.text, convention)
            marks.append(Mark(*held[0], label, surface, score))
        places[annotation.id] = place
        attributes += [(name, value, place) for name, value in others]

    def number(place: tuple[bool, int]) -> int:
        return place[1] + len(marks) if place[0] else place[1]

    relations = []
    for tie in found.ties:
        ends = [places.get(node) for node, _ in tie.nodes]
        if len(ends) != 2 or ends[0] is None or ends[1] is None:
            notes.add("bioc", f"{where}: the relation {tie.id!r:.40} does not join two annotations; left out")
            continue
        if any(role not in _PLAIN_ROLES for _, role in tie.nodes) or set(tie.infons) - {TYPE}:
            notes.add("bioc", f"{where}: the relation {tie.id!r:.40} lost its roles and further infons")
        name = next((tie.infons[key] for key in _LABELS if tie.infons.get(key)), "related")
        relations.append((label_field(name), number(ends[0]), number(ends[1])))
    meta: dict[str, Any] = {name: legal_text(value) for name, value in found.infons.items()}
    if len(extents) > 1 or any(passage.infons for passage in found.passages) or extents[0][0]:
        meta[PASSAGES] = [
            {"start": start, "end": end, "infons": dict(passage.infons)}
            for (start, end), passage in zip(extents, found.passages, strict=True)
        ]
    return Record(
        1,
        found.id,
        text,
        marks,
        meta,
        parts,
        relations,
        attributes=[(name, value, number(place), None) for name, value, place in attributes],
        convention=convention,
    )


def _assembled(found: Bioc, convention: Convention) -> tuple[str, list[tuple[int, int]]]:
    """The text of a document, and the extents of its passages in code points.

    Raises:
        RecordError: a passage begins before the end of the one before it, or very far behind it.
    """
    chunks: list[str] = []
    extents: list[tuple[int, int]] = []
    units = length = blanks = 0
    for passage in found.passages:
        begin = None
        for offset, text in passage.pieces:
            gap = offset - convention.one_based - units
            blanks += max(gap, 0)
            if gap < 0 or blanks > MOST_BLANKS:
                raise RecordError(
                    "a passage begins at {start}, but the text before it ends at {length}",
                    start=offset,
                    length=units,
                )
            chunks += [filler(gap, bool(chunks)), text]
            length += gap
            begin = length if begin is None else begin
            length += len(text)
            units += gap + _units(text, convention)
        extents.append((length if begin is None else begin, length))
    return "".join(chunks), extents


def _units(text: str, convention: Convention) -> int:
    if convention.unit == "utf8":
        return len(text.encode("utf-8", "surrogatepass"))
    if convention.unit == "utf16":
        return len(text.encode("utf-16-le", "surrogatepass")) // 2
    return len(text)


def _label_and_more(annotation: Annotation) -> tuple[str, float | None, list[tuple[str, str]]]:
    """Label, confidence and the other infons of an annotation.

    Raises:
        RecordError: it has no type.
    """
    infons = annotation.infons
    key = next((name for name in _LABELS if infons.get(name, "").strip()), None)
    if key is None:
        raise RecordError("the annotation {id} has no infon with its type", id=f"{annotation.id!r:.40}")
    score = _score(infons.get(SCORE))
    others = [
        (legal_text(name), legal_text(value))
        for name, value in infons.items()
        if name and name != key and not (name == SCORE and score is not None)
    ]
    return label_field(infons[key]), score, others


def _score(value: str | None) -> float | None:
    try:
        score = float(value or "")
    except ValueError:
        return None
    return score if 0 <= score <= 1 else None


def _surface(text: str, held: tuple[int, int], surface: str | None, convention: Convention) -> str | None:
    """The surface to check; None if there is none or it differs in white space only."""
    if surface is None or _WHITE.search(surface) is None:
        return surface
    try:
        start, end = converter(text, convention)(*held)
    except ValueError:
        return surface
    actual = text[start:end]
    return None if actual != surface and _WHITE.sub(" ", actual) == _WHITE.sub(" ", surface) else surface


def _check_parts(
    text: str, held: list[tuple[int, int]], label: str, surface: str | None, convention: Convention
) -> None:
    """Check the parts of a discontinuous span and its surface, which may or may not hold what is between.

    Raises:
        RecordError: they overlap, or read otherwise.
    """
    held.sort()
    if any(left[1] > right[0] for left, right in pairwise(held)):
        raise RecordError("the parts of the discontinuous span {label} overlap", label=label)
    convert = converter(text, convention)
    try:
        extents = [convert(*part) for part in held]
    except ValueError as error:
        raise RecordError(
            "a part of the discontinuous span {label} {reason}", label=label, reason=error
        ) from None
    if surface is None:
        return
    joined = " ".join(text[start:end] for start, end in extents)
    whole = text[extents[0][0] : extents[-1][1]]
    if _WHITE.sub("", surface) not in (_WHITE.sub("", joined), _WHITE.sub("", whole)):
        raise mismatch(label, held[0][0], held[-1][1], surface, joined, "")
