"""The arrays of taggers over tables or a transformer."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from core.encoders.elmo.tokens import index_tokens, tokens_of
from core.encoders.vocabulary import bigrams
from core.export.onnx.features.features import Arrays, Features, padded
from core.taggers.pu.character_kinds import kind_of
from core.taggers.sequence.spellings import token_rows
from core.taggers.soft_lexicon.word_sets import WordEntries, segment_tags
from core.text import Document


class PieceFeatures(Features):
    """Of a fine-tuned transformer."""

    def __call__(self, documents: Sequence[Document]) -> Arrays:
        return {"mask": self.mask(documents), **self.piece_arrays(documents)}


class QueryFeatures(PieceFeatures):
    """Of BERT-MRC: every text after every query, which are the rows of all arrays."""

    def __call__(self, documents: Sequence[Document]) -> Arrays:
        return super().__call__([document for document in documents for _ in self.sources.queries])

    def queries(self, documents: Sequence[Document]) -> Sequence[str]:
        return self.sources.queries * (len(documents) // len(self.sources.queries))


class CharacterFeatures(Features):
    """Of a tagger over tables of characters and bigrams, or of words."""

    def __call__(self, documents: Sequence[Document]) -> Arrays:
        tables = self.sources.vocabularies
        texts = [document.text for document in documents]
        if self.sources.unit == "word":
            surfaces = [self.sources.units(document).surfaces(document.text) for document in documents]
            rows = token_rows(surfaces, tables)
        else:
            rows = {"characters": [tables["characters"].rows(text) for text in texts]}
            if "bigrams" in tables:
                rows["bigrams"] = [tables["bigrams"].rows(bigrams(text)) for text in texts]
        arrays = {name: padded(part) for name, part in rows.items()}
        return {"mask": self.mask(documents), **arrays, **self.piece_arrays(documents)}


class PuFeatures(CharacterFeatures):
    """And the kind of every character."""

    def __call__(self, documents: Sequence[Document]) -> Arrays:
        kinds = [[kind_of(character) for character in document.text] for document in documents]
        return {**super().__call__(documents), "kinds": padded(kinds)}


class ElmoFeatures(CharacterFeatures):
    """And the tokens of ELMo, with the one that every character lies in."""

    def __call__(self, documents: Sequence[Document]) -> Arrays:
        elmo = self.sources.elmo
        assert elmo is not None
        read = [tokens_of(document.text, elmo.unit) for document in documents]
        indexed = index_tokens([tokens for tokens, _ in read], elmo.longest, elmo.widest)
        return {
            **super().__call__(documents),
            "elmo_rows": indexed.rows,
            "elmo_tokens": indexed.tokens,
            "elmo_lengths": indexed.lengths,
            "token_of": padded([numbers for _, numbers in read]),
        }


class SoftLexiconFeatures(CharacterFeatures):
    """And the word sets of every character."""

    def __call__(self, documents: Sequence[Document]) -> Arrays:
        arrays = super().__call__(documents)
        lattices = self.sources.lattices(documents)
        if self.sources.lexicon_features == "softword":
            arrays["segments"] = padded([segment_tags(lattice) for lattice in lattices])
            return arrays
        entries = WordEntries.of(lattices, [self.sources.lexicon] * len(lattices), arrays["mask"].shape[1])
        slots, rows = entries.slots, np.zeros(0, dtype=np.int64)
        if self.sources.lexicon_features == "soft":
            found = np.array(self.sources.vocabularies["words"].rows(entries.surfaces), dtype=np.int64)
            rows = found[entries.word]
        arrays["slots"] = slots
        if self.sources.lexicon_features == "soft":
            arrays["words"] = rows
        return arrays


class LrCnnFeatures(CharacterFeatures):
    """And the words of every length, with the positions of their first and last characters."""

    def __call__(self, documents: Sequence[Document]) -> Arrays:
        arrays = super().__call__(documents)
        chars = arrays["mask"].shape[1]
        words = [
            (row * chars + word.head, row * chars + word.tail, word.word)
            for row, lattice in enumerate(self.sources.lattices(documents))
            for word in lattice.words
        ]
        # One word of no length, which no layer reads: graphs keep their shape.
        firsts, lasts = [0, *(first for first, _, _ in words)], [0, *(last for _, last, _ in words)]
        rows = [0, *self.sources.vocabularies["words"].rows([word for _, _, word in words])]
        arrays["words"] = np.array(rows, dtype=np.int64)
        arrays["word_first"] = np.array(firsts, dtype=np.int64)
        arrays["word_last"] = np.array(lasts, dtype=np.int64)
        arrays["word_length"] = np.array([0, *(last - first + 1 for first, last, _ in words)], dtype=np.int64)
        return arrays
