"""The loss of BERT-MRC on starts, ends and matches (Li et al., ACL 2020, section 3.3)."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional

from core.layers.span_scorer import candidate_pairs, joined_pairs, pair_keys
from core.taggers.base.tagger import TokenScores
from core.taggers.mrc.batch import MrcBatch


@dataclass(frozen=True, slots=True)
class SpanScores:
    """Logits of starts and ends, ``[B * Q, T]``, and of the match of some pairs, ``[P]``.

    Args:
        pairs: row, start and end (inclusive) of the pairs in ``match``, ``[P, 3]``.
    """

    start: Tensor
    end: Tensor
    pairs: Tensor
    match: Tensor


def training_pairs(
    candidates: str, start: Tensor, end: Tensor, batch: MrcBatch, bound: float = 0.0, longest: int = 0
) -> Tensor:
    """The candidate pairs of the match loss, ``[P, 3]``.

    ``all`` combines every start with every later end, ``gold`` the gold starts with the gold ends, and
    ``pred_and_gold`` adds the predicted starts with the predicted ends.

    Args:
        start, end: logits, ``[B * Q, T]``; a position is predicted above ``bound``.
        longest: maximum length of a span; 0 for no limit.
    """
    starts, ends = batch.position_mask(batch.starts), batch.position_mask(batch.ends)
    if candidates == "all":
        return candidate_pairs(starts, ends, longest)
    gold = candidate_pairs(*batch.gold(), longest)
    if candidates == "gold":
        return gold
    predicted = candidate_pairs((start > bound) & starts, (end > bound) & ends, longest)
    return joined_pairs(gold, predicted, start.shape[1])


def mrc_loss(scores: SpanScores, batch: MrcBatch, weights: tuple[float, float, float]) -> Tensor:
    """The weighted mean of the three losses for each sentence, ``[B]``.

    Each is a binary cross-entropy: for starts and ends the mean over a sentence's positions with every query,
    for matches the mean over its candidate pairs. A query without an answer counts like any other. (The
    published code averages over a batch; here the loss of a sentence does not depend on its batch.) Positions
    outside annotated regions, and pairs with such a position, count only if they are gold; rows that are not
    encoded do not count.

    Args:
        weights: of starts, ends and matches, relative to their sum.
    """
    sentences, whole = len(batch.documents), sum(weights)
    gold_starts, gold_ends = batch.gold()
    start = _mean_over_positions(scores.start, gold_starts, batch, batch.starts)
    end = _mean_over_positions(scores.end, gold_ends, batch, batch.ends)
    scores = _of_known_pairs(scores, batch)

    length = scores.start.shape[1]
    right = torch.isin(pair_keys(scores.pairs, length), pair_keys(batch.spans, length))
    losses = functional.binary_cross_entropy_with_logits(
        scores.match, right.to(scores.match.dtype), reduction="none"
    )
    sentence = scores.pairs[:, 0] // batch.queries
    counts = torch.bincount(sentence, minlength=sentences).clamp(min=1)
    match = losses.new_zeros(sentences).index_add(0, sentence, losses) / counts
    return (weights[0] * start + weights[1] * end + weights[2] * match) / whole


def _mean_over_positions(logits: Tensor, gold: Tensor, batch: MrcBatch, positions: Tensor) -> Tensor:
    """Mean loss of each sentence, ``[B]``, over its positions ``positions`` ``[B, T]`` in all its rows."""
    losses = functional.binary_cross_entropy_with_logits(logits, gold.to(logits.dtype), reduction="none")
    # shape: (B, Q, T)
    shape = len(positions), batch.queries, positions.shape[1]
    losses = losses.view(shape) * batch.loss_mask(gold, positions).view(shape)
    if batch.annotated is not None or batch.encoded is not None:
        return losses.sum((1, 2)) / batch.loss_mask(gold, positions).view(shape).sum((1, 2)).clamp(min=1)
    return losses.sum((1, 2)) / (batch.queries * positions.sum(1)).clamp(min=1)


def _of_known_pairs(scores: SpanScores, batch: MrcBatch) -> SpanScores:
    """The scores without pairs whose gold value is unknown."""
    if batch.annotated is None:
        return scores
    row, first, last = scores.pairs.unbind(1)
    annotated = batch.rows(batch.annotated)
    length = scores.start.shape[1]
    gold = torch.isin(pair_keys(scores.pairs, length), pair_keys(batch.spans, length))
    counted = (annotated[row, first] & annotated[row, last]) | gold
    return SpanScores(scores.start, scores.end, scores.pairs[counted], scores.match[counted])


def token_scores(scores: SpanScores, batch: MrcBatch) -> TokenScores:
    """Binary decisions of start and end for each character: two classes over ``[B, Q, T, 2]``."""
    shape = (len(batch.documents), batch.queries, scores.start.shape[1])
    # A sigmoid is the softmax over a logit and 0.
    logits = torch.stack([scores.start, scores.end], dim=-1).view(*shape, 2)
    starts, ends = batch.gold()
    gold = torch.stack([starts, ends], dim=-1).view(*shape, 2).long()
    mask = torch.stack([batch.loss_mask(starts, batch.starts), batch.loss_mask(ends, batch.ends)], dim=-1)
    return TokenScores(torch.stack([torch.zeros_like(logits), logits], dim=-1), gold, mask.view(*shape, 2))
