"""Converts between spans and a CRF's tags: targets, best paths, and span probabilities."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple, cast

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from core.layers import CRF, TagConstraints
from core.taggers.base.trace import CrfTrace
from core.text import Span
from core.text.tag_schemes import SCHEMES, SchemeName


class BestPath(NamedTuple):
    """One of the best paths of a sentence: its spans, its log-score, and its log-probability."""

    spans: list[Span]
    score: float
    log_probability: float


class CrfDecoder:
    """Encodes spans as tags of one scheme, and decodes them.

    Args:
        labels: their names. scheme: ``"BMES"`` or ``"BIOES"``, which both mark the start and the end of a
            span.
        constrained: consider legal paths only, in decoding and in probabilities.

    Attributes:
        tags: names of the K tags, ``O`` first.
        constraints: which tags may start, follow each other and end, or None. scheme: its name.
    """

    def __init__(self, labels: Sequence[str], scheme: str = "BMES", constrained: bool = True) -> None:
        self._labels = frozenset(labels)
        self.scheme = cast(SchemeName, scheme)
        self._rules = SCHEMES[self.scheme]
        self.tags = self._rules.tags(tuple(labels))
        self._row = {tag: row for row, tag in enumerate(self.tags)}
        self.constraints = self._legal() if constrained else None
        self._label_of = {row: tag.partition("-")[2] for tag, row in self._row.items()}
        self._whole = self._whole_spans()

    def _legal(self) -> TagConstraints:
        def allowed(before: str | None, after: str | None) -> bool:
            return self._rules.is_legal(before, after)

        return TagConstraints(
            transitions=torch.tensor([[allowed(a, b) for b in self.tags] for a in self.tags]),
            start=torch.tensor([allowed(None, tag) for tag in self.tags]),
            end=torch.tensor([allowed(tag, None) for tag in self.tags]),
        )

    def _whole_spans(self) -> re.Pattern[str]:
        """Matches the whole spans of a path that is written with a character for every tag row.

        Both schemes mark both ends of a span, so what matches is never part of a longer run.
        """
        rules = self._rules
        patterns = []
        for label in sorted(self._labels):
            begin, inside, end, single = (
                re.escape(chr(self._row[f"{prefix}-{label}"]))
                for prefix in (rules.begin, rules.inside, rules.end, rules.single)
            )
            patterns.append(f"{single}|{begin}{inside}*{end}")
        return re.compile("|".join(patterns) or r"(?!)", re.DOTALL)

    def allowed_steps(self) -> NDArray[np.bool_] | None:
        """The constraints as one table ``[1 + K, K + 1]``: from the start or a tag to a tag or the end."""
        if self.constraints is None:
            return None
        table = np.zeros((len(self.tags) + 1, len(self.tags) + 1), dtype=np.bool_)
        table[0, :-1] = self.constraints.start.numpy()
        table[1:, :-1] = self.constraints.transitions.numpy()
        table[1:, -1] = self.constraints.end.numpy()
        return table

    def encode(self, spans: Sequence[Span], length: int) -> list[int]:
        """Tag rows of spans that do not overlap, ``[length]``.

        Unknown labels become ``O``: they occur only in development and test documents, from which nothing is
        learned.
        """
        rows = [0] * length
        for span in spans:
            if span.label in self._labels:
                rows[span.start : span.end] = self._segment(span)
        return rows

    def decode(self, crf: CRF, emissions: Tensor, mask: Tensor) -> list[list[Span]]:
        """Spans of the best path of every sentence, each with its probability under the CRF.

        Args:
            emissions: ``[B, T, K]``. mask: ``[B, T]``.
        """
        paths = crf.decode(emissions, mask, self.constraints)
        spans = [self.read(path) for path in paths]
        parts = [
            (row, span.start, path[span.start : span.end])
            for row, (path, found) in enumerate(zip(paths, spans, strict=True))
            for span in found
        ]
        return _with_scores(spans, crf.path_probability(emissions, mask, parts, self.constraints))

    def best_paths(self, crf: CRF, emissions: Tensor, mask: Tensor, count: int) -> list[list[BestPath]]:
        """The ``count`` best paths of every sentence, best first; fewer where no more exist.

        Paths differ in at least one tag; only without constraints can two of them encode the same spans.

        Args:
            emissions: ``[B, T, K]``. mask: ``[B, T]``. count: at least 1.
        """
        paths = crf.best_paths(emissions, mask, count, self.constraints)
        with torch.no_grad():
            partitions = crf.log_partition(emissions, mask, self.constraints).tolist()
        return [
            [BestPath(self.read(path.tags), path.score, min(path.score - partition, 0.0)) for path in best]
            for best, partition in zip(paths, partitions, strict=True)
        ]

    def read(self, path: Sequence[int]) -> list[Span]:
        """The spans of a path of tag rows; incomplete spans are left out."""
        written = "".join(map(chr, path))
        return [
            Span(match.start(), match.end(), self._label_of[ord(match[0][0])])
            for match in self._whole.finditer(written)
        ]

    def score(
        self, crf: CRF, emissions: Tensor, mask: Tensor, spans: Sequence[Sequence[Span]]
    ) -> list[list[Span]]:
        """The same spans, scored by the exact total probability of all paths that contain them."""
        paths = [(row, span.start, self._segment(span)) for row, found in enumerate(spans) for span in found]
        return _with_scores(spans, crf.path_probability(emissions, mask, paths, self.constraints))

    def span_probabilities(
        self, crf: CRF, emissions: Tensor, mask: Tensor, spans: Sequence[Sequence[Span | None]]
    ) -> Tensor:
        """The ``score`` of S spans of every sentence, ``[B, S]``, without gradient.

        Args:
            spans: of each sentence; None for one that no path can have, whose score is 0.

        Raises:
            ValueError: a span leaves a sentence.
        """
        lengths = mask.sum(1).tolist()
        cells = [(row, at, span) for row, some in enumerate(spans) for at, span in enumerate(some) if span]
        if any(span.end > lengths[row] for row, _, span in cells):
            raise ValueError("a span leaves a sentence")
        chances = emissions.new_zeros(len(mask), len(spans[0]) if spans else 0)
        if cells:
            paths = [(row, span.start, self._segment(span)) for row, _, span in cells]
            found = crf.path_probability(emissions, mask, paths, self.constraints)
            chances[[row for row, _, _ in cells], [at for _, at, _ in cells]] = found.to(chances)
        return chances

    def log_probability(self, crf: CRF, emissions: Tensor, mask: Tensor, span: Span) -> Tensor:
        """The log of the ``score`` of a span in every sentence, ``[B]``, differentiable.

        Args:
            emissions: ``[B, T, K]``. mask: ``[B, T]``.

        Raises:
            ValueError: the span leaves a sentence.
        """
        return crf.segment_log_probability(emissions, mask, span.start, self._segment(span), self.constraints)

    @torch.no_grad()
    def traces(self, crf: CRF, emissions: Tensor, mask: Tensor, *, learned: bool) -> list[CrfTrace]:
        """The CRF's scores and marginals of every sentence.

        Args:
            emissions: ``[B, T, K]``. mask: ``[B, T]``. learned: whether there are transitions.
        """
        paths = crf.decode(emissions, mask, self.constraints)
        marginals = crf.marginals(emissions, mask, self.constraints).cpu().numpy()
        edges = (crf.transitions, crf.start_transitions, crf.end_transitions)
        # Copied, so that a trace does not change when training goes on.
        transitions, start, end = (scores.detach().cpu().numpy().copy() for scores in edges)
        return [
            CrfTrace(
                tags=self.tags,
                emissions=emitted[: len(path)],
                transitions=transitions,
                start=start,
                end=end,
                marginals=marginal[: len(path)],
                path=np.array(path, dtype=np.int64),
                allowed=self.allowed_steps(),
                scheme=self.scheme,
                learned=learned,
            )
            for emitted, marginal, path in zip(emissions.cpu().numpy(), marginals, paths, strict=True)
        ]

    def _segment(self, span: Span) -> list[int]:
        return [self._row[tag] for tag in self._rules.segment(len(span), span.label)]


def _with_scores(spans: Sequence[Sequence[Span]], probabilities: Tensor) -> list[list[Span]]:
    """The spans of every sentence with these scores, ``[S]`` in their order."""
    scores = iter(probabilities.clamp(0.0, 1.0).tolist())
    return [[Span(span.start, span.end, span.label, next(scores)) for span in found] for found in spans]
