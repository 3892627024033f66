"""Annotations in ``meta``: discontinuous spans, relations, chains, comments, annotator and time.

``meta["discontinuous"]`` is ``[{"parts": [[0, 2], [5, 7]], "label": "DIS"}]``, ``meta["relations"]`` is
``[{"type": "met_in", "from": [0, 2, "PER"], "to": [3, 5, "LOC"]}]``, ``meta["chains"]`` (coreference) is
``[{"links": [[0, 2, "name", "coref"], [3, 4, "pronoun", ""]]}]`` with the type of each link and of its
relation to the next one, either of which may be empty, ``meta["comments"]`` is ``[{"text": …}]`` with
``start``, ``end`` and ``label`` for a comment on a span, and ``user``, ``at`` and ``resolved`` if known (see
``core.store.document.comment_meta``); ``annotator`` and ``annotated_at`` are texts. Values of another shape,
or that do not fit the text, are treated as further fields.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

from core.text import Document, Span, SpanKey

DISCONTINUOUS, RELATIONS, CHAINS, COMMENTS = "discontinuous", "relations", "chains", "comments"
ANNOTATOR, ANNOTATED_AT = "annotator", "annotated_at"
# The kinds that are counted when they are lost, by their names in ``LOSSES`` and ``Holds``.
ATTACHED = ("discontinuous", "relations", "chains", "comments", "authors")

_BREAKS = re.compile(r"[\t\r\n]+")
_ABOUT, _MORE = ("start", "end", "label"), ("user", "at", "resolved")


@dataclass(frozen=True, slots=True)
class Discontinuous:
    """A span of several parts, each ``(start, end)`` in code points, in the order of the text."""

    parts: tuple[tuple[int, int], ...]
    label: str

    @property
    def key(self) -> SpanKey:
        """Start of the first part, end of the last one, and label: how relations refer to it."""
        return (self.parts[0][0], self.parts[-1][1], self.label)

    def to_json(self) -> dict[str, Any]:
        """The form in ``meta``."""
        return {"parts": [list(part) for part in self.parts], "label": self.label}


@dataclass(frozen=True, slots=True)
class Relation:
    """A directed relation between two spans, each given by start, end and label."""

    type: str
    source: SpanKey
    target: SpanKey

    def to_json(self) -> dict[str, Any]:
        """The form in ``meta``."""
        return {"type": self.type, "from": list(self.source), "to": list(self.target)}


class Link(NamedTuple):
    """A mention in a chain: start and end in code points, its type, and its relation to the next one."""

    start: int
    end: int
    type: str
    relation: str


@dataclass(frozen=True, slots=True)
class Chain:
    """Mentions of one entity in order (coreference); they need not be spans."""

    links: tuple[Link, ...]

    def to_json(self) -> dict[str, Any]:
        """The form in ``meta``."""
        return {"links": [list(link) for link in self.links]}


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment on a span, or on the document if ``span`` is None.

    ``more``: user and time, which only formats with free fields can hold.
    """

    text: str
    span: SpanKey | None = None
    more: tuple[tuple[str, Any], ...] = ()

    def to_json(self) -> dict[str, Any]:
        """The form in ``meta``."""
        about = {} if self.span is None else dict(zip(("start", "end", "label"), self.span, strict=True))
        return {"text": self.text, **about, **dict(self.more)}


@dataclass(frozen=True, slots=True)
class Attachments:
    """Attachments of one document; ``rest``: the other fields of its meta."""

    discontinuous: tuple[Discontinuous, ...] = ()
    relations: tuple[Relation, ...] = ()
    chains: tuple[Chain, ...] = ()
    comments: tuple[Comment, ...] = ()
    annotator: str = ""
    annotated_at: str = ""
    rest: Mapping[str, Any] | None = None

    def count(self, kind: str) -> int:
        """The number of one kind of ``ATTACHED``; annotator and time count once per document."""
        if kind == "authors":
            return int(bool(self.annotator or self.annotated_at))
        return len(getattr(self, kind))


def attachments_of(document: Document) -> Attachments:
    """Parse the attachments of a document; malformed ones stay in ``rest``."""
    if not document.meta:
        return Attachments(rest={})
    rest = dict(document.meta)
    length = len(document.text)
    return Attachments(
        _pop_items(rest, DISCONTINUOUS, lambda item: _discontinuous(item, length)),
        _pop_items(rest, RELATIONS, lambda item: _relation(item, length)),
        _pop_items(rest, CHAINS, lambda item: _chain(item, length)),
        _pop_items(rest, COMMENTS, lambda item: _comment(item, length)),
        _pop_text(rest, ANNOTATOR),
        _pop_text(rest, ANNOTATED_AT),
        rest,
    )


