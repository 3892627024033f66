"""The scalar-mix weights of a tagger's layers, and the gradient of the L2 penalty on them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from core.taggers.base.trace import MixTrace, Trace


@dataclass(frozen=True, slots=True)
class MixView:
    """The mixes of a trace.

    Args:
        tokens: ``[T]``. mixes: all layer mixes of the tagger.
        gradients: `l2_gradient` of each mix; None without a penalty.
    """

    tokens: tuple[str, ...]
    mixes: tuple[MixTrace, ...]
    gradients: tuple[NDArray[np.float64] | None, ...]


def mix_view(trace: Trace, gradients: bool = True) -> MixView:
    """The view of a trace with mixes; ``gradients`` are only computed on request."""
    return MixView(
        trace.tokens, trace.mixes, tuple(l2_gradient(m) if gradients else None for m in trace.mixes)
    )


def l2_gradient(mix: MixTrace) -> NDArray[np.float64] | None:
    """How fast the L2 penalty alone would move each weight, ``[layers]``, per unit of learning rate.

    Down the gradient of ``lambda * sum_j w_j^2`` (Peters et al. 2018, section 3.4), w_j moves by
    ``-2 lambda w_j`` and so s_j, its softmax, by ``-2 lambda s_j (w_j - sum_k s_k w_k)``: large weights sink,
    and the changes sum to 0. None if the mix has no penalty.
    """
    if mix.scalars is None or not mix.strength:
        return None
    w, weights = np.asarray(mix.scalars, dtype=np.float64), np.asarray(mix.weights, dtype=np.float64)
    return np.asarray(-2 * mix.strength * weights * (w - (weights * w).sum()))


def has_mix(folder: Path) -> bool:
    """Whether the model in ``folder`` has a layer mix; False if unknown."""
    # These load torch, which the view does not need.
    from core.taggers.base.model_folder import read_header
    from core.taggers.base.registry import UnknownTaggerError, by_name
    from core.taggers.base.tagger import ModelFolderError

    try:
        header = read_header(folder)
        tagger = by_name(header.tagger)
        return tagger.mixes_layers(header.config_of(folder, tagger.Config))
    except (ModelFolderError, UnknownTaggerError):
        return False
