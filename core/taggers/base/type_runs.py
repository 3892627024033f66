"""Spans from one yes-or-no answer for each type at every character: runs of one type."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import torch
from torch import Tensor
from torch.nn import functional

from core.text import Span


def read_runs(scores: Tensor, labels: Sequence[str], shares: Tensor | None = None) -> list[Span]:
    """The spans of one sentence, scored.

    A character is of the type that is most likely there, if any is more likely than not; consecutive
    characters of one type are a span (Peng et al. 2019, section 3.5). Two entities of one type that touch are
    thus one span.

    Args:
        scores: log-odds of every type at every character, ``[T, K]``.
        shares: what each character counts in the score of a span, ``[T]``; all count 1 where left out.
    """
    if not scores.numel():
        return []
    best, kind = scores.max(1)
    types = torch.where(best > 0, kind, -1).tolist()
    edges = [at for at in range(1, len(types)) if types[at] != types[at - 1]]
    bounds = [0, *edges, len(types)]
    runs = [(start, end) for start, end in pairwise(bounds) if types[start] >= 0]
    # The score of all runs at once, from running sums.
    wide = scores.detach().cpu().double()
    answers = functional.logsigmoid(wide)
    if shares is not None:
        answers = answers * shares.cpu().double()[:, None]
    inside = functional.pad(answers.cumsum(0), (0, 0, 1, 0))
    outside = functional.logsigmoid(-wide)
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
    """Log-probability that these characters, and neither neighbour, are of a type, ``[B]``, with a gradient.

    Units answer for themselves, so the probability of a run is the product of their answers. Of a unit of
    which a run has a part, that share of its log-probability counts.

    Args:
        scores: log-odds ``[B, T, K]``. lengths: characters of each sentence, ``[B]``.
        shares: one over the size of each character's unit, ``[B, T]``; 1 where left out.

    Raises:
        ValueError: the run leaves a sentence.
    """
    if bool((lengths < end).any()):
        raise ValueError(f"a span up to {end} leaves a sentence")
    own = scores[:, :, kind]
    # Near 1 a probability says little in float32; mps has nothing wider.
    own = own if own.device.type == "mps" else own.double()
    answers = functional.logsigmoid(own[:, start:end])
    if shares is not None:
        answers = answers * shares[:, start:end].to(own.dtype)
    total = answers.sum(1)
    if start:
        total = total + functional.logsigmoid(-own[:, start - 1])
    if end < own.shape[1]:
        after = functional.logsigmoid(-own[:, end])
        total = total + torch.where(lengths > end, after, torch.zeros_like(after))
    return total
