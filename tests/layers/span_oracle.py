"""The match of every pair of places as the published code of BERT-MRC writes it."""

import torch
from torch.nn import functional


def published_match(scorer, states):
    """``[N, T, T]`` from ``[N, T, H]``: all pairs as ``[N, T, T, 2H]`` through a layer, GELU and another."""
    length = states.shape[1]
    start = states[:, :, None, :].expand(-1, -1, length, -1)
    end = states[:, None, :, :].expand(-1, length, -1, -1)
    both = torch.cat([start, end], dim=-1)
    joint = torch.cat([scorer.match_start.weight, scorer.match_end.weight], dim=1)
    hidden = functional.gelu(functional.linear(both, joint, scorer.match_start.bias))
    return functional.linear(hidden, scorer.match_score.weight, scorer.match_score.bias).squeeze(-1)
