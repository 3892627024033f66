"""Cases as columns of numbers: 44 bytes each, a small part of what objects take."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from math import isnan, nan
from typing import overload

from core.inspection.corpus.errors import Case
from core.text import Span

NONE = -1  # start of a span that is not there


class CaseTable(Sequence[Case]):
    """A sequence of cases that makes each when it is asked for. Of a gold span it keeps extent and label."""

    def __init__(self) -> None:
        self._documents = array("i")
        self._gold = _Spans()
        self._predicted = _Spans()

    def append(self, document: int, gold: Span | None, predicted: Span | None) -> None:
        """Add a case of the document with this index."""
        self._documents.append(document)
        self._gold.append(gold)
        self._predicted.append(predicted)

    def __len__(self) -> int:
        return len(self._documents)

    @overload
    def __getitem__(self, at: int) -> Case: ...
    @overload
    def __getitem__(self, at: slice) -> list[Case]: ...
    def __getitem__(self, at: int | slice) -> Case | list[Case]:
        if isinstance(at, slice):
            return [self[index] for index in range(*at.indices(len(self)))]
        return Case(self._documents[at], self._gold[at], self._predicted[at])

    def __iter__(self) -> Iterator[Case]:
        return (self[at] for at in range(len(self)))


class _Spans:
    """A column of spans."""

    def __init__(self) -> None:
        self._labels: dict[str, int] = {}
        self._names: list[str] = []
        self._start, self._end, self._label, self._score = array("i"), array("i"), array("i"), array("d")

    def append(self, span: Span | None) -> None:
        label = -1
        if span is not None:
            label = self._labels.setdefault(span.label, len(self._names))
            if label == len(self._names):
                self._names.append(span.label)
        self._start.append(NONE if span is None else span.start)
        self._end.append(NONE if span is None else span.end)
        self._label.append(label)
        self._score.append(nan if span is None or span.score is None else span.score)

    def __getitem__(self, at: int) -> Span | None:
        if self._start[at] == NONE:
            return None
        score = self._score[at]
        label = self._names[self._label[at]]
        return Span(self._start[at], self._end[at], label, None if isnan(score) else score)
