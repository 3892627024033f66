"""Read a file of any format record by record, collecting refused records."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from core.formats.framework.errors import FormatError
from core.formats.framework.format import Format, ReadOptions, Refusal
from core.formats.framework.registry import opened
from core.formats.framework.source import Source
from core.formats.shapes.unread_labels import note_unread_labels
from core.text import Document
from core.text.outermost import has_overlap


class Reading:
    """A file being read. Iterating yields documents and refusals and updates the counts.

    Args:
        path: the file. format: its name; None: detect. options: see ``ReadOptions``; its mapping, if there is
            one, takes the place of the format.

    Raises:
        FormatError: the file cannot be read at all, or there is no such format.
    """

    def __init__(
        self, path: Path | str, format: str | None = None, options: ReadOptions | None = None
    ) -> None:
        self.options = options or ReadOptions()
        self.format: Format
        self.source: Source
        self.format, self.source = opened(
            path, format, self.options.encoding, self.options.mapping is not None
        )
        self._begun = False
        self._reset()

    def _reset(self) -> None:
        self.documents = 0
        self.refused = 0
        self.labels: Counter[str] = Counter()
        self.labelled = 0
        self.overlapping = 0
        self._ids: dict[str, int] = {}

    def __iter__(self) -> Iterator[Document | Refusal]:
        if self._begun:  # a second pass starts with fresh counts and notes
            self.source = self.source.with_new_notes()
            self._reset()
        self._begun = True
        if self.format.label_fields is not None and self.format.reads == "text":
            note_unread_labels(self.source, self.format.labels_read)
        for item in self.format.read(self.source, self.options):
            if isinstance(item, Refusal):
                self.refused += 1
                yield item
                continue
            self.documents += 1
            self.labels.update(span.label for span in item.spans)
            self.labelled += bool(item.spans)
            self.overlapping += has_overlap(item.spans)
            yield self._with_unique_id(item)

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes on decisions and repairs."""
        return self.source.notes.texts()

    def counts(self) -> dict[str, Any]:
        """``documents``, ``labelled`` (those with spans), ``overlapping`` (those with overlapping spans),
        ``refused``, ``spans``, ``labels`` (with numbers), ``repaired`` (malformed tags)."""
        return {
            "documents": self.documents,
            "labelled": self.labelled,
            "overlapping": self.overlapping,
            "refused": self.refused,
            "spans": sum(self.labels.values()),
            "labels": dict(self.labels.most_common()),
            "repaired": self.source.notes.count("malformed tags"),
        }

    def _with_unique_id(self, document: Document) -> Document:
        """The document with a unique id."""
        identifier = document.id
        if identifier not in self._ids:
            self._ids[identifier] = 1
            return document
        while identifier in self._ids:
            self._ids[document.id] += 1
            identifier = f"{document.id}-{self._ids[document.id]}"
        self._ids[identifier] = 1
        self.source.notes.add(
            "ids", f"id {document.id!r} comes up again; the later document became {identifier!r}"
        )
        return replace(document, id=identifier)


@dataclass(frozen=True, slots=True)
class ReadResult:
    """The content of a file. ``format`` is the format's name, ``counts`` are those of ``Reading.counts``."""

    documents: tuple[Document, ...]
    refusals: tuple[Refusal, ...]
    format: str
    notes: tuple[str, ...]
    counts: dict[str, Any]
    refused_header: str = field(default="", repr=False)

    def write_refused(self, path: Path | str) -> None:
        """Write the refused records as a file of the same format, to be fixed and imported again."""
        write_refused(path, self.refusals, self.refused_header)


def read_file(path: Path | str, format: str | None = None, options: ReadOptions | None = None) -> ReadResult:
    """Read a whole file.

    Raises:
        FormatError: the file is missing, empty, binary or undecodable, or holds nothing of the format.
    """
    reading = Reading(path, format, options)
    documents: list[Document] = []
    refusals: list[Refusal] = []
    for item in reading:
        if isinstance(item, Document):
            documents.append(item)
        else:
            refusals.append(item)
    if not documents and not refusals:
        raise FormatError(
            "{name} contains no documents: there is nothing to import", name=reading.source.path.name
        )
    header = reading.format.refused_header(reading.source) if refusals else ""
    return ReadResult(
        tuple(documents), tuple(refusals), reading.format.name, reading.notes, reading.counts(), header
    )


def write_refused(path: Path | str, refusals: Iterable[Refusal], header: str = "") -> None:
    """Write refused records unchanged, including bytes that are not UTF-8."""
    with Path(path).open("w", encoding="utf-8", errors="surrogateescape", newline="") as target:
        target.write(header)
        for refusal in refusals:
            target.write(refusal.raw if refusal.raw.endswith(("\n", "\r")) else refusal.raw + "\n")
            if "\n" in refusal.raw.rstrip("\n"):
                target.write("\n")
