"""The mean of the span probabilities of several taggers, decoded as one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from core.layers.wide import wide
from core.taggers.base.calibration import Calibration, log_odds, sigmoid
from core.taggers.base.tagger import Batch
from core.taggers.base.trace import SpanTrace, Trace
from core.taggers.ensemble.average import Average
from core.taggers.span.decoding import DECODINGS, SEEN, Candidate, as_seen
from core.taggers.span.tagger import SpanTagger, candidates_of
from core.text import Document, Span, sort_spans


class _Answer(NamedTuple):
    """What the members say of B documents of at most T characters, of spans up to W of them.

    Args:
        documents: they. probabilities: mean calibrated probability of every span, in the order of the first
            member's labels, ``[B, K, T, W]``. mask: the spans that every member may predict, ``[B, T, W]``.
        spans: the prediction.
    """

    documents: tuple[Document, ...]
    probabilities: Tensor
    mask: Tensor
    spans: list[list[Span]]


class MeanSpans(Average):
    """Averages the calibrated probability of every span, ``p̄(s) = 1/M Σ_m p_m(s)``.

    A span may be predicted if its mean probability is above the mean of what the members require of its
    label. Of such spans the members' decoding chooses, by ``log-odds(p̄) - log-odds(required)``; spans may
    overlap in the ways in which they did in the training documents of any member. Spans longer than a
    member's ``longest_span`` are not predicted: that member has not learned them.

    Args:
        members: with the same labels, in any order, and the same decoding.
    """

    def __init__(self, members: Sequence[SpanTagger]) -> None:
        self.members = list(members)
        first = self.members[0]
        self.labels = first.labels
        self.supports_nested = first.supports_nested
        # The place of each label among a member's.
        self._places = [[member.labels.index(label) for label in self.labels] for member in self.members]

    @property
    def thresholds(self) -> tuple[float, ...]:
        """The mean probability that a span of each label must exceed, ``[K]``."""
        rows = [
            [member.thresholds[at] for at in places]
            for member, places in zip(self.members, self._places, strict=True)
        ]
        return tuple(sum(column) / len(column) for column in zip(*rows, strict=True))

    def decode(self, batches: Sequence[Batch]) -> list[list[Span]]:
        return self._answer(batches).spans

    def trace(self, batches: Sequence[Batch], calibration: Calibration, name: str) -> list[Trace]:
        answer = self._answer(batches)
        scalings = tuple(calibration.of(label) for label in self.labels)
        bounds = tuple(
            sigmoid(scaling.scaled(log_odds(bound)))
            for scaling, bound in zip(scalings, self.thresholds, strict=True)
        )
        traces = []
        for index, document in enumerate(answer.documents):
            length = len(document.text)
            table = answer.probabilities[index, :, :length, :length]
            odds = torch.stack(
                [
                    scaling.scaled(torch.logit(row))
                    for scaling, row in zip(scalings, table.unbind(0), strict=True)
                ]
            )
            shown = odds.sigmoid().masked_fill(~answer.mask[index, None, :length, :length], float("nan"))
            traces.append(
                Trace(
                    text=document.text,
                    tokens=tuple(document.text),
                    spans=tuple(calibration.scaled(answer.spans[index])),
                    tagger=name,
                    span_scores=SpanTrace(self.labels, shown.float().cpu().numpy(), bounds, scalings),
                )
            )
        return traces

    def _answer(self, batches: Sequence[Batch]) -> _Answer:
        documents = batches[0].documents
        width = max((len(document.text) for document in documents), default=0)
        for member in self.members:
            width = min(width, member.config.longest_span or width)
        tables, masks = [], []
        for member, batch, places in zip(self.members, batches, self._places, strict=True):
            scores = member.scores(batch)
            odds = wide(member.log_odds(scores.scores))
            tables.append(odds.sigmoid()[:, places, :, :width])
            masks.append(scores.mask[..., :width])
        mean, mask = torch.stack(tables).mean(0), torch.stack(masks).all(0)
        return _Answer(documents, mean, mask, self._spans(documents, mean, mask))

    def _spans(self, documents: Sequence[Document], mean: Tensor, mask: Tensor) -> list[list[Span]]:
        required = torch.tensor([log_odds(each) for each in self.thresholds]).to(mean)
        weights = torch.logit(mean) - required[:, None, None]
        # Infinite where all members are certain: of two such spans neither would be the better one.
        weights = weights.clamp(max=torch.finfo(torch.float32).max)
        decoded = []
        for index, document in enumerate(documents):
            chosen = self._choose(candidates_of(weights[index], mask[index], len(document.text)))
            spans = (
                Span(
                    each.start,
                    each.end,
                    self.labels[each.label],
                    float(mean[index, each.label, each.start, each.end - each.start - 1]),
                )
                for each in chosen
            )
            decoded.append(list(sort_spans(spans)))
        return decoded

    def _choose(self, candidates: Sequence[Candidate]) -> list[Candidate]:
        decoding = self.members[0].config.decoding
        return DECODINGS[decoding](candidates) if decoding != SEEN else as_seen(candidates, self.seen)

    def seen(self, how: int, one: int, other: int) -> bool:
        """Whether spans of two labels overlap in a way in the training documents of any member."""
        return any(
            bool(member.overlaps[how, places[one], places[other]] > 0)
            for member, places in zip(self.members, self._places, strict=True)
        )
