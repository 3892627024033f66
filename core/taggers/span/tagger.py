"""A score for every span at once: biaffine (Yu et al., ACL 2020) or GlobalPointer (Su et al., 2022)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import torch
from torch import Tensor, nn
from torch.nn import functional
from typing_extensions import Self

from core.layers.evaluating import evaluating
from core.layers.span_scores.band import span_mask
from core.layers.span_scores.biaffine import Biaffine
from core.layers.span_scores.global_pointer import GlobalPointer
from core.layers.span_scores.inside import Inside
from core.layers.span_scores.multilabel_loss import multilabel_loss
from core.layers.wide import wide
from core.taggers.base import model_folder
from core.taggers.base.calibration import Calibration, Judged, fit, log_odds, sigmoid
from core.taggers.base.config_fields import ConfigError
from core.taggers.base.registry import register
from core.taggers.base.tagger import Batch, Resources, TaggerConfig, TokenScores
from core.taggers.base.trace import SpanTrace, Trace
from core.taggers.sequence.batch import Encoded, SequenceBatch
from core.taggers.sequence.character_tagger import LSTM_SETTINGS
from core.taggers.sequence.over_encoder import OverEncoder
from core.taggers.sequence.segments import capture_segments, segment_trace
from core.taggers.sequence.tagger import SequenceTagger
from core.taggers.span import batch as span_batch
from core.taggers.span.batch import SpanBatch, SpanScores
from core.taggers.span.config import AUTO, SpanConfig
from core.taggers.span.decoding import MOST_PER_CHARACTER, SEEN, SIDE_BY_SIDE, Candidate, choice, overlaps_in
from core.taggers.span.threshold import HeldOut, best_threshold
from core.text import Document, Span, sort_spans
from core.text.outermost import has_overlap

# Scores below this are left out of calibration: nearly all pairs are, and they would decide.
LEAST_SCORE = -2.0


@register("span")
class SpanTagger(OverEncoder):
    """Every pair of a start and an end is scored for every label, over the encoder of any `SequenceTagger`.

    The loss is the multi-label cross-entropy of Su et al. (the paper on biaffine scores has a softmax over
    labels, which gives a span one label) over the spans of one label that start at one character, summed
    over characters, mean over labels and sentences. In the paper it is taken over all spans of a sentence:
    then the gold spans of a label share a gradient of at most 1 among them, as do all others, so a sentence
    teaches little, and of small corpora next to nothing is learned. A score is the log-odds of a span until
    it is calibrated, with the spans near 0, predicted or not. Because the loss weighs the gold spans of a row
    against all others together, a score of 0 is not that of a span as likely as not. A span is predicted if
    its probability is above ``threshold``.

    Args:
        config: the options. labels: their names. encoder: a sequence tagger without a head.

    Attributes:
        overlaps: which labels overlap and how in training, ``[3, K, K]``, as `decoding.overlap` numbers them.
    """

    overlaps: Tensor
    title: ClassVar[str] = "Span scores"
    summary: ClassVar[str] = "Scores every span at once: finds nested spans as fast as a tag per character"
    paper: ClassVar[str] = (
        "Named Entity Recognition as Dependency Parsing, ACL 2020; Global Pointer, arXiv 2208.03054, 2022"
    )
    supports_nested = True
    learns_best_with: ClassVar[Mapping[str, Any]] = LSTM_SETTINGS
    Config: ClassVar[type[TaggerConfig]] = SpanConfig
    config: SpanConfig

    def __init__(self, config: SpanConfig, labels: Sequence[str], encoder: SequenceTagger) -> None:
        super().__init__(encoder)
        self.config, self.labels = config, tuple(labels)
        self.supports_nested = config.decoding not in SIDE_BY_SIDE
        self.output_dropout = nn.Dropout(config.output_dropout)
        sizes = (encoder.width, len(self.labels), config.head_width, config.head_dropout)
        self.scorer: nn.Module = (
            Biaffine(*sizes) if config.scorer == "biaffine" else GlobalPointer(*sizes, rotary=config.rotary)
        )
        self.inside = Inside(encoder.width, len(self.labels)) if config.inside else None
        # Which labels overlap and how, [3, K, K], 1 or 0: those of the training spans.
        self.register_buffer("overlaps", torch.ones(3, len(self.labels), len(self.labels)))

    @classmethod
    def build(cls, config: TaggerConfig, labels: Sequence[str], resources: Resources) -> Self:
        assert isinstance(config, SpanConfig)
        if not labels:
            raise ConfigError("span needs at least one label to find")
        if config.decoding == AUTO:
            overlaps = any(has_overlap(document.spans) for document in resources.documents)
            config = replace(config, decoding=SEEN if overlaps else "flat")
        tagger = cls(config, labels, cls.build_encoder(config, resources))
        tagger._learn_overlaps(resources.documents)
        return tagger

    def with_labels(self, documents: Sequence[Document], encoder_batch: SequenceBatch) -> SpanBatch:
        return span_batch.collate(documents, self.labels, encoder_batch)

    def encoder_batch(self, batch: Batch) -> SequenceBatch:
        return self._check_batch(batch).encoder_batch

    def scores(self, batch: Batch, widest: int = 0, need_weights: bool = False) -> SpanScores:
        """The scores of all spans up to ``longest_span``, or up to ``widest`` characters if that is more."""
        checked = self._check_batch(batch)
        count, length = checked.starts.shape
        width = max(min(self.config.longest_span or length, length), widest)
        if not length:  # only empty texts: nothing to encode
            empty = self.scorer.get_parameter("start_score.weight").new_zeros(count, len(self.labels), 0, 0)
            return SpanScores(empty, checked.starts.new_zeros(count, 0, 0), None)
        encoded = self.encoder.encode(checked.encoder_batch, need_weights)
        hidden = self.output_dropout(encoded.hidden)
        scores: Tensor = self.scorer(hidden, width)
        if self.inside is not None:
            scores = scores + self.inside(hidden, width)
        # Half precision, in which the layers below may run, is too coarse for sums over all spans.
        scores = scores.to(torch.promote_types(scores.dtype, torch.float32))
        return SpanScores(scores, span_mask(checked.starts, checked.ends, width), encoded)

    def loss(self, batch: Batch) -> Tensor:
        checked = self._check_batch(batch)
        return self._loss(self.scores(checked), checked)

    def loss_and_scores(self, batch: Batch) -> tuple[Tensor, TokenScores]:
        checked = self._check_batch(batch)
        scores = self.scores(checked)
        return self._loss(scores, checked), _token_scores(scores, checked)

    def token_scores(self, batch: Batch) -> TokenScores:
        """A binary decision for each span and label: K is 2, over ``[B, K, T, W]``."""
        checked = self._check_batch(batch)
        return _token_scores(self.scores(checked), checked)

    @torch.no_grad()
    def decode(self, batch: Batch) -> list[list[Span]]:
        checked = self._check_batch(batch)
        return self._spans(self.scores(checked), checked)

    def span_log_probability(self, batch: Batch, span: Span) -> Tensor:
        checked = self._check_batch(batch)
        return self._log_probability(self.scores(checked, widest=len(span)), checked, span)

    @torch.no_grad()
    def decode_and_score(self, batch: Batch, spans: Sequence[Span]) -> tuple[list[list[Span]], Tensor]:
        checked = self._check_batch(batch)
        scores = self.scores(checked, widest=max(map(len, spans), default=0))
        weights = [self._log_probability(scores, checked, span).exp() for span in spans]
        decoded = self._spans(scores, checked)
        return decoded, torch.stack(weights, dim=1) if weights else torch.zeros(len(decoded), 0)

    def calibrate(self, batches: Iterable[Batch]) -> None:
        """Fit probabilities and, unless the config has it, the threshold with the best F1."""
        self.calibration = Calibration()
        found, held_out = [], []
        with torch.no_grad(), evaluating(self):
            for batch in batches:
                checked = self._check_batch(batch)
                scores = self.scores(checked)
                found.append(_judged(scores, checked))
                held_out += self._held_out(scores, checked)
        fitted = fit(found, self.labels)
        chosen = best_threshold(held_out, fitted, self.labels, self._choose)
        self.calibration = replace(fitted, threshold=chosen)

    def judged(self, batch: Batch) -> Judged:
        checked = self._check_batch(batch)
        return _judged(self.scores(checked), checked)

    @property
    def threshold(self) -> float:
        """The probability that a span must exceed; 0 takes every span whose score is above 0."""
        return self.config.threshold or self.calibration.threshold

    @property
    def thresholds(self) -> tuple[float, ...]:
        """The probability that a span of each label must exceed to be predicted, ``[K]``."""
        scalings = (self.calibration.of(label) for label in self.labels)
        return tuple(self.threshold or sigmoid(scaling.shift) for scaling in scalings)

    def log_odds(self, scores: Tensor) -> Tensor:
        """Calibrated log-odds of scores ``[..., K, T, W]``."""
        temperature, shift = (row[:, None, None] for row in self.calibration.tensors(self.labels, scores))
        return scores / temperature + shift

    @torch.no_grad()
    def trace(self, batch: Batch) -> list[Trace]:
        checked = self._check_batch(batch)
        with evaluating(self):
            with capture_segments(self) as segments:
                scores = self.scores(checked, need_weights=True)
            mixes = self.mixes()
        traces = []
        encoded = scores.encoded or Encoded(scores.scores)
        for index, (document, spans) in enumerate(
            zip(checked.documents, self._spans(scores, checked), strict=True)
        ):
            ends = segment_trace(segments, index, len(document.text))
            parts = {
                "mixes": mixes,
                "segments": ends,
                **self.encoder.trace_parts(checked.encoder_batch, encoded, index),
            }
            text, table = document.text, self._trace(scores, index, len(document.text))
            traces.append(
                Trace(text, tuple(text), tuple(spans), tagger=self.name, **{**parts, "span_scores": table})
            )
        return traces

    @classmethod
    def load(cls, folder: Path) -> Self:
        config, labels, encoder = cls.read_encoder(folder)
        assert isinstance(config, SpanConfig)
        return model_folder.with_weights(folder, lambda: cls(config, labels, encoder()))

    def _check_batch(self, batch: Batch) -> SpanBatch:
        if not isinstance(batch, SpanBatch):
            raise TypeError(f"{self.title} reads batches of its own collate, got {type(batch).__name__}")
        return batch

    def _learn_overlaps(self, documents: Iterable[Document]) -> None:
        index = {label: number for number, label in enumerate(self.labels)}
        self.overlaps.zero_()
        for document in documents:
            for how, one, other in overlaps_in(document.spans):
                if one in index and other in index:
                    self.overlaps[how, index[one], index[other]] = 1

    def _loss(self, scores: SpanScores, batch: SpanBatch) -> Tensor:
        gold = scores.gold(batch.spans)
        known = scores.known(gold, batch.annotated)
        losses = multilabel_loss(scores.scores, gold, known)  # shape: (B, K, T)
        loss = losses.mean(1).sum() / max(len(batch.documents), 1)
        auxiliary = None if scores.encoded is None else scores.encoded.auxiliary
        # The second term keeps a graph where all texts are empty.
        loss = loss + 0.0 * scores.scores.sum()
        return loss if auxiliary is None else loss + auxiliary

    def _weights(self, scores: Tensor) -> Tensor:
        """How far each span is above what it takes to be predicted, ``[..., K, T, W]``."""
        return self.log_odds(scores) - log_odds(self.threshold) if self.threshold else scores

    def _log_probability(self, scores: SpanScores, batch: SpanBatch, span: Span) -> Tensor:
        if any(span.end > len(document.text) for document in batch.documents):
            raise ValueError(f"a span up to {span.end} leaves a sentence")
        score = scores.scores[:, self.labels.index(span.label), span.start, len(span) - 1]
        return functional.logsigmoid(self.calibration.of(span.label).scaled(wide(score)))

    def _spans(self, scores: SpanScores, batch: SpanBatch) -> list[list[Span]]:
        decoded = []
        width = self._width(scores)
        for index, document in enumerate(batch.documents):
            weights = self._weights(scores.scores[index, ..., :width])
            candidates = candidates_of(weights, scores.mask[index, :, :width], len(document.text))
            decoded.append(
                list(
                    sort_spans(
                        Span(each.start, each.end, self.labels[each.label], self._probability(each))
                        for each in self._choose(candidates)
                    )
                )
            )
        return decoded

    def _choose(self, candidates: Sequence[Candidate]) -> list[Candidate]:
        table = self.overlaps.tolist()
        return choice(self.config.decoding, lambda how, one, other: table[how][one][other] > 0)(candidates)

    def _width(self, scores: SpanScores) -> int:
        """The most characters of a span that may be predicted."""
        return min(scores.scores.shape[3], self.config.longest_span or scores.scores.shape[3])

    def _held_out(self, scores: SpanScores, batch: SpanBatch) -> list[HeldOut]:
        known, width = scores.known(scores.gold(batch.spans), batch.annotated), self._width(scores)
        right: list[set[tuple[int, int, int]]] = [set() for _ in batch.documents]
        for row, first, last in batch.spans.tolist():
            index, label = divmod(row, len(self.labels))
            right[index].add((first, last + 1, label))
        documents = []
        for index, document in enumerate(batch.documents):
            # What is neither right nor wrong is no candidate.
            above = (scores.scores[index] - LEAST_SCORE).masked_fill(~known[index], -1.0)[..., :width]
            candidates = candidates_of(above, scores.mask[index, :, :width], len(document.text))
            raw = [each._replace(weight=each.weight + LEAST_SCORE) for each in candidates]
            documents.append(HeldOut(raw, frozenset(right[index])))
        return documents

    def _probability(self, candidate: Candidate) -> float:
        """The calibrated probability of a span, from its weight."""
        if self.threshold:
            return sigmoid(candidate.weight + log_odds(self.threshold))
        scaling = self.calibration.of(self.labels[candidate.label])
        return sigmoid(scaling.scaled(candidate.weight))

    def _trace(self, scores: SpanScores, index: int, length: int) -> SpanTrace:
        width = min(length, scores.scores.shape[3])
        probability = self.log_odds(scores.scores[index, :, :length, :width]).sigmoid()
        inside = scores.mask[index, None, :length, :width]
        table = probability.masked_fill(~inside, float("nan"))
        scalings = tuple(self.calibration.of(label) for label in self.labels)
        return SpanTrace(self.labels, table.float().cpu().numpy(), self.thresholds, scalings)


def candidates_of(weights: Tensor, mask: Tensor, length: int) -> list[Candidate]:
    """The spans of one text that may be predicted, those of the largest weights where there are very many.

    Args:
        weights: above 0 where a span may be predicted, ``[K, T, W]``.
        mask: the spans that may be, ``[T, W]``. length: of the text, in characters.
    """
    kept = (weights > 0) & mask
    values, places = weights[kept], kept.nonzero()
    most = MOST_PER_CHARACTER * length
    if len(values) > most:
        best = values.topk(most).indices
        values, places = values[best], places[best]
    rows = zip(places.tolist(), values.tolist(), strict=True)
    return [Candidate(start, start + offset + 1, label, value) for (label, start, offset), value in rows]


def _judged(scores: SpanScores, batch: SpanBatch) -> Judged:
    """The spans that may be predicted, and those nearly so, uncalibrated."""
    gold = scores.gold(batch.spans)
    near = scores.known(gold, batch.annotated) & (scores.scores > LEAST_SCORE)
    return Judged(scores.scores[near], near.nonzero()[:, 1], gold[near])


def _token_scores(scores: SpanScores, batch: SpanBatch) -> TokenScores:
    """Binary decisions of every span and label."""
    gold = scores.gold(batch.spans)
    # A sigmoid is the softmax over a logit and 0.
    pairs = torch.stack([torch.zeros_like(scores.scores), scores.scores], dim=-1)
    auxiliary = None if scores.encoded is None else scores.encoded.auxiliary
    return TokenScores(pairs, gold.long(), scores.known(gold, batch.annotated), auxiliary=auxiliary)
