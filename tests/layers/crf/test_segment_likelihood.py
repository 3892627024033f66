"""The log-probability of a stretch of tags against every path written out, and its gradient."""

import pytest
import torch

from tests.layers.crf.crf_oracle import bio, bioes, is_legal, mask_of, path_score, steep_crf


def shares(crf, emissions, length, first, tags, constraints):
    """Weight of the legal paths through the stretch over that of all, path by path."""
    through = everything = 0.0
    for path in torch.cartesian_prod(*[torch.arange(crf.num_tags)] * length).view(-1, length).tolist():
        path = tuple(path)
        if is_legal(path, constraints):
            weight = path_score(crf, emissions[:length], path).exp().item()
            everything += weight
            through += weight * (list(path[first : first + len(tags)]) == list(tags))
    return through / everything


@pytest.mark.parametrize(
    ("constraints", "tags", "first"),
    [
        (None, [1], 0),
        (None, [2, 0], 1),
        (None, [1, 1, 2], 2),
        (None, [0, 2, 1, 1, 0], 0),
        (bio(), [1, 2, 2], 1),
        (bioes(), [4], 4),
        (bioes(), [1, 2, 3], 0),
        (bioes(), [1, 3], 3),
    ],
)
def test_it_is_the_share_of_paths_written_out(constraints, tags, first):
    kinds = 3 if constraints is None else len(constraints.start)
    crf = steep_crf(kinds, seed=2)
    lengths = [5, first + len(tags)]
    emissions = torch.randn(2, 5, kinds, dtype=torch.float64)
    found = crf.segment_log_probability(emissions, mask_of(lengths), first, tags, constraints).exp()
    expected = [
        shares(crf, row, length, first, tags, constraints)
        for row, length in zip(emissions, lengths, strict=True)
    ]
    assert found.tolist() == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize(("tags", "constraints"), [([4], None), ([1, 3], bioes()), ([1, 2, 3], bioes())])
def test_its_gradient_is_that_of_small_steps(tags, constraints):
    crf = steep_crf(5, seed=3)
    emissions = torch.randn(2, 4, 5, dtype=torch.float64, requires_grad=True)
    mask = mask_of([4, 3], 4)
    assert torch.autograd.gradcheck(
        lambda given: crf.segment_log_probability(given, mask, 0, tags, constraints), (emissions,)
    )


def test_single_precision_emissions_give_a_probability_near_one_to_many_digits():
    crf = steep_crf(3).float()
    emissions = torch.zeros(1, 3, 3)
    emissions[0, :, 1] = 30.0
    lost = -crf.segment_log_probability(emissions, mask_of([3]), 0, [1, 1, 1])
    assert lost.dtype == torch.float64
    assert 0.0 < float(lost.detach()) < 1e-10


@pytest.mark.parametrize(("first", "tags"), [(3, [0, 0]), (-1, [0]), (0, []), (1, [0, 0, 0])])
def test_a_stretch_that_leaves_a_sentence_is_refused(first, tags):
    crf = steep_crf(3)
    with pytest.raises(ValueError, match="leave a sentence"):
        crf.segment_log_probability(torch.zeros(2, 4, 3), mask_of([4, 3]), first, tags)
