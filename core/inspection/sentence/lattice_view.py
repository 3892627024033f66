"""The lattice of one sentence: its nodes, the spans over them, and how words enter the characters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from core.inspection.sentence.attention_view import MEAN, head_weights, heads_by_layer
from core.runtime.message import ToldValueError
from core.taggers.base.trace import Array, LatticeTrace, Trace
from core.text import Span

# The columns of `Trace.word_shares` by tagger, and those that belong to the last character of a word.
DIRECTIONS = {"lattice_lstm": ("forward", "backward"), "lr_cnn": ("begin", "end")}
AT_TAIL = frozenset({"forward", "end"})
SETS = ("B", "M", "E", "S")


class WordLink(NamedTuple):
    """A word that contributes to a character other than by attention.

    Args:
        word, character: nodes. weight: from 0 to 1. kind: direction or set.
    """

    word: int
    character: int
    weight: float
    kind: str


@dataclass(frozen=True, slots=True)
class LatticeView:
    """What the lattice viewer shows of a trace.

    Args:
        lattice: the nodes. spans: the prediction. tagger: its registered name. text: the sentence.
        touches: for every node, which of ``spans`` share a character with it.
        heads: number of heads by layer; empty if nodes do not attend to nodes.
        attention: ``MEAN`` of the first layer as `node_attention`; None without heads.
        link_kind: whether ``links`` are shares of words in characters, or membership in the sets B, M, E, S.
    """

    lattice: LatticeTrace
    spans: tuple[Span, ...]
    tagger: str
    text: str
    touches: tuple[tuple[int, ...], ...]
    heads: tuple[int, ...]
    attention: Array | None
    link_kind: Literal["shares", "sets", ""]
    links: tuple[WordLink, ...]


def lattice_view(trace: Trace) -> LatticeView:
    """The view of a lattice tagger's trace.

    Raises:
        ValueError: the trace has no lattice.
    """
    lattice = trace.lattice
    if lattice is None:
        raise ToldValueError("the tagger {tagger} has no lattice to draw", tagger=repr(trace.tagger))
    has_attention = nodes_attend(trace)
    link_kind, links = word_links(trace)
    return LatticeView(
        lattice,
        trace.spans,
        trace.tagger,
        trace.text,
        tuple(touched(lattice, node, trace.spans) for node in range(len(lattice.nodes))),
        heads_by_layer(trace) if has_attention else (),
        node_attention(trace, 0, MEAN) if has_attention else None,
        link_kind,
        tuple(links),
    )


def nodes_attend(trace: Trace) -> bool:
    """Whether the keys of every layer are nodes of the trace's lattice."""
    if trace.lattice is None or not trace.attention:
        return False
    return all(weights.shape[2] == len(trace.lattice.nodes) for weights in trace.attention)


def node_attention(trace: Trace, layer: int, head: int) -> Array:
    """Weights ``[Q, K]`` of a head or the ``MEAN`` of its layer, from attending to attended nodes.

    The queries of FLAT's last layer are its characters; the words of SoftLexicon are never attended to, and
    their columns are left out.

    Raises:
        IndexError: the trace has no such layer or head.
    """
    weights = head_weights(trace, layer, head)
    return weights[:, : len(trace.tokens)] if trace.word_sets is not None else weights


def touched(lattice: LatticeTrace, node: int, spans: Sequence[Span]) -> tuple[int, ...]:
    """Which spans share at least one character with a node."""
    start, end = int(lattice.start[node]), int(lattice.end[node])
    return tuple(order for order, span in enumerate(spans) if span.start < end and start < span.end)


def word_links(trace: Trace) -> tuple[Literal["shares", "sets", ""], list[WordLink]]:
    """The links of words to characters in taggers without lattice attention.

    Weights in sets are a word's share of all four sets of the character, z(w) / Z.
    """
    if trace.word_sets is not None:
        return "sets", _set_links(trace)
    if trace.word_shares is not None:
        return "shares", _share_links(trace)
    return "", []


def _share_links(trace: Trace) -> list[WordLink]:
    lattice, shares = trace.lattice, trace.word_shares
    assert lattice is not None
    assert shares is not None
    links = []
    for word, row in enumerate(shares.tolist(), start=lattice.characters):
        for kind, weight in zip(DIRECTIONS.get(trace.tagger, ("forward", "backward")), row, strict=False):
            place = lattice.tail if kind in AT_TAIL else lattice.head
            links.append(WordLink(word, int(place[word]), weight, kind))
    return links


def _set_links(trace: Trace) -> list[WordLink]:
    lattice, sets = trace.lattice, trace.word_sets
    assert lattice is not None
    assert sets is not None
    places = zip(lattice.nodes, lattice.head.tolist(), strict=True)
    # Words after the characters, so that a phrase of one word is itself and not that word.
    node_at = {place: node for node, place in enumerate(places)}
    links = []
    node: int | None = None
    for entry, surface in enumerate(sets.words):
        character, kind = int(sets.character[entry]), SETS[int(sets.sets[entry])]
        if kind in "BS":  # the positions of one occurrence are consecutive
            node = node_at.get((surface, character))
        if node is not None:
            links.append(WordLink(node, character, float(sets.weights[entry]) / len(SETS), kind))
    return links
