"""The lattice viewer is given the nodes of the trace, whom they touch, and what ties them together."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from app.i18n import LANGUAGES
from app.ui.widgets.lattice import lattice_strings, lattice_value, touched
from app.ui.widgets.page_code import SCRIPTS
from core.text import Span
from tests.app.inspect.figures.sample_trace import TOKENS, sample_trace

COLOURS = {"LOC": "#009E73"}


def test_nodes_carry_head_tail_and_the_entity_they_touch():
    value = lattice_value(sample_trace(), COLOURS, mark="m", focus=Span(3, 6, "LOC", 0.91))
    assert value["nodes"] == [*TOKENS, "岭南", "岭南市"]
    assert list(zip(value["head"], value["tail"], strict=True))[6:] == [(3, 4), (3, 5)]
    assert value["touches"] == [[], [], [], [0], [0], [0], [0], [0]]
    assert value["spans"] == [
        {"start": 3, "end": 6, "label": "LOC", "score": 0.91, "colour": "#009E73", "focus": True}
    ]
    assert (value["characters"], value["mark"], value["frequency"]) == (6, "m", None)


def test_only_the_span_in_focus_is_outlined():
    value = lattice_value(sample_trace(), COLOURS, focus=Span(0, 2, "LOC", 0.91))
    assert [span["focus"] for span in value["spans"]] == [False]


def test_a_word_beside_an_entity_does_not_touch_it():
    lattice = sample_trace().lattice
    assert touched(lattice, 6, [Span(5, 6, "LOC")]) == []
    assert touched(lattice, 6, [Span(0, 1, "PER"), Span(4, 6, "LOC")]) == [1]


def test_a_trace_without_lattice_is_refused():
    with pytest.raises(ValueError, match="no lattice"):
        lattice_value(replace(sample_trace(), lattice=None), COLOURS)


def test_a_trace_without_attention_has_no_heads_to_choose():
    value = lattice_value(replace(sample_trace(), attention=()), COLOURS)
    assert (value["attention"], value["heads"], value["links"], value["kind"]) == (None, [], [], "")


def test_the_strings_that_the_viewer_names_exist_in_both_languages():
    said = lattice_strings()
    named = set()
    for path in (SCRIPTS / "lattice").glob("*.js"):
        named |= set(re.findall(r'\bsay\("([a-z_.]+)"', path.read_text(encoding="utf-8")))
    assert named
    for language in LANGUAGES:
        assert named <= set(said[language]), named - set(said[language])
