"""The linear-chain CRF: pytorch-crf's parameters and likelihood, marginals, decoding and k best paths.

Everywhere ``transitions[i, j]`` is the score of going from tag i to tag j: rows are the tag before, columns
the tag after. Masks are True at the tokens of a sentence, which come first; an empty sentence is legal.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
import torchcrf
from torch import Tensor

from core.layers.crf.forward_backward import forward_backward, log_partition
from core.layers.crf.k_best import ScoredPath, k_best_paths
from core.layers.crf.log_chain import LogChain
from core.layers.crf.segment_likelihood import segment_log_probability
from core.layers.crf.segments import Path, Segments, path_probability, segment_probability
from core.layers.crf.viterbi import best_paths
from core.layers.wide import wide


@dataclass(frozen=True)
class TagConstraints:
    """Which tags may start, follow each other and end a sentence. Every length must have a legal path.

    Args:
        transitions: True where tag j may follow tag i, ``[K, K]`` bool.
        start: tags a sentence may begin with, ``[K]`` bool. end: tags it may end with, ``[K]`` bool.
    """

    transitions: Tensor
    start: Tensor
    end: Tensor


class CRF(torchcrf.CRF):
    """A conditional random field over K tags; its ``state_dict`` is interchangeable with pytorch-crf's.

    Args:
        tags: number of tags K.

    Attributes:
        transitions: ``[K, K]``, from row to column. start_transitions, end_transitions: ``[K]``.
    """

    def __init__(self, tags: int) -> None:
        super().__init__(tags, batch_first=True)

    def log_likelihood(self, emissions: Tensor, tags: Tensor, mask: Tensor) -> Tensor:
        """Log-probability ``[B]`` of tag paths ``[B, T]`` under emissions ``[B, T, K]``; 0 for empty ones."""
        return self.score(emissions, tags, mask) - self.log_partition(emissions, mask)

    def partial_log_likelihood(self, emissions: Tensor, allowed: Tensor, mask: Tensor) -> Tensor:
        """Log-probability ``[B]`` that every token takes one of its allowed tags; 0 for empty sentences.

        For sentences with only some tokens labelled, or with only sets of possible tags known (Tsuboi et
        al., Training conditional random fields using incomplete annotations, COLING 2008, eq. 3).

        Args:
            emissions: ``[B, T, K]``. mask: ``[B, T]``.
            allowed: ``[B, T, K]`` bool; a row of all True is an unlabelled token. Not read at padding.

        Raises:
            ValueError: a token is allowed no tag.
        """
        self._check(emissions, mask)
        if allowed.shape != emissions.shape:
            raise ValueError(
                f"allowed must be {list(emissions.shape)} like the emissions, got {list(allowed.shape)}"
            )
        untagged = (mask & ~allowed.any(2)).nonzero()
        if len(untagged):
            sentence, token = untagged[0].tolist()
            raise ValueError(f"token {token} of sentence {sentence} is allowed no tag")
        # Both sums in one pass, as one batch of twice the size.
        both = torch.cat([emissions.masked_fill(~allowed, float("-inf")), emissions])
        some, all_ = self.log_partition(both, mask.repeat(2, 1)).chunk(2)
        return some - all_

    def score(self, emissions: Tensor, tags: Tensor, mask: Tensor) -> Tensor:
        """Unnormalised log-score of the tag paths ``[B, T]``: ``[B]``, 0 for empty sentences."""
        self._check(emissions, mask, tags)
        if not emissions.shape[1]:
            return emissions.new_zeros(len(emissions))
        tags = tags.masked_fill(~mask, 0)
        # shape: (B, T)
        emitted = emissions.gather(2, tags[..., None]).squeeze(2).masked_fill(~mask, 0.0)
        emitted = emitted.to(self._dtype(emissions))
        # shape: (B, T - 1)
        moved = self.transitions[tags[:, :-1], tags[:, 1:]] * mask[:, 1:]
        lengths = mask.sum(1)
        # shape: (B, 1)
        last = tags.gather(1, (lengths - 1).clamp(min=0)[:, None])
        edges = self.start_transitions[tags[:, 0]] + self.end_transitions[last.squeeze(1)]
        return emitted.sum(1) + moved.sum(1) + edges * (lengths > 0)

    def log_partition(
        self, emissions: Tensor, mask: Tensor, constraints: TagConstraints | None = None
    ) -> Tensor:
        """Log of the summed exponentiated scores of all (legal) paths: ``[B]``, 0 for empty sentences."""
        self._check(emissions, mask)
        return log_partition(emissions, mask, *self._scores(constraints))

    @torch.no_grad()
    def marginals(self, emissions: Tensor, mask: Tensor, constraints: TagConstraints | None = None) -> Tensor:
        """Probability of every tag at every position, ``[B, T, K]``; rows sum to 1, padding rows are 0."""
        self._check(emissions, mask)
        alpha, beta, partition = forward_backward(emissions, mask, *self._scores(constraints))
        shares = (alpha + beta - partition[:, None, None]).exp()
        return shares.masked_fill(~mask[..., None], 0.0).to(self._dtype(emissions))

    def log_marginals(self, emissions: Tensor, mask: Tensor) -> Tensor:
        """Log of the ``marginals`` over all paths, legal or not, ``[B, T, K]``, differentiable; 0 at padding.

        In float64 where the device has it, and slower than ``marginals``, which has no gradient.
        """
        self._check(emissions, mask)
        if not mask.numel():
            return emissions
        chain = LogChain(emissions, mask, *self._scores(None))
        logs = chain.log_alpha() + chain.log_beta() - chain.log_partition()[:, None, None]
        return logs.masked_fill(~mask[..., None], 0.0)

    @torch.no_grad()
    def segment_probability(
        self, emissions: Tensor, mask: Tensor, segments: Segments, constraints: TagConstraints | None = None
    ) -> Tensor:
        """Probability that a segment takes only allowed tags, whatever the tags around it: ``[S]``.

        Raises:
            ValueError: a segment starts outside its sentence.
        """
        self._check(emissions, mask)
        probability = segment_probability(segments, emissions, mask, *self._scores(constraints))
        return probability.to(self._dtype(emissions))

    @torch.no_grad()
    def path_probability(
        self,
        emissions: Tensor,
        mask: Tensor,
        paths: Sequence[Path],
        constraints: TagConstraints | None = None,
    ) -> Tensor:
        """Probability that a sentence takes these tags from a position on, for each of S paths: ``[S]``.

        Raises:
            ValueError: a path leaves its sentence.
        """
        self._check(emissions, mask)
        probability = path_probability(paths, emissions, mask, *self._scores(constraints))
        return probability.to(self._dtype(emissions))

    def segment_log_probability(
        self,
        emissions: Tensor,
        mask: Tensor,
        first: int,
        tags: Sequence[int],
        constraints: TagConstraints | None = None,
    ) -> Tensor:
        """Log-probability that every sentence takes ``tags`` from position ``first`` on, ``[B]``.

        Differentiable; in float64 where the device supports it, because probabilities near 1 need the
        precision.

        Raises:
            ValueError: the tags leave a sentence.
        """
        self._check(emissions, mask)
        emissions = wide(emissions)
        transitions, start, end = (score.to(emissions.dtype) for score in self._scores(constraints))
        return segment_log_probability(emissions, mask, transitions, start, end, first, tags)

    @torch.no_grad()
    def decode(
        self, emissions: Tensor, mask: Tensor, constraints: TagConstraints | None = None
    ) -> list[list[int]]:
        """The best tag path of every sentence; with ``constraints``, the best legal one. Empty ones: []."""
        self._check(emissions, mask)
        return best_paths(*self._arrays(emissions, mask, constraints, self._dtype(emissions)))

    @torch.no_grad()
    def best_paths(
        self, emissions: Tensor, mask: Tensor, count: int, constraints: TagConstraints | None = None
    ) -> list[list[ScoredPath]]:
        """The ``count`` best (legal) tag paths of every sentence with their scores, best first.

        Fewer are returned where no more exist; an empty sentence has one path, the empty one, of score 0.
        Scores are those of :meth:`score`, summed in float64.

        Raises:
            ValueError: ``count`` is below 1.
        """
        self._check(emissions, mask)
        if count < 1:
            raise ValueError(f"count must be at least 1, got {count}")
        return k_best_paths(*self._arrays(emissions, mask, constraints, torch.float64), count)

    def _dtype(self, emissions: Tensor) -> torch.dtype:
        """The dtype of sums and probabilities: float32, or float64 where either operand has it."""
        common = torch.promote_types(emissions.dtype, self.transitions.dtype)
        return torch.promote_types(common, torch.float32)

    def _arrays(
        self, emissions: Tensor, mask: Tensor, constraints: TagConstraints | None, dtype: torch.dtype
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Emissions, lengths, transitions, start and end scores as numpy arrays."""
        scores, transitions, start, end = (
            tensor.detach().to("cpu", dtype).contiguous().numpy()
            for tensor in (emissions, *self._scores(constraints))
        )
        return scores, mask.sum(1).cpu().numpy(), transitions, start, end

    def _scores(self, constraints: TagConstraints | None) -> tuple[Tensor, Tensor, Tensor]:
        """Transitions, start and end scores, minus infinity where the constraints forbid."""
        scores = (self.transitions, self.start_transitions, self.end_transitions)
        if constraints is None:
            return scores
        device = self.transitions.device
        legal = (constraints.transitions, constraints.start, constraints.end)
        transitions, start, end = (
            score.masked_fill(~allowed.to(device), float("-inf"))
            for score, allowed in zip(scores, legal, strict=True)
        )
        return transitions, start, end

    def _check(self, emissions: Tensor, mask: Tensor, tags: Tensor | None = None) -> None:
        if emissions.dim() != 3 or emissions.shape[2] != self.num_tags:
            raise ValueError(f"emissions must be [B, T, {self.num_tags}], got {list(emissions.shape)}")
        for name, other in (("mask", mask), ("tags", tags)):
            if other is not None and other.shape != emissions.shape[:2]:
                raise ValueError(
                    f"{name} must be {list(emissions.shape[:2])} like the emissions, got {list(other.shape)}"
                )
