"""W2NER's JSON: a sentence of tokens, and entities as lists of token numbers, which may have gaps.

Layout: W2NER's data sets and ``data_loader.py`` (github.com/ljynlp/W2NER).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from core.formats.framework.attachments import attachments_of
from core.formats.framework.conventions import CODE_POINTS
from core.formats.framework.errors import RecordError
from core.formats.framework.format import Holds, Losses, WriteOptions
from core.formats.shapes.json_lines import Record, label_field, objects_of
from core.formats.shapes.json_records import ArrayFormat, Given, JsonRecords, StandoffRecord
from core.formats.shapes.standoff import Mark
from core.formats.shapes.token_spans import (
    Numbers,
    Tokenised,
    are_tokens,
    note_empty,
    tokenised,
    written_tokens,
)
from core.text import Document
from core.text.tokens import TOKENS, Extent

# ``word`` holds numbers of words that W2NER itself no longer reads.
_FIELDS = ("id", "text", "sentence", "ner", "word")


class W2ner(ArrayFormat, JsonRecords):
    """``[{"sentence": [tokens], "ner": [{"index": [0, 1, 3], "type": "X"}], "word": …}]``.

    An entity whose numbers have a gap is a discontinuous span. One object per line is read, too.
    """

    name = "w2ner"
    title = "W2NER JSON (entities as lists of token numbers)"
    extensions = (".json", ".jsonl")
    holds = Holds(discontinuous=True, ids=True)
    label_fields = ("ner",)
    confidence = 0.98

    @staticmethod
    def is_record(record: Record) -> bool:
        entities = record.get("ner")
        return (
            are_tokens(record.get("sentence"))
            and isinstance(entities, list)
            and all(isinstance(item, dict) and "index" in item for item in entities)
        )

    def record(self, given: Given) -> StandoffRecord:
        """Read one object."""
        record = given.record
        found = tokenised(record.get("sentence"), record.get("text"))
        marks: list[Mark] = []
        parted: list[tuple[Sequence[Extent], str]] = []
        for entity in objects_of(record.get("ner") or [], "ner"):
            label = label_field(entity.get("type"))
            parts = _parts(found, entity.get("index"), label)
            if not parts:
                note_empty(given.source, given.line, label)
            elif len(parts) == 1:
                marks.append(Mark(*parts[0], label))
            else:
                parted.append((parts, label))
        meta = given.rest(*_FIELDS)
        return given.standoff(
            given.id("id"), found.text, marks, meta | found.meta, parts=parted, convention=CODE_POINTS
        )

    def element(self, document: Document, options: WriteOptions) -> tuple[Record, Losses]:
        """One object, with the text beside its tokens."""
        parted = attachments_of(document).discontinuous
        written = [([(span.start, span.end)], span.label) for span in document.spans]
        written += [(list(item.parts), item.label) for item in parted]
        needed = [part for parts, _ in written for part in parts]
        # A gap of blanks must be seen, or its parts would read as one span.
        gaps = [(left[1], right[0]) for parts, _ in written for left, right in pairwise(parts)]
        needed += [gap for gap in gaps if not document.text[gap[0] : gap[1]].strip()]
        extents = written_tokens(document, needed)
        numbers = Numbers(extents)
        record: Record = {
            "id": document.id,
            "text": document.text,
            "sentence": [document.text[start:end] for start, end in extents],
            "ner": [
                {
                    "index": [
                        number
                        for start, end in parts
                        for number in range(numbers.first(start), numbers.after(end))
                    ],
                    "type": label,
                }
                for parts, label in written
            ],
        }
        return record, self.general_losses(document, {TOKENS})


def _parts(found: Tokenised, index: Any, label: str) -> list[Extent]:
    """The offsets of every run of successive tokens.

    Raises:
        RecordError: the index is no list of token numbers, or names one twice.
    """
    if not isinstance(index, list):
        raise RecordError(
            "'index' should be a list of token numbers, but it is {index}", index=f"{index!r:.60}"
        )
    runs: list[list[Any]] = []
    for number in index:
        extent = found.extent_to(number, number, label)  # also checks it
        if extent is None:
            continue
        if runs and runs[-1][2] == int(number) - 1:
            runs[-1][1:] = extent[1], int(number)
        else:
            runs.append([*extent, int(number)])
    parts = sorted((run[0], run[1]) for run in runs)
    if any(left[1] > right[0] for left, right in pairwise(parts)):
        raise RecordError("'index' of {label} names a token twice: {index}", label=label, index=index[:20])
    return parts
