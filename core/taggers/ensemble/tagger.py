"""An ensemble: several trained taggers that answer by the mean of their probabilities."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar, cast

import torch
from torch import Tensor, nn
from typing_extensions import Self

from core.layers.evaluating import evaluating
from core.lexicon import Lexicon
from core.runtime.message import message_of
from core.taggers.base import model_folder
from core.taggers.base.config_fields import ConfigError
from core.taggers.base.embedding_hooks import EmbeddingHook
from core.taggers.base.registry import register
from core.taggers.base.tagger import Batch, ModelFolderError, Resources, Tagger, TaggerConfig, TokenScores
from core.taggers.base.trace import Trace
from core.taggers.ensemble.agreement import EnsembleError, check_agreement
from core.taggers.ensemble.attribution import unit_hooks
from core.taggers.ensemble.average import Average
from core.taggers.ensemble.batch import EnsembleBatch
from core.taggers.ensemble.config import EnsembleConfig
from core.taggers.ensemble.mean_spans import MeanSpans
from core.taggers.ensemble.mean_tags import MeanTags
from core.taggers.sequence.tagger import SequenceTagger
from core.taggers.span.tagger import SpanTagger
from core.text import Document, Span
from core.text.overlap import shortest
from core.text.units import Units

MEMBERS = "members"  # folder of the members' model folders, 1, 2, …


@register("ensemble")
class Ensemble(Tagger):
    """The mean of the probabilities of trained taggers, decoded as one: of tags, or of spans.

    The members are mixed with equal weights, so the probability of a span is the mean of its calibrated
    probabilities under the members. `MeanTags` and `MeanSpans` say how the mean is decoded.

    Args:
        members: that `check_agreement` accepts; the labels are in the order of the first one.
    """

    title: ClassVar[str] = "Ensemble"
    summary: ClassVar[str] = "Averages the probabilities of several trained taggers"
    paper: ClassVar[str] = "Ensemble Methods in Machine Learning, MCS 2000"
    needs_training: ClassVar[bool] = False
    built_from_documents: ClassVar[bool] = False
    Config: ClassVar[type[TaggerConfig]] = EnsembleConfig
    config: EnsembleConfig

    def __init__(self, members: Sequence[Tagger]) -> None:
        super().__init__()
        self.config = EnsembleConfig(len(members))
        self.labels = members[0].labels
        self.members = nn.ModuleList(members)
        self.uses_lexicon = any(member.uses_lexicon for member in members)
        self.average: Average = (
            MeanSpans(cast(Sequence[SpanTagger], members))
            if isinstance(members[0], SpanTagger)
            else MeanTags(cast(Sequence[SequenceTagger], members))
        )
        self.supports_nested = self.average.supports_nested
        self.usual_length = shortest([member.usual_length for member in members])

    @classmethod
    def of_folders(cls, folders: Sequence[Path]) -> Self:
        """The ensemble of the taggers in these model folders, in evaluation mode on the CPU.

        Raises:
            EnsembleError: they cannot be averaged; names the one that does not fit.
            ModelFolderError: one cannot be loaded.
        """
        check_agreement(folders)
        return cls([model_folder.load_tagger(folder) for folder in folders]).eval()

    @classmethod
    def build(cls, config: TaggerConfig, labels: Sequence[str], resources: Resources) -> Self:
        raise _not_from_documents()

    @classmethod
    def check_config(cls, config: TaggerConfig) -> None:
        raise _not_from_documents()

    @property
    def taggers(self) -> list[Tagger]:
        """The members."""
        return [cast(Tagger, member) for member in self.members]

    @property
    def lexicon(self) -> Lexicon | None:
        """The lexicon of the first member that has one; setting another sets that of all who read one."""
        found = (member.lexicon for member in self.taggers if member.uses_lexicon)
        return next((lexicon for lexicon in found if lexicon is not None), None)

    @lexicon.setter
    def lexicon(self, lexicon: Lexicon | None) -> None:
        for member in self.taggers:
            if member.uses_lexicon:
                member.lexicon = lexicon

    def collate(self, documents: Sequence[Document]) -> EnsembleBatch:
        return EnsembleBatch(tuple(documents), tuple(member.collate(documents) for member in self.taggers))

    def collate_with(
        self, documents: Sequence[Document], lexicons: Sequence[Lexicon | None]
    ) -> EnsembleBatch:
        if not self.uses_lexicon:
            return cast(EnsembleBatch, super().collate_with(documents, lexicons))
        batches = (
            member.collate_with(documents, lexicons) if member.uses_lexicon else member.collate(documents)
            for member in self.taggers
        )
        return EnsembleBatch(tuple(documents), tuple(batches))

    def collate_copies(self, document: Document, copies: int, label: str) -> EnsembleBatch:
        batches = (member.collate_copies(document, copies, label) for member in self.taggers)
        return EnsembleBatch((document,) * copies, tuple(batches))

    def embedding_hooks(self, batch: Batch) -> list[EmbeddingHook]:
        pairs = zip(self.taggers, self._batches(batch), strict=True)
        return [hook for member, part in pairs for hook in unit_hooks(member, part)]

    def encoder_part(self) -> nn.Module:
        """That of the first member that reads a lexicon, or else of the first."""
        reading = (member for member in self.taggers if member.uses_lexicon)
        return next(reading, self.taggers[0]).encoder_part()

    def units(self, document: Document) -> Units:
        return self.taggers[0].units(document)

    def loss(self, batch: Batch) -> Tensor:
        raise NotImplementedError("an ensemble has no loss, because its members are trained already")

    def token_scores(self, batch: Batch) -> TokenScores:
        raise NotImplementedError("an ensemble has no scores of tokens, only probabilities")

    @torch.no_grad()
    def decode(self, batch: Batch) -> list[list[Span]]:
        return [self.calibration.scaled(spans) for spans in self.average.decode(self._batches(batch))]

    @torch.no_grad()
    def trace(self, batch: Batch) -> list[Trace]:
        with evaluating(self):
            return self.average.trace(self._batches(batch), self.calibration, self.name)

    def span_log_probability(self, batch: Batch, span: Span) -> Tensor:
        pairs = zip(self.taggers, self._batches(batch), strict=True)
        logs = torch.stack([member.span_log_probability(part, span) for member, part in pairs])
        return self.calibration.log_probability(logs.logsumexp(0) - math.log(len(logs)), span.label)

    @torch.no_grad()
    def decode_and_score(self, batch: Batch, spans: Sequence[Span]) -> tuple[list[list[Span]], Tensor]:
        pairs = zip(self.taggers, self._batches(batch), strict=True)
        raw = torch.stack([member.decode_and_score(part, spans)[1] for member, part in pairs]).mean(0)
        return self.decode(batch), self.calibration.probabilities(raw, [span.label for span in spans])

    def cost(self, document: Document) -> int:
        return max(member.cost(document) for member in self.taggers)

    def save(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        model_folder.write_header(folder, self)
        for number, member in enumerate(self.taggers, start=1):
            member.save(folder / MEMBERS / str(number))

    @classmethod
    def load(cls, folder: Path) -> Self:
        header = model_folder.read_header(folder)
        config = header.config_of(folder, cls.Config)
        assert isinstance(config, EnsembleConfig)
        folders = [folder / MEMBERS / str(number) for number in range(1, config.members + 1)]
        try:
            ensemble = cls.of_folders(folders)
        except EnsembleError as error:
            raise ModelFolderError(
                "{reason}; {hint}", reason=message_of(error), hint=model_folder.HINT
            ) from error
        if ensemble.labels != header.labels:
            raise ModelFolderError(
                "{path} has other labels than its members; {hint}",
                path=folder / model_folder.HEADER,
                hint=model_folder.HINT,
            )
        ensemble.calibration = header.calibration
        return ensemble

    def _batches(self, batch: Batch) -> tuple[Batch, ...]:
        if not isinstance(batch, EnsembleBatch) or len(batch.members) != len(self.members):
            raise TypeError(f"{self.title} reads batches of its own collate, got {type(batch).__name__}")
        return batch.members


def _not_from_documents() -> ConfigError:
    return ConfigError(
        "an ensemble is made of trained runs, not of documents: python -m core ensemble --model RUN "
        "--model RUN --out DIR"
    )
