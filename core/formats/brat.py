"""brat's standoff files: the text in ``.txt``, one annotation per line in ``.ann``.

Layout: brat's manual, "brat standoff format" (brat.nlplab.org/standoff.html). Offsets are code points of the
unchanged text file, end exclusive; a span over a line break is written in fragments, as brat does.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from itertools import pairwise
from pathlib import Path

from core.formats.companions.brat_configuration import BratConfiguration
from core.formats.framework.attachments import (
    Attachments,
    Discontinuous,
    attachments_of,
    has_both_ends,
    keys_of,
)
from core.formats.framework.errors import RecordError
from core.formats.framework.format import Holds, Losses, ReadOptions, Refusal, WriteOptions, in_order
from core.formats.framework.source import FolderSource, Notes, Source, legal_text, read_text
from core.formats.shapes.attributes import (
    ATTRIBUTES,
    EQUIVALENCES,
    REFERENCE,
    attributes_of,
    equivalences_of,
    link_of,
)
from core.formats.shapes.file_per_document import Configuration, FilePerDocument
from core.formats.shapes.standoff import Mark, Record, Standoff
from core.runtime.message import _
from core.text import Document, Span, SpanKey

_LINE = re.compile(r"(?:[TREANM#]\S*|\*)\t.*")
_TEXT_BOUND = re.compile(r"(\S+) (\d{1,12} \d{1,12}(?:;\d{1,12} \d{1,12})*)")
_RELATION = re.compile(r"(\S+)\s+\w+:([TE]\S*)\s+\w+:([TE]\S*)\s*")
_ATTRIBUTE = re.compile(r"(\S+) ([TE]\S*)(?: (.+))?")
_NORMALISATION = re.compile(r"(\S+) ([TE]\S*) (\S+)")
_EQUIVALENCE = re.compile(r"(\S+)((?: [TE]\S*)+) *")
# Roles without colons, because the pattern would backtrack exponentially otherwise.
_EVENT = re.compile(r"([^\s:]+):(T\S*)((?: +[^\s:]+:[TE]\S*)*) *")
_BREAKS = re.compile(r"[\r\n]+")
_BLANK = re.compile(r"[\t\r\n]")

Pairs = list[tuple[int, int]]


class Brat(FilePerDocument, Standoff):
    """A pair of files per document, with discontinuous spans, relations, notes on spans, and attributes.

    An event becomes a span for its trigger and relations to its arguments, which the import notes.
    Normalisations (``N``) are attributes with a text, equivalences (``*``) are kept beside them. A text
    without ``.ann`` has no spans; an ``.ann`` without its text is refused.
    """

    name = "brat"
    title = "brat standoff (.txt and .ann)"
    endings = (".txt", ".ann")
    required_extensions = (".ann",)
    holds = Holds(discontinuous=True, relations=True, comments=True, links=True, ids=True)

    def sniff(self, head: str) -> float:
        """Sure of an ``.ann`` file: all lines begin with an id and a tab."""
        lines = [line for line in head.split("\n") if line.strip()]
        return 0.98 if lines and all(_LINE.fullmatch(line.rstrip("\r")) for line in lines) else 0.0

    def recognises(self, source: Source) -> float:
        """Sure if there is an ``.ann`` file."""
        return 0.9 if isinstance(source, FolderSource) and source.files(*self.required_extensions) else 0.0

    def configuration(self) -> Configuration:
        """``annotation.conf``, without which brat shows no type it does not know."""
        return BratConfiguration()

    def records(self, source: Source, options: ReadOptions) -> Iterator[Record | Refusal]:
        """One record per pair of files."""
        assert isinstance(source, FolderSource)  # matches ``reads``
        endings_of: dict[Path, set[str]] = {}
        for path in source.files(".txt", ".ann"):
            endings_of.setdefault(path.with_suffix(""), set()).add(path.suffix)
        for stem, endings in endings_of.items():
            text, annotations = stem.with_name(stem.name + ".txt"), stem.with_name(stem.name + ".ann")
            written = read_text(annotations) if ".ann" in endings else ""
            if ".txt" not in endings:
                yield Refusal(
                    1,
                    _("{name}: there is no {other} beside it", name=annotations.name, other=text.name),
                    written or " ",
                )
                continue
            try:
                yield _record(source.identify(text)[0], read_text(text), written, source.notes)
            except RecordError as error:
                yield Refusal(1, _("{name}: {reason}", name=annotations.name, reason=error), written or " ")

    def files(self, document: Document, options: WriteOptions) -> tuple[list[str], Losses]:
        """Text and annotations."""
        text = document.text.replace("\0", " ")
        lost: Counter[str] = Counter(self.general_losses(document))
        lost["texts"] += text != document.text
        attached = attachments_of(document)
        lines, names = _text_bound(document.text, document.spans, attached.discontinuous, lost)
        numbers: dict[SpanKey, str] = {}
        for key, name in names:
            numbers.setdefault(key, name)
        lines += _other_lines(document, attached, numbers, lost)
        lines += _references(document, numbers, len(lines), lost)
        further = set(attached.rest or ())
        written = {ATTRIBUTES: _attributes(attached, numbers), EQUIVALENCES: _equivalences(attached, numbers)}
        if "meta" in lost and all(written.get(name) for name in further):
            del lost["meta"]
        mark = "\ufeff" if text.startswith("\ufeff") else ""  # reading drops one byte order mark
        return [mark + text, "".join(line + "\n" for line in lines)], in_order(lost)


def _text_bound(
    text: str, spans: tuple[Span, ...], more: tuple[Discontinuous, ...], lost: Counter[str]
) -> tuple[list[str], list[tuple[SpanKey, str]]]:
    """The T lines, and the key and name of each."""
    lines: list[str] = []
    names: list[tuple[SpanKey, str]] = []
    written = [(span.key, span.label, _fragments(text, span)) for span in spans]
    for item in more:
        if all(not _BREAKS.sub("", text[a[1] : b[0]]) for a, b in pairwise(item.parts)):
            lost["discontinuous"] += 1  # would be read as a span over line breaks
        else:
            written.append((item.key, item.label, list(item.parts)))
    for key, label, parts in written:
        name = f"T{len(lines) + 1}"
        kind = _word(label)
        lost["labels"] += kind != label
        surface = _BLANK.sub(" ", " ".join(text[start:end] for start, end in parts)).replace("\0", " ")
        lines.append(f"{name}\t{kind} {';'.join(f'{a} {b}' for a, b in parts)}\t{surface}")
        names.append((key, name))
    return lines, names


def _other_lines(
    document: Document, attached: Attachments, numbers: dict[SpanKey, str], lost: Counter[str]
) -> list[str]:
    """The lines of relations, notes and attributes."""
    lines: list[str] = []
    keys = keys_of(document.spans, attached.discontinuous)
    for relation in attached.relations:
        ends = numbers.get(relation.source), numbers.get(relation.target)
        complete = has_both_ends(relation, keys)
        kind = _word(relation.type)
        lost["relations"] += not complete or None in ends or kind != relation.type
        if None not in ends:
            lines.append(f"R{len(lines) + 1}\t{kind} Arg1:{ends[0]} Arg2:{ends[1]}")
    for comment in attached.comments:
        name = numbers.get(comment.span) if comment.span else None
        words = _BLANK.sub(" ", comment.text).strip()
        lost["comments"] += name is None or words != comment.text or bool(comment.more)
        if name is not None and words:
            lines.append(f"#{len(lines) + 1}\tAnnotatorNotes {name}\t{words}")
    return lines + _attributes(attached, numbers) + _equivalences(attached, numbers)


def _attributes(attached: Attachments, numbers: Mapping[SpanKey, str]) -> list[str]:
    """The lines of attributes and of normalisations; none unless they would all be read as they are."""
    lines: list[str] = []
    for at, (kind, value, span, text) in enumerate(attributes_of(attached.rest, numbers), 1):
        if _word(kind) != kind or _BLANK.sub(" ", value).strip() != value:
            return []
        if text is None:
            lines.append(f"A{at}\t{kind} {numbers[span]}{' ' + value if value else ''}")
            continue
        if not value or _word(value) != value or _BLANK.sub(" ", text) != text:
            return []
        lines.append(f"N{at}\t{kind} {numbers[span]} {value}\t{text}")
    return [] if any("\0" in line for line in lines) else lines


def _references(
    document: Document, numbers: Mapping[SpanKey, str], before: int, lost: Counter[str]
) -> list[str]:
    """A normalisation for every link; one that would not be read as it is counts as lost."""
    lines: list[str] = []
    linked: set[SpanKey] = set()
    for span in document.spans:
        if span.link is None:
            continue
        id_, name, source = span.link.id, span.link.name, span.link.source
        value = f"{source}:{id_}" if source or ":" in id_ else id_
        if link_of(REFERENCE, value, name) == span.link and _word(value) == value and span.key not in linked:
            lines.append(f"N{before + len(lines) + 1}\t{REFERENCE} {numbers[span.key]} {value}\t{name}")
        else:
            lost["links"] += 1
        linked.add(span.key)
    return lines


def _equivalences(attached: Attachments, numbers: Mapping[SpanKey, str]) -> list[str]:
    """The lines of equivalences; none unless they would all be read as they are."""
    groups = equivalences_of(attached.rest, numbers)
    if any(_word(group.type) != group.type for group in groups):
        return []
    return [f"*\t{group.type} {' '.join(numbers[span] for span in group.spans)}" for group in groups]


def _fragments(text: str, span: Span) -> Pairs:
    """The parts of a span, which is split at line breaks."""
    surface = text[span.start : span.end]
    if surface[0] in "\r\n" or surface[-1] in "\r\n" or _BREAKS.search(surface) is None:
        return [(span.start, span.end)]
    parts, at = [], 0
    for match in _BREAKS.finditer(surface):
        parts.append((span.start + at, span.start + match.start()))
        at = match.end()
    return [*parts, (span.start + at, span.end)]


def _word(label: str) -> str:
    """A type without blanks, as brat requires."""
    return re.sub(r"[\s\0]+", "_", label)


def _record(identifier: str, text: str, annotations: str, notes: Notes) -> Record:
    marks: list[Mark] = []
    parts: list[tuple[Pairs, str]] = []
    order: dict[str, tuple[str, int]] = {}
    later: list[tuple[str, str]] = []
    legal_text(text)
    for number, line in enumerate(re.split(r"\r\n|\n|\r", annotations), 1):
        if not line.strip():
            continue
        name, _, rest = line.partition("\t")
        if not name.startswith("T"):
            later.append((name, rest))
            continue
        head, _, surface = rest.partition("\t")
        match = _TEXT_BOUND.fullmatch(head)
        if match is None:
            raise RecordError(
                "line {number}: {line} is not a text-bound annotation", number=number, line=f"{line!r:.80}"
            )
        pairs = [(int(a), int(b)) for a, b in (pair.split(" ") for pair in match[2].split(";"))]
        label = legal_text(match[1])
        if len(pairs) > 1 and not all(_only_breaks(text, a[1], b[0]) for a, b in pairwise(pairs)):
            order[name] = ("parts", len(parts))
            parts.append((pairs, label))
            continue
        start, end = pairs[0][0], pairs[-1][1]
        order[name] = ("marks", len(marks))
        marks.append(Mark(start, end, label, _surface(text, start, end, surface, len(pairs) > 1)))
    return _with_references(identifier, text, marks, parts, order, later, notes)


def _with_references(
    identifier: str,
    text: str,
    marks: list[Mark],
    parts: list[tuple[Pairs, str]],
    order: dict[str, tuple[str, int]],
    later: list[tuple[str, str]],
    notes: Notes,
) -> Record:
    """The record with the lines that refer to its spans."""
    numbers = {
        name: place if kind == "marks" else len(marks) + place for name, (kind, place) in order.items()
    }
    relations: list[tuple[str, int, int]] = []
    comments: list[tuple[str, int | None]] = []
    attributes: list[tuple[str, str, int, str | None]] = []
    equivalences: list[tuple[str, list[int]]] = []
    triggers = _triggers(later, order)
    numbers |= {event: numbers[trigger] for event, trigger in triggers.items()}
    for name, rest in later:
        if name in triggers:
            relations += _arguments(identifier, name, rest, numbers, notes)
        elif (
            name.startswith("R")
            and (match := _RELATION.fullmatch(rest))
            and match[2] in numbers
            and match[3] in numbers
        ):
            relations.append((legal_text(match[1]), numbers[match[2]], numbers[match[3]]))
        elif name.startswith("#"):
            head, _, words = rest.partition("\t")
            about = numbers.get(head.rpartition(" ")[2])
            if about is None and head.strip():
                notes.add("brat", f"{identifier}: the note {name} on {head!r:.40} became one on the document")
            if words.strip():
                comments.append((legal_text(words.strip()), about))
        elif name[:1] in "AM" and (match := _ATTRIBUTE.fullmatch(rest)) and match[2] in numbers:
            attributes.append((legal_text(match[1]), legal_text(match[3] or ""), numbers[match[2]], None))
        elif name.startswith("N") and (known := _normalisation(rest, numbers)) is not None:
            attributes.append(known)
        elif (
            name == "*"
            and (match := _EQUIVALENCE.fullmatch(rest))
            and all(one in numbers for one in match[2].split())
        ):
            equivalences.append((legal_text(match[1]), [numbers[one] for one in match[2].split()]))
        else:
            notes.add("brat", f"{identifier}: a line {name} {rest!r:.40} was left out")
    return Record(
        1,
        identifier,
        text,
        marks,
        {},
        parts,
        relations,
        comments,
        attributes=attributes,
        equivalences=equivalences,
        raw=text,
    )


def _normalisation(rest: str, numbers: Mapping[str, int]) -> tuple[str, str, int, str] | None:
    """``Reference T1 Wikipedia:1`` and the name there: type, identifier, index of the span, name."""
    head, _, text = rest.partition("\t")
    match = _NORMALISATION.fullmatch(head.rstrip(" "))
    if match is None or match[2] not in numbers:
        return None
    return legal_text(match[1]), legal_text(match[3]), numbers[match[2]], legal_text(text)


def _triggers(later: list[tuple[str, str]], names: Collection[str]) -> dict[str, str]:
    """The trigger annotation of each event."""
    matches = ((name, _EVENT.fullmatch(rest)) for name, rest in later if name.startswith("E"))
    return {name: match[2] for name, match in matches if match is not None and match[2] in names}


def _arguments(
    identifier: str, name: str, rest: str, numbers: Mapping[str, int], notes: Notes
) -> list[tuple[str, int, int]]:
    """An event's arguments as relations from its trigger; an event as argument is replaced by its trigger."""
    match = _EVENT.fullmatch(rest)
    assert match is not None  # it has a trigger
    pairs = [argument.partition(":") for argument in match[3].split()]
    kept = [(legal_text(role), numbers[name], numbers[end]) for role, _, end in pairs if end in numbers]
    count = f"{len(kept)} of {len(pairs)} arguments became relations from its trigger"
    notes.add("brat", f"{identifier}: the event {name} {match[1]:.40} is no longer one thing; {count}")
    return kept


def _only_breaks(text: str, start: int, end: int) -> bool:
    return start < end <= len(text) and not _BREAKS.sub("", text[start:end])


def _surface(text: str, start: int, end: int, surface: str, in_fragments: bool) -> str | None:
    """The surface to check; None if it differs only in how brat writes line breaks."""
    actual = text[start:end]
    plain = _BREAKS.sub(" ", actual) if in_fragments else _BLANK.sub(" ", actual)
    return None if not surface or plain == surface or actual == surface else surface
