"""Spans as categories of characters, the units of the token-level measures.

A token is one character (code point), because Chinese has no generally accepted word boundaries. The category
of a character is the set of the labels of the spans over it (the joint category), so overlapping or adjacent
spans of one label are not distinguished. For a given label, the category is whether a span of that label
covers the character.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from core.agreement.reliability_data import ReliabilityData
from core.text import Span

Array = np.ndarray[Any, Any]
MISSING = -1


@dataclass(frozen=True, slots=True)
class Characters:
    """Runs of characters with constant categories for all annotators.

    Args:
        document: ``[S]``, index of the document among the shared ones. length: ``[S]``, characters.
        category: ``[S, A]``, of every annotator; `MISSING` for documents they did not annotate.
        categories: the set of labels of each number; 0 is no label.
        documents: their number.
    """

    document: Array
    length: Array
    category: Array
    categories: tuple[frozenset[str], ...]
    documents: int

    def of_label(self, label: str | None) -> tuple[Array, int]:
        """Categories ``[S, A]`` and their number: joint ones for None, else 0 (outside) and 1 (inside)."""
        if label is None:
            return self.category, len(self.categories)
        inside = np.array([label in names for names in self.categories], dtype=np.int64)
        return np.where(self.category == MISSING, MISSING, inside[self.category]), 2


def characters(data: ReliabilityData) -> Characters:
    """The categories of all characters of the shared documents."""
    numbers: dict[frozenset[str], int] = {frozenset(): 0}
    documents: list[int] = []
    lengths: list[int] = []
    rows: list[list[int]] = []
    for place, document in enumerate(data.shared):
        edges = sorted(
            {0, document.length}
            | {
                edge
                for spans in document.versions.values()
                for span in spans
                for edge in (span.start, span.end)
            }
        )
        if len(edges) == 1:  # no text: one empty run still records the annotators
            edges = [0, 0]
        columns = [_categories(document.versions.get(name), edges, numbers) for name in data.annotators]
        documents += [place] * (len(edges) - 1)
        lengths += [end - start for start, end in pairwise(edges)]
        rows += [list(row) for row in zip(*columns, strict=True)]
    shape = (len(rows), len(data.annotators))
    return Characters(
        np.array(documents, dtype=np.int64),
        np.array(lengths, dtype=np.int64),
        np.array(rows, dtype=np.int64).reshape(shape),
        tuple(numbers),
        len(data.shared),
    )


def _categories(
    spans: Sequence[Span] | None, edges: Sequence[int], numbers: dict[frozenset[str], int]
) -> list[int]:
    """The category of every segment between two edges; new ones are numbered in order of appearance."""
    if spans is None:
        return [MISSING] * (len(edges) - 1)
    changes: dict[int, list[tuple[str, int]]] = {}
    for span in spans:
        changes.setdefault(span.start, []).append((span.label, 1))
        changes.setdefault(span.end, []).append((span.label, -1))
    covering: dict[str, int] = {}
    current = 0
    of_segments = []
    for edge in edges[:-1]:
        if edge in changes:
            for label, step in changes[edge]:
                covering[label] = covering.get(label, 0) + step
                if not covering[label]:
                    del covering[label]
            current = numbers.setdefault(frozenset(covering), len(numbers))
        of_segments.append(current)
    return of_segments
