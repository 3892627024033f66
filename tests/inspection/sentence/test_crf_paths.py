"""What a CRF nearly said and what decided, against every path of small sentences written out."""

import math
from dataclasses import replace
from itertools import pairwise, product

import numpy as np
import pytest

from core.inspection.sentence.crf_paths import Term, crf_paths, deciding_terms, rivals
from core.taggers.base.trace import CrfTrace
from core.taggers.sequence.crf_decoding import CrfDecoder
from core.text import Span
from core.text.tag_schemes import decode

LENGTH = 4
SETTINGS = [("BMES", True), ("BMES", False), ("BIOES", True)]


def trace_of(scheme="BMES", constrained=True, seed=0, length=LENGTH, labels=("PER",)):
    """A CRF whose every score matters; marginals and path are not read here."""
    random = np.random.default_rng(seed)
    decoder = CrfDecoder(labels, scheme, constrained)
    count = len(decoder.tags)
    return CrfTrace(
        tags=decoder.tags,
        emissions=2 * random.normal(size=(length, count)),
        transitions=random.normal(size=(count, count)),
        start=random.normal(size=count),
        end=random.normal(size=count),
        marginals=np.zeros((length, count)),
        path=np.zeros(length, dtype=np.int64),
        allowed=decoder.allowed_steps(),
        scheme=scheme,
    )


def score_of(crf, path):
    """By the definition of a linear chain."""
    steps = sum(crf.transitions[a, b] for a, b in pairwise(path))
    emitted = sum(crf.emissions[t, tag] for t, tag in enumerate(path))
    return float(crf.start[path[0]] + emitted + steps + crf.end[path[-1]])


def every_path(crf):
    """All legal paths with their scores; which are legal is spelt out here for BMES and BIOES."""

    def goes(before, after):
        follows = after[1:] == before[1:] and after[0] in "MIE"
        return follows if before[0] in "BMI" else after[0] in "OBS"

    found = {}
    for path in product(range(len(crf.tags)), repeat=len(crf.emissions)):
        names = [crf.tags[tag] for tag in path]
        if crf.allowed is None or all(goes(a, b) for a, b in pairwise(["O", *names, "O"])):
            found[path] = score_of(crf, path)
    return found


def spans_of(crf, path):
    return decode([crf.tags[tag] for tag in path], crf.scheme, "discard")


@pytest.mark.parametrize(("scheme", "constrained"), SETTINGS)
def test_the_best_readings_are_the_first_of_all_paths_with_their_shares(scheme, constrained):
    crf = trace_of(scheme, constrained)
    scored = every_path(crf)
    total = sum(math.exp(score) for score in scored.values())
    expected = sorted(scored, key=scored.get, reverse=True)[:5]
    found = crf_paths(crf).best
    assert [reading.tags for reading in found] == expected
    for reading in found:
        assert reading.score == pytest.approx(scored[reading.tags])
        assert reading.probability == pytest.approx(math.exp(scored[reading.tags]) / total)
        assert list(reading.spans) == spans_of(crf, reading.tags)


def test_there_are_fewer_readings_where_there_are_fewer_paths_and_none_of_no_text():
    assert len(crf_paths(trace_of(length=1)).best) == 2  # O and S-PER
    assert crf_paths(trace_of(length=0)).best == ()


@pytest.mark.parametrize(("scheme", "constrained"), SETTINGS)
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(("start", "end"), [(0, 1), (1, 3), (0, 4), (2, 4)])
def test_a_span_is_held_against_the_best_path_that_does_not_spell_it(scheme, constrained, seed, start, end):
    crf = trace_of(scheme, constrained, seed)
    span = Span(start, end, "PER")
    halves = {True: {}, False: {}}
    for path, score in every_path(crf).items():
        halves[span in spans_of(crf, path)][path] = score
    found = crf_paths(crf, span).margin
    assert found.held.tags == max(halves[True], key=halves[True].get)
    assert found.other.tags == max(halves[False], key=halves[False].get)
    assert found.margin == pytest.approx(max(halves[True].values()) - max(halves[False].values()))
    assert sum(term.value for term in found.terms) == pytest.approx(found.margin, abs=1e-9)


def test_the_terms_are_the_scores_by_which_two_paths_differ_largest_first():
    crf = trace_of(labels=("LOC",))
    row = {tag: number for number, tag in enumerate(crf.tags)}
    taken = tuple(row[tag] for tag in ("O", "B-LOC", "E-LOC", "O"))
    other = tuple(row[tag] for tag in ("O", "O", "S-LOC", "O"))
    e, t = crf.emissions, crf.transitions
    expected = {
        ("emission", 1, "B-LOC", "O"): e[1, row["B-LOC"]] - e[1, row["O"]],
        ("emission", 2, "E-LOC", "S-LOC"): e[2, row["E-LOC"]] - e[2, row["S-LOC"]],
        ("transition", 1, "O B-LOC", "O O"): t[row["O"], row["B-LOC"]] - t[row["O"], row["O"]],
        ("transition", 2, "B-LOC E-LOC", "O S-LOC"): t[row["B-LOC"], row["E-LOC"]]
        - t[row["O"], row["S-LOC"]],
        ("transition", 3, "E-LOC O", "S-LOC O"): t[row["E-LOC"], row["O"]] - t[row["S-LOC"], row["O"]],
    }
    terms = deciding_terms(crf, taken, other)
    found = {
        (term.kind, term.position, " ".join(term.held), " ".join(term.other)): term.value for term in terms
    }
    assert found.keys() == expected.keys()
    assert all(found[key] == pytest.approx(expected[key]) for key in expected)
    sizes = [abs(term.value) for term in terms]
    assert sizes == sorted(sizes, reverse=True)


