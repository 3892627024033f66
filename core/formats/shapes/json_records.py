"""Shared by formats with one JSON object a document: telling them, reading records, writing an array."""

from __future__ import annotations

import json
from abc import abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, TextIO

from core.formats.framework.format import Format, Losses, ReadOptions, Refusal, WriteOptions, in_order
from core.formats.framework.source import Source
from core.formats.shapes.json_lines import Record, id_field, plain_value, read_records, share
from core.formats.shapes.standoff import Mark, Standoff
from core.formats.shapes.standoff import Record as StandoffRecord
from core.text import Document


@dataclass(frozen=True, slots=True)
class Given:
    """One object of a file: its number and its first line, both from 1, and how the file is read."""

    source: Source
    options: ReadOptions
    ordinal: int
    line: int
    raw: str
    record: Record

    @property
    def id_column(self) -> str:
        """The field with the id, where people choose one."""
        return self.options.id_column or "id"

    def id(self, name: str | None = None) -> str:
        """The id in this field; without a field, or with an empty one, an id made of the number."""
        numbered = f"{self.options.id_prefix or self.source.name}-{self.ordinal}"
        return id_field(self.record, name, numbered) if name else numbered

    def rest(self, *taken: str | None) -> Record:
        """All fields but these."""
        return {name: value for name, value in self.record.items() if name not in taken}

    def note(self, kind: str, text: str) -> None:
        """Note a decision for the whole file."""
        self.source.notes.add(kind, text)

    def standoff(
        self, id: str, text: str, marks: Sequence[Mark], meta: Mapping[str, Any], **more: Any
    ) -> StandoffRecord:
        """The record that was read from it."""
        return StandoffRecord(self.line, id, text, marks, meta, raw=self.raw, **more)


class JsonRecords(Standoff):
    """A format with one JSON object a document, on lines or in an array.

    Attributes:
        confidence: of `sniff`, from 0 to 1, where all first objects are records of the format.
    """

    confidence: ClassVar[float]

    @staticmethod
    @abstractmethod
    def is_record(record: Record) -> bool:
        """Whether an object looks like a record of the format."""

    @abstractmethod
    def record(self, given: Given) -> StandoffRecord:
        """Read one object.

        Raises:
            RecordError, OffsetError, ValueError: it is no record of the format.
        """

    def sniff(self, head: str) -> float:
        """The confidence, times the share of the first objects that look like records."""
        return self.confidence * share(head, self.is_record)

    def records(self, source: Source, options: ReadOptions) -> Iterator[StandoffRecord | Refusal]:
        """One record per object."""
        return read_records(source, lambda *found: self.record(Given(source, options, *found)))


def write_array(target: TextIO, elements: Iterable[str]) -> None:
    """Write a JSON array of these elements, one on a line."""
    before = "[\n"
    for element in elements:
        target.write(before + element)
        before = ",\n"
    target.write("\n]\n" if before != "[\n" else "[]\n")


class ArrayFormat(Format):
    """A format that is one JSON array, or an object around one.

    Attributes:
        opening, closing: what is written before and after the array.
    """

    opening: ClassVar[str] = ""
    closing: ClassVar[str] = ""

    @abstractmethod
    def element(self, document: Document, options: WriteOptions) -> tuple[Any, Losses]:
        """The JSON value of one document, and its losses."""

    def render(self, document: Document, options: WriteOptions) -> tuple[str, Losses]:
        """One element on a line."""
        value, lost = self.element(document, options)
        return json.dumps(value, ensure_ascii=False, default=plain_value), lost

    def write(
        self, documents: Iterable[Document], target: TextIO, options: WriteOptions | None = None
    ) -> Losses:
        """The array, element by element."""
        options = options or WriteOptions()
        lost: Counter[str] = Counter()

        def rendered() -> Iterator[str]:
            for document in documents:
                element, losses = self.render(document, options)
                lost.update(losses)
                yield element

        target.write(self.opening)
        write_array(target, rendered())
        target.write(self.closing)
        return in_order(lost)
