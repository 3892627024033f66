"""Segments of sentences with the tags allowed in them, and their probability under a linear chain."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
import torch
from torch import Tensor

from core.layers.compiled_loops import compiled_loops
from core.layers.crf.forward_backward import forward_backward, is_safe

# The tags from a position of a sentence on: sentence, first position, a tag for every position.
Path = tuple[int, int, Sequence[int]]
_COMPILED = f"{__package__}.compiled_paths"


@dataclass(frozen=True)
class Segments:
    """Segments of sentences and the tags allowed at each of their positions.

    Args:
        sentence: which sentence of the batch, ``[S]`` int64. start: first position, ``[S]`` int64.
        allowed: ``[S, M, K]`` bool, the tags allowed at position ``start + m``. All True leaves a position
            free; positions past the end of the sentence are not read.
    """

    sentence: Tensor
    start: Tensor
    allowed: Tensor

    @classmethod
    def of_paths(cls, paths: Sequence[Path], tags: int) -> Segments:
        """Segments that take exactly one path: (sentence, start, tag of every position)."""
        sizes = [len(path) for _, _, path in paths]
        taken = [(row, m, tag) for row, (_, _, path) in enumerate(paths) for m, tag in enumerate(path)]
        row, m, tag = torch.tensor(taken, dtype=torch.long).view(-1, 3).unbind(1)
        # shape: (S, M, K)
        allowed = torch.ones(len(paths), max(sizes, default=0), tags, dtype=torch.bool)
        allowed[row, m] = False
        allowed[row, m, tag] = True
        starts = torch.tensor([path[:2] for path in paths], dtype=torch.long).view(-1, 2)
        return cls(starts[:, 0], starts[:, 1], allowed)


@torch.no_grad()
def path_probability(
    paths: Sequence[Path], emissions: Tensor, mask: Tensor, transitions: Tensor, start: Tensor, end: Tensor
) -> Tensor:
    """Probability of each path through a part of a sentence: ``[S]``.

    Args:
        paths: none is empty.
        emissions, mask, transitions, start, end: the chain, as :func:`forward_backward` takes it.

    Raises:
        ValueError: a path leaves its sentence.
    """
    lengths = mask.sum(1).tolist()
    if any(first < 0 or first + len(tags) > lengths[sentence] for sentence, first, tags in paths):
        raise ValueError("a path leaves its sentence")
    loops = compiled_loops(_COMPILED, sum(lengths)) if paths and emissions.device.type == "cpu" else None
    if loops is None or not is_safe(emissions, transitions, start, end):
        segments = Segments.of_paths(paths, emissions.shape[2])
        return segment_probability(segments, emissions, mask, transitions, start, end)
    order = sorted(range(len(paths)), key=lambda index: paths[index][0])
    ordered = [paths[index] for index in order]
    moves, begin, ends = ((scores.double() - scores.max()).exp() for scores in (transitions, start, end))
    found = np.empty(len(paths))
    loops.fill_path_probabilities(
        emissions.double().contiguous().numpy(),
        np.array(lengths),
        *(scores.contiguous().numpy() for scores in (moves, moves.T, begin, ends)),
        np.array([sentence for sentence, _, _ in ordered]),
        np.array([first for _, first, _ in ordered]),
        np.cumsum([0, *(len(tags) for _, _, tags in ordered)]),
        np.fromiter(chain.from_iterable(tags for _, _, tags in ordered), np.int64),
        found,
    )
    probability = torch.empty(len(paths), dtype=torch.float64)
    probability[order] = torch.from_numpy(found)
    return probability.clamp_(max=1.0)


@torch.no_grad()
def segment_probability(
    segments: Segments, emissions: Tensor, mask: Tensor, transitions: Tensor, start: Tensor, end: Tensor
) -> Tensor:
    """Probability of each segment: ``[S]``.

    Args:
        emissions, mask, transitions, start, end: the chain, as :func:`forward_backward` takes it.

    Raises:
        ValueError: a segment starts outside its sentence.
    """
    device = emissions.device
    sentence, first = segments.sentence.to(device), segments.start.to(device)
    allowed = segments.allowed.to(device)
    lengths = mask.sum(1)[sentence]
    if bool(((first < 0) | (first >= lengths)).any()):
        raise ValueError("a segment starts outside its sentence")
    if not allowed.numel():
        return emissions.new_ones(len(allowed))
    step = torch.arange(allowed.shape[1], device=device)
    # Free positions at the end of a segment are in beta already. shape: (S,)
    constrained = ~allowed.all(2) & (first[:, None] + step < lengths[:, None])
    sizes = (constrained * (step + 1)).amax(1).clamp(min=1)
    alpha, beta, partition = forward_backward(emissions, mask, transitions, start, end)
    # shape: (S, M, K)
    positions = (first[:, None] + step).clamp(max=emissions.shape[1] - 1)
    scores = emissions[sentence[:, None], positions].to(alpha)
    scores[:, 0] = alpha[sentence, first]
    scores = scores.masked_fill(~allowed, float("-inf"))
    one_path = bool(((allowed.sum(2) == 1) | (step >= sizes[:, None])).all())
    within = _along_paths if one_path else _over_sets
    reached = within(scores, sizes, transitions.to(alpha))
    total = torch.logsumexp(reached + beta[sentence, first + sizes - 1], dim=1)
    return (total - partition[sentence]).exp().clamp(max=1.0)


def _along_paths(scores: Tensor, sizes: Tensor, transitions: Tensor) -> Tensor:
    """:func:`_over_sets` where every position but those after the end takes one tag: no sums at all."""
    best, tags = scores.max(2)  # shape: (S, M)
    step = torch.arange(scores.shape[1], device=scores.device)
    inside = step < sizes[:, None]
    moved = transitions[tags[:, :-1], tags[:, 1:]].masked_fill(~inside[:, 1:], 0.0)
    last = tags.gather(1, sizes[:, None] - 1)
    reached = torch.full_like(scores[:, 0], float("-inf"))
    return reached.scatter(1, last, (best.masked_fill(~inside, 0.0).sum(1) + moved.sum(1))[:, None])


def _over_sets(scores: Tensor, sizes: Tensor, transitions: Tensor) -> Tensor:
    """Log-sums of all prefixes that end with the segment, by last tag, ``[S, K]``.

    Args:
        scores: ``[S, M, K]``, prefixes at the first position and emissions after it; minus infinity forbids.
        sizes: positions of each segment, ``[S]``. transitions: ``[K, K]``.
    """
    reached = scores[:, 0]
    for step in range(1, int(sizes.max())):
        arrived = torch.logsumexp(reached[:, :, None] + transitions, dim=1) + scores[:, step]
        reached = torch.where((step < sizes)[:, None], arrived, reached)
    return reached
