"""The scores of an ensemble's members to spans, with numpy alone; see `core.taggers.ensemble`."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from core.export.span_decoding import Edges, SpanDecoder
from core.export.tag_decoding import Floats, Found, TagDecoder, scaled
from core.taggers.span.decoding import Candidate
from core.text import Span

# A product of rounded probabilities may be 0, and both of two spans certain.
_TINY, _HUGE = (float(bound) for bound in (np.finfo(np.float32).tiny, np.finfo(np.float32).max))


class MeanTags:
    """Decodes the mean of the tag marginals of several taggers, as `core.taggers.ensemble.mean_tags`.

    Args:
        decoder: with the tags, the legal steps and the calibration of the ensemble.
        members: their decoders; of the same tags in any order.

    Raises:
        ValueError: a member has other tags.
    """

    def __init__(self, decoder: TagDecoder, members: Sequence[TagDecoder]) -> None:
        if any(set(member.tags) != set(decoder.tags) for member in members):
            raise ValueError("the members have other tags")
        self._decoder, self._members = decoder, list(members)
        self._columns = [[member.tags.index(tag) for tag in decoder.tags] for member in members]

    def __call__(self, emissions: Sequence[Floats], lengths: Sequence[int]) -> list[list[Found]]:
        """The spans of B sentences with the mean of their calibrated probabilities.

        Args:
            emissions: of each member, ``[B, T, K]``. lengths: units of each sentence, ``[B]``.
        """
        sizes = np.asarray(lengths, dtype=np.int64)
        precise = [scores.astype(np.float64) for scores in emissions]
        sums = [member.sums(scores, sizes) for member, scores in zip(self._members, precise, strict=True)]
        marginals = [
            member.marginals(own)[..., columns]
            for member, own, columns in zip(self._members, sums, self._columns, strict=True)
        ]
        mean = np.log(np.maximum(np.mean(marginals, axis=0), _TINY)).astype(np.float32)
        paths = self._decoder.best_paths(mean, sizes)
        found: list[list[Found]] = [[] for _ in paths]
        for row, path in enumerate(paths):
            spans = self._decoder.complete(path)
            if not spans:
                continue
            answers = [
                member.scored(scores[row], own, row, [columns[tag] for tag in path], spans)
                for member, scores, own, columns in zip(
                    self._members, precise, sums, self._columns, strict=True
                )
            ]
            found[row] = [self._averaged(same) for same in zip(*answers, strict=True)]
        return found

    def _averaged(self, answers: Sequence[Found]) -> Found:
        mean = sum(each.score for each in answers) / len(answers)
        return answers[0]._replace(score=self._decoder.calibrated(mean, answers[0].label))


class MeanSpans:
    """Decodes the mean of the span probabilities of several taggers, as `core.taggers.ensemble.mean_spans`.

    Args:
        decoder: with the labels, the calibration and the decoding of the ensemble.
        members: their decoders; of the same labels in any order.

    Raises:
        ValueError: a member has other labels.
    """

    def __init__(self, decoder: SpanDecoder, members: Sequence[SpanDecoder]) -> None:
        if any(set(member.labels) != set(decoder.labels) for member in members):
            raise ValueError("the members have other labels")
        self._decoder, self._members = decoder, list(members)
        self._places = [[member.labels.index(label) for label in decoder.labels] for member in members]
        bounds = [
            [member.thresholds[at] for at in places]
            for member, places in zip(members, self._places, strict=True)
        ]
        means = np.mean(bounds, axis=0)
        self._required = np.log(means) - np.log1p(-means)  # shape: (K,)

    def __call__(
        self, scores: Sequence[NDArray[np.float32]], lengths: Sequence[int], edges: Sequence[Edges]
    ) -> list[list[Span]]:
        """The spans of B texts with their mean probability.

        Args:
            scores: of each member, ``[B, K, T, T]``, as for `SpanDecoder`. lengths: characters of each text.
            edges: of each member, as for `SpanDecoder`.
        """
        possible = np.logical_and.reduce(
            [member.possible(each) for member, each in zip(self._members, edges, strict=True)]
        )
        odds = [
            member.log_odds(own)[:, places].astype(np.float64)
            for member, own, places in zip(self._members, scores, self._places, strict=True)
        ]
        # The sigmoid by way of tanh, which does not overflow.
        mean = np.mean([0.5 + 0.5 * np.tanh(0.5 * each) for each in odds], axis=0)
        with np.errstate(divide="ignore"):
            weights = np.log(mean) - np.log1p(-mean) - self._required[:, None, None]
        weights = np.minimum(weights, _HUGE)
        return [self._text(*each) for each in zip(weights, mean, possible, lengths, strict=True)]

    def _text(self, weights: Floats, mean: Floats, possible: NDArray[np.bool_], length: int) -> list[Span]:
        def probability(each: Candidate) -> float:
            raw = float(mean[each.label, each.start, each.end - 1])
            return scaled(raw, self._decoder.scalings[each.label])

        return self._decoder.chosen(weights, possible, length, probability)
