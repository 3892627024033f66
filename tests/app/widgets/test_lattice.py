"""The lattice viewer is given exactly the nodes of the trace and the sentence each hover shows."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.widgets.lattice import lattice_value, touched
from core.text import Span
from tests.app.figures.sample_trace import TOKENS, sample_trace

COLOURS = {"LOC": "#009E73"}


def test_words_carry_head_tail_and_the_entity_they_touch() -> None:
    value = lattice_value(sample_trace(), COLOURS, "en")
    assert value["tokens"] == list(TOKENS)
    assert [(w["surface"], w["head"], w["tail"]) for w in value["words"]] == [
        ("岭南", 3, 4),
        ("岭南市", 3, 5),
    ]
    assert value["words"][0]["colour"] == "#009E73"
    assert value["words"][0]["explain"] == "岭南 · head 3 · tail 4 · touches LOC 岭南市"
    assert value["characters"][0] == "陈 · head 0 · tail 0 · touches no predicted entity"


def test_a_word_beside_an_entity_does_not_touch_it() -> None:
    lattice = sample_trace().lattice
    assert touched(lattice, 6, [Span(5, 6, "LOC")]) == ()
    assert touched(lattice, 6, [Span(4, 6, "LOC")]) == (Span(4, 6, "LOC"),)


def test_a_trace_without_lattice_is_refused() -> None:
    with pytest.raises(ValueError, match="no lattice"):
        lattice_value(replace(sample_trace(), lattice=None), COLOURS, "en")