def to_meta(
    discontinuous: Iterable[Discontinuous] = (),
    relations: Iterable[Relation] = (),
    comments: Iterable[Comment] = (),
    chains: Iterable[Chain] = (),
    annotator: str = "",
    annotated_at: str = "",
) -> dict[str, Any]:
    """The fields of ``meta`` for these; empty ones are left out."""
    meta: dict[str, Any] = {
        DISCONTINUOUS: [item.to_json() for item in discontinuous],
        RELATIONS: [item.to_json() for item in relations],
        CHAINS: [item.to_json() for item in chains],
        COMMENTS: [item.to_json() for item in comments],
        ANNOTATOR: annotator,
        ANNOTATED_AT: annotated_at,
    }
    return {name: value for name, value in meta.items() if value}


def keys_of(spans: Iterable[Span], more: Iterable[Discontinuous] = ()) -> set[SpanKey]:
    """The keys by which relations refer to the spans of a document."""
    return {span.key for span in spans} | {item.key for item in more}


def numbers_of(spans: Sequence[Span]) -> dict[SpanKey, int]:
    """For every key the number of the first span that has it."""
    return {span.key: number for number, span in reversed(list(enumerate(spans)))}


def has_both_ends(relation: Relation, keys: Collection[SpanKey]) -> bool:
    """Whether both ends of a relation are spans of the document; if not, no format can write it."""
    return relation.source in keys and relation.target in keys


def _pop_items(rest: dict[str, Any], name: str, build: Any) -> tuple[Any, ...]:
    """The items under ``name``, removed from ``rest``; none unless all have the right shape."""
    items = rest.get(name)
    if not isinstance(items, (list, tuple)) or not items:
        return ()
    built = tuple(build(item) for item in items)
    if any(item is None for item in built):
        return ()
    del rest[name]
    return built


def _pop_text(rest: dict[str, Any], name: str) -> str:
    value = rest.get(name)
    return rest.pop(name) if isinstance(value, str) and value else ""


def _discontinuous(item: Any, length: int) -> Discontinuous | None:
    if not isinstance(item, Mapping) or set(item) != {"parts", "label"}:
        return None
    parts, label = item["parts"], item["label"]
    if not isinstance(parts, (list, tuple)) or len(parts) < 2 or not _is_name(label):
        return None
    if not all(_is_extent(part, length) for part in parts):
        return None
    if any(left[1] > right[0] for left, right in pairwise(parts)):
        return None
    return Discontinuous(tuple((start, end) for start, end in parts), label)


def _relation(item: Any, length: int) -> Relation | None:
    if not isinstance(item, Mapping) or set(item) != {"type", "from", "to"} or not _is_name(item["type"]):
        return None
    source, target = _key(item["from"], length), _key(item["to"], length)
    return None if source is None or target is None else Relation(item["type"], source, target)


def _chain(item: Any, length: int) -> Chain | None:
    if not isinstance(item, Mapping) or set(item) != {"links"}:
        return None
    links = item["links"]
    if not isinstance(links, (list, tuple)) or not links:
        return None
    if not all(isinstance(link, (list, tuple)) and len(link) == 4 for link in links):
        return None
    whole = all(
        _is_extent(link[:2], length)
        and all(isinstance(word, str) and word == one_line(word) for word in link[2:])
        for link in links
    )
    return Chain(tuple(Link(*link) for link in links)) if whole else None


def one_line(word: str) -> str:
    """A type for a table row or an XML attribute: without line breaks, tabs and outer blanks."""
    return _BREAKS.sub(" ", word).strip()


def _comment(item: Any, length: int) -> Comment | None:
    if not isinstance(item, Mapping) or "text" not in item or not set(item) <= {"text", *_ABOUT, *_MORE}:
        return None
    if not isinstance(item["text"], str) or not item["text"]:
        return None
    more = tuple((name, item[name]) for name in _MORE if name in item)
    if not any(name in item for name in _ABOUT):
        return Comment(item["text"], None, more)
    span = _key([item.get(name) for name in _ABOUT], length)
    return None if span is None else Comment(item["text"], span, more)


def _key(value: Any, length: int) -> SpanKey | None:
    if not isinstance(value, (list, tuple)) or len(value) != 3 or not _is_name(value[2]):
        return None
    return (value[0], value[1], value[2]) if _is_extent(value[:2], length) else None


def _is_extent(part: Any, length: int) -> bool:
    return (
        isinstance(part, (list, tuple))
        and len(part) == 2
        and all(type(place) is int for place in part)
        and 0 <= part[0] < part[1] <= length
    )


def _is_name(value: Any) -> bool:
    return isinstance(value, str) and bool(value)
