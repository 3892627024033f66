"""Spans from a CRF, and the probability of a span by enumerating all paths."""

import math
from itertools import pairwise, product

import pytest
import torch

from core.layers import CRF
from core.taggers.sequence.crf_decoding import CrfDecoder
from core.text import Span

LENGTH = 4


def setting(scheme, constrained, seed=3):
    torch.manual_seed(seed)
    decoder = CrfDecoder(("A", "B"), scheme, constrained)
    crf = CRF(len(decoder.tags)).double()
    torch.nn.init.normal_(crf.transitions)
    emissions = torch.randn(1, LENGTH, len(decoder.tags), dtype=torch.double)
    return decoder, crf, emissions, torch.ones(1, LENGTH, dtype=torch.bool)


def all_paths(decoder, crf, emissions):
    """Every path with its exponentiated score; under constraints, every legal one."""
    legal = decoder.constraints
    start, end, transitions = (
        scores.tolist() for scores in (crf.start_transitions, crf.end_transitions, crf.transitions)
    )
    emitted = emissions[0].tolist()
    for path in product(range(len(decoder.tags)), repeat=LENGTH):
        steps = list(pairwise(path))
        if legal is not None and not (
            legal.start[path[0]] and legal.end[path[-1]] and all(legal.transitions[a, b] for a, b in steps)
        ):
            continue
        score = start[path[0]] + end[path[-1]] + sum(emitted[t][tag] for t, tag in enumerate(path))
        yield path, math.exp(score + sum(transitions[a][b] for a, b in steps))


@pytest.mark.parametrize("scheme", ["BMES", "BIOES"])
@pytest.mark.parametrize("constrained", [True, False])
@pytest.mark.parametrize("seed", [1, 2])
def test_a_score_is_the_share_of_all_paths_that_hold_the_span(scheme, constrained, seed):
    decoder, crf, emissions, mask = setting(scheme, constrained, seed)
    wanted = [Span(0, 1, "A"), Span(0, 4, "B"), Span(1, 3, "A"), Span(3, 4, "B")]
    total, held = 0.0, dict.fromkeys([span.key for span in wanted], 0.0)
    for path, weight in all_paths(decoder, crf, emissions):
        total += weight
        for span in wanted:
            held[span.key] += weight * (list(path[span.start : span.end]) == decoder._segment(span))
    (scored,) = decoder.score(crf, emissions, mask, [wanted])
    for span in scored:
        assert span.score == pytest.approx(held[span.key] / total, rel=1e-6)


@pytest.mark.parametrize("scheme", ["BMES", "BIOES"])
def test_the_spans_are_those_of_the_best_legal_path(scheme):
    for seed in range(10):
        decoder, crf, emissions, mask = setting(scheme, True, seed)
        best = max(all_paths(decoder, crf, emissions), key=lambda found: found[1])[0]
        (spans,) = decoder.decode(crf, emissions, mask)
        assert [span.key for span in spans] == [span.key for span in decoder.read(best)]


@pytest.mark.parametrize("scheme", ["BMES", "BIOES"])
def test_spans_and_tag_rows_turn_into_each_other(scheme):
    decoder = CrfDecoder(("A", "B"), scheme)
    spans = [Span(0, 1, "B"), Span(2, 4, "A"), Span(4, 8, "B")]
    assert decoder.read(decoder.encode(spans, 9)) == spans


def test_constraints_forbid_what_the_scheme_does():
    decoder = CrfDecoder(("A",), "BMES")
    row = {tag: index for index, tag in enumerate(decoder.tags)}
    legal = decoder.constraints
    assert legal.transitions[row["B-A"], row["E-A"]]
    assert not legal.transitions[row["B-A"], row["O"]]
    assert not legal.transitions[row["O"], row["E-A"]]
    assert not legal.start[row["M-A"]]
    assert not legal.end[row["B-A"]]


def test_pieces_that_are_no_whole_span_are_left_out():
    decoder = CrfDecoder(("A",), "BMES", constrained=False)
    row = {tag: index for index, tag in enumerate(decoder.tags)}
    path = [row[tag] for tag in ("B-A", "O", "E-A", "S-A", "B-A", "E-A", "M-A")]
    assert decoder.read(path) == [Span(3, 4, "A"), Span(4, 6, "A")]


def test_no_spans_need_no_scores():
    decoder, crf, emissions, mask = setting("BMES", True)
    assert decoder.score(crf, emissions, mask, [[]]) == [[]]


@pytest.mark.parametrize("constrained", [True, False])
def test_the_best_paths_are_those_of_most_weight_with_their_share(constrained):
    decoder, crf, emissions, mask = setting("BMES", constrained)
    weights = dict(all_paths(decoder, crf, emissions))
    (found,) = decoder.best_paths(crf, emissions, mask, 7)
    for best, path in zip(found, sorted(weights, key=weights.get, reverse=True)[:7], strict=True):
        assert best.spans == decoder.read(path)
        assert best.score == pytest.approx(math.log(weights[path]))
        assert math.exp(best.log_probability) == pytest.approx(weights[path] / sum(weights.values()))


def test_all_legal_paths_together_are_certain():
    decoder, crf, emissions, mask = setting("BIOES", True)
    (found,) = decoder.best_paths(crf, emissions, mask, 10_000)
    assert len(found) == len(list(all_paths(decoder, crf, emissions)))
    assert sum(math.exp(best.log_probability) for best in found) == pytest.approx(1.0)
    assert len({tuple(span.key for span in best.spans) for best in found}) == len(found)


def test_the_best_path_is_what_decode_finds_and_an_empty_sentence_is_certain():
    decoder, crf, emissions, _ = setting("BMES", True)
    both = emissions.expand(2, -1, -1).float()
    mask = torch.tensor([[True] * LENGTH, [False] * LENGTH])
    found = decoder.best_paths(crf.float(), both, mask, 3)
    spans = decoder.decode(crf, both, mask)
    assert [span.key for span in found[0][0].spans] == [span.key for span in spans[0]]
    assert found[1] == [([], 0.0, 0.0)]


def test_a_trace_stays_as_it_was_when_the_tagger_learns_on():
    decoder, crf, emissions, mask = setting("BMES", True)
    (trace,) = decoder.traces(crf, emissions, mask, learned=True)
    before = trace.transitions.copy(), trace.start.copy(), trace.end.copy()
    with torch.no_grad():
        for parameter in crf.parameters():
            parameter.add_(1.0)
    for kept, expected in zip((trace.transitions, trace.start, trace.end), before, strict=True):
        assert kept.tolist() == expected.tolist()
