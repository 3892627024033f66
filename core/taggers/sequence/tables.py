"""Embedding tables of a tagger: token rows for a batch, and their vocabularies in a model folder."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from core.encoders.static_embeddings import StaticEmbedding
from core.encoders.vocabulary import Vocabulary
from core.runtime.message import ToldValueError
from core.taggers.base import model_folder
from core.taggers.base.tagger import ModelFolderError

VOCABULARY = "vocabulary.json"


def padded(rows: Sequence[Sequence[int]]) -> Tensor:
    """Rows of different lengths as one ``[B, longest]`` int64 tensor, padded with zeros."""
    sizes = np.fromiter(map(len, rows), np.int64, len(rows))
    filled = np.zeros((len(rows), sizes.max(initial=0)), dtype=np.int64)
    # Row by row into one array: torch reads nested lists at half the speed.
    filled[np.arange(filled.shape[1]) < sizes[:, None]] = np.fromiter(
        chain.from_iterable(rows), np.int64, sizes.sum()
    )
    return torch.from_numpy(filled)


def write_tables(folder: Path, tables: Mapping[str, StaticEmbedding]) -> None:
    """Write the tokens and the width of every table; their vectors are among the tagger's weights."""
    vocabulary = {
        name: {"dimension": table.dimension, "tokens": table.vocabulary.to_json()}
        for name, table in tables.items()
    }
    model_folder.write_json(folder / VOCABULARY, vocabulary)


def read_tables(folder: Path, unknown_rates: Mapping[str, float]) -> Callable[[], dict[str, StaticEmbedding]]:
    """Read what ``write_tables`` wrote; returns a factory of fresh tables of those shapes.

    Args:
        unknown_rates: for each expected table, the share of tokens replaced by the unknown one in training.

    Raises:
        ModelFolderError: the file is missing, or a table is missing, unknown or malformed.
    """
    path = folder / VOCABULARY
    value = model_folder.read_json(path)
    if not isinstance(value, dict) or set(value) != set(unknown_rates):
        names = ", ".join(sorted(unknown_rates))
        raise ModelFolderError(
            "{path} must hold {names}; {hint}", path=path, names=names, hint=model_folder.HINT
        )
    tables: dict[str, tuple[Vocabulary, int]] = {}
    for name, table in value.items():
        try:
            width = table["dimension"]
            if type(width) is not int or not 1 <= width <= 4096:
                raise ToldValueError("dimension must be 1 to 4096, got {width}", width=repr(width))
            tables[name] = (Vocabulary.from_json(table["tokens"]), width)
        except (KeyError, TypeError, ValueError) as error:
            raise ModelFolderError(
                "{path}, {name}: {reason}; {hint}", path=path, name=name, reason=error, hint=model_folder.HINT
            ) from None
    return lambda: {
        name: StaticEmbedding(tokens, width, unknown_rates[name]) for name, (tokens, width) in tables.items()
    }
