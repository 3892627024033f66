"""Tag scores to spans with numpy alone: the best tag path, and the probability of every span on it.

It imports nothing of this project, because a Hugging Face folder carries a copy of it
(``latticelens_tag_decoding.py``).
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.floating]
Indices = NDArray[np.int64]
FILE = "tag_decoding.json"
# What is closer to a probability of 1 is a rounding error of float32, which log-odds would enlarge.
CLOSEST = 1e-5
UNSCALED = (1.0, 0.0)
LOWEST = -1e300  # in place of minus infinity, where two of them would be subtracted
SAFE = 1e-290  # sums above it lose nothing to the underflow of their parts
_BEGIN, _INSIDE, _END, _SINGLE = ("B",), ("M", "I"), ("E",), ("S",)


class Found(NamedTuple):
    """A span of units: first, end (exclusive), its label and its calibrated probability."""

    start: int
    end: int
    label: str
    score: float


class Sums(NamedTuple):
    """Log-sums over the tag paths of B sentences.

    Args:
        prefixes, suffixes: of all paths up to and from each unit and tag, ``[T, B, K]``; its emission is in
            the prefixes. partition: of all paths, ``[B]``.
    """

    prefixes: Floats
    suffixes: Floats
    partition: Floats


class TagDecoder:
    """The Viterbi path of a linear-chain CRF (Lafferty et al., ICML 2001) and its spans' probabilities.

    A softmax head is the same with transitions of zero.

    Args:
        tags: names of the K tags, of the scheme BMES or BIOES. transitions: ``[K, K]`` from row to column;
            minus infinity forbids. start, end: ``[K]``.
        scalings: temperature and shift of the log-odds of each label's spans; ``""`` for all other labels.

    Raises:
        ValueError: shapes do not fit, or a value is no number.
    """

    def __init__(
        self,
        tags: Sequence[str],
        transitions: Floats,
        start: Floats,
        end: Floats,
        scalings: Mapping[str, tuple[float, float]] | None = None,
    ) -> None:
        count = len(tags)
        if transitions.shape != (count, count) or start.shape != (count,) or end.shape != (count,):
            raise ValueError(f"{count} tags need {count} by {count} transitions, {count} starts and ends")
        if any(np.isnan(part).any() or np.isposinf(part).any() for part in (transitions, start, end)):
            raise ValueError("a transition is no number")
        self.tags = tuple(tags)
        self.transitions, self.start, self.end = transitions, start, end
        self._scalings = dict(scalings or {})
        self._parts = [tag.partition("-") for tag in self.tags]
        self._arrivals = _arrivals(transitions)

    @classmethod
    def from_json(cls, value: Any) -> TagDecoder:
        """What ``to_json`` returned.

        Raises:
            ValueError: it is malformed.
        """
        match value:
            case {
                "tags": [*tags], "transitions": [*rows], "start": [*start], "end": [*end],
                "scalings": {**scalings},
            } if tags and all(isinstance(tag, str) for tag in tags):  # fmt: skip
                try:
                    transitions = np.array([_scores(row) for row in rows], dtype=np.float32)
                    pairs = {str(label): _scaling(pair) for label, pair in scalings.items()}
                    return cls(tags, transitions, _scores(start), _scores(end), pairs)
                except TypeError:
                    raise ValueError("scores must be numbers, or null where a step is forbidden") from None
        raise ValueError("it needs tags, transitions, start, end and scalings")

    @classmethod
    def read(cls, folder: Path | str) -> TagDecoder:
        """The decoder in ``tag_decoding.json`` of a folder.

        Raises:
            OSError, ValueError: it is missing or malformed.
        """
        return cls.from_json(json.loads((Path(folder) / FILE).read_text(encoding="utf-8")))

    def to_json(self) -> dict[str, Any]:
        """As plain JSON; null where a step is forbidden."""
        return {
            "tags": list(self.tags),
            "transitions": [_plain(row) for row in self.transitions],
            "start": _plain(self.start),
            "end": _plain(self.end),
            "scalings": {label: list(pair) for label, pair in self._scalings.items()},
        }

    def __call__(self, emissions: Floats, lengths: Sequence[int]) -> list[list[Found]]:
        """The spans of B sentences, by offset.

        Args:
            emissions: tag scores ``[B, T, K]``; values past a sentence's end are not read.
            lengths: units of each sentence, ``[B]``.
        """
        sizes = np.asarray(lengths, dtype=np.int64)
        if not len(sizes) or not sizes.max():
            return [[] for _ in sizes]
        paths = self.best_paths(emissions, sizes)
        whole = [self.complete(path) for path in paths]
        rows = [row for row, spans in enumerate(whole) if spans]
        found: list[list[Found]] = [[] for _ in sizes]
        if rows:
            chosen = emissions[rows].astype(np.float64)
            sums = self.sums(chosen, sizes[rows])
            for at, row in enumerate(rows):
                found[row] = self.scored(chosen[at], sums, at, paths[row], whole[row])
        return found

    def scored(
        self,
        emissions: Floats,
        sums: Sums,
        row: int,
        path: Sequence[int],
        spans: Sequence[tuple[int, int, str]],
    ) -> list[Found]:
        """Spans of one sentence of a batch with their calibrated probabilities.

        Args:
            emissions: of the sentence, ``[T, K]``. sums: of the batch. row: the sentence's place in it.
            path: a tag path that has the spans. spans: as ``complete`` returns them.
        """
        found = []
        for start, end, label in spans:
            tags = path[start:end]
            total = sums.prefixes[start, row, tags[0]] + sums.suffixes[end - 1, row, tags[-1]]
            total += sum(float(emissions[t, tag]) for t, tag in enumerate(tags[1:], start + 1))
            total += sum(float(self.transitions[a, b]) for a, b in pairwise(tags))
            probability = math.exp(min(total - sums.partition[row], 0.0))
            found.append(Found(start, end, label, self.calibrated(probability, label)))
        return found

    def marginals(self, sums: Sums) -> Floats:
        """The probability of every tag at every unit, ``[B, T, K]``; anything past a sentence's end."""
        logs = sums.prefixes + sums.suffixes - sums.partition[:, None]
        return np.exp(np.minimum(logs, 0.0)).transpose(1, 0, 2)

    def best_paths(self, emissions: Floats, lengths: Indices) -> list[list[int]]:
        """The best tag path of every sentence; among equal scores the first tag wins.

        Args:
            emissions: ``[B, T, K]``. lengths: ``[B]``.
        """
        batch, length, count = emissions.shape
        # Sentences come last, so that numpy works on long rows.
        scores = np.full((length, count, batch), -np.inf, dtype=np.result_type(self.start, emissions))
        ordered = np.ascontiguousarray(emissions.transpose(1, 2, 0))
        scores[0] = self.start[:, None] + ordered[0]
        arrivals = [(*each, moves[..., None].repeat(batch, 2)) for *each, moves in self._arrivals]
        for t in range(1, length):
            for reached, before, moves in arrivals:
                scores[t, reached] = (scores[t - 1].take(before, 0) + moves).max(0)
            scores[t] += ordered[t]
        best = np.ascontiguousarray(scores.transpose(0, 2, 1))
        rows, arriving = np.arange(batch), self.transitions.T.copy()
        final = (best[lengths - 1, rows] + self.end).argmax(1)
        path = np.zeros((batch, length), dtype=np.int64)
        tag = final
        for t in range(length - 1, -1, -1):
            tag = np.where(lengths - 1 <= t, final, tag)
            path[:, t] = tag
            if t:  # the step that gave the best score is found again for the tags of the path alone
                tag = (best[t - 1] + arriving[tag]).argmax(1)
        return [row[:size] for row, size in zip(path.tolist(), lengths.tolist(), strict=True)]

    def sums(self, emissions: Floats, lengths: Indices) -> Sums:
        """Log-sums over the paths of B sentences.

        Args:
            emissions: float64, ``[B, T, K]``. lengths: ``[B]``.
        """
        batch, length, _ = emissions.shape
        moves, start, end = (part.astype(np.float64) for part in (self.transitions, self.start, self.end))
        both = _Moves(np.stack([moves, moves.T]))
        # Suffixes are the prefixes of a sentence that is read backwards, so one loop sums both.
        back, rows = np.maximum(lengths[:, None] - 1 - np.arange(length), 0), np.arange(batch)
        read = np.stack([emissions, emissions[rows[:, None], back]]).transpose(2, 0, 1, 3)
        before = np.empty(read.shape)  # each unit's sums without its own emission, shape: (T, 2, B, K)
        before[0] = np.stack([start, end])[:, None]
        with np.errstate(divide="ignore"):  # of a tag that no path reaches
            for t in range(1, length):
                before[t] = both.after(before[t - 1] + read[t - 1])
        prefixes, suffixes = before[:, 0] + read[:, 0], before[back.T, 1, rows]
        total = prefixes[lengths - 1, rows] + end
        highest = total.max(1)
        return Sums(prefixes, suffixes, highest + np.log(np.exp(total - highest[:, None]).sum(1)))

    def complete(self, path: Sequence[int]) -> list[tuple[int, int, str]]:
        """The spans of a path; what is no complete span is left out."""
        spans = []
        begun: tuple[int, str] | None = None
        for t, row in enumerate(path):
            prefix, _, label = self._parts[row]
            if prefix in _SINGLE:
                spans.append((t, t + 1, label))
                begun = None
            elif prefix in _BEGIN:
                begun = (t, label)
            elif begun is None or begun[1] != label:
                begun = None
            elif prefix in _END:
                spans.append((begun[0], t + 1, label))
                begun = None
            elif prefix not in _INSIDE:
                begun = None
        return spans

    def calibrated(self, probability: float, label: str) -> float:
        """The calibrated probability of a span of this label."""
        return scaled(probability, self._scalings.get(label) or self._scalings.get("") or UNSCALED)


