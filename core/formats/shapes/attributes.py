"""What formats say of single spans beside their label: attributes, links, groups of equivalent spans.

``meta["attributes"]`` is ``[{"name": "Negation", "value": "", "span": [0, 2, "PER"]}]``; an attribute that
identifies the span in a resource may have the ``text`` that the resource has for it. The first one that says
what a span refers to, brat's ``Reference`` or an ``identifier``, becomes its link.
``meta["equivalences"]`` is ``[{"type": "Equiv", "spans": [[0, 2, "PER"], …]}]``.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from core.text import EntityLink, SpanKey

ATTRIBUTES, EQUIVALENCES = "attributes", "equivalences"
IDENTIFIER = "identifier"  # the name of an attribute, as BioC calls it
REFERENCE = "Reference"  # the type of a normalisation, as brat calls it


class Attribute(NamedTuple):
    """One attribute of a span; ``text`` is None unless it is the name of something in a resource."""

    name: str
    value: str
    span: SpanKey
    text: str | None = None

    def to_json(self) -> dict[str, Any]:
        """The form in ``meta``."""
        named = {} if self.text is None else {"text": self.text}
        return {"name": self.name, "value": self.value, "span": list(self.span), **named}


@dataclass(frozen=True, slots=True)
class Equivalence:
    """Spans that stand for one thing."""

    type: str
    spans: tuple[SpanKey, ...]

    def to_json(self) -> dict[str, Any]:
        """The form in ``meta``."""
        return {"type": self.type, "spans": [list(span) for span in self.spans]}


def attributes_of(rest: Mapping[str, Any] | None, keys: Collection[SpanKey]) -> list[Attribute]:
    """The attributes in ``meta``; none unless all are well-formed and of these spans."""
    found = [_attribute(item, keys) for item in _items(rest, ATTRIBUTES)]
    return [] if None in found else [item for item in found if item is not None]


def equivalences_of(rest: Mapping[str, Any] | None, keys: Collection[SpanKey]) -> list[Equivalence]:
    """The equivalences in ``meta``; none unless all are well-formed and of these spans."""
    found = [_equivalence(item, keys) for item in _items(rest, EQUIVALENCES)]
    return [] if None in found else [item for item in found if item is not None]


def by_span(attributes: Iterable[Attribute]) -> dict[SpanKey, list[Attribute]]:
    """The attributes of every span, in the order given."""
    found: dict[SpanKey, list[Attribute]] = {}
    for attribute in attributes:
        found.setdefault(attribute.span, []).append(attribute)
    return found


def written_in_order(
    rest: Mapping[str, Any] | None, keys: Sequence[SpanKey], fits: Callable[[Attribute], bool]
) -> dict[SpanKey, list[Attribute]] | None:
    """The attributes in ``meta`` by span, if they are read again as they are; else None.

    Args:
        keys: of the spans, in the order in which the format reads them. fits: whether the format holds it.
    """
    found = attributes_of(rest, set(keys))
    own = by_span(found)
    once = all(len({one.name for one in alike}) == len(alike) for alike in own.values())
    in_order = [one for key in keys for one in own.get(key, ())] == found
    return own if once and in_order and all(map(fits, found)) else None


def link_of(name: str, value: str, text: str | None) -> EntityLink | None:
    """The link that an attribute is, or None: ``identifier`` has an id, ``Reference`` source and id."""
    if name == IDENTIFIER and text is None:
        source, id_ = "", value
    elif name == REFERENCE and text is not None:
        source, _, id_ = value.partition(":") if ":" in value else ("", "", value)
    else:
        return None
    try:
        return EntityLink(id_, text or "", source)
    except ValueError:
        return None


def is_bare(link: EntityLink | None) -> bool:
    """Whether a format that has nothing but ids can hold it."""
    return link is None or not (link.name or link.source)


def _items(rest: Mapping[str, Any] | None, name: str) -> list[Any]:
    items = (rest or {}).get(name)
    return list(items) if isinstance(items, (list, tuple)) else []


def _attribute(item: Any, keys: Collection[SpanKey]) -> Attribute | None:
    if not isinstance(item, Mapping) or not {"name", "value", "span"} <= set(item) <= {
        "name", "value", "span", "text",
    }:  # fmt: skip
        return None
    name, value, span, text = item["name"], item["value"], _key(item["span"], keys), item.get("text")
    if not isinstance(name, str) or not name or not isinstance(value, str) or span is None:
        return None
    return Attribute(name, value, span, text) if "text" not in item or isinstance(text, str) else None


def _equivalence(item: Any, keys: Collection[SpanKey]) -> Equivalence | None:
    if not isinstance(item, Mapping) or set(item) != {"type", "spans"}:
        return None
    name, spans = item["type"], item["spans"]
    if not isinstance(name, str) or not name or not isinstance(spans, (list, tuple)) or not spans:
        return None
    found = [_key(span, keys) for span in spans]
    return None if None in found else Equivalence(name, tuple(key for key in found if key is not None))


def _key(value: Any, keys: Collection[SpanKey]) -> SpanKey | None:
    if not isinstance(value, (list, tuple)) or len(value) != 3 or not isinstance(value[2], str):
        return None
    if type(value[0]) is not int or type(value[1]) is not int:
        return None
    key = (value[0], value[1], value[2])
    return key if key in keys else None
