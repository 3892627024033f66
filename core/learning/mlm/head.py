"""Initialisation of a new masked-language-model head."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

if TYPE_CHECKING:
    from transformers import PreTrainedModel


def head_parameters(model: PreTrainedModel) -> dict[str, nn.Parameter]:
    """The model's parameters outside the encoder, by name; shared tables belong to the encoder."""
    of_encoder = {id(parameter) for parameter in model.base_model.parameters()}
    return {name: value for name, value in model.named_parameters() if id(value) not in of_encoder}


@torch.no_grad()
def begin_head(model: PreTrainedModel, fresh: Collection[str], counts: NDArray[np.int64]) -> None:
    """Let a head that was not in the checkpoint begin with what is known, instead of noise.

    Its layer between encoder and scores passes the states on: the identity, or, where the table of pieces is
    narrower than the states, the way back through the encoder's own widening layer. A table that is not the
    encoder's begins as a copy of it. The scores' bias begins with the frequency of every piece, so that the
    encoder is not bent to learn what a count tells.

    Args:
        model: with its head. fresh: names of the parameters that had no weights. counts: how often each piece
            occurs in the text, ``[ids]``.
    """
    fresh_here = {name: value for name, value in head_parameters(model).items() if name in fresh}
    scores = model.get_output_embeddings()
    table = model.get_input_embeddings().weight
    assert isinstance(table, Tensor)
    for name, module in _linear(model, fresh_here):
        weight = module.weight
        if weight.shape == table.shape:
            weight.copy_(table)
            continue
        if module is scores:
            continue  # of pieces the table does not have
        if weight.shape[0] == weight.shape[1]:
            nn.init.eye_(weight)
        elif not _way_back(model, module):
            nn.init.orthogonal_(weight)
        if module.bias is not None and f"{name}.bias" in fresh_here:
            module.bias.zero_()
    bias = getattr(scores, "bias", None)
    if isinstance(bias, Tensor) and any(value is bias for value in fresh_here.values()):
        share = (torch.from_numpy(counts).to(bias) + 1) / (int(counts.sum()) + len(bias))
        bias.copy_(share.log() - share.log().mean())


def _linear(model: nn.Module, fresh: Collection[str]) -> Iterator[tuple[str, nn.Linear]]:
    for name, module in model.named_modules():
        if isinstance(module, nn.Linear) and f"{name}.weight" in fresh:
            yield name, module


def _way_back(model: PreTrainedModel, module: nn.Linear) -> bool:
    """Let a layer undo the encoder's widening of its embeddings; False where it has no such layer."""
    for inner in model.base_model.modules():
        if isinstance(inner, nn.Linear) and inner.weight.shape == module.weight.shape[::-1]:
            module.weight.copy_(torch.linalg.pinv(inner.weight))
            return True
    return False
