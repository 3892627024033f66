"""What the annotator's browser side may call about the order of the queue."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Protocol

from app.annotate.widget.annotation_payload import ORDER_NAMES
from app.ui.payload import InvalidPayload, read_count, read_object, read_text

Reply = dict[str, Any]


class OrderBackend(Protocol):
    """Asked like `AnnotatorBackend`: a method may raise `AnnotatorError` and returns plain JSON values."""

    def order(self, token: str, name: str) -> Reply:
        """How an order stands: ``order``, ``state``, ``scored``, ``waiting``, ``made_for``, ``now``,
        ``need``, ``fraction``, ``error``, ``apart`` and ``saving``."""

    def score_order(self, token: str, name: str) -> Reply:
        """The same, once its scoring has begun."""

    def stop_scoring(self, token: str, name: str) -> Reply:
        """The same, once the scoring was asked to stop."""

    def set_apart(self, token: str, percent: int) -> Reply:
        """The same of the order ``apart``, once a share of the documents was set apart."""

    def give_back(self, token: str) -> Reply:
        """The same, once what nobody has labelled of them was given back."""


def order_functions(backend: OrderBackend) -> Iterable[Callable[[Any], Reply]]:
    """The functions by the names the browser calls, each with one object."""

    def read_order(payload: Any) -> Reply:
        fields = read_object(payload)
        return backend.order(_token(fields), _name(fields))

    def score_order(payload: Any) -> Reply:
        fields = read_object(payload)
        return backend.score_order(_token(fields), _name(fields))

    def stop_scoring(payload: Any) -> Reply:
        fields = read_object(payload)
        return backend.stop_scoring(_token(fields), _name(fields))

    def set_apart(payload: Any) -> Reply:
        fields = read_object(payload)
        percent = read_count(fields, "percent")
        if not 1 <= percent <= 50:
            raise InvalidPayload(f"percent must be 1 to 50, got {percent}")
        return backend.set_apart(_token(fields), percent)

    def give_back_apart(payload: Any) -> Reply:
        return backend.give_back(_token(read_object(payload)))

    return (read_order, score_order, stop_scoring, set_apart, give_back_apart)


def _name(fields: Mapping[str, Any]) -> str:
    name = read_text(fields, "order")
    if name not in ORDER_NAMES:
        raise InvalidPayload(f"order must be one of {', '.join(ORDER_NAMES)}, got {name!r}")
    return name


def _token(fields: Mapping[str, Any]) -> str:
    return read_text(fields, "session")
