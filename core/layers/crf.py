"""The linear-chain CRF: pytorch-crf's parameters and likelihood, with marginals and batched decoding.

Everywhere ``transitions[i, j]`` is the score of going from tag i to tag j: rows are the tag before, columns
the tag after. Masks are True at the tokens of a sentence, which come first; an empty sentence is legal.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
import torchcrf
from torch import Tensor

from core.layers.forward_backward import forward_backward, log_partition


@dataclass(frozen=True)
class TagConstraints:
    """Which tags may begin, follow and end; None of it is learned.

    Args:
        transitions: True where tag j may follow tag i, ``[K, K]`` bool.
        start: tags a sentence may begin with, ``[K]`` bool. end: tags it may end with, ``[K]`` bool.
    """

    transitions: Tensor
    start: Tensor
    end: Tensor


@dataclass(frozen=True)
class Segments:
    """Stretches of sentences with the tags each of their positions may take.

    Args:
        sentence: which sentence of the batch, ``[S]`` int64. start: first position, ``[S]`` int64.
        allowed: ``[S, M, K]`` bool, the tags allowed at position ``start + m``. All True asks nothing of a
            position; positions past the end of the sentence are not read.
    """

    sentence: Tensor
    start: Tensor
    allowed: Tensor

    @classmethod
    def of_paths(cls, paths: Sequence[tuple[int, int, Sequence[int]]], tags: int) -> Segments:
        """Segments that take exactly one path: (sentence, start, tag of every position)."""
        longest = max((len(path) for _, _, path in paths), default=0)
        # shape: (S, M, K)
        allowed = torch.ones(len(paths), longest, tags, dtype=torch.bool)
        for row, (_, _, path) in enumerate(paths):
            allowed[row, : len(path)] = False
            allowed[row, range(len(path)), list(path)] = True
        sentence = torch.tensor([sentence for sentence, _, _ in paths], dtype=torch.long)
        return cls(sentence, torch.tensor([start for _, start, _ in paths], dtype=torch.long), allowed)


class CRF(torchcrf.CRF):
    """A conditional random field over K tags; a ``state_dict`` fits pytorch-crf's ``CRF`` and back.

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

    def score(self, emissions: Tensor, tags: Tensor, mask: Tensor) -> Tensor:
        """Unnormalised log-score of the tag paths ``[B, T]``: ``[B]``, 0 for empty sentences."""
        self._check(emissions, mask, tags)
        if not emissions.shape[1]:
            return emissions.new_zeros(len(emissions))
        tags = tags.masked_fill(~mask, 0)
        # shape: (B, T)
        emitted = emissions.gather(2, tags[..., None]).squeeze(2) * mask
        # shape: (B, T - 1)
        moved = self.transitions[tags[:, :-1], tags[:, 1:]] * mask[:, 1:]
        lengths = mask.sum(1)
        # shape: (B, 1)
        last = tags.gather(1, (lengths - 1).clamp(min=0)[:, None])
        edges = self.start_transitions[tags[:, 0]] + self.end_transitions[last.squeeze(1)]
        return emitted.sum(1) + moved.sum(1) + edges * (lengths > 0)

    def log_partition(self, emissions: Tensor, mask: Tensor) -> Tensor:
        """Log of the summed exponentiated scores of all paths: ``[B]``, 0 for empty sentences."""
        self._check(emissions, mask)
        return log_partition(emissions, mask, self.transitions, self.start_transitions, self.end_transitions)

    @torch.no_grad()
    def marginals(self, emissions: Tensor, mask: Tensor, constraints: TagConstraints | None = None) -> Tensor:
        """Probability of every tag at every position, ``[B, T, K]``; rows sum to 1, padding rows are 0."""
        self._check(emissions, mask)
        alpha, beta, partition = forward_backward(emissions, mask, *self._scores(constraints))
        return (alpha + beta - partition[:, None, None]).exp() * mask[..., None]

    @torch.no_grad()
    def segment_probability(
        self,
        emissions: Tensor,
        mask: Tensor,
        segments: Segments,
        constraints: TagConstraints | None = None,
    ) -> Tensor:
        """Probability that a segment takes only allowed tags, with any tags around it: ``[S]``.

        Raises:
            ValueError: a segment starts outside its sentence.
        """
        self._check(emissions, mask)
        sentence, start = segments.sentence.to(emissions.device), segments.start.to(emissions.device)
        lengths = mask.sum(1)[sentence]
        if bool(((start < 0) | (start >= lengths)).any()):
            raise ValueError("a segment starts outside its sentence")
        transitions, begin, end = self._scores(constraints)
        alpha, beta, partition = forward_backward(emissions, mask, transitions, begin, end)
        # shape: (S, M, K)
        forbidden = ~segments.allowed.to(emissions.device)
        reached = alpha[sentence, start]  # shape: (S, K)
        if forbidden.shape[1]:
            reached = reached.masked_fill(forbidden[:, 0], float("-inf"))
        for step in range(1, forbidden.shape[1]):
            position = start + step
            inside = position < lengths
            here = position.clamp(max=emissions.shape[1] - 1)
            # shape: (S, K)
            arrived = torch.logsumexp(reached[:, :, None] + transitions, dim=1).to(reached.dtype)
            arrived = (arrived + emissions[sentence, here]).masked_fill(forbidden[:, step], float("-inf"))
            reached = torch.where(inside[:, None], arrived, reached)
        last = torch.minimum(start + max(forbidden.shape[1], 1), lengths) - 1
        total = torch.logsumexp(reached + beta[sentence, last], dim=1)
        return (total - partition[sentence]).exp().clamp(max=1.0)

    @torch.no_grad()
    def decode(
        self, emissions: Tensor, mask: Tensor, constraints: TagConstraints | None = None
    ) -> list[list[int]]:
        """The best tag path of every sentence; with ``constraints``, the best legal one. Empty ones: []."""
        self._check(emissions, mask)
        batch, length, _ = emissions.shape
        if not length:
            return [[] for _ in range(batch)]
        transitions, start, end = self._scores(constraints)
        arriving = transitions.T.contiguous()  # shape: (K to, K from)
        best = start + emissions[:, 0]  # shape: (B, K)
        pointers = torch.arange(self.num_tags, device=best.device).expand(length, batch, -1).clone()
        for step in range(1, length):
            # shape: (B, K to, K from) -> (B, K)
            scores, origin = (best[:, None, :] + arriving).max(dim=2)
            inside = mask[:, step, None]
            best = torch.where(inside, scores + emissions[:, step], best)
            pointers[step] = torch.where(inside, origin, pointers[step])
        tag = (best + end).argmax(1)  # shape: (B,)
        path = torch.empty(batch, length, dtype=torch.long, device=best.device)
        for step in range(length - 1, -1, -1):
            path[:, step] = tag
            tag = pointers[step].gather(1, tag[:, None]).squeeze(1)
        return [row[:size] for row, size in zip(path.tolist(), mask.sum(1).tolist(), strict=True)]

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
