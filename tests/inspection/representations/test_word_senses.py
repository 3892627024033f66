"""Senses of forms: occurrences, ambiguity and the nearest mean, by hand."""

from __future__ import annotations

import numpy as np
import pytest

from core.inspection.representations import word_senses
from core.inspection.representations.word_senses import Occurrence
from core.text import Document, Span

TRAIN = [
    Document("1", "云州在云州大学", (Span(0, 2, "LOC"), Span(3, 7, "ORG"))),
    Document("2", "云云", (Span(0, 2, "PER"),)),
]
HELD_OUT = [Document("3", "去云州", (Span(1, 3, "LOC"),))]


def test_a_characters_sense_is_the_entity_over_it():
    found = word_senses.characters(TRAIN)
    assert [one.sense for one in found] == ["LOC"] * 2 + ["O"] + ["ORG"] * 4 + ["PER"] * 2
    assert found[3] == Occurrence("云", 0, 3, 4, "ORG")
    assert word_senses.ambiguous(found, word_senses.characters(HELD_OUT)) == {"云", "州"}


def test_a_surfaces_sense_is_the_entity_exactly_there():
    forms = word_senses.entity_surfaces(TRAIN)
    assert forms == {"云州", "云州大学", "云云"}
    assert word_senses.surfaces(TRAIN, forms) == [
        Occurrence("云州", 0, 0, 2, "LOC"),
        Occurrence("云州", 0, 3, 5, "O"),
        Occurrence("云州大学", 0, 3, 7, "ORG"),
        Occurrence("云云", 1, 0, 2, "PER"),
    ]
    overlapping = word_senses.surfaces([Document("4", "云云云")], {"云云", "云"})
    assert [(one.start, one.end) for one in overlapping] == [(0, 2), (1, 3)]


@pytest.fixture
def known():
    """Form a: x near (0, 0) twice, y near (4, 0); form b: only y."""
    senses = [
        ("a", "x", (0, 0)),
        ("a", "x", (0, 2)),
        ("a", "y", (4, 0)),
        ("b", "y", (9, 9)),
        ("b", "y", (8, 9)),
    ]
    train = [Occurrence(form, 0, 0, 1, sense) for form, sense, _ in senses]
    return train, np.array([vector for *_, vector in senses], dtype=float)


def test_the_nearest_mean_decides_among_the_senses_of_the_form(known):
    held_out = [Occurrence(form, 0, 0, 1, "?") for form in "aabc"]
    others = np.array([(1, 1), (3, 0), (0, 0), (0, 0)], dtype=float)
    # a's means: x (0, 1), y (4, 0). b has one sense. c was never seen: y is the most frequent of all.
    assert word_senses.nearest_sense(*known, held_out, others) == ["x", "y", "y", "y"]
    assert word_senses.first_senses(known[0], held_out) == ["x", "x", "y", "y"]


def test_means_agree_with_a_naive_search(known):
    random = np.random.default_rng(2)
    train = [Occurrence(random.choice(list("ab")), 0, 0, 1, random.choice(list("xyz"))) for _ in range(60)]
    vectors = random.normal(size=(60, 4))
    held_out = [Occurrence(random.choice(list("ab")), 0, 0, 1, "?") for _ in range(20)]
    others = random.normal(size=(20, 4))
    expected = []
    for one, vector in zip(held_out, others, strict=True):
        best = None
        for sense in "xyz":
            rows = [v for t, v in zip(train, vectors, strict=True) if (t.form, t.sense) == (one.form, sense)]
            if rows:
                distance = np.linalg.norm(sum(rows) / len(rows) - vector)
                if best is None or distance < best[0]:
                    best = distance, sense
        expected.append(best[1])
    assert word_senses.nearest_sense(train, vectors, held_out, others) == expected
