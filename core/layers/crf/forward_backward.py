"""Sums over all tag paths of a linear chain by the forward-backward recursion."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from core.layers.crf.log_chain import LogChain
from core.layers.crf.scaled_chain import ScaledChain

# Once normalised, a tag that paths reach holds at least exp(-spread) of the scaled recursion; exp(-600) is
# well above the smallest float64.
_SAFE_SPREAD = 600.0
# Normalising is half the work of a step. Between normalisations the recursion may grow by K in every step.
_MOST_UNNORMALISED = 8
# Tags of BMES and BIOES reach one another in three steps; beyond this many the spread is hardly ever safe.
_MOST_STEPS = 8


@torch.no_grad()
def forward_backward(
    emissions: Tensor, mask: Tensor, transitions: Tensor, start: Tensor, end: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    """Log-sums of path prefixes and suffixes, without gradients.

    Args:
        emissions: ``[B, T, K]``; minus infinity forbids. mask: ``[B, T]`` bool, tokens first.
        transitions: ``[K, K]`` from row to column; minus infinity forbids. start, end: ``[K]``.

    Returns:
        alpha ``[B, T, K]``, all prefixes ending at t in tag k, emission t included; beta ``[B, T, K]``, all
        suffixes after t given tag k at t; log partition ``[B]``, 0 for empty ones. Padding is undefined.
        In float64 where the device has it.
    """
    if not mask.numel():
        return emissions, emissions, emissions.new_zeros(len(emissions))
    chain = _chain(emissions, mask, transitions, start, end)
    return chain.log_alpha(), chain.log_beta(), chain.log_partition()


def log_partition(emissions: Tensor, mask: Tensor, transitions: Tensor, start: Tensor, end: Tensor) -> Tensor:
    """Log of the summed exponentiated scores of all paths, ``[B]``; arguments as :func:`forward_backward`."""
    if not mask.numel():
        return emissions.new_zeros(len(emissions))
    result: Tensor = _LogPartition.apply(emissions, mask, transitions, start, end)
    return result


class _LogPartition(torch.autograd.Function):
    """Log partition, with expected counts as its explicit gradient."""

    @staticmethod
    def forward(
        ctx: Any, emissions: Tensor, mask: Tensor, transitions: Tensor, start: Tensor, end: Tensor
    ) -> Tensor:
        chain = _chain(emissions, mask, transitions, start, end)
        if any(ctx.needs_input_grad):
            ctx.chain = chain
            ctx.dtypes = [scores.dtype for scores in (emissions, transitions, start, end)]
        wide = torch.promote_types(emissions.dtype, transitions.dtype)
        return chain.log_partition().to(torch.promote_types(wide, torch.float32))

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        gradients = zip(ctx.chain.gradients(grad), ctx.dtypes, strict=True)
        emissions, transitions, start, end = (gradient.to(dtype) for gradient, dtype in gradients)
        return emissions, None, transitions, start, end


@torch.no_grad()
def is_safe(emissions: Tensor, transitions: Tensor, start: Tensor, end: Tensor) -> bool:
    """Whether states that are normalised at every position cannot underflow, padding included."""
    if not emissions.numel():
        return False
    low, high = emissions.aminmax()
    # A sum with a NaN or an infinity is not below the bound.
    step = float(high - low) + float(_spread(transitions.flatten(), 0))
    edges = float(_spread(start, 0) + _spread(end, 0))
    return step * _steps_between_tags(transitions) + edges < _SAFE_SPREAD


def _chain(
    emissions: Tensor, mask: Tensor, transitions: Tensor, start: Tensor, end: Tensor
) -> ScaledChain | LogChain:
    stride = _stride(emissions, mask, transitions, start, end)
    if stride:
        return ScaledChain(emissions, mask, transitions, start, end, stride)
    return LogChain(emissions, mask, transitions, start, end)


def _stride(emissions: Tensor, mask: Tensor, transitions: Tensor, start: Tensor, end: Tensor) -> int:
    """How many steps may be made between normalisations without underflow; 0 if none.

    The loss of a tag relative to any other is bounded.
    """
    if emissions.device.type == "mps":  # has no float64
        return 0
    emitted = _spread(emissions, 2).masked_fill(~mask, 0.0).abs().amax()
    moved = _spread(transitions.flatten(), 0)
    edges = float(_spread(start, 0) + _spread(end, 0))
    step = float(emitted + moved)
    if step + edges < _SAFE_SPREAD:
        steps = _steps_between_tags(transitions)
        # With forbidden transitions, a tag is sure to be reached only if no emission is forbidden.
        if steps == 1 or not bool((emissions.isneginf().any(2) & mask).any()):
            # Half of what is left for each direction, since their product is taken.
            left = (_SAFE_SPREAD - step * steps - edges) / 2
            if left > 0:
                return max(1, min(_MOST_UNNORMALISED, int(left / max(step, 1.0))))
    return 0  # for NaN and infinity too


def _spread(scores: Tensor, dim: int) -> Tensor:
    """Difference of the highest and lowest finite score; minus infinity where all are forbidden."""
    return scores.amax(dim) - scores.masked_fill(scores.isneginf(), math.inf).amin(dim)


def _steps_between_tags(transitions: Tensor) -> float:
    """Fewest steps in which every tag leads to every tag; infinity beyond ``_MOST_STEPS``."""
    legal = (~transitions.isneginf()).float()
    reached = legal
    for steps in range(1, _MOST_STEPS + 1):
        if bool(reached.all()):
            return steps
        reached = (reached @ legal).clamp(max=1.0)
    return math.inf
