"""Measures of attention heads: entropy, distance, and share of attention on a word or entity."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from core.inspection.sentence.attention_units import attended, cover, extents
from core.taggers.base.trace import Array, Integers, Trace
from core.text import Span

Measure = Literal["target", "entropy", "relative", "distance"]
MEASURES: tuple[Measure, ...] = get_args(Measure)
NAMED = 4  # heads that `HeadsView.strongest` holds


@dataclass(frozen=True, slots=True)
class Target:
    """A word, entity or query that heads may attend to.

    Args:
        start, end: its characters, end exclusive.
        node: its column in the attention, for a word of the lattice.
        label: of a predicted entity, or of the query.
        query: whether it is the query before the text; ``start`` and ``end`` are then those of the text.
    """

    start: int
    end: int
    node: int | None = None
    label: str | None = None
    query: bool = False

    @property
    def kind(self) -> Literal["word", "span", "query"]:
        """The kind of target."""
        return "query" if self.query else "word" if self.node is not None else "span"


@dataclass(frozen=True, slots=True)
class HeadValue:
    """The value of one head."""

    layer: int
    head: int
    value: float


@dataclass(frozen=True, slots=True)
class HeadsView:
    """A measure of every head, and the heads that stand out.

    Args:
        measures: those available for this sentence. measure: the one shown: ``target`` is the share of
            attention on a target, ``relative`` the entropy divided by its maximum.
        targets: the possible targets. target: the index of the chosen one, None without any.
        values: ``[layers, heads]``.
        strongest: the heads with the largest share on the target, in order; empty for other measures.
            uniform: the share under uniform attention.
        lowest, highest: the heads with the smallest and largest value, for ``relative`` in bits; None if no
            head has a value.
        largest_entropy: entropy in bits of uniform attention.
    """

    measures: tuple[Measure, ...]
    measure: Measure
    targets: tuple[Target, ...]
    target: int | None
    values: Array
    strongest: tuple[HeadValue, ...]
    uniform: float
    lowest: HeadValue | None
    highest: HeadValue | None
    largest_entropy: float


def heads_view(
    trace: Trace, measure: Any = "target", target: Any = None, focus: Span | None = None
) -> HeadsView:
    """The view of a trace with attention.

    Args:
        measure: falls back to the first available one.
        target: index of a target; falls back to `default_target`.
        focus: the entity in question.
    """
    offered_targets, largest = targets(trace), largest_entropy(trace)
    offered = MEASURES if offered_targets else MEASURES[1:]
    measure = measure if measure in offered else offered[0]
    if target not in range(len(offered_targets)):
        target = default_target(offered_targets, focus) if offered_targets else None
    strongest_heads: tuple[HeadValue, ...] = ()
    uniform, unit = 0.0, 1.0
    if measure == "target":
        values = attention_to(trace, offered_targets[target])
        strongest_heads = tuple(strongest(values, NAMED))
        uniform = uniform_share(trace, offered_targets[target])
    elif measure == "distance":
        values = mean_distance(trace)
    else:
        values = entropy(trace)
        if measure == "relative":
            unit = max(largest, 1e-9)
            values = values / unit
    return HeadsView(
        offered,
        measure,
        offered_targets,
        target,
        values,
        strongest_heads,
        uniform,
        *_extremes(values * unit),
        largest,
    )


def default_target(candidates: Sequence[Target], focus: Span | None) -> int:
    """The longest word inside the entity in focus, else that entity, else the longest target."""
    inside = [
        number
        for number, target in enumerate(candidates)
        if focus is not None and focus.start <= target.start and target.end <= focus.end
    ]
    words = [number for number in inside if candidates[number].node is not None]
    numbers = words or inside or range(len(candidates))
    return max(numbers, key=lambda number: candidates[number].end - candidates[number].start)


def _extremes(values: Array) -> tuple[HeadValue | None, HeadValue | None]:
    """The heads with the smallest and largest of ``[layers, heads]``."""
    if np.isnan(values).all():
        return None, None
    places = (divmod(int(find(values)), values.shape[1]) for find in (np.nanargmin, np.nanargmax))
    lowest, highest = (HeadValue(layer, head, float(values[layer, head])) for layer, head in places)
    return lowest, highest


def entropy(trace: Trace) -> Array:
    """Entropy of each head's attention in bits, mean over queries, ``[layers, heads]``."""

    def bits(weights: Array) -> Array:
        logs = np.log2(weights, out=np.zeros_like(weights), where=weights > 0)
        return -(weights * logs).sum(-1).mean(-1)

    return _by_head(trace, bits)


def largest_entropy(trace: Trace) -> float:
    """Entropy in bits of uniform attention; 0 without attention.

    Keys that receive no attention from any head (the words of SoftLexicon) do not count.
    """
    return float(np.log2(max(1, attended(trace).sum())))


