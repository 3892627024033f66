"""Lattice LSTM: an LSTM over characters whose cells also receive the cells of words that end there."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.autograd.function import once_differentiable

from core.layers.lattice_lstm.lattice_recurrence import LatticeGradient, LatticeRun, RecurrentWeights
from core.layers.lattice_lstm.lattice_steps import LatticeSteps


@dataclass(frozen=True, slots=True)
class LatticeStates:
    """The output of a Lattice LSTM.

    Args:
        hidden: both directions of every character, ``[B, T, 2H]``; zero at padding.
        word_shares: share of each word in the cell of the character it ends at (eq. 16, mean over H), in the
            forward and the backward direction, ``[W, 2]``; not differentiable.
    """

    hidden: Tensor
    word_shares: Tensor


class LatticeLstm(nn.Module):
    """Both directions of Lattice LSTM (Zhang and Yang, "Chinese NER Using Lattice LSTM", ACL 2018, 3.3).

    Characters are LSTM cells (eq. 11). A word is a cell without an output gate: it starts from the state of
    its first character (eq. 13) and enters the cell of its last character through a gate of its own (eq. 14).
    There the gates of all words and the character's input gate are normalised to sum to one, and the previous
    cell is left out (eq. 15, 16). In the backward direction words begin with their last character.

    The gates of a character are o, i, f and the candidate, those of a word i, f and the candidate.

    Args:
        width: of a character's vector. word_width: of a word's. hidden: H, of each direction.
        coupled: f is 1 - i at characters, as in the published code; in the paper f has its own weights.
    """

    def __init__(self, width: int, word_width: int, hidden: int, coupled: bool = False) -> None:
        super().__init__()
        self.width, self.coupled = 2 * hidden, coupled
        gates = (3 if coupled else 4) * hidden
        # The last H columns of a character are its inputs to the gates of words that end with it.
        self.character = nn.Parameter(torch.empty(2, width, gates + hidden))
        self.word = nn.Parameter(torch.empty(2, word_width, 3 * hidden))
        self.bias = nn.Parameter(torch.empty(2, 1, gates + hidden))
        self.word_bias = nn.Parameter(torch.empty(2, 1, 3 * hidden))
        self.of_character = nn.Parameter(torch.empty(2, hidden, gates))
        self.of_word = nn.Parameter(torch.empty(2, hidden, 3 * hidden))
        self.of_link = nn.Parameter(torch.empty(2, hidden, hidden))
        bound = 1.0 / math.sqrt(hidden)
        for parameter in self.parameters():
            nn.init.uniform_(parameter, -bound, bound)

    def forward(self, x: Tensor, mask: Tensor, words: Tensor, steps: LatticeSteps) -> LatticeStates:
        """States of characters.

        Args:
            x: characters, ``[B, T, width]``; T is at least 1. mask: True at characters, ``[B, T]``.
            words: all words of the batch, ``[W, word_width]``, numbered as in ``steps``.
        """
        characters, link_inputs = self.project(x, steps.mirror)
        weights = RecurrentWeights(self.of_character, self.of_word, self.of_link)
        hidden, shares = lattice_recurrence(
            characters, self._project_words(words, steps), _at_ends(link_inputs, steps), weights, steps
        )
        by_word = shares.new_zeros(2, len(words) + 1).scatter(1, steps.word, shares)[:, :-1]
        return LatticeStates(self.joined(hidden, steps.mirror, mask), by_word.mT)

    @staticmethod
    def joined(hidden: Tensor, mirror: Tensor, mask: Tensor) -> Tensor:
        """States ``[2, T, B, H]`` in the order of steps as ``[B, T, 2H]`` in that of characters."""
        forward, backward = hidden.transpose(1, 2).unbind()
        backward = backward.gather(1, mirror[..., None].expand_as(backward))
        return torch.cat([forward, backward], dim=-1) * mask[..., None]

    def project(self, x: Tensor, mirror: Tensor) -> tuple[Tensor, Tensor]:
        """Inputs of characters to their gates, ``[2, T, B, G * H]``, and to word gates, ``[2, T, B, H]``.

        Args:
            x, mirror: as for ``forward`` and in `LatticeSteps`.
        """
        mirrored = x.gather(1, mirror[..., None].expand_as(x))
        read = torch.stack([x, mirrored]).transpose(1, 2)  # shape: (2, T, B, width)
        projected = torch.baddbmm(self.bias, read.flatten(1, 2), self.character)
        size = self.of_character.shape[-1]
        character_inputs, link_inputs = (
            projected.view(*read.shape[:3], -1).to(self.bias.dtype).split([size, self.of_link.shape[-1]], -1)
        )
        return character_inputs, link_inputs

    def _project_words(self, words: Tensor, steps: LatticeSteps) -> Tensor:
        """Inputs of words to their gates, slot by slot, ``[2, N, 3H]``."""
        padded = torch.cat([words, words.new_zeros(1, words.shape[1])])
        slot_words = nn.functional.embedding(steps.word, padded)
        return torch.baddbmm(self.word_bias, slot_words, self.word).to(self.bias.dtype)


def _at_ends(inputs: Tensor, steps: LatticeSteps) -> Tensor:
    """Rows of ``[2, T, B, H]`` at the last step of every slot's word, ``[2, N, H]``."""
    sides, times, sentences, width = inputs.shape
    side = torch.arange(sides, device=inputs.device)[:, None]
    rows = (side * times + steps.end) * sentences + steps.row
    # An embedding lookup, because its gradient is summed in a deterministic order, on a GPU too.
    return nn.functional.embedding(rows, inputs.reshape(-1, width))


def lattice_recurrence(
    character: Tensor, word: Tensor, link: Tensor, weights: RecurrentWeights, steps: LatticeSteps
) -> tuple[Tensor, Tensor]:
    """States ``[2, T, B, H]`` and mean shares of words ``[2, N]`` of a `LatticeRun`, with their gradient."""
    # The inputs share one precision already; autocast inside would mix them again.
    with torch.autocast(character.device.type, enabled=False):
        hidden, shares = _LatticeRecurrence.apply(character, word, link, *weights, steps)
    return hidden, shares


class _LatticeRecurrence(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any,
        character: Tensor,
        word: Tensor,
        link: Tensor,
        of_character: Tensor,
        of_word: Tensor,
        of_link: Tensor,
        steps: LatticeSteps,
    ) -> tuple[Tensor, Tensor]:
        run = LatticeRun(character, word, link, steps)
        run.forward(RecurrentWeights(of_character, of_word, of_link))
        ctx.run = run
        shares = run.mean_share()
        ctx.mark_non_differentiable(shares)
        # A copy: an output that is referenced by its own backward would never be freed.
        return run.hidden.clone(), shares

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor, _: Tensor) -> tuple[Tensor | None, ...]:
        gradient = LatticeGradient(ctx.run, grad)
        return (gradient.character, gradient.word, gradient.link, *gradient.of_weights(), None)
