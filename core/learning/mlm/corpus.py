"""The corpus of a masked language model: word pieces, their words, and stretches of them."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from tokenizers import Encoding, Tokenizer

from core.learning.mlm.config import MlmConfig
from core.lexicon import Lexicon
from core.lexicon.maximum_matching import Extent, segment
from core.text import Document, Span
from core.text.outermost import outermost
from core.text.segmentation import sentences, windows

Integers = NDArray[np.int64]
_LATIN = re.compile(r"[A-Za-z\u00c0-\u024f0-9]+(?:['’-][A-Za-z\u00c0-\u024f0-9]+)*")
_SURROGATE = re.compile("[\ud800-\udfff]")
PIECE_OF_TEXT = 5000  # characters segmented into words at once


@dataclass(frozen=True)
class PieceText:
    """A document in word pieces.

    Args:
        ids: of the pieces, ``[N]``. words: the word that each belongs to, ``[N]``, ascending.
        ends: numbers of pieces after which a sentence may end, ascending, the last being N.
    """

    ids: Integers
    words: Integers
    ends: Integers

    def __len__(self) -> int:
        return len(self.ids)

    def cut(self, limit: int) -> Iterator[slice]:
        """Stretches of at most ``limit`` pieces that end at a sentence end, or else at a word end."""
        start = 0
        while start < len(self):
            end = min(start + limit, len(self))
            if end < len(self):
                before = self.ends[self.ends <= end]
                fits = len(before) > 0 and before[-1] > start
                end = int(before[-1]) if fits else self._word_end(start, end)
            yield slice(start, end)
            start = end

    def _word_end(self, start: int, end: int) -> int:
        for place in range(end, start, -1):
            if self.words[place - 1] != self.words[place]:
                return place
        return end  # one word longer than a stretch


class PieceReader:
    """Converts texts to :class:`PieceText`.

    Words are found by maximum matching with the lexicon; a run of letters and digits is one word, as in
    English whole-word masking. Text that looks like a special token is treated as text. Entities, where they
    are given, are one word each, whatever words lie in them (Sun et al. 2019, ERNIE, section 3.2).

    Args:
        tokenizer: of the ``tokenizers`` library; a copy is kept. lexicon: None for jieba's dictionary.
    """

    def __init__(self, tokenizer: Tokenizer, lexicon: Lexicon | None = None) -> None:
        self._cutter = Tokenizer.from_str(tokenizer.to_str())
        self._cutter.no_truncation()
        self._cutter.no_padding()
        self._cutter.encode_special_tokens = True
        self._cutter.post_processor = None
        self._lexicon = Lexicon.jieba() if lexicon is None else lexicon

    def __call__(self, text: str, entities: Sequence[Extent] = ()) -> PieceText:
        """The pieces of a text.

        Args:
            entities: start and end of what counts as one word, without overlaps, ascending.
        """
        text = _SURROGATE.sub("\ufffd", text)
        encoding: Encoding = self._cutter.encode(text)
        starts = np.array([start for start, end in encoding.offsets], dtype=np.int64)
        segments = np.array(sorted(_starts(self._words(text), entities)), dtype=np.int64)
        words = np.searchsorted(segments, starts, "right") - 1
        stops = np.array([end for _, end in sentences(text)], dtype=np.int64)
        ends = np.unique(np.searchsorted(starts, stops, "left"))
        # Cutting relies on ascending offsets, which every tokenizer so far has.
        words = np.maximum.accumulate(words) if len(words) else words
        return PieceText(np.array(encoding.ids, dtype=np.int64), words, ends)

    def _words(self, text: str) -> Iterator[tuple[int, int]]:
        for start, end in windows(text, PIECE_OF_TEXT):
            part = text[start:end]
            matches = [(head, tail) for head, tail, _ in self._lexicon.offsets(part)]
            matches += [match.span() for match in _LATIN.finditer(part)]
            for head, tail in segment(len(part), matches):
                yield start + head, start + tail


def _starts(words: Iterable[Extent], entities: Sequence[Extent]) -> set[int]:
    """Where words begin once every entity is one."""
    starts = {start for start, _ in words}
    for start, end in entities:
        starts.difference_update(range(start + 1, end))
        starts |= {start, end}
    return starts


def entities_in(document: Document, typed: Lexicon) -> list[Extent]:
    """Labelled spans and words of known type; of those that overlap, the longest."""
    words = [Span(start, end, "word") for start, end, _ in typed.offsets(document.text)]
    return [(span.start, span.end) for span in outermost([*document.spans, *words])[0]]


@dataclass(frozen=True)
class MlmCorpus:
    """Training and dev text as documents, without empty ones."""

    documents: list[PieceText]
    dev: list[PieceText]

    @classmethod
    def of(
        cls,
        documents: Sequence[Document],
        dev: Sequence[Document],
        reader: PieceReader,
        typed: Lexicon | None = None,
    ) -> MlmCorpus:
        """Convert both parts.

        Args:
            typed: words of known type, which are entities of the training documents, as their labelled spans
                are; None: there are no entities. In the dev text there never are, so that its perplexity
                compares.
        """
        entities = ([] if typed is None else entities_in(document, typed) for document in documents)
        learned = [reader(document.text, found) for document, found in zip(documents, entities, strict=True)]
        both = learned, [reader(document.text) for document in dev]
        return cls(*([text for text in part if len(text)] for part in both))

    @property
    def pieces(self) -> int:
        """Number of training pieces."""
        return sum(map(len, self.documents))

    def counts(self, rows: int) -> Integers:
        """Counts of the ``rows`` ids in the training text, ``[rows]``."""
        counts = np.zeros(rows, dtype=np.int64)
        for text in self.documents:
            counts += np.bincount(text.ids, minlength=rows)[:rows]
        return counts

    def digest(self) -> str:
        """A hash of all pieces and words."""
        digest = hashlib.sha256()
        for number, part in enumerate((self.documents, self.dev)):
            for text in part:
                digest.update(f"{number}:{len(text)}:".encode())
                for array in (text.ids, text.words, text.ends):
                    digest.update(array.tobytes())
        return digest.hexdigest()


@dataclass(frozen=True)
class Stretch:
    """One input sequence without special pieces.

    Args:
        first, second: its one or two segments as ``(ids, words)``; words ascend within a segment.
        answer: target of the second task: 0 for segments as in the text, 1 otherwise; -100 for none.
    """

    first: tuple[Integers, Integers]
    second: tuple[Integers, Integers] | None = None
    answer: int = -100

    def __len__(self) -> int:
        return len(self.first[0]) + (len(self.second[0]) if self.second is not None else 0)


def stretches(
    texts: Sequence[PieceText], config: MlmConfig, room: int, rng: np.random.Generator
) -> list[Stretch]:
    """The whole text, each piece once (with ``next_sentence`` some twice), in document order.

    With ``next_sentence`` half of the second parts come from another document (Devlin et al. 2019, section
    3.1, task 2); with ``sentence_order`` half of the pairs are swapped (Lan et al. 2020, section 3.1).

    Args:
        room: maximum pieces of a stretch, without special ones.
    """
    if config.pairs == "none":
        return [Stretch(_part(text, cut)) for text in texts for cut in text.cut(room)]
    halves = [[_part(text, cut) for cut in text.cut(max(room // 2, 1))] for text in texts]
    read: list[Stretch] = []
    for number, parts in enumerate(halves):
        for at in range(0, len(parts), 2):
            pair = parts[at : at + 2]
            if len(pair) < 2:
                pair = _halved(pair[0])
            if len(pair) < 2:
                read.append(Stretch(pair[0]))
                continue
            changed = bool(rng.random() < 0.5)
            if config.pairs == "sentence_order":
                first, second = pair[::-1] if changed else pair
                read.append(Stretch(first, second, int(changed)))
                continue
            if changed and len(texts) > 1:
                other = int(rng.integers(len(texts) - 1))
                others = halves[other + (other >= number)]
                read.append(Stretch(pair[0], others[int(rng.integers(len(others)))], 1))
                read.append(Stretch(pair[1]))  # its place was taken; it is read alone
            else:
                read.append(Stretch(pair[0], pair[1], 0))
    return read


def _part(text: PieceText, cut: slice) -> tuple[Integers, Integers]:
    return text.ids[cut], text.words[cut]


def _halved(part: tuple[Integers, Integers]) -> list[tuple[Integers, Integers]]:
    """A segment cut near the middle, at the end of a word; not cut if it is one word."""
    ids, words = part
    middle = len(ids) // 2
    cuts = [place for place in range(1, len(ids)) if words[place - 1] != words[place]]
    if not cuts:
        return [part]
    at = min(cuts, key=lambda place: (abs(place - middle), place))
    return [(ids[:at], words[:at]), (ids[at:], words[at:])]
