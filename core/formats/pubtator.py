"""PubTator: title, abstract, mentions and relations in lines that begin with the document's number.

Layout: PubTator's format page (ncbi.nlm.nih.gov/research/pubtator, "PubTator format") and the README of the
BioCreative V CDR corpus. Offsets are code points, end exclusive, in the title, one character, the abstract.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from urllib.parse import quote, unquote

from core.formats.framework.attachments import Relation, attachments_of
from core.formats.framework.errors import RecordError
from core.formats.framework.format import Holds, Losses, ReadOptions, Refusal, WriteOptions, in_order
from core.formats.framework.source import Notes, Source, legal_text
from core.formats.shapes.attributes import IDENTIFIER, is_bare
from core.formats.shapes.json_lines import label_field
from core.formats.shapes.standoff import Mark, Record, Standoff
from core.runtime.message import message_of
from core.text import Document, SpanKey

_PART = re.compile(r"([^|\t]+)\|([a-z])\|(.*)", re.DOTALL)
_BEGINNING = re.compile(r"\s*(?:\d+\|t\||([^|\t\n]+)\|t\|[^\n]*\n\1\|a\|)")
_NUMBER = re.compile(r"\d{1,12}")
_BLANK = re.compile(r"[\t\r\n\0]")
_SEVERAL = re.compile(r"[|,;]")  # between the identifiers of one mention
_UNSAFE = re.compile(r"[|\t\r\n\0\ufeff]|%(?=[0-9A-Fa-f]{2})")
_TITLE, _ABSTRACT = "t", "a"


@dataclass
class _Lines:
    """The lines of one document."""

    line: int
    id: str
    parts: dict[str, str] = field(default_factory=dict)
    rows: list[tuple[int, list[str]]] = field(default_factory=list)
    raw: list[str] = field(default_factory=list)
    error: RecordError | None = None


class PubTator(Standoff):
    """``1|t|title``, ``1|a|abstract``, then ``1``, start, end, surface, type and identifier between tabs.

    Title and abstract become one text with a line break between them. The identifier is the link of its
    span; a relation between identifiers becomes one between their first mentions. A mention without
    characters is dropped with a note.
    """

    name = "pubtator"
    title = "PubTator"
    extensions = (".pubtator", ".txt")
    holds = Holds(relations=True, links=True, ids=True, line_breaks=False)

    def sniff(self, head: str) -> float:
        """Sure if a title comes first, and an abstract of the same document next."""
        return 0.99 if _BEGINNING.match(head.lstrip("\ufeff")) else 0.0

    def records(self, source: Source, options: ReadOptions) -> Iterator[Record | Refusal]:
        """One record per title."""
        for lines in _documents(source):
            raw = "".join(lines.raw)
            try:
                if lines.error is not None:
                    raise lines.error
                yield _record(lines, raw, source.notes)
            except RecordError as error:
                yield Refusal(lines.line, message_of(error), raw)

    def render(self, document: Document, options: WriteOptions) -> tuple[str, Losses]:
        """The lines of one document, and a blank one."""
        lost: Counter[str] = Counter(self.general_losses(document))
        attached = attachments_of(document)
        text = _writable(document.text)
        lost["texts"] += text != document.text
        title, _, abstract = text.partition("\n")
        number = _UNSAFE.sub(lambda match: quote(match[0], safe=""), document.id)
        lines = [f"{number}|{_TITLE}|{title}", f"{number}|{_ABSTRACT}|{abstract}"]
        identifiers = _identifiers(document, lost)
        first: dict[str, SpanKey] = {}
        waiting = dict(identifiers)
        for span in document.spans:
            label = _BLANK.sub(" ", span.label).strip()
            lost["labels"] += label != span.label
            cells = [number, str(span.start), str(span.end), _BLANK.sub(" ", document.surface(span)), label]
            identifier = waiting.pop(span.key, "")
            for piece in _pieces(identifier):
                first.setdefault(piece, span.key)
            lines.append("\t".join([*cells, identifier] if identifier else cells))
        for relation in attached.relations:
            ends = [identifiers.get(key, "") for key in (relation.source, relation.target)]
            if _comes_back(relation, ends, first):
                lines.append("\t".join([number, relation.type, *ends]))
            else:
                lost["relations"] += 1
        return "".join(line + "\n" for line in lines) + "\n", in_order(lost)


def _documents(source: Source) -> Iterator[_Lines]:
    """The lines of every document; those before the first title belong to none and are an error."""
    held: _Lines | None = None
    for number, line in source.lines():
        part = _PART.fullmatch(line)
        if held is not None and (not line.strip() or (part is not None and part[2] == _TITLE)):
            yield held
            held = None
        if not line.strip():
            continue
        if held is None:
            held = _Lines(number, unquote(part[1]) if part is not None else "")
            if part is None or part[2] != _TITLE:
                held.error = RecordError(
                    "line {line}: a document should begin with its title, as in 1|t|Title", line=number
                )
        held.raw.append(line + "\n")
        if part is not None and unquote(part[1]) == held.id and part[2] not in held.parts:
            held.parts[part[2]] = part[3]
        else:
            held.rows.append((number, line.split("\t")))
    if held is not None:
        yield held


def _record(lines: _Lines, raw: str, notes: Notes) -> Record:
    """The record of one document.

    Raises:
        RecordError: a line is neither a mention nor a relation, or belongs to another document.
    """
    identifier = legal_text(lines.id)
    # An empty title counts, too; other sections follow one another in the order of the file.
    text = legal_text("\n".join([*lines.parts.values()]).rstrip("\n") if lines.parts else "")
    marks: list[Mark] = []
    attributes: list[tuple[str, str, int, str | None]] = []
    mentions: dict[str, int] = {}
    ties: list[tuple[int, list[str]]] = []
    for number, cells in lines.rows:
        if unquote(cells[0]) != lines.id or len(cells) < 4:
            raise RecordError(
                "line {line}: {row} is neither a mention nor a relation of document {document}",
                line=number,
                row=f"{chr(9).join(cells)!r:.60}",
                document=repr(lines.id),
            )
        if not (_NUMBER.fullmatch(cells[1]) and _NUMBER.fullmatch(cells[2])):
            ties.append((number, cells))
            continue
        if len(cells) < 5:
            raise RecordError("line {line}: a mention should have a type behind its surface", line=number)
        start, end = int(cells[1]), int(cells[2])
        if start == end:
            notes.add("empty", f"line {number}: a mention without characters was left out")
            continue
        if len(cells) > 6:
            notes.add("columns", f"line {number}: what stands behind the identifier was left out")
        if len(cells) > 5 and cells[5]:
            attributes.append((IDENTIFIER, legal_text(cells[5]), len(marks), None))
            for piece in _pieces(cells[5]):
                mentions.setdefault(piece, len(marks))
        marks.append(Mark(start, end, label_field(cells[4]), _surface(text[start:end], cells[3])))
    relations = []
    for number, cells in ties:
        ends = [mentions.get(cell) for cell in cells[2:4]]
        if ends[0] is None or ends[1] is None:
            notes.add(
                "relations", f"line {number}: the relation {cells[1]!r:.40} joins no mentions; left out"
            )
            continue
        if len(cells) > 4:
            notes.add("columns", f"line {number}: what stands behind the relation was left out")
        relations.append((label_field(cells[1]), ends[0], ends[1]))
    return Record(lines.line, identifier, text, marks, relations=relations, attributes=attributes, raw=raw)


def _surface(actual: str, surface: str) -> str | None:
    """The surface to check; None if it differs only in blanks, which stand for tabs and line breaks."""
    return None if actual != surface and _BLANK.sub(" ", actual) == surface else surface


def _pieces(identifier: str) -> list[str]:
    """The identifiers by which a relation may mean a mention: all together, and each of several."""
    if not identifier:
        return []
    several = _SEVERAL.split(identifier)
    return [identifier] if len(several) == 1 else [identifier, *filter(None, several)]


def _writable(text: str) -> str:
    """The text with its first line break only, and none at its end, where no abstract would follow it."""
    title, broken, abstract = text.replace("\r", " ").replace("\0", " ").partition("\n")
    abstract = abstract.replace("\n", " ")
    return title + (broken if abstract else " " * len(broken)) + abstract


def _identifiers(document: Document, lost: Counter[str]) -> dict[SpanKey, str]:
    """The identifier of every linked span; what is not read as it is counts as lost."""
    found: dict[SpanKey, str] = {}
    for span in document.spans:
        if span.link is not None:
            lost["links"] += not is_bare(span.link) or span.key in found
            found.setdefault(span.key, span.link.id)
    return found


def _comes_back(relation: Relation, ends: list[str], first: dict[str, SpanKey]) -> bool:
    """Whether a relation is read as it is: its ends are the first mentions of their identifiers."""
    name = relation.type
    return (
        all(ends)
        and [first.get(end) for end in ends] == [relation.source, relation.target]
        and _BLANK.sub(" ", name).strip() == name
        and not _NUMBER.fullmatch(name)
    )
