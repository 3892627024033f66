"""A fine-tuned pretrained transformer with a tag layer: BERT (Devlin et al., NAACL 2019) and similar
encoders."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from torch import Tensor, nn
from torch.nn import functional

from core.encoders.context_gradient import can_block_gradients
from core.encoders.transformer import Pieces
from core.layers.recurrent.choice import begin_epoch
from core.layers.transformer import Transformer
from core.taggers.base.config_fields import ConfigError, in_error, option
from core.taggers.base.embedding_hooks import EmbeddingHook
from core.taggers.base.layer_states import LAYER, LayerHook, numbered_hooks
from core.taggers.base.registry import register
from core.taggers.base.tagger import Batch, Resources, TaggerConfig
from core.taggers.base.trace import MixTrace
from core.taggers.sequence.batch import Encoded, Parts, SequenceBatch
from core.taggers.sequence.encoder_features import EncoderFeatures, UnitEncoderConfig
from core.taggers.sequence.encoder_top import TOPS, TopConfig, make_top
from core.taggers.sequence.neighbours import NeighbourConfig, Neighbours
from core.taggers.sequence.tagger import SequenceConfig, SequenceTagger
from core.text import Document


@dataclass(frozen=True)
class BertConfig(NeighbourConfig, TopConfig, UnitEncoderConfig, SequenceConfig):
    """Options of the BERT tagger.

    The defaults are the paper's: the last layer, dropout 0.1, a softmax. ``encoder_rate`` turns the
    training's learning rate of 1e-3, with which the tag layer learns, into the paper's 5e-5.
    """

    head: str = option("softmax", "tags chosen together by a CRF, or one by one", choices=("crf", "softmax"))
    output_dropout: float = option(0.1, "dropout before the tag scores", bounds=(0.0, 0.9))
    auxiliary: float = option(
        0.8,
        "with a top: share of the loss on tags read from the encoder's output directly; the top has the rest",
        bounds=(0.0, 0.9),
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.auxiliary != BertConfig.auxiliary:
            _refuse_auxiliary(self.top, self.auxiliary)

    @classmethod
    def read_given(cls, values: Mapping[str, Any]) -> Mapping[str, Any]:
        """``values``, after refusing an auxiliary loss without a top."""
        _refuse_auxiliary(values.get("top", cls.top), values.get("auxiliary", 0))
        return values


def _check_neighbours(config: BertConfig, encoder: EncoderFeatures) -> None:
    if config.neighbours and config.theseus_layers:
        raise ConfigError(
            "{field}: the layers that {successors} replaces would learn from them; set one of the two to 0",
            field=in_error(BertConfig, "neighbours"),
            successors=in_error(BertConfig, "theseus_layers"),
        )
    if config.neighbours and not can_block_gradients(encoder.encoder.model):
        raise ConfigError(
            "{field}: {encoder} cannot read them without learning from them; set {field} "
            "to 0, or choose an encoder such as BERT, RoBERTa or ELECTRA",
            field=in_error(BertConfig, "neighbours"),
            encoder=config.encoder,
        )


def _refuse_auxiliary(top: object, share: object) -> None:
    if top == "none" and share:
        raise ConfigError(
            "{field}: without a top the encoder's loss is all there is, so there is nothing "
            "to share; choose a top ({tops}), or leave {field} out",
            field=in_error(BertConfig, "auxiliary"),
            tops=[name for name in TOPS if name != "none"],
        )


@dataclass(frozen=True)
class BertBatch(SequenceBatch):
    """Sentences as word pieces.

    Args:
        pieces: the input of the transformer; the neighbours of a sentence follow it.
    """

    pieces: Pieces


@register("bert")
class Bert(SequenceTagger):
    """A transformer's states of characters or words, optional further layers, and a tag layer.

    With ``neighbours`` it reads ``[CLS] sentence [SEP] neighbour [SEP] neighbour [SEP]``, where neighbours
    are the training sentences most similar to it. Only the sentence's units have tags, scores and a
    loss, and gradients flow through the sentence only: in every layer the states of a neighbour's pieces are
    constants, so the transformer does not learn to encode neighbours, while the sentence's own queries learn
    what to attend to there.

    With a top and ``auxiliary`` = a, the loss is ``(1 - a) L_top + a L_encoder``. ``L_top`` is the loss of
    the head over the top; ``L_encoder`` is the cross-entropy of tags that a linear layer reads from the
    encoder's output, without the top. That layer serves training alone: predictions come from the top.

    Args:
        config: the options. labels: what to find, in the order of the tags.
        parts: the transformer.
    """

    title: ClassVar[str] = "BERT"
    summary: ClassVar[str] = (
        "Any pretrained transformer, fine-tuned: the strongest where it knows the language"
    )
    paper: ClassVar[str] = "BERT: Pre-training of Deep Bidirectional Transformers, NAACL 2019"
    takes_words = True
    head_options: ClassVar[frozenset[str]] = SequenceTagger.head_options | {"auxiliary", "piece_pooling"}
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
        shared = top is not None and config.auxiliary > 0 and parts.head
        self.encoder_emission = nn.Linear(features.width, len(self.decoder.tags)) if shared else None
        self._top_share = 1.0 - config.auxiliary if shared else 1.0

    @classmethod
    def create(cls, config: BertConfig, labels: Sequence[str], parts: Parts) -> Bert:
        return cls(config, labels, parts)

    @classmethod
    def check_config(cls, config: TaggerConfig) -> None:
        assert isinstance(config, BertConfig)
        _check_neighbours(config, EncoderFeatures.without_weights(config))

    @classmethod
    def make_parts(cls, config: BertConfig, resources: Resources) -> Parts:
        encoder = EncoderFeatures.pretrained(config)
        _check_neighbours(config, encoder)
        if not config.neighbours:
            return Parts(encoder=encoder)
        texts = Neighbours.of_documents(resources.documents, config.neighbours, config.neighbour_length)
        return Parts(encoder=encoder, neighbours=texts)

    def save_parts(self, folder: Path) -> None:
        super().save_parts(folder)
        self.features.save_structure(folder)
        if self.neighbours is not None:
            self.neighbours.save(folder)

    @classmethod
    def read_parts(cls, config: BertConfig, folder: Path) -> Callable[[], Parts]:
        make = EncoderFeatures.factory(config, folder)
        texts = Neighbours.load(folder, config.neighbours) if config.neighbours else None
        return lambda: Parts(encoder=make(), neighbours=texts)

    def collate(self, documents: Sequence[Document]) -> BertBatch:
        texts = [document.text for document in documents]
        contexts = None if self.neighbours is None else [self.neighbours.of(text) for text in texts]
        fields = self.sequence_fields(documents)
        return BertBatch(**fields, pieces=self.features.tokenize(texts, fields["units"], contexts))

    def encode(self, batch: BertBatch, need_weights: bool = False) -> Encoded:
        features = self.features(batch.pieces, need_weights)
        mixed = features.mixed
        hidden = mixed.hidden if self.top is None else self.top(mixed.hidden, batch.mask)
        auxiliary = self._encoder_loss(mixed.hidden, batch)
        return Encoded(hidden, auxiliary=auxiliary, share=self._top_share, intermediate=features)

    def cost(self, document: Document) -> int:
        return len(document.text) + self.config.neighbours * self.config.neighbour_length

    def embedding_hooks(self, batch: Batch) -> list[EmbeddingHook]:
        checked = self.check_batch(batch)
        (units,) = checked.units
        return [self.features.embedding_hook(checked.pieces, units)]

    def layer_hooks(self, batch: BertBatch) -> list[LayerHook]:
        inner = None if self.top is None else self.top.inner
        top_hooks = numbered_hooks(LAYER, inner.layers) if isinstance(inner, Transformer) else []
        return [self.features.layer_hook(), *top_hooks]

    def trace_parts(self, batch: BertBatch, encoded: Encoded, index: int) -> dict[str, Any]:
        if encoded.intermediate is None:
            return {}
        return self.features.trace_parts(encoded.intermediate, index, len(batch.units[index]))

    def rates(self) -> list[tuple[Iterable[nn.Parameter], float]]:
        return [*super().rates(), (self.features.encoder.parameters(), self.config.encoder_rate)]

    def embedding_weights(self) -> list[nn.Parameter]:
        weight = self.features.encoder.word_embeddings
        return [weight] if weight.requires_grad else []

    @classmethod
    def learns_embeddings(cls, config: TaggerConfig, epochs: int) -> bool:
        assert isinstance(config, BertConfig)
        return config.unfreezes_within(epochs)

    def mixes(self) -> tuple[MixTrace, ...]:
        return self.features.mixes()

    @classmethod
    def mixes_layers(cls, config: TaggerConfig) -> bool:
        return isinstance(config, BertConfig) and config.layer_mix in ("scalar_mix", "dynamic")

    def begin_epoch(self, epoch: int) -> None:
        self.features.begin_epoch(epoch)
        if self.top is not None:
            begin_epoch(self.top, epoch)

    def _encoder_loss(self, hidden: Tensor, batch: BertBatch) -> Tensor | None:
        """The weighted auxiliary loss on tags read from the encoder's states ``[B, T, D]``, if any."""
        if self.encoder_emission is None:
            return None
        mask = batch.mask if batch.labelled is None else batch.mask & batch.labelled
        scores = self.encoder_emission(self.output_dropout(hidden))[mask].float()  # shape: (units, K)
        summed = functional.cross_entropy(scores, batch.tags[mask], reduction="sum")
        return self.config.auxiliary * summed / len(batch.documents)
