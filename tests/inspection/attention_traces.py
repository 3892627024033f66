"""Traces with random attention: of a FLAT, a SoftLexicon with a Transformer, and a BERT."""

import numpy as np

from core.taggers.base.trace import LatticeTrace, PieceTrace, Trace
from core.text import Span

TEXT = "林青在白石湖"
NODES = (*TEXT, "白石", "白石湖")
HEAD = np.array([0, 1, 2, 3, 4, 5, 3, 3])
TAIL = np.array([0, 1, 2, 3, 4, 5, 4, 5])


def random_weights(heads: int, queries: int, keys: int, seed: int) -> np.ndarray:
    """``[heads, queries, keys]``, rows sum to 1."""
    weights = np.random.default_rng(seed).random((heads, queries, keys)) ** 3
    return weights / weights.sum(-1, keepdims=True)


def flat_trace() -> Trace:
    """Two layers of three heads; in the last one only the six characters ask."""
    nodes = len(NODES)
    return Trace(
        TEXT,
        tuple(TEXT),
        (Span(0, 2, "PER"), Span(3, 6, "LOC")),
        "flat",
        attention=(random_weights(3, nodes, nodes, 1), random_weights(3, len(TEXT), nodes, 2)),
        lattice=LatticeTrace(NODES, HEAD, TAIL, len(TEXT)),
    )


def soft_lexicon_trace() -> Trace:
    """The same words, but characters attend to characters: the columns of words are zero on both layers."""
    length = len(TEXT)
    layers = [random_weights(2, length, length, seed) for seed in (3, 4)]
    return Trace(
        TEXT,
        tuple(TEXT),
        (Span(3, 6, "LOC"),),
        "soft_lexicon",
        attention=tuple(np.pad(layer, ((0, 0), (0, 0), (0, 2))) for layer in layers),
        lattice=LatticeTrace(NODES, HEAD, TAIL, length),
    )


PIECE_TEXT = "湖边 Lakeside好"
PIECES = PieceTrace(
    ("[CLS]", "湖", "边", "lake", "##side", "好", "[SEP]"),
    np.array([0, 0, 1, 3, 7, 11, 0]),
    np.array([0, 1, 2, 7, 11, 12, 0]),
)


def bert_trace() -> Trace:
    """Seven pieces, two of them special, two in one English word; two layers of two heads."""
    count = len(PIECES.pieces)
    return Trace(
        PIECE_TEXT,
        tuple(PIECE_TEXT),
        (Span(0, 11, "LOC"), Span(3, 11, "ORG")),
        "bert",
        attention=(random_weights(2, count, count, 5), random_weights(2, count, count, 6)),
        pieces=PIECES,
    )
