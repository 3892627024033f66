"""Spans by start, end and match, against the published form that joins the states of every pair."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from core.layers import span_scorer
from core.layers.span_scorer import SpanScorer, candidate_pairs, joined_pairs, pair_keys
from tests.layers.span_oracle import published_match

N, T, H, INNER = 3, 7, 5, 11


def every_pair(rows=N, length=T):
    return torch.tensor([(n, i, j) for n in range(rows) for i in range(length) for j in range(length)])


@pytest.fixture
def scorer():
    torch.manual_seed(0)
    return SpanScorer(H, INNER).double()


@pytest.mark.parametrize("chunk", [span_scorer.CHUNK, 4 * INNER])
def test_values_and_gradients_are_those_of_the_published_form(scorer, monkeypatch, chunk):
    monkeypatch.setattr(span_scorer, "CHUNK", chunk)
    states = torch.randn(N, T, H, dtype=torch.float64, requires_grad=True)
    weight = torch.randn(N, T, T, dtype=torch.float64)
    wanted = [states, *(p for name, p in scorer.named_parameters() if name.startswith("match"))]

    ours = scorer.match(states, every_pair()).view(N, T, T)
    theirs = published_match(scorer, states)
    torch.testing.assert_close(ours, theirs)
    for one, other in zip(
        torch.autograd.grad((ours * weight).sum(), wanted),
        torch.autograd.grad((theirs * weight).sum(), wanted),
        strict=True,
    ):
        torch.testing.assert_close(one, other)


def test_a_pair_scores_the_same_in_any_company_and_order(scorer):
    states = torch.randn(N, T, H, dtype=torch.float64)
    pairs = every_pair()[torch.randperm(N * T * T)]
    together = scorer.match(states, pairs)
    alone = torch.cat([scorer.match(states, pairs[[index]]) for index in range(20)])
    torch.testing.assert_close(together[:20], alone)


def test_no_pairs_no_scores(scorer):
    assert scorer.match(torch.randn(2, 4, H).double(), torch.empty(0, 3, dtype=torch.long)).shape == (0,)
    assert scorer.match(torch.empty(2, 0, H).double(), torch.empty(0, 3, dtype=torch.long)).shape == (0,)


def test_at_first_boundaries_are_rare():
    start, end = SpanScorer(H, INNER).boundaries(torch.zeros(1, 4, H))
    torch.testing.assert_close(start.sigmoid(), torch.full((1, 4), 0.01))
    torch.testing.assert_close(end.sigmoid(), torch.full((1, 4), 0.01))


def test_scores_of_half_precision_states_are_single():
    scorer = SpanScorer(H, INNER).to(torch.bfloat16)
    states = torch.randn(1, 4, H, dtype=torch.bfloat16)
    assert {side.dtype for side in scorer.boundaries(states)} == {torch.float32}
    assert scorer.match(states, every_pair(1, 4)).dtype == torch.float32


def test_the_hidden_layer_of_many_pairs_is_never_whole(scorer, monkeypatch):
    monkeypatch.setattr(span_scorer, "CHUNK", 4 * INNER)
    seen = []
    scorer.match_score.register_forward_hook(lambda module, given, result: seen.append(len(given[0])))
    scorer.match(torch.randn(N, T, H).double(), every_pair()[:18])
    assert seen == [4, 4, 4, 4, 2]


def test_many_pairs_are_scored_without_gradients_too(scorer, monkeypatch):
    states = torch.randn(N, T, H).double()
    with torch.inference_mode():
        at_once = scorer.match(states, every_pair())
        monkeypatch.setattr(span_scorer, "CHUNK", 4 * INNER)
        torch.testing.assert_close(scorer.match(states, every_pair()), at_once)


MASKS = st.lists(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=5, max_size=5), max_size=4)


@given(places=MASKS, longest=st.integers(0, 6))
def test_candidates_are_the_pairs_that_two_loops_find(places, longest):
    table = torch.tensor(places, dtype=torch.bool).view(-1, 5, 2)
    wanted = [
        [row, start, end]
        for row in range(len(places))
        for start in range(5)
        for end in range(start, 5)
        if places[row][start][0] and places[row][end][1] and (not longest or end - start < longest)
    ]
    assert candidate_pairs(table[..., 0], table[..., 1], longest).tolist() == wanted


PAIRS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 4), st.integers(0, 4)), max_size=12)


@given(first=PAIRS, second=PAIRS)
def test_joined_pairs_are_those_of_either_list_once_and_in_order(first, second):
    given_ = [torch.tensor(pairs, dtype=torch.long).view(-1, 3) for pairs in (first, second)]
    joined = joined_pairs(*given_, 5)
    assert [tuple(pair) for pair in joined.tolist()] == sorted({*first, *second})
    keys = pair_keys(joined, 5)
    assert bool((keys[1:] > keys[:-1]).all())
