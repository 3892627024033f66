"""What ties the nodes of a lattice together, for the browser: attention, shares of words, sets of words."""

from __future__ import annotations

from base64 import b64encode
from typing import Any

import numpy as np

from core.taggers.base.trace import Array, Trace

MEAN = -1  # of all heads
# In which character `Trace.word_shares` tells of a word: each tagger's directions, in its own order.
DIRECTIONS = {"lattice_lstm": ("forward", "backward"), "lr_cnn": ("begin", "end")}
AT_TAIL = frozenset({"forward", "end"})
SETS = ("B", "M", "E", "S")
LEVELS = 65535


def attends(trace: Trace) -> bool:
    """Whether the keys of every layer are nodes of the trace's lattice."""
    if trace.lattice is None or not trace.attention:
        return False
    return all(weights.shape[2] == len(trace.lattice.nodes) for weights in trace.attention)


def attention_matrix(trace: Trace, layer: int, head: int) -> Array:
    """Weights of one layer and head (or their ``MEAN``) from every node that looks to all that are seen.

    The queries of FLAT's last layer are its characters; the words of SoftLexicon are never looked at, and
    their columns are left out. ``[Q, K]``.

    Raises:
        IndexError: the trace has no such layer or head.
    """
    if not 0 <= layer < len(trace.attention):
        raise IndexError(f"layer {layer} of {len(trace.attention)}")
    weights = trace.attention[layer]
    if head != MEAN and not 0 <= head < len(weights):
        raise IndexError(f"head {head} of {len(weights)}")
    chosen: Array = weights.mean(axis=0) if head == MEAN else weights[head]
    seen = len(trace.tokens) if trace.word_sets is not None else chosen.shape[1]
    return chosen[:, :seen]


def attention_object(trace: Trace, layer: int, head: int) -> dict[str, Any]:
    """One matrix for the browser: 16-bit steps of its largest weight, row by row, in base64.

    A step is at most 1/65,535, so weights are exact to five decimals. Only the matrix in view travels: all
    heads of twelve layers over 350 nodes would be 24 MB, one is 0.3 MB and comes within milliseconds.
    """
    weights = np.nan_to_num(attention_matrix(trace, layer, head))
    largest = float(weights.max(initial=0.0))
    steps = np.rint(weights / largest * LEVELS) if largest else np.zeros_like(weights)
    return {
        "layer": layer,
        "head": head,
        "queries": weights.shape[0],
        "keys": weights.shape[1],
        "scale": largest / LEVELS,
        "weights": b64encode(steps.astype("<u2").tobytes()).decode("ascii"),
    }


def word_links(trace: Trace) -> tuple[str, list[list[Any]]]:
    """How words enter characters where no attention does it: ``("shares" | "sets" | "", links)``.

    A link is ``[word, character, weight, kind]``: two nodes, from 0 to 1, and the direction or set. Weights
    in sets are a word's part of all four sets of the character, z(w) / Z.
    """
    if trace.word_sets is not None:
        return "sets", _set_links(trace)
    if trace.word_shares is not None:
        return "shares", _share_links(trace)
    return "", []


def _share_links(trace: Trace) -> list[list[Any]]:
    lattice, shares = trace.lattice, trace.word_shares
    assert lattice is not None
    assert shares is not None
    links: list[list[Any]] = []
    for word, row in enumerate(shares.tolist(), start=lattice.characters):
        for kind, weight in zip(DIRECTIONS.get(trace.tagger, ("forward", "backward")), row, strict=False):
            place = lattice.tail if kind in AT_TAIL else lattice.head
            links.append([word, int(place[word]), weight, kind])
    return links


def _set_links(trace: Trace) -> list[list[Any]]:
    lattice, sets = trace.lattice, trace.word_sets
    assert lattice is not None
    assert sets is not None
    places = zip(lattice.head.tolist(), lattice.tail.tolist(), strict=True)
    node_at = {place: node for node, place in enumerate(places)}
    links: list[list[Any]] = []
    node: int | None = None
    for entry, surface in enumerate(sets.words):
        character, kind = int(sets.character[entry]), SETS[int(sets.sets[entry])]
        if kind in "BS":  # the places of one occurrence follow each other
            node = node_at.get((character, character + len(surface) - 1))
        if node is not None:
            links.append([node, character, float(sets.weights[entry]) / len(SETS), kind])
    return links
