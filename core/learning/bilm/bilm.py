"""The bidirectional language model behind ELMo (Peters et al. 2018, section 3.1)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from core.encoders.elmo.encoder import Elmo, char_cnn
from core.encoders.elmo.options import ElmoOptions
from core.layers.candidate_sampling import CandidateSampler
from core.layers.cnn_softmax import CnnSoftmax
from core.layers.evaluating import evaluating
from core.layers.recurrent.lstmp import LstmpState
from core.layers.sampled_softmax import ClassVectors, SoftmaxTable, Vectors
from core.learning.bilm.config import SoftmaxConfig
from core.learning.bilm.stream import BilmBatch
from core.learning.bilm.vocabulary import BilmVocabulary, classes_of


@dataclass(frozen=True, slots=True)
class Perplexity:
    """``exp`` of the mean negative log-likelihood of a token, in each direction."""

    forward: float
    backward: float


class Bilm(nn.Module):
    """An `Elmo` whose last layer predicts the next token in each direction.

    The character CNN and the softmax are the same in both directions, as in the paper.

    Args:
        elmo: the encoder. softmax: vectors of the predicted words. dropout: on the last layer, in training.
    """

    def __init__(self, elmo: Elmo, softmax: ClassVectors, dropout: float = 0.0) -> None:
        super().__init__()
        self.elmo, self.softmax = elmo, softmax
        self.dropout = nn.Dropout(dropout)

    def forward(
        self, batch: BilmBatch, characters: Tensor, states: Sequence[LstmpState] | None = None
    ) -> tuple[Tensor, tuple[LstmpState, ...]]:
        """The last layer of both directions ``[2, B, T, P]``, and the states for the next batch.

        Args:
            characters: of every token type, ``[types, C]``.
        """
        distinct, place = batch.read.unique(return_inverse=True)
        x = self.elmo.char_cnn(characters[distinct])[place]  # shape: (2, B, T, P)
        said = self.elmo.bilstm(x, batch.mask, states)
        return self.dropout(said.layers[-1]), said.states

    def losses(
        self,
        hidden: Tensor,
        batch: BilmBatch,
        *,
        sampler: CandidateSampler | None = None,
        vectors: Vectors | None = None,
    ) -> Tensor:
        """Negative log-likelihood of every expected token, ``[2, tokens]``.

        Args:
            hidden: from ``forward``. sampler: for the sampled softmax; None: full softmax.
            vectors: of all classes, if already computed.
        """
        mask = batch.mask.expand(2, -1, -1)
        target = classes_of(batch.expected, self.softmax.classes)[mask]
        states = hidden[mask]  # shape: (2 * tokens, P)
        if sampler is None:
            return self.softmax.loss(states, target, vectors).view(2, -1)
        return self.softmax.sampled_loss(states, target, sampler).view(2, -1)


def build_softmax(options: ElmoOptions, config: SoftmaxConfig, vocabulary: BilmVocabulary) -> ClassVectors:
    """New class vectors for the words of a vocabulary."""
    if config.softmax == "table":
        return SoftmaxTable(len(vocabulary), options.projection)
    rows = vocabulary.characters(options.longest_token, options.widest)
    return CnnSoftmax(char_cnn(options), rows, options.projection, config.correction)


@torch.no_grad()
def perplexity(bilm: Bilm, batches: Iterable[BilmBatch], characters: Tensor) -> Perplexity:
    """Perplexity of running text with the full softmax; the state is carried from batch to batch.

    Args:
        batches: of one stream, in order. characters: of every token type, ``[types, C]``.

    Raises:
        ValueError: there is no token.
    """
    with evaluating(bilm):
        vectors = bilm.softmax.vectors()
        total = torch.zeros(2, dtype=torch.float64)
        tokens, states = 0, None
        for batch in batches:
            batch = batch.to(characters.device)
            hidden, states = bilm(batch, characters, states)
            total += bilm.losses(hidden, batch, vectors=vectors).cpu().double().sum(1)
            tokens += int(batch.mask.sum())
    if not tokens:
        raise ValueError("perplexity needs at least one token")
    forward, backward = (math.exp(min(value, 700.0)) for value in (total / tokens).tolist())
    return Perplexity(forward, backward)
