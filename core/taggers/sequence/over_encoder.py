"""The base of taggers with a head of their own over the encoder of a sequence tagger."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any, Protocol

import torch
from torch import nn

from core.layers.evaluating import evaluating
from core.lexicon import Lexicon
from core.taggers.base import model_folder
from core.taggers.base.embedding_hooks import EmbeddingHook
from core.taggers.base.layer_states import OUTPUT, LayerState, at_characters, capture_layers
from core.taggers.base.tagger import Batch, ModelFolderError, Resources, Tagger, TaggerConfig
from core.taggers.base.trace import MixTrace
from core.taggers.sequence.batch import SequenceBatch
from core.taggers.sequence.encoder_choice import EncoderChoice
from core.taggers.sequence.tagger import SequenceTagger
from core.text import Document


class ChoosesEncoder(Protocol):
    """A config that names an encoder."""

    @property
    def encoder_choice(self) -> EncoderChoice:
        """The encoder with its own config."""


class OverEncoder(Tagger):
    """A tagger over any `SequenceTagger` without its head; its config is a `ChoosesEncoder`.

    A subclass makes batches around those of the encoder (``with_labels``), says where they are
    (``encoder_batch``), and has the head.

    Args:
        encoder: a sequence tagger without a head.
    """

    def __init__(self, encoder: SequenceTagger) -> None:
        super().__init__()
        self.encoder = encoder
        self.uses_lexicon = encoder.uses_lexicon

    @abstractmethod
    def with_labels(self, documents: Sequence[Document], encoder_batch: SequenceBatch) -> Batch:
        """A batch of these documents around the encoder's batch of their texts."""

    @abstractmethod
    def encoder_batch(self, batch: Batch) -> SequenceBatch:
        """The encoder's batch inside one of ``with_labels``.

        Raises:
            TypeError: the batch is another tagger's.
        """

    @classmethod
    def build_encoder(cls, config: TaggerConfig, resources: Resources) -> SequenceTagger:
        """The encoder that ``config`` names, fresh.

        Raises:
            ConfigError: a file that the config names cannot be used.
        """
        choice = choice_of(config)
        return choice.tagger.build(choice.config, (), replace(resources, head=False))

    def encoder_part(self) -> nn.Module:
        return self.encoder

    @property
    def lexicon(self) -> Lexicon | None:
        """The lexicon of the encoder; None without one."""
        lexicon: Lexicon | None = getattr(self.encoder, "lexicon", None)
        return lexicon

    @lexicon.setter
    def lexicon(self, lexicon: Lexicon | None) -> None:
        if self.uses_lexicon:
            self.encoder.lexicon = lexicon

    @classmethod
    def check_config(cls, config: TaggerConfig) -> None:
        choice = choice_of(config)
        choice.tagger.check_config(choice.config)

    @classmethod
    def reads_lexicon(cls, config: TaggerConfig) -> bool:
        choice = choice_of(config)
        return choice.tagger.reads_lexicon(choice.config)

    def collate(self, documents: Sequence[Document]) -> Any:
        return self._around(documents, self.encoder.collate(_without_spans(documents)))

    def collate_with(self, documents: Sequence[Document], lexicons: Sequence[Lexicon | None]) -> Any:
        return self._around(documents, self.encoder.collate_with(_without_spans(documents), lexicons))

    def collate_copies(self, document: Document, copies: int, label: str) -> Any:
        (text,) = _without_spans([document])
        return self._around([document] * copies, self.encoder.collate_copies(text, copies, label))

    @torch.no_grad()
    def layer_states(self, batch: Batch) -> list[LayerState]:
        checked = self.encoder_batch(batch)
        with evaluating(self), capture_layers(self.encoder.layer_hooks(checked)) as captured:
            hidden = self.encoder.encode(checked).hidden
        layers = [*chain.from_iterable(captured), LayerState(OUTPUT, hidden)]
        return at_characters(layers, checked.mask, checked.units)

    def embedding_hooks(self, batch: Batch) -> list[EmbeddingHook]:
        return self.encoder.embedding_hooks(self.encoder_batch(batch))

    def cost(self, document: Document) -> int:
        return self.encoder.cost(document)

    def parameter_groups(self) -> list[dict[str, Any]]:
        special = [(list(parameters), rate) for parameters, rate in self.encoder.rates()]
        grouped = {id(parameter) for parameters, _ in special for parameter in parameters}
        rest = [parameter for parameter in self.parameters() if id(parameter) not in grouped]
        return [{"params": parameters, "lr_scale": rate} for parameters, rate in [(rest, 1.0), *special]]

    def embedding_weights(self) -> list[nn.Parameter]:
        return self.encoder.embedding_weights()

    @classmethod
    def learns_embeddings(cls, config: TaggerConfig, epochs: int) -> bool:
        choice = choice_of(config)
        return choice.tagger.learns_embeddings(choice.config, epochs)

    def begin_epoch(self, epoch: int) -> None:
        self.encoder.begin_epoch(epoch)

    def mixes(self) -> tuple[MixTrace, ...]:
        return self.encoder.mixes()

    @classmethod
    def mixes_layers(cls, config: TaggerConfig) -> bool:
        choice = choice_of(config)
        return choice.tagger.mixes_layers(choice.config)

    def save(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        model_folder.write_header(folder, self)
        self.encoder.save_parts(folder)
        model_folder.write_tensors(folder, self.state_dict())

    @classmethod
    def read_encoder(cls, folder: Path) -> tuple[TaggerConfig, tuple[str, ...], Callable[[], SequenceTagger]]:
        """The config, the labels, and a factory of fresh encoders of the structure that ``save`` wrote.

        Raises:
            ModelFolderError: a file is missing or damaged, or there are no labels; says which.
        """
        header = model_folder.read_header(folder)
        if not header.labels:
            raise ModelFolderError(
                "{path}: {tagger} needs labels; {hint}",
                path=folder / model_folder.HEADER,
                tagger=cls.name,
                hint=model_folder.HINT,
            )
        config = header.config_of(folder, cls.Config)
        choice = choice_of(config)
        parts = choice.tagger.read_parts(choice.config, folder)

        def encoder() -> SequenceTagger:
            return choice.tagger.create(choice.config, (), replace(parts(), head=False))

        return config, header.labels, encoder

    def _around(self, documents: Sequence[Document], encoder_batch: Batch) -> Batch:
        assert isinstance(encoder_batch, SequenceBatch)
        return self.with_labels(documents, encoder_batch)


def choice_of(config: Any) -> EncoderChoice:
    """The encoder that the config of an `OverEncoder` names."""
    chooses: ChoosesEncoder = config
    return chooses.encoder_choice


def _without_spans(documents: Sequence[Document]) -> list[Document]:
    """The documents without spans: the encoder does not know the labels."""
    return [Document(document.id, document.text) for document in documents]
