"""Which characters, and which pairs of characters, stand in which texts: packed tightly, found in arrays.

Every text gives one posting for each different pair of neighbours in it; its last character is paired with
``END``, so that a character stands in a text where it begins a pair. Postings are put into ``BUCKETS`` by
their first character: whoever looks for 北京 reads the bucket of 北 and nothing else.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

BUCKETS = 256
END = 0x110000  # one beyond the last code point
WIDEST = 1 << 16  # documents of a block are numbered by 16 bits, from its first
_PLANES = 8  # bytes of a posting: three of the first character, three of the second, two of the document

Numbers = NDArray[np.int64]


def folded(text: str) -> NDArray[np.uint32]:
    """The code points of ``text``, ASCII capitals as small letters: what a search takes as the same."""
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4").astype(np.uint32)
    codes[(codes >= 0x41) & (codes <= 0x5A)] += 32
    return codes


def bucket(character: int) -> int:
    """Where the postings that begin with this code point lie."""
    return ((character * 0x9E3779B1) & 0xFFFFFFFF) >> 24


def packed(texts: Sequence[str], places: Sequence[int]) -> dict[int, bytes]:
    """The postings of ``texts``, by bucket; ``places`` number them within the block, below ``WIDEST``."""
    first = folded("".join(texts))
    lengths = np.array([len(text) for text in texts])
    if not len(first):
        return {}
    second = np.empty_like(first)
    second[:-1] = first[1:]
    second[np.cumsum(lengths)[lengths > 0] - 1] = END
    place = np.repeat(np.array(places, dtype=np.uint64), lengths)
    keys = np.sort((first.astype(np.uint64) << 37) | (second.astype(np.uint64) << 16) | place)
    keys = keys[np.append(True, keys[1:] != keys[:-1])]
    hashed = ((keys >> np.uint64(37)) * np.uint64(0x9E3779B1)) & np.uint64(0xFFFFFFFF)
    buckets = (hashed >> np.uint64(24)).astype(np.uint8)
    order = np.argsort(buckets, kind="stable")
    keys, edges = keys[order], np.searchsorted(buckets[order], np.arange(BUCKETS + 1))
    return {
        number: _pack(keys[start:end]) for number, (start, end) in enumerate(pairwise(edges)) if end > start
    }


def found(blobs: Iterable[tuple[int, bytes]], first: int, seconds: Sequence[int | None]) -> list[Numbers]:
    """For each of ``seconds``: the documents in which it follows ``first`` (None: in which ``first`` stands).

    Args:
        blobs: the number of a block's first document and what it holds in the bucket of ``first``.

    Returns:
        Document numbers, each once, ascending where the blocks are.
    """
    starts, parts = [], []
    for start, blob in blobs:
        starts.append(start)
        parts.append(np.frombuffer(zlib.decompress(blob), dtype=np.uint8).reshape(_PLANES, -1))
    if not parts:
        return [np.empty(0, dtype=np.int64) for _ in seconds]
    planes = np.concatenate(parts, axis=1)
    mine = np.flatnonzero(
        (planes[0] == first & 255) & (planes[1] == first >> 8 & 255) & (planes[2] == first >> 16)
    )
    block_start = np.repeat(np.array(starts), [part.shape[1] for part in parts])[mine]
    planes = planes[:, mine].astype(np.int64)
    documents = block_start + (planes[6] | planes[7] << 8)
    following = planes[3] | planes[4] << 8 | planes[5] << 16
    return [np.unique(documents if one is None else documents[following == one]) for one in seconds]


def _pack(keys: NDArray[np.uint64]) -> bytes:
    shifts = np.array([37, 45, 53, 16, 24, 32, 0, 8], dtype=np.uint64)
    planes = (keys[None, :] >> shifts[:, None]) & np.uint64(255)
    planes[2] &= np.uint64(31)
    planes[5] &= np.uint64(31)
    return zlib.compress(planes.astype(np.uint8).tobytes(), 6)
