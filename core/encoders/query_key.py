"""The query and key vectors of a transformer, where its attention is nothing but their dot product."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from torch import Tensor, nn
from torch.utils.hooks import RemovableHandle

# What the families call the two linear layers.
_QUERY = frozenset({"query", "q_proj", "q_lin", "q"})
_KEY = frozenset({"key", "k_proj", "k_lin", "k"})
_TOLERANCE = 1e-3


@dataclass
class Projections:
    """What the query and key layers of a model gave, in the order in which they ran.

    Args:
        query, key: ``[N, P, heads * D]`` each.
    """

    query: list[Tensor] = field(default_factory=list)
    key: list[Tensor] = field(default_factory=list)

    def vectors(
        self, attention: Sequence[Tensor], mask: Tensor
    ) -> tuple[tuple[Tensor, ...], tuple[Tensor, ...]]:
        """Queries and keys of every layer, ``[N, heads, P, D]``; empty where they do not explain the weights.

        Plain attention is ``softmax(q k / sqrt(D))`` (Vaswani et al. 2017, eq. 1). Families that add relative
        positions, turn the vectors or look only backward give other weights than that; what cannot be
        computed again from the two vectors is not shown as if it could.

        Args:
            attention: the weights the model gave, ``[N, heads, P, P]`` per layer.
            mask: True at pieces, ``[N, P]``.
        """
        if not attention or not len(self.query) == len(self.key) == len(attention):
            return (), ()
        queries, keys = [], []
        for query, key, weights in zip(self.query, self.key, attention, strict=True):
            heads = weights.shape[1]
            if query.shape != key.shape or query.shape[:2] != mask.shape or query.shape[2] % heads:
                return (), ()
            own = [part.unflatten(2, (heads, -1)).transpose(1, 2) for part in (query, key)]
            if not _explain(own[0], own[1], weights, mask):
                return (), ()
            queries.append(own[0])
            keys.append(own[1])
        return tuple(queries), tuple(keys)


@contextmanager
def projections(model: nn.Module) -> Iterator[Projections]:
    """Watch the query and key layers of ``model`` while the block runs it."""
    seen = Projections()
    hooks: list[RemovableHandle] = []

    def watch(layer: nn.Module, into: list[Tensor]) -> None:
        hooks.append(layer.register_forward_hook(lambda _layer, _given, made: into.append(made.detach())))

    for name, layer in model.named_modules():
        if not isinstance(layer, nn.Linear):
            continue
        called = name.rpartition(".")[2]
        if called in _QUERY:
            watch(layer, seen.query)
        elif called in _KEY:
            watch(layer, seen.key)
    try:
        yield seen
    finally:
        for hook in hooks:
            hook.remove()


def _explain(query: Tensor, key: Tensor, weights: Tensor, mask: Tensor) -> bool:
    """Whether the softmax of the scaled dot products is what the model attended with."""
    scores = (query @ key.transpose(-1, -2)).float() * query.shape[-1] ** -0.5
    expected = scores.masked_fill(~mask[:, None, None], float("-inf")).softmax(-1)
    real = mask[:, None, :, None]
    return bool(((expected - weights.float()).abs() * real).max() < _TOLERANCE)
