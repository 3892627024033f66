"""The why panel of the Inspect page."""

from contextlib import contextmanager
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from app.inspect.panel import Look
from app.inspect.sentence import why
from app.services.session import Session
from app.ui.why import evidence as in_words
from core.inspection.sentence import evidence
from core.inspection.sentence.attribution import Attribution
from core.inspection.sentence.evidence import Evidence, Item, gradient_evidence, methods_of
from core.inspection.sentence.occlusion import Occlusion
from core.taggers.base.tagging import tag
from core.taggers.base.trace import Trace
from core.text import Document, Span
from core.text.units import characters
from tests.sweep import sweep
from tests.taggers.small_flat import DOCUMENTS
from tests.taggers.small_taggers import OPTIONS, learned_tagger, small_tagger

TEXT = "陈禾在岭南市工作"


def session_with(tagger):
    """A session whose every run is this tagger, English."""

    @contextmanager
    def lend(project_id, run=None):
        yield tagger

    return Session("token", "lin", SimpleNamespace(taggers=SimpleNamespace(tagger=lend)), 1)


def looking(tagger, text):
    """The session and its look at a text, the span over its fifth character in focus, or the first."""
    session = session_with(tagger)
    trace = tagger.trace(tagger.collate([Document("x", text)]))[0]
    over = [span for span in trace.spans if span.start <= 4 < span.end]
    session.memory["inspect"] = look = Look("run", trace, None, next(iter([*over, *trace.spans]), None))
    return session, look


def test_it_answers_at_once_with_the_words_at_the_span_the_worst_first(look, session):
    shown = look()["why"]
    method, reasons = shown["method"], shown["reasons"]
    assert method["value"] == "words"
    assert [value for _, value in method["choices"]] == ["words", "gradients", "occlusion"]
    assert reasons["question"].startswith("岭南市 LOC ")
    assert {row["what"] for row in reasons["rows"]} == {
        f"without the word {w}" for w in ("岭南", "岭南市", "工作")
    }
    worth = [row["worth"] for row in reasons["rows"] if not row["broken"]]
    assert worth == sorted(worth, reverse=True)
    assert not shown["ask"]["visible"]
    drawn = [trace for trace in shown["figure"]["value"].data if trace.type == "scatter"]
    assert sum(len([y for y in trace.y if y is not None]) for trace in drawn) == 2 * 3


def test_a_row_says_what_the_confidence_becomes_where_the_span_is_lost(session):
    rows = [
        (Occlusion(Span(3, 6, "LOC", 0.62), None, 0.31, 3, 4), "LOC 0.31 → lost", "−0.31", True),
        (
            Occlusion(Span(3, 6, "LOC", 0.62), Span(3, 5, "LOC", 0.7), 0.1, 3, 4),
            "LOC 0.10 → becomes 岭南 LOC 0.70",
            "−0.52",
            True,
        ),
        (
            Occlusion(Span(3, 6, "LOC", 0.62), Span(3, 6, "LOC", 0.58), 0.58, 3, 4),
            "stays 0.58",
            "−0.04",
            False,
        ),
        (
            Occlusion(Span(3, 6, "LOC", 0.62), Span(3, 6, "LOC", 0.623), 0.623, 3, 4),
            "stays 0.62",
            "0.00",
            False,
        ),
        (Occlusion(Span(3, 6, "LOC", 0.62), None, None, 3, 4), "lost", "", True),
    ]
    for row, outcome, change, broken in rows:
        worth = -(row.change or 0.0)
        item = Item("岭", False, worth, row)
        found = in_words.evidence_row(
            session, Evidence("occlusion", TEXT, row.span, (item,), characters(TEXT), None, ()), item
        )
        assert (found.outcome, found.change, found.broken) == (outcome, change, broken)


def test_integrated_gradients_come_after_the_other_panels(session, look):
    look()
    seen = session.memory["inspect"]
    shown = why.draw(session, seen, "gradients")
    assert shown["method"]["value"] == "gradients"
    assert "Computing" in shown["reasons"]["note"]
    assert shown["figure"]["value"] is None
    shown = why.fill(session)
    reasons = shown["reasons"]
    assert len(reasons["worth"]) == len(TEXT)
    assert {word["text"] for word in reasons["words"]} == {"岭南", "岭南市", "工作"}
    assert "%" in reasons["note"]
    bars = shown["figure"]["value"].data[0]
    np.testing.assert_allclose(bars.y, reasons["worth"], atol=1e-4)
    assert why.fill(session) == {}, "that one is there already"


