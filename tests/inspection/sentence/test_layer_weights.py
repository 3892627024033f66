"""The pull of a mix's penalty against a small step down its gradient; models that mix layers."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from core.inspection.sentence.layer_weights import has_mix, penalty_pull
from core.taggers.base.trace import MixTrace
from tests.taggers.small_flat import DOCUMENTS
from tests.taggers.small_taggers import small_tagger


def shares(w):
    return np.exp(w) / np.exp(w).sum()


def test_the_pull_is_a_small_step_of_the_penalty_alone():
    w, strength, rate = torch.tensor([0.4, -1.0, 2.0], dtype=torch.double, requires_grad=True), 0.3, 1e-6
    (strength * w.square().sum()).backward()
    before, after = shares(w.detach().numpy()), shares((w - rate * w.grad).detach().numpy())
    mix = MixTrace(before, scalars=w.detach().numpy(), strength=strength)
    np.testing.assert_allclose(penalty_pull(mix), (after - before) / rate, rtol=1e-4)
    assert penalty_pull(mix).sum() == pytest.approx(0.0, abs=1e-12)


def test_the_largest_share_sinks_and_equal_shares_rest():
    w = np.array([0.0, 1.0, 0.5])
    pull = penalty_pull(MixTrace(shares(w), scalars=w, strength=0.1))
    assert pull[1] < 0 < pull[0]
    same = np.full(3, 7.0)
    np.testing.assert_allclose(
        penalty_pull(MixTrace(shares(same), scalars=same, strength=0.1)), 0.0, atol=1e-15
    )


@pytest.mark.parametrize("mix", [MixTrace(np.ones(3) / 3), MixTrace(np.ones(3) / 3, scalars=np.zeros(3))])
def test_without_a_penalty_nothing_pulls(mix):
    assert penalty_pull(mix) is None
    assert mix.penalty is None


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("elmo_crf", {}),
        ("lr_cnn", {}),
        ("mrc", {"layer_mix": "scalar_mix"}),
        ("mrc", {"layer_mix": "dynamic"}),
        ("bert", {"layer_mix": "dynamic"}),
        ("bert", {"layer_mix": "mean"}),
        ("flat", {}),
        ("bilstm_crf", {}),
    ],
)
def test_a_model_is_known_to_mix_layers_exactly_where_its_trace_holds_a_mix(name, options, tmp_path):
    tagger = small_tagger(name, **options).eval()
    tagger.save(tmp_path)
    (trace,) = tagger.trace(tagger.collate([DOCUMENTS[0]]))
    assert has_mix(tmp_path) == bool(trace.mixes)


def test_of_a_folder_that_holds_no_model_nothing_is_claimed(tmp_path):
    assert not has_mix(tmp_path)
    (tmp_path / "config.json").write_text('{"format": 1, "tagger": "gone", "labels": [], "config": {}}')
    assert not has_mix(tmp_path)
    assert not has_mix(tmp_path / "nowhere")
