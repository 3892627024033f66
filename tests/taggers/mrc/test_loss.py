"""What BERT-MRC learns from, against loops over every place and pair of every query."""

import math
from itertools import product

import pytest
import torch

from core.encoders.transformer import Pieces
from core.layers.span_scorer import candidate_pairs
from core.taggers.base.pair_labels import piece_edges
from core.taggers.mrc.batch import MrcBatch
from core.taggers.mrc.loss import SpanScores, mrc_loss, training_pairs
from core.text import Document

# Two sentences of 5 and 3 characters behind two queries; "yz" of the first is one word piece.
SENTENCES, QUERIES, LENGTH = 2, 2, 5
STARTS = torch.tensor([[1, 1, 1, 1, 0], [1, 1, 1, 0, 0]], dtype=torch.bool)
ENDS = torch.tensor([[1, 1, 1, 0, 1], [1, 1, 1, 0, 0]], dtype=torch.bool)
GOLD = {(0, 0, 2), (0, 1, 1), (0, 3, 4), (3, 2, 2)}  # row, start, end; rows 1 and 2 have no answer


@pytest.fixture
def batch():
    nothing = torch.zeros(0, 0, dtype=torch.long)
    characters = torch.zeros(SENTENCES * QUERIES, LENGTH, 1, dtype=torch.long)
    pieces = Pieces(
        **{name: nothing for name in Pieces.__dataclass_fields__ if name != "characters"},
        characters=characters,
    )
    documents = (Document("1", "uvxyz"), Document("2", "uvx"))
    return MrcBatch(documents, pieces, STARTS, ENDS, torch.tensor(sorted(GOLD)))


@pytest.fixture
def logits():
    torch.manual_seed(4)
    return [2 * torch.randn(SENTENCES * QUERIES, LENGTH, dtype=torch.float64) for _ in range(2)]


def cross_entropy(logit, right):
    probability = 1 / (1 + math.exp(-logit))
    return -math.log(probability if right else 1 - probability)


def mean(values):
    return sum(values) / len(values) if values else 0.0


def every_pair():
    """Every start with every end behind it, by loops."""
    return [
        (row, i, j)
        for row, i, j in product(range(SENTENCES * QUERIES), range(LENGTH), range(LENGTH))
        if i <= j and STARTS[row // QUERIES, i] and ENDS[row // QUERIES, j]
    ]


def wanted_pairs(candidates, start, end, bound=0.0):
    gold_starts, gold_ends = {(row, i) for row, i, _ in GOLD}, {(row, j) for row, _, j in GOLD}
    found = []
    for row, i, j in every_pair():
        gold = (row, i) in gold_starts and (row, j) in gold_ends
        predicted = start[row, i] > bound and end[row, j] > bound
        if candidates == "all" or gold or (candidates == "pred_and_gold" and predicted):
            found.append((row, i, j))
    return found


@pytest.mark.parametrize("candidates", ["all", "gold", "pred_and_gold"])
@pytest.mark.parametrize("bound", [0.0, 0.8])
def test_the_match_learns_from_the_candidates(batch, logits, candidates, bound):
    pairs = training_pairs(candidates, *logits, batch, bound)
    assert [tuple(pair) for pair in pairs.tolist()] == wanted_pairs(candidates, *logits, bound)


def test_gold_starts_are_tried_with_the_gold_ends_of_other_spans(batch, logits):
    pairs = [tuple(pair) for pair in training_pairs("gold", *logits, batch).tolist()]
    assert (0, 0, 1) in pairs
    assert (0, 0, 1) not in GOLD
    assert not [pair for pair in pairs if pair[0] in (1, 2)], "a query without an answer has no gold pair"


def test_pairs_longer_than_a_span_may_be_are_left_out(batch, logits):
    for candidates in ("all", "gold", "pred_and_gold"):
        pairs = training_pairs(candidates, *logits, batch, longest=2)
        expected = [(r, i, j) for r, i, j in wanted_pairs(candidates, *logits) if j - i < 2]
        assert [tuple(pair) for pair in pairs.tolist()] == expected


@pytest.mark.parametrize("weights", [(1.0, 1.0, 0.1), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 2.0)])
@pytest.mark.parametrize("candidates", ["all", "gold", "pred_and_gold"])
def test_the_loss_is_the_weighted_mean_of_three_cross_entropies(batch, logits, weights, candidates):
    start, end = logits
    pairs = training_pairs(candidates, start, end, batch)
    match = torch.randn(len(pairs), dtype=torch.float64)
    scored = list(zip(map(tuple, pairs.tolist()), match.tolist(), strict=True))
    expected = []
    for sentence in range(SENTENCES):
        rows = range(sentence * QUERIES, (sentence + 1) * QUERIES)
        starts = [
            cross_entropy(start[row, i].item(), any(span[:2] == (row, i) for span in GOLD))
            for row in rows
            for i in range(LENGTH)
            if STARTS[sentence, i]
        ]
        ends = [
            cross_entropy(end[row, j].item(), any(span[::2] == (row, j) for span in GOLD))
            for row in rows
            for j in range(LENGTH)
            if ENDS[sentence, j]
        ]
        matches = [cross_entropy(logit, pair in GOLD) for pair, logit in scored if pair[0] in rows]
        losses = (mean(starts), mean(ends), mean(matches))
        expected.append(sum(w * x for w, x in zip(weights, losses, strict=True)) / sum(weights))
    found = mrc_loss(SpanScores(start, end, pairs, match), batch, weights)
    torch.testing.assert_close(found, torch.tensor(expected, dtype=torch.float64))


def test_a_right_answer_costs_nothing(batch):
    gold_starts, gold_ends = batch.gold()
    start, end = (torch.where(gold, 40.0, -40.0) for gold in (gold_starts, gold_ends))
    pairs = candidate_pairs(gold_starts, gold_ends)
    match = torch.tensor([40.0 if tuple(pair) in GOLD else -40.0 for pair in pairs.tolist()])
    assert mrc_loss(SpanScores(start, end, pairs, match), batch, (1.0, 1.0, 1.0)).max() < 1e-6


def test_spans_start_and_end_where_pieces_do():
    # shape: (texts, characters, pieces of a character); the third text has no piece at all
    characters = torch.tensor(
        [
            [[0, -1], [1, -1], [1, -1], [1, -1], [2, -1]],
            [[5, -1], [5, 6], [6, -1], [-1, -1], [-1, -1]],
            [[-1, -1], [-1, -1], [-1, -1], [-1, -1], [-1, -1]],
        ]
    )
    starts, ends = piece_edges(characters)
    assert starts.int().tolist() == [[1, 1, 0, 0, 1], [1, 1, 1, 0, 0], [0, 0, 0, 0, 0]]
    assert ends.int().tolist() == [[1, 0, 0, 1, 1], [1, 1, 1, 0, 0], [0, 0, 0, 0, 0]]
