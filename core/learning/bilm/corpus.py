"""The corpus of a biLM: token types by sentence, and the characters of every type."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from torch import Tensor

from core.encoders.elmo.options import ElmoOptions
from core.encoders.elmo.tokens import token_offsets
from core.learning.bilm.config import SoftmaxConfig
from core.learning.bilm.stream import BilmStream
from core.learning.bilm.vocabulary import UNKNOWN, BilmVocabulary, TokenTypes
from core.text import Document
from core.text.segmentation import sentences

Sentences = list[list[int]]


@dataclass(frozen=True, slots=True)
class BilmCorpus:
    """Training and dev text.

    Args:
        vocabulary: the words predicted. characters: of every token type, ``[types, C]``.
        documents: token types by sentence of every training document.
        dev: the same for the dev documents; may be empty.
    """

    vocabulary: BilmVocabulary
    characters: Tensor
    documents: list[Sentences]
    dev: list[Sentences]

    @classmethod
    def of(
        cls,
        documents: Sequence[Document],
        dev: Sequence[Document],
        options: ElmoOptions,
        words: SoftmaxConfig | BilmVocabulary,
    ) -> BilmCorpus:
        """Tokenise documents and number the types.

        Args:
            words: how to choose the predicted words, or an existing vocabulary.
        """
        learned = [document_sentences(document, options.unit) for document in documents]
        measured = [document_sentences(document, options.unit) for document in dev]
        if isinstance(words, SoftmaxConfig):
            told = (sentence for document in learned for sentence in document)
            words = BilmVocabulary.of(told, words.least_count, words.most_words)
        types = TokenTypes(words, options.longest_token, options.widest)
        numbered = [
            [[types.numbers(sentence) for sentence in document] for document in part]
            for part in (learned, measured)
        ]
        return cls(words, types.characters(), *numbered)

    @property
    def tokens(self) -> int:
        """Number of training tokens, without boundaries."""
        return sum(len(sentence) for document in self.documents for sentence in document)

    @property
    def unknown_rate(self) -> float:
        """Share of the training tokens that is predicted as the unknown word."""
        classes = len(self.vocabulary)
        unknown = sum(
            number >= classes or number == UNKNOWN
            for document in self.documents
            for sentence in document
            for number in sentence
        )
        return unknown / max(self.tokens, 1)

    def stream(self, rows: int, unroll: int, seed: int, epoch: int) -> BilmStream:
        """The training text as rows, with the documents in the order of that epoch."""
        order = np.random.default_rng([seed, epoch]).permutation(len(self.documents))
        return BilmStream.of([self.documents[index] for index in order], rows, unroll)

    def dev_stream(self, rows: int, unroll: int) -> BilmStream:
        """The dev text as rows."""
        return BilmStream.of(self.dev, rows, unroll)

    def digest(self) -> str:
        """A hash of all tokens of both parts."""
        digest = hashlib.sha256(repr(self.vocabulary.words).encode("utf-8", "surrogatepass"))
        digest.update(self.characters.numpy().tobytes())
        for number, part in enumerate((self.documents, self.dev)):
            for document in part:
                digest.update(f"{number}{document}".encode())
        return digest.hexdigest()


def document_sentences(document: Document, unit: str) -> list[list[str]]:
    """Tokens of every stripped sentence of a document; empty sentences are left out."""
    tokenised = []
    for start, end in sentences(document.text):
        text = document.text[start:end].strip()
        if text:
            # Interned, as a text has many tokens but few distinct ones.
            tokenised.append([sys.intern(text[a:b]) for a, b in token_offsets(text, unit)])
    return tokenised
