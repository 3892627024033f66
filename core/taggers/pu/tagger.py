"""PU learning: training from dictionary matches and raw text (Peng et al., ACL 2019)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

import torch
from torch import Tensor, nn
from torch.nn import functional
from typing_extensions import Self

from core.layers.evaluating import evaluating
from core.layers.pu_risk import pu_risk
from core.layers.unit_mean import unit_mean, unit_shares
from core.taggers.base import model_folder
from core.taggers.base.config_fields import ConfigError
from core.taggers.base.registry import register
from core.taggers.base.tagger import Batch, Resources, TaggerConfig, TokenScores
from core.taggers.base.trace import PuTrace, Trace
from core.taggers.pu import batch as pu_batch
from core.taggers.pu.batch import PuBatch
from core.taggers.pu.config import PuConfig
from core.taggers.pu.priors import priors_for, read_priors
from core.taggers.pu.type_runs import read_runs, run_log_probability
from core.taggers.sequence.batch import Encoded, SequenceBatch
from core.taggers.sequence.over_encoder import OverEncoder
from core.taggers.sequence.tagger import SequenceTagger
from core.text import Document, Span


@register("pu")
class Pu(OverEncoder):
    """A binary classifier per type over a shared encoder, trained on correct but incomplete labels.

    The encoder is the paper's (`PuEncoder`), or any `SequenceTagger` without its head. Predictions are made
    per word, as segmented by jieba: the log-odds of its characters are averaged, in training too. With
    predictions per character, most wrong spans are parts of words. The paper trains a network per type; here
    the types share the encoder, and each has its own risk.

    Outside annotated regions, characters under a span are positive for its type and all characters are
    unlabelled; their loss is the chosen PU risk times their number. Inside, the loss is the summed
    cross-entropy.
    The loss is a mean over sentences, plus the encoder's auxiliary loss. The first ``upu_epochs`` epochs use
    ``upu``, which the paper does not. Otherwise small networks get stuck predicting everything as negative,
    because a bounded loss has no gradient there.

    Args:
        config: the options. labels: their names. encoder: a sequence tagger without a head.
        priors: share of the characters of each type among all, ``[K]``.
    """

    title: ClassVar[str] = "PU learning"
    summary: ClassVar[str] = "Learns from a typed word list and raw text, without a single label by hand"
    paper: ClassVar[str] = (
        "Distantly Supervised Named Entity Recognition using Positive-Unlabeled Learning, ACL 2019"
    )
    Config: ClassVar[type[TaggerConfig]] = PuConfig
    config: PuConfig
    priors: Tensor

    def __init__(
        self, config: PuConfig, labels: Sequence[str], encoder: SequenceTagger, priors: Tensor
    ) -> None:
        super().__init__(encoder)
        self.config, self.labels = config, tuple(labels)
        self.output_dropout = nn.Dropout(config.output_dropout)
        self.emission = nn.Linear(encoder.width, len(self.labels))
        self.register_buffer("priors", priors)
        self._warm_up = False

    @classmethod
    def build(cls, config: TaggerConfig, labels: Sequence[str], resources: Resources) -> Self:
        assert isinstance(config, PuConfig)
        if not labels:
            raise ConfigError("pu needs at least one label to find")
        encoder = cls.build_encoder(config, resources)
        priors = priors_for(labels, read_priors(config.prior), resources.documents, config.recall)
        return cls(config, labels, encoder, torch.tensor([priors[label] for label in labels]))

    def with_labels(self, documents: Sequence[Document], encoder_batch: SequenceBatch) -> PuBatch:
        return pu_batch.collate(documents, self.labels, encoder_batch, self.config.unit)

    def encoder_batch(self, batch: Batch) -> SequenceBatch:
        return self._check_batch(batch).encoder_batch

    def scores(self, batch: Batch) -> Tensor:
        """Log-odds of every type, ``[B, T, K]``, equal within a unit; undefined at padding."""
        return self._scores(self._check_batch(batch))[0]

    def loss(self, batch: Batch) -> Tensor:
        return self.loss_and_scores(batch)[0]

    def loss_and_scores(self, batch: Batch) -> tuple[Tensor, TokenScores]:
        checked = self._check_batch(batch)
        scores, encoded = self._scores(checked)
        supervised = self._supervised(checked)
        total = functional.binary_cross_entropy_with_logits(
            scores[supervised], checked.types[supervised].to(scores.dtype), reduction="sum"
        )
        total = total + 0.0 * scores.sum()  # keeps a graph when all sentences are empty
        partial = checked.mask & ~supervised
        if self.config.risk != "known" and bool(partial.any()):
            total = total + int(partial.sum()) * self._risk(scores[partial], checked.types[partial])
        loss = total / max(len(checked.documents), 1)
        decisions = _token_scores(scores, checked.types, supervised, encoded)
        return decisions.total_loss(loss), decisions

    def token_scores(self, batch: Batch) -> TokenScores:
        checked = self._check_batch(batch)
        scores, encoded = self._scores(checked)
        return _token_scores(scores, checked.types, self._supervised(checked), encoded)

    @torch.no_grad()
    def decode(self, batch: Batch) -> list[list[Span]]:
        checked = self._check_batch(batch)
        return self._decode(checked, self.scores(checked))

    def span_log_probability(self, batch: Batch, span: Span) -> Tensor:
        return self._log_probability(self._check_batch(batch), self.scores(batch), span)

    @torch.no_grad()
    def decode_and_score(self, batch: Batch, spans: Sequence[Span]) -> tuple[list[list[Span]], Tensor]:
        checked = self._check_batch(batch)
        scores = self.scores(checked)
        decoded = self._decode(checked, scores)
        weights = [self._log_probability(checked, scores, span).exp() for span in spans]
        return decoded, torch.stack(weights, dim=1) if weights else torch.zeros(len(decoded), 0)

    @torch.no_grad()
    def trace(self, batch: Batch) -> list[Trace]:
        checked = self._check_batch(batch)
        with evaluating(self):
            scores, encoded = self._scores(checked, need_weights=True)
            mixes = self.mixes()
        traces = []
        pairs = zip(checked.documents, self._decode(checked, scores), strict=True)
        for index, (document, spans) in enumerate(pairs):
            parts = {
                "mixes": mixes,
                **self.encoder.trace_parts(checked.encoder_batch, encoded or Encoded(scores), index),
                "pu": self._trace(checked, scores, index),
            }
            text = document.text
            traces.append(Trace(text=text, tokens=tuple(text), spans=tuple(spans), tagger=self.name, **parts))
        return traces

    def begin_epoch(self, epoch: int) -> None:
        self._warm_up = epoch < self.config.upu_epochs
        super().begin_epoch(epoch)

    @classmethod
    def load(cls, folder: Path) -> Self:
        config, labels, encoder = cls.read_encoder(folder)
        assert isinstance(config, PuConfig)
        priors = torch.full((len(labels),), 0.5)
        return model_folder.with_weights(folder, lambda: cls(config, labels, encoder(), priors))

    def _check_batch(self, batch: Batch) -> PuBatch:
        if not isinstance(batch, PuBatch):
            raise TypeError(f"{self.title} reads batches of its own collate, got {type(batch).__name__}")
        return batch

    def _scores(self, batch: PuBatch, need_weights: bool = False) -> tuple[Tensor, Encoded | None]:
        if not batch.mask.shape[1]:  # only empty texts: nothing to encode
            empty = self.emission.weight.new_zeros(len(batch.documents), 0, self.encoder.width)
            return self.emission(empty), None
        encoded = self.encoder.encode(batch.encoder_batch, need_weights)
        scores: Tensor = self.emission(self.output_dropout(encoded.hidden))
        return unit_mean(scores.to(torch.promote_types(scores.dtype, torch.float32)), batch.units), encoded

    def _supervised(self, batch: PuBatch) -> Tensor:
        """True at characters trained by cross-entropy; with ``known`` also at those under a span."""
        return batch.annotated | batch.types.any(2) if self.config.risk == "known" else batch.annotated

    def _risk(self, scores: Tensor, positive: Tensor) -> Tensor:
        """The sum of the PU risks of all types; every character is an unlabelled example."""
        risk = pu_risk(
            scores,
            positive,
            torch.ones_like(positive),
            self.priors.to(scores.dtype),
            estimator="upu" if self._warm_up else self.config.risk,
            m=self.config.m,
            beta=self.config.beta,
            gamma=self.config.gamma,
        )
        return risk.objective.sum()

    def _trace(self, batch: PuBatch, scores: Tensor, index: int) -> PuTrace:
        """The predictions for one sentence."""
        length = len(batch.documents[index].text)
        return PuTrace(
            labels=self.labels,
            probabilities=scores[index, :length].T.sigmoid().float().cpu().numpy(),
            units=batch.units[index, :length].cpu().numpy(),
            priors=self.priors.float().cpu().numpy(),
        )

    def _decode(self, batch: PuBatch, scores: Tensor) -> list[list[Span]]:
        rows = zip(scores, unit_shares(batch.units), batch.lengths.tolist(), strict=True)
        return [
            self.calibration.scaled(read_runs(row[:length], self.labels, shares[:length]))
            for row, shares, length in rows
        ]

    def _log_probability(self, batch: PuBatch, scores: Tensor, span: Span) -> Tensor:
        kind = self.labels.index(span.label)
        shares = unit_shares(batch.units)
        raw = run_log_probability(scores, batch.lengths, span.start, span.end, kind, shares)
        return self.calibration.log_probability(raw, span.label)


def _token_scores(scores: Tensor, types: Tensor, mask: Tensor, encoded: Encoded | None) -> TokenScores:
    """Binary decisions per type at the characters in ``mask`` ``[B, T]``."""
    pairs = torch.stack([torch.zeros_like(scores), scores], dim=-1)
    auxiliary = None if encoded is None else encoded.auxiliary
    return TokenScores(pairs, types.long(), mask[..., None].expand_as(types), auxiliary=auxiliary)
