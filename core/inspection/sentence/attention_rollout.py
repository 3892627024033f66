"""Attention rollout: how much of each input reaches each position by attention alone."""

from __future__ import annotations

import numpy as np

from core.taggers.base.trace import Array, Trace


def rollout(trace: Trace, layer: int) -> Array:
    """Attention from the top of ``layer`` down to the input, ``[query, key]``; rows sum to 1.

    Quantifying Attention Flow in Transformers (Abnar and Zuidema, ACL 2020), section 3: with W the mean over
    heads, ``A = 0.5 W + 0.5 I``, rows normalised, is multiplied over the layers; I stands for the residual
    connection.

    The paper's layers are square. In the last layer of FLAT only characters are queries, so W and I only have
    their rows. A node that is no query in a lower layer (a word of SoftLexicon, which receives no attention)
    is passed through unchanged.

    Raises:
        IndexError: the trace has no such layer.
    """
    if not 0 <= layer < len(trace.attention):
        raise IndexError(f"layer {layer} of {len(trace.attention)}")
    nodes = len(trace.keys)
    reached = np.eye(nodes)
    for weights in trace.attention[: layer + 1]:
        step = np.eye(nodes)
        asking = weights.shape[1]
        step[:asking] = 0.5 * weights.mean(0, dtype=np.float64) + 0.5 * step[:asking]
        step /= step.sum(1, keepdims=True)
        reached = step @ reached
    return reached[: len(trace.queries)]
