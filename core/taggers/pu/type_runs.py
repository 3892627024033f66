"""Spans as runs of characters of one type, from a binary score per type and character."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import torch
from torch import Tensor
from torch.nn import functional

from core.layers.wide import wide
from core.text import Span


def read_runs(scores: Tensor, labels: Sequence[str], shares: Tensor | None = None) -> list[Span]:
    """The spans of one sentence, scored.

    A character has its most probable type, if that is above 0.5; consecutive characters of one type are a
    span (Peng et al. 2019, section 3.5). So two adjacent entities of one type become one span.

    Args:
        scores: log-odds of every type at every character, ``[T, K]``.
        shares: weight of each character in the score of a span, ``[T]``; 1 if left out.
    """
    if not scores.numel():
        return []
    best, kind = scores.max(1)
    types = torch.where(best > 0, kind, -1).tolist()
    edges = [at for at in range(1, len(types)) if types[at] != types[at - 1]]
    bounds = [0, *edges, len(types)]
    runs = [(start, end) for start, end in pairwise(bounds) if types[start] >= 0]
    # The score of all runs at once, from running sums.
    precise = scores.detach().cpu().double()
    log_probabilities = functional.logsigmoid(precise)
    if shares is not None:
        log_probabilities = log_probabilities * shares.cpu().double()[:, None]
    inside = functional.pad(log_probabilities.cumsum(0), (0, 0, 1, 0))
    outside = functional.logsigmoid(-precise)
    spans = []
    for start, end in runs:
        k = types[start]
        total = inside[end, k] - inside[start, k]
        total = (
            total + (outside[start - 1, k] if start else 0.0) + (outside[end, k] if end < len(types) else 0.0)
        )
        spans.append(Span(start, end, labels[k], min(float(total.exp()), 1.0)))
    return spans


def run_log_probability(
    scores: Tensor, lengths: Tensor, start: int, end: int, kind: int, shares: Tensor | None = None
) -> Tensor:
    """Log-probability that exactly these characters are of a type, and neither neighbour, ``[B]``,
    differentiable.

    Units are independent, so the probability of a run is the product of theirs. A unit partly inside the run
    counts with that share of its log-probability.

    Args:
        scores: log-odds ``[B, T, K]``. lengths: characters of each sentence, ``[B]``.
        shares: reciprocal size of each character's unit, ``[B, T]``; 1 if left out.

    Raises:
        ValueError: the run leaves a sentence.
    """
    if bool((lengths < end).any()):
        raise ValueError(f"a span up to {end} leaves a sentence")
    type_scores = wide(scores[:, :, kind])
    log_probabilities = functional.logsigmoid(type_scores[:, start:end])
    if shares is not None:
        log_probabilities = log_probabilities * shares[:, start:end].to(type_scores.dtype)
    total = log_probabilities.sum(1)
    if start:
        total = total + functional.logsigmoid(-type_scores[:, start - 1])
    if end < type_scores.shape[1]:
        after = functional.logsigmoid(-type_scores[:, end])
        total = total + torch.where(lengths > end, after, torch.zeros_like(after))
    return total
