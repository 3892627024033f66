"""The input of all agreement measures: spans by annotator and document."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from types import MappingProxyType

from core.runtime.message import ToldValueError
from core.text import Document, Span


@dataclass(frozen=True, slots=True)
class AnnotatedDocument:
    """A document with the versions of all its annotators.

    Args:
        id: of the document. length: of its text, in characters (code points).
        versions: spans by annotator. An annotator who marked nothing has an empty version; one who has not
            annotated the document has none.

    Raises:
        ValueError: a span ends beyond the text.
    """

    id: str
    length: int
    versions: Mapping[str, tuple[Span, ...]]

    def __post_init__(self) -> None:
        distinct = {
            name: tuple({span.key: span for span in spans}.values()) for name, spans in self.versions.items()
        }
        object.__setattr__(self, "versions", MappingProxyType(distinct))
        for name, spans in distinct.items():
            for span in spans:
                if span.end > self.length:
                    raise ToldValueError(
                        "document {document}: {name} marked {label} {start}-{end} in a text of "
                        "{length} characters",
                        document=repr(self.id),
                        name=name,
                        label=span.label,
                        start=span.start,
                        end=span.end,
                        length=self.length,
                    )


@dataclass(frozen=True)
class ReliabilityData:
    """Annotated documents with their annotators and labels."""

    documents: tuple[AnnotatedDocument, ...]
    annotators: tuple[str, ...] = field(default=())

    def __post_init__(self) -> None:
        object.__setattr__(self, "documents", tuple(self.documents))
        names = {name for document in self.documents for name in document.versions}
        object.__setattr__(self, "annotators", (*self.annotators, *sorted(names - set(self.annotators))))

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """All labels in use, sorted."""
        return tuple(
            sorted(
                {
                    span.label
                    for document in self.documents
                    for spans in document.versions.values()
                    for span in spans
                }
            )
        )

    @cached_property
    def pairs(self) -> tuple[tuple[int, int], ...]:
        """All pairs of annotators, by index."""
        return tuple(combinations(range(len(self.annotators)), 2))

    @cached_property
    def shared(self) -> tuple[AnnotatedDocument, ...]:
        """The documents with at least two versions; the others carry no information on agreement."""
        return tuple(document for document in self.documents if len(document.versions) > 1)

    def shared_by(self, first: int, second: int) -> int:
        """The number of documents that both annotated."""
        names = self.annotators[first], self.annotators[second]
        return sum(all(name in document.versions for name in names) for document in self.shared)


class VersionsDiffer(ToldValueError):
    """Two files have different texts under one id, or no document in common."""


def from_versions(versions: Mapping[str, Sequence[Document]]) -> ReliabilityData:
    """The data of several annotators' documents, joined by id.

    Args:
        versions: documents by annotator; a document missing from someone's is not annotated by them.

    Raises:
        VersionsDiffer: one id has two texts; names the document and both people.
    """
    texts: dict[str, tuple[str, str]] = {}
    spans: dict[str, dict[str, tuple[Span, ...]]] = {}
    for name, documents in versions.items():
        for document in documents:
            text, owner = texts.setdefault(document.id, (document.text, name))
            if text != document.text:
                raise VersionsDiffer(
                    "document {document} has another text with {name} than with {owner}; "
                    "agreement needs versions of the same text",
                    document=repr(document.id),
                    name=name,
                    owner=owner,
                )
            spans.setdefault(document.id, {})[name] = document.spans
    annotated = (AnnotatedDocument(id_, len(texts[id_][0]), spans[id_]) for id_ in texts)
    return ReliabilityData(tuple(annotated), tuple(versions))


def only_label(spans: Iterable[Span], label: str | None) -> list[Span]:
    """The spans of one label; all of them for None."""
    return [span for span in spans if label is None or span.label == label]
