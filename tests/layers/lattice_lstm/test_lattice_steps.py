"""Every word has its slot at the step it begins at, and its place at the step it ends at."""

import random
from dataclasses import fields
from itertools import pairwise

import pytest
import torch

from core.layers.lattice_lstm.lattice_steps import LatticeSteps
from tests.layers.lattice_lstm.lattice_lstm_oracle import random_words


def random_steps(seed):
    choice = random.Random(seed)
    lengths = [choice.randint(0, 12) for _ in range(5)]
    words = [random_words(length, choice) for length in lengths]
    return lengths, words, LatticeSteps.of_words(lengths, words)


def found_words(steps, places, at):
    """(step, direction, sentence, word) of every place."""
    found = []
    for step, (first, last) in enumerate(pairwise(at)):
        for slots in places[first:last]:
            for side, row in (slots < steps.word.shape[1]).nonzero().tolist():
                found.append((step, side, row, int(steps.word[side, slots[side, row]])))
    return sorted(found)


@pytest.mark.parametrize("seed", range(5))
def test_places_hold_every_word_at_its_first_and_at_its_last_step(seed):
    lengths, words, steps = random_steps(seed)
    begins, ends, number = [], [], 0
    for row, (length, matched) in enumerate(zip(lengths, words, strict=True)):
        for head, tail in matched:
            begins += [(head, 0, row, number), (length - 1 - tail, 1, row, number)]
            ends += [(tail, 0, row, number), (length - 1 - head, 1, row, number)]
            number += 1
    assert found_words(steps, steps.leaving, steps.leave_at) == sorted(begins)
    assert found_words(steps, steps.arriving, steps.arrive_at) == sorted(ends)


@pytest.mark.parametrize("seed", range(5))
def test_slots_lie_in_the_order_of_their_first_steps(seed):
    _, words, steps = random_steps(seed)
    count = sum(map(len, words))
    for step, (first, last) in enumerate(pairwise(steps.slot_at)):
        held = steps.word[:, first:last] < count
        assert bool((steps.begin[:, first:last][held] == step).all())
        assert last - first == int(held.sum(1).max())
    for side in (0, 1):
        assert sorted(steps.word[side][steps.word[side] < count].tolist()) == list(range(count))


def test_places_are_filled_from_the_first_on():
    steps = LatticeSteps.of_words([4], [[(0, 3), (1, 3), (2, 3)]])
    assert steps.arrive_at == (0, 0, 1, 2, 5)  # backward the words end one by one, at steps 1, 2 and 3
    nobody = steps.word.shape[1]
    assert (steps.arriving[2:, 0, 0] < nobody).tolist() == [True, True, True]
    assert (steps.arriving[2:, 1, 0] < nobody).tolist() == [True, False, False]


def test_the_mirror_turns_each_sentence_within_its_own_length():
    steps = LatticeSteps.of_words([4, 0, 2], [[], [], []])
    assert steps.mirror.tolist() == [[3, 2, 1, 0], [0, 1, 2, 3], [1, 0, 2, 3]]


def test_no_sentences_at_all():
    steps = LatticeSteps.of_words([], [])
    assert steps.word.shape == (2, 0)
    assert steps.slot_at == (0,)
    assert steps.mirror.shape == (0, 0)


def test_moving_them_moves_every_tensor():
    moved = random_steps(0)[2].to("meta")
    tensors = [
        value for value in [getattr(moved, part.name) for part in fields(moved)] if torch.is_tensor(value)
    ]
    assert len(tensors) == 7
    assert all(tensor.is_meta for tensor in tensors)


@pytest.mark.parametrize("word", [(2, 2), (3, 2), (-1, 1), (2, 4)])
def test_a_word_that_is_none_is_refused(word):
    with pytest.raises(ValueError, match=f"from {word[0]} to {word[1]}"):
        LatticeSteps.of_words([4], [[word]])
