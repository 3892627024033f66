"""A pretrained transformer with a tag layer: BERT (Devlin et al., NAACL 2019) and every encoder like it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from torch import Tensor, nn
from torch.nn import functional

from core.encoders.context_gradient import can_be_cut
from core.encoders.transformer import Pieces
from core.layers.transformer import Transformer
from core.taggers.base.config_fields import ConfigError, option
from core.taggers.base.encoder_features import EncoderConfig, EncoderFeatures
from core.taggers.base.encoder_top import TopConfig, make_top
from core.taggers.base.layer_states import LAYER, Watch, numbered
from core.taggers.base.neighbours import NeighbourConfig, Neighbours
from core.taggers.base.registry import register
from core.taggers.base.sequence_batch import Encoded, Parts, SequenceBatch
from core.taggers.base.sequence_tagger import SequenceConfig, SequenceTagger
from core.taggers.base.tagger import Batch, Resources, TaggerConfig, TokenScores
from core.taggers.base.taps import Tap
from core.taggers.base.trace import MixTrace
from core.text import Document


@dataclass(frozen=True)
class BertConfig(NeighbourConfig, TopConfig, EncoderConfig, SequenceConfig):
    """Options of the BERT tagger.

    The paper's are the defaults: the highest layer, dropout 0.1, a softmax. Its learning rate of 5e-5 is what
    ``encoder_rate`` makes of the training's 1e-3, at which the tag layer learns.
    """

    head: str = option("softmax", "tags chosen together by a CRF, or one by one", choices=("crf", "softmax"))
    output_dropout: float = option(0.1, "dropout before the tag scores", minimum=0.0, maximum=0.9)
    auxiliary: float = option(
        0.2,
        "with a top: share of the loss that is the transformer's own, without it",
        minimum=0.0,
        maximum=0.9,
    )


@dataclass(frozen=True)
class BertBatch(SequenceBatch):
    """Sentences as word pieces.

    Args:
        pieces: what the transformer reads; the neighbours of a sentence stand behind it.
    """

    pieces: Pieces


@register("bert")
class Bert(SequenceTagger):
    """Characters as a transformer sees them, through further layers if wanted, to tags.

    With ``neighbours`` it reads ``[CLS] sentence [SEP] neighbour [SEP] neighbour [SEP]``, where neighbours
    are the training sentences most like this one. Only the sentence's characters have tags, scores and a
    loss, and gradients go through the sentence only: in every layer what stands at a neighbour's pieces is a
    constant, so that no weight of the transformer moves for what it made of a neighbour, while the
    sentence's own queries do learn what to look for there.

    Args:
        config: the options. labels: what to find, in the order of the tags.
        parts: the transformer.
    """

    title: ClassVar[str] = "BERT"
    summary: ClassVar[str] = (
        "Any pretrained transformer, fine-tuned: the strongest where it knows the language"
    )
    paper: ClassVar[str] = "BERT: Pre-training of Deep Bidirectional Transformers, NAACL 2019"
    head_options: ClassVar[frozenset[str]] = SequenceTagger.head_options | {"auxiliary"}
    Config: ClassVar[type[TaggerConfig]] = BertConfig
    config: BertConfig

    def __init__(self, config: BertConfig, labels: Sequence[str], parts: Parts) -> None:
        features = parts.encoder
        assert isinstance(features, EncoderFeatures)
        top = make_top(config, features.width)
        super().__init__(config, labels, parts, features.width if top is None else top.width)
        self.features = features
        self.neighbours = parts.neighbours
        self.top = top
        own = top is not None and config.auxiliary > 0 and parts.head
        self.own_emission = nn.Linear(features.width, len(self.decoder.tags)) if own else None

    @classmethod
    def create(cls, config: BertConfig, labels: Sequence[str], parts: Parts) -> Bert:
        return cls(config, labels, parts)

    @classmethod
    def make_parts(cls, config: BertConfig, resources: Resources) -> Parts:
        encoder = EncoderFeatures.pretrained(config)
        if not config.neighbours:
            return Parts(encoder=encoder)
        if not can_be_cut(encoder.encoder.model):
            raise ConfigError(
                f"neighbours: {config.encoder} cannot read them without learning from them; set neighbours "
                "to 0, or choose an encoder such as BERT, RoBERTa or ELECTRA"
            )
        texts = Neighbours.of_documents(resources.documents, config.neighbours, config.neighbour_length)
        return Parts(encoder=encoder, neighbours=texts)

    def save_parts(self, folder: Path) -> None:
        super().save_parts(folder)
        self.features.save_structure(folder)
        if self.neighbours is not None:
            self.neighbours.save(folder)

    @classmethod
    def read_parts(cls, config: BertConfig, folder: Path) -> Callable[[], Parts]:
        make = EncoderFeatures.maker(config, folder)
        texts = Neighbours.load(folder, config.neighbours) if config.neighbours else None
        return lambda: Parts(encoder=make(), neighbours=texts)

    def collate(self, documents: Sequence[Document]) -> BertBatch:
        texts = [document.text for document in documents]
        beside = None if self.neighbours is None else [self.neighbours.of(text) for text in texts]
        pieces = self.features.encoder.tokenize(texts, contexts=beside)
        return BertBatch(**self.sequence_fields(documents), pieces=pieces)

    def encode(self, batch: BertBatch, need_weights: bool = False) -> Encoded:
        features = self.features(batch.pieces, need_weights)
        mixed = features.mixed
        hidden = mixed.hidden if self.top is None else self.top(mixed.hidden, batch.mask)
        return Encoded(hidden, penalty=self._own_loss(mixed.hidden, batch), seen=features)

    def cost(self, document: Document) -> int:
        return len(document.text) + self.config.neighbours * self.config.neighbour_length

    def taps(self, batch: Batch) -> list[Tap]:
        return [self.features.tap(self.own(batch).pieces)]

    def watches(self, batch: BertBatch) -> list[Watch]:
        inner = None if self.top is None else self.top.inner
        own = numbered(LAYER, inner.layers) if isinstance(inner, Transformer) else []
        return [self.features.watch(), *own]

    def loss_and_scores(self, batch: Batch) -> tuple[Tensor, TokenScores]:
        """With a top, 0.8 of its loss and 0.2 of the cross-entropy of the transformer's own tag scores."""
        loss, scores = super().loss_and_scores(batch)
        return (loss if self.own_emission is None else (1 - self.config.auxiliary) * loss), scores

    def trace_parts(self, batch: BertBatch, encoded: Encoded, index: int) -> dict[str, Any]:
        if encoded.seen is None:
            return {}
        return self.features.trace_parts(encoded.seen, index, len(batch.documents[index].text))

    def rates(self) -> list[tuple[Iterable[nn.Parameter], float]]:
        return [*super().rates(), (self.features.encoder.parameters(), self.config.encoder_rate)]

    def embedding_weights(self) -> list[nn.Parameter]:
        weight = self.features.encoder.word_embeddings
        return [weight] if weight.requires_grad else []

    @classmethod
    def learns_embeddings(cls, config: TaggerConfig, epochs: int) -> bool:
        assert isinstance(config, BertConfig)
        return config.thaws_within(epochs)

    def mixes(self) -> tuple[MixTrace, ...]:
        return self.features.mixes()

    @classmethod
    def weighs_layers(cls, config: TaggerConfig) -> bool:
        return isinstance(config, BertConfig) and config.layer_mix in ("scalar_mix", "dynamic")

    def begin_epoch(self, epoch: int) -> None:
        self.features.begin_epoch(epoch)

    def _own_loss(self, hidden: Tensor, batch: BertBatch) -> Tensor | None:
        """What is added to the top's loss before both are scaled, so that the shares come out."""
        if self.own_emission is None:
            return None
        known = batch.mask if batch.known is None else batch.mask & batch.known
        scores = self.own_emission(self.output_dropout(hidden))[known].float()  # shape: (characters, K)
        summed = functional.cross_entropy(scores, batch.tags[known], reduction="sum")
        return self.config.auxiliary / (1 - self.config.auxiliary) * summed / len(batch.documents)
