"""Matchers that find every word of a list in a text: an Aho-Corasick automaton, and a trie for very large
lists.

daachorse's character-wise double array was chosen over two alternatives, by measurements on jieba's 349,045
words: it matches 5 million characters per second and uses code-point offsets; it takes 1.8 s to build, but
serialises (16 MB) and loads in under 20 ms, checksum included. ahocorasick_rs builds in 0.6 s and finds
overlapping words at half the speed or less, and cannot be serialised. pyahocorasick matches a third as fast,
serialises by pickle, which this project never reads, and has no maintained wheels for every platform. A
million words of random characters take daachorse 22 s and ahocorasick_rs 7 s to build: from ``HASHED_FROM``
words on, :mod:`core.lexicon.hashed_trie` finds them, which needs a second and no cache.

A serialised automaton is only read from the user's cache folder, with a checksum in front (daachorse itself
accepts damaged ones), and never from a model folder.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Protocol

from daachorse import CharwiseDoubleArrayAhoCorasick
from platformdirs import user_cache_dir

from core.corpus.atomic import write_bytes
from core.lexicon.hashed_trie import HashedTrie

# Below this, building takes less time than the cache is worth.
CACHED_FROM = 20_000
# Jieba's dictionary stays below: its automaton comes from the cache sooner than numba is imported.
HASHED_FROM = 500_000
_DIGEST = hashlib.sha256().digest_size


class Automaton(Protocol):
    """A matcher of words in text."""

    def find_overlapping(self, text: str) -> list[tuple[int, int, int]]:
        """Start, end (exclusive) and an unspecified number of every word occurrence, in any order."""


def default_cache() -> Path:
    """The folder for derived tables that may be deleted at any time."""
    return Path(user_cache_dir("latticelens", appauthor=False)) / "automata"


def build(words: Sequence[str]) -> Automaton:
    """A matcher of the words with two or more characters."""
    if len(words) < HASHED_FROM:
        return _double_array(words)
    try:
        return HashedTrie(words)
    except ImportError:  # numba is an optional package; without it a list of a million words takes 20 s
        return _double_array(words)


def build_cached(words: Sequence[str], fingerprint: Callable[[], str], cache: Path | None) -> Automaton:
    """``build``, with large double arrays loaded from or stored in ``cache``.

    Args:
        words: all words; those of one character are left out.
        fingerprint: returns the hash of the words, as hex digits.
        cache: folder for serialised automata, or None. Failing to write it only costs time.
    """
    if cache is None or not CACHED_FROM <= len(words) < HASHED_FROM:
        return build(words)
    path = cache / f"{fingerprint()[:32]}-{_library()}.automaton"
    automaton = _read(path)
    if automaton is None:
        automaton = _double_array(words)
        _write(path, automaton.serialize())
    return automaton


def _double_array(words: Sequence[str]) -> CharwiseDoubleArrayAhoCorasick:
    # daachorse would find a repeated word twice.
    return CharwiseDoubleArrayAhoCorasick(list(dict.fromkeys(word for word in words if len(word) > 1)))


def _library() -> str:
    # The serialised form may change between releases of the library.
    try:
        return version("daachorse")
    except PackageNotFoundError:
        return "unknown"


def _read(path: Path) -> CharwiseDoubleArrayAhoCorasick | None:
    try:
        content = path.read_bytes()
    except OSError:
        return None
    digest, payload = content[:_DIGEST], content[_DIGEST:]
    if hashlib.sha256(payload).digest() != digest:
        return None
    try:
        return CharwiseDoubleArrayAhoCorasick.deserialize(payload)
    except ValueError:
        return None


def _write(path: Path, payload: bytes) -> None:
    """Write the file atomically; a full or read-only disk is no error."""
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        write_bytes(path, [hashlib.sha256(payload).digest(), payload], durable=False)
