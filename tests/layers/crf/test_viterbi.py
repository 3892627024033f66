"""Both forms of Viterbi against every path written out, and tag for tag against pytorch-crf."""

import sys

import numpy as np
import pytest
import torch
import torchcrf

from core.layers import CRF
from core.layers.crf import viterbi
from tests.layers.crf.crf_oracle import all_paths, bioes, mask_of, steep_crf

COMPILED = "core.layers.crf.compiled_viterbi"


@pytest.fixture(params=["numpy", "compiled"])
def form(request, monkeypatch):
    """Decoding goes through one form only."""
    if request.param == "compiled":
        pytest.importorskip("numba")
        assert viterbi.compiled_form() is not None
        monkeypatch.setattr(viterbi, "WORTH_COMPILING", 0)
        monkeypatch.setattr(viterbi, "fill_best_paths", None)
    else:
        monkeypatch.setattr(viterbi, "compiled_form", lambda: None)
    return request.param


@pytest.fixture
def fresh_loading(monkeypatch):
    """As in a process that has not loaded the compiled form yet."""
    monkeypatch.delitem(sys.modules, COMPILED, raising=False)
    loading = viterbi.compiled_form
    loading.cache_clear()
    yield
    loading.cache_clear()


@pytest.mark.parametrize("tags", [1, 2, 5])
@pytest.mark.parametrize("constrained", [False, True])
def test_the_path_is_the_best_of_all(form, tags, constrained):
    rules = bioes() if constrained and tags == 5 else None
    crf = steep_crf(tags)
    lengths = [4, 1, 0, 5, 2]
    emissions, mask = torch.randn(5, 5, tags).double(), mask_of(lengths)
    for row, path in enumerate(crf.decode(emissions, mask, rules)):
        scored = all_paths(crf, emissions[row], lengths[row], rules)
        assert tuple(path) == max(scored, key=scored.get)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("size", [(1, 40, 9), (17, 23, 4), (3, 1, 6), (6, 30, 1)])
def test_paths_are_pytorch_crfs(form, dtype, size):
    crf = steep_crf(size[2]).to(dtype)
    emissions = torch.randn(size, dtype=dtype)
    mask = mask_of(torch.randint(1, size[1] + 1, (size[0],)).tolist(), size[1])
    assert crf.decode(emissions, mask) == torchcrf.CRF.decode(crf, emissions, mask)


def test_of_equal_tags_pytorch_crfs_is_taken(form):
    crf = CRF(4)
    for seed in range(20):
        torch.manual_seed(seed)
        for parameter in crf.parameters():
            parameter.data = torch.randint(-1, 2, parameter.shape).float()
        emissions = torch.randint(-1, 2, (8, 12, 4)).float()
        mask = mask_of([12, 1, 7, 2, 12, 9, 3, 5])
        assert crf.decode(emissions, mask) == torchcrf.CRF.decode(crf, emissions, mask)


def test_of_tags_made_equal_by_rounding_pytorch_crfs_is_taken(form):
    crf = steep_crf(6, seed=1).float()
    torch.manual_seed(2)
    # At 2e6 the spacing of float32 is 0.25: most differences between transitions are rounded away.
    emissions = 2e6 + torch.randint(-2, 3, (20, 15, 6)).float()
    mask = torch.ones(20, 15, dtype=torch.bool)
    assert crf.decode(emissions, mask) == torchcrf.CRF.decode(crf, emissions, mask)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_lowered_emissions_decode_as_pytorch_crf_promotes_them(form, dtype):
    crf = steep_crf(5).float()
    emissions = torch.randn(4, 20, 5).to(dtype)
    mask = mask_of([20, 3, 11, 1])
    assert crf.decode(emissions, mask) == torchcrf.CRF.decode(crf, emissions, mask)


@pytest.mark.parametrize("garbage", [float("nan"), float("inf"), -3e38])
def test_padding_may_hold_anything(form, garbage):
    crf = steep_crf(3).float()
    emissions, mask = torch.randn(3, 9, 3), mask_of([4, 9, 0])
    expected = crf.decode(emissions, mask)
    assert crf.decode(emissions.masked_fill(~mask[..., None], garbage), mask) == expected


def test_emissions_in_any_memory_layout(form):
    crf = steep_crf(3)
    emissions, mask = (
        torch.randn(3, 7, 4).double().transpose(1, 2).transpose(0, 1),
        mask_of([3, 2, 3, 1, 3, 2, 1]),
    )
    emissions = emissions.permute(2, 0, 1)[..., :3].expand(7, 4, 3)[:, :3]
    assert crf.decode(emissions, mask) == crf.decode(emissions.clone().contiguous(), mask)


def test_scores_that_are_no_numbers_still_give_tags(form):
    crf = steep_crf(3)
    emissions = torch.full((2, 6, 3), float("nan")).double()
    for path in crf.decode(emissions, mask_of([6, 4])):
        assert set(path) <= {0, 1, 2}


def test_both_forms_agree_on_a_long_text():
    compiled = pytest.importorskip("numba") and viterbi.compiled_form()
    chance = np.random.default_rng(0)
    emissions = chance.integers(-2, 3, (2, 3000, 9)).astype(np.float32)
    transitions, edge = chance.integers(-1, 2, (9, 9)).astype(np.float32), np.zeros(9, dtype=np.float32)
    paths = np.zeros((2, 2, 3000), dtype=np.int64)
    for form, path in zip((viterbi.fill_best_paths, compiled), paths, strict=True):
        form(emissions, np.array([3000, 1700]), transitions, edge, edge, path)
    np.testing.assert_array_equal(paths[0, 0], paths[1, 0])
    np.testing.assert_array_equal(paths[0, 1, :1700], paths[1, 1, :1700])


def test_one_text_does_not_wait_for_the_compiler(fresh_loading, monkeypatch):
    asked = []
    monkeypatch.setattr(viterbi, "compiled_form", lambda: asked.append(True))
    crf = steep_crf(3)
    mask = torch.ones(1, viterbi.WORTH_COMPILING - 1, dtype=torch.bool)
    crf.decode(torch.randn(*mask.shape, 3).double(), mask)
    assert not asked
    crf.decode(torch.randn(2, *mask.shape[1:], 3).double(), mask.expand(2, -1))
    assert asked


def test_once_loaded_the_compiled_form_serves_small_calls_too(fresh_loading, monkeypatch):
    asked = []
    monkeypatch.setattr(viterbi, "compiled_form", lambda: asked.append(True))
    monkeypatch.setitem(sys.modules, COMPILED, object())
    steep_crf(3).decode(torch.randn(1, 2, 3).double(), mask_of([2]))
    assert asked


def test_without_numba_numpy_serves(fresh_loading, monkeypatch):
    monkeypatch.setitem(sys.modules, "numba", None)
    crf = steep_crf(3)
    emissions, mask = torch.randn(40, 50, 3).double(), torch.ones(40, 50, dtype=torch.bool)
    assert crf.decode(emissions, mask) == torchcrf.CRF.decode(crf, emissions, mask)
    assert viterbi.compiled_form() is None


def test_a_compiler_that_fails_is_done_without(fresh_loading, monkeypatch):
    class FullDisk:
        @staticmethod
        def fill_best_paths(*arrays):
            raise OSError("no space left on device")

    monkeypatch.setitem(sys.modules, COMPILED, FullDisk)
    assert viterbi.compiled_form() is None
    crf = steep_crf(3)
    emissions, mask = torch.randn(2, 5, 3).double(), mask_of([5, 3])
    assert crf.decode(emissions, mask) == torchcrf.CRF.decode(crf, emissions, mask)
