"""What the annotator's browser side may call beyond the one document: comments, occurrences, batches."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Protocol

from app.annotate.widget.bulk_payload import (
    CommentState,
    LabelPlaces,
    NewComment,
    PlaceQuery,
    ReplaceLabels,
    Way,
    read_comment,
    read_comment_state,
    read_id,
    read_label_places,
    read_place_query,
    read_replace_labels,
    read_way,
)
from app.ui.payload import read_count, read_object, read_text

Reply = dict[str, Any]


class BulkBackend(Protocol):
    """Asked like `AnnotatorBackend`: a method may raise `AnnotatorError` and returns plain JSON values."""

    def steps(self, token: str, document: int, revision: int) -> Reply:
        """The person's ``past`` and ``future`` as edits, the next one last, as they were at ``revision``."""

    def comments(self, token: str, document: int) -> Reply:
        """``comments``: all of the document, those in the trash too."""

    def add_comment(self, token: str, comment: NewComment) -> Reply:
        """``comments`` after this one was added once."""

    def set_comment(self, token: str, document: int, comment: int, state: CommentState) -> Reply:
        """``comments`` after one of them changed."""

    def occurrences(self, token: str, query: PlaceQuery) -> Reply:
        """``rows``, ``then`` (the place of the next page, or None), ``total`` and ``documents``."""

    def label_places(self, token: str, order: LabelPlaces) -> Reply:
        """``documents``, ``added`` and ``removed`` after the order was applied once."""

    def labelled(self, token: str, label: str, but: int) -> Reply:
        """``rows``: the surfaces of a label in the other documents, with counts and one context each."""

    def replace_labels(self, token: str, order: ReplaceLabels) -> Reply:
        """``documents``, ``added`` and ``removed`` after the order was applied once."""

    def turn(self, token: str, batch: str, way: Way, but: int, client_edit: str) -> Reply:
        """``documents``, ``added`` and ``removed`` after a batch was taken back or done again."""


def bulk_functions(backend: BulkBackend) -> Iterable[Callable[[Any], Reply]]:
    """The functions by the names the browser calls, each with one object."""

    def read_steps(payload: Any) -> Reply:
        fields = read_object(payload)
        return backend.steps(_token(payload), read_count(fields, "document"), read_count(fields, "revision"))

    def list_comments(payload: Any) -> Reply:
        return backend.comments(_token(payload), read_count(read_object(payload), "document"))

    def add_comment(payload: Any) -> Reply:
        return backend.add_comment(_token(payload), read_comment(payload))

    def set_comment(payload: Any) -> Reply:
        fields = read_object(payload)
        document, comment = read_count(fields, "document"), read_count(fields, "comment")
        return backend.set_comment(_token(payload), document, comment, read_comment_state(payload))

    def find_occurrences(payload: Any) -> Reply:
        return backend.occurrences(_token(payload), read_place_query(payload))

    def label_occurrences(payload: Any) -> Reply:
        return backend.label_places(_token(payload), read_label_places(payload))

    def list_labelled(payload: Any) -> Reply:
        fields = read_object(payload)
        return backend.labelled(_token(payload), read_text(fields, "label"), read_count(fields, "but"))

    def replace_labels(payload: Any) -> Reply:
        return backend.replace_labels(_token(payload), read_replace_labels(payload))

    def turn_batch(payload: Any) -> Reply:
        fields: Mapping[str, Any] = read_object(payload)
        ids = read_id(fields, "batch"), read_id(fields, "client_edit")
        return backend.turn(_token(payload), ids[0], read_way(payload), read_count(fields, "but"), ids[1])

    return (
        read_steps, list_comments, add_comment, set_comment, find_occurrences, label_occurrences,
        list_labelled, replace_labels, turn_batch,
    )  # fmt: skip


def _token(payload: Any) -> str:
    return read_text(read_object(payload), "session")
