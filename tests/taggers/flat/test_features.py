"""Sentences of different lengths as the tensors FLAT reads."""

import torch

from core.encoders.vocabulary import UNKNOWN, Vocabulary
from core.lexicon import Lattice, Lexicon
from core.taggers.flat.features import node_positions, node_sources, word_rows
from core.taggers.sequence.tables import padded
from tests.taggers.small_flat import DOCUMENTS, LEXICON

LATTICES = [
    Lattice.of(text, Lexicon(["清河", "清河大学", "大学"])) for text in ("大学", "清河大学", "", "河")
]


def test_rows_are_padded_with_zeros_behind():
    assert padded([[5, 6], [], [7]]).tolist() == [[5, 6], [0, 0], [7, 0]]
    assert padded([]).shape == (0, 0)
    assert padded([[], []]).shape == (2, 0)


def test_the_words_of_a_sentence_follow_its_own_characters():
    # Four columns of characters, then three of words; the first sentence has two characters and one word.
    assert node_sources(LATTICES).tolist() == [
        [0, 1, 4, 0, 0, 0, 0],
        [0, 1, 2, 3, 4, 5, 6],
        [0, 0, 0, 0, 0, 0, 0],
        [0, 0, 0, 0, 0, 0, 0],
    ]


def test_positions_are_those_of_the_lattices():
    nodes = node_positions(LATTICES)
    assert nodes.lengths.tolist() == [3, 7, 0, 1]
    assert nodes.char_lengths.tolist() == [2, 4, 0, 1]
    for row, lattice in enumerate(LATTICES):
        assert nodes.head[row, : len(lattice)].tolist() == lattice.head
        assert nodes.tail[row, : len(lattice)].tolist() == lattice.tail


def test_words_without_a_vector_of_their_own_still_have_a_node():
    rows = word_rows(LATTICES, Vocabulary(["大学"]))
    assert rows.tolist() == [[2, 0, 0], [UNKNOWN, UNKNOWN, 2], [0, 0, 0], [0, 0, 0]]


def test_every_node_gets_the_vector_of_its_character_or_word(flat):
    batch = flat.collate(DOCUMENTS)
    nodes = flat.embed(batch)
    for row, document in enumerate(DOCUMENTS):
        lattice = Lattice.of(document.text, LEXICON)
        for column, word in enumerate(lattice.words, start=lattice.characters):
            index = torch.tensor(flat.words.vocabulary.rows([word.word]))
            expected = flat.word_projection(flat.words(index))[0]
            torch.testing.assert_close(nodes[row, column], expected)
        assert nodes[row, len(lattice) :].abs().sum() == 0
