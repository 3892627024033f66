"""SoftLexicon: Simplify the Usage of Lexicon in Chinese NER (Ma, Peng, Zhang, Wei and Huang, ACL 2020)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
import torch
from torch import Tensor, nn

from core.encoders.vocabulary import RESERVED
from core.layers.cnn import Cnn
from core.layers.recurrent.birnn import BiRnn
from core.layers.set_pooling import SETS, SetPooling, place_tags
from core.layers.transformer import Transformer
from core.lexicon import Lattice, Lexicon
from core.lexicon.word_counts import count_words
from core.taggers.base.embedding_hooks import EmbeddingHook
from core.taggers.base.layer_states import (
    CONTEXT,
    EMBEDDINGS,
    LAYER,
    LayerHook,
    input_hook,
    numbered_hooks,
    output_hook,
)
from core.taggers.base.registry import register
from core.taggers.base.tagger import Resources, TaggerConfig
from core.taggers.base.trace import LatticeTrace, WordSetsTrace
from core.taggers.sequence import tables
from core.taggers.sequence.batch import Encoded, Parts
from core.taggers.sequence.character_tagger import LSTM_SETTINGS, input_width
from core.taggers.sequence.lexicon_tagger import LexiconTagger
from core.taggers.soft_lexicon.config import SoftLexiconConfig
from core.taggers.soft_lexicon.features import SoftLexiconBatch
from core.taggers.soft_lexicon.word_sets import WordEntries, segment_tags, words_in
from core.text import Document


@register("soft_lexicon")
class SoftLexicon(LexiconTagger):
    """Character vectors extended by lexicon features; an LSTM, Transformer or CNN; and a CRF.

    ``softword`` embeds the BMES tag of one segmentation, ``exsoftword`` uses the tags of all matched words as
    a five-dimensional multi-hot vector (B, M, E, S, and O for none), ``soft`` pools word vectors.

    Counts come from the training texts and from ``Resources.unlabelled``: a word that occurs only inside
    longer ones has count 0, as in the paper. A word without a vector, such as one added after training, has
    the vector of the unknown word and count 1.

    Args:
        config: the options. labels: what to find, in the order of the tags.
        parts: tables of characters, bigrams and words, and the lexicon; without a lexicon, all sets are
            empty.

    Attributes:
        word_counts: z of every row of the word table, ``[rows]``.
    """

    title: ClassVar[str] = "SoftLexicon"
    summary: ClassVar[str] = "Every character knows the dictionary words it begins, continues and ends; quick"
    paper: ClassVar[str] = "Simplify the Usage of Lexicon in Chinese NER, ACL 2020"
    takes_words = True
    learns_best_with: ClassVar[Mapping[str, Any]] = LSTM_SETTINGS
    Config: ClassVar[type[TaggerConfig]] = SoftLexiconConfig
    config: SoftLexiconConfig
    word_counts: Tensor

    def __init__(self, config: SoftLexiconConfig, labels: Sequence[str], parts: Parts) -> None:
        words = parts.tables["words"]
        added = {"soft": SETS * words.dimension, "exsoftword": SETS + 1, "softword": config.segment_dim}
        context = sequence_layer(config, input_width(config, parts) + added[config.lexicon_features])
        super().__init__(config, labels, parts, context.width)
        self.context = context
        if config.lexicon_features == "soft":
            self.pooling = SetPooling(words.dimension)
            self.register_buffer("word_counts", torch.ones(len(words.vocabulary)))
        else:
            self.words.requires_grad_(False)  # an empty table: tags need no vectors of words
        if config.lexicon_features == "softword":
            self.segment_vectors = nn.Embedding(SETS, config.segment_dim)

    @classmethod
    def create(cls, config: SoftLexiconConfig, labels: Sequence[str], parts: Parts) -> SoftLexicon:
        return cls(config, labels, parts)

    @classmethod
    def build(cls, config: TaggerConfig, labels: Sequence[str], resources: Resources) -> SoftLexicon:
        tagger = super().build(config, labels, resources)
        if tagger.config.lexicon_features == "soft":
            documents = (*resources.documents, *resources.unlabelled)
            lattices = map(tagger.lattice, documents)
            counts = count_words(lattices, tagger.lexicon)
            # Words with a pretrained vector that occur in no text have count 1, like unknown ones.
            row_counts = [float(counts.get(word, 1)) for word in tagger.words.vocabulary.tokens]
            tagger.word_counts[RESERVED:] = torch.tensor(row_counts)
        return tagger

    @classmethod
    def matched_words(
        cls, config: Any, documents: Sequence[Document], lexicon: Lexicon | None
    ) -> Iterator[str]:
        if config.lexicon_features == "soft":
            for document in documents:
                lattice = config.lattice(document, lexicon)
                yield from (word.word for word in words_in(lattice, lexicon))

    def collate_with(
        self, documents: Sequence[Document], lexicons: Sequence[Lexicon | None]
    ) -> SoftLexiconBatch:
        fields = self.input_fields(documents)
        lattices = self.lattices(documents, lexicons)
        segments = None
        if self.config.lexicon_features == "softword":
            segments = tables.padded([segment_tags(lattice) for lattice in lattices])
        entries = WordEntries.of(lattices, lexicons, fields["mask"].shape[1])
        return SoftLexiconBatch(
            **fields,
            words=torch.from_numpy(self._rows(entries)),
            slots=torch.from_numpy(entries.slots),
            segments=segments,
        )

    def word_hooks(self, batch: SoftLexiconBatch) -> list[EmbeddingHook]:
        """The words by their entries in the sets; word tags are not embeddings of text and have no hook."""
        if self.config.lexicon_features != "soft":
            return []
        lattice = self.lattice(batch.documents[0])
        words = words_in(lattice, self.lexicon)
        # Words of the lattice come first; a single-character word has the node of its character.
        count, within = lattice.characters, len(lattice.words)
        nodes = [count + i if i < within else word.head for i, word in enumerate(words)]
        entries = WordEntries.of([lattice], [self.lexicon], count)
        return (
            [EmbeddingHook.of_nodes(self.words, [(nodes[word],) for word in entries.word])] if words else []
        )

    def encode(self, batch: SoftLexiconBatch, need_weights: bool = False) -> Encoded:
        vectors = torch.cat([self.input_vectors(batch), self.lexicon_vectors(batch)], dim=-1)
        if not isinstance(self.context, Transformer):
            return Encoded(self.context(vectors, batch.mask))
        attention: list[Tensor] = []
        hidden = self.context(vectors, batch.mask, attention if need_weights else None)
        return Encoded(hidden, attention=attention)

    def layer_hooks(self, batch: SoftLexiconBatch) -> list[LayerHook]:
        context = self.context
        context_hooks = (
            numbered_hooks(LAYER, context.layers)
            if isinstance(context, Transformer)
            else [output_hook(CONTEXT, context)]
        )
        return [*super().layer_hooks(batch), input_hook(EMBEDDINGS, context), *context_hooks]

    def lexicon_vectors(self, batch: SoftLexiconBatch) -> Tensor:
        """The lexicon features of every character, after dropout, ``[B, T, added width]``."""
        positions = batch.mask.numel()
        if batch.segments is not None:
            vectors = self.embedding_dropout(self.segment_vectors(batch.segments.flatten()))
        elif self.config.lexicon_features == "exsoftword":
            vectors = place_tags(batch.slots, positions).to(self.characters.table.weight.dtype)
        else:
            counts = self.word_counts[batch.words]
            pooled = self.pooling(self.words(batch.words), counts, batch.slots, positions)
            vectors = self.embedding_dropout(pooled)
        features: Tensor = vectors.unflatten(0, batch.mask.shape)
        return features

    def cost(self, document: Document) -> int:
        return len(self.units(document))

    def trace_parts(self, batch: SoftLexiconBatch, encoded: Encoded, index: int) -> dict[str, Any]:
        matched = self.lattice(batch.documents[index])
        lattice, length = LatticeTrace.of(matched, self.lexicon), matched.characters
        beyond = len(matched) - length
        attention = [weights[index, :, :length, :length].float().cpu() for weights in encoded.attention]
        return {
            **super().trace_parts(batch, encoded, index),
            "lattice": lattice,
            # Characters attend to characters: words are nodes of the lattice, and have no weight.
            "attention": tuple(
                np.pad(weights.numpy(), ((0, 0), (0, 0), (0, beyond))) for weights in attention
            ),
            "word_sets": self._word_sets(matched) if self.config.lexicon_features == "soft" else None,
        }

    def _word_sets(self, lattice: Lattice) -> WordSetsTrace:
        length = lattice.characters
        entries = WordEntries.of([lattice], [self.lexicon], length)
        counts = self.word_counts.cpu()[torch.from_numpy(self._rows(entries))]
        weights, _ = self.pooling.weights(counts, torch.from_numpy(entries.slots), length)
        words = tuple(entries.surfaces[word] for word in entries.word)
        return WordSetsTrace(words, entries.slots // SETS, entries.slots % SETS, weights.numpy())

    def _rows(self, entries: WordEntries) -> np.ndarray:
        """Table row of the word of every entry, ``[E]``."""
        rows = np.array(self.words.vocabulary.rows(entries.surfaces), dtype=np.int64)
        return rows[entries.word]


def sequence_layer(config: SoftLexiconConfig, width: int) -> BiRnn | Transformer | Cnn:
    """The configured sequence layer over character vectors of this width."""
    match config.sequence_layer:
        case "transformer":
            return Transformer(
                width, config.hidden, config.layers, config.heads, dropout=config.layer_dropout
            )
        case "cnn":
            return Cnn(width, config.hidden, config.layers, config.kernel, config.layer_dropout)
        case _:
            return BiRnn(width, config.hidden, config.layers, config.layer_dropout)
