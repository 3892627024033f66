"""Nearest-neighbour word senses, as in ELMo's analysis (Peters et al., NAACL 2018, section 5.3).

The paper averages a layer's states by sense of a word in the training texts, and assigns the nearest sense to
held-out words; words without training states get their first sense in WordNet. As there is no sense inventory
for named entities, the label of a form stands for its sense: a character or surface that is an organisation
in one place and a location or no entity in another has two. The first sense of a form is its most frequent
one in training; an unseen form gets the most frequent sense of all.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

import numpy as np

from core.inspection.representations.probing import OUTSIDE, entity_labels
from core.text import Document


class Occurrence(NamedTuple):
    """An occurrence of a form: document index, offsets and sense."""

    form: str
    document: int
    start: int
    end: int
    sense: str


def characters(documents: Sequence[Document]) -> list[Occurrence]:
    """Every character as a form; its sense is the label of the entity over it, or ``O``."""
    senses = iter(entity_labels(documents))
    return [
        Occurrence(character, number, at, at + 1, next(senses))
        for number, document in enumerate(documents)
        for at, character in enumerate(document.text)
    ]


def surfaces(documents: Sequence[Document], forms: Collection[str]) -> list[Occurrence]:
    """All occurrences of ``forms``; their sense is the label of an entity with these offsets, or ``O``.

    Occurrences of a form may overlap; forms of one character are left out, see `characters`.
    """
    wanted = sorted(form for form in forms if len(form) > 1)
    occurrences = []
    for number, document in enumerate(documents):
        labels = {(span.start, span.end): span.label for span in document.spans}
        for form in wanted:
            at = document.text.find(form)
            while at >= 0:
                sense = labels.get((at, at + len(form)), OUTSIDE)
                occurrences.append(Occurrence(form, number, at, at + len(form), sense))
                at = document.text.find(form, at + 1)
    return occurrences


def entity_surfaces(documents: Iterable[Document]) -> set[str]:
    """All surfaces of entities."""
    return {document.text[span.start : span.end] for document in documents for span in document.spans}


def ambiguous(train: Sequence[Occurrence], held_out: Sequence[Occurrence]) -> set[str]:
    """The forms with more than one sense in training and held-out texts together."""
    senses: dict[str, set[str]] = defaultdict(set)
    for occurrence in (*train, *held_out):
        senses[occurrence.form].add(occurrence.sense)
    return {form for form, of_form in senses.items() if len(of_form) > 1}


def nearest_sense(
    train: Sequence[Occurrence],
    vectors: np.ndarray,
    held_out: Sequence[Occurrence],
    others: np.ndarray,
) -> list[str]:
    """The sense whose mean training vector is nearest to each held-out vector, among those of its form.

    Args:
        vectors, others: of the occurrences, ``[N, D]`` and ``[M, D]``; Euclidean distances.
    """
    means = _means(train, vectors)
    unseen = _most_frequent(occurrence.sense for occurrence in train)
    said = []
    for occurrence, vector in zip(held_out, others, strict=True):
        senses = means.get(occurrence.form)
        if not senses:
            said.append(unseen)
            continue
        said.append(min(senses, key=lambda sense: (float(((senses[sense] - vector) ** 2).sum()), sense)))
    return said


def first_senses(train: Sequence[Occurrence], held_out: Sequence[Occurrence]) -> list[str]:
    """The most frequent training sense of each held-out form."""
    by_form: dict[str, list[str]] = defaultdict(list)
    for occurrence in train:
        by_form[occurrence.form].append(occurrence.sense)
    unseen = _most_frequent(occurrence.sense for occurrence in train)
    first = {form: _most_frequent(senses) for form, senses in by_form.items()}
    return [first.get(occurrence.form, unseen) for occurrence in held_out]


def _means(train: Sequence[Occurrence], vectors: np.ndarray) -> dict[str, dict[str, np.ndarray]]:
    rows: dict[tuple[str, str], list[int]] = defaultdict(list)
    for row, occurrence in enumerate(train):
        rows[occurrence.form, occurrence.sense].append(row)
    means: dict[str, dict[str, np.ndarray]] = defaultdict(dict)
    for (form, sense), row_numbers in rows.items():
        means[form][sense] = vectors[row_numbers].mean(axis=0)
    return means


def _most_frequent(senses: Iterable[str]) -> str:
    """The most frequent sense; of ties, the first by name."""
    counts = Counter(senses)
    return min(counts, key=lambda sense: (-counts[sense], sense)) if counts else OUTSIDE
