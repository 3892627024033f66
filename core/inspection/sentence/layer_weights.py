"""How a penalty holds a mix of layers to equal shares, and which models mix layers at all."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from core.taggers.base.model_folder import read_header
from core.taggers.base.registry import UnknownTaggerError, by_name
from core.taggers.base.tagger import ModelFolderError
from core.taggers.base.trace import MixTrace


def penalty_pull(mix: MixTrace) -> NDArray[np.float64] | None:
    """How fast the penalty alone would move each share, ``[layers]``, per unit of learning rate.

    Down the gradient of ``lambda * sum_j w_j^2`` (Peters et al. 2018, section 3.4), w_j moves by
    ``-2 lambda w_j`` and so s_j, its softmax, by ``-2 lambda s_j (w_j - sum_k s_k w_k)``: large shares sink,
    and all sum to 0. None where the mix has no penalty.
    """
    if mix.scalars is None or not mix.strength:
        return None
    w, shares = np.asarray(mix.scalars, dtype=np.float64), np.asarray(mix.weights, dtype=np.float64)
    return np.asarray(-2 * mix.strength * shares * (w - (shares * w).sum()))


def has_mix(folder: Path) -> bool:
    """Whether the traces of the model in ``folder`` hold a mix; False where it cannot be told."""
    try:
        header = read_header(folder)
        tagger = by_name(header.tagger)
        return tagger.weighs_layers(header.config_of(folder, tagger.Config))
    except (ModelFolderError, UnknownTaggerError):
        return False
