"""The negative-sampling loss on a fixed sample of the text, comparable across epochs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

SMOOTHING = 0.75  # exponent of the counts in the noise distribution (Mikolov et al. 2013, section 2.2)
Rows = NDArray[np.int64]
Vectors = NDArray[np.float32]


@dataclass(frozen=True)
class Draw:
    """Sampled positions of a text with their contexts and negative samples.

    Args:
        context: rows of the context tokens, ``[N, C]``; -1 where there are fewer.
        target: rows of the tokens to predict, ``[N]``. negatives: rows of others, ``[N, K]``.
    """

    context: Rows
    target: Rows
    negatives: Rows

    def loss(self, inputs: Vectors, outputs: Vectors) -> float:
        """``-log σ(u·v) - Σ log σ(-u_k·v)``, mean over the positions (Mikolov et al. 2013, equation 4).

        Args:
            inputs: vectors of context tokens, ``[V, D]``; v is the mean over a context.
            outputs: vectors u of predicted tokens, ``[V, D]``.
        """
        present = self.context >= 0
        v = (inputs[self.context.clip(min=0)] * present[..., None]).sum(1) / present.sum(1)[:, None]
        right = (outputs[self.target] * v).sum(1)
        wrong = np.einsum("nkd,nd->nk", outputs[self.negatives], v)
        # log(1 + exp(x)), which is -log σ(-x), without overflow
        return float((np.logaddexp(0, -right) + np.logaddexp(0, wrong).sum(1)).mean())


def draw(
    sentences: Sequence[Sequence[str]],
    rows: Mapping[str, int],
    counts: Sequence[int],
    *,
    skipgram: bool,
    window: int,
    negative: int,
    places: int,
    seed: int,
) -> Draw | None:
    """Sample ``places`` positions of a text, or all if there are fewer; None if no token has a neighbour.

    Args:
        rows: of the tokens that have vectors. counts: of the tokens, by row.
        skipgram: the context is one neighbour; else all within ``window``.
    """
    rng = np.random.default_rng(seed)
    numbered = [[rows[token] for token in sentence if token in rows] for sentence in sentences]
    numbered = [sentence for sentence in numbered if len(sentence) > 1]
    if not numbered:
        return None
    lengths = np.array([len(sentence) for sentence in numbered])
    chosen = rng.choice(lengths.sum(), size=min(places, int(lengths.sum())), replace=False)
    ends = lengths.cumsum()
    contexts, targets = [], []
    for place in sorted(chosen.tolist()):
        number = int(np.searchsorted(ends, place, "right"))
        sentence, at = numbered[number], place - int(ends[number] - lengths[number])
        around = [*sentence[max(0, at - window) : at], *sentence[at + 1 : at + 1 + window]]
        contexts.append([around[int(rng.integers(len(around)))]] if skipgram else around)
        targets.append(sentence[at])
    shares = np.asarray(counts, dtype=np.float64) ** SMOOTHING
    negatives = rng.choice(len(shares), size=(len(targets), negative), p=shares / shares.sum())
    widest = max(map(len, contexts))
    padded = [[*context, *[-1] * (widest - len(context))] for context in contexts]
    return Draw(np.array(padded), np.array(targets), negatives)
