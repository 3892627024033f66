"""Tokens of a text and the bytes of a token."""

import pytest
import torch

from core.encoders.elmo.elmo_input import ElmoInput
from core.encoders.elmo.tokens import boundary_row, padded_rows, token_offsets, token_row
from core.layers.char_cnn import CharCnn


def surfaces(text, unit):
    return [text[start:end] for start, end in token_offsets(text, unit)]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Lin works in Qinghe.", ["Lin", "works", "in", "Qinghe", "."]),
        ("林晚晴用iPhone 15拍照", ["林", "晚", "晴", "用", "iPhone", "15", "拍", "照"]),
        ("  東京タワーは高い!", ["東", "京", "タ", "ワ", "ー", "は", "高", "い", "!"]),
        ("한국 사람", ["한국", "사람"]),
        ("naïve Ωж_x", ["naïve", "Ωж", "_", "x"]),
        ("😀\u3000\t", ["😀"]),
        ("", []),
    ],
)
def test_words_are_runs_of_letters_and_every_han_character_is_one(text, words):
    assert surfaces(text, "word") == words


def test_characters_are_all_code_points_blanks_too():
    assert surfaces("a 清😀", "character") == ["a", " ", "清", "😀"]


def test_a_token_is_its_bytes_between_two_marks():
    assert token_row("a清", 50) == [258, 0x61, 0xE6, 0xB8, 0x85, 259]
    assert boundary_row(256) == [258, 256, 259]


def test_a_long_token_is_cut_so_that_its_marks_stay():
    row = token_row("x" * 100, 50)
    assert len(row) == 50
    assert (row[0], row[-1]) == (258, 259)


def test_a_lone_surrogate_is_bytes_like_any_other():
    assert len(token_row("\ud800", 50)) == 5


@pytest.mark.parametrize("token", ["a", "清", "somewhat longer", "x" * 48])
def test_shorter_padding_gives_the_vectors_of_the_published_padding(token):
    torch.manual_seed(0)
    cnn = CharCnn(261, 4, [(1, 3), (7, 5)], 1, 4).double()
    row = token_row(token, 50)
    short = torch.from_numpy(padded_rows([row], 50, 7))
    full = torch.tensor([[*row, *[260] * (50 - len(row))]])
    assert short.shape[1] == min(50, len(row) + 7)
    torch.testing.assert_close(cnn(short), cnn(full))


def test_a_batch_lists_each_token_once_between_boundaries():
    x = ElmoInput.of([["b", "a", "b"], [], ["a"]], 50, 2)
    assert x.rows[:, :4].tolist() == [
        [258, 256, 259, 260],
        [258, 257, 259, 260],
        [258, 98, 259, 260],
        [258, 97, 259, 260],
    ]
    assert x.tokens.tolist() == [[0, 2, 3, 2, 1], [0, 1, 0, 0, 0], [0, 3, 1, 0, 0]]
    assert x.lengths.tolist() == [5, 2, 3]
    assert x.mask.sum(1).tolist() == [5, 2, 3]


def test_no_sentences_at_all():
    x = ElmoInput.of([], 50, 2)
    assert x.tokens.shape == (0, 2)
    assert x.to("cpu").lengths.shape == (0,)
