"""The CNN softmax: class vectors made of characters (Jozefowicz et al. 2016, section 3.2)."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

from core.layers.char_cnn import CharCnn
from core.layers.sampled_softmax import ClassVectors, Vectors

CORRECTION = 128  # the paper's width
_PART = 1 << 13  # classes whose characters are read at once


class CnnSoftmax(ClassVectors):
    """``z_w = h . (CNN(chars_w) + M corr_w)``: class vectors from characters, plus a learned correction.

    The correction tells apart words with similar spelling and different meaning. There is no bias, as in the
    paper.

    Args:
        cnn: maps characters to vectors of width P; not shared with the CNN that reads the text.
        rows: characters of every class, ``[V, C]``; not saved.
        width: P. correction: width of ``corr_w``; 0 for none.
    """

    rows: Tensor

    def __init__(self, cnn: CharCnn, rows: Tensor, width: int, correction: int = CORRECTION) -> None:
        super().__init__()
        self.cnn = cnn
        self.classes = len(rows)
        self.register_buffer("rows", rows, persistent=False)
        self.correction: nn.Parameter | None = None
        if correction:
            # Starts at zero, so that the characters alone determine the vectors at first.
            self.correction = nn.Parameter(torch.zeros(self.classes, correction))
            self.expand = nn.Linear(correction, width, bias=False)

    def vectors(self, rows: Tensor | None = None) -> Vectors:
        if rows is None:
            rows = torch.arange(self.classes, device=self.rows.device)
        distinct, inverse = rows.unique(return_inverse=True)
        # In parts, because the filter outputs at all positions are far larger than the vectors.
        vectors = torch.cat([self.cnn(self.rows[chunk]) for chunk in distinct.split(_PART)])
        if self.correction is not None:
            vectors = vectors + self.expand(functional.embedding(distinct, self.correction))
        return vectors[inverse], None
