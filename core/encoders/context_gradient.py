"""Blocks gradients at context pieces in every layer, so that nothing is learned from them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.utils.hooks import RemovableHandle


@contextmanager
def without_gradient_at(model: nn.Module, context: Tensor) -> Iterator[None]:
    """Treat the states of ``model`` at ``context`` as constants in the block; values do not change.

    The output of every position-wise layer (embedding, linear, norm, dropout) is detached there: embeddings,
    queries, keys, values and states. Attention over these keys and values still has a gradient with respect
    to the queries of other pieces, so weights receive no gradient through context pieces, neither as keys and
    values nor as queries. If no weight requires a gradient nothing is detached: explanations get the full
    gradient, because the text influences its own states through the context.

    Args:
        model: one that `can_block_gradients` accepts; its inner modules may return ``[N, P, ...]``, padded or
            flattened.
        context: True at context pieces, ``[N, P]``.
    """
    learns = any(parameter.requires_grad for parameter in model.parameters())
    if not learns or not torch.is_grad_enabled() or not bool(context.any()):
        yield
        return

    def stop(_module: nn.Module, _inputs: tuple[Any, ...], output: Any) -> None:
        for part in output if isinstance(output, tuple) else (output,):
            if isinstance(part, Tensor) and part.requires_grad:
                mask = _broadcast_context(part, context)
                if mask is not None:
                    part.register_hook(lambda gradient, mask=mask: gradient.masked_fill(mask, 0.0))

    hooks: list[RemovableHandle] = [
        module.register_forward_hook(stop) for module in model.modules() if not any(module.children())
    ]
    try:
        yield
    finally:
        for hook in hooks:
            hook.remove()


def can_block_gradients(model: nn.Module) -> bool:
    """Whether every weight belongs to a position-wise layer.

    XLNet and DeBERTa use weights outside of such layers, and convolutions mix positions: there gradients
    would bypass `without_gradient_at`.
    """
    inner = (module for module in model.modules() if any(module.children()))
    stray = any(True for module in inner for _ in module.parameters(recurse=False))
    convolved = any(isinstance(module, (nn.Conv1d, nn.Conv2d)) for module in model.modules())
    return not stray and not convolved


def _broadcast_context(output: Tensor, context: Tensor) -> Tensor | None:
    """``context`` broadcastable to the output of a module; None if that has no piece dimension."""
    texts, pieces = context.shape
    if output.dim() >= 3 and output.shape[0] == texts and output.shape[1] >= pieces:
        mask = functional.pad(context, (0, output.shape[1] - pieces))
        return mask.view(*mask.shape, *[1] * (output.dim() - 2))
    if output.dim() >= 2 and output.shape[0] == texts * pieces:
        return context.reshape(-1, *[1] * (output.dim() - 1))
    return None