def test_an_answer_still_to_come_does_not_read_the_picker_of_the_run_before(session, look):
    look()
    pending = why.draw(session, session.memory["inspect"], "gradients")["reasons"]
    why.draw(session, session.memory["inspect"], "words")
    assert why.fill(session) == {}, "the second look wants no later answer"
    assert pending["pending"]


def test_gradients_are_told_by_side_with_their_completeness(session):
    shares = Attribution(
        Span(3, 6, "LOC"), np.array([0, 0, 0, 1.0, -2.0, 0.5, 0, 0]), np.array([3.0]), -0.1, -2.6, 32
    )
    lattice = SimpleNamespace(characters=8, nodes=(*TEXT, "岭南"), head=np.arange(9), tail=np.arange(9))
    trace = Trace(TEXT, tuple(TEXT), (), "flat", lattice=lattice)

    def told(shares):
        found = gradient_evidence(trace, Span(3, 6, "LOC", 0.9), shares)
        return in_words.evidence_value(session, found, has_probabilities=True)

    first = told(shares)["rows"][:3]
    assert [row["what"] for row in first] == ["word 岭南", "character 南", "character 岭"]
    assert [row["change"] for row in first] == ["+3.00", "−2.00", "+1.00"]
    assert [row["outcome"] for row in first] == ["for it", "against it", "for it"]
    assert "within 0%" in told(shares)["note"]
    assert "they are only rough" in told(replace(shares, score=-1.0))["note"]


@pytest.mark.parametrize("name", sweep(sorted(OPTIONS), ["dictionary", "flat", "mrc"]))
def test_every_tagger_is_asked_in_the_ways_it_has(name):
    tagger = learned_tagger(name)
    session, seen = looking(tagger, DOCUMENTS[0].text)
    assert seen.focus is not None
    ways = methods_of(tagger)
    assert ("words" in ways) == tagger.uses_lexicon
    assert ("gradients" in ways) == ("occlusion" in ways) == (name != "dictionary")
    for method in ways:
        shown = why.ask_by(session, method)
        assert shown["reasons"]["rows"]
        assert shown["figure"]["value"] is not None
    assert len(why.draw(session, seen, None)) == 4


def test_the_dictionary_says_which_word_matched():
    tagger = small_tagger("dictionary")
    session, seen = looking(tagger, DOCUMENTS[0].text)
    shown = why.draw(session, seen, "words")
    reasons = shown["reasons"]
    assert not shown["method"]["visible"], "there is one way only"
    assert seen.trace.text[seen.focus.start : seen.focus.end] in reasons["note"]
    assert "looks texts up in a word list" in reasons["note"]


def test_a_sentence_without_a_span_says_so(look):
    shown = look("一")["why"]
    reasons = shown["reasons"]
    if not reasons["rows"]:
        assert "no entity" in reasons["note"] or reasons["question"]
    assert shown["figure"] is not None


def test_a_large_tagger_is_asked_first(monkeypatch):
    monkeypatch.setattr(evidence, "SLOW", 10)
    tagger = learned_tagger("bilstm_crf")
    session, seen = looking(tagger, DOCUMENTS[0].text)
    shown = why.draw(session, seen, "words")
    assert "may take a minute" in shown["reasons"]["note"]
    assert shown["ask"]["visible"]
    assert why.fill(session) == {}
    shown = why.ask_by(session, "gradients")
    assert shown["reasons"]["rows"]
    assert not shown["ask"]["visible"]


@pytest.mark.parametrize("method", [None, "", "nonsense", 3, ["words"]])
def test_a_method_from_nowhere_changes_nothing(session, look, method):
    look()
    assert why.ask_by(session, method) == why.fill(session)
    assert why.ask_by(session, method) == {}
    assert why.draw(session, session.memory["inspect"], method)["method"]["value"] == "words"


def test_words_left_out_by_the_tagger_are_what_the_page_names(session):
    tagger = learned_tagger("soft_lexicon")
    session, seen = looking(tagger, DOCUMENTS[0].text)
    spans = tag(tagger, [Document("x", DOCUMENTS[0].text)])[0].spans
    assert seen.focus.key in {span.key for span in spans}
    reasons = why.ask_by(session, "gradients")["reasons"]
    assert {word["text"] for word in reasons["words"]} == {"清河", "清河大学", "大学", "教书"}
