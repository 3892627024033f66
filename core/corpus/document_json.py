"""Documents as JSON Lines, used for snapshots, predictions and the demo corpus; lossless."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from core.corpus.atomic import write_bytes
from core.corpus.errors import CorpusError
from core.runtime.message import ToldValueError
from core.text import Document, Span
from core.text.entity_link import link_from_json

# Lone surrogates are not valid text, but a document may contain them and must round-trip.
SURROGATES = "surrogatepass"


def document_to_json(document: Document) -> dict[str, Any]:
    """``{"id", "text", "spans": [{"start", "end", "label", "score"?, "link"?}], "meta"}``."""
    spans = [
        {"start": span.start, "end": span.end, "label": span.label}
        | ({} if span.score is None else {"score": span.score})
        | ({} if span.link is None else {"link": span.link.to_json()})
        for span in document.spans
    ]
    return {"id": document.id, "text": document.text, "spans": spans, "meta": dict(document.meta)}


def document_from_json(value: Any) -> Document:
    """Parse the output of ``document_to_json``; scores, links and ``meta`` are optional, a span may have its
    ``text``.

    Raises:
        ValueError: the object is not a document, or a span does not fit its text (OffsetError).
    """
    if not isinstance(value, dict) or not isinstance(value.get("text"), str):
        raise ToldValueError("a document needs a string under 'text'")
    items, meta = value.get("spans", []), value.get("meta") or {}
    if not isinstance(value.get("id"), (str, int)) or not isinstance(items, list):
        raise ToldValueError("a document needs an 'id' and a list under 'spans'")
    if not isinstance(meta, dict):
        raise ToldValueError("'meta' must be an object")
    document = Document(str(value["id"]), value["text"], tuple(map(_span, items)), meta)
    for span, item in zip(document.spans, items, strict=True):
        if "text" in item:
            document.check_surface(span, item["text"])
    return document


def document_line(document: Document) -> bytes:
    """The document as one line of UTF-8 JSON, its line end included."""
    return (json.dumps(document_to_json(document), ensure_ascii=False) + "\n").encode("utf-8", SURROGATES)


def write_documents(path: Path, documents: Iterable[Document]) -> None:
    """Replace ``path`` by one line per document.

    Raises:
        DiskFullError: an existing file is unchanged.
    """
    write_bytes(path, map(document_line, documents))


def read_documents(path: Path) -> Iterator[Document]:
    """The documents of a file, in order; blank lines are skipped.

    Raises:
        CorpusError: a line is damaged; names file and line.
    """
    with path.open("rb") as lines:
        yield from parse_documents(lines, path)


def parse_documents(lines: Iterable[bytes], path: Path) -> Iterator[Document]:
    """The documents of the lines of ``path``, which is named in errors; see ``read_documents``."""
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            yield document_from_json(json.loads(line.decode("utf-8", SURROGATES)))
        except (ValueError, RecursionError) as error:  # also OffsetError, JSONDecodeError, UnicodeDecodeError
            raise CorpusError(
                "{path}, line {number} is not a document ({reason})", path=path, number=number, reason=error
            ) from error


def _span(item: Any) -> Span:
    if not isinstance(item, Mapping):
        raise ToldValueError("a span must be an object with start, end and label")
    start, end, label, score = (item.get(name) for name in ("start", "end", "label", "score"))
    if not isinstance(start, int) or not isinstance(end, int) or not isinstance(label, str):
        raise ToldValueError("a span needs whole numbers as start and end, and a label")
    if score is not None and not isinstance(score, (int, float)):
        raise ToldValueError("the score of a span must be a number")
    return Span(start, end, label, score, link_from_json(item.get("link")))
