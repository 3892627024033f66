"""Hooks on a tagger's embedding modules, by which scores are attributed to characters and words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn


@dataclass(frozen=True, slots=True)
class EmbeddingHook:
    """The vectors by which one module embeds a sentence, and the node that each belongs to.

    Nodes are the units of the sentence (`Tagger.units`), then the words matched over them, as in its lattice.
    A vector without a node (a special token, a query, padding) is not part of the text.

    Args:
        module: called once per forward pass; returns ``[..., D]``, the vectors of a sentence in order.
        vector: index of a vector over all dimensions but the last, flattened, ``[M]``.
        node: the node it belongs to, ``[M]``. share: the part of it that does, ``[M]``; sums to 1 per vector.
        baseline: the baseline vector, for no input, ``[D]``; None is the zero vector.
    """

    module: nn.Module
    vector: Tensor
    node: Tensor
    share: Tensor
    baseline: Tensor | None = None

    @classmethod
    def of_nodes(
        cls, module: nn.Module, owners: Sequence[Sequence[int]], baseline: Tensor | None = None
    ) -> EmbeddingHook:
        """A hook whose vector ``i`` belongs in equal parts to the nodes ``owners[i]``."""
        rows = [(i, node, 1.0 / len(nodes)) for i, nodes in enumerate(owners) for node in nodes]
        vector, node, share = zip(*rows, strict=True) if rows else ((), (), ())
        return cls(
            module,
            torch.tensor(vector, dtype=torch.long),
            torch.tensor(node, dtype=torch.long),
            torch.tensor(share, dtype=torch.float64),
            baseline,
        )

    def with_baseline(self, vectors: Tensor) -> Tensor:
        """The vectors ``[1, n, D]`` with those of all nodes replaced by the baseline."""
        replaced = vectors.clone()
        row = self.vector.to(vectors.device)
        replaced[0, row] = 0.0 if self.baseline is None else self.baseline.to(vectors)
        return replaced

    def at_nodes(self, values: Tensor, nodes: int) -> Tensor:
        """Values of vectors ``[n]`` distributed to their nodes, ``[nodes]`` float64."""
        shares = values.detach().cpu().double()[self.vector] * self.share
        return torch.zeros(nodes, dtype=torch.float64).index_add_(0, self.node, shares)


@contextmanager
def capture_embeddings(hooks: Sequence[EmbeddingHook]) -> Iterator[list[Tensor]]:
    """Collect every hook's vectors, ``[1, n, D]``, from the forward pass in the block.

    For a module that is not called (a transformer without a piece of the text) they are ``[1, 0, 1]``.
    """
    vectors: list[Tensor] = [torch.empty(1, 0, 1)] * len(hooks)

    def recorder(index: int) -> Any:
        def record(module: nn.Module, inputs: tuple[Any, ...], output: Tensor) -> None:
            vectors[index] = output.detach().reshape(1, -1, output.shape[-1])

        return record

    with _hooks([(hook.module, recorder(index)) for index, hook in enumerate(hooks)]):
        yield vectors


@contextmanager
def replace_embeddings(hooks: Sequence[EmbeddingHook], vectors: Sequence[Tensor]) -> Iterator[None]:
    """Make every hooked module return these vectors in the block, ``[S, n, D]`` for S copies."""

    def replacement(values: Tensor) -> Any:
        def replace(module: nn.Module, inputs: tuple[Any, ...], output: Tensor) -> Tensor:
            return values.to(output.dtype).reshape(output.shape)

        return replace

    with _hooks([(hook.module, replacement(values)) for hook, values in zip(hooks, vectors, strict=True)]):
        yield


@contextmanager
def _hooks(hooks: Sequence[tuple[nn.Module, Any]]) -> Iterator[None]:
    handles = [module.register_forward_hook(hook) for module, hook in hooks]
    try:
        yield
    finally:
        for handle in handles:
            handle.remove()
