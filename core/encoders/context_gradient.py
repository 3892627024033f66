"""Pieces that are read and not learned from: no gradient goes through them, in any layer."""

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
    """While the block runs ``model``, whatever it makes at ``context`` is a constant; values stay the same.

    It is as if every layer that works on one piece at a time (embedding, linear, norm, dropout) gave a
    detached vector there: embeddings, queries, keys, values and states. Attention over such keys and values
    still has a gradient towards the queries of the other pieces. So the weights receive nothing by way of
    these pieces, neither as what is looked at nor as what looks. Where no weight learns nothing is cut: the
    gradient of an explanation is the whole one, since what the text does to its context acts on its states.

    Args:
        model: pieces to states, one that `can_be_cut`; its inner modules may give ``[N, P, ...]``, with
            padding behind or flat.
        context: True at such pieces, ``[N, P]``.
    """
    learns = any(parameter.requires_grad for parameter in model.parameters())
    if not learns or not torch.is_grad_enabled() or not bool(context.any()):
        yield
        return

    def stop(_module: nn.Module, _given: tuple[Any, ...], made: Any) -> None:
        for part in made if isinstance(made, tuple) else (made,):
            if isinstance(part, Tensor) and part.requires_grad:
                mask = _over(part, context)
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


def can_be_cut(model: nn.Module) -> bool:
    """Whether every weight belongs to a layer that works on one piece at a time.

    XLNet and DeBERTa multiply by weights outside of any layer, convolutions work on several pieces at once:
    there a gradient would find a way past `without_gradient_at`.
    """
    inner = (module for module in model.modules() if any(module.children()))
    stray = any(True for module in inner for _ in module.parameters(recurse=False))
    convolved = any(isinstance(module, (nn.Conv1d, nn.Conv2d)) for module in model.modules())
    return not stray and not convolved


def _over(made: Tensor, context: Tensor) -> Tensor | None:
    """``context`` in the shape of what a module made, to be broadcast; None where that has no pieces."""
    texts, pieces = context.shape
    if made.dim() >= 3 and made.shape[0] == texts and made.shape[1] >= pieces:
        mask = functional.pad(context, (0, made.shape[1] - pieces))
        return mask.view(*mask.shape, *[1] * (made.dim() - 2))
    if made.dim() >= 2 and made.shape[0] == texts * pieces:
        return context.reshape(-1, *[1] * (made.dim() - 1))
    return None
