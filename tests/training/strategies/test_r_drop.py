"""R-Drop's divergence and loss by hand."""

import math

import pytest
import torch

from core.taggers.base.tagger import TokenScores
from core.training.strategies.composition import Strategies
from core.training.strategies.divergence import kl_divergence, symmetric_divergence
from core.training.strategies.r_drop import RDrop


def softmax(row: list[float]) -> list[float]:
    return [math.exp(value) / sum(map(math.exp, row)) for value in row]


def kl(p: list[float], q: list[float]) -> float:
    return sum(a * math.log(a / b) for a, b in zip(p, q, strict=True))


def test_the_divergence_is_summed_over_the_tokens_there_are():
    first = torch.tensor([[[1.0, 2.0, -1.0], [0.0, 0.5, 3.0], [9.0, 9.0, 9.0]]], dtype=torch.float64)
    second = torch.tensor([[[0.5, 2.5, 0.0], [1.0, 0.0, 0.0], [-9.0, 0.0, 9.0]]], dtype=torch.float64)
    mask = torch.tensor([[True, True, False]])
    pairs = [
        (softmax(a), softmax(b)) for a, b in zip(first[0].tolist()[:2], second[0].tolist()[:2], strict=True)
    ]
    assert float(kl_divergence(first, second, mask)) == pytest.approx(sum(kl(p, q) for p, q in pairs))
    gold = torch.zeros(1, 3, dtype=torch.long)
    both = symmetric_divergence(TokenScores(first, gold, mask), TokenScores(second, gold, mask))
    assert float(both) == pytest.approx(sum(0.5 * kl(p, q) + 0.5 * kl(q, p) for p, q in pairs))


def test_the_loss_is_half_the_papers(exact, context, documents):
    tagger = exact(dropout=0.4)
    batch = tagger.collate(documents[:3])
    torch.manual_seed(8)
    passes = [tagger.loss_and_scores(batch) for _ in range(2)]
    torch.manual_seed(8)
    loss = Strategies(tagger, [RDrop(context(tagger, r_drop=3.0))]).loss(batch).item()
    divergence = 0.0
    for row, document in enumerate(batch.documents):
        for column in range(len(document.text)):
            p, q = (softmax(scores.logits[row, column].tolist()) for _, scores in passes)
            divergence += 0.5 * (kl(p, q) + kl(q, p)) / 3
    paper = passes[0][0].item() + passes[1][0].item() + 3.0 * divergence
    assert loss == pytest.approx(0.5 * paper)
    assert divergence > 0


def test_without_dropout_it_is_the_taggers_loss(exact, context, documents):
    tagger = exact()
    batch = tagger.collate(documents[:3])
    strategies = Strategies(tagger, [RDrop(context(tagger, r_drop=3.0))])
    assert strategies.loss(batch).item() == pytest.approx(tagger.loss(batch).item())
