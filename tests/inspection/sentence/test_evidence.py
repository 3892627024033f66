"""What contributes to a span and how it is ranked, on results made by hand and on small taggers."""

from dataclasses import replace

import numpy as np
import pytest

from core.inspection.sentence.attribution import Attribution
from core.inspection.sentence.evidence import (
    MOST_ITEMS,
    PAIR_GAIN,
    WordContribution,
    gradient_evidence,
    is_slow,
    occlusion_evidence,
    word_evidence,
)
from core.inspection.sentence.occlusion import Occlusion
from core.inspection.sentence.word_ablation import WordAblation
from core.taggers.base.trace import LatticeTrace, Trace
from core.text import Span
from tests.taggers.small_taggers import small_tagger

TEXT = "陈禾在岭南市工作"
SPAN = Span(3, 6, "LOC", 0.9)
LATTICE = LatticeTrace(
    (*TEXT, "岭南", "岭南市", "工作"), np.array([*range(8), 3, 3, 6]), np.array([*range(8), 4, 5, 7]), 8
)
TRACE = Trace(TEXT, tuple(TEXT), (SPAN,), "flat", lattice=LATTICE)


def ablated(word, probability):
    return WordAblation(SPAN, SPAN, probability, word)


def test_words_keep_their_order_and_colour_the_characters_they_cover():
    rows = [ablated("岭南市", 0.2), ablated("岭南", 1.0), ablated("工作", None)]
    found = word_evidence(TRACE, SPAN, rows)
    assert [item.surface for item in found.items] == ["岭南市", "岭南", "工作"]
    assert [item.value for item in found.items] == pytest.approx([0.7, -0.1, 0.0])
    assert all(item.is_word and item.outcome is row for item, row in zip(found.items, rows, strict=True))
    assert [(w.word, w.head, w.tail) for w in found.words] == [
        ("岭南", 3, 4),
        ("岭南市", 3, 5),
        ("工作", 6, 7),
    ]
    np.testing.assert_allclose(found.shading, [0, 0, 0, 0.7, 0.7, 0.7, 0, 0])
    assert found.worth is None


def test_without_words_nothing_is_coloured():
    found = word_evidence(TRACE, SPAN, [])
    assert (found.items, found.words, found.shading.size) == ((), (), 0)


def test_of_gradients_characters_and_words_are_ranked_together_by_their_size():
    characters = np.array([0, 0, 0.1, 1.0, -2.0, 0.5, 0, 0])
    shares = Attribution(SPAN, characters, np.array([3.0, -0.2, 0.3]), -0.1, -2.7, 32)
    found = gradient_evidence(TRACE, SPAN, shares)
    assert [(item.surface, item.is_word, item.value) for item in found.items] == [
        ("岭南", True, 3.0), ("南", False, -2.0), ("岭", False, 1.0), ("市", False, 0.5),
        ("工作", True, 0.3), ("岭南市", True, -0.2), ("在", False, 0.1), ("陈", False, 0.0),
    ]  # fmt: skip
    assert len(found.items) == MOST_ITEMS
    assert found.words[0] == WordContribution("岭南", 3, 4, 3.0)
    assert found.shading.tolist() == characters.tolist()
    assert found.attribution is shares
    assert all(item.outcome is None for item in found.items)


def test_a_pair_is_listed_only_where_it_takes_more_than_either_of_its_characters():
    def without(start, end, probability):
        return Occlusion(SPAN, None, probability, start, end)

    rows = [without(at, at + 1, 0.9) for at in range(8)] + [without(at, at + 2, 0.9) for at in range(7)]
    rows[3] = without(3, 4, 0.2)
    rows[8 + 3] = without(3, 5, 0.2 - PAIR_GAIN + 0.01)  # hardly more than 岭 alone
    rows[8 + 6] = without(6, 8, 0.5)
    found = occlusion_evidence(replace(TRACE, lattice=None), SPAN, rows)
    named = [item.surface for item in found.items]
    assert named[:2] == ["岭", "工作"]
    assert "岭南" not in named
    assert found.items[1].outcome is rows[8 + 6]
    np.testing.assert_allclose(found.worth, [0, 0, 0, 0.7, 0, 0, 0, 0], atol=1e-9)


def test_a_tagger_is_slow_by_its_weights_times_the_characters_without_its_tables(monkeypatch):
    tagger = small_tagger("bilstm_crf")
    tables = sum(m.weight.numel() for m in tagger.modules() if type(m).__name__ == "Embedding")
    weights = sum(parameter.numel() for parameter in tagger.parameters()) - tables
    assert tables > 0
    monkeypatch.setattr("core.inspection.sentence.evidence.SLOW", 3 * weights)
    assert not is_slow(tagger, "一二三")
    assert is_slow(tagger, "一二三四")
