"""What a tagger saw and weighed for one sentence, as plain named arrays."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from core.lexicon import Lattice, Lexicon
from core.text import Span
from core.text.tag_schemes import SchemeName

Array = NDArray[np.floating]
Integers = NDArray[np.integer]


@dataclass(frozen=True, slots=True)
class LatticeTrace:
    """The nodes of a lattice: characters first, then matched words in order of (head, tail).

    Args:
        nodes: surface of every node, ``[L]``.
        head: first character position of every node, ``[L]``.
        tail: last character position (inclusive, as in the paper), ``[L]``.
        characters: how many leading nodes are characters.
        frequency: of every matched word in the lexicon, ``[L - characters]``, 0 for one that was taken out
            since; None where no lexicon was asked.
    """

    nodes: tuple[str, ...]
    head: Integers
    tail: Integers
    characters: int
    frequency: Integers | None = None

    @classmethod
    def of(cls, lattice: Lattice, lexicon: Lexicon | None = None) -> LatticeTrace:
        """The nodes of ``lattice`` as arrays, with the frequencies that ``lexicon`` has for its words."""
        head, tail = np.array(lattice.head, dtype=np.int64), np.array(lattice.tail, dtype=np.int64)
        frequency = None
        if lexicon is not None:
            seen = [lexicon.entry(m.word).frequency if m.word in lexicon else 0 for m in lattice.words]
            frequency = np.array(seen, dtype=np.int64)
        return cls(lattice.nodes, head, tail, lattice.characters, frequency)

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
    """The words SoftLexicon saw at every character, one entry for each place a word has in a set.

    Args:
        words: surface of every entry, ``[E]``. character: where it was seen, ``[E]``.
        sets: in which set of that character: 0 to 3 for B, M, E and S, ``[E]``.
        weights: its factor 4 z(w) / Z, ``[E]``.
    """

    words: tuple[str, ...]
    character: Integers
    sets: Integers
    weights: Array


@dataclass(frozen=True, slots=True)
class CrfTrace:
    """What the CRF weighed: rows of ``transitions`` are the tag before, columns the tag after.

    Args:
        tags: names of the tags, ``[K]``.
        emissions: ``[T, K]``.
        transitions: ``[K, K]``, ``[i, j]`` = score of going from tag i to tag j.
        start: ``[K]``, score of starting in a tag. end: ``[K]``, score of ending in one.
        marginals: ``[T, K]``, probability of each tag at each character; rows sum to 1.
        path: the best tag path, ``[T]`` indices into ``tags``.
        allowed: which steps decoding may take, ``[1 + K, K + 1]`` bool: a first row for the start, a last
            column for the end, else as ``transitions``; None where it may take any.
        scheme: how the tags spell spans.
        learned: whether there are transitions; under a softmax head there are none, and all scores are 0.
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

    def steps(self) -> NDArray[np.float64]:
        """Scores of all steps, laid out as ``allowed``; start to end, which no sentence takes, is nan."""
        count = len(self.tags)
        scores = np.full((count + 1, count + 1), np.nan)
        scores[0, :count] = self.start
        scores[1:, :count] = self.transitions
        scores[1:, count] = self.end
        return scores


@dataclass(frozen=True, slots=True)
class PieceTrace:
    """The word pieces a pretrained encoder read, special ones included.

    Args:
        pieces: as the vocabulary spells them, ``[P]``; those of a query begin with ``?``. start, end: the
            characters each covers, ``[P]``, end exclusive; special pieces and those of a query cover none
            and have ``start == end``.
        query: which pieces are of the query before the text, ``[P]`` bool; None where there is none.
    """

    pieces: tuple[str, ...]
    start: Integers
    end: Integers
    query: NDArray[np.bool_] | None = None


@dataclass(frozen=True, slots=True)
class QueryKeyTrace:
    """The vectors whose scaled dot products, through a softmax, are the attention, and nothing else is.

    Args:
        queries, keys: one ``[heads, P, D]`` for each layer of the attention.
    """

    queries: tuple[Array, ...]
    keys: tuple[Array, ...]


