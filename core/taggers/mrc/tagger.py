"""BERT-MRC: spans as answers to one question per label (Li et al., ACL 2020)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar

import torch
from torch import Tensor, nn
from torch.nn import functional
from typing_extensions import Self

from core.layers.evaluating import evaluating
from core.layers.span_scorer import SpanScorer, candidate_pairs
from core.layers.wide import wide
from core.taggers.base import model_folder
from core.taggers.base.config_fields import ConfigError
from core.taggers.base.embedding_hooks import EmbeddingHook
from core.taggers.base.layer_states import LayerState, capture_layers
from core.taggers.base.registry import register
from core.taggers.base.tagger import Batch, ModelFolderError, Resources, Tagger, TaggerConfig, TokenScores
from core.taggers.base.trace import MixTrace, MrcTrace, Trace
from core.taggers.mrc.attention import with_attention
from core.taggers.mrc.batch import MrcBatch, collate, sample_queries
from core.taggers.mrc.config import MrcConfig
from core.taggers.mrc.loss import SpanScores, mrc_loss, token_scores, training_pairs
from core.taggers.mrc.queries import make_queries, read_queries, text_language, truncate, write_queries
from core.taggers.sequence.encoder_features import EncoderFeatures
from core.text import Document, Span, sort_spans

TRACED = 200_000  # a trace scores all pairs of a text if there are no more than this


@register("mrc")
class Mrc(Tagger):
    """A transformer reads each sentence after each query; starts, ends and their match are scored.

    A span is predicted if the probabilities of its start, its end and their match all exceed the threshold;
    its score is their product, the joint probability under independence. Spans may nest and overlap, also
    within one label.

    Args:
        config: the options. labels: their names. queries: the query of each label.
        features: the transformer.
    """

    title: ClassVar[str] = "BERT-MRC"
    summary: ClassVar[str] = (
        "Asks a transformer one question for each label; finds nested spans; slow with many labels"
    )
    paper: ClassVar[str] = "A Unified MRC Framework for Named Entity Recognition, ACL 2020"
    supports_nested = True
    Config: ClassVar[type[TaggerConfig]] = MrcConfig
    config: MrcConfig

    def __init__(
        self, config: MrcConfig, labels: Sequence[str], queries: Sequence[str], features: EncoderFeatures
    ) -> None:
        super().__init__()
        self.config = config
        self.labels, self.queries = tuple(labels), tuple(queries)
        self.features = features
        inner = config.match_width or 2 * features.width
        self.scorer = SpanScorer(features.width, inner, config.dropout)
        self._epoch = 0

    @classmethod
    def build(cls, config: TaggerConfig, labels: Sequence[str], resources: Resources) -> Mrc:
        assert isinstance(config, MrcConfig)
        if not labels:
            raise ConfigError("mrc needs at least one label to ask for")
        language = config.query_language
        if language == "auto":
            language = text_language(document.text for document in resources.documents)
        queries = make_queries(
            labels, resources.descriptions, config.query_style, language, config.longest_query
        )
        return cls(config, labels, queries, EncoderFeatures.pretrained(config))

    @classmethod
    def check_config(cls, config: TaggerConfig) -> None:
        assert isinstance(config, MrcConfig)
        EncoderFeatures.without_weights(config)

    def collate(self, documents: Sequence[Document]) -> MrcBatch:
        """Every document with every query; in training with ``unanswered_queries``, with those of
        ``sample_queries``."""
        drawn, unanswered = None, self.config.unanswered_queries
        if self.training and unanswered:
            drawn = [sample_queries(document, self.labels, unanswered, self._epoch) for document in documents]
        return collate(documents, self.labels, self.queries, self.features.encoder, drawn)

    def loss(self, batch: Batch) -> Tensor:
        return self.loss_and_scores(batch)[0]

    def loss_and_scores(self, batch: Batch) -> tuple[Tensor, TokenScores]:
        checked, config = self._check_batch(batch), self.config
        states = self._states(checked)
        start, end = self.scorer.boundaries(states)
        pairs = training_pairs(config.candidates, start, end, checked, self._bound, config.longest_span)
        scores = SpanScores(start, end, pairs, self.scorer.match(states, pairs))
        return mrc_loss(scores, checked, config.loss_weights).mean(), token_scores(scores, checked)

    def token_scores(self, batch: Batch) -> TokenScores:
        """Binary decisions of start and end for each character: K is 2, over ``[B, Q, T, 2]``."""
        checked = self._check_batch(batch)
        start, end = self.scorer.boundaries(self._states(checked))
        return token_scores(SpanScores(start, end, checked.spans[:0], start.new_empty(0)), checked)

    @torch.no_grad()
    def decode(self, batch: Batch) -> list[list[Span]]:
        checked = self._check_batch(batch)
        states = self._states(checked)
        return self._spans(self._scores(checked, states, *self.scorer.boundaries(states)), checked)

    def span_log_probability(self, batch: Batch, span: Span) -> Tensor:
        """log p(start) + log p(end) + log p(match), calibrated."""
        checked = self._check_batch(batch)
        return self._log_probability(checked, self._states(checked), span)

    @torch.no_grad()
    def decode_and_score(self, batch: Batch, spans: Sequence[Span]) -> tuple[list[list[Span]], Tensor]:
        checked = self._check_batch(batch)
        states = self._states(checked)
        decoded = self._spans(self._scores(checked, states, *self.scorer.boundaries(states)), checked)
        weights = [self._log_probability(checked, states, span).exp() for span in spans]
        return decoded, torch.stack(weights, dim=1) if weights else states.new_zeros(len(decoded), 0)

    def collate_copies(self, document: Document, copies: int, label: str) -> MrcBatch:
        """The sentence with the query of this label alone."""
        query = self.queries[self.labels.index(label)]
        return collate([document] * copies, [label], [query], self.features.encoder)

    def embedding_hooks(self, batch: Batch) -> list[EmbeddingHook]:
        checked = self._check_batch(batch)
        units = self.units(checked.documents[0])
        return [self.features.embedding_hook(checked.pieces, units)]

    @torch.no_grad()
    def trace(self, batch: Batch) -> list[Trace]:
        checked = self._check_batch(batch)
        with evaluating(self):
            states = self._states(checked)
            start, end = self.scorer.boundaries(states)
            spans = self._spans(self._scores(checked, states, start, end), checked)
            traces = [
                Trace(
                    text=document.text,
                    tokens=tuple(document.text),
                    spans=tuple(spans[index]),
                    tagger=self.name,
                    mixes=self.mixes(),
                    mrc=self._trace(checked, states, start, end, index),
                )
                for index, document in enumerate(checked.documents)
            ]
            return [self.with_attention(trace, self._default_query(trace)) for trace in traces]

    def with_attention(self, trace: Trace, query: int) -> Trace:
        """The trace with the attention of another query; see `mrc_attention.with_attention`."""
        return with_attention(trace, query, self.features)

    def _default_query(self, trace: Trace) -> int:
        """The query of the first predicted span; without spans, the first query."""
        return self.labels.index(trace.spans[0].label) if trace.spans else 0

    @torch.no_grad()
    def layer_states(self, batch: Batch) -> list[LayerState]:
        """As for every tagger, averaged over the queries: a sentence has different states with each."""
        checked = self._check_batch(batch)
        with evaluating(self), capture_layers([self.features.layer_hook()]) as captured:
            self._states(checked)
        shape = len(checked.documents), checked.queries
        return [LayerState(name, states.unflatten(0, shape).mean(1)) for name, states in captured[0]]

    @contextmanager
    def replaced_queries(self, queries: Mapping[str, str]) -> Iterator[None]:
        """Replace the queries of some labels within the block; do not use the tagger elsewhere meanwhile.

        Queries are truncated as in training; a blank one leaves the label's query unchanged.

        Raises:
            KeyError: an unknown label.
        """
        before, replaced = self.queries, dict(zip(self.labels, self.queries, strict=True))
        for label, query in queries.items():
            current, given = replaced[label], " ".join(query.split())
            replaced[label] = truncate(given, self.config.longest_query) if given else current
        self.queries = tuple(replaced.values())
        try:
            yield
        finally:
            self.queries = before

    def cost(self, document: Document) -> int:
        # Budgets are quadratic in the cost, and the sentence is read once per query.
        longest = max(map(len, self.queries))
        return math.ceil(math.sqrt(len(self.queries)) * (len(document.text) + longest))

    def parameter_groups(self) -> list[dict[str, Any]]:
        encoder = list(self.features.encoder.parameters())
        rest = [*self.features.mix.parameters(), *self.scorer.parameters()]
        return [{"params": rest, "lr_scale": 1.0}, {"params": encoder, "lr_scale": self.config.encoder_rate}]

    def embedding_weights(self) -> list[nn.Parameter]:
        weight = self.features.encoder.word_embeddings
        return [weight] if weight.requires_grad else []

    @classmethod
    def learns_embeddings(cls, config: TaggerConfig, epochs: int) -> bool:
        assert isinstance(config, MrcConfig)
        return config.unfreezes_within(epochs)

    def mixes(self) -> tuple[MixTrace, ...]:
        return self.features.mixes()

    @classmethod
    def mixes_layers(cls, config: TaggerConfig) -> bool:
        return isinstance(config, MrcConfig) and config.layer_mix == "scalar_mix"

    def begin_epoch(self, epoch: int) -> None:
        self._epoch = epoch
        self.features.begin_epoch(epoch)

    def save(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        model_folder.write_header(folder, self)
        write_queries(folder, self.labels, self.queries)
        self.features.save_structure(folder)
        model_folder.write_tensors(folder, self.state_dict())

    @classmethod
    def load(cls, folder: Path) -> Self:
        header = model_folder.read_header(folder)
        if not header.labels:
            raise ModelFolderError(
                "{path}: mrc needs labels; {hint}", path=folder / model_folder.HEADER, hint=model_folder.HINT
            )
        config = header.config_of(folder, cls.Config)
        assert isinstance(config, MrcConfig)
        queries = read_queries(folder, header.labels)
        features = EncoderFeatures.factory(config, folder)
        return model_folder.with_weights(folder, lambda: cls(config, header.labels, queries, features()))

    @property
    def _bound(self) -> float:
        """The logit of the threshold."""
        return math.log(self.config.threshold / (1 - self.config.threshold))

    def _check_batch(self, batch: Batch) -> MrcBatch:
        if not isinstance(batch, MrcBatch):
            raise TypeError(f"{self.title} reads batches of its own collate, got {type(batch).__name__}")
        return batch

    def _states(self, batch: MrcBatch) -> Tensor:
        """Characters of every row, ``[B * Q, T, W]``."""
        return batch.scatter_rows(self.features(batch.pieces).mixed.hidden)

    def _log_probability(self, batch: MrcBatch, states: Tensor, span: Span) -> Tensor:
        """See ``span_log_probability``; in a batch with a single query, it is that of the span's label."""
        if any(span.end > len(document.text) for document in batch.documents):
            raise ValueError(f"a span up to {span.end} leaves a sentence")
        query = self.labels.index(span.label) if batch.queries > 1 else 0
        rows = torch.arange(query, len(states), batch.queries, device=states.device)
        states = states[rows]
        start, end = self.scorer.boundaries(states)
        ends = rows.new_tensor([span.start, span.end - 1]).expand(len(rows), -1)
        pairs = torch.cat([torch.arange(len(rows), device=rows.device)[:, None], ends], dim=1)
        scores = (start[:, span.start], end[:, span.end - 1], self.scorer.match(states, pairs))
        raw = torch.stack([functional.logsigmoid(wide(score)) for score in scores]).sum(0)
        return self.calibration.log_probability(raw, span.label)

    def _scores(self, batch: MrcBatch, states: Tensor, start: Tensor, end: Tensor) -> SpanScores:
        """Scores with the matches of predicted starts and ends only."""
        starts, ends = (
            (start > self._bound) & batch.rows(batch.starts),
            (end > self._bound) & batch.rows(batch.ends),
        )
        pairs = candidate_pairs(starts, ends, self.config.longest_span)
        return SpanScores(start, end, pairs, self.scorer.match(states, pairs))

    def _spans(self, scores: SpanScores, batch: MrcBatch) -> list[list[Span]]:
        kept = scores.match > self._bound
        row, first, last = scores.pairs[kept].unbind(1)
        probability = (
            scores.start[row, first].sigmoid()
            * scores.end[row, last].sigmoid()
            * scores.match[kept].sigmoid()
        )
        decoded: list[list[Span]] = [[] for _ in batch.documents]
        for (number, start, end), score in zip(
            scores.pairs[kept].tolist(), probability.tolist(), strict=True
        ):
            sentence, query = divmod(number, len(self.queries))
            decoded[sentence].append(Span(start, end + 1, self.labels[query], score))
        return [list(sort_spans(self.calibration.scaled(spans))) for spans in decoded]

    def _trace(self, batch: MrcBatch, states: Tensor, start: Tensor, end: Tensor, index: int) -> MrcTrace:
        """The predictions for one sentence: all pairs if they are few, else the candidates."""
        length, count = len(batch.documents[index].text), len(self.queries)
        rows = slice(index * count, (index + 1) * count)
        starts, ends = (mask[index, :length].expand(count, -1) for mask in (batch.starts, batch.ends))
        complete = count * length * (length + 1) // 2 <= TRACED
        if not complete:
            starts = starts & (start[rows, :length] > self._bound)
            ends = ends & (end[rows, :length] > self._bound)
        pairs = candidate_pairs(starts, ends, self.config.longest_span)
        match = self.scorer.match(states[rows, :length], pairs)
        return MrcTrace(
            labels=self.labels,
            queries=self.queries,
            start=start[rows, :length].sigmoid().cpu().numpy(),
            end=end[rows, :length].sigmoid().cpu().numpy(),
            pairs=pairs.cpu().numpy(),
            match=match.sigmoid().cpu().numpy(),
            complete=complete,
        )
