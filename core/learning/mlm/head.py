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
def initialise_head(model: PreTrainedModel, fresh: Collection[str], counts: NDArray[np.int64]) -> None:
    """Initialise a head that was not in the checkpoint from the encoder and the text instead of randomly.

    The layer before the scores is the identity, or, if the embeddings are narrower than the states, the
    pseudo-inverse of the encoder's widening layer. An output table that is not shared with the encoder starts
    as a copy of its embeddings. The output bias is the log-frequency of every piece, so that the encoder need
    not learn frequencies.

    Args:
        model: with its head. fresh: names of the parameters without weights. counts: of every piece in the
            text, ``[ids]``.
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
            continue  # it scores pieces that the table lacks
        if weight.shape[0] == weight.shape[1]:
            nn.init.eye_(weight)
        elif not _undo_widening(model, module):
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


def _undo_widening(model: PreTrainedModel, module: nn.Linear) -> bool:
    """Make ``module`` invert the encoder's widening of its embeddings; False if it has no such layer."""
    for inner in model.base_model.modules():
        if isinstance(inner, nn.Linear) and inner.weight.shape == module.weight.shape[::-1]:
            module.weight.copy_(torch.linalg.pinv(inner.weight))
            return True
    return False
