"""Reads pretrained vectors: text ``.vec`` files, and the character table in jieba's package."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from core.lexicon.jieba_dictionary import package_folder
from core.runtime.message import ToldValueError

JIEBA = "jieba"
LARGEST_DIMENSION = 4096
# word_emb of jieba's lac_small model: a 29-byte header, then rows of little-endian float32.
_JIEBA_HEADER = 29
_JIEBA_SHAPE = (20_941, 128)


class VectorsError(ToldValueError):
    """A vector file cannot be used; the message names the file, the line and the reason."""


@dataclass(frozen=True)
class WordVectors:
    """Vectors by token.

    Args:
        tokens: distinct tokens. values: ``[len(tokens), dimension]`` float32.
    """

    tokens: tuple[str, ...]
    values: NDArray[np.float32]

    @property
    def dimension(self) -> int:
        return int(self.values.shape[1])


def read_vectors(source: str, keep: Callable[[str], bool] | None = None) -> WordVectors:
    """Vectors from ``"jieba"`` (characters) or from the ``.vec`` file of that path.

    Args:
        keep: selects tokens; None keeps all.

    Raises:
        VectorsError: see :func:`read_vec`, :func:`jieba_characters`.
    """
    return jieba_characters(keep) if source == JIEBA else read_vec(Path(source), keep)


def read_vec(path: Path, keep: Callable[[str], bool] | None = None) -> WordVectors:
    """Read ``token value value …`` lines, with or without word2vec's ``count dimension`` line before them.

    For a repeated token the first line counts.

    Raises:
        VectorsError: the file is missing or empty, or a line does not have as many finite numbers as the
            first.
    """
    vectors: dict[str, NDArray[np.float32]] = {}
    declared = dimension = 0
    try:
        with path.open(encoding="utf-8-sig") as file:
            for number, line in enumerate(file, start=1):
                parts = line.rstrip("\r\n ").split(" ")
                if parts == [""]:
                    continue
                if number == 1 and _is_header(parts):
                    declared = _check_dimension(path, number, int(parts[1][:9]))
                    continue
                # A token may hold blanks itself (a full-width blank, "New York"): values are the last ones.
                dimension = dimension or declared or _check_dimension(path, number, len(parts) - 1)
                token = " ".join(parts[:-dimension])
                if token in vectors or (keep is not None and token and not keep(token)):
                    continue
                vectors[token] = _vector(path, number, token, parts[-dimension:])
    except OSError as error:
        raise VectorsError(
            "{path} cannot be read: {reason}; give the path of a .vec file", path=path, reason=error
        ) from None
    except UnicodeDecodeError:
        raise VectorsError(
            "{path} is not UTF-8 text; a binary word2vec file must be converted first", path=path
        ) from None
    if not dimension:
        raise VectorsError("{path} holds no vectors", path=path)
    values = np.stack(list(vectors.values())) if vectors else np.zeros((0, dimension), np.float32)
    return WordVectors(tuple(vectors), values)


def jieba_characters(keep: Callable[[str], bool] | None = None) -> WordVectors:
    """The 128-dimensional character vectors in jieba's package (LAC, MIT licence).

    Raises:
        VectorsError: the files are missing or have an unexpected size.
    """
    folder = package_folder() / "lac_small"
    table, names = folder / "model_baseline" / "word_emb", folder / "word.dic"
    rows, width = _JIEBA_SHAPE
    try:
        raw = table.read_bytes()
        lines = names.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise VectorsError(
            "jieba's character table cannot be read ({reason}); install jieba again", reason=error
        ) from None
    if len(raw) != _JIEBA_HEADER + rows * width * 4:
        raise VectorsError(
            "{table} has {bytes} bytes, not those of {rows} x {width} numbers",
            table=table,
            bytes=len(raw),
            rows=rows,
            width=width,
        )
    values = np.frombuffer(raw, "<f4", offset=_JIEBA_HEADER).reshape(rows, width)
    listed: dict[str, int] = {}
    for line in lines:
        row, _, token = line.partition("\t")
        # Entries of several letters (such as OOV_NUM) are classes, not characters.
        if len(token) == 1 and row.isdecimal() and int(row) < rows and (keep is None or keep(token)):
            listed.setdefault(token, int(row))
    return WordVectors(tuple(listed), values[list(listed.values())].astype(np.float32))


def _is_header(parts: list[str]) -> bool:
    return len(parts) == 2 and all(part.isdecimal() for part in parts)


def _check_dimension(path: Path, number: int, dimension: int) -> int:
    if not 1 <= dimension <= LARGEST_DIMENSION:
        raise VectorsError(
            "{path}, line {number}: a token and 1 to {largest} numbers are needed, got {dimension}",
            path=path,
            number=number,
            largest=LARGEST_DIMENSION,
            dimension=dimension,
        )
    return dimension


def _vector(path: Path, number: int, token: str, values: list[str]) -> NDArray[np.float32]:
    try:
        vector = [float(value) for value in values]
    except ValueError:
        vector = [math.nan]
    # Larger numbers become infinite in float32.
    if not token or not all(abs(value) < 1e30 for value in vector):
        raise VectorsError(
            "{path}, line {number}: expected a token and {dimension} finite numbers, one blank between",
            path=path,
            number=number,
            dimension=len(values),
        )
    return np.array(vector, dtype=np.float32)
