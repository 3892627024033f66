"""The CNN softmax: class vectors made of characters (Jozefowicz et al. 2016, section 3.2)."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from core.layers.char_cnn import CharCnn
from core.layers.sampled_softmax import ClassVectors

CORRECTION = 128  # the paper's width


class CnnSoftmax(ClassVectors):
    """``z_w = h . (CNN(chars_w) + M corr_w)``: characters give a class's vector, a small free part sets it right.

    Words that are spelt alike but mean different things cannot be told apart by the CNN alone. The paper has
    no bias.

    Args:
        cnn: gives vectors of width P; a CNN of its own, not the one that reads the text.
        rows: characters of every class, ``[V, C]``; not saved.
        width: P. correction: width of ``corr_w``; 0 has none.
    """

    rows: Tensor

    def __init__(self, cnn: CharCnn, rows: Tensor, width: int, correction: int = CORRECTION) -> None:
        super().__init__()
        self.cnn = cnn
        self.classes = len(rows)
        self.register_buffer("rows", rows, persistent=False)
        self.correction: nn.Parameter | None = None
        if correction:
            # Begins at zero, so that at first the characters alone speak.
            self.correction = nn.Parameter(torch.zeros(self.classes, correction))
            self.expand = nn.Linear(correction, width, bias=False)

    def vectors(self, rows: Tensor | None = None) -> tuple[Tensor, Tensor | None]:
        if rows is None:
            return self._vectors(slice(None)), None
        distinct, place = rows.unique(return_inverse=True)
        return self._vectors(distinct)[place], None

    def _vectors(self, rows: Tensor | slice) -> Tensor:
        vectors: Tensor = self.cnn(self.rows[rows])
        return vectors if self.correction is None else vectors + self.expand(self.correction[rows])