def scaled(probability: float, scaling: tuple[float, float]) -> float:
    """A probability whose log-odds are divided by a temperature and shifted."""
    if scaling == UNSCALED or probability <= 0:
        return probability
    temperature, shift = scaling
    bounded = min(probability, 1 - CLOSEST)
    return sigmoid(math.log(bounded / (1 - bounded)) / temperature + shift)


def sigmoid(odds: float) -> float:
    """The probability of these log-odds, without overflow."""
    return 1 / (1 + math.exp(-odds)) if odds >= 0 else math.exp(odds) / (1 + math.exp(odds))


def _arrivals(transitions: Floats) -> list[tuple[Indices, Indices, Floats]]:
    """The tags that are reached from n tags, ``[k]``, from which ``[n, k]``, and by which transitions
    ``[n, k]``: for each n. Most steps of a tag scheme are forbidden, and take no time then."""
    open_steps = np.isfinite(transitions)
    counts = open_steps.sum(0)
    groups = []
    for count in np.unique(counts[counts > 0]):
        reached = np.flatnonzero(counts == count)
        before = np.array([np.flatnonzero(open_steps[:, tag]) for tag in reached]).T
        groups.append((reached, before, transitions[before, reached]))
    return groups


class _Moves:
    """Transitions ``[2, K, K]`` from row to column, forwards and backwards, as factors of sums over paths."""

    def __init__(self, scores: Floats) -> None:
        self.scores = scores
        self.highest = scores.max(initial=-np.inf)
        self.shares = np.exp(scores - self.highest) if np.isfinite(self.highest) else np.zeros_like(scores)
        self.open = np.isfinite(scores).astype(np.float64)

    def after(self, sums: Floats) -> Floats:
        """``log(exp(sums) @ exp(scores))`` of ``[2, B, K]``, without under- or overflow."""
        highest = np.maximum(sums.max(2, keepdims=True), LOWEST)
        total = np.exp(sums - highest) @ self.shares
        if total.min() < SAFE:
            small = total < SAFE
            if (small & (np.isfinite(sums).astype(np.float64) @ self.open > 0)).any():
                return self._exactly(sums)
        logs: Floats = np.log(total)
        logs += highest + self.highest
        return logs

    def _exactly(self, sums: Floats) -> Floats:
        """The same, scaled for each tag: three times the work, for scores far apart."""
        every = sums[..., None] + self.scores[:, None]
        finite = np.maximum(every.max(2), LOWEST)
        return finite + np.log(np.exp(every - finite[:, :, None]).sum(2))


def _scores(row: Sequence[float | None]) -> Floats:
    return np.array([-np.inf if score is None else float(score) for score in row], dtype=np.float32)


def _plain(row: Floats) -> list[float | None]:
    return [None if score == -np.inf else float(score) for score in row]


def _scaling(pair: Any) -> tuple[float, float]:
    match pair:
        case [int() | float() as temperature, int() | float() as shift] if temperature > 0:
            return float(temperature), float(shift)
    raise ValueError("a scaling is a temperature above 0 and a shift")
