"""The relative distances in a trace, and what FLAT's fusion makes of them, against the paper's formula."""

import math

import numpy as np
import pytest

from core.lexicon import Entry, Lattice, Lexicon
from core.taggers.base.trace import LatticeTrace
from core.text import Document
from tests.taggers.small_flat import DOCUMENTS, LEXICON, small_flat
from tests.taggers.small_taggers import small_tagger

TEXT = DOCUMENTS[0].text


def traced(tagger, text=TEXT):
    return tagger.trace(tagger.collate([Document("1", text)]))[0]


def sinusoid(distance, width):
    """Sines, then cosines, of the frequencies 10000^(-k / (width/2 - 1))."""
    angles = [distance * 10000.0 ** (-k / (width // 2 - 1)) for k in range(width // 2)]
    return [math.sin(angle) for angle in angles] + [math.cos(angle) for angle in angles]


def naive_norm(tagger, head, tail, i, j):
    """Equation 8 for one pair of nodes, number by number."""
    distances = [head[i] - head[j], head[i] - tail[j], tail[i] - head[j], tail[i] - tail[j]]
    if not tagger.config.four_distances:
        distances = [distances[0], distances[3]]
    joined = [value for distance in distances for value in sinusoid(distance, tagger.config.hidden)]
    fusion = tagger.encoder.positions.fusion
    rows = zip(fusion.weight.tolist(), fusion.bias.tolist(), strict=True)
    fused = [bias + sum(w * p for w, p in zip(row, joined, strict=True)) for row, bias in rows]
    return math.sqrt(sum(max(value, 0.0) ** 2 for value in fused))


@pytest.mark.parametrize("four_distances", [True, False])
def test_norms_of_the_fused_encodings_are_those_of_the_formula(four_distances):
    tagger = small_flat(four_distances=four_distances).eval()
    trace = traced(tagger)
    head, tail = trace.lattice.head.tolist(), trace.lattice.tail.tolist()
    expected = [[naive_norm(tagger, head, tail, i, j) for j in range(len(head))] for i in range(len(head))]
    np.testing.assert_allclose(trace.relative.norms, expected, rtol=1e-4, atol=1e-5)
    kinds = (
        ("head-head", "head-tail", "tail-head", "tail-tail") if four_distances else ("head-head", "tail-tail")
    )
    assert trace.relative.kinds == kinds


def test_the_sinusoids_are_those_of_every_distance_that_occurs():
    tagger = small_flat().eval()
    trace = traced(tagger)
    longest = len(TEXT) - 1
    expected = [sinusoid(distance, 12) for distance in range(-longest, longest + 1)]
    np.testing.assert_allclose(trace.relative.sinusoids, expected, atol=1e-4)
    assert max(np.abs(matrix).max() for matrix in trace.lattice.distances().values()) == longest


def test_an_empty_and_a_one_character_text_have_their_encodings():
    tagger = small_flat().eval()
    assert traced(tagger, "").relative.norms.shape == (0, 0)
    one = traced(tagger, "教").relative
    assert one.norms.shape == (1, 1)
    assert one.sinusoids.shape == (1, 12)


def test_only_flat_has_encodings_of_distances():
    assert traced(small_tagger("lattice_lstm").eval()).relative is None
    assert traced(small_tagger("soft_lexicon").eval()).relative is None


@pytest.mark.parametrize("name", ["flat", "soft_lexicon", "lattice_lstm", "lr_cnn"])
def test_every_word_of_a_lattice_has_the_frequency_of_its_lexicon(name):
    lexicon = Lexicon([Entry("清河", 7), Entry("大学", 123), Entry("教书", 0), "清河大学"])
    lattice = traced(small_tagger(name, lexicon=lexicon).eval()).lattice
    found = dict(zip(lattice.nodes[lattice.characters :], lattice.frequency.tolist(), strict=True))
    expected = {"清河": 7, "大学": 123, "教书": 0, "清河大学": 1}
    assert found == {word: expected[word] for word in found}
    assert "清河" in found


def test_a_lattice_nobody_has_frequencies_of_has_none():
    assert LatticeTrace.of(Lattice.of("清河", LEXICON)).frequency is None
    assert LatticeTrace.of(Lattice.of("清河", LEXICON), Lexicon()).frequency.tolist() == [0]
