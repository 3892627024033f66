"""PU learning: a tagger that learns from a dictionary's labels and raw text (Peng et al., ACL 2019)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any, ClassVar

import torch
from torch import Tensor, nn
from torch.nn import functional
from typing_extensions import Self

from core.layers.pu_risk import pu_risk
from core.layers.unit_mean import unit_mean, unit_shares
from core.lexicon import Lexicon
from core.taggers import pu_batch
from core.taggers.base import model_folder
from core.taggers.base.config_fields import ConfigError
from core.taggers.base.layer_states import OUTPUT, LayerState, at_characters, watching
from core.taggers.base.registry import register
from core.taggers.base.sequence_batch import Encoded, SequenceBatch
from core.taggers.base.sequence_tagger import SequenceTagger
from core.taggers.base.tagger import Batch, ModelFolderError, Resources, Tagger, TaggerConfig, TokenScores
from core.taggers.base.taps import Tap
from core.taggers.base.trace import MixTrace, PuTrace, Trace
from core.taggers.base.type_runs import read_runs, run_log_probability
from core.taggers.pu_batch import PuBatch
from core.taggers.pu_config import PuConfig
from core.taggers.pu_priors import priors_for, read_priors
from core.text import Document, Span


@register("pu")
class Pu(Tagger):
    """One yes-or-no classifier for each type over one encoder, taught by labels that are right but not all.

    What reads the text is the paper's encoder (`PuEncoder`), or that of any tagger which gives every
    character a tag (`SequenceTagger`), without what scores its tags. What is answered for is the word all the
    same, cut by jieba: its characters' log-odds are averaged, in training too. Where each character answers
    for itself, most wrong spans are parts of words. The paper trains a network for each type; here the types
    share the encoder, and each has a risk of its own.

    What teaches: outside the regions somebody has looked at, characters under a span are positive for its
    type and all characters are unlabelled; their loss is the chosen PU risk times their number. Inside,
    cross-entropy is summed, as what a person said needs no bound against what is not known. Both are means
    over sentences; what the encoder adds to its own tagger's loss is added here. The first epochs learn by
    ``upu`` unless ``upu_epochs`` is 0 as in the paper: a bounded loss has no slope left once everything is
    surely "no", where small networks else remain.

    Args:
        config: the options. labels: what to find. reader: what gives hidden states, without a head.
        priors: share of characters of each type, ``[K]``.
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
        self, config: PuConfig, labels: Sequence[str], reader: SequenceTagger, priors: Tensor
    ) -> None:
        super().__init__()
        self.config, self.labels = config, tuple(labels)
        self.reader = reader
        self.uses_lexicon = reader.uses_lexicon
        self.output_dropout = nn.Dropout(config.output_dropout)
        self.answer = nn.Linear(reader.width, len(self.labels))
        self.register_buffer("priors", priors)
        self._starting = False

    @classmethod
    def build(cls, config: TaggerConfig, labels: Sequence[str], resources: Resources) -> Self:
        assert isinstance(config, PuConfig)
        if not labels:
            raise ConfigError("pu needs at least one label to find")
        below = config.reader
        reader = below.kind.build(below.config, (), replace(resources, head=False))
        priors = priors_for(labels, read_priors(config.prior), resources.documents, config.recall)
        return cls(config, labels, reader, torch.tensor([priors[label] for label in labels]))

    def reading_part(self) -> nn.Module:
        return self.reader

    @property
    def lexicon(self) -> Lexicon | None:
        """The words its encoder reads; None where it reads none."""
        found: Lexicon | None = getattr(self.reader, "lexicon", None)
        return found

    @lexicon.setter
    def lexicon(self, lexicon: Lexicon | None) -> None:
        if self.uses_lexicon:
            self.reader.lexicon = lexicon

    @classmethod
    def reads_lexicon(cls, config: TaggerConfig) -> bool:
        assert isinstance(config, PuConfig)
        below = config.reader
        return below.kind.reads_lexicon(below.config)

    def collate(self, documents: Sequence[Document]) -> PuBatch:
        return self._with_labels(documents, self.reader.collate(_bare(documents)))

    def collate_with(self, documents: Sequence[Document], lexicons: Sequence[Lexicon | None]) -> PuBatch:
        return self._with_labels(documents, self.reader.collate_with(_bare(documents), lexicons))

    def collate_copies(self, document: Document, copies: int, label: str) -> PuBatch:
        (bare,) = _bare([document])
        return self._with_labels([document] * copies, self.reader.collate_copies(bare, copies, label))

    def scores(self, batch: Batch) -> Tensor:
        """Log-odds of every type, ``[B, T, K]``, equal within a unit; of padding they mean nothing."""
        return self._scores(self._own(batch))[0]

    def loss(self, batch: Batch) -> Tensor:
        return self.loss_and_scores(batch)[0]

    def loss_and_scores(self, batch: Batch) -> tuple[Tensor, TokenScores]:
        own = self._own(batch)
        scores, encoded = self._scores(own)
        judged = self._judged(own)
        known = functional.binary_cross_entropy_with_logits(
            scores[judged], own.types[judged].to(scores.dtype), reduction="sum"
        )
        total = known + 0.0 * scores.sum()  # keeps a graph when all sentences are empty
        open_ = own.mask & ~judged
        if self.config.risk != "known" and bool(open_.any()):
            total = total + int(open_.sum()) * self._risk(scores[open_], own.types[open_])
        loss = total / max(len(own.documents), 1)
        if encoded is not None and encoded.penalty is not None:
            loss = loss + encoded.penalty
        return loss, _token_scores(scores, own.types, judged)

    def token_scores(self, batch: Batch) -> TokenScores:
        own = self._own(batch)
        return _token_scores(self.scores(own), own.types, self._judged(own))

    @torch.no_grad()
    def decode(self, batch: Batch) -> list[list[Span]]:
        own = self._own(batch)
        return self._read(own, self.scores(own))

    def span_log_probability(self, batch: Batch, span: Span) -> Tensor:
        return self._log_probability(self._own(batch), self.scores(batch), span)

    @torch.no_grad()
    def decode_and_weigh(self, batch: Batch, spans: Sequence[Span]) -> tuple[list[list[Span]], Tensor]:
        own = self._own(batch)
        scores = self.scores(own)
        found = self._read(own, scores)
        weights = [self._log_probability(own, scores, span).exp() for span in spans]
        return found, torch.stack(weights, dim=1) if weights else torch.zeros(len(found), 0)

    @torch.no_grad()
    def trace(self, batch: Batch) -> list[Trace]:
        own = self._own(batch)
        training = self.training
        self.eval()
        try:
            scores, encoded = self._scores(own, need_weights=True)
            mixes = self.mixes()
        finally:
            self.train(training)
        traces = []
        for index, (document, spans) in enumerate(zip(own.documents, self._read(own, scores), strict=True)):
            parts = {
                "mixes": mixes,
                **self.reader.trace_parts(own.read, encoded or Encoded(scores), index),
                "pu": self._answers(own, scores, index),
            }
            text = document.text
            traces.append(Trace(text=text, tokens=tuple(text), spans=tuple(spans), tagger=self.name, **parts))
        return traces

    @torch.no_grad()
    def layer_states(self, batch: Batch) -> list[LayerState]:
        own = self._own(batch)
        training = self.training
        self.eval()
        try:
            with watching(self.reader.watches(own.read)) as found:
                hidden = self.reader.encode(own.read).hidden
        finally:
            self.train(training)
        return at_characters([*chain.from_iterable(found), LayerState(OUTPUT, hidden)], own.mask)

    def taps(self, batch: Batch) -> list[Tap]:
        return self.reader.taps(self._own(batch).read)

    def cost(self, document: Document) -> int:
        return self.reader.cost(document)

    def parameter_groups(self) -> list[dict[str, Any]]:
        special = [(list(parameters), rate) for parameters, rate in self.reader.rates()]
        known = {id(parameter) for parameters, _ in special for parameter in parameters}
        rest = [parameter for parameter in self.parameters() if id(parameter) not in known]
        return [{"params": parameters, "lr_scale": rate} for parameters, rate in [(rest, 1.0), *special]]

    def embedding_weights(self) -> list[nn.Parameter]:
        return self.reader.embedding_weights()

    @classmethod
    def learns_embeddings(cls, config: TaggerConfig, epochs: int) -> bool:
        assert isinstance(config, PuConfig)
        below = config.reader
        return below.kind.learns_embeddings(below.config, epochs)

    def begin_epoch(self, epoch: int) -> None:
        self._starting = epoch < self.config.upu_epochs
        self.reader.begin_epoch(epoch)

    def mixes(self) -> tuple[MixTrace, ...]:
        return self.reader.mixes()

    @classmethod
    def weighs_layers(cls, config: TaggerConfig) -> bool:
        assert isinstance(config, PuConfig)
        below = config.reader
        return below.kind.weighs_layers(below.config)

    def save(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        model_folder.write_header(folder, self)
        self.reader.save_parts(folder)
        model_folder.write_tensors(folder, self.state_dict())

    @classmethod
    def load(cls, folder: Path) -> Self:
        header = model_folder.read_header(folder)
        if not header.labels:
            raise ModelFolderError(f"{folder / model_folder.HEADER}: pu needs labels; {model_folder.AGAIN}")
        config = header.config_of(folder, cls.Config)
        assert isinstance(config, PuConfig)
        below = config.reader
        parts = below.kind.read_parts(below.config, folder)
        priors = torch.full((len(header.labels),), 0.5)

        def reader() -> SequenceTagger:
            return below.kind.create(below.config, (), replace(parts(), head=False))

        return model_folder.with_weights(
            folder,
            lambda: cls(config, header.labels, reader(), priors),
            # Before there was more than one encoder, its weights stood beside the answers'.
            earlier=lambda name: name.removeprefix("reader."),
        )

    def _own(self, batch: Batch) -> PuBatch:
        if not isinstance(batch, PuBatch):
            raise TypeError(f"{self.title} reads batches of its own collate, got {type(batch).__name__}")
        return batch

    def _with_labels(self, documents: Sequence[Document], read: Batch) -> PuBatch:
        assert isinstance(read, SequenceBatch)
        return pu_batch.collate(documents, self.labels, read, self.config.unit)

    def _scores(self, batch: PuBatch, need_weights: bool = False) -> tuple[Tensor, Encoded | None]:
        if not batch.mask.shape[1]:  # only empty texts: nothing to encode
            empty = self.answer.weight.new_zeros(len(batch.documents), 0, self.reader.width)
            return self.answer(empty), None
        encoded = self.reader.encode(batch.read, need_weights)
        scores: Tensor = self.answer(self.output_dropout(encoded.hidden))
        return unit_mean(scores.to(torch.promote_types(scores.dtype, torch.float32)), batch.units), encoded

    def _judged(self, batch: PuBatch) -> Tensor:
        """Characters that cross-entropy learns; with ``known`` those under a span too."""
        return batch.judged | batch.types.any(2) if self.config.risk == "known" else batch.judged

    def _risk(self, scores: Tensor, positive: Tensor) -> Tensor:
        """The PU risks of all types together; every character is a sample of all there are."""
        found = pu_risk(
            scores,
            positive,
            torch.ones_like(positive),
            self.priors.to(scores.dtype),
            estimator="upu" if self._starting else self.config.risk,
            m=self.config.m,
            beta=self.config.beta,
            gamma=self.config.gamma,
        )
        return found.objective.sum()

    def _answers(self, batch: PuBatch, scores: Tensor, index: int) -> PuTrace:
        """What was answered about one sentence."""
        length = len(batch.documents[index].text)
        return PuTrace(
            labels=self.labels,
            answers=scores[index, :length].T.sigmoid().float().cpu().numpy(),
            units=batch.units[index, :length].cpu().numpy(),
            priors=self.priors.float().cpu().numpy(),
        )

    def _read(self, batch: PuBatch, scores: Tensor) -> list[list[Span]]:
        rows = zip(scores, unit_shares(batch.units), batch.lengths.tolist(), strict=True)
        return [read_runs(row[:length], self.labels, shares[:length]) for row, shares, length in rows]

    def _log_probability(self, batch: PuBatch, scores: Tensor, span: Span) -> Tensor:
        kind = self.labels.index(span.label)
        shares = unit_shares(batch.units)
        return run_log_probability(scores, batch.lengths, span.start, span.end, kind, shares)


def _token_scores(scores: Tensor, types: Tensor, judged: Tensor) -> TokenScores:
    """A yes or a no for each type; nothing is decided where nobody has looked."""
    pairs = torch.stack([torch.zeros_like(scores), scores], dim=-1)
    return TokenScores(pairs, types.long(), judged[..., None].expand_as(types))


def _bare(documents: Sequence[Document]) -> list[Document]:
    """The texts alone: what reads them knows nothing of the types."""
    return [Document(document.id, document.text) for document in documents]
