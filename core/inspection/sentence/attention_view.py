"""The attention of one sentence: one head in full and every head as a thumbnail."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from core.inspection.sentence.attention_rollout import rollout
from core.inspection.sentence.attention_units import Kind, Units, kinds, units
from core.taggers.base.trace import Array, Trace

# Choices in place of a head: the mean over the heads, and the rollout down to the input.
MEAN, ROLLOUT = -1, -2
# Cells of all thumbnails together: more would be slow to send and draw, and too small to see.
MOST_CELLS = 40_000
THUMBNAIL_SIDES = (8, 48)


@dataclass(frozen=True, slots=True)
class AttentionMap:
    """The attention weights of one head, or of several heads combined.

    Args:
        layer, head: indices; ``head`` may be ``MEAN`` or ``ROLLOUT``.
        rows, columns: names of the attending units, ``[R]``, and of the attended ones, ``[C]``.
        weights: ``[R, C]``.
        query_label: the label of the query before the text; None for a tagger without queries.
    """

    layer: int
    head: int
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    weights: Array
    query_label: str | None = None


@dataclass(frozen=True, slots=True)
class AttentionView:
    """What the attention panel shows of a trace, and the other choices.

    Args:
        chosen: the head in full. thumbnails: every head of each layer, ``[heads, r, c]``, each map divided
            by its largest weight and reduced to at most 48 rows and columns.
        heads: number of heads by layer. kinds: the available units. kind: the one shown.
        special, has_special: whether pieces that cover no character are shown, and whether there are any.
    """

    chosen: AttentionMap
    thumbnails: tuple[Array, ...]
    heads: tuple[int, ...]
    kinds: tuple[Kind, ...]
    kind: Kind
    special: bool
    has_special: bool


def attention_view(
    trace: Trace, kind: Any = None, special: bool = True, layer: Any = 0, head: Any = MEAN
) -> AttentionView:
    """The view of a trace with attention; unavailable choices fall back to defaults.

    Raises:
        ValueError: the trace has no attention.
    """
    offered, heads, has_special = kinds(trace), heads_by_layer(trace), _has_special(trace)
    if kind not in offered:
        finest: Kind = "words" if trace.places.name == "word" else "characters"
        kind = finest if trace.lattice is None else offered[0]
    special = bool(special) or not has_special
    layer, head = existing_head(heads, layer, head)
    shown = units(trace, kind, special)
    return AttentionView(
        _map(trace, shown, layer, head), _thumbnails(trace, shown), heads, offered, kind, special, has_special
    )


def attention_map(trace: Trace, layer: int, head: int, kind: Kind = "nodes") -> AttentionMap:
    """One head alone, in units of ``kind``.

    Raises:
        IndexError: the trace has no such layer or head.
    """
    return _map(trace, units(trace, kind), layer, head)


def heads_by_layer(trace: Trace) -> tuple[int, ...]:
    """Number of heads of every layer."""
    return tuple(len(weights) for weights in trace.attention)


def existing_head(heads: Sequence[int], layer: Any, head: Any, default: int = 0) -> tuple[int, int]:
    """Layer and head if they exist, else layer ``default`` and the mean of its heads."""
    layer = layer if layer in range(len(heads)) else default % len(heads)
    return layer, head if head in (MEAN, ROLLOUT, *range(heads[layer])) else MEAN


def head_weights(trace: Trace, layer: int, head: int) -> Array:
    """Weights of a head or the ``MEAN`` of its layer's heads, ``[queries, keys]``, all queries of the layer.

    Raises:
        IndexError: the trace has no such layer or head.
    """
    if not 0 <= layer < len(trace.attention):
        raise IndexError(f"layer {layer} of {len(trace.attention)}")
    weights = trace.attention[layer]
    if head == MEAN:
        mean: Array = weights.mean(axis=0)
        return mean
    if not 0 <= head < len(weights):
        raise IndexError(f"head {head} of {len(weights)}")
    return weights[head]


def shrunk(maps: Array, side: int) -> Array:
    """``[heads, R, C]`` with at most ``side`` rows and columns, each the maximum of its block.

    The maximum, so that a thin diagonal stays visible.
    """
    for axis in (1, 2):
        length = maps.shape[axis]
        if length > side:
            maps = np.maximum.reduceat(maps, np.arange(side) * length // side, axis=axis)
    return maps


def _map(trace: Trace, shown: Units, layer: int, head: int) -> AttentionMap:
    # A layer may have more queries (the words of a lattice); only those of the trace are shown.
    weights = (
        rollout(trace, layer) if head == ROLLOUT else head_weights(trace, layer, head)[: len(trace.queries)]
    )
    label = None if trace.mrc is None else trace.mrc.labels[trace.mrc.attended]
    return AttentionMap(layer, head, shown.rows, shown.columns, shown.weights(weights), label)


def _thumbnails(trace: Trace, shown: Units) -> tuple[Array, ...]:
    count = len(trace.attention) * max(heads_by_layer(trace))
    side = int(np.clip(np.sqrt(MOST_CELLS / count), *THUMBNAIL_SIDES))
    return tuple(
        _scaled(shrunk(shown.weights(weights[:, : len(trace.queries)]), side)) for weights in trace.attention
    )


def _scaled(maps: Array) -> Array:
    """Every map divided by its largest weight."""
    largest = maps.max(axis=(1, 2), keepdims=True, initial=0.0)
    return np.divide(maps, largest, out=np.zeros_like(maps), where=largest > 0)


def _has_special(trace: Trace) -> bool:
    """Whether some pieces, such as ``[CLS]``, cover no character and can be left out."""
    pieces = trace.pieces
    return pieces is not None and trace.lattice is None and bool((pieces.start == pieces.end).any())
