"""The k best paths against all paths sorted by score."""

import math

import pytest
import torch

from tests.layers.crf.crf_oracle import all_paths, bio, bioes, mask_of, steep_crf

LENGTHS = [4, 1, 0, 3]
RULES = {"free": lambda: None, "bio": bio}


def setting(rules):
    crf = steep_crf(3)
    return crf, 2 * torch.randn(len(LENGTHS), max(LENGTHS), 3).double(), mask_of(LENGTHS), RULES[rules]()


@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize("count", [1, 2, 5, 30, 100])
def test_they_are_the_first_of_all_paths_sorted(rules, count):
    crf, emissions, mask, constraints = setting(rules)
    for row, found in enumerate(crf.best_paths(emissions, mask, count, constraints)):
        scored = all_paths(crf, emissions[row], LENGTHS[row], constraints)
        expected = sorted(scored, key=scored.get, reverse=True)[:count]
        assert [tuple(path.tags) for path in found] == expected
        for path in found:
            assert path.score == pytest.approx(scored[tuple(path.tags)].item(), abs=1e-10)


def test_under_the_rules_of_a_tag_scheme():
    crf = steep_crf(5, seed=4)
    emissions = torch.randn(1, 5, 5).double()
    (found,) = crf.best_paths(emissions, mask_of([5]), 1000, bioes())
    scored = all_paths(crf, emissions[0], 5, bioes())
    assert [tuple(path.tags) for path in found] == sorted(scored, key=scored.get, reverse=True)


def test_all_of_them_hold_all_probability():
    crf, emissions, mask, constraints = setting("bio")
    partitions = crf.log_partition(emissions, mask, constraints).tolist()
    for found, partition in zip(crf.best_paths(emissions, mask, 200, constraints), partitions, strict=True):
        assert sum(math.exp(path.score - partition) for path in found) == pytest.approx(1.0)


@pytest.mark.parametrize("seed", range(10))
def test_equal_scores_give_different_paths_and_the_first_is_decodes(seed):
    crf = steep_crf(3)
    torch.manual_seed(seed)
    for parameter in crf.parameters():
        parameter.data = torch.randint(-1, 2, parameter.shape).double()
    emissions, mask = torch.randint(-1, 2, (4, 4, 3)).double(), mask_of(LENGTHS)
    best = crf.decode(emissions, mask)
    for row, found in enumerate(crf.best_paths(emissions, mask, 9)):
        assert found[0].tags == best[row]
        assert len({tuple(path.tags) for path in found}) == len(found)
        scored = all_paths(crf, emissions[row], LENGTHS[row])
        assert [path.score for path in found] == sorted((s.item() for s in scored.values()), reverse=True)[:9]
        assert all(scored[tuple(path.tags)] == path.score for path in found)


@pytest.mark.parametrize(("tags", "length"), [(1, 6), (4, 1), (1, 1)])
def test_one_tag_or_one_token(tags, length):
    crf = steep_crf(tags)
    emissions = torch.randn(2, length, tags).double()
    for row, found in enumerate(crf.best_paths(emissions, mask_of([length, length]), 3)):
        scored = all_paths(crf, emissions[row], length)
        assert [tuple(path.tags) for path in found] == sorted(scored, key=scored.get, reverse=True)[:3]


def test_scores_are_the_crfs_own_even_for_lowered_emissions():
    crf = steep_crf(4).float()
    emissions, mask = torch.randn(3, 30, 4).bfloat16(), mask_of([30, 12, 1])
    for row, found in enumerate(crf.best_paths(emissions, mask, 4)):
        for path in found:
            tags = torch.tensor([path.tags])
            alone = torch.ones_like(tags, dtype=torch.bool)
            own = crf.score(emissions[row : row + 1, : len(path.tags)].double(), tags, alone)
            assert path.score == pytest.approx(own.item(), abs=1e-4)


@pytest.mark.parametrize("garbage", [float("nan"), float("inf"), float("-inf")])
def test_padding_may_hold_anything(garbage):
    crf, emissions, mask, _ = setting("free")
    expected = crf.best_paths(emissions, mask, 7)
    assert crf.best_paths(emissions.masked_fill(~mask[..., None], garbage), mask, 7) == expected


def test_sentences_without_tokens_have_one_path_the_empty_one():
    crf = steep_crf(3)
    assert crf.best_paths(torch.zeros(2, 0, 3), torch.ones(2, 0, dtype=torch.bool), 5) == [[([], 0.0)]] * 2
    assert crf.best_paths(torch.zeros(0, 4, 3), torch.ones(0, 4, dtype=torch.bool), 5) == []


def test_none_at_all_is_refused():
    crf, emissions, mask, _ = setting("free")
    with pytest.raises(ValueError, match="at least 1, got 0"):
        crf.best_paths(emissions, mask, 0)
