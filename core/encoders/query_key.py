"""Captures a transformer's query and key vectors, where they alone determine its attention."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from torch import Tensor, nn
from torch.utils.hooks import RemovableHandle

# Names of the two linear layers in different families.
_QUERY = frozenset({"query", "q_proj", "q_lin", "q"})
_KEY = frozenset({"key", "k_proj", "k_lin", "k"})
_TOLERANCE = 1e-3


@dataclass
class Projections:
    """Outputs of the query and key layers of a model, in execution order.

    Args:
        query, key: ``[N, P, heads * D]`` each.
    """

    query: list[Tensor] = field(default_factory=list)
    key: list[Tensor] = field(default_factory=list)

    def vectors(
        self, attention: Sequence[Tensor], mask: Tensor
    ) -> tuple[tuple[Tensor, ...], tuple[Tensor, ...]]:
        """Queries and keys of every layer, ``[N, heads, P, D]``; empty if they do not reproduce the weights.

        Plain attention is ``softmax(q k / sqrt(D))`` (Vaswani et al. 2017, eq. 1). Families with relative
        positions, rotary embeddings or causal masks give other weights; weights that cannot be recomputed
        from the two vectors are not shown as if they could.

        Args:
            attention: the model's weights, ``[N, heads, P, P]`` per layer.
            mask: True at pieces, ``[N, P]``.
        """
        if not attention or not len(self.query) == len(self.key) == len(attention):
            return (), ()
        queries, keys = [], []
        for query, key, weights in zip(self.query, self.key, attention, strict=True):
            heads = weights.shape[1]
            if query.shape != key.shape or query.shape[:2] != mask.shape or query.shape[2] % heads:
                return (), ()
            per_head = [part.unflatten(2, (heads, -1)).transpose(1, 2) for part in (query, key)]
            if not _reproduces_attention(per_head[0], per_head[1], weights, mask):
                return (), ()
            queries.append(per_head[0])
            keys.append(per_head[1])
        return tuple(queries), tuple(keys)


@contextmanager
def projections(model: nn.Module) -> Iterator[Projections]:
    """Capture the query and key layers of ``model`` in the block."""
    captured = Projections()
    hooks: list[RemovableHandle] = []

    def capture(layer: nn.Module, into: list[Tensor]) -> None:
        hooks.append(layer.register_forward_hook(lambda _layer, _given, made: into.append(made.detach())))

    for name, layer in model.named_modules():
        if not isinstance(layer, nn.Linear):
            continue
        short_name = name.rpartition(".")[2]
        if short_name in _QUERY:
            capture(layer, captured.query)
        elif short_name in _KEY:
            capture(layer, captured.key)
    try:
        yield captured
    finally:
        for hook in hooks:
            hook.remove()


def _reproduces_attention(query: Tensor, key: Tensor, weights: Tensor, mask: Tensor) -> bool:
    """Whether the softmax of the scaled dot products equals the model's attention."""
    scores = (query @ key.transpose(-1, -2)).float() * query.shape[-1] ** -0.5
    expected = scores.masked_fill(~mask[:, None, None], float("-inf")).softmax(-1)
    real = mask[:, None, :, None]
    return bool(((expected - weights.float()).abs() * real).max() < _TOLERANCE)
