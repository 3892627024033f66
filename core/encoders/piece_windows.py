"""Tokenises texts into word pieces in overlapping windows, and aligns characters with pieces.

Without torch, for what runs without it; `core.encoders.word_pieces` makes tensors of it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tokenizers import Encoding, Tokenizer

from core.runtime.message import ToldValueError

Integers = NDArray[np.int64]
Array = NDArray[Any]
_SURROGATE = re.compile("[\ud800-\udfff]")


class PieceWindows:
    """Texts to windows of pieces: they overlap, and are aligned with characters by the tokenizer's offsets.

    A character that no piece covers (blanks and control characters in most vocabularies) is aligned with the
    pieces before and after it. Text that looks like a special token is treated as plain text.

    Args:
        tokenizer: of the ``tokenizers`` library; a copy is kept.
        window: maximum pieces of a window, special ones included.
        overlap: pieces that two neighbouring windows share, if there is room.
        padding: the padding id. rows: vocabulary size of the encoder.
        separator: the special piece between two texts of a context; None if the model has none.
    """

    def __init__(
        self,
        tokenizer: Tokenizer,
        *,
        window: int,
        overlap: int,
        padding: int,
        rows: int,
        separator: str | None = None,
    ) -> None:
        self.window, self.overlap = window, overlap
        self.padding, self.rows, self.separator = padding, rows, separator
        self._tokenizer = _plain_copy(tokenizer)
        self._tokenizer.encode_special_tokens = True
        # Windows are cut between encoding and post-processing, so that no setting of the tokenizer changes.
        self._post_processor = _plain_copy(tokenizer)
        self._tokenizer.post_processor = None
        self._separator = (
            [] if separator is None else self._post_processor.encode(separator, add_special_tokens=False).ids
        )

    def arrays(
        self,
        texts: Sequence[str],
        queries: Sequence[str] | None = None,
        contexts: Sequence[Sequence[str]] | None = None,
    ) -> dict[str, Array | None]:
        """The fields of `core.encoders.word_pieces.Pieces` for texts, each with its query before it or its
        context after it, if any.

        Every window holds the whole query, truncated to half a window. Every window of a text is followed by
        the same context: as many of its texts as fit into half a window, each followed by a separator, which
        also precedes the first if the tokenizer does not end a text with one. Characters are those of the
        text alone.

        Raises:
            ValueError: queries or contexts and texts differ in number, both are given, the window has no room
                for text, or the tokenizer has pieces that the encoder lacks.
        """
        if queries is not None and contexts is not None:
            raise ValueError("a text has a query or a context, not both")
        # A Python string may hold lone surrogates, which the tokenizer rejects.
        texts = [_SURROGATE.sub("\ufffd", text) for text in texts]
        queries = queries and [_SURROGATE.sub("\ufffd", query) for query in queries]
        side = 0 if queries is None else 1
        context_ids = None if contexts is None else self._contexts(texts, contexts)
        windows = [
            (number, window)
            for number, encoding in enumerate(self._encode(texts, queries, context_ids))
            for window in (encoding, *encoding.overflowing)
            if side in window.sequence_ids
        ]
        tails = [self._tail(window, context_ids[number]) if context_ids else [] for number, window in windows]
        sizes = [len(window.ids) for _, window in windows]
        width = max((size + len(ids) for size, ids in zip(sizes, tails, strict=True)), default=0)
        rows = [([*window.ids, *ids], len(ids)) for (_, window), ids in zip(windows, tails, strict=True)]
        return {
            "ids": self._check_ids(_padded([ids for ids, _ in rows], width, self.padding)),
            "types": _padded(
                [
                    [*window.type_ids, *[1] * len(ids)]
                    for (_, window), ids in zip(windows, tails, strict=True)
                ],
                width,
            ),
            "mask": _padded([[1] * len(ids) for ids, _ in rows], width).astype(np.bool_),
            "special": _padded(
                [[side is None for side in window.sequence_ids] for _, window in windows], width
            ).astype(np.bool_),
            "in_text": _padded(
                [[sequence == side for sequence in window.sequence_ids] for _, window in windows], width
            ).astype(np.bool_),
            "start": _padded([[start for start, _ in window.offsets] for _, window in windows], width),
            "end": _padded([[end for _, end in window.offsets] for _, window in windows], width),
            "text": np.array([number for number, _ in windows], dtype=np.int64),
            "characters": _align(texts, windows, side, width),
            "context": None
            if context_ids is None
            else _padded([[0] * (len(ids) - more) + [1] * more for ids, more in rows], width).astype(
                np.bool_
            ),
        }

    def tokenizer_json(self) -> str:
        """The tokenizer, as the ``tokenizers`` library reads it."""
        text: str = self._post_processor.to_str()
        return text

    def _contexts(self, texts: Sequence[str], contexts: Sequence[Sequence[str]]) -> list[list[int]]:
        """The ids of the context of every text: as many of its texts as fit, with separators."""
        if len(contexts) != len(texts):
            raise ValueError(f"{len(texts)} texts need as many contexts, got {len(contexts)}")
        limit = self._text_capacity(pair=False) // 2 - len(self._separator)
        context_ids: list[list[int]] = []
        for context in contexts:
            ids: list[int] = []
            for text in context:
                more = self._tokenizer.encode(_SURROGATE.sub("\ufffd", text)).ids
                if len(ids) + len(more) + len(self._separator) > limit:
                    break
                ids += [*more, *self._separator] if more else []
            context_ids.append(ids)
        return context_ids

    def _tail(self, window: Encoding, context: list[int]) -> list[int]:
        """``context`` as appended to this window."""
        parted = not context or window.sequence_ids[-1] is None
        return context if parted else [*self._separator, *context]

    def _encode(
        self, texts: Sequence[str], queries: Sequence[str] | None, context_ids: Sequence[list[int]] | None
    ) -> list[Encoding]:
        """Encode texts with queries, further windows in ``overflowing``, with room left for contexts."""
        encodings = self._tokenizer.encode_batch(list(texts))
        room = self._text_capacity(pair=queries is not None)
        if queries is None:
            contexts = context_ids or [[]] * len(texts)
            rooms = [room - len(ids) - len(self._separator) if ids else room for ids in contexts]
            pairs = zip(encodings, rooms, strict=True)
            return [self._with_special_pieces(encoding, None, room) for encoding, room in pairs]
        if len(queries) != len(texts):
            raise ValueError(f"{len(texts)} texts need as many queries, got {len(queries)}")
        encoded_queries = {query: self._encode_query(query, room // 2) for query in set(queries)}
        return [
            self._with_special_pieces(encoding, encoded_queries[query], room)
            for encoding, query in zip(encodings, queries, strict=True)
        ]

    def _text_capacity(self, pair: bool) -> int:
        """The number of text pieces that fit into a window."""
        room: int = self.window - self._post_processor.num_special_tokens_to_add(pair)
        if room < 2:
            raise ToldValueError(
                "a window of {window} pieces has no room for text; 16 is little already", window=self.window
            )
        return room

    def _with_special_pieces(self, text: Encoding, query: Encoding | None, room: int) -> Encoding:
        if query is not None:
            room -= len(query.ids)
        text.truncate(room, stride=min(self.overlap, room // 2))
        if query is None:
            return self._post_processor.post_process(text)
        return self._post_processor.post_process(query, text)

    def _encode_query(self, query: str, limit: int) -> Encoding:
        whole = kept = self._tokenizer.encode(query)
        for count in range(limit, 0, -1):
            if len(kept.ids) <= limit:
                break
            kept = self._tokenizer.encode(query[: whole.offsets[count - 1][1]])
        return kept

    def _check_ids(self, ids: Integers) -> Integers:
        highest = int(ids.max(initial=0))
        if highest >= self.rows:
            raise ToldValueError(
                "the tokenizer gives {piece} the number {highest}, but the encoder knows "
                "{rows} pieces; they are not of one model",
                piece=repr(self._tokenizer.id_to_token(highest)),
                highest=highest,
                rows=self.rows,
            )
        return ids


def _plain_copy(tokenizer: Tokenizer) -> Tokenizer:
    copied = Tokenizer.from_str(tokenizer.to_str())
    copied.no_truncation()
    copied.no_padding()
    return copied


def _padded(rows: Sequence[Sequence[int]], width: int, padding: int = 0) -> Integers:
    filled = [[*row, *[padding] * (width - len(row))] for row in rows]
    return np.array(filled, dtype=np.int64).reshape(len(rows), width)


def _align(texts: Sequence[str], windows: Sequence[tuple[int, Encoding]], side: int, width: int) -> Integers:
    """See ``characters`` of `core.encoders.word_pieces.Pieces`."""
    rows: list[list[int]] = [[] for _ in texts]
    for row, (number, _) in enumerate(windows):
        rows[number].append(row)
    tables = []
    for text, text_rows in zip(texts, rows, strict=True):
        text_windows = [_Window.of(windows[row][1], side, row * width) for row in text_rows]
        tables.append(_piece_indices(len(text), [window for window in text_windows if len(window.indices)]))
    longest = max(map(len, texts), default=0)
    most = max((table.shape[1] for table in tables), default=0)
    # shape: (B, T, M)
    characters = np.full((len(texts), longest, most), -1, dtype=np.int64)
    for number, table in enumerate(tables):
        characters[number, : table.shape[0], : table.shape[1]] = table
    return characters


@dataclass(frozen=True)
class _Window:
    """The text's pieces in one window: indices in ``[N * P]``, first and (exclusive) end characters."""

    indices: Integers
    starts: Integers
    ends: Integers

    @classmethod
    def of(cls, encoding: Encoding, side: int, offset: int) -> _Window:
        pieces = [
            (offset + index, start, end)
            for index, (sequence, (start, end)) in enumerate(
                zip(encoding.sequence_ids, encoding.offsets, strict=True)
            )
            if sequence == side and end > start
        ]
        indices, starts, ends = np.array(pieces, dtype=np.int64).reshape(-1, 3).T
        # Offsets ascend in every tokenizer seen so far; the search below relies on it.
        return cls(indices, np.maximum.accumulate(starts), np.maximum.accumulate(ends))

    def runs(self, length: int) -> tuple[Integers, Integers]:
        """The first and last piece of every character, or those next to it; -1 and n beyond the edges."""
        character = np.arange(length)
        after = np.searchsorted(self.ends, character, "right")
        before = np.searchsorted(self.starts, character, "right") - 1
        return np.minimum(after, before), np.maximum(after, before)


def _piece_indices(length: int, windows: Sequence[_Window]) -> Integers:
    """The indices of the pieces of every character of one text, ``[T, M]``."""
    if not length or not windows:
        return np.empty((length, 0), dtype=np.int64)
    runs = [window.runs(length) for window in windows]
    # The number of pieces of the window on either side; the edges of the text are not cuts.
    margins = np.full((len(windows), length), length, dtype=np.int64)
    for index, (window, (first, last)) in enumerate(zip(windows, runs, strict=True)):
        if index > 0:
            margins[index] = np.minimum(margins[index], first)
        if index < len(windows) - 1:
            margins[index] = np.minimum(margins[index], len(window.indices) - 1 - last)
    best = margins.argmax(0)
    most = max(int((last - first).max()) + 1 for first, last in runs)
    table = np.full((length, most), -1, dtype=np.int64)
    for index, (window, (first, last)) in enumerate(zip(windows, runs, strict=True)):
        first, last = first.clip(min=0), last.clip(max=len(window.indices) - 1)
        for number in range(most):
            chosen = (best == index) & (first + number <= last)
            table[chosen, number] = window.indices[first[chosen] + number]
    return table
