"""Formats that fit a file about equally well: what each would read, for a person to choose."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

from core.formats.framework.errors import FormatError
from core.formats.framework.format import Format, ReadOptions
from core.formats.framework.source import FolderSource, Source
from core.runtime.message import Message, ngettext
from core.text import Document

MARGIN = 0.025  # formats whose confidences differ by no more than this fit about equally well
WEAK = 0.35  # a confidence below this decides nothing
_READ = 50  # records of each


@dataclass(frozen=True, slots=True)
class Candidate:
    """What a format makes of a file's first records: how many documents and spans, and the first document."""

    format: str
    documents: int
    spans: int
    first: Document

    @property
    def summary(self) -> Message:
        """``bio (3 documents, 5 spans)``."""
        documents = ngettext("{count} document", "{count} documents", count=self.documents)
        spans = ngettext("{count} span", "{count} spans", count=self.spans)
        return Message(
            "{format} ({documents}, {spans})",
            values={"format": self.format, "documents": documents, "spans": spans},
        )


class UnsureFormat(FormatError):
    """Several formats fit; ``candidates`` are those that read something different, the likeliest first."""

    def __init__(self, name: str, candidates: Sequence[Candidate]) -> None:
        super().__init__(
            "{name} can be read in several ways, and its content does not say which is right: {candidates}. "
            "Choose one of these formats, or say which field holds what",
            name=name,
            candidates=[candidate.summary for candidate in candidates],
        )
        self.candidates = tuple(candidates)


def different_readings(source: Source, formats: Sequence[Format]) -> list[Candidate]:
    """What the formats read of a file's first records; of those that read the same only the first."""
    candidates: list[Candidate] = []
    known: list[list[tuple[str, object]]] = []
    for format in formats:
        documents = _first_documents(source, format)
        reading: list[tuple[str, object]] = [
            (document.text, sorted(span.key for span in document.spans)) for document in documents
        ]
        if not documents or reading in known:
            continue
        known.append(reading)
        spans = sum(len(document.spans) for document in documents)
        candidates.append(Candidate(format.name, len(documents), spans, documents[0]))
    return candidates


def _first_documents(source: Source, format: Format) -> list[Document]:
    fresh = FolderSource(source.path) if format.reads == "folder" else source.with_new_notes()
    try:
        items = list(islice(format.read(fresh, ReadOptions()), _READ))
    except FormatError:
        return []
    return [item for item in items if isinstance(item, Document)]
