"""What requests and replies of several resources hold; every request is read strictly."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import AllowInfNan, BaseModel, ConfigDict, Field

from core.store.annotation.annotations import Annotation
from core.store.db.payload import MOST_SPANS
from core.text import Document, EntityLink, Span, SpanKey
from core.text.entity_link import LONGEST_ID, LONGEST_NAME, LONGEST_SOURCE

MOST_ON_A_PAGE = 200
LONGEST_TEXT = 1_000_000  # characters of a document
MOST_CHARACTERS = 2_000_000  # of all documents of a request
LARGEST = 2**53  # the largest whole number exact in JavaScript

Offset = Annotated[int, Field(ge=0, le=LARGEST)]
Line = Annotated[str, Field(max_length=200)]


class Body(BaseModel):
    """A JSON body or a part of one. Strict: ``"3"`` is no number, and a field nobody knows is refused."""

    model_config = ConfigDict(strict=True, frozen=True, extra="forbid")


class LinkBody(Body):
    """The link of a span to an entry of a knowledge base; the id ``NIL`` says that it has none."""

    id: Annotated[str, Field(min_length=1, max_length=LONGEST_ID)]
    name: Annotated[str, Field(max_length=LONGEST_NAME)] = ""
    source: Annotated[str, Field(max_length=LONGEST_SOURCE)] = ""

    @classmethod
    def of(cls, link: EntityLink) -> LinkBody:
        return cls.model_construct(id=link.id, name=link.name, source=link.source)


class SpanBody(Body):
    """A labelled span: code points, end exclusive. A reply has the confidence of predicted ones.

    A save that leaves ``link`` out keeps the link that the span has; null removes it.
    """

    start: Offset
    end: Offset
    label: Line
    score: Annotated[float, AllowInfNan(False)] | None = None
    link: LinkBody | None = None

    @classmethod
    def of(cls, span: Span) -> SpanBody:
        link = None if span.link is None else LinkBody.of(span.link)
        return cls.model_construct(
            start=span.start, end=span.end, label=span.label, score=span.score, link=link
        )

    def entity_link(self) -> EntityLink | None:
        """The link. Raises: ValueError: it has control characters."""
        return None if self.link is None else EntityLink(self.link.id, self.link.name, self.link.source)

    def said(self, standing: Mapping[SpanKey, EntityLink | None]) -> dict[str, Any]:
        """The span as the store checks it: without the score, as a person says it.

        Args:
            standing: the links that spans have, which stay where the request says nothing of them.
        """
        key = {"start": self.start, "end": self.end, "label": self.label}
        if "link" in self.model_fields_set:
            return key | {"link": None if self.link is None else self.link.model_dump()}
        link = standing.get((self.start, self.end, self.label))
        return key if link is None else key | {"link": link.to_json()}


SpanList = Annotated[list[SpanBody], Field(max_length=MOST_SPANS)]


class AnnotationReply(BaseModel):
    """An annotation and its revision, on which the next save is based.

    Args:
        revision: 0 before anybody has saved. status: new, in_progress, to_check, done or ignored.
        rejected: suggestions that a person refused. reason: why an ignored document is ignored.
    """

    document: int
    revision: int
    status: str
    spans: list[SpanBody]
    rejected: list[SpanBody]
    reason: str

    @classmethod
    def of(cls, annotation: Annotation) -> AnnotationReply:
        return cls.model_construct(document=annotation.document_id, **_state(annotation))


class DocumentReply(BaseModel):
    """A document with its current annotation.

    Args:
        name: its id in the file it came from. split: train, dev, test or none. meta: its further fields.
        revision, status, spans, rejected, reason: as in an annotation.
    """

    id: int
    name: str
    text: str
    split: str
    meta: dict[str, Any]
    revision: int
    status: str
    spans: list[SpanBody]
    rejected: list[SpanBody]
    reason: str

    @classmethod
    def of(cls, annotation: Annotation) -> DocumentReply:
        document = annotation.document
        return cls.model_construct(
            id=annotation.document_id,
            name=document.id,
            text=document.text,
            split=str(document.meta.get("split", "none")),
            meta={name: value for name, value in document.meta.items() if name != "split"},
            **_state(annotation),
        )


class TaggedReply(BaseModel):
    """A text with the spans that a tagger predicts, each with its confidence where the tagger has one."""

    id: str
    spans: list[SpanBody]

    @classmethod
    def of(cls, document: Document) -> TaggedReply:
        return cls.model_construct(id=document.id, spans=[SpanBody.of(span) for span in document.spans])


def _state(annotation: Annotation) -> dict[str, Any]:
    return {
        "revision": annotation.revision,
        "status": annotation.status,
        "spans": [SpanBody.of(span) for span in annotation.document.spans],
        "rejected": [SpanBody.of(span) for span in annotation.rejected],
        "reason": annotation.reason,
    }
