"""The best path with a stretch of tags and the best without it, against all paths written out."""

import pytest
import torch

from core.layers.crf.constrained_viterbi import best_path_with, best_path_without
from tests.layers.crf.crf_oracle import all_paths, bioes, steep_crf
from tests.sweep import sweep

LENGTH, TAGS = 5, 5
STRETCHES = [(0, [1]), (0, [1, 2, 3]), (2, [1, 3]), (4, [4]), (1, [0, 0]), (0, [1, 2, 2, 2, 3])]


def setting(seed, ruled):
    crf = steep_crf(TAGS, seed)
    emissions = 2 * torch.randn(LENGTH, TAGS).double()
    rules = bioes() if ruled else None
    arrays = [scores.detach().numpy() for scores in (emissions, *crf._scores(rules))]
    return arrays, all_paths(crf, emissions, LENGTH, rules)


@pytest.mark.parametrize("ruled", [False, True])
@pytest.mark.parametrize("seed", sweep(range(3), [0]))
@pytest.mark.parametrize(("first", "stretch"), STRETCHES)
def test_each_is_the_best_of_its_half_of_all_paths(seed, ruled, first, stretch):
    arrays, scored = setting(seed, ruled)
    halves = {True: {}, False: {}}
    for path, score in scored.items():
        halves[list(path[first : first + len(stretch)]) == stretch][path] = score
    for holds, best in ((True, best_path_with), (False, best_path_without)):
        found = best(*arrays, first, stretch)
        expected = max(halves[holds], key=halves[holds].get)
        assert tuple(found.tags) == expected
        assert found.score == pytest.approx(halves[holds][expected].item(), abs=1e-10)


def test_a_stretch_that_the_rules_forbid_has_no_path_and_the_best_of_all_is_without_it():
    arrays, scored = setting(0, True)
    assert best_path_with(*arrays, 1, [2, 1]) is None
    assert tuple(best_path_without(*arrays, 1, [2, 1]).tags) == max(scored, key=scored.get)


def test_where_every_path_takes_the_stretch_none_is_without_it():
    arrays, _ = setting(0, False)
    arrays[0][2, 1:] = -torch.inf
    assert best_path_without(*arrays, 2, [0]) is None


@pytest.mark.parametrize(("first", "stretch"), [(0, []), (-1, [0]), (4, [0, 0])])
def test_a_stretch_outside_the_sentence_is_refused(first, stretch):
    arrays, _ = setting(0, False)
    for best in (best_path_with, best_path_without):
        with pytest.raises(ValueError, match="do not lie in 5 positions"):
            best(*arrays, first, stretch)
