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
        """Those of n-grams that begin at a character, and of n-grams that end there."""
        return [self.beginning] if self.ending is None else [self.beginning, self.ending]

    def forward(self, x: Tensor, mask: Tensor, words: Tensor, lengths: WordLengths) -> LexiconFeatures:
        """Features of characters.

        Args:
            x: characters, ``[B, T, width]``. mask: True at characters, ``[B, T]``.
            words: those of the whole batch, ``[W, word_width]``, in the order ``lengths`` counts them in.
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
            side.attention(ngrams, brought)
            for side, ngrams, brought in zip(self.sides, layer, feedback, strict=True)
        ]
        features, shares = zip(*outputs, strict=True)
        return torch.stack(features).sum(0), torch.stack(shares, dim=1)


class Ngrams(NamedTuple):
    """N-grams of one length at all P = B * T characters, and the n words over some of them.

    Args:
        grams: ``[P, H]``. places: where the words are, ``[n]``.
        brought: what n-grams and words bring to u and to the gates, ``[P, G * H]``.
    """

    grams: Tensor
    places: Tensor
    brought: Tensor


class Feedback(NamedTuple):
    """Top features ``[P, H]``, and what they bring to the gates i, f and r, ``[P, 3H]``."""

    top: Tensor
    gates: Tensor


class NgramSide(nn.Module):
    """N-grams of 2 to L characters that all begin, or all end, at the character they are kept at.

    Args:
        width: H. word_width: of a word's vector. layers: L. ends: whether they end there.
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
            pairs = self._pairs(self.dropout(grams))
            grams = convolution(pairs).tanh() * mask[..., None]
            words_of_length = lengths.of_length(length)
            places = (lengths.last if self.ends else lengths.first)[words_of_length]
            ngrams.append(self.attention.read(grams.flatten(0, 1), places, words[words_of_length]))
        return ngrams

    def _pairs(self, grams: Tensor) -> Tensor:
        """Each n-gram with the next one, or the one before with it, ``[B, T, 2H]``; zero beyond the text."""
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

    def read(self, grams: Tensor, places: Tensor, words: Tensor) -> Ngrams:
        """N-grams ``[P, H]`` with words ``[n, word_width]`` at some of them."""
        brought = self.ngram(grams)
        # Each word has one position, so the order of summation does not matter.
        brought.index_add_(0, places, self.word(words).to(brought.dtype))
        return Ngrams(grams, places, brought)

    def feedback(self, top: Tensor) -> Feedback | None:
        """What top features ``[P, H]`` are to the gates; None where there is no feedback."""
        return None if self.top is None else Feedback(top, self.top(top))

    def forward(self, ngrams: Ngrams, feedback: Feedback | None) -> tuple[Tensor, Tensor]:
        """Features ``[P, H]``, and the share of every word in them, mean over H, ``[n]`` (a plain number)."""
        grams, places, brought = ngrams
        width = grams.shape[1]
        said, gates = brought[:, :width].tanh(), brought[:, width:]
        parts = [said, grams]
        if feedback is None:
            gates = gates[:, : 2 * width]
        else:
            gates = gates + feedback.gates
            parts.append(feedback.top)
        # The softmax of sigmoids is stable without subtracting the maximum.
        pulls = gates.sigmoid().exp().chunk(len(parts), dim=1)
        total = torch.stack(pulls).sum(0)
        features = sum(pull * part for pull, part in zip(pulls, parts, strict=True)) / total
        return features, (pulls[0] / total).detach()[places].mean(-1)
