"""What is hidden, and what stands in its place: the proportions and constraints of the papers."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.learning.mlm.masking import (
    Replacement,
    budget,
    choose_pieces,
    choose_spans,
    choose_words,
    span_lengths,
)

WORDS = st.lists(st.integers(1, 6), min_size=1, max_size=60).map(
    lambda lengths: [number for number, length in enumerate(lengths) for _ in range(length)]
)
SHARES = st.floats(0.05, 0.6)
SEEDS = st.integers(0, 2**20)


def flat(groups):
    return [place for group in groups for place in group]


@given(st.integers(1, 300), SHARES, SEEDS)
def test_pieces_spend_the_budget_exactly(count, share, seed):
    places = flat(choose_pieces(count, share, np.random.default_rng(seed)))
    assert len(places) == len(set(places)) == max(1, round(count * share))
    assert set(places) <= set(range(count))


@given(WORDS, SHARES, SEEDS)
def test_a_word_is_hidden_whole_or_not_at_all(words, share, seed):
    places = set(flat(choose_words(words, share, np.random.default_rng(seed))))
    for word in set(words):
        own = {place for place, number in enumerate(words) if number == word}
        assert own <= places or not own & places


@given(WORDS, SHARES, SEEDS)
def test_words_and_spans_stay_within_the_budget_unless_no_word_fits(words, share, seed):
    lengths = np.bincount(words)
    for choose in (choose_words, choose_spans):
        places = flat(choose(words, share, np.random.default_rng(seed)))
        assert places
        assert len(places) == len(set(places))
        assert len(places) <= max(budget(len(words), share), lengths.min())


@given(WORDS, SHARES, SEEDS, st.floats(0.1, 0.9), st.integers(1, 10))
def test_a_span_is_whole_words_in_a_row_and_no_longer_than_allowed(words, share, seed, rate, longest):
    groups = choose_spans(words, share, np.random.default_rng(seed), rate, longest)
    for group in groups:
        assert group == list(range(group[0], group[-1] + 1))
        covered = {words[place] for place in group}
        assert len(covered) <= longest
        assert len(group) == sum(word in covered for word in words)


def test_nothing_is_hidden_in_an_empty_text():
    rng = np.random.default_rng(0)
    assert (choose_pieces(0, 0.15, rng), choose_words([], 0.15, rng), choose_spans([], 0.15, rng)) == (
        [],
    ) * 3


def test_lengths_of_spans_follow_the_geometric_law_cut_off_at_ten():
    shares = span_lengths(0.2, 10)
    assert shares.sum() == pytest.approx(1)
    assert shares[1:] / shares[:-1] == pytest.approx(0.8), "geometric"
    assert shares @ np.arange(1, 11) == pytest.approx(3.8, abs=0.005), "SpanBERT, section 3.1"


def test_spans_drawn_from_much_text_have_about_that_mean_length():
    rng = np.random.default_rng(1)
    words = list(range(4000))  # one piece each; so long a text refuses hardly a length
    lengths = [len(group) for _ in range(5) for group in choose_spans(words, 0.15, rng)]
    assert np.mean(lengths) == pytest.approx(3.8, abs=0.3)


def test_of_the_hidden_pieces_80_in_100_are_masked_10_replaced_and_10_kept():
    ids = np.full(40_000, 7)
    others = np.arange(10, 1000)
    seen = Replacement(4, others)(ids, [[place] for place in range(len(ids))], np.random.default_rng(2))
    assert (seen == 4).mean() == pytest.approx(0.8, abs=0.01)
    assert np.isin(seen, others).mean() == pytest.approx(0.1, abs=0.01)
    assert (seen == 7).mean() == pytest.approx(0.1, abs=0.01)


@given(st.lists(st.integers(10, 30), min_size=1, max_size=80), SEEDS)
def test_what_is_not_hidden_stays_as_it_was(ids, seed):
    rng = np.random.default_rng(seed)
    groups = choose_pieces(len(ids), 0.3, rng)
    seen = Replacement(4, np.arange(10, 31))(np.array(ids), groups, rng)
    kept = sorted(set(range(len(ids))) - set(flat(groups)))
    assert seen[kept].tolist() == [ids[place] for place in kept]
    assert set(seen.tolist()) <= {4, *range(10, 31)}


def test_a_span_is_masked_replaced_or_kept_as_one():
    rng = np.random.default_rng(3)
    groups = [list(range(start, start + 5)) for start in range(0, 5000, 5)]
    seen = Replacement(4, np.arange(10, 1000))(np.full(5000, 7), groups, rng).reshape(-1, 5)
    kinds = [{"m" if piece == 4 else "k" if piece == 7 else "r" for piece in row} for row in seen.tolist()]
    assert all(len(kind) == 1 for kind in kinds)
    assert np.mean([kind == {"m"} for kind in kinds]) == pytest.approx(0.8, abs=0.04)
