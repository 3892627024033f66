"""BiLSTM-CRF over characters or words, the standard baseline."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

from torch import Tensor, nn
from typing_extensions import Self

from core.encoders.word_embedding import WordEmbedding
from core.layers.birnn import BiRnn
from core.taggers.base import word_reader
from core.taggers.base.character_tagger import (
    CharacterBatch,
    CharacterConfig,
    CharacterTagger,
    character_width,
)
from core.taggers.base.config_fields import option
from core.taggers.base.embedding_hooks import EmbeddingHook
from core.taggers.base.layer_states import CONTEXT, EMBEDDINGS, LayerHook, input_hook, output_hook
from core.taggers.base.registry import register
from core.taggers.base.sequence_batch import Encoded, Parts
from core.taggers.base.sequence_tagger import SequenceTagger
from core.taggers.base.tagger import Batch, Resources, TaggerConfig
from core.taggers.base.word_reader import AUTO, WORD, WordBatch, WordConfig, WordReader
from core.text import Document
from core.text.message import Message, _
from core.text.units import Units, in_units, preferred_unit, units_of


@dataclass(frozen=True)
class BiLstmCrfConfig(WordConfig, CharacterConfig):
    """Options of the BiLSTM-CRF; widths and dropout as in Lattice LSTM's character baseline."""

    hidden: int = option(200, "width of each direction", minimum=1, maximum=2048, basic=True)
    layers: int = option(1, "LSTM layers, one over the other", minimum=1, maximum=8, basic=True)
    layer_dropout: float = option(0.0, "dropout between LSTM layers", minimum=0.0, maximum=0.9)

    @property
    def reads_words(self) -> bool:
        """Whether words are tagged; ``auto``, which ``build`` settles, is characters elsewhere."""
        return self.unit == WORD


@register("bilstm_crf")
class BiLstmCrf(CharacterTagger):
    """Embeddings of characters and bigrams, or of words, a BiLSTM, and a CRF.

    Words are read as in Ma and Hovy (ACL 2016) and Lample et al. (NAACL 2016): their own vectors, and a CNN
    or LSTM over their characters; besides, a vector of their shape.

    Args:
        config: the options, ``unit`` settled. labels: what to find, in the order of the tags.
        parts: tables of characters and bigrams, or of words, their characters and shapes.
    """

    title: ClassVar[str] = "BiLSTM-CRF"
    summary: ClassVar[str] = (
        "Characters or words read from both sides by LSTMs: small, quick, the usual baseline"
    )
    paper: ClassVar[str] = "Bidirectional LSTM-CRF Models for Sequence Tagging, arXiv 1508.01991, 2015"
    # Under another tagger, which replaces the head, characters are read.
    head_options: ClassVar[frozenset[str]] = SequenceTagger.head_options | {"unit"}
    Config: ClassVar[type[TaggerConfig]] = BiLstmCrfConfig
    config: BiLstmCrfConfig

    def __init__(self, config: BiLstmCrfConfig, labels: Sequence[str], parts: Parts) -> None:
        super().__init__(config, labels, parts, 2 * config.hidden)
        self.words = parts.tables.get("words")
        self.shapes = parts.tables.get("shapes")
        self.reader = WordReader(config, parts.tables) if config.reads_words else None
        width = character_width(parts) if self.reader is None else self.reader.width
        self.context = BiRnn(width, config.hidden, config.layers, config.layer_dropout)

    @classmethod
    def create(cls, config: BiLstmCrfConfig, labels: Sequence[str], parts: Parts) -> BiLstmCrf:
        return cls(config, labels, parts)

    @classmethod
    def build(cls, config: TaggerConfig, labels: Sequence[str], resources: Resources) -> Self:
        assert isinstance(config, BiLstmCrfConfig)
        if config.unit == AUTO and resources.head:
            config = replace(config, unit=preferred_unit(resources.documents))
        return super().build(config, labels, resources)

    @classmethod
    def make_tables(cls, config: Any, texts: Sequence[str]) -> dict[str, Any]:
        if config.reads_words:
            return dict(word_reader.make_tables(config, texts))
        return super().make_tables(config, texts)

    @classmethod
    def table_rates(cls, config: Any) -> dict[str, float]:
        return word_reader.table_rates(config) if config.reads_words else super().table_rates(config)

    @classmethod
    def read_parts(cls, config: Any, folder: Path) -> Callable[[], Parts]:
        fresh = super().read_parts(config, folder)
        return word_reader.with_words(fresh) if config.reads_words else fresh

    def units(self, text: str) -> Units:
        return units_of(text, "character" if self.reader is None else "word")

    def notes(self, documents: Sequence[Document]) -> tuple[Message, ...]:
        if self.reader is None:
            return ()
        found = [in_units(self.units(document.text), document.spans) for document in documents]
        moved, lost = (sum(counts) for counts in zip(*((m, n) for _spans, m, n in found), strict=True))
        notes = [_("Words are tagged, not characters: predicted spans begin and end with a word.")]
        if moved or lost:
            notes.append(
                _(
                    "{moved} of the {spans} training spans begin or end inside a word or with a blank and "
                    "are learned as whole words; {lost} are left out, because they overlap others then or "
                    "hold no word. Dev and test keep theirs.",
                    moved=moved,
                    spans=sum(len(document.spans) for document in documents),
                    lost=lost,
                )
            )
        return tuple(notes)

    def collate(self, documents: Sequence[Document]) -> CharacterBatch | WordBatch:
        if not isinstance(self.words, WordEmbedding):
            return CharacterBatch(**self.character_fields(documents))
        surfaces = [self.units(document.text).surfaces(document.text) for document in documents]
        rows = word_reader.word_fields(surfaces, self.words, self.characters, self.shapes)
        return WordBatch(**{**self.sequence_fields(documents), **rows})

    def encode(self, batch: CharacterBatch | WordBatch, need_weights: bool = False) -> Encoded:
        vectors = self._word_vectors(batch) if isinstance(batch, WordBatch) else self.character_vectors(batch)
        return Encoded(self.context(vectors, batch.mask))

    def _word_vectors(self, batch: WordBatch) -> Tensor:
        assert self.words is not None
        assert self.reader is not None
        shapes = None if self.shapes is None else self.shapes(batch.shapes)
        vectors: Tensor = self.reader(
            self.words(batch.words), self.characters(batch.spellings), batch, shapes
        )
        return vectors

    def layer_hooks(self, batch: CharacterBatch | WordBatch) -> list[LayerHook]:
        return [
            *super().layer_hooks(batch),
            input_hook(EMBEDDINGS, self.context),
            output_hook(CONTEXT, self.context),
        ]

    def embedding_hooks(self, batch: Batch) -> list[EmbeddingHook]:
        if self.reader is None:
            return super().embedding_hooks(batch)
        (units,) = self.check_batch(batch).units
        return [EmbeddingHook.of_nodes(self.reader, [(at,) for at in range(len(units))])]

    def embedding_weights(self) -> list[nn.Parameter]:
        weights = super().embedding_weights()
        return weights if self.shapes is None else [w for w in weights if w is not self.shapes.table.weight]
