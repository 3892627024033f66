"""The softmax of a language model, full or sampled (Jean et al., ACL 2015)."""

from __future__ import annotations

from abc import ABC, abstractmethod

import torch
from torch import Tensor, nn
from torch.nn import functional

from core.layers.candidate_sampling import CandidateSampler

# Scores held at once for all classes: 128 MB.
_SCORES = 1 << 25
Vectors = tuple[Tensor, Tensor | None]


class ClassVectors(nn.Module, ABC):
    """The vector and bias of every class of a softmax; classes are ordered by decreasing frequency.

    Attributes:
        classes: their number, V.
    """

    classes: int

    @abstractmethod
    def vectors(self, rows: Tensor | None = None) -> Vectors:
        """Vectors ``[R, P]`` and biases ``[R]`` of the classes ``rows`` ``[R]``, or of all of them."""

    def loss(self, hidden: Tensor, target: Tensor, vectors: Vectors | None = None) -> Tensor:
        """``-log P(target)`` under the softmax over all classes, ``[N]``.

        Args:
            hidden: ``[N, P]``. target: right classes, ``[N]`` int64.
            vectors: the result of ``vectors()``, to reuse it over many calls.
        """
        weight, bias = self.vectors() if vectors is None else vectors
        if torch.is_grad_enabled():
            return functional.cross_entropy(functional.linear(hidden, weight, bias), target, reduction="none")
        rows = max(1, _SCORES // self.classes)
        losses = [
            functional.cross_entropy(functional.linear(chunk, weight, bias), chunk_target, reduction="none")
            for chunk, chunk_target in zip(hidden.split(rows), target.split(rows), strict=True)
        ]
        return torch.cat(losses) if losses else hidden.new_zeros(0)

    def sampled_loss(self, hidden: Tensor, target: Tensor, sampler: CandidateSampler) -> Tensor:
        """``-log P(target)`` over the target and the sampled classes, corrected for inclusion probabilities,
        ``[N]``.

        The log of its inclusion probability is subtracted from the score of a class, so that the sum over the
        sample estimates the sum over all classes. A sampled class that is the target is not counted twice.

        Args:
            hidden: ``[N, P]``. target: right classes, ``[N]`` int64.
        """
        sampled = sampler.sample()  # shape: (S,)
        weight, bias = self.vectors(torch.cat([target, sampled]))
        target_vectors, others = weight.split([len(target), len(sampled)])
        target_scores = (hidden * target_vectors).sum(-1)  # shape: (N,)
        scores = hidden @ others.T  # shape: (N, S)
        if bias is not None:
            target_scores, scores = target_scores + bias[: len(target)], scores + bias[len(target) :]
        correction = sampler.inclusion.log()
        target_scores = target_scores - correction[target]
        scores = scores - correction[sampled]
        scores = scores.masked_fill(sampled == target[:, None], float("-inf"))
        return torch.logsumexp(torch.cat([target_scores[:, None], scores], dim=1), dim=1) - target_scores


class SoftmaxTable(ClassVectors):
    """A learned vector and bias for every class.

    Args:
        classes: V. width: P.
    """

    def __init__(self, classes: int, width: int) -> None:
        super().__init__()
        self.classes = classes
        bound = (3 / width) ** 0.5  # vectors of length 1 on average
        self.weight = nn.Parameter(torch.empty(classes, width).uniform_(-bound, bound))
        self.bias = nn.Parameter(torch.zeros(classes))

    def vectors(self, rows: Tensor | None = None) -> Vectors:
        if rows is None:
            return self.weight, self.bias
        return functional.embedding(rows, self.weight), self.bias[rows]
