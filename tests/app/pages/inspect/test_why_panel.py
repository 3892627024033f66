"""The why panel of the Inspect page."""

from __future__ import annotations

from app.pages.inspect import why
from core.taggers.trace import Trace
from core.text import Span

TEXT = "陈禾在岭南市工作"


def test_a_tagger_without_a_dictionary_says_so(session):
    trace = Trace(TEXT, tuple(TEXT), (Span(3, 6, "LOC", 0.5),), "bilstm_crf")
    assert why._table(session, trace, None)["value"] == [
        ["岭南市 LOC 0.50", "this tagger reads no dictionary", "", ""]
    ]


def test_why_names_the_words_under_the_span_and_what_becomes_of_it_without_them(look):
    _, table = look()["why"]
    assert table["headers"] == ["Span", "without the word", "prediction becomes", "change"]
    assert {row[1] for row in table["value"]} == {"岭南", "岭南市"}
    assert all(row[0].startswith("岭南市 LOC ") for row in table["value"])
    assert all(row[2] for row in table["value"])
