"""The tagger interface that the training loop, the jobs and the pages use."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, ClassVar

import torch
from torch import Tensor, nn
from typing_extensions import Self

from core.layers.evaluating import evaluating
from core.lexicon import Lexicon
from core.runtime.message import Message, ToldValueError
from core.taggers.base.calibration import Calibration, Judged, fit, log_odds
from core.taggers.base.embedding_hooks import EmbeddingHook
from core.taggers.base.layer_states import LayerState
from core.taggers.base.trace import MixTrace, Trace
from core.text import Document, Span
from core.text.annotated_regions import judged
from core.text.units import Units, characters


@dataclass(frozen=True, slots=True)
class Resources:
    """What a tagger is built from besides its config; what it uses is saved with the model.

    Args:
        documents: the training documents, for vocabularies (never dev or test).
        lexicon: the words to match, for taggers that use one; None for jieba's dictionary.
        descriptions: the annotation guideline of each label that has one.
        unlabelled: texts without spans, for word counts; never those of dev or test.
        head: whether a sequence tagger scores tags, see its ``Parts``.
    """

    documents: Sequence[Document] = ()
    lexicon: Lexicon | None = None
    descriptions: Mapping[str, str] = field(default_factory=dict)
    unlabelled: Sequence[Document] = ()
    head: bool = True


@dataclass(frozen=True)
class TaggerConfig:
    """Base of every tagger's ``Config``: frozen, every field with the paper's default.

    A field's ``metadata`` may carry ``help`` (one line for the form), ``minimum``, ``maximum``, ``choices``
    and ``basic`` (True: shown at once, otherwise under "more").
    """

    def inner_configs(self) -> tuple[TaggerConfig, ...]:
        """The config of the tagger inside this one, if any."""
        return ()


@dataclass(frozen=True)
class Batch:
    """Tensors of some documents, ready for ``loss`` or ``decode``. Subclasses are frozen dataclasses."""

    documents: tuple[Document, ...]

    def to(self, device: torch.device | str) -> Self:
        """The same batch with all tensors on ``device``."""
        moved = {
            part.name: value.to(device)
            for part in fields(self)
            if hasattr(value := getattr(self, part.name), "to")
        }
        return replace(self, **moved)


@dataclass(frozen=True, slots=True)
class TokenScores:
    """A tagger's independent decisions, before joint decoding.

    Args:
        logits: scores of the K classes, ``[..., K]``; their softmax is what strategies compare.
        gold: the gold class, ``[...]`` int64. mask: True where there is a decision, ``[...]``.
        share, auxiliary: the tagger's loss is ``share`` times the loss of its decisions plus ``auxiliary``, a
            scalar (the loss of another head, a penalty on weights); None adds nothing.
    """

    logits: Tensor
    gold: Tensor
    mask: Tensor
    share: float = 1.0
    auxiliary: Tensor | None = None

    def total_loss(self, loss: Tensor) -> Tensor:
        """The training loss, ``[]``, if the loss of the decisions is ``loss``."""
        total = self.share * loss
        return total if self.auxiliary is None else total + self.auxiliary


class Tagger(nn.Module, ABC):
    """A named entity recogniser. One subclass = one module of this folder = one registered name.

    Class attributes:
        name: registered name, e.g. ``"flat"``. title: as the paper writes it.
        summary: one line for the card on the Train page. paper: title, venue, year.
        supports_nested: whether nested spans can be learned and predicted; otherwise training keeps the
            outermost spans and reports what it left out. Off in an instance that learned them but predicts
            spans without overlap.
        uses_lexicon: whether ``Resources.lexicon`` is read. If that depends on the config, it is an instance
            attribute, and ``reads_lexicon`` decides it for a config.
        needs_training: whether it learns from documents at all.
        built_from_documents: whether ``build`` makes one; an ensemble is made of trained taggers instead, and
            is not among those to choose from.
        learns_best_with: training settings other than the defaults with which it learns best from scratch, as
            `benchmarks.grid` measured.
        has_span_probabilities: whether any span has a probability, not only the predicted ones.
        Config: the tagger's frozen config dataclass.

    Attributes:
        calibration: what makes the scores of spans and their probabilities of raw ones; see ``calibrate``.
        usual_length: mean characters of the texts it learned from, which says how much of a long text it
            reads at once; None if it is not known.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    summary: ClassVar[str]
    paper: ClassVar[str]
    supports_nested: bool = False
    uses_lexicon: bool = False
    needs_training: ClassVar[bool] = True
    built_from_documents: ClassVar[bool] = True
    learns_best_with: ClassVar[Mapping[str, Any]] = {}
    has_span_probabilities: ClassVar[bool] = True
    Config: ClassVar[type[TaggerConfig]]

    config: TaggerConfig
    given: Mapping[str, Any] = MappingProxyType({})  # options that were left open, as they were given
    labels: tuple[str, ...]
    lexicon: Lexicon | None  # if uses_lexicon; may be set at any time and takes effect at once
    calibration: Calibration = Calibration()
    usual_length: int | None = None

    @classmethod
    @abstractmethod
    def build(cls, config: TaggerConfig, labels: Sequence[str], resources: Resources) -> Tagger:
        """A fresh, initialised tagger for these labels; randomness comes from torch's global generator.

        Raises:
            ConfigError: a file that the config names cannot be used; says which, where and why.
        """

    @classmethod
    def check_config(cls, config: TaggerConfig) -> None:
        """Refuse a config with missing files or layers, without loading weights.

        Raises:
            ConfigError: as for ``build``, as far as can be checked within seconds.
        """
        return

    @abstractmethod
    def collate(self, documents: Sequence[Document]) -> Batch:
        """Text to tensors. Pure: reads vocabularies, touches no parameter, safe in a DataLoader worker."""

    @abstractmethod
    def loss(self, batch: Batch) -> Tensor:
        """Scalar training loss, mean over sentences."""

    @abstractmethod
    def decode(self, batch: Batch) -> list[list[Span]]:
        """Spans with scores for each document of the batch, in the batch's order."""

    @abstractmethod
    def trace(self, batch: Batch) -> list[Trace]:
        """What the Inspect page shows, one trace per document; runs in evaluation mode without gradients."""

    @abstractmethod
    def cost(self, document: Document) -> int:
        """Rough number of positions one document needs (lattice nodes for FLAT), to budget batches."""

    @abstractmethod
    def save(self, folder: Path) -> None:
        """Write ``config.json``, ``model.safetensors``, vocabularies and lexicon into ``folder``."""

    @classmethod
    @abstractmethod
    def load(cls, folder: Path) -> Tagger:
        """Read what ``save`` wrote, in evaluation mode on the CPU.

        Raises:
            ModelFolderError: a file is missing, truncated or does not fit; says which.
        """

    def parameter_groups(self) -> list[dict[str, Any]]:
        """Optimiser groups: ``params`` and ``lr_scale`` (multiplies the learning rate)."""
        return [{"params": [p for p in self.parameters() if p.requires_grad], "lr_scale": 1.0}]

    @abstractmethod
    def token_scores(self, batch: Batch) -> TokenScores:
        """The logits behind ``loss`` for every single decision, with the gold classes."""

    def loss_and_scores(self, batch: Batch) -> tuple[Tensor, TokenScores]:
        """``loss`` and ``token_scores``; subclasses may use one forward pass, the default uses two with
        different dropout."""
        return self.loss(batch), self.token_scores(batch)

    def embedding_weights(self) -> list[nn.Parameter]:
        """The tables that adversarial training may perturb: all embeddings that learn."""
        tables = [module for module in self.modules() if isinstance(module, nn.Embedding)]
        weights = [weight for table in tables for weight in table.parameters()]
        return [weight for weight in weights if weight.requires_grad]

    @classmethod
    def learns_embeddings(cls, config: TaggerConfig, epochs: int) -> bool:
        """Whether a tagger of this config has ``embedding_weights`` in any of ``epochs`` epochs."""
        return True

    def units(self, document: Document) -> Units:
        """The units of a document that are tagged: its characters, unless the tagger reads words."""
        return characters(document.text)

    def notes(self, documents: Sequence[Document]) -> tuple[Message, ...]:
        """What training says about these training documents: how they are read, and what is not learned."""
        return ()

    def layer_states(self, batch: Batch) -> list[LayerState]:
        """The states of every layer at every character, lowest first, in evaluation mode without gradients.

        The last are the input of the scores. At least one document must have a character. Empty for a tagger
        without hidden states.
        """
        return []

    def mixes(self) -> tuple[MixTrace, ...]:
        """The current layer mixes whose weights all texts share; training logs them."""
        return ()

    @classmethod
    def mixes_layers(cls, config: TaggerConfig) -> bool:
        """Whether traces of a tagger of this config contain a layer mix."""
        return False

    def collate_with(self, documents: Sequence[Document], lexicons: Sequence[Lexicon | None]) -> Batch:
        """As ``collate``, with a lexicon per document in place of the tagger's.

        Raises:
            NotImplementedError: this tagger reads no lexicon.
        """
        raise NotImplementedError(f"{self.title} reads no lexicon")

    def span_log_probability(self, batch: Batch, span: Span) -> Tensor:
        """Log-probability of ``span`` in every sentence, ``[B]``, calibrated, differentiable.

        For a predicted span it is the log of its score.

        Raises:
            NotImplementedError: ``has_span_probabilities`` is off. ValueError: the span leaves a sentence.
        """
        raise NotImplementedError(f"{self.title} gives no probability to any span")

    def decode_and_score(self, batch: Batch, spans: Sequence[Span]) -> tuple[list[list[Span]], Tensor]:
        """``decode``, and the probability of each of ``spans`` in every sentence, ``[B, S]``, without
        gradient.

        Raises:
            NotImplementedError, ValueError: as ``span_log_probability``.
        """
        with torch.no_grad():
            weights = [self.span_log_probability(batch, span).exp() for span in spans]
        decoded = self.decode(batch)
        return decoded, torch.stack(weights, dim=1) if weights else torch.zeros(len(decoded), 0)

    def collate_copies(self, document: Document, copies: int, label: str) -> Batch:
        """A batch of copies of one sentence, for gradients of the probability of a span with this label.

        No two positions share an embedding vector; ``embedding_hooks`` lists the vectors of a copy.
        """
        return self.collate([document] * copies)

    def embedding_hooks(self, batch: Batch) -> list[EmbeddingHook]:
        """Hooks on the embeddings of a batch that ``collate_copies`` made with one copy."""
        return []

    @classmethod
    def reads_lexicon(cls, config: TaggerConfig) -> bool:
        """Whether a tagger of this config reads ``Resources.lexicon``."""
        return cls.uses_lexicon

    def encoder_part(self) -> nn.Module:
        """The module that turns text into hidden states: the tagger itself, or the one inside it."""
        return self

    def calibrate(self, batches: Iterable[Batch]) -> None:
        """Fit what turns scores into probabilities on labelled documents that were not trained on.

        Called once, with the final weights, before the tagger is saved. Which spans are predicted does not
        change, unless there is a threshold for their probability.
        """
        self.calibration = Calibration()
        with torch.no_grad(), evaluating(self):
            self.calibration = fit(map(self.judged, batches), self.labels)

    def judged(self, batch: Batch) -> Judged:
        """The spans of a labelled batch that ``calibrate`` learns from: those predicted, uncalibrated."""
        rows = [
            (log_odds(span.score), self.labels.index(span.label), span.key in gold)
            for document, spans in zip(batch.documents, self.decode(batch), strict=True)
            for gold in [{span.key for span in document.spans}]
            for span in judged(document, spans)
            if span.score is not None
        ]
        odds, labels, right = zip(*rows, strict=True) if rows else ((), (), ())
        return Judged(
            torch.tensor(odds, dtype=torch.float64), torch.tensor(labels).long(), torch.tensor(right).bool()
        )

    def begin_epoch(self, epoch: int) -> None:
        """Called before every epoch, 0-based, also after a resume; unfreezes frozen layers."""
        return

    @property
    def device(self) -> torch.device:
        """The device of its parameters; the CPU for a tagger without any."""
        return next((parameter.device for parameter in self.parameters()), torch.device("cpu"))


class ModelFolderError(ToldValueError):
    """A model folder cannot be loaded; the message names the file and what to do."""
