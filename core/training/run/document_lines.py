"""Documents as JSON lines, the form of a snapshot and of predictions: nothing is lost."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from core.text import Document, Span
from core.training.run.atomic import write_text
from core.training.run.message import TrainingError


def document_to_json(document: Document) -> dict[str, Any]:
    """``{"id", "text", "spans": [{"start", "end", "label", "score"?}], "meta"}``."""
    spans = []
    for span in document.spans:
        item: dict[str, Any] = {"start": span.start, "end": span.end, "label": span.label}
        if span.score is not None:
            item["score"] = round(span.score, 6)
        spans.append(item)
    return {"id": document.id, "text": document.text, "spans": spans, "meta": dict(document.meta)}


def document_from_json(value: Any) -> Document:
    """What ``document_to_json`` wrote; ``meta`` and scores may be absent.

    Raises:
        ValueError: the object is not a document, or a span does not fit its text.
    """
    if not isinstance(value, dict) or not isinstance(value.get("text"), str):
        raise ValueError("a document needs a string under 'text'")
    if not isinstance(value.get("id"), (str, int)) or not isinstance(value.get("spans", []), list):
        raise ValueError("a document needs an 'id' and a list under 'spans'")
    meta = value.get("meta") or {}
    if not isinstance(meta, dict):
        raise ValueError("'meta' must be an object")
    try:
        spans = tuple(
            Span(item["start"], item["end"], item["label"], item.get("score"))
            for item in value.get("spans", [])
        )
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"a span needs start, end and label ({error})") from None
    return Document(str(value["id"]), value["text"], spans, meta)


def write_documents(path: Path, documents: Iterable[Document]) -> None:
    """Replace ``path`` by one line per document.

    Raises:
        DiskFullError: the file that stood before still stands.
    """
    write_text(
        path,
        (json.dumps(document_to_json(document), ensure_ascii=False) + "\n" for document in documents),
    )


def read_documents(path: Path) -> Iterator[Document]:
    """Documents in order.

    Raises:
        TrainingError: a line is damaged; names file and line.
    """
    with path.open(encoding="utf-8", newline="\n") as file:
        read = 0
        try:
            for line in file:
                yield document_from_json(json.loads(line))
                read += 1
        except ValueError as error:  # also OffsetError, JSONDecodeError and UnicodeDecodeError
            raise TrainingError(
                f"{path}, line {read + 1}: {error}; the snapshot is damaged, start a new run",
                f"{path} 第 {read + 1} 行已损坏；请重新开始一次训练",
            ) from error
