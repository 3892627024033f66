"""Where a tagger embeds text: the places at which a score can be led back to characters and words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn


@dataclass(frozen=True, slots=True)
class Tap:
    """The vectors by which one module embeds one sentence, and what in the sentence each stands for.

    Nodes are the characters of the sentence, then the words matched over them, as in its lattice. A vector
    that belongs to no node (a mark, a query, padding) is no part of what a person wrote.

    Args:
        module: called once in a pass; gives ``[..., D]``, the vectors of a sentence behind one another.
        vector: number of a vector, counted through all dimensions but the last, ``[M]``.
        node: a node it stands for, ``[M]``. share: how much of it does, ``[M]``; 1 in all for each vector.
        blank: what the module gives where nothing is written, ``[D]``; None is the zero vector.
    """

    module: nn.Module
    vector: Tensor
    node: Tensor
    share: Tensor
    blank: Tensor | None = None

    @classmethod
    def of_nodes(cls, module: nn.Module, owners: Sequence[Sequence[int]], blank: Tensor | None = None) -> Tap:
        """A tap whose vector ``i`` stands in equal parts for the nodes ``owners[i]``."""
        rows = [(i, node, 1.0 / len(nodes)) for i, nodes in enumerate(owners) for node in nodes]
        vector, node, share = zip(*rows, strict=True) if rows else ((), (), ())
        return cls(
            module,
            torch.tensor(vector, dtype=torch.long),
            torch.tensor(node, dtype=torch.long),
            torch.tensor(share, dtype=torch.float64),
            blank,
        )

    def blanked(self, vectors: Tensor) -> Tensor:
        """The vectors ``[1, n, D]`` with nothing written: those of no node stay."""
        bare = vectors.clone()
        row = self.vector.to(vectors.device)
        bare[0, row] = 0.0 if self.blank is None else self.blank.to(vectors)
        return bare

    def at_nodes(self, values: Tensor, nodes: int) -> Tensor:
        """Values of vectors ``[n]`` as values of nodes, ``[nodes]`` float64: each vector's is parted."""
        shares = values.detach().cpu().double()[self.vector] * self.share
        return torch.zeros(nodes, dtype=torch.float64).index_add_(0, self.node, shares)


@contextmanager
def reading(taps: Sequence[Tap]) -> Iterator[list[Tensor]]:
    """While the block runs, the first pass leaves every tap's vectors, ``[1, n, D]``, in their order.

    Of a module that is not called (a transformer without a piece of the text) there are none, ``[1, 0, 1]``.
    """
    found: list[Tensor] = [torch.empty(1, 0, 1)] * len(taps)

    def keeper(place: int) -> Any:
        def keep(module: nn.Module, given: tuple[Any, ...], made: Tensor) -> None:
            found[place] = made.detach().reshape(1, -1, made.shape[-1])

        return keep

    with _hooks([(tap.module, keeper(place)) for place, tap in enumerate(taps)]):
        yield found


@contextmanager
def replacing(taps: Sequence[Tap], vectors: Sequence[Tensor]) -> Iterator[None]:
    """While the block runs, every tapped module gives these vectors, ``[S, n, D]`` for S copies."""

    def giver(values: Tensor) -> Any:
        def give(module: nn.Module, given: tuple[Any, ...], made: Tensor) -> Tensor:
            return values.to(made.dtype).reshape(made.shape)

        return give

    with _hooks([(tap.module, giver(values)) for tap, values in zip(taps, vectors, strict=True)]):
        yield


@contextmanager
def _hooks(hooks: Sequence[tuple[nn.Module, Any]]) -> Iterator[None]:
    handles = [module.register_forward_hook(hook) for module, hook in hooks]
    try:
        yield
    finally:
        for handle in handles:
            handle.remove()