def test_the_edges_of_the_sentence_have_terms_of_their_own():
    crf = trace_of(length=2)
    row = {tag: number for number, tag in enumerate(crf.tags)}
    terms = deciding_terms(crf, (row["B-PER"], row["E-PER"]), (row["O"], row["O"]))
    edges = {term.kind: term for term in terms if term.kind in ("start", "end")}
    assert edges["start"].value == pytest.approx(crf.start[row["B-PER"]] - crf.start[row["O"]])
    assert edges["end"].value == pytest.approx(crf.end[row["E-PER"]] - crf.end[row["O"]])
    assert (edges["start"].position, edges["end"].position) == (0, 1)
    assert edges["end"].held == ("E-PER",)


def test_a_path_against_itself_has_no_terms():
    crf = trace_of()
    assert deciding_terms(crf, (0, 0, 0, 0), (0, 0, 0, 0)) == []


def test_what_the_crf_chose_against_is_behind():
    crf = trace_of()
    crf.emissions[:, 0] += 50.0
    margin = crf_paths(crf, Span(1, 3, "PER")).margin
    assert margin.margin < -50.0
    assert margin.leading.value == min(term.value for term in margin.terms)
    assert not margin.is_decisive


def test_the_leading_term_is_the_one_that_says_most_for_the_span():
    margin = crf_paths(trace_of(), Span(1, 3, "PER")).margin
    margin = replace(margin, held=replace(margin.held, score=4.0), other=replace(margin.other, score=0.0))
    for value, alone in ((2.0, True), (4.0, True), (1.9, False), (4.1, False)):
        terms = (Term("end", 3, ("O",), ("O",), -9.0), Term("emission", 1, ("B-PER",), ("O",), value))
        told = replace(margin, terms=terms)
        assert (told.leading, told.is_decisive) == (terms[1], alone)


def test_a_label_the_tagger_does_not_know_has_no_margin():
    assert crf_paths(trace_of(), Span(0, 1, "ORG")).margin is None


def test_paths_are_compared_with_the_best_by_their_spans_and_by_their_tags():
    crf = trace_of(labels=("PER", "LOC"), seed=3)
    first, *others = crf_paths(crf, count=12).best
    assert (first.gained, first.lost, first.differing) == ((), (), ())
    for path in others:
        assert set(path.gained) == set(path.spans) - set(first.spans)
        assert set(path.lost) == set(first.spans) - set(path.spans)
        assert path.differing == tuple(t for t in range(LENGTH) if path.tags[t] != first.tags[t])


def test_the_path_without_the_span_is_compared_with_the_one_that_holds_it():
    margin = crf_paths(trace_of(), Span(1, 3, "PER")).margin
    assert margin.span in margin.other.lost
    assert set(margin.other.gained) == set(margin.other.spans) - set(margin.held.spans)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(("scheme", "constrained"), SETTINGS)
def test_rivals_are_the_best_path_of_every_reading_without_the_span(scheme, constrained, seed):
    crf, span = trace_of(scheme, constrained, seed), Span(1, 3, "PER")
    by_reading: dict[object, float] = {}
    best_with = -math.inf
    for path, score in every_path(crf).items():
        spans = decode([crf.tags[tag] for tag in path], scheme, "discard")
        if span.key in {found.key for found in spans}:
            best_with = max(best_with, score)
            continue
        reading = frozenset(found.key for found in spans if found.overlaps(span))
        by_reading[reading] = max(by_reading.get(reading, -math.inf), score)
    held, *others = rivals(crf, span, 3)
    assert held.score == pytest.approx(best_with)
    expected = sorted(by_reading.values(), reverse=True)[:3]
    assert [other.score for other in others] == pytest.approx(expected[: len(others)])
    assert 1 <= len(others) <= 3, "further ones may lie beyond the paths that are searched"
    for other in others:
        assert span.key in {lost.key for lost in other.lost}


def test_a_span_that_no_path_can_have_has_no_rivals():
    crf = trace_of()
    assert rivals(crf, Span(0, 1, "ORG")) == ()
    assert rivals(crf, Span(3, 9, "PER")) == ()
    assert rivals(trace_of(length=0), Span(0, 1, "PER")) == ()