@dataclass(frozen=True, slots=True)
class MixTrace:
    """How the layers of an encoder were mixed: ``gamma * sum_j s_j h_j`` (Peters et al. 2018, eq. 1).

    Args:
        weights: s_j, ``[layers]``; where every token has its own, ``[T, layers]``.
        gamma: the factor before the sum; 1 where the mix has none.
        name: where its tagger reads it: ``encoder``, ELMo's ``input`` and ``output``, LR-CNN's ``n-grams``.
        layers: number of each layer that takes part, 0 being the encoder's embeddings; all from 0 on where
            left out.
        scalars: w_j, of which the s_j are the softmax, ``[layers]``; None where they are none.
        strength: lambda of the penalty on the w_j (section 3.4); 0 where there is none.
    """

    weights: Array
    gamma: float = 1.0
    name: str = "encoder"
    layers: tuple[int, ...] = ()
    scalars: Array | None = None
    strength: float = 0.0

    @property
    def penalty(self) -> float | None:
        """What training adds to the loss, ``lambda * sum_j w_j^2``; None where nothing is."""
        if self.scalars is None or not self.strength:
            return None
        return self.strength * float(np.square(self.scalars).sum())

    @property
    def numbers(self) -> tuple[int, ...]:
        """``layers``, or 0 to their count."""
        return self.layers or tuple(range(self.weights.shape[-1]))


@dataclass(frozen=True, slots=True)
class MrcTrace:
    """What a tagger that is asked one query for each label answered.

    Args:
        labels: what each query asks for, ``[Q]``. queries: as they were asked, ``[Q]``.
        start, end: probability that a span starts, or ends, at a character, ``[Q, T]``.
        pairs: query, start and end (inclusive) of the pairs whose match was scored, ``[P, 3]``.
        match: probability that the start and the end of each belong together, ``[P]``.
        complete: whether those are all pairs, or (in long texts) only those of predicted starts and ends.
        attended: behind which query the attention was seen, where the trace has any.
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
        """The match of one query as ``[T, T]``, row = start, column = end; NaN where none was scored."""
        length = self.start.shape[1]
        table = np.full((length, length), np.nan, dtype=self.match.dtype)
        own = self.pairs[:, 0] == query
        table[self.pairs[own, 1], self.pairs[own, 2]] = self.match[own]
        return table


@dataclass(frozen=True, slots=True)
class PuTrace:
    """What one yes-or-no classifier for each type answered.

    Args:
        labels: the types, ``[K]``. answers: probability of each at every character, ``[K, T]``.
        units: number of the unit each character answered with, ``[T]``: equal within a word, where words do.
        priors: the share of all characters each was said to have in training, ``[K]``.
        bound: the probability a type must pass, and the largest wins.
    """

    labels: tuple[str, ...]
    answers: Array
    units: Integers
    priors: Array
    bound: float = 0.5

    @property
    def chosen(self) -> Integers:
        """The type every character is of, ``[T]``; -1 where none passes the bound."""
        best = self.answers.argmax(0)
        return np.where(self.answers.max(0) > self.bound, best, -1)


@dataclass(frozen=True, slots=True)
class Trace:
    """Everything the Inspect page draws for one text. Absent parts are None or empty, never faked.

    Args:
        text: the sentence. tokens: its units as the tagger saw them (characters for FLAT), ``[T]``.
        spans: the prediction. tagger: registered name of the tagger.
        attention: ``[layer, head, query, key]``; one array per layer, because the last layer of FLAT has
            character queries only: each is ``[head, query, key]``.
        lattice: the nodes the keys stand for, where there is a lattice.
        relative: the encodings of relative distances, where attention stands on them.
        word_shares: share of each word of the lattice in the character that takes it in, from 0 to 1, mean
            over the width, ``[words, directions]``. In Lattice LSTM that is its last character, and read
            backward its first; in LR-CNN its first character, and its last.
        word_sets: the words of every character by their place over it, where they are read so.
        pieces: what queries and keys stand for, where a pretrained encoder attends among word pieces.
        query_key: the vectors behind the attention, where they alone decide it.
        mixes: how its layers were mixed, one for each place that reads them mixed.
        crf: the CRF's scores, where there is one.
        mrc: the answers to its queries, where it is asked any.
        pu: the answers of its classifiers, where it has one for each type.
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

    @property
    def queries(self) -> tuple[str, ...]:
        """What the rows of every layer's attention stand for; a layer may have further rows."""
        return self.pieces.pieces if self.pieces and not self.lattice else self.tokens

    @property
    def keys(self) -> tuple[str, ...]:
        """What the columns of the attention stand for."""
        return self.lattice.nodes if self.lattice else self.queries
