"""The CRF against every path written out, and against pytorch-crf."""

from itertools import product

import pytest
import torch
import torchcrf

from core.layers import CRF, Segments, compiled_loops
from core.layers.crf import segments
from core.layers.crf.forward_backward import is_safe
from tests.layers.crf.crf_oracle import all_paths, bio, probabilities

TAGS = 3
LENGTHS = [4, 1, 0, 3]


@pytest.fixture(params=[1.0, 30.0, 900.0], ids=["mild scores", "steep scores", "beyond the scaled recursion"])
def crf_and_emissions(request):
    """A CRF, emissions ``[B, T, K]`` and mask; the last spread is too wide for float64 without logarithms."""
    torch.manual_seed(0)
    crf = CRF(TAGS).double()
    for parameter in crf.parameters():
        torch.nn.init.normal_(parameter, mean=50.0)
    emissions = request.param * torch.randn(len(LENGTHS), max(LENGTHS), TAGS, dtype=torch.float64)
    mask = torch.arange(max(LENGTHS)) < torch.tensor(LENGTHS)[:, None]
    return crf, emissions, mask


@pytest.fixture
def constraints():
    return bio()


def test_log_partition_sums_every_path(crf_and_emissions):
    crf, emissions, mask = crf_and_emissions
    given = crf.log_partition(emissions, mask)
    for row, length in enumerate(LENGTHS):
        paths = all_paths(crf, emissions[row], length)
        expected = torch.stack(list(paths.values())).logsumexp(0)
        torch.testing.assert_close(given[row], expected, rtol=1e-12, atol=1e-12)


def test_log_likelihood_and_its_gradients_are_pytorch_crfs(crf_and_emissions):
    crf, emissions, mask = crf_and_emissions
    emissions = emissions[[0, 1, 3]].requires_grad_()  # pytorch-crf refuses empty sentences
    mask = mask[[0, 1, 3]]
    tags = torch.tensor([[0, 2, 1, 1], [2, 0, 0, 0], [1, 0, 2, 0]])
    weights = torch.tensor([1.0, -2.0, 0.5], dtype=torch.float64)
    inputs = [emissions, *crf.parameters()]
    ours = crf.log_likelihood(emissions, tags, mask)
    theirs = torchcrf.CRF.forward(crf, emissions, tags, mask, reduction="none")
    torch.testing.assert_close(ours, theirs, rtol=1e-12, atol=1e-10)
    given = torch.autograd.grad((ours * weights).sum(), inputs)
    expected = torch.autograd.grad((theirs * weights).sum(), inputs)
    for one, other in zip(given, expected, strict=True):
        torch.testing.assert_close(one, other, rtol=1e-9, atol=1e-10)


def test_gradcheck_of_the_log_partition(crf_and_emissions):
    crf, emissions, mask = crf_and_emissions
    scores = (crf.transitions, crf.start_transitions, crf.end_transitions)
    inputs = [tensor.detach().clone().requires_grad_() for tensor in (emissions, *scores)]

    def partition(emissions, transitions, start, end):
        state = {"transitions": transitions, "start_transitions": start, "end_transitions": end}
        return torch.func.functional_call(
            _Partition(crf), {f"of.{k}": v for k, v in state.items()}, (emissions, mask)
        )

    assert torch.autograd.gradcheck(partition, inputs, atol=1e-4)


class _Partition(torch.nn.Module):
    def __init__(self, of: CRF) -> None:
        super().__init__()
        self.of = of

    def forward(self, emissions, mask):
        return self.of.log_partition(emissions, mask)


def test_empty_sentences_are_certain_and_pull_at_nothing(crf_and_emissions):
    crf, emissions, mask = crf_and_emissions
    emissions.requires_grad_()
    likelihood = crf.log_likelihood(emissions, torch.zeros(len(LENGTHS), 4, dtype=torch.long), mask)
    assert likelihood[2] == 0
    likelihood.sum().backward()
    assert not emissions.grad[~mask].any()
    assert emissions.grad.isfinite().all()


def test_score_ignores_tags_at_padding(crf_and_emissions):
    crf, emissions, mask = crf_and_emissions
    tags = torch.ones(mask.shape, dtype=torch.long)
    assert torch.equal(
        crf.score(emissions, tags, mask), crf.score(emissions, tags.masked_fill(~mask, -100), mask)
    )


