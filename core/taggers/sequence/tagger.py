"""The base of sequence taggers: emissions, a CRF or softmax over them, decoding, traces."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, fields, replace
from itertools import chain
from pathlib import Path
from typing import Any, ClassVar

import torch
from torch import Tensor, nn
from torch.nn import functional
from typing_extensions import Self

from core.encoders.static_embeddings import StaticEmbedding
from core.encoders.word_vectors import JIEBA, VectorsError
from core.layers import CRF
from core.layers.evaluating import evaluating
from core.runtime.message import Message, ToldValueError, message_of
from core.taggers.base import model_folder
from core.taggers.base.config_fields import ConfigError, config_fields, option
from core.taggers.base.layer_states import OUTPUT, LayerHook, LayerState, at_characters, capture_layers
from core.taggers.base.tagger import Batch, Resources, Tagger, TaggerConfig, TokenScores
from core.taggers.base.trace import Trace
from core.taggers.sequence import tables
from core.taggers.sequence.batch import Encoded, Parts, SequenceBatch, labelled_mask
from core.taggers.sequence.crf_decoding import CrfDecoder
from core.taggers.sequence.encoder_features import EncoderConfig, EncoderFeatures
from core.taggers.sequence.segments import capture_segments, segment_trace
from core.taggers.sequence.unit_choice import UnitConfig, check_unit, settled, unit_notes
from core.text import Document, Span
from core.text.units import Units, in_units


@dataclass(frozen=True)
class SequenceConfig(UnitConfig):
    """Options of a tagger that gives each character or word a tag."""

    head: str = option("crf", "tags chosen together by a CRF, or one by one", choices=("crf", "softmax"))
    scheme: str = option("BMES", "how spans are spelt as tags", choices=("BMES", "BIOES"))
    constrained: bool = option(True, "decode legal tag sequences only")
    crf_rate: float = option(5.0, "the CRF's learning rate, as a multiple", bounds=(0.01, 1000.0))
    output_dropout: float = option(0.3, "dropout before the tag scores", bounds=(0.0, 0.9))


class SequenceTagger(Tagger):
    """A tagger with one tag per unit, character or word (``units``).

    ``encode`` gives hidden states, a linear layer tag scores, a CRF spans.

    A softmax head is the same CRF with transitions fixed at zero: paths then factor over units, and
    constrained decoding, marginals and span probabilities stay exact.

    A subclass builds its parts (``make_parts``), converts text to tensors (``collate``) and encodes them
    (``encode``).

    Args:
        config: the options, ``unit`` settled. labels: what to find, in the order of the tags.
        parts: embedding tables, lexicon, encoder; without a head the tagger scores no tags and serves as the
            encoder of another one (`Pu`). width: D, width of the output of ``encode``.

    Class attributes:
        head_options: config fields that only the head uses; without it, characters are read.
        takes_words: whether it can tag words.
    """

    takes_words: ClassVar[bool] = False
    head_options: ClassVar[frozenset[str]] = frozenset(field.name for field in fields(SequenceConfig))
    Config: ClassVar[type[TaggerConfig]] = SequenceConfig
    config: SequenceConfig

    def __init__(self, config: SequenceConfig, labels: Sequence[str], parts: Parts, width: int) -> None:
        super().__init__()
        self.config = config
        self.labels = tuple(labels)
        self.width = width
        self.decoder = CrfDecoder(self.labels, config.scheme, config.constrained)
        if not parts.head:
            return
        self.output_dropout = nn.Dropout(config.output_dropout)
        self.emission = nn.Linear(width, len(self.decoder.tags))
        self.crf = CRF(len(self.decoder.tags))
        if config.head == "softmax":
            for parameter in self.crf.parameters():
                nn.init.zeros_(parameter.requires_grad_(False))

    @classmethod
    @abstractmethod
    def create(cls, config: Any, labels: Sequence[str], parts: Parts) -> Self:
        """A tagger of these parts, its own weights freshly initialised."""

    @classmethod
    @abstractmethod
    def make_parts(cls, config: Any, resources: Resources) -> Parts:
        """Fresh tables for the training documents, and the lexicon and encoder that the config names.

        Raises:
            ConfigError, VectorsError: a file that the config names cannot be used.
        """

    @abstractmethod
    def encode(self, batch: Any, need_weights: bool = False) -> Encoded:
        """Units ``[B, T]``, at least one of them, to hidden states ``[B, T, D]``."""

    def trace_parts(self, batch: Any, encoded: Encoded, index: int) -> dict[str, Any]:
        """Fields of the `Trace` of one sentence beyond the text and the CRF."""
        return {}

    @classmethod
    def build(cls, config: TaggerConfig, labels: Sequence[str], resources: Resources) -> Self:
        assert isinstance(config, SequenceConfig)
        check_unit(config, cls.title, cls.takes_words)
        decided = cls.settle(config, resources)
        try:
            parts = cls.make_parts(decided, resources)
        except VectorsError as error:
            raise ConfigError(message_of(error)) from error
        tagger = cls.create(decided, labels, replace(parts, head=resources.head))
        before, after = asdict(config), asdict(decided)
        tagger.given = {name: value for name, value in before.items() if value != after[name]}
        return tagger

    @classmethod
    def settle(cls, config: Any, resources: Resources) -> Any:
        """The config without ``auto``: what the training texts decide is decided."""
        return settled(config, resources, cls.takes_words)

    @classmethod
    def check_config(cls, config: TaggerConfig) -> None:
        assert isinstance(config, SequenceConfig)
        check_unit(config, cls.title, cls.takes_words)
        for field in config_fields(type(config)):
            value = getattr(config, field.name)
            named = field.name.endswith("_vectors") and value not in ("", JIEBA, field.default)
            if named and not Path(value).is_file():
                raise ConfigError(
                    "{name}: there is no file {value}; give the path of a .vec file",
                    name=field.in_error,
                    value=value,
                )
        if isinstance(config, EncoderConfig) and config.encoder:
            EncoderFeatures.without_weights(config)

    def units(self, document: Document) -> Units:
        return self.config.units(document)

    def notes(self, documents: Sequence[Document]) -> tuple[Message, ...]:
        return unit_notes(self.config, documents)

    def sequence_fields(self, documents: Sequence[Document]) -> dict[str, Any]:
        """The fields of a `SequenceBatch`, for ``collate``."""
        units = tuple(self.units(document) for document in documents)
        rows = [
            self.decoder.encode(in_units(at, document.spans)[0], len(at))
            for at, document in zip(units, documents, strict=True)
        ]
        lengths = torch.tensor([len(row) for row in rows], dtype=torch.long)
        tags = tables.padded(rows)
        mask = torch.arange(tags.shape[1]) < lengths[:, None]
        return {
            "documents": tuple(documents),
            "mask": mask,
            "tags": tags,
            "units": units,
            "labelled": labelled_mask(documents, units, mask),
        }

    def loss(self, batch: Batch) -> Tensor:
        return self.loss_and_scores(batch)[0]

    def loss_and_scores(self, batch: Batch) -> tuple[Tensor, TokenScores]:
        checked = self.check_batch(batch)
        emissions, encoded = self._emissions(checked)
        likelihood = self._log_likelihood(emissions, checked)
        # Empty sentences add nothing; the second term keeps a graph if all are empty.
        loss = -(likelihood.sum() + 0.0 * emissions.sum()) / max(len(checked.documents), 1)
        scores = _scores(emissions, checked, encoded)
        return scores.total_loss(loss), scores

    def _log_likelihood(self, emissions: Tensor, batch: SequenceBatch) -> Tensor:
        """Log-probability of the known tags of every sentence, ``[B]``, summed over all tags elsewhere."""
        if batch.labelled is None:
            return self.crf.log_likelihood(emissions, batch.tags, batch.mask)
        if self.config.head == "softmax":  # the same, but unknown characters have an exactly zero gradient
            chances = emissions.log_softmax(2).gather(2, batch.tags[..., None]).squeeze(2)
            return chances.masked_fill(~(batch.mask & batch.labelled), 0.0).sum(1)
        allowed = functional.one_hot(batch.tags, emissions.shape[2]).bool() | ~batch.labelled[..., None]
        return self.crf.partial_log_likelihood(emissions, allowed, batch.mask)

    def emissions(self, batch: SequenceBatch) -> Tensor:
        """Tag scores ``[B, T, K]``."""
        return self._emissions(batch)[0]

    def log_marginals(self, emissions: Tensor, mask: Tensor) -> Tensor:
        """Log-probability of every tag at every unit under all tag sequences, ``[B, T, K]``, differentiable.

        Args:
            emissions: tag scores, ``[B, T, K]``. mask: True at units, ``[B, T]``.
        """
        if self.config.head == "softmax":  # the same, without sums over paths
            return emissions.log_softmax(2)
        return self.crf.log_marginals(emissions, mask)

    def token_scores(self, batch: Batch) -> TokenScores:
        checked = self.check_batch(batch)
        emissions, encoded = self._emissions(checked)
        return _scores(emissions, checked, encoded)

    @torch.no_grad()
    def decode(self, batch: Batch) -> list[list[Span]]:
        checked = self.check_batch(batch)
        found = self.decoder.decode(self.crf, self.emissions(checked), checked.mask)
        return self._in_texts(checked.units, found)

    def span_log_probability(self, batch: Batch, span: Span) -> Tensor:
        checked = self.check_batch(batch)
        places = {units.exactly(span) for units in checked.units}
        (place,) = places if len(places) == 1 else (None,)
        if place is None:
            raise ToldValueError(
                "{title} gives a probability only to spans that begin and end with a word", title=self.title
            )
        raw = self.decoder.log_probability(self.crf, self.emissions(checked), checked.mask, place)
        return self.calibration.log_probability(raw, span.label)

    @torch.no_grad()
    def decode_and_score(self, batch: Batch, spans: Sequence[Span]) -> tuple[list[list[Span]], Tensor]:
        checked = self.check_batch(batch)
        emissions = self.emissions(checked)
        places = [[units.exactly(span) for span in spans] for units in checked.units]
        raw = self.decoder.span_probabilities(self.crf, emissions, checked.mask, places)
        weights = self.calibration.probabilities(raw, [span.label for span in spans])
        found = self.decoder.decode(self.crf, emissions, checked.mask)
        return self._in_texts(checked.units, found), weights

    @torch.no_grad()
    def trace(self, batch: Batch) -> list[Trace]:
        checked = self.check_batch(batch)
        with evaluating(self):
            with capture_segments(self) as segments:
                emissions, encoded = self._emissions(checked, need_weights=True)
            return self._traces(checked, emissions, encoded or Encoded(emissions), segments)

    def layer_hooks(self, batch: Any) -> list[LayerHook]:
        """Hooks for the layers that ``layer_states`` shows below the input of the emission layer."""
        return []

    @torch.no_grad()
    def layer_states(self, batch: Batch) -> list[LayerState]:
        checked = self.check_batch(batch)
        if not checked.mask.shape[1]:  # blanks only, which are no words
            longest = max(len(document.text) for document in checked.documents)
            shape = (len(checked.mask), longest, self.width)
            return [LayerState(OUTPUT, torch.zeros(shape, device=checked.mask.device))]
        with evaluating(self), capture_layers(self.layer_hooks(checked)) as captured:
            hidden = self.encode(checked).hidden
        layers = [*chain.from_iterable(captured), LayerState(OUTPUT, hidden)]
        return at_characters(layers, checked.mask, checked.units)

    def cost(self, document: Document) -> int:
        return len(self.units(document))

    def rates(self) -> list[tuple[Iterable[nn.Parameter], float]]:
        """Parameters below the head with a multiple of the learning rate; all others use the rate itself."""
        return []

    def parameter_groups(self) -> list[dict[str, Any]]:
        crf = [(self.crf.parameters(), self.config.crf_rate)] if self.config.head == "crf" else []
        special = [(list(parameters), rate) for parameters, rate in [*crf, *self.rates()]]
        grouped = {id(parameter) for parameters, _ in special for parameter in parameters}
        grouped |= {id(parameter) for parameter in self.crf.parameters()}
        rest = [parameter for parameter in self.parameters() if id(parameter) not in grouped]
        return [
            {"params": parameters, "lr_scale": rate}
            for parameters, rate in [(rest, 1.0), *special]
            if parameters
        ]

    def save(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        model_folder.write_header(folder, self)
        self.save_parts(folder)
        model_folder.write_tensors(folder, self.state_dict())

    def save_parts(self, folder: Path) -> None:
        """Write vocabularies, lexicon and the encoder's structure; weights are saved with all others."""
        embeddings = {
            name: module for name, module in self.named_children() if isinstance(module, StaticEmbedding)
        }
        if embeddings:
            tables.write_tables(folder, embeddings)

    @classmethod
    def load(cls, folder: Path) -> Self:
        header = model_folder.read_header(folder)
        config = header.config_of(folder, cls.Config)
        parts = cls.read_parts(config, folder)
        tagger = model_folder.with_weights(folder, lambda: cls.create(config, header.labels, parts()))
        tagger.given = header.given
        return tagger

    @classmethod
    def read_parts(cls, config: Any, folder: Path) -> Callable[[], Parts]:
        """Read what ``save_parts`` wrote; returns a factory of fresh modules of those shapes.

        Raises:
            ModelFolderError: a file is missing or damaged; says which.
        """
        rates = cls.table_rates(config)
        fresh = tables.read_tables(folder, rates) if rates else dict
        return lambda: Parts(tables=fresh())

    @classmethod
    def table_rates(cls, config: Any) -> dict[str, float]:
        """Names of the embedding tables, and the share of tokens that each replaces by the unknown one in
        training."""
        return {}

    def check_batch(self, batch: Batch) -> Any:
        """``batch``, checked to come from this tagger's ``collate``.

        Raises:
            TypeError: it does not.
        """
        if not isinstance(batch, SequenceBatch):
            raise TypeError(f"{self.title} reads batches of its own collate, got {type(batch).__name__}")
        return batch

    def _emissions(self, batch: SequenceBatch, need_weights: bool = False) -> tuple[Tensor, Encoded | None]:
        if not batch.mask.shape[1]:  # only empty texts: nothing to encode
            empty = self.emission.weight.new_zeros(len(batch.documents), 0, self.emission.in_features)
            return self.emission(empty), None
        encoded = self.encode(batch, need_weights)
        scores: Tensor = self.emission(self.output_dropout(encoded.hidden))
        # Half precision, in which the layers below may run, is too coarse for sums over all paths.
        return scores.to(torch.promote_types(scores.dtype, torch.float32)), encoded

    def _traces(
        self, batch: SequenceBatch, emissions: Tensor, encoded: Encoded, segments: Sequence[Tensor]
    ) -> list[Trace]:
        chains = self.decoder.traces(self.crf, emissions, batch.mask, learned=self.config.head == "crf")
        best_spans = [self.decoder.read(chain.path.tolist()) for chain in chains]
        spans = self._in_texts(batch.units, self.decoder.score(self.crf, emissions, batch.mask, best_spans))
        traces, mixes = [], self.mixes()
        for index, document in enumerate(batch.documents):
            traces.append(
                Trace(
                    text=document.text,
                    tokens=batch.units[index].surfaces(document.text),
                    spans=tuple(spans[index]),
                    tagger=self.name,
                    units=batch.units[index],
                    crf=chains[index],
                    segments=segment_trace(segments, index, len(batch.units[index])),
                    **{"mixes": mixes, **self.trace_parts(batch, encoded, index)},
                )
            )
        return traces

    def _in_texts(self, units: Sequence[Units], spans: Sequence[Sequence[Span]]) -> list[list[Span]]:
        """Spans counted in units, by sentence, as spans of the texts with calibrated scores."""
        return [
            self.calibration.scaled(map(at.in_text, found)) for at, found in zip(units, spans, strict=True)
        ]


def _scores(emissions: Tensor, batch: SequenceBatch, encoded: Encoded | None) -> TokenScores:
    """The token scores of a batch; positions with unknown gold tags are masked out."""
    mask = batch.mask if batch.labelled is None else batch.mask & batch.labelled
    if encoded is None:
        return TokenScores(emissions, batch.tags, mask)
    return TokenScores(emissions, batch.tags, mask, encoded.share, encoded.auxiliary)
