"""A linear chain by its definition: every path written out, each with the sum of its scores."""

from itertools import pairwise, product

import torch
from torch import Tensor

from core.layers import CRF, TagConstraints


def steep_crf(tags: int, seed: int = 0) -> CRF:
    """A float64 CRF whose transitions matter."""
    torch.manual_seed(seed)
    crf = CRF(tags).double()
    for parameter in crf.parameters():
        torch.nn.init.normal_(parameter)
    return crf


def mask_of(lengths: list[int], longest: int | None = None) -> Tensor:
    """``[B, T]`` bool."""
    return torch.arange(longest or max(lengths)) < torch.tensor(lengths)[:, None]


def bio() -> TagConstraints:
    """BIO over one label: tag 2 continues 1 or 2 only."""
    transitions = torch.ones(3, 3, dtype=torch.bool)
    transitions[0, 2] = False
    return TagConstraints(transitions, torch.tensor([True, True, False]), torch.tensor([True, True, True]))


def bioes() -> TagConstraints:
    """BIOES over one label: O, B, I, E, S; what is begun must be ended."""
    inside, outside = [False, False, True, True, False], [True, True, False, False, True]
    return TagConstraints(
        torch.tensor([outside, inside, inside, outside, outside]),
        torch.tensor(outside),
        torch.tensor([True, False, False, True, True]),
    )


def is_legal(path: tuple[int, ...], constraints: TagConstraints | None) -> bool:
    if constraints is None or not path:
        return True
    ends = constraints.start[path[0]] and constraints.end[path[-1]]
    return bool(ends and all(constraints.transitions[pair] for pair in pairwise(path)))


def path_score(crf: CRF, emissions: Tensor, path: tuple[int, ...]) -> Tensor:
    """Score of one path under emissions ``[T, K]``; 0 for the empty one."""
    if not path:
        return emissions.new_zeros(())
    score = crf.start_transitions[path[0]] + crf.end_transitions[path[-1]]
    score = score + sum(emissions[t, tag] for t, tag in enumerate(path))
    return score + sum(crf.transitions[before, after] for before, after in pairwise(path))


def all_paths(
    crf: CRF, emissions: Tensor, length: int, constraints: TagConstraints | None = None
) -> dict[tuple[int, ...], Tensor]:
    """Every (legal) path of the first ``length`` tokens with its score."""
    paths = product(range(crf.num_tags), repeat=length)
    return {path: path_score(crf, emissions, path) for path in paths if is_legal(path, constraints)}


def probabilities(
    crf: CRF, emissions: Tensor, length: int, constraints: TagConstraints | None = None
) -> dict[tuple[int, ...], float]:
    """Every (legal) path with its share of all their exponentiated scores."""
    scored = all_paths(crf, emissions, length, constraints)
    shares = torch.stack(list(scored.values())).softmax(0)
    return dict(zip(scored, shares.tolist(), strict=True))
