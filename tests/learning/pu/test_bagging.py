"""PU bagging: whose bag a text is in, whose answers count, and what they come to."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from core.learning.pu.bagging import OutOfBag, consensus, halves, in_bag, thresholds_for
from core.text import Document, Span


@given(st.integers(0, 40), st.integers(2, 9), st.integers(0, 5))
def test_every_text_is_out_of_exactly_half_of_the_bags(count, bags, seed):
    found = halves(count, bags, seed)
    assert len(found) == bags + bags % 2
    for index in range(count):
        assert sum(index not in bag for bag in found) == len(found) // 2


def test_the_mean_is_over_the_taggers_that_had_not_seen_the_text():
    lengths = (2, 0, 3)
    outside = OutOfBag(lengths, 2)
    chance = torch.Generator().manual_seed(4)
    answers = {
        (bag, text): torch.rand(lengths[text], 2, generator=chance) for bag in (0, 1) for text in (0, 2)
    }
    outside.add(0, 0, answers[0, 0])
    outside.add(2, 0, answers[0, 2][:2])  # a long text comes in windows
    outside.add(2, 2, answers[0, 2][2:])
    outside.add(2, 0, answers[1, 2])  # only the second tagger had seen the first text
    first, empty, last = outside.of_texts(outside.means())
    torch.testing.assert_close(first, answers[0, 0])
    assert empty.shape == (0, 2)
    torch.testing.assert_close(last, (answers[0, 2] + answers[1, 2]) / 2)


def test_more_bags_take_no_more_memory():
    outside = OutOfBag([400] * 50, 3)
    size = sum(part.nbytes for part in vars(outside).values() if isinstance(part, torch.Tensor))
    for _ in range(20):
        for text in range(50):
            outside.add(text, 0, torch.rand(400, 3))
    assert (
        sum(p.nbytes for p in vars(outside).values() if isinstance(p, torch.Tensor)) == size == 50 * 400 * 16
    )


def test_in_its_bag_a_text_is_negative_elsewhere_it_is_unlabelled():
    texts = [
        Document("a", "林晓平来了", (Span(0, 3, "PER"),), {"annotated_regions": []}),
        Document("b", "雨", (), {"annotated_regions": []}),
    ]
    first, second = in_bag(texts, frozenset({0}))
    assert "annotated_regions" not in first.meta
    assert first.spans == texts[0].spans
    assert second is texts[1]


def test_annotated_text_is_the_same_in_every_bag():
    document = Document("a", "雨")
    assert in_bag([document], frozenset({0}))[0] is document


def test_as_many_characters_are_positive_as_the_prior_says():
    chance = torch.Generator().manual_seed(0)
    means = torch.rand(1000, 2, generator=chance) * 0.3
    bounds = thresholds_for(means, ("A", "B"), {"A": 0.2, "B": 0.05})
    assert (means > bounds).float().mean(0).tolist() == pytest.approx([0.2, 0.05], abs=0.002)


def test_what_the_bags_agree_on_stands_beside_the_labels():
    text = Document("a", "林晓平从青岛来", (Span(0, 3, "PER"),), {"annotated_regions": [], "k": 1})
    mean = torch.full((7, 2), 0.01)
    mean[4:6, 1] = 0.2  # low, but above the bound
    mean[1:3, 1] = 0.9  # inside the label: the label stays
    (found,) = consensus([text], [mean], ("PER", "LOC"), torch.tensor([0.1, 0.1]))
    assert [span.key for span in found.spans] == [(0, 3, "PER"), (4, 6, "LOC")]
    assert dict(found.meta) == {"k": 1}
