"""What a tagger computed for one sentence, as plain named arrays."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from core.lexicon import Lattice, Lexicon
from core.text import Span
from core.text.tag_schemes import SchemeName
from core.text.units import Units, characters

if TYPE_CHECKING:
    from core.taggers.base.calibration import Scaling

Array = NDArray[np.floating]
Integers = NDArray[np.integer]


@dataclass(frozen=True, slots=True)
class LatticeTrace:
    """The nodes of a lattice: characters first, then matched words in order of (head, tail).

    Where words are tagged, these stand for the characters, and phrases for the words.

    Args:
        nodes: surface of every node, ``[L]``.
        head: first character of every node, ``[L]``, counted in characters (words).
        tail: last character (inclusive, as in the paper), ``[L]``.
        characters: number of leading nodes that are characters (words).
        frequency: of every matched word in the lexicon, ``[L - characters]``, 0 for a word removed since;
            None without a lexicon.
        places: where the words are in the text; None for characters.
    """

    nodes: tuple[str, ...]
    head: Integers
    tail: Integers
    characters: int
    frequency: Integers | None = None
    places: Units | None = None

    @classmethod
    def of(cls, lattice: Lattice, lexicon: Lexicon | None = None) -> LatticeTrace:
        """The nodes of ``lattice`` as arrays, with the frequencies that ``lexicon`` has for its words."""
        head, tail = np.array(lattice.head, dtype=np.int64), np.array(lattice.tail, dtype=np.int64)
        frequency = None
        if lexicon is not None:
            seen = [lexicon.entry(m.word).frequency if m.word in lexicon else 0 for m in lattice.words]
            frequency = np.array(seen, dtype=np.int64)
        return cls(lattice.nodes, head, tail, lattice.characters, frequency, lattice.units)

    def leading(self, span: Span) -> Span:
        """A span of the text, counted in the leading nodes."""
        return span if self.places is None else self.places.touched(span) or span

    @property
    def start(self) -> Integers:
        """Offset in the text at which every node begins, ``[L]``."""
        return self.head if self.places is None else np.asarray(self.places.starts, dtype=np.int64)[self.head]

    @property
    def end(self) -> Integers:
        """Offset in the text at which every node ends, exclusive, ``[L]``."""
        if self.places is None:
            return self.tail + 1
        return np.asarray(self.places.ends, dtype=np.int64)[self.tail]

    def distances(self) -> dict[str, Integers]:
        """The four relative distances of FLAT (eq. 4 to 7), each ``[L, L]`` with ``[i, j]`` = from i to j."""
        head, tail = self.head, self.tail
        return {
            "head-head": head[:, None] - head[None, :],
            "head-tail": head[:, None] - tail[None, :],
            "tail-head": tail[:, None] - head[None, :],
            "tail-tail": tail[:, None] - tail[None, :],
        }


@dataclass(frozen=True, slots=True)
class RelativeTrace:
    """How FLAT turns relative distances into encodings; one fusion serves all layers (Li et al. 2020, eq. 8).

    Args:
        kinds: the distances that are fused, names as in `LatticeTrace.distances`.
        norms: Euclidean length of ``R_ij = ReLU(W_r [p(d); ...] + b_r)``, ``[L, L]``, from i to j.
        sinusoids: p(d) of every distance d from -(T - 1) to T - 1, ``[2 T - 1, H]``.
    """

    kinds: tuple[str, ...]
    norms: Array
    sinusoids: Array


@dataclass(frozen=True, slots=True)
class WordSetsTrace:
    """SoftLexicon's word sets at every character, one entry per word and set.

    Args:
        words: surface of every entry, ``[E]``. character: its position, ``[E]``.
        sets: its set: 0 to 3 for B, M, E and S, ``[E]``.
        weights: its factor 4 z(w) / Z, ``[E]``.
    """

    words: tuple[str, ...]
    character: Integers
    sets: Integers
    weights: Array


@dataclass(frozen=True, slots=True)
class CrfTrace:
    """The CRF's scores: rows of ``transitions`` are the previous tag, columns the next.

    Args:
        tags: names of the tags, ``[K]``.
        emissions: ``[T, K]``.
        transitions: ``[K, K]``, ``[i, j]`` = score of going from tag i to tag j.
        start: ``[K]``, score of starting in a tag. end: ``[K]``, score of ending in one.
        marginals: ``[T, K]``, probability of each tag at each character; rows sum to 1.
        path: the best tag path, ``[T]`` indices into ``tags``.
        allowed: the legal steps in decoding, ``[1 + K, K + 1]`` bool: a first row for the start, a last
            column for the end, otherwise as ``transitions``; None if all are legal.
        scheme: the tag scheme.
        learned: whether transitions are learned; with a softmax head they are all 0.
    """

    tags: tuple[str, ...]
    emissions: Array
    transitions: Array
    start: Array
    end: Array
    marginals: Array
    path: Integers
    allowed: NDArray[np.bool_] | None = None
    scheme: SchemeName = "BMES"
    learned: bool = True


@dataclass(frozen=True, slots=True)
class PieceTrace:
    """The word pieces that a pretrained encoder read, special ones included.

    Args:
        pieces: their vocabulary entries, ``[P]``; those of a query begin with ``?``. start, end: the
            characters that each covers, ``[P]``, end exclusive; ``start == end`` for special pieces and those
            of a query.
        query: which pieces belong to the query before the text, ``[P]`` bool; None without a query.
    """

    pieces: tuple[str, ...]
    start: Integers
    end: Integers
    query: NDArray[np.bool_] | None = None


@dataclass(frozen=True, slots=True)
class QueryKeyTrace:
    """The query and key vectors, where attention is the softmax of their scaled dot products alone.

    Args:
        queries, keys: one ``[heads, P, D]`` per attention layer.
    """

    queries: tuple[Array, ...]
    keys: tuple[Array, ...]


@dataclass(frozen=True, slots=True)
class MixTrace:
    """How the layers of an encoder were mixed: ``gamma * sum_j s_j h_j`` (Peters et al. 2018, eq. 1).

    Args:
        weights: the scalar-mix weights s_j, ``[layers]``; if they differ by token, ``[T, layers]``.
        gamma: the scale; 1 for a mix without one.
        name: its place in the tagger: ``encoder``, ELMo's ``input`` and ``output``, LR-CNN's ``n-grams``.
        layers: index of each mixed layer, 0 being the encoder's embeddings; empty for all from 0 on.
        scalars: w_j, whose softmax gives the s_j, ``[layers]``; None if the weights are not a softmax.
        strength: lambda of the L2 penalty on the w_j (section 3.4); 0 for none.
    """

    weights: Array
    gamma: float = 1.0
    name: str = "encoder"
    layers: tuple[int, ...] = ()
    scalars: Array | None = None
    strength: float = 0.0

    @property
    def penalty(self) -> float | None:
        """The L2 penalty in the loss, ``lambda * sum_j w_j^2``; None without one."""
        if self.scalars is None or not self.strength:
            return None
        return self.strength * float(np.square(self.scalars).sum())

    @property
    def numbers(self) -> tuple[int, ...]:
        """``layers``, or 0 to the number of weights less one."""
        return self.layers or tuple(range(self.weights.shape[-1]))


@dataclass(frozen=True, slots=True)
class MrcTrace:
    """The predictions of a tagger with one query per label.

    Args:
        labels: the label of each query, ``[Q]``. queries: their texts, ``[Q]``.
        start, end: probability that a span starts, or ends, at a character, ``[Q, T]``.
        pairs: query, start and end (inclusive) of the pairs whose match was scored, ``[P, 3]``.
        match: probability that the start and the end of each belong together, ``[P]``.
        complete: whether ``pairs`` holds all pairs, or (in long texts) only those of predicted starts and
            ends.
        attended: the query with which the attention was computed, if the trace has attention.
    """

    labels: tuple[str, ...]
    queries: tuple[str, ...]
    start: Array
    end: Array
    pairs: Integers
    match: Array
    complete: bool
    attended: int = 0

    def matrix(self, query: int) -> Array:
        """The match of one query as ``[T, T]``, row = start, column = end; NaN for pairs not scored."""
        length = self.start.shape[1]
        table = np.full((length, length), np.nan, dtype=self.match.dtype)
        scored = self.pairs[:, 0] == query
        table[self.pairs[scored, 1], self.pairs[scored, 2]] = self.match[scored]
        return table


@dataclass(frozen=True, slots=True)
class SpanTrace:
    """The probability of every span.

    Args:
        labels: the labels, ``[K]``. probabilities: ``[K, T, W]``: at ``[k, i, o]`` label k for the span from
            i to i + o (inclusive); NaN for spans that may not be: beyond the text, or cutting a word piece.
        thresholds: the probability that a span of each label must exceed, ``[K]``. scalings: what makes
            log-odds of scores, for each label, ``[K]``.
    """

    labels: tuple[str, ...]
    probabilities: Array
    thresholds: tuple[float, ...]
    scalings: tuple[Scaling, ...]

    def matrix(self, label: int) -> Array:
        """The probabilities of one label as ``[T, T]``, row = start, column = end; NaN if not scored."""
        _, length, width = self.probabilities.shape
        table = np.full((length, length), np.nan, dtype=self.probabilities.dtype)
        for offset in range(min(width, length)):
            starts = np.arange(length - offset)
            table[starts, starts + offset] = self.probabilities[label, : length - offset, offset]
        return table


@dataclass(frozen=True, slots=True)
class PuTrace:
    """The predictions of one binary classifier per type.

    Args:
        labels: the types, ``[K]``. probabilities: probability of each at every character, ``[K, T]``.
        units: the unit of each character, ``[T]``: characters of one unit share their probability.
        priors: the class prior of each type in training, ``[K]``.
        bound: the probability that a type must exceed; the most probable type wins.
    """

    labels: tuple[str, ...]
    probabilities: Array
    units: Integers
    priors: Array
    bound: float = 0.5

    @property
    def chosen(self) -> Integers:
        """The predicted type of every character, ``[T]``; -1 where none exceeds the bound."""
        best = self.probabilities.argmax(0)
        return np.where(self.probabilities.max(0) > self.bound, best, -1)


@dataclass(frozen=True, slots=True)
class SegmentTrace:
    """Where an HM-LSTM ends its segments.

    Args:
        ends: ``[R, T]`` bool, True at a unit after which a segment ends: a row for every layer of the
            network that reads forwards but its last, from below, then as many of the one that reads
            backwards. The last unit ends a segment in every row.
    """

    ends: NDArray[np.bool_]

    @property
    def forwards(self) -> NDArray[np.bool_]:
        """The rows of the network that reads forwards, ``[L - 1, T]``."""
        return self.ends[: len(self.ends) // 2]

    @property
    def backwards(self) -> NDArray[np.bool_]:
        """The rows of the network that reads backwards, ``[L - 1, T]``."""
        return self.ends[len(self.ends) // 2 :]


@dataclass(frozen=True, slots=True)
class Trace:
    """Everything that the Inspect page draws for one text. Absent parts are None or empty, never faked.

    Args:
        text: the sentence. tokens: its units as the tagger reads them (characters for FLAT), ``[T]``.
        units: where they are in the text; None for its characters.
        spans: the prediction. tagger: registered name of the tagger.
        attention: ``[layer, head, query, key]``; one array per layer, because the last layer of FLAT has
            character queries only: each is ``[head, query, key]``.
        lattice: the nodes that keys refer to, if there is a lattice.
        relative: the encodings of relative distances, if attention uses them.
        word_shares: share of each word of the lattice in the state of a character, from 0 to 1, mean over the
            width, ``[words, directions]``. In Lattice LSTM that character is the word's last one, in the
            backward direction its first; in LR-CNN its first and its last.
        word_sets: the word sets of every character, for SoftLexicon.
        pieces: the word pieces that queries and keys refer to, if a pretrained encoder attends among them.
        query_key: the query and key vectors, if they alone determine the attention.
        mixes: the layer mixes.
        crf: the CRF's scores, if there is one.
        mrc: the predictions of BERT-MRC.
        pu: the predictions of a PU tagger.
        span_scores: the probability of every span.
        segments: where an HM-LSTM ends its segments.
    """

    text: str
    tokens: tuple[str, ...]
    spans: tuple[Span, ...]
    tagger: str
    attention: tuple[Array, ...] = field(default=())
    lattice: LatticeTrace | None = None
    relative: RelativeTrace | None = None
    word_shares: Array | None = None
    word_sets: WordSetsTrace | None = None
    pieces: PieceTrace | None = None
    query_key: QueryKeyTrace | None = None
    mixes: tuple[MixTrace, ...] = ()
    crf: CrfTrace | None = None
    mrc: MrcTrace | None = None
    pu: PuTrace | None = None
    span_scores: SpanTrace | None = None
    segments: SegmentTrace | None = None
    units: Units | None = None

    @property
    def places(self) -> Units:
        """The units, also where they are characters."""
        return self.units or characters(self.text)

    @property
    def queries(self) -> tuple[str, ...]:
        """The names of the rows of every layer's attention; a layer may have further rows."""
        return self.pieces.pieces if self.pieces and not self.lattice else self.tokens

    @property
    def keys(self) -> tuple[str, ...]:
        """The names of the columns of the attention."""
        return self.lattice.nodes if self.lattice else self.queries
