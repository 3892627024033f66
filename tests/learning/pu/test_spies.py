"""Reliable negatives score lower than nearly all spies."""

import pytest
import torch

from core.learning.pu.spies import reliable_regions, spy_bound, with_negatives
from core.text import Document, Span


def test_the_bound_lets_the_noise_of_the_spies_lie_below():
    answer = torch.linspace(0.01, 1.0, 100)
    document = Document("d", "x" * 100, (Span(0, 100, "PER"),))
    assert spy_bound([answer], [document], 0.15) == pytest.approx(float(torch.quantile(answer, 0.15)))
    assert (answer < spy_bound([answer], [document], 0.15)).sum() == 15


def test_only_the_spies_set_it():
    answer = torch.tensor([0.9, 0.8, 0.1, 0.0])
    assert spy_bound([answer], [Document("d", "林晓来了", (Span(0, 2, "PER"),))], 0.0) == pytest.approx(0.8)


def test_without_a_spy_there_is_no_bound():
    with pytest.raises(ValueError, match="spy"):
        spy_bound([torch.zeros(2)], [Document("d", "来了")], 0.1)


def test_what_scores_low_and_is_under_no_span_is_negative():
    document = Document("d", "林晓平来了吗", (Span(0, 3, "PER"),))
    answer = torch.tensor([0.0, 0.9, 0.9, 0.1, 0.6, 0.1])
    assert reliable_regions(answer, document, 0.5) == ((3, 4), (5, 6))


def test_negatives_are_added_to_annotated_regions():
    document = Document("d", "林晓平来了吗", (), {"annotated_regions": [[0, 2]]})
    assert with_negatives(document, [(2, 3), (5, 6)]).meta["annotated_regions"] == [[0, 3], [5, 6]]
    whole = Document("d", "林")
    assert with_negatives(whole, [(0, 1)]) is whole
