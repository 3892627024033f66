"""ner-annotator's JSON, which is also spaCy 2's training data: texts with ``entities`` of three numbers.

Layout: github.com/tecoholic/ner-annotator; spaCy 2's "Training data" in its documentation. Offsets are code
points, end exclusive.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any, TextIO

from core.formats.framework.errors import RecordError
from core.formats.framework.format import Holds, Losses, ReadOptions, Refusal, WriteOptions, in_order
from core.formats.framework.source import Source, legal_text
from core.formats.shapes.json_records import ArrayFormat
from core.formats.shapes.json_values import elements, first_elements
from core.formats.shapes.standoff import Record, Standoff, checked_mark
from core.runtime.message import message_of
from core.text import Document, OffsetError

_START = re.compile(r'\s*\{(?:\s*"classes"\s*:\s*\[[^\]]*\]\s*,)?\s*"annotations"\s*:\s*(?=\[)')


class SpacyJson(ArrayFormat, Standoff):
    """``{"classes": […], "annotations": [["text", {"entities": [[start, end, label]]}]]}``, or the list."""

    name = "spacy_json"
    title = "ner-annotator JSON (spaCy 2)"
    extensions = (".json",)
    holds = Holds()

    def sniff(self, head: str) -> float:
        """Sure if the elements are pairs of a text and its entities."""
        start = _START.match(head)
        values = first_elements(head[start.end() :] if start else head)
        if values and not start and isinstance(values[0], dict) and "annotations" in values[0]:
            listed = values[0]["annotations"]
            values = tuple(listed) if isinstance(listed, list) else ()
        pairs = [value for value in values if value is not None]
        return 0.97 * sum(map(_is_pair, pairs)) / len(pairs) if pairs else 0.0

    def records(self, source: Source, options: ReadOptions) -> Iterator[Record | Refusal]:
        """One record per pair."""
        prefix = options.id_prefix or source.name
        for ordinal, (line, value, error) in enumerate(_pairs(source), 1):
            raw = json.dumps(value, ensure_ascii=False) + "\n"
            try:
                if error is not None:
                    raise error
                yield _record(line, f"{prefix}-{ordinal}", value, raw)
            except (RecordError, OffsetError, ValueError) as problem:
                yield Refusal(line, message_of(problem), f"[{raw.rstrip()}]\n")

    def element(self, document: Document, options: WriteOptions) -> tuple[Any, Losses]:
        """One pair."""
        entities = [[span.start, span.end, span.label] for span in document.spans]
        return [document.text, {"entities": entities}], self.general_losses(document)

    def write(
        self, documents: Iterable[Document], target: TextIO, options: WriteOptions | None = None
    ) -> Losses:
        """The annotations, then the classes that occur in them."""
        classes: dict[str, None] = {}
        lost: Counter[str] = Counter()

        def collected() -> Iterator[Document]:
            for document in documents:
                classes.update(dict.fromkeys(span.label for span in document.spans))
                yield document

        target.write('{"annotations": ')
        lost.update(super().write(collected(), target, options))
        target.write(f', "classes": {json.dumps(list(classes), ensure_ascii=False)}}}\n')
        return in_order(lost)


def _is_pair(value: Any) -> bool:
    return (
        isinstance(value, list)
        and len(value) == 2
        and isinstance(value[0], str)
        and isinstance(value[1], dict)
        and isinstance(value[1].get("entities"), list)
    )


def _pairs(source: Source) -> Iterator[tuple[int, Any, RecordError | None]]:
    with source.open() as stream:
        start = _START.match(stream.read(1 << 16).lstrip("\ufeff"))
    for element in elements(source, start.end() if start else 0):
        value = element.value
        if start and isinstance(value, str) and value in ("classes",):
            return  # the text after the list of annotations
        if start and element.error is not None and element.raw.lstrip().startswith((":", "}")):
            return
        if element.error is None and isinstance(value, dict) and isinstance(value.get("annotations"), list):
            yield from ((element.line, pair, None) for pair in value["annotations"] if pair is not None)
        elif element.error is not None or value is not None:  # null for skipped documents
            yield element.line, value if element.error is None else element.raw, element.error


def _record(line: int, identifier: str, value: Any, raw: str) -> Record:
    if not _is_pair(value):
        raise RecordError("expected a text and its entities, got {value}", value=f"{value!r:.60}")
    marks = []
    for item in value[1]["entities"]:
        if not isinstance(item, list) or len(item) != 3:
            raise RecordError(
                "an entity should be [start, end, label], but it is {item}", item=f"{item!r:.60}"
            )
        start, end, label = item
        marks.append(checked_mark(start, end, label, names=("a start", "an end")))
    meta = {name: entry for name, entry in value[1].items() if name != "entities"}
    return Record(line, identifier, legal_text(value[0]), marks, meta, raw=f"[{raw.rstrip()}]\n")
