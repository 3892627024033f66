"""The vector of a word: its own, what its characters say, and its shape."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor, nn

from core.encoders.static_embeddings import StaticEmbedding
from core.encoders.word_embedding import WordEmbedding
from core.layers.char_cnn import CharConvolutions
from core.layers.char_lstm import CharLstm
from core.taggers.base.config_fields import option
from core.taggers.sequence.batch import Parts
from core.taggers.sequence.spellings import shape_of

CNN, LSTM, NONE = "cnn", "lstm", "none"
FILTER_WIDTH = 3


@dataclass(frozen=True)
class WordConfig:
    """Options of the vectors of words, where words are tagged."""

    word_dim: int = option(100, "words: width of a word's own vector", bounds=(1, 1024))
    word_vectors: str = option(
        "", "words: first values of their vectors: empty, or the path of a .vec, GloVe or word2vec text file"
    )
    rare_unknown: float = option(
        0.5, "words: share of those seen once that are read as unknown in training", bounds=(0.0, 1.0)
    )
    char_view: str = option(
        CNN, "words: how their characters are read: by a CNN, by an LSTM, or not", choices=(CNN, LSTM, NONE)
    )
    char_view_dim: int = option(
        50, "words: width of what their characters say, an even number for the LSTM", bounds=(2, 1024)
    )
    shape_dim: int = option(
        20,
        "words: width of the vector of a word's shape, such as Xx for Paris; 0 reads none",
        bounds=(0, 256),
    )


@dataclass(frozen=True)
class TokenRows:
    """Sentences of words as table rows; U is the number of distinct words.

    Args:
        tokens, shapes: rows of the words and of their shapes, ``[B, T]``; 0 at padding. Shapes are None where
            they are not read.
        spelt: the place of every word among the distinct ones, ``[B, T]``.
        spellings: rows of the characters of the distinct words, ``[U, C]``; 0 at padding.
    """

    tokens: Tensor
    shapes: Tensor | None
    spelt: Tensor
    spellings: Tensor

    def to(self, device: torch.device | str) -> TokenRows:
        """The same rows on ``device``."""
        shapes = None if self.shapes is None else self.shapes.to(device)
        return TokenRows(self.tokens.to(device), shapes, self.spelt.to(device), self.spellings.to(device))


class WordReader(nn.Module):
    """Joins a word's own vector, that of its characters and that of its shape, after dropout.

    Args:
        config: a `WordConfig` with ``embedding_dropout``. embeddings: the tables by name.

    Attributes:
        width: W, of the joined vector.
    """

    def __init__(self, config: Any, embeddings: Mapping[str, StaticEmbedding]) -> None:
        super().__init__()
        characters = embeddings["characters"].dimension
        self.view: nn.Module | None = None
        if config.char_view == CNN:
            filters = [(FILTER_WIDTH, config.char_view_dim)]
            self.view = CharConvolutions(characters, filters, 0, config.char_view_dim)
        elif config.char_view == LSTM:
            self.view = CharLstm(characters, config.char_view_dim)
        self.width = reader_width(config, embeddings)
        self.dropout = nn.Dropout(config.embedding_dropout)

    def forward(self, own: Tensor, characters: Tensor, rows: TokenRows, shapes: Tensor | None) -> Tensor:
        """The joined vectors, ``[B, T, W]``.

        Args:
            own: of words, ``[B, T, D]``. characters: of the distinct words, ``[U, C, D']``.
            rows: the sentences. shapes: of words, ``[B, T, D'']``; None if they are not read.
        """
        parts = [own]
        if isinstance(self.view, CharLstm):
            parts.append(self.view(characters, rows.spellings > 0)[rows.spelt])
        elif self.view is not None:
            # Zeros on both sides: a filter sees where a word begins and ends, and the same in any batch.
            padded = nn.functional.pad(characters, (0, 0, FILTER_WIDTH - 1, FILTER_WIDTH))
            parts.append(self.view(padded)[rows.spelt])
        if shapes is not None:
            parts.append(shapes)
        joined: Tensor = self.dropout(torch.cat(parts, dim=-1))
        return joined


def reader_width(config: Any, embeddings: Mapping[str, StaticEmbedding]) -> int:
    """Width of the vectors of a `WordReader` of these tables."""
    spelt = 0 if config.char_view == NONE else config.char_view_dim
    return spelt + sum(embeddings[name].dimension for name in ("tokens", "shapes") if name in embeddings)


def make_tables(config: Any, words: Iterable[str]) -> dict[str, StaticEmbedding]:
    """Fresh tables of the words of the training texts, their characters and their shapes.

    Raises:
        VectorsError: a file of vectors cannot be read.
    """
    seen = list(words)
    made: dict[str, StaticEmbedding] = {
        "tokens": WordEmbedding.learn(
            seen, config.word_dim, source=config.word_vectors, unknown_rate=config.rare_unknown
        ),
        "characters": StaticEmbedding.build(
            (character for word in seen for character in word),
            config.char_dim,
            source=config.char_vectors,
            unknown_rate=config.char_unknown,
        ),
    }
    if config.shape_dim:
        shapes = (shape_of(word) for word in seen)
        made["shapes"] = StaticEmbedding.build(shapes, config.shape_dim, least=2)
    return made


def table_rates(config: Any) -> dict[str, float]:
    """The unknown rates of the tables, as ``tables.read_tables`` wants them; words have theirs by row."""
    rates = {"tokens": 0.0, "characters": config.char_unknown}
    return {**rates, "shapes": 0.0} if config.shape_dim else rates


def with_tokens(fresh: Callable[[], Parts]) -> Callable[[], Parts]:
    """The factory of parts read from a folder, with the table of words as what it is."""

    def parts() -> Parts:
        made = fresh()
        read = made.tables["tokens"]
        return replace(made, tables={**made.tables, "tokens": WordEmbedding(read.vocabulary, read.dimension)})

    return parts
