"""LR-CNN: a CNN over character n-grams that attends to lexicon words, with feedback from the top layer
(rethinking)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

from core.layers.flat.word_lengths import WordLengths
from core.layers.scale_attention import ScaleAttention


@dataclass(frozen=True, slots=True)
class LexiconFeatures:
    """The output of a `LexiconCnn`.

    Args:
        hidden: ``[B, T, H]``; zero at padding.
        scales: weight of the n-grams of each length, ``[B, T, L]``.
        word_shares: final share of each word in the features where it begins and in those where it ends, mean
            over H, ``[W, sides]``; not differentiable.
    """

    hidden: Tensor
    scales: Tensor
    word_shares: Tensor


class LexiconCnn(nn.Module):
    """CNN with lexicon rethinking (Gui et al., "CNN-Based Chinese NER with Lexicon Rethinking", IJCAI 2019).

    Layer l holds n-grams of l characters, each made of two neighbours of the layer below; `LexiconAttention`
    turns an n-gram and the word over it into features. The features of the top layer are fed back and all
    layers are recomputed with them, so that longer n-grams can overrule a word.
    `ScaleAttention` joins the layers. Words of more than L characters have no layer and are not allowed.

    With ``both_sides``, as in the published code, there are n-grams that begin at a character and others that
    end there; their features are summed. In the equations all begin there, so a character does not see what
    precedes it. The published code differs further: it builds n-grams from features instead of from n-grams,
    adds wider convolutions and a global state from self-attention, and uses a random vector where there is no
    word; here it is zero.

    Args:
        width: of a character's vector. word_width: of a word's. hidden: H. layers: L, at least 2.
        rethinking: number of times the top features are fed back. dropout: before convolutions and scale
            attention.
    """

    def __init__(
        self,
        width: int,
        word_width: int,
        hidden: int,
        layers: int = 4,
        rethinking: int = 1,
        both_sides: bool = True,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        self.rethinking = rethinking
        self.characters = nn.Linear(width, hidden)
        shape = hidden, word_width, layers
        self.beginning = NgramSide(*shape, ends=False, feedback=rethinking > 0, dropout=dropout)
        self.ending: NgramSide | None = None
        if both_sides:
            self.ending = NgramSide(*shape, ends=True, feedback=rethinking > 0, dropout=dropout)
        self.scales = ScaleAttention(layers, dropout)

    @property
    def sides(self) -> list[NgramSide]:
        """The n-grams that begin at a character, and those that end there."""
        return [self.beginning] if self.ending is None else [self.beginning, self.ending]

    def forward(self, x: Tensor, mask: Tensor, words: Tensor, lengths: WordLengths) -> LexiconFeatures:
        """Features of characters.

        Args:
            x: characters, ``[B, T, width]``. mask: True at characters, ``[B, T]``.
            words: all words of the batch, ``[W, word_width]``, numbered as in ``lengths``.
        """
        unigrams = self.characters(x).tanh() * mask[..., None]
        ordered = words[lengths.index]
        sides = [side(unigrams, mask, ordered, lengths) for side in self.sides]
        feedback: list[Feedback | None] = [None] * len(sides)
        for _ in range(self.rethinking):
            top, _ = self._features([layers[-1] for layers in sides], feedback)
            feedback = [side.attention.feedback(top) for side in self.sides]
        features, shares = [unigrams], []
        for layer in zip(*sides, strict=True):
            layer_features, share = self._features(layer, feedback)
            features.append(layer_features.view_as(unigrams))
            shares.append(share)
        hidden, scales = self.scales(torch.stack(features, dim=2))
        by_length = torch.cat(shares)
        word_shares = torch.empty_like(by_length)
        word_shares[lengths.index] = by_length
        return LexiconFeatures(hidden * mask[..., None], scales, word_shares)

    def _features(
        self, layer: Sequence[Ngrams], feedback: Sequence[Feedback | None]
    ) -> tuple[Tensor, Tensor]:
        """Features of one layer, ``[P, H]``, and the shares of its n words in them, ``[n, sides]``."""
        outputs = [
            side.attention(ngrams, top_features)
            for side, ngrams, top_features in zip(self.sides, layer, feedback, strict=True)
        ]
        features, shares = zip(*outputs, strict=True)
        return torch.stack(features).sum(0), torch.stack(shares, dim=1)


class Ngrams(NamedTuple):
    """N-grams of one length at all P = B * T characters, and the n words over some of them.

    Args:
        grams: ``[P, H]``. positions: those of the words, ``[n]``.
        inputs: of u and the gates, from n-grams and words, ``[P, G * H]``.
    """

    grams: Tensor
    positions: Tensor
    inputs: Tensor


class Feedback(NamedTuple):
    """Top features ``[P, H]``, and their inputs to the gates i, f and r, ``[P, 3H]``."""

    top: Tensor
    gates: Tensor


class NgramSide(nn.Module):
    """N-grams of 2 to L characters, each stored at the character where it begins (or ends).

    Args:
        width: H. word_width: of a word's vector. layers: L. ends: whether they are stored where they end.
        feedback: whether there is any. dropout: before convolutions.
    """

    def __init__(
        self, width: int, word_width: int, layers: int, ends: bool, feedback: bool, dropout: float
    ) -> None:
        super().__init__()
        self.ends = ends
        self.convolutions = nn.ModuleList(nn.Linear(2 * width, width) for _ in range(layers - 1))
        self.attention = LexiconAttention(width, word_width, feedback)
        self.dropout = nn.Dropout(dropout)

    def forward(self, unigrams: Tensor, mask: Tensor, words: Tensor, lengths: WordLengths) -> list[Ngrams]:
        """N-grams by length, of unigrams ``[B, T, H]``; words ``[W, word_width]`` are sorted by length."""
        grams, ngrams = unigrams, []
        for length, convolution in enumerate(self.convolutions, start=2):
            pairs = self.pairs(self.dropout(grams))
            grams = convolution(pairs).tanh() * mask[..., None]
            words_of_length = lengths.of_length(length)
            positions = (lengths.last if self.ends else lengths.first)[words_of_length]
            ngrams.append(self.attention.join(grams.flatten(0, 1), positions, words[words_of_length]))
        return ngrams

    def pairs(self, grams: Tensor) -> Tensor:
        """Each n-gram joined with its right (or left) neighbour, ``[B, T, 2H]``; zero beyond the text."""
        if self.ends:
            return torch.cat([functional.pad(grams[:, :-1], (0, 0, 1, 0)), grams], dim=-1)
        return torch.cat([grams, functional.pad(grams[:, 1:], (0, 0, 0, 1))], dim=-1)


class LexiconAttention(nn.Module):
    """Vector-based attention between an n-gram and the word over it (sections 3.1 and 3.2 of the paper).

    The gates i, f and, with feedback, r are sigmoids of the n-gram, the word and the feedback. Normalised to
    sum to one per feature, they weigh the word (u, a tanh), the n-gram and the top features.

    Args:
        width: H. word_width: of a word's vector. feedback: whether there is any.
    """

    def __init__(self, width: int, word_width: int, feedback: bool) -> None:
        super().__init__()
        parts = 4 if feedback else 3  # u, i, f, r
        self.ngram = nn.Linear(width, parts * width)
        self.word = nn.Linear(word_width, parts * width, bias=False)
        self.top = nn.Linear(width, 3 * width, bias=False) if feedback else None

    def join(self, grams: Tensor, positions: Tensor, words: Tensor) -> Ngrams:
        """N-grams ``[P, H]`` with words ``[n, word_width]`` at some of them."""
        inputs = self.ngram(grams)
        # Each word has one position, so the order of summation does not matter.
        inputs.index_add_(0, positions, self.word(words).to(inputs.dtype))
        return Ngrams(grams, positions, inputs)

    def feedback(self, top: Tensor) -> Feedback | None:
        """Top features ``[P, H]`` with their inputs to the gates; None without feedback."""
        return None if self.top is None else Feedback(top, self.top(top))

    def forward(self, ngrams: Ngrams, feedback: Feedback | None) -> tuple[Tensor, Tensor]:
        """Features ``[P, H]``, and the share of every word in them, mean over H, ``[n]``, no gradient."""
        grams, positions, inputs = ngrams
        width = grams.shape[1]
        candidate, gates = inputs[:, :width].tanh(), inputs[:, width:]
        parts = [candidate, grams]
        if feedback is None:
            gates = gates[:, : 2 * width]
        else:
            gates = gates + feedback.gates
            parts.append(feedback.top)
        # The softmax of sigmoids is stable without subtracting the maximum.
        weights = gates.sigmoid().exp().chunk(len(parts), dim=1)
        total = torch.stack(weights).sum(0)
        features = sum(weight * part for weight, part in zip(weights, parts, strict=True)) / total
        return features, (weights[0] / total).detach()[positions].mean(-1)
