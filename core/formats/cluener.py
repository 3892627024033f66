"""CLUENER's JSONL: spans by label and surface, with inclusive ends.

Layout: the published corpus (github.com/CLUEbenchmark/CLUENER2020).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from core.formats.framework.conventions import Convention
from core.formats.framework.errors import RecordError
from core.formats.framework.format import Holds, Losses, WriteOptions
from core.formats.shapes.json_lines import Record, dump, id_value, label_field, offset_field, text_field
from core.formats.shapes.json_records import Given, JsonRecords, StandoffRecord
from core.formats.shapes.standoff import Mark
from core.runtime.message import _
from core.text import Document

_FIELDS = frozenset(("text", "label", "id"))


class Cluener(JsonRecords):
    """``{"text": …, "label": {"name": {"surface": [[first, last], …]}}}``, one per line; ``id`` is optional.

    Every pair is checked against its surface. Records that fit only with UTF-16 units or exclusive ends are
    read that way, with a note; if nothing fits, the record is refused.
    """

    name = "cluener"
    title = "CLUENER JSONL"
    extensions = (".json", ".jsonl")
    holds = Holds(ids=True)
    label_fields = ("label",)
    convention = Convention(inclusive=True)
    sorts_spans = True
    fallbacks = (
        Convention("utf16", inclusive=True),
        Convention(),
        Convention("utf16"),
        Convention("graphemes", inclusive=True),
    )

    confidence = 0.97

    @staticmethod
    def is_record(record: Record) -> bool:
        label = record.get("label")
        is_label = isinstance(label, dict) and all(isinstance(item, dict) for item in label.values())
        return is_label and isinstance(record.get("text"), str)

    def record(self, given: Given) -> StandoffRecord:
        """Read one object."""
        text = text_field(given.record, given.options.text_column or "text")
        marks = tuple(_marks(given.record.get("label")))
        return given.standoff(given.id(given.id_column), text, marks, given.rest(*_FIELDS, given.id_column))

    def render(self, document: Document, options: WriteOptions) -> tuple[str, Losses]:
        """One line; spans are grouped by label."""
        label: dict[str, dict[str, list[list[int]]]] = {}
        for span in document.spans:
            pairs = label.setdefault(span.label, {}).setdefault(document.surface(span), [])
            pairs.append([span.start, span.end - 1])
        record = {"id": id_value(document.id), "text": document.text, "label": label}
        return dump(record), self.general_losses(document)


def _marks(label: Any) -> Iterator[Mark]:
    if label is None:
        return
    if not isinstance(label, dict):
        raise RecordError("'label' should be an object of labels, but it is {label}", label=f"{label!r:.60}")
    for name, surfaces in label.items():
        if not isinstance(surfaces, dict):
            raise RecordError(
                "label {name} should hold surfaces and their pairs, but it is {surfaces}",
                name=repr(name),
                surfaces=f"{surfaces!r:.60}",
            )
        for surface, places in surfaces.items():
            if not isinstance(places, list):
                raise RecordError(
                    "{surface} should have a list of pairs, but it has {places}",
                    surface=f"{surface!r:.60}",
                    places=f"{places!r:.60}",
                )
            for place in places:
                if not isinstance(place, list) or len(place) != 2:
                    raise RecordError(
                        "{surface} should have pairs [first, last], but it has {place}",
                        surface=f"{surface!r:.60}",
                        place=f"{place!r:.60}",
                    )
                first, last = (
                    offset_field(value, _("an offset of {surface}", surface=f"{surface!r:.60}"))
                    for value in place
                )
                yield Mark(first, last, label_field(name), surface)
