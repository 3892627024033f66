"""PU bagging: whose bag a text is in, whose answers count, and what they come to."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from core.learning.pu.bagging import agreed, bounds_for, halves, in_bag, out_of_bag
from core.text import Document, Span


@given(st.integers(0, 40), st.integers(2, 9), st.integers(0, 5))
def test_every_text_is_out_of_exactly_half_of_the_bags(count, bags, seed):
    found = halves(count, bags, seed)
    assert len(found) == bags + bags % 2
    for index in range(count):
        assert sum(index not in bag for bag in found) == len(found) // 2


def test_the_mean_is_over_the_taggers_that_had_not_seen_the_text():
    bags = [frozenset({0}), frozenset({1}), frozenset({0, 1}), frozenset()]
    answers = [[torch.full((2, 1), float(10 * bag + text)) for text in range(2)] for bag in range(4)]
    means = out_of_bag(bags, answers)
    assert means[0].flatten().tolist() == [(10 + 30) / 2] * 2
    assert means[1].flatten().tolist() == [(1 + 31) / 2] * 2


def test_in_its_bag_a_text_is_negative_elsewhere_it_is_unlabelled():
    texts = [
        Document("a", "林晓平来了", (Span(0, 3, "PER"),), {"looked": []}),
        Document("b", "雨", (), {"looked": []}),
    ]
    first, second = in_bag(texts, frozenset({0}))
    assert "looked" not in first.meta
    assert first.spans == texts[0].spans
    assert second is texts[1]


def test_what_people_looked_at_is_as_it_was_in_every_bag():
    document = Document("a", "雨")
    assert in_bag([document], frozenset({0}))[0] is document


def test_as_many_characters_are_positive_as_the_prior_says():
    chance = torch.Generator().manual_seed(0)
    means = [torch.rand(50, 2, generator=chance) * 0.3 for _ in range(20)]
    bounds = bounds_for(means, ("A", "B"), {"A": 0.2, "B": 0.05})
    every = torch.cat(means)
    assert (every > bounds).float().mean(0).tolist() == pytest.approx([0.2, 0.05], abs=0.002)


def test_what_the_bags_agree_on_stands_beside_the_labels():
    text = Document("a", "林晓平从青岛来", (Span(0, 3, "PER"),), {"looked": [], "k": 1})
    mean = torch.full((7, 2), 0.01)
    mean[4:6, 1] = 0.2  # low, but above the bound
    mean[1:3, 1] = 0.9  # inside the label: the label stays
    (found,) = agreed([text], [mean], ("PER", "LOC"), torch.tensor([0.1, 0.1]))
    assert [span.key for span in found.spans] == [(0, 3, "PER"), (4, 6, "LOC")]
    assert dict(found.meta) == {"k": 1}
