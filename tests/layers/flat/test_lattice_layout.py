"""Laying a lattice out loses no node, tables what is common and lists the rest."""

import pytest
import torch

from core.layers import Lattice
from core.layers.flat.layout_planning import plan_layout
from tests.layers.flat.flat_oracle import nodes_of, random_lattice


@pytest.mark.parametrize("seed", range(4))
def test_every_node_is_laid_out_once_with_its_head_and_vector(seed):
    lattice = random_lattice(4, 11, seed=seed)
    x = nodes_of(lattice)
    layout = plan_layout(lattice, 8)
    laid = layout.gather(x)
    for sentence, nodes in enumerate(lattice.lengths.tolist()):
        place = layout.place[sentence, :nodes]
        assert len(set(place.tolist())) == nodes
        assert torch.equal(laid[sentence, place], x[sentence, :nodes])
        assert torch.equal(layout.head[sentence, place], lattice.head[sentence, :nodes])
        assert layout.valid[sentence, place].all()
    assert int(layout.valid.sum()) == int(lattice.lengths.sum())


def test_rare_long_words_are_exceptions_and_frequent_ones_earn_tables():
    rare = plan_layout(Lattice.of_words([40], [[(0, 6), (1, 2), (4, 6)]]), 160)
    assert rare.spans == (0, 1, 2)
    # One word of 43 nodes: its row and its column of pairs.
    assert len(rare.exceptions.query) == 2 * 43 - 1
    assert rare.exceptions.chars == 40
    often = plan_layout(Lattice.of_words([40], [[(head, head + 6) for head in range(30)]]), 160)
    assert often.spans == (0, 6)
    assert often.exceptions is None


@pytest.mark.parametrize("chars", [1, 2, 15, 16, 17, 66, 300, 1000])
def test_chunks_cover_every_character_query_once(chars):
    layout = plan_layout(Lattice.of_words([chars], [[]]), 160)
    rows = [row for first, last in layout.chunks() for row in range(first, last)]
    assert rows == list(range(chars))


@pytest.mark.parametrize("seed", range(4))
def test_groups_hold_every_tabled_word_once(seed):
    lattice = random_lattice(6, 30, seed=seed, lengths=(1, 2, 2, 3, 4, 9))
    layout = plan_layout(lattice, 160)
    rows = [row for group in layout.groups for row in range(group.first, group.last)]
    tabled = rows if layout.exceptions is None else rows + list(range(len(rows), len(layout.order)))
    assert tabled == list(range(len(layout.order)))
    for group in layout.groups:
        low, high = group.range()
        sentence, word = layout.order // layout.words, layout.order % layout.words
        heads = layout.head[sentence, layout.chars + word][group.first : group.last]
        assert (heads >= low).all()
        assert (heads < high).all()
