"""Nearest neighbours of the most frequent tokens, as a first look at vectors."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from core.encoders.nearest_vectors import nearest

TOLD = 5  # tokens, and neighbours of each
_CANDIDATES = 500  # most frequent tokens; words of one character among them are skipped


def first_neighbours(folder: Path) -> list[dict[str, Any]]:
    """``token`` and ``near`` (pairs of neighbour and cosine) of frequent words, else characters or bigrams.

    Raises:
        VectorsError: a file cannot be read.
    """
    paths = (folder / f"{unit}.vec" for unit in ("words", "characters", "bigrams"))
    path = next((path for path in paths if path.is_file()), None)
    if path is None:
        return []
    with path.open(encoding="utf-8") as file:
        listed = [line.split(" ", 1)[0] for _, line in zip(range(_CANDIDATES), file, strict=False)][1:]
    wanted = [token for token in listed if path.stem != "words" or len(token) > 1][:TOLD]
    return [
        {"token": token, "near": [[item.token, round(item.cosine, 3)] for item in nearest(path, token, TOLD)]}
        for token in wanted
    ]
