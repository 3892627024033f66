"""The figures of a CRF, tested on the data they carry."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from app.inspect.figures.span_decision import MOST, span_decision, term_name
from app.ui.figures.axes import pairs
from app.ui.figures.crf import emission_heatmap, marginal_heatmap, transition_heatmap
from core.inspection.sentence.crf_reading import Contest, PathReading, Term, contest
from core.text import Span
from tests.app.inspect.figures.sample_trace import TOKENS, sample_trace
from tests.inspection.sentence.test_crf_reading import trace_of

SHOWN = [0, 2]


def drawn(figure, name):
    return next(trace for trace in figure.data if trace.name == name)


@pytest.mark.parametrize(
    ("draw", "values"), [(emission_heatmap, "emissions"), (marginal_heatmap, "marginals")]
)
def test_only_the_tags_asked_for_are_drawn_and_the_path_stays_on_its_tags(draw, values):
    crf = replace(sample_trace().crf, path=np.array([0, 0, 0, 2, 2, 0]))
    figure = draw(crf, TOKENS, "en", SHOWN)
    np.testing.assert_allclose(np.asarray(figure.data[0].z), getattr(crf, values).T[SHOWN])
    assert list(figure.layout.yaxis.ticktext) == ["O", "E-LOC"]
    assert list(figure.data[1].y) == [0, 0, 0, 1, 1, 0]


def test_a_tag_of_the_path_that_is_not_shown_has_no_ring():
    figure = emission_heatmap(sample_trace().crf, TOKENS, "en", SHOWN)
    assert list(figure.data[1].y) == [0, 0, 0, None, None, 1]


def test_transitions_keep_start_and_end_beside_the_tags_asked_for():
    figure = transition_heatmap(sample_trace().crf, "en", SHOWN)
    assert list(figure.layout.yaxis.ticktext) == ["START", "O", "E-LOC"]
    assert list(figure.layout.xaxis.ticktext) == ["O", "E-LOC", "END"]
    scores = np.asarray(figure.data[0].z, dtype=float)
    assert np.isnan(scores[0, 2])
    assert scores[0, :2].tolist() == [-1, -3]
    assert scores[1:].tolist() == [[1, 3, -4], [7, 9, -6]]


def test_forbidden_steps_are_marked_and_keep_their_raw_score():
    crf = trace_of(labels=("PER",))
    figure = transition_heatmap(crf)
    crosses = drawn(figure, "forbidden when decoding")
    marked = {(int(y), int(x)) for y, x in zip(crosses.y, crosses.x, strict=True)}
    names = {tag: number for number, tag in enumerate(crf.tags)}
    assert (0, names["E-PER"]) in marked  # START to E
    assert (names["B-PER"] + 1, names["O"]) in marked
    assert (names["B-PER"] + 1, len(crf.tags)) in marked  # B to END
    assert (names["B-PER"] + 1, names["E-PER"]) not in marked
    assert (0, len(crf.tags)) not in marked  # no step at all
    assert len(marked) == int((~crf.allowed).sum()) - 1
    scores = np.asarray(figure.data[0].z, dtype=float)
    assert scores[names["B-PER"] + 1, names["O"]] == crf.transitions[names["B-PER"], names["O"]]


def test_without_constraints_nothing_is_forbidden():
    names = {trace.name for trace in transition_heatmap(trace_of(constrained=False)).data}
    assert "forbidden when decoding" not in names


def test_the_steps_of_the_chosen_path_are_ringed():
    rings = drawn(transition_heatmap(sample_trace().crf), "taken by the chosen path")
    # START O, O O, O B, B B, B E, E END as rows from and columns to
    expected = {(0, 0), (1, 0), (1, 1), (2, 1), (2, 2), (3, 3)}
    assert {(int(y), int(x)) for y, x in zip(rings.y, rings.x, strict=True)} == expected


def term(kind="emission", position=1, taken=("S-PER",), other=("O",), value=1.0):
    return Term(kind, position, taken, other, value)


def a_contest(*terms):
    reading = PathReading((0,) * 6, (), 0.0, 0.5)
    return Contest(Span(0, 1, "PER"), reading, reading, terms)


def bars(figure):
    return {(trace.name, y): x for trace in figure.data for x, y in zip(trace.x, trace.y, strict=True)}


def test_every_term_is_a_bar_and_all_bars_sum_to_the_gap():
    found = contest(trace_of(labels=("PER", "LOC")), Span(1, 3, "LOC"))
    figure = span_decision(found, TOKENS[:4])
    assert sum(bars(figure).values()) == pytest.approx(found.gap)
    first = found.terms[0]
    assert bars(figure)["emissions" if first.kind == "emission" else "transitions", 0] == first.value


def test_small_terms_share_a_bar_where_there_are_many():
    terms = [term(value=10.0 - number) for number in range(12)]
    figure = span_decision(a_contest(*terms), TOKENS)
    assert bars(figure)["small ones together", MOST] == sum(t.value for t in terms[MOST:])
    assert figure.layout.yaxis.ticktext[-1] == "4 smaller ones"
    assert len(figure.layout.yaxis.ticktext) == MOST + 1
    nine = span_decision(a_contest(*terms[: MOST + 1]), TOKENS)
    assert "small ones together" not in {trace.name for trace in nine.data}


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (term(), "禾: S-PER, not O"),
        (term("transition", 4, ("B-LOC", "M-LOC"), ("O", "O")), "岭南: B-LOC → M-LOC, not O → O"),
        (term("start", 0), "陈: START → S-PER, not START → O"),
        (term("end", 5), "市: S-PER → END, not O → END"),
    ],
)
def test_a_term_says_where_it_stands_and_between_which_tags(given, expected):
    assert term_name(given, TOKENS, "en") == expected


def test_hostile_characters_and_tags_are_no_markup():
    figure = span_decision(a_contest(term(taken=("S-<b>",))), ("<", "<", "<", "<", "<", "<"))
    assert figure.layout.yaxis.ticktext[0] == "&lt;: S-&lt;b&gt;, not O"


def test_every_bar_has_its_name_above_it_and_none_beside_it():
    figure = span_decision(a_contest(term(), term(value=0.5)), TOKENS)
    names = [annotation.text for annotation in figure.layout.annotations]
    assert names == list(figure.layout.yaxis.ticktext)
    assert all(annotation.y < row for row, annotation in enumerate(figure.layout.annotations))
    assert not figure.layout.yaxis.showticklabels


def test_the_cells_of_a_heatmap_name_themselves_where_ticks_are_left_out():
    named = pairs(["O", "<b>"], ["a", " ", "c"])
    assert named.shape == (2, 3, 2)
    assert named[1][2].tolist() == ["&lt;b&gt;", "c"]
    assert named[0][1].tolist() == ["O", "␣"]