def mean_distance(trace: Trace) -> Array:
    """Mean distance of each head's attention in characters, mean over queries, ``[layers, heads]``.

    The distance to the node itself or an overlapping one is 0, to an adjacent one 1. Attention to special
    pieces is left out; NaN if there is no other.
    """
    queries, keys = extents(trace)
    away = _distances(queries, keys)
    standing, placed = queries[:, 0] < queries[:, 1], keys[:, 0] < keys[:, 1]

    def characters(weights: Array) -> Array:
        paid = weights[:, standing][..., placed]
        total = paid.sum(-1)
        far = (paid * away[standing][:, placed]).sum(-1)
        is_paid = total > 0
        means = np.divide(far, total, out=np.zeros_like(far), where=is_paid)
        counts = is_paid.sum(-1)
        return np.divide(means.sum(-1), counts, out=np.full(len(paid), np.nan), where=counts > 0)

    return _by_head(trace, characters)


def targets(trace: Trace) -> tuple[Target, ...]:
    """The query, the words of the lattice that any head attends to, and the predicted entities, in reading
    order."""
    lattice, pieces = trace.lattice, trace.pieces
    unordered = [Target(span.start, span.end, label=span.label) for span in trace.spans]
    if lattice is not None:
        seen = attended(trace)
        unordered += [
            Target(int(lattice.start[node]), int(lattice.end[node]), node=node)
            for node in range(lattice.characters, len(lattice.nodes))
            if seen[node]
        ]
    ordered = sorted(unordered, key=lambda target: (target.start, target.end, target.label or ""))
    if trace.mrc is None or pieces is None or pieces.query is None:
        return tuple(ordered)
    asked = Target(0, len(trace.text), label=trace.mrc.labels[trace.mrc.attended], query=True)
    return asked, *ordered


def attention_to(trace: Trace, target: Target) -> Array:
    """The share of attention from the characters of ``target`` on it, ``[layers, heads]``.

    For a word of the lattice, attention from the characters it covers to its node: does this head tell a
    character which word it is in? For an entity, to all nodes in it, with nodes across its boundary weighted
    by their characters inside. For a query, from all characters of the text. Mean over the attending
    characters; NaN without any.
    """
    queries, _ = extents(trace)
    asking = cover(queries, len(trace.text))[:, target.start : target.end].any(1)
    share = _share(trace, target)

    def paid(weights: Array) -> Array:
        if not asking.any():
            return np.full(len(weights), np.nan)
        return (weights[:, asking] @ share).mean(-1)

    return _by_head(trace, paid)


def uniform_share(trace: Trace, target: Target) -> float:
    """``attention_to`` under uniform attention."""
    used = attended(trace)
    return float((_share(trace, target) * used).sum() / max(1, used.sum()))


def strongest(shares: Array, most: int = 5) -> list[HeadValue]:
    """The heads with the largest of ``[layers, heads]``, in descending order; NaN are left out."""
    order = np.argsort(-shares, axis=None, kind="stable")  # NaN sorts last
    places = [divmod(int(place), shares.shape[1]) for place in order[:most]]
    return [
        HeadValue(layer, head, float(shares[layer, head]))
        for layer, head in places
        if not np.isnan(shares[layer, head])
    ]


def _share(trace: Trace, target: Target) -> Array:
    """The share of each key that belongs to the target, ``[K]``."""
    _, keys = extents(trace)
    if target.query:
        assert trace.pieces is not None
        assert trace.pieces.query is not None
        return trace.pieces.query.astype(np.float64)
    if target.node is not None:
        return np.eye(len(keys))[target.node]
    covered = cover(keys, len(trace.text))
    inside: Array = covered[:, target.start : target.end].sum(1)
    return inside / np.maximum(covered.sum(1), 1)


def _by_head(trace: Trace, measure: Callable[[Array], Array]) -> Array:
    """``measure`` of every layer's ``[heads, Q, K]``; NaN where a layer has fewer heads than others."""
    queries = len(trace.queries)
    rows = [measure(np.asarray(weights[:, :queries], dtype=np.float64)) for weights in trace.attention]
    table = np.full((len(rows), max(map(len, rows), default=0)), np.nan)
    for layer, row in enumerate(rows):
        table[layer, : len(row)] = row
    return table


def _distances(queries: Integers, keys: Integers) -> Integers:
    """Distance of nodes in characters, ``[Q, K]``: 0 if they overlap, 1 if they are adjacent."""
    before = queries[:, None, 0] - (keys[None, :, 1] - 1)
    after = keys[None, :, 0] - (queries[:, None, 1] - 1)
    return np.maximum(0, np.maximum(before, after))
