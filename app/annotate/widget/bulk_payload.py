"""What the browser sends about comments and about many documents at once, checked field by field."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

from app.ui.payload import InvalidPayload, read_count, read_object, read_text

CommentState = Literal["open", "resolved", "trashed", "restored"]
Way = Literal["undo", "redo"]

MAX_COMMENT = 4_000
MAX_PLACES = 5_000
MAX_SURFACES = 5_000
MAX_SURFACE = 2_000  # characters of one that replacing a label may name


@dataclass(frozen=True, slots=True)
class NewComment:
    """A comment on ``start`` to ``end`` of a document, or on the document where they are None."""

    document: int
    start: int | None
    end: int | None
    label: str
    text: str
    client_edit: str


@dataclass(frozen=True, slots=True)
class PlaceQuery:
    """A surface to look for in the other documents, from a place on."""

    surface: str
    but: int
    document: int
    start: int


@dataclass(frozen=True, slots=True)
class LabelPlaces:
    """A label for places in other documents: ``(document, start, end, surface)`` each."""

    label: str
    places: tuple[tuple[int, int, int, str], ...]
    batch: str


@dataclass(frozen=True, slots=True)
class ReplaceLabels:
    """``label`` to become ``new`` (None: to go) in the other documents; on ``surfaces``, or all (None)."""

    label: str
    new: str | None
    surfaces: tuple[str, ...] | None
    but: int
    batch: str


def read_comment(payload: Any) -> NewComment:
    """The comment in ``payload``. Raises: InvalidPayload, naming the field."""
    fields = read_object(payload)
    stretch = [None if fields.get(name) is None else read_count(fields, name) for name in ("start", "end")]
    if (stretch[0] is None) != (stretch[1] is None):
        raise InvalidPayload("a comment has both start and end, or neither")
    return NewComment(
        read_count(fields, "document"),
        stretch[0],
        stretch[1],
        read_text(fields, "label", optional=True),
        _long(fields, "text", MAX_COMMENT),
        read_id(fields, "client_edit"),
    )


def read_comment_state(payload: Any) -> CommentState:
    """What a comment is to become. Raises: InvalidPayload."""
    state: Any = read_object(payload).get("state")
    if state not in get_args(CommentState):
        raise InvalidPayload(f"state must be one of {', '.join(get_args(CommentState))}")
    return state


def read_place_query(payload: Any) -> PlaceQuery:
    """The question in ``payload``. Raises: InvalidPayload, naming the field."""
    fields = read_object(payload)
    return PlaceQuery(
        read_text(fields, "surface"),
        read_count(fields, "but"),
        read_count(fields, "document", optional=True),
        read_count(fields, "start", optional=True),
    )


def read_label_places(payload: Any) -> LabelPlaces:
    """The order in ``payload``. Raises: InvalidPayload, naming the field and the item."""
    fields = read_object(payload)
    items = fields.get("places")
    if not isinstance(items, list) or not 0 < len(items) <= MAX_PLACES:
        raise InvalidPayload(f"places must be a list of 1 to {MAX_PLACES} places")
    places = []
    for index, item in enumerate(items):
        try:
            place = read_object(item)
            start, end = read_count(place, "start"), read_count(place, "end")
            if start >= end:
                raise InvalidPayload(f"{start}-{end} is no stretch of text")
            places.append((read_count(place, "document"), start, end, read_text(place, "surface")))
        except InvalidPayload as error:
            raise InvalidPayload(f"places[{index}]: {error}") from None
    return LabelPlaces(read_text(fields, "label"), tuple(places), read_id(fields, "client_edit"))


def read_replace_labels(payload: Any) -> ReplaceLabels:
    """The order in ``payload``. Raises: InvalidPayload, naming the field."""
    fields = read_object(payload)
    surfaces = fields.get("surfaces")
    if surfaces is not None:
        if not isinstance(surfaces, list) or not 0 < len(surfaces) <= MAX_SURFACES:
            raise InvalidPayload(f"surfaces must be a list of 1 to {MAX_SURFACES} texts, or absent for all")
        surfaces = tuple(_long({"surfaces": surface}, "surfaces", MAX_SURFACE) for surface in surfaces)
    return ReplaceLabels(
        read_text(fields, "label"),
        read_text(fields, "new", optional=True) or None,
        surfaces,
        read_count(fields, "but"),
        read_id(fields, "client_edit"),
    )


def read_way(payload: Any) -> Way:
    """``undo`` or ``redo``. Raises: InvalidPayload."""
    way: Any = read_object(payload).get("way")
    if way not in get_args(Way):
        raise InvalidPayload("way must be undo or redo")
    return way


def read_id(fields: Mapping[str, Any], name: str) -> str:
    """An id that the browser made up, 8 to 64 characters. Raises: InvalidPayload."""
    made = read_text(fields, name)
    if not 8 <= len(made) <= 64:
        raise InvalidPayload(f"{name} must have 8 to 64 characters, it has {len(made)}")
    return made


def _long(fields: Mapping[str, Any], name: str, most: int) -> str:
    value = fields.get(name)
    if not isinstance(value, str) or not value.strip() or len(value) > most:
        raise InvalidPayload(f"{name} must be a text of 1 to {most} characters")
    return value
