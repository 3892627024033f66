"""Labels in further fields of a document: discontinuous spans and relation arguments.

Stored as ``{"label": id}`` in place of the name, and read with the current name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from core.store.db.span_json import Ids, Names

_GONE = object()  # a label that was deleted
_ENDS = ("from", "to")
_FIELDS = ("discontinuous", "relations")


def names_in(meta: Mapping[str, Any]) -> Iterator[str]:
    """The label names in imported fields."""
    if not any(field in meta for field in _FIELDS):
        return
    names: list[str] = []

    def note(label: Any) -> Any:
        if isinstance(label, str) and label:
            names.append(label)
        return label

    _mapped(meta, note)
    yield from names


def stored(meta: Mapping[str, Any], ids: Ids) -> dict[str, Any]:
    """The fields with ids in the place of names."""
    return _mapped(meta, lambda label: {"label": ids[label]} if isinstance(label, str) and label else label)


def called(meta: Mapping[str, Any], names: Names) -> dict[str, Any]:
    """The fields with current label names; entries of deleted labels are dropped."""

    def name(label: Any) -> Any:
        id_ = label.get("label") if isinstance(label, dict) and len(label) == 1 else None
        if not isinstance(id_, int) or id_ not in names:
            return label
        return _GONE if names[id_] is None else names[id_]

    return _mapped(meta, name)


def _mapped(meta: Mapping[str, Any], label: Callable[[Any], Any]) -> dict[str, Any]:
    fields = dict(meta)
    for field, mapped in zip(_FIELDS, (_discontinuous, _relation), strict=True):
        if isinstance(fields.get(field), list):
            items = [mapped(item, label) for item in fields[field]]
            fields[field] = [item for item in items if item is not _GONE]
    return fields


def _discontinuous(item: Any, label: Callable[[Any], Any]) -> Any:
    if not isinstance(item, dict) or "label" not in item:
        return item
    named = label(item["label"])
    return _GONE if named is _GONE else item | {"label": named}


def _relation(item: Any, label: Callable[[Any], Any]) -> Any:
    if not isinstance(item, dict):
        return item
    changed = dict(item)
    for end in _ENDS:
        value = item.get(end)
        if isinstance(value, list) and len(value) == 3:
            named = label(value[2])
            if named is _GONE:
                return _GONE
            changed[end] = [*value[:2], named]
    return changed
