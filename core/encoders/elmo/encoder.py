"""ELMo: Deep contextualized word representations (Peters et al., NAACL 2018)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor, nn

from core.encoders.elmo.elmo_input import ElmoInput
from core.encoders.elmo.options import ElmoOptions
from core.encoders.elmo.tokens import CHARACTERS
from core.layers.char_cnn import CharCnn
from core.layers.recurrent.bilstmp import BiLstmp, flip
from core.layers.recurrent.lstmp import LstmpState


class ElmoOutput(NamedTuple):
    """The output of an ELMo for tokens and boundaries.

    Args:
        layers: the character CNN's vectors (duplicated to both halves), then every biLSTM layer: each ``[B, T
            + 2, 2P]``, forward half first. states: of every biLSTM layer after the last token, for
            `Elmo.forward`.
    """

    layers: tuple[Tensor, ...]
    states: tuple[LstmpState, ...]


def char_cnn(options: ElmoOptions) -> CharCnn:
    """A fresh character CNN of these sizes."""
    return CharCnn(
        CHARACTERS,
        options.char_width,
        options.filters,
        options.highways,
        options.projection,
        options.activation,
    )


class Elmo(nn.Module):
    """A character CNN and two stacks of LSTMPs, one forwards and one backwards.

    Args:
        options: the sizes. dropout: on the input of every biLSTM layer, in training.
    """

    def __init__(self, options: ElmoOptions, dropout: float = 0.0) -> None:
        super().__init__()
        self.options = options
        self.char_cnn = char_cnn(options)
        self.bilstm = BiLstmp(
            options.projection,
            options.cells,
            options.layers,
            skip=options.skip,
            dropout=dropout,
            cell_clip=options.cell_clip,
            projection_clip=options.projection_clip,
        )

    @property
    def depth(self) -> int:
        """Number of layers of ``forward``: the token vectors and every biLSTM layer."""
        return self.options.layers + 1

    def read(self, sentences: Sequence[Sequence[str]]) -> ElmoInput:
        """Tokenised sentences as input tensors; uses no weights."""
        return ElmoInput.of(sentences, self.options.longest_token, self.options.widest)

    def forward(self, x: ElmoInput, states: Sequence[LstmpState] | None = None) -> ElmoOutput:
        """The states of all layers at all tokens.

        Args:
            states: initial states of the biLSTM. None resets them for every sentence, so that vectors do not
                depend on what was read before. The published code carries states over to the next batch of
                the same size; passing ``ElmoOutput.states`` on does the same.
        """
        tokens = self.char_cnn(x.rows)[x.tokens]  # shape: (B, T + 2, P)
        both = torch.stack([tokens, flip(tokens, x.lengths)])  # shape: (2, B, T + 2, P)
        output = self.bilstm(both, x.mask, states)
        layers = [torch.cat([tokens, tokens], dim=-1)]
        layers += [torch.cat([y[0], flip(y[1], x.lengths)], dim=-1) for y in output.layers]
        return ElmoOutput(tuple(layers), output.states)
