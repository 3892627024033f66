"""PU learning: a tagger that learns from a dictionary's labels and raw text (Peng et al., ACL 2019)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, ClassVar

import torch
from torch import Tensor, nn
from torch.nn import functional
from typing_extensions import Self

from core.encoders.static_embeddings import StaticEmbedding
from core.encoders.word_vectors import VectorsError
from core.layers.birnn import BiRnn
from core.layers.pu_risk import pu_risk
from core.layers.unit_mean import unit_mean, unit_shares
from core.layers.window_cnn import WindowCnn
from core.taggers import model_folder, pu_batch, tables
from core.taggers.character_tagger import CharacterTagger
from core.taggers.config_fields import ConfigError
from core.taggers.encoder_features import EncoderFeatures
from core.taggers.layer_states import (
    CONTEXT,
    EMBEDDINGS,
    OUTPUT,
    LayerState,
    Watch,
    at_characters,
    entering,
    leaving,
    watching,
)
from core.taggers.pu_batch import KINDS, PuBatch
from core.taggers.pu_config import PuConfig
from core.taggers.pu_priors import priors_for, read_priors
from core.taggers.registry import register
from core.taggers.tagger import Batch, ModelFolderError, Resources, Tagger, TaggerConfig, TokenScores
from core.taggers.taps import Tap
from core.taggers.trace import MixTrace, PuTrace, Trace
from core.taggers.type_runs import read_runs, run_log_probability
from core.text import Document, Span


@register("pu")
class Pu(Tagger):
    """One yes-or-no classifier for each type over one encoder, taught by labels that are right but not all.

    The paper reads English words: a CNN over a word's letters, the word's vector, and features of its casing,
    joined and read by a BiLSTM; each word gets an answer. Here characters are read, because Chinese words are
    not cut: the CNN runs over the characters around each one, its own vector and its bigram's stand for the
    word's, and the kind of character (Han, digit, letter of either case, …) for the casing. A transformer's
    states stand beside them where the config names one. What is answered for is the word all the same, cut
    by jieba: its characters' log-odds are averaged, in training too. Where each character answers for
    itself, most wrong spans are parts of words. The paper trains a network for each type; here the types
    share the encoder, and each has a risk of its own.

    What teaches: outside the regions somebody has looked at, characters under a span are positive for its
    type and all characters are unlabelled; their loss is the chosen PU risk times their number. Inside,
    cross-entropy is summed, as what a person said needs no bound against what is not known. Both are means
    over sentences. The first epochs learn by ``upu`` unless ``upu_epochs`` is 0 as in the paper: a bounded
    loss has no slope left once everything is surely "no", where small networks else remain.

    Args:
        config: the options. labels: what to find. embeddings: tables ``characters`` and maybe ``bigrams``.
        features: a transformer under the characters, or None.
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
        self,
        config: PuConfig,
        labels: Sequence[str],
        embeddings: Mapping[str, StaticEmbedding],
        features: EncoderFeatures | None,
        priors: Tensor,
    ) -> None:
        super().__init__()
        self.config, self.labels = config, tuple(labels)
        self.characters = embeddings["characters"]
        self.bigrams = embeddings.get("bigrams")
        self.kinds = nn.Embedding.from_pretrained(
            torch.empty(len(KINDS) + 1, config.kind_dim).uniform_(-0.5, 0.5), freeze=False, padding_idx=0
        )
        self.features = features
        self.embedding_dropout = nn.Dropout(config.embedding_dropout)
        self.window = WindowCnn(self.characters.dimension, config.filters)
        width = self.characters.dimension + config.filters + config.kind_dim
        width += 0 if self.bigrams is None else self.bigrams.dimension
        width += 0 if features is None else features.width
        self.context = BiRnn(width, config.hidden)
        self.output_dropout = nn.Dropout(config.output_dropout)
        self.answer = nn.Linear(self.context.width, len(self.labels))
        self.register_buffer("priors", priors)
        self._starting = False

    @classmethod
    def build(cls, config: TaggerConfig, labels: Sequence[str], resources: Resources) -> Self:
        assert isinstance(config, PuConfig)
        if not labels:
            raise ConfigError("pu needs at least one label to find")
        documents = [*resources.documents, *resources.unlabelled]
        try:
            embeddings = CharacterTagger.make_tables(config, [document.text for document in documents])
        except VectorsError as error:
            raise ConfigError(str(error)) from error
        features = EncoderFeatures.pretrained(config) if config.encoder else None
        priors = priors_for(labels, read_priors(config.prior), resources.documents, config.recall)
        return cls(config, labels, embeddings, features, torch.tensor([priors[label] for label in labels]))

    def collate(self, documents: Sequence[Document]) -> PuBatch:
        pieces = None
        if self.features is not None:
            pieces = self.features.encoder.tokenize([document.text for document in documents])
        unit = self.config.unit
        return pu_batch.collate(documents, self.labels, self.characters, self.bigrams, pieces, unit)

    def scores(self, batch: Batch) -> Tensor:
        """Log-odds of every type, ``[B, T, K]``, equal within a unit; of padding they mean nothing."""
        own = self._own(batch)
        if not own.mask.shape[1]:  # only empty texts: nothing to encode
            return self.answer(self.answer.weight.new_zeros(len(own.documents), 0, self.context.width))
        scores: Tensor = self.answer(self.output_dropout(self._encoded(own)))
        return unit_mean(scores.to(torch.promote_types(scores.dtype, torch.float32)), own.units)

    def loss(self, batch: Batch) -> Tensor:
        return self.loss_and_scores(batch)[0]

    def loss_and_scores(self, batch: Batch) -> tuple[Tensor, TokenScores]:
        own = self._own(batch)
        scores = self.scores(own)
        judged = self._judged(own)
        known = functional.binary_cross_entropy_with_logits(
            scores[judged], own.types[judged].to(scores.dtype), reduction="sum"
        )
        total = known + 0.0 * scores.sum()  # keeps a graph when all sentences are empty
        open_ = own.mask & ~judged
        if self.config.risk != "known" and bool(open_.any()):
            total = total + int(open_.sum()) * self._risk(scores[open_], own.types[open_])
        return total / max(len(own.documents), 1), _token_scores(scores, own.types, judged)

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
            seen = None
            if self.features is not None and own.mask.shape[1]:
                seen = self.features(own.pieces, need_weights=True)
            scores, mixes = self.scores(own), self.mixes()
        finally:
            self.train(training)
        traces = []
        for index, (document, spans) in enumerate(zip(own.documents, self._read(own, scores), strict=True)):
            parts: dict[str, Any] = {"mixes": mixes, "pu": self._answers(own, scores, index)}
            if seen is not None and self.features is not None:
                parts |= self.features.trace_parts(seen, index, len(document.text))
            text = document.text
            traces.append(Trace(text=text, tokens=tuple(text), spans=tuple(spans), tagger=self.name, **parts))
        return traces

    @torch.no_grad()
    def layer_states(self, batch: Batch) -> list[LayerState]:
        own = self._own(batch)
        training = self.training
        self.eval()
        watches: list[Watch] = [] if self.features is None else [self.features.watch()]
        watches += [entering(EMBEDDINGS, self.context), leaving(CONTEXT, self.context)]
        try:
            with watching(watches) as found:
                hidden = self._encoded(own)
        finally:
            self.train(training)
        return at_characters([*chain.from_iterable(found), LayerState(OUTPUT, hidden)], own.mask)

    def taps(self, batch: Batch) -> list[Tap]:
        own = self._own(batch)
        length = len(own.documents[0].text)
        alone = [(at,) for at in range(length)]
        found = [Tap.of_nodes(self.characters, alone), Tap.of_nodes(self.kinds, alone)]
        if self.bigrams is not None:
            # A bigram speaks for both its characters alike; the last character stands alone in its own.
            pairs = [(at, at + 1) if at + 1 < length else (at,) for at in range(length)]
            found.append(Tap.of_nodes(self.bigrams, pairs))
        if self.features is not None and own.pieces is not None:
            found.append(self.features.tap(own.pieces))
        return found

    def cost(self, document: Document) -> int:
        return len(document.text)

    def parameter_groups(self) -> list[dict[str, Any]]:
        encoder = [] if self.features is None else list(self.features.encoder.parameters())
        slow = {id(parameter) for parameter in encoder}
        rest = [parameter for parameter in self.parameters() if id(parameter) not in slow]
        groups = [{"params": rest, "lr_scale": 1.0}]
        return [*groups, {"params": encoder, "lr_scale": self.config.encoder_rate}] if encoder else groups

    def embedding_weights(self) -> list[nn.Parameter]:
        found = [self.characters.table.weight]
        found += [] if self.bigrams is None else [self.bigrams.table.weight]
        found += [] if self.features is None else [self.features.encoder.word_embeddings]
        return [weight for weight in found if weight.requires_grad]

    def begin_epoch(self, epoch: int) -> None:
        self._starting = epoch < self.config.upu_epochs
        if self.features is not None:
            self.features.begin_epoch(epoch)

    def mixes(self) -> tuple[MixTrace, ...]:
        return () if self.features is None else self.features.mixes()

    @classmethod
    def weighs_layers(cls, config: TaggerConfig) -> bool:
        return isinstance(config, PuConfig) and bool(config.encoder) and config.layer_mix == "scalar_mix"

    def save(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        model_folder.write_header(folder, self)
        found = {"characters": self.characters}
        if self.bigrams is not None:
            found["bigrams"] = self.bigrams
        tables.write_tables(folder, found)
        if self.features is not None:
            self.features.save_structure(folder)
        model_folder.write_tensors(folder, self.state_dict())

    @classmethod
    def load(cls, folder: Path) -> Self:
        header = model_folder.read_header(folder)
        if not header.labels:
            raise ModelFolderError(f"{folder / model_folder.HEADER}: pu needs labels; {model_folder.AGAIN}")
        config = header.config_of(folder, cls.Config)
        assert isinstance(config, PuConfig)
        names = ("characters", "bigrams") if config.bigram_dim else ("characters",)
        embeddings = tables.read_tables(folder, dict.fromkeys(names, config.char_unknown))
        features = EncoderFeatures.maker(config, folder) if config.encoder else _none
        priors = torch.full((len(header.labels),), 0.5)
        return model_folder.with_weights(
            folder, lambda: cls(config, header.labels, embeddings(), features(), priors)
        )

    def _own(self, batch: Batch) -> PuBatch:
        if not isinstance(batch, PuBatch):
            raise TypeError(f"{self.title} reads batches of its own collate, got {type(batch).__name__}")
        return batch

    def _encoded(self, batch: PuBatch) -> Tensor:
        """Characters behind the BiLSTM, ``[B, T, 2H]``, zero at padding."""
        characters = self.embedding_dropout(self.characters(batch.characters))
        parts = [characters, self.window(characters, batch.mask), self.kinds(batch.kinds)]
        if self.bigrams is not None and batch.bigrams is not None:
            parts.append(self.embedding_dropout(self.bigrams(batch.bigrams)))
        if self.features is not None and batch.pieces is not None:
            parts.append(self.features(batch.pieces).mixed.hidden)
        return self.context(torch.cat(parts, dim=-1), batch.mask)

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


def _none() -> None:
    return None
