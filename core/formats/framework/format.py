"""The interface of file formats."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO, ClassVar, Literal, TextIO

from core.formats.framework.attachments import ATTACHED, attachments_of
from core.formats.framework.errors import FormatError
from core.formats.framework.source import Source
from core.formats.mapping.mapping import Mapping
from core.runtime.message import Message
from core.text import Document, Span, sort_spans
from core.text.tag_schemes import Malformed
from core.text.tokens import TOKENS

# Names of losses.
LOSSES: dict[str, str] = {
    "documents": "documents left out because they are empty",
    "sentences": "documents that come back as one for each of their sentences",
    "spans": "spans of a format that holds text only",
    "nested_spans": "spans inside another span",
    "crossing_spans": "spans that cross another span",
    "joined_spans": "spans right beside another of the same label, which come back as one",
    "discontinuous": "discontinuous spans",
    "relations": "relations between spans",
    "chains": "chains of coreference",
    "comments": "comments",
    "authors": "documents whose annotator or time of annotation was left out",
    "labels": "spans whose label had to be written differently",
    "scores": "confidences",
    "links": "links to a knowledge base, or their name and source",
    "ids": "document ids",
    "meta": "documents whose further fields were left out",
    "texts": "documents whose line breaks, blanks or control characters come back differently",
}
Losses = dict[str, int]
TextUnit = Literal["line", "paragraph", "file"]


@dataclass(frozen=True, slots=True)
class Refusal:
    """A record that was not imported: its first line (from 1), the reason, and the original record."""

    line: int
    message: Message
    raw: str

    @property
    def reason(self) -> str:
        """Why, in English."""
        return str(self.message)


@dataclass(frozen=True, slots=True)
class Holds:
    """Capabilities of a format; ``Format.losses`` counts what is False here.

    A format with ``meta`` holds all attachments, at least as further fields.
    """

    spans: bool = True
    nested: bool = True
    crossing: bool = True
    discontinuous: bool = False
    relations: bool = False
    chains: bool = False
    comments: bool = False
    authors: bool = False
    scores: bool = False
    links: bool = False
    ids: bool = False
    meta: bool = False
    line_breaks: bool = True
    empty_texts: bool = True


EVERYTHING = Holds(
    discontinuous=True,
    relations=True,
    chains=True,
    comments=True,
    authors=True,
    scores=True,
    links=True,
    ids=True,
    meta=True,
)


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """Options for reading.

    Args:
        text_column: field with the text (CSV, TSV, JSONL); None: detect.
        id_column: field with the id; None: ``id`` if present.
        unit: plain text: a document is a line, a paragraph (up to a blank line), or the whole file.
        offsets: name of the offset convention (see ``conventions``); ``auto`` takes the format's, or detects
            it for formats that exist with several.
        malformed: column files: treatment of invalid tag sequences.
        encoding: None: detect.
        id_prefix: prefix of generated ids; None: the file's name.
        mapping: which field holds what; the file is read by it and by no format.
    """

    text_column: str | None = None
    id_column: str | None = None
    unit: TextUnit = "line"
    offsets: str = "auto"
    malformed: Malformed = "repair"
    encoding: str | None = None
    id_prefix: str | None = None
    mapping: Mapping | None = None


@dataclass(frozen=True, slots=True)
class WriteOptions:
    """How to write.

    Args:
        separator: column files: between token and tag, a tab or a space.
        blocks: plain text: a blank line between documents, line breaks inside them kept.
        sentences: column files: a blank line after each sentence of a document, as the tools of the field
            expect, and not only after the document.
    """

    separator: Literal["\t", " "] = "\t"
    blocks: bool = False
    sentences: bool = False


class Companion(ABC):
    """A file that another tool needs beside the one with the documents.

    Attributes:
        ending: of its name, in the place of the ending of the other file.
    """

    ending: ClassVar[str]

    @abstractmethod
    def add(self, document: Document) -> None:
        """Take note of a document that is written."""

    @abstractmethod
    def content(self) -> str:
        """The text of the file, once every document is noted."""


class Format(ABC):
    """One file format. An instance reads and writes; it keeps no state between calls.

    Attributes:
        name: on the command line. title: display name.
        extensions: usual file extensions, with the dot. holds: its capabilities.
        reads: its input: lines of a text file, bytes of a file, or files of a folder or archive.
        required_extensions: for folders: extensions of which at least one must occur.
        binary: whether it is written by ``write_binary``. writes: whether it is written at all.
        label_fields: of JSON records: the fields that labels are read from; None where there are no such.
    """

    name: str
    title: str
    extensions: tuple[str, ...]
    holds: Holds
    reads: ClassVar[Literal["text", "binary", "folder"]] = "text"
    required_extensions: ClassVar[tuple[str, ...]] = ()
    binary: ClassVar[bool] = False
    writes: ClassVar[bool] = True
    label_fields: ClassVar[tuple[str, ...] | None] = None

    @abstractmethod
    def sniff(self, head: str) -> float:
        """The confidence, from 0 to 1, that a file with these first lines has this format."""

    @abstractmethod
    def read(self, source: Source, options: ReadOptions) -> Iterator[Document | Refusal]:
        """Yield records in file order; decisions are noted in ``source.notes``.

        Raises:
            FormatError: nothing in the file can be read.
        """

    @abstractmethod
    def render(self, document: Document, options: WriteOptions) -> tuple[str, Losses]:
        """Serialise one document; also returns its losses."""

    def recognises(self, source: Source) -> float:
        """The confidence, from 0 to 1, that a binary file or a folder has this format."""
        return 0.0

    def companion(self) -> Companion | None:
        """What makes the file that another tool needs beside the one written; None where it needs none."""
        return None

    def write_binary(
        self, documents: Iterable[Document], target: BinaryIO, options: WriteOptions | None = None
    ) -> Losses:
        """As ``write``, for a binary format."""
        raise NotImplementedError(f"{self.name} is a text format")

    def header(self, options: WriteOptions) -> str:
        """Text before the first document."""
        return ""

    def footer(self, options: WriteOptions) -> str:
        """Text after the last document."""
        return ""

    def labels_read(self, record: dict[str, Any]) -> Collection[str]:
        """The fields of a JSON record that labels are read from."""
        return self.label_fields or ()

    def refused_header(self, source: Source) -> str:
        """Header of a file of refused records, so that it can be read again."""
        return ""

    def write(
        self, documents: Iterable[Document], target: TextIO, options: WriteOptions | None = None
    ) -> Losses:
        """Write documents one by one.

        Args:
            target: a text stream opened with ``newline=""``.

        Returns:
            the losses, by the names of ``LOSSES``.
        """
        options = options or WriteOptions()
        lost: Counter[str] = Counter()
        target.write(self.header(options))
        for document in documents:
            chunk, losses = self.render(document, options)
            lost.update(losses)
            target.write(chunk)
        target.write(self.footer(options))
        return in_order(lost)

    def losses(self, documents: Iterable[Document], options: WriteOptions | None = None) -> Losses:
        """Count the losses without writing."""
        options = options or WriteOptions()
        lost: Counter[str] = Counter()
        for document in documents:
            lost.update(self.render(document, options)[1])
        return in_order(lost)

    def general_losses(self, document: Document, kept: Collection[str] = ()) -> Losses:
        """Losses of ids, meta, scores, links, spans and attachments according to ``holds``.

        Args:
            kept: fields of ``meta`` that the format preserves anyway.
        """
        lost: Losses = {}
        if not self.holds.ids:
            lost["ids"] = 1
        if document.meta and not self.holds.meta:
            lost |= self._attachments_lost(document, kept)
        scored = sum(span.score is not None for span in document.spans)
        if scored and not self.holds.scores:
            lost["scores"] = scored
        linked = sum(span.link is not None for span in document.spans)
        if linked and not self.holds.links:
            lost["links"] = linked
        if document.spans and not self.holds.spans:
            lost["spans"] = len(document.spans)
        return lost

    def _attachments_lost(self, document: Document, kept: Collection[str]) -> Losses:
        attached = attachments_of(document)
        lost = {
            kind: attached.count(kind)
            for kind in ATTACHED
            if attached.count(kind) and not getattr(self.holds, kind)
        }
        return lost | ({"meta": 1} if set(attached.rest or ()) - set(kept) else {})


class ReadOnlyFormat(Format):
    """A format that is read and not written: nothing reads it that does not read others as well."""

    writes = False

    def render(self, document: Document, options: WriteOptions) -> tuple[str, Losses]:
        """Never.

        Raises:
            FormatError: always.
        """
        raise FormatError("{title} is only read; choose another format to write", title=self.title)


class BinaryFormat(Format):
    """A format without a text form, written by ``write_binary``."""

    reads: ClassVar[Literal["text", "binary", "folder"]] = "binary"
    binary = True

    def sniff(self, head: str) -> float:
        """Never: not a text format."""
        return 0.0

    def render(self, document: Document, options: WriteOptions) -> tuple[str, Losses]:
        """No text form; the losses, none where ``holds`` is everything."""
        return "", self.general_losses(document, {TOKENS})


def flat_spans(spans: Iterable[Span]) -> tuple[list[Span], Losses]:
    """The spans one row of tags can hold, and how many were nested or crossing.

    The outermost is kept, from left to right, as taggers without nesting do.
    """
    kept: list[Span] = []
    lost: Counter[str] = Counter()
    for span in sort_spans(spans):
        if kept and kept[-1].overlaps(span):
            lost["nested_spans" if kept[-1].contains(span) else "crossing_spans"] += 1
        else:
            kept.append(span)
    return kept, dict(lost)


def in_order(lost: Counter[str]) -> Losses:
    """The losses that occurred, in the order of ``LOSSES``."""
    return {name: lost[name] for name in LOSSES if lost[name]}
