"""The figures of a CRF, tested on the data they carry."""

from dataclasses import replace

import numpy as np
import pytest

from app.inspect.figures.span_decision import MOST, span_decision, term_name
from app.ui.figures.axes import pairs
from app.ui.figures.crf import emission_heatmap, marginal_heatmap, transition_heatmap
from core.inspection.sentence.crf_paths import PathMargin, TagPath, Term, crf_paths
from core.inspection.sentence.crf_scores import crf_scores
from core.taggers.base.trace import Trace
from core.text import Span
from tests.app.inspect.figures.sample_trace import TOKENS, sample_trace
from tests.inspection.sentence.test_crf_paths import trace_of


def drawn(figure, name):
    return next(trace for trace in figure.data if trace.name == name)


def scores_of(crf, only_likely=False):
    tokens = TOKENS[: len(crf.emissions)]
    return crf_scores(Trace("".join(tokens), tokens, (), "flat", crf=crf), only_likely)


def two_tags(path):
    """The scores of O and E-LOC of the sample, the only likely ones besides what the path takes."""
    crf = sample_trace().crf
    scores = scores_of(crf)
    return replace(
        scores,
        tags=("O", "E-LOC"),
        emissions=scores.emissions[[0, 2]],
        marginals=scores.marginals[[0, 2]],
        path=np.array(path),
    )


@pytest.mark.parametrize(
    ("draw", "values"), [(emission_heatmap, "emissions"), (marginal_heatmap, "marginals")]
)
def test_the_rows_are_the_tags_of_the_view_and_the_path_is_ringed_on_them(draw, values):
    scores = two_tags([0, 0, 0, 1, 1, 0])
    figure = draw(scores)
    np.testing.assert_allclose(np.asarray(figure.data[0].z), getattr(scores, values))
    assert list(figure.layout.yaxis.ticktext) == ["O", "E-LOC"]
    assert list(figure.data[1].y) == [0, 0, 0, 1, 1, 0]


def test_a_tag_of_the_path_that_is_not_shown_has_no_ring():
    figure = emission_heatmap(two_tags([0, 0, 0, -1, -1, 1]))
    assert list(figure.data[1].y) == [0, 0, 0, None, None, 1]


def test_forbidden_steps_are_marked_and_keep_their_raw_score():
    crf = trace_of(labels=("PER",))
    figure = transition_heatmap(scores_of(crf))
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
    names = {trace.name for trace in transition_heatmap(scores_of(trace_of(constrained=False))).data}
    assert "forbidden when decoding" not in names


def test_the_steps_of_the_chosen_path_are_ringed():
    rings = drawn(transition_heatmap(scores_of(sample_trace().crf)), "taken by the chosen path")
    # START O, O O, O B, B B, B E, E END as rows from and columns to
    expected = {(0, 0), (1, 0), (1, 1), (2, 1), (2, 2), (3, 3)}
    assert {(int(y), int(x)) for y, x in zip(rings.y, rings.x, strict=True)} == expected


def term(kind="emission", position=1, held=("S-PER",), other=("O",), value=1.0):
    return Term(kind, position, held, other, value)


def a_margin(*terms):
    path = TagPath((0,) * 6, (), 0.0, 0.5)
    return PathMargin(Span(0, 1, "PER"), path, path, terms)


def bars(figure):
    return {(trace.name, y): x for trace in figure.data for x, y in zip(trace.x, trace.y, strict=True)}


def test_every_term_is_a_bar_and_all_bars_sum_to_the_margin():
    found = crf_paths(trace_of(labels=("PER", "LOC")), Span(1, 3, "LOC")).margin
    figure = span_decision(found, TOKENS[:4])
    assert sum(bars(figure).values()) == pytest.approx(found.margin)
    first = found.terms[0]
    assert bars(figure)["emissions" if first.kind == "emission" else "transitions", 0] == first.value


def test_small_terms_share_a_bar_where_there_are_many():
    terms = [term(value=10.0 - number) for number in range(12)]
    figure = span_decision(a_margin(*terms), TOKENS)
    assert bars(figure)["small ones together", MOST] == sum(t.value for t in terms[MOST:])
    assert figure.layout.yaxis.ticktext[-1] == "4 smaller ones"
    assert len(figure.layout.yaxis.ticktext) == MOST + 1
    nine = span_decision(a_margin(*terms[: MOST + 1]), TOKENS)
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
    figure = span_decision(a_margin(term(held=("S-<b>",))), ("<", "<", "<", "<", "<", "<"))
    assert figure.layout.yaxis.ticktext[0] == "&lt;: S-&lt;b&gt;, not O"


def test_every_bar_has_its_name_above_it_and_none_beside_it():
    figure = span_decision(a_margin(term(), term(value=0.5)), TOKENS)
    names = [annotation.text for annotation in figure.layout.annotations]
    assert names == list(figure.layout.yaxis.ticktext)
    assert all(annotation.y < row for row, annotation in enumerate(figure.layout.annotations))
    assert not figure.layout.yaxis.showticklabels


def test_the_cells_of_a_heatmap_name_themselves_where_ticks_are_left_out():
    named = pairs(["O", "<b>"], ["a", " ", "c"])
    assert named.shape == (2, 3, 2)
    assert named[1][2].tolist() == ["&lt;b&gt;", "c"]
    assert named[0][1].tolist() == ["O", "␣"]
