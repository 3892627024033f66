"""The rows and columns of an attention map: pieces as read, characters, words or entities."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from core.lexicon.maximum_matching import Extent, segment
from core.runtime.message import ToldValueError
from core.taggers.base.trace import Array, Integers, Trace

Kind = Literal["nodes", "characters", "words", "spans"]
KINDS: tuple[Kind, ...] = get_args(Kind)
# Scripts written without blanks: Thai to Myanmar, Khmer, and all from the radicals to Yi, Han beyond the BMP.
_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\uabff\uf900-\ufaff\U00020000-\U0003ffff"
_SPACED_WORD = re.compile(rf"(?:(?![{_UNSPACED}])\w)+")


@dataclass(frozen=True, slots=True)
class Units:
    """Aggregates attention of nodes (Q queries, K keys) to units (R rows, C columns).

    Attention *to* a unit is the sum over its nodes; a node over several units is divided by characters.
    Attention *from* a unit is the mean over its nodes.

    Args:
        rows, columns: names, ``[R]`` and ``[C]``.
        mean: ``[R, Q]``, rows sum to 1.
        share: ``[K, C]``; rows sum to 1, or to 0 for nodes that are left out.
    """

    rows: tuple[str, ...]
    columns: tuple[str, ...]
    mean: Array
    share: Array

    def weights(self, attention: Array) -> Array:
        """Aggregate ``[..., Q, K]`` to ``[..., R, C]``; row sums are kept if no node is left out."""
        joined: Array = self.mean @ attention @ self.share
        return joined


def kinds(trace: Trace) -> tuple[Kind, ...]:
    """The units in which the attention of ``trace`` can be shown, finest first.

    Raises:
        ValueError: the trace has no attention.
    """
    if not trace.attention:
        raise ToldValueError("the tagger {tagger} has no attention", tagger=repr(trace.tagger))
    offered: list[Kind] = []
    words = trace.lattice is not None and attended(trace)[trace.lattice.characters :].any()
    if trace.pieces is not None or words:
        offered.append("nodes")
    if trace.places.name == "word":
        offered.append("words")
    else:
        offered.append("characters")
        if any(end - start > 1 for start, end in _words(trace)):
            offered.append("words")
    if any(span.end - span.start > 1 for span in trace.spans):
        offered.append("spans")
    return tuple(offered)


def units(trace: Trace, kind: Kind, special: bool = True) -> Units:
    """The units of one kind.

    ``nodes`` are the tagger's inputs: word pieces, or characters and the words of the lattice. In the other
    kinds a word of the lattice counts as its characters. ``words`` are those that are tagged, or the longest
    matches of the lattice, or runs of letters without one; ``spans`` the outermost predicted entities; other
    characters, or words that are tagged, are units of their own. Characters that no node covers (blanks, in
    most vocabularies) are left out.

    Args:
        special: whether pieces that cover no character, such as ``[CLS]``, are units of their own; otherwise
            they are left out, and rows sum to the attention on the text.
    """
    queries, keys = extents(trace)
    if kind == "nodes":
        rows, columns = _kept(queries, special), _kept(keys, special)
        return Units(
            tuple(trace.queries[row] for row in rows),
            tuple(trace.keys[column] for column in columns),
            np.eye(len(queries))[rows],
            np.eye(len(keys))[:, columns],
        )
    # Extents that are one unit; all other characters are units of their own.
    together = _words(trace) if kind == "words" else _outermost(trace) if kind == "spans" else []
    if trace.places.name == "word":
        together = [*together, *_words(trace)]
    return _joined(trace, segment(len(trace.text), together), special)


def extents(trace: Trace) -> tuple[Integers, Integers]:
    """Start and end (exclusive) of every query and key in characters, ``[Q, 2]`` and ``[K, 2]``.

    Special pieces have ``start == end``.
    """
    if trace.lattice is not None:
        keys = np.stack([trace.lattice.start, trace.lattice.end], axis=1)
        return keys[: len(trace.queries)], keys
    if trace.pieces is not None:
        pieces = np.stack([trace.pieces.start, trace.pieces.end], axis=1)
        return pieces, pieces
    units = np.array([trace.places.starts, trace.places.ends], dtype=np.int64).T
    return units, units


def attended(trace: Trace) -> NDArray[np.bool_]:
    """Whether any head attends to a key, ``[K]``: SoftLexicon's words are keys without attention."""
    given = np.zeros(len(trace.keys), dtype=bool)
    for weights in trace.attention:
        given |= weights.any(axis=(0, 1))
    return given


def cover(places: Integers, length: int) -> Array:
    """1 where a node covers a character, ``[N, length]``."""
    characters = np.arange(length)
    return ((places[:, :1] <= characters) & (characters < places[:, 1:])).astype(np.float64)


def _joined(trace: Trace, pieces: Sequence[Extent], special: bool) -> Units:
    """Units in text order, with the special pieces in their positions."""
    length = len(trace.text)
    queries, keys = extents(trace)
    inside = cover(np.array(pieces, dtype=np.int64).reshape(-1, 2), length).T  # shape: (T, U)
    asked = (cover(queries, length) @ inside > 0).astype(np.float64)  # shape: (Q, U)
    given = cover(keys, length)
    given = given / np.maximum(given.sum(1, keepdims=True), 1) @ inside  # shape: (K, U)
    used = np.flatnonzero(asked.any(0))
    names = [trace.text[start:end] for start, end in (pieces[int(unit)] for unit in used)]
    mean, share = asked[:, used].T, given[:, used]
    first = mean.argmax(1) if len(used) else np.zeros(0, dtype=np.int64)
    alone = np.flatnonzero(queries[:, 0] == queries[:, 1]) if special else np.zeros(0, dtype=np.int64)
    # Only word pieces are special, and among those queries and keys are the same.
    names += [trace.queries[piece] for piece in alone]
    mean = np.concatenate([mean, np.eye(len(queries))[alone]])
    share = np.concatenate([share, np.eye(len(keys))[:, alone]], axis=1)
    order = np.argsort(np.concatenate([first, alone]), kind="stable")
    ordered = tuple(names[unit] for unit in order)
    mean = mean[order] / mean[order].sum(1, keepdims=True)
    return Units(ordered, ordered, mean, share[:, order])


def _kept(places: Integers, special: bool) -> Integers:
    return np.flatnonzero(special | (places[:, 0] < places[:, 1]))


def _words(trace: Trace) -> list[Extent]:
    lattice = trace.lattice
    if trace.places.name == "word":
        return list(zip(trace.places.starts, trace.places.ends, strict=True))
    if lattice is None:
        return [match.span() for match in _SPACED_WORD.finditer(trace.text)]
    words = slice(lattice.characters, None)
    return [
        (int(head), int(tail) + 1)
        for head, tail in zip(lattice.head[words], lattice.tail[words], strict=True)
    ]


def _outermost(trace: Trace) -> list[Extent]:
    """Predicted spans that are not inside another and do not cross an earlier one."""
    outermost: list[Extent] = []
    for span in sorted(trace.spans, key=lambda span: (span.start, -span.end)):
        if not outermost or span.start >= outermost[-1][1]:
            outermost.append((span.start, span.end))
    return outermost
