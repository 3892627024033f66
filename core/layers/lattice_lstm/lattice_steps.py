"""At which steps the words of a lattice begin and end, for a bidirectional recurrence."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, NamedTuple

import torch
from torch import Tensor


@dataclass(frozen=True, slots=True)
class LatticeSteps:
    """The words of B sentences as slots, ordered by first step. W words, N slots, T steps.

    The first direction reads a sentence from its first character; the second reads it from its last, so that
    a word begins with its last character. Both take their steps together, so a step has as many slots in one
    direction as in the other; those without a word are padding.

    Args:
        word: number of the slot's word within the batch, ``[2, N]``; W at padding.
        row: its sentence, ``[2, N]``. begin, end: its first and last step, ``[2, N]``; all 0 at padding.
        leaving: slots of the words that begin at a step, in order, ``[P, 2, B]``; N where none is left.
        arriving: slots of the words that end at a step, the same way, ``[A, 2, B]``.
        slot_at: the slots of step t are ``slot_at[t]`` up to ``slot_at[t + 1]``.
        leave_at, arrive_at: the same for the first dimension of ``leaving`` and of ``arriving``.
        mirror: the character that the second direction reads at each step, ``[B, T]``.
    """

    word: Tensor
    row: Tensor
    begin: Tensor
    end: Tensor
    leaving: Tensor
    arriving: Tensor
    slot_at: tuple[int, ...]
    leave_at: tuple[int, ...]
    arrive_at: tuple[int, ...]
    mirror: Tensor

    @classmethod
    def of_words(cls, lengths: Sequence[int], words: Sequence[Sequence[tuple[int, int]]]) -> LatticeSteps:
        """The steps of sentences of the given lengths with these words, each (head, tail inclusive).

        Raises:
            ValueError: a word does not lie in its sentence, or has fewer than two characters.
        """
        steps = max(lengths, default=0)
        slots, slot_at = _slots(_words(lengths, words), steps)
        padding = _Word(sum(map(len, words)), 0, 0, 0)
        columns = torch.tensor([[word or padding for word in side] for side in slots], dtype=torch.long)
        word, row, begin, end = columns.view(2, slot_at[-1], 4).unbind(-1)
        leaving, leave_at = _slots_at_steps(slots, begin.tolist(), steps, len(lengths))
        arriving, arrive_at = _slots_at_steps(slots, end.tolist(), steps, len(lengths))
        mirror = [[*range(length - 1, -1, -1), *range(length, steps)] for length in lengths]
        return cls(
            word,
            row,
            begin,
            end,
            leaving,
            arriving,
            slot_at,
            leave_at,
            arrive_at,
            torch.tensor(mirror, dtype=torch.long).view(len(lengths), steps),
        )

    def to(self, device: torch.device | str) -> LatticeSteps:
        """The same steps on ``device``."""
        values: dict[str, Any] = {part.name: getattr(self, part.name) for part in fields(self)}
        moved = {name: value.to(device) for name, value in values.items() if isinstance(value, Tensor)}
        return LatticeSteps(**{**values, **moved})


class _Word(NamedTuple):
    number: int
    row: int
    begin: int
    end: int


def _words(
    lengths: Sequence[int], words: Sequence[Sequence[tuple[int, int]]]
) -> tuple[list[_Word], list[_Word]]:
    """All words as each direction reads them."""
    forward: list[_Word] = []
    backward: list[_Word] = []
    for row, (length, matched) in enumerate(zip(lengths, words, strict=True)):
        for head, tail in matched:
            if not 0 <= head < tail < length:
                raise ValueError(f"a word from {head} to {tail} does not fit a sentence of {length}")
            number = len(forward)
            forward.append(_Word(number, row, head, tail))
            backward.append(_Word(number, row, length - 1 - tail, length - 1 - head))
    return forward, backward


def _slots(sides: Sequence[Sequence[_Word]], steps: int) -> tuple[list[list[_Word | None]], tuple[int, ...]]:
    """The words of each direction by first step, padded to the same number per step in both."""
    beginning: list[list[list[_Word]]] = [[[] for _ in range(steps)] for _ in sides]
    for side, words in enumerate(sides):
        for word in words:
            beginning[side][word.begin].append(word)
    slots: list[list[_Word | None]] = [[] for _ in sides]
    slot_at = [0]
    for here in zip(*beginning, strict=True):
        width = max(map(len, here))
        for side, words in enumerate(here):
            slots[side] += [*words, *[None] * (width - len(words))]
        slot_at.append(slot_at[-1] + width)
    return slots, tuple(slot_at)


def _slots_at_steps(
    slots: Sequence[Sequence[_Word | None]], when: Sequence[Sequence[int]], steps: int, sentences: int
) -> tuple[Tensor, tuple[int, ...]]:
    """Slots of real words by the step ``when``, ``[P, 2, sentences]``, and where in it each step begins."""
    slots_by_step: defaultdict[tuple[int, int, int], list[int]] = defaultdict(list)
    for side, words in enumerate(slots):
        for slot, word in enumerate(words):
            if word is not None:
                slots_by_step[when[side][slot], side, word.row].append(slot)
    most = [0] * steps
    for (step, _, _), here in slots_by_step.items():
        most[step] = max(most[step], len(here))
    at = [0]
    for count in most:
        at.append(at[-1] + count)
    filled = [
        (at[step] + index, side, row, slot)
        for (step, side, row), here in slots_by_step.items()
        for index, slot in enumerate(here)
    ]
    table = torch.full((at[-1], 2, sentences), len(slots[0]), dtype=torch.long)
    if filled:
        entries = torch.tensor(filled)
        table[entries[:, 0], entries[:, 1], entries[:, 2]] = entries[:, 3]
    return table, tuple(at)