@pytest.mark.parametrize("constrained", [False, True])
def test_marginals_are_sums_over_paths(crf_and_emissions, constraints, constrained):
    crf, emissions, mask = crf_and_emissions
    rules = constraints if constrained else None
    given = crf.marginals(emissions, mask, rules)
    expected = torch.zeros_like(given)
    for row, length in enumerate(LENGTHS):
        for path, probability in probabilities(crf, emissions[row], length, rules).items():
            for t, tag in enumerate(path):
                expected[row, t, tag] += probability
    torch.testing.assert_close(given, expected, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("constrained", [False, True])
def test_decode_finds_the_best_of_all_paths(crf_and_emissions, constraints, constrained):
    crf, emissions, mask = crf_and_emissions
    rules = constraints if constrained else None
    given = crf.decode(emissions, mask, rules)
    for row, length in enumerate(LENGTHS):
        paths = all_paths(crf, emissions[row], length, rules)
        assert tuple(given[row]) == max(paths, key=paths.get)


def test_decode_is_pytorch_crfs(crf_and_emissions):
    crf = crf_and_emissions[0]
    emissions = torch.randn(20, 30, TAGS, dtype=torch.float64)
    mask = torch.arange(30) < torch.randint(1, 31, (20, 1))
    assert crf.decode(emissions, mask) == torchcrf.CRF.decode(crf, emissions, mask)


@pytest.mark.parametrize("constrained", [False, True])
def test_segment_probability_sums_the_paths_through_the_segment(crf_and_emissions, constraints, constrained):
    crf, emissions, mask = crf_and_emissions
    rules = constraints if constrained else None
    wanted = [
        (row, start, path)
        for row, length in enumerate(LENGTHS)
        for start in range(length)
        for size in range(1, length - start + 1)
        for path in product(range(TAGS), repeat=size)
    ]
    given = crf.segment_probability(emissions, mask, Segments.of_paths(wanted, TAGS), rules)
    whole = [probabilities(crf, emissions[row], n, rules) for row, n in enumerate(LENGTHS)]
    expected = [
        sum(p for path, p in whole[row].items() if path[start : start + len(part)] == part)
        for row, start, part in wanted
    ]
    torch.testing.assert_close(given, torch.tensor(expected).double(), rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("form", ["torch", "compiled"])
@pytest.mark.parametrize("constrained", [False, True])
def test_path_probability_sums_the_paths_through_it(
    crf_and_emissions, constraints, constrained, form, monkeypatch
):
    crf, emissions, mask = crf_and_emissions
    if form == "torch":
        monkeypatch.setattr(segments, "compiled_loops", lambda *_: None)
    else:
        pytest.importorskip("numba")
        monkeypatch.setattr(compiled_loops, "WORTH_COMPILING", 0)
        if is_safe(emissions, crf.transitions, crf.start_transitions, crf.end_transitions):
            monkeypatch.setattr(segments, "segment_probability", None)
    rules = constraints if constrained else None
    wanted = [
        (row, start, path)
        for row, length in reversed(list(enumerate(LENGTHS)))
        for start in range(length)
        for size in range(1, length - start + 1)
        for path in product(range(TAGS), repeat=size)
    ]
    whole = [probabilities(crf, emissions[row], n, rules) for row, n in enumerate(LENGTHS)]
    expected = [
        sum(p for path, p in whole[row].items() if path[start : start + len(part)] == part)
        for row, start, part in wanted
    ]
    given = crf.path_probability(emissions, mask, wanted, rules)
    torch.testing.assert_close(given, torch.tensor(expected).double(), rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("extreme", [1e4, float("-inf"), float("nan")])
def test_scores_that_would_underflow_are_left_to_sums_of_logarithms(crf_and_emissions, monkeypatch, extreme):
    pytest.importorskip("numba")
    monkeypatch.setattr(compiled_loops, "WORTH_COMPILING", 0)
    crf, emissions, mask = crf_and_emissions
    emissions = emissions.detach().clone()
    emissions[0, 1, 0] = extreme
    paths = [(0, 0, [0, 1]), (0, 1, [0]), (3, 0, [1, 2])]
    asked = Segments.of_paths(paths, TAGS)
    torch.testing.assert_close(
        crf.path_probability(emissions, mask, paths),
        crf.segment_probability(emissions, mask, asked),
        equal_nan=True,
    )


def test_a_path_that_leaves_its_sentence_is_refused(crf_and_emissions):
    crf, emissions, mask = crf_and_emissions
    for path in [(0, -1, [0]), (1, 0, [0] * (LENGTHS[1] + 1))]:
        with pytest.raises(ValueError, match="leaves its sentence"):
            crf.path_probability(emissions, mask, [path])


def test_segments_may_ask_for_sets_of_tags_and_run_past_the_end(crf_and_emissions):
    crf, emissions, mask = crf_and_emissions
    # Tag 1, then anything but 2: a BIO span of one token that ends there, or with the sentence.
    allowed = torch.tensor([[[False, True, False], [True, True, False]]])
    for row, start in [(0, 0), (0, 2), (0, 3), (1, 0), (3, 2)]:
        segments = Segments(torch.tensor([row]), torch.tensor([start]), allowed)
        given = crf.segment_probability(emissions, mask, segments).item()
        paths = probabilities(crf, emissions[row], LENGTHS[row])
        expected = sum(
            p
            for path, p in paths.items()
            if path[start] == 1 and (start + 1 >= LENGTHS[row] or path[start + 1] != 2)
        )
        assert given == pytest.approx(expected, rel=1e-9, abs=1e-12)


def test_one_tag_segments_are_the_marginals(crf_and_emissions):
    crf, emissions, mask = crf_and_emissions
    places = [(row, t, [tag]) for row, n in enumerate(LENGTHS) for t in range(n) for tag in range(TAGS)]
    given = crf.segment_probability(emissions, mask, Segments.of_paths(places, TAGS))
    torch.testing.assert_close(given, crf.marginals(emissions, mask)[mask].flatten(), rtol=1e-9, atol=1e-12)


def test_no_segments_give_noprobabilities(crf_and_emissions):
    crf, emissions, mask = crf_and_emissions
    assert crf.segment_probability(emissions, mask, Segments.of_paths([], TAGS)).shape == (0,)


def test_a_segment_outside_its_sentence_is_refused(crf_and_emissions):
    crf, emissions, mask = crf_and_emissions
    with pytest.raises(ValueError, match="outside its sentence"):
        crf.segment_probability(emissions, mask, Segments.of_paths([(1, 1, [0])], TAGS))


def test_float32_agrees_with_float64_on_long_sentences():
    torch.manual_seed(0)
    crf = CRF(9)
    emissions = 5 * torch.randn(2, 2000, 9)
    mask = torch.ones(2, 2000, dtype=torch.bool)
    exact = CRF(9).double()
    exact.load_state_dict(crf.state_dict())
    given = crf.log_partition(emissions, mask)
    torch.testing.assert_close(
        given.double(), exact.log_partition(emissions.double(), mask), rtol=1e-6, atol=0
    )
    torch.testing.assert_close(
        crf.marginals(emissions, mask).double(), exact.marginals(emissions.double(), mask), rtol=0, atol=2e-3
    )


def test_state_fits_pytorch_crf_and_back():
    ours, theirs = CRF(5), torchcrf.CRF(5)
    theirs.load_state_dict(ours.state_dict())
    ours.load_state_dict(theirs.state_dict())


@pytest.mark.parametrize(
    ("shape", "mask", "message"),
    [((2, 3, 4), (2, 3), r"emissions must be \[B, T, 3\]"), ((2, 3, 3), (2, 4), r"mask must be \[2, 3\]")],
)
def test_wrong_shapes_are_refused_with_both_shapes(shape, mask, message):
    with pytest.raises(ValueError, match=message):
        CRF(TAGS).decode(torch.zeros(shape), torch.ones(mask, dtype=torch.bool))


def test_a_batch_without_tokens_decodes_to_nothing():
    crf, mask = CRF(TAGS), torch.ones(2, 0, dtype=torch.bool)
    assert crf.decode(torch.zeros(2, 0, TAGS), mask) == [[], []]
    assert crf.marginals(torch.zeros(2, 0, TAGS), mask).shape == (2, 0, TAGS)
    assert crf.log_likelihood(torch.zeros(2, 0, TAGS), mask.long(), mask).tolist() == [0, 0]


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_lowered_emissions_are_summed_in_full_precision(dtype):
    torch.manual_seed(0)
    crf = CRF(5)
    emissions = (3 * torch.randn(2, 300, 5)).to(dtype).requires_grad_()
    tags, mask = torch.randint(5, (2, 300)), torch.ones(2, 300, dtype=torch.bool)
    given = crf.log_likelihood(emissions, tags, mask)
    exact = crf.log_likelihood(emissions.double(), tags, mask)
    assert given.dtype == torch.float32
    torch.testing.assert_close(given.double(), exact, rtol=1e-6, atol=1e-3)
    given.sum().backward()
    assert emissions.grad.dtype == dtype
    marginals = crf.marginals(emissions, mask)
    torch.testing.assert_close(marginals.sum(2), torch.ones(2, 300), rtol=0, atol=1e-6)


def test_autocast_lowers_nothing():
    torch.manual_seed(0)
    crf = CRF(5)
    emissions, mask = torch.randn(2, 30, 5), torch.ones(2, 30, dtype=torch.bool)
    tags, allowed = torch.randint(5, (2, 30)), torch.rand(2, 30, 5) < 0.7
    allowed[..., 0] = True

    def everything():
        crf.zero_grad()
        full, partial = (
            crf.log_likelihood(emissions, tags, mask),
            crf.partial_log_likelihood(emissions, allowed, mask),
        )
        (full + partial).sum().backward()
        marginals = crf.marginals(emissions, mask)
        return [full, partial, marginals, *(parameter.grad.clone() for parameter in crf.parameters())]

    expected = everything()
    with torch.autocast("cpu", torch.bfloat16):
        given = everything()
    for one, other in zip(given, expected, strict=True):
        assert torch.equal(one, other)
