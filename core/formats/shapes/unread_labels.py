"""Fields that look like labels and are not read: a reader of JSON records says so, and buries none."""

from __future__ import annotations

from collections.abc import Callable, Collection

from core.formats.framework.source import Source
from core.formats.shapes.json_lines import Record, first_records

LABEL_NAMES = (
    "entities", "ents", "spans", "annotations", "annotation", "label", "labels", "ner", "ner_tags", "tags",
    "denotations", "result_list", "entity_list", "responses", "predictions", "prediction",
)  # fmt: skip
_SURVEYED = 200


def note_unread_labels(source: Source, read: Callable[[Record], Collection[str]]) -> None:
    """Note every field of the first records that is called as labels are and is not read.

    Args:
        read: the fields of a record that its reader takes labels from.
    """
    told: dict[str, None] = {}
    for record in first_records(source.head(), _SURVEYED):
        names = [
            name for name in LABEL_NAMES if isinstance(record.get(name), (list, dict, str)) and record[name]
        ]
        told.update(dict.fromkeys(name for name in names if name not in read(record)))
    for name in told:
        source.notes.add(
            "labels",
            f"the field {name!r} looks like labels and is not read as spans; map the fields of the file if "
            "it should be",
        )
