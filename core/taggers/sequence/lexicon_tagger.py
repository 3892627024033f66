"""The base of taggers that match the words of a lexicon over the characters, or phrases over the words."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

from core.encoders.static_embeddings import StaticEmbedding
from core.lexicon import Lattice, Lexicon
from core.taggers.base import model_folder
from core.taggers.base.config_fields import option
from core.taggers.base.embedding_hooks import EmbeddingHook
from core.taggers.base.tagger import Batch, Resources, TaggerConfig
from core.taggers.sequence.batch import Parts
from core.taggers.sequence.character_tagger import CharacterConfig, CharacterTagger
from core.taggers.sequence.encoder_features import EncoderFeatures, UnitEncoderConfig
from core.text import Document


@dataclass(frozen=True)
class LexiconConfig(UnitEncoderConfig, CharacterConfig):
    """Options of a tagger that reads words of a lexicon, and optionally a transformer."""

    encoder: str = option(
        "", "a transformer under the characters: its name on the hub, or a folder; empty has none"
    )
    use_lexicon: bool = option(True, "read the words of the lexicon", basic=True)
    longest_word: int = option(
        0, "leave out longer words than this, in characters; phrases, in words; 0 keeps all", bounds=(0, 100)
    )
    word_dim: int = option(50, "width of a word's vector, in the lexicon and in the text", bounds=(1, 1024))
    word_vectors: str = option("", "first values of words: empty, or the path of a .vec file")
    word_unknown: float = option(
        0.01, "share of the lexicon's words read as unknown in training", bounds=(0.0, 0.5)
    )

    @property
    def longest_read(self) -> int:
        """Maximum length of a word that is read; 0 for no limit."""
        return self.longest_word

    def lattice(self, document: Document, lexicon: Lexicon | None) -> Lattice:
        """The units of a document and the words matched over them; without a lexicon, units alone."""
        return Lattice.of(document.text, lexicon, self.longest_read, self.units(document))


class LexiconTagger(CharacterTagger):
    """A `CharacterTagger` that also reads the words of a lexicon wherever they occur.

    Where words are tagged, the lexicon's entries are phrases of one or more of them: they match where they
    begin and end with a word.

    Args:
        parts: with the table ``words`` besides those of the characters, the lexicon, and the transformer
            under the characters if the config names one.
    """

    uses_lexicon = True
    Config: ClassVar[type[TaggerConfig]] = LexiconConfig
    config: LexiconConfig

    def __init__(self, config: LexiconConfig, labels: Sequence[str], parts: Parts, width: int) -> None:
        super().__init__(config, labels, parts, width)
        self.words = parts.tables["words"]
        self.lexicon = parts.lexicon

    @property
    def lexicon(self) -> Lexicon | None:
        """The words that are matched; None if ``use_lexicon`` is off.

        Setting another one takes effect at once, without retraining; None stands for an empty lexicon.
        """
        return self._lexicon

    @lexicon.setter
    def lexicon(self, lexicon: Lexicon | None) -> None:
        self._lexicon = (lexicon if lexicon is not None else Lexicon()) if self.config.use_lexicon else None

    def lattice(self, document: Document) -> Lattice:
        """The units of a document and the words matched over them."""
        return self.config.lattice(document, self.lexicon)

    def lattices(
        self, documents: Sequence[Document], lexicons: Sequence[Lexicon | None]
    ) -> tuple[Lattice, ...]:
        """The lattice of every document with its lexicon; without one, units alone."""
        pairs = zip(documents, lexicons, strict=True)
        return tuple(self.config.lattice(document, lexicon) for document, lexicon in pairs)

    @abstractmethod
    def collate_with(self, documents: Sequence[Document], lexicons: Sequence[Lexicon | None]) -> Any:
        """As ``collate``, every document with a lexicon of its own."""

    def collate(self, documents: Sequence[Document]) -> Any:
        return self.collate_with(documents, [self.lexicon] * len(documents))

    def embedding_hooks(self, batch: Batch) -> list[EmbeddingHook]:
        return [*super().embedding_hooks(batch), *self.word_hooks(self.check_batch(batch))]

    def word_hooks(self, batch: Any) -> list[EmbeddingHook]:
        """The hooks of the word embeddings: here each word once, in the order of the lattice."""
        lattice: Lattice = batch.lattices[0]
        if not lattice.words:
            return []
        return [
            EmbeddingHook.of_nodes(self.words, [(node,) for node in range(lattice.characters, len(lattice))])
        ]

    def cost(self, document: Document) -> int:
        units = self.units(document)
        return Lattice.size(document.text, self.lexicon, self.config.longest_read, units)

    @classmethod
    def make_parts(cls, config: Any, resources: Resources) -> Parts:
        lexicon = None
        if config.use_lexicon:
            lexicon = resources.lexicon if resources.lexicon is not None else Lexicon.jieba()
        parts = super().make_parts(config, resources)
        words = StaticEmbedding.build(
            cls.matched_words(config, resources.documents, lexicon),
            config.word_dim,
            source=config.word_vectors if lexicon is not None else "",
            unknown_rate=config.word_unknown,
            keep=lambda token: lexicon is not None and token in lexicon,
        )
        return replace(
            parts,
            tables={**parts.tables, "words": words},
            lexicon=lexicon,
            encoder=EncoderFeatures.pretrained(config) if config.encoder else None,
        )

    @classmethod
    def matched_words(
        cls, config: Any, documents: Sequence[Document], lexicon: Lexicon | None
    ) -> Iterator[str]:
        """Every word matched in the training documents; these get a vector."""
        for document in documents:
            yield from (word.word for word in config.lattice(document, lexicon).words)

    @classmethod
    def table_rates(cls, config: Any) -> dict[str, float]:
        return {**super().table_rates(config), "words": config.word_unknown}

    def save_parts(self, folder: Path) -> None:
        super().save_parts(folder)
        if self.lexicon is not None:
            self.lexicon.save(folder / model_folder.LEXICON)

    @classmethod
    def read_parts(cls, config: Any, folder: Path) -> Callable[[], Parts]:
        fresh = super().read_parts(config, folder)
        lexicon = model_folder.read_lexicon(folder) if config.use_lexicon else None
        return lambda: replace(fresh(), lexicon=lexicon)
