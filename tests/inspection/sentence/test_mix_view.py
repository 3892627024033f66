"""The gradient of the L2 penalty against a small step down it; models that mix layers."""

import numpy as np
import pytest
import torch

from core.inspection.sentence.mix_view import has_mix, l2_gradient, mix_view
from core.taggers.base.trace import MixTrace, Trace
from tests.taggers.small_flat import DOCUMENTS
from tests.taggers.small_taggers import small_tagger


def softmax(w):
    return np.exp(w) / np.exp(w).sum()


def test_the_gradient_is_a_small_step_of_the_penalty_alone():
    w, strength, rate = torch.tensor([0.4, -1.0, 2.0], dtype=torch.double, requires_grad=True), 0.3, 1e-6
    (strength * w.square().sum()).backward()
    before, after = softmax(w.detach().numpy()), softmax((w - rate * w.grad).detach().numpy())
    mix = MixTrace(before, scalars=w.detach().numpy(), strength=strength)
    np.testing.assert_allclose(l2_gradient(mix), (after - before) / rate, rtol=1e-4)
    assert l2_gradient(mix).sum() == pytest.approx(0.0, abs=1e-12)


def test_the_largest_weight_sinks_and_equal_weights_rest():
    w = np.array([0.0, 1.0, 0.5])
    gradient = l2_gradient(MixTrace(softmax(w), scalars=w, strength=0.1))
    assert gradient[1] < 0 < gradient[0]
    same = np.full(3, 7.0)
    np.testing.assert_allclose(
        l2_gradient(MixTrace(softmax(same), scalars=same, strength=0.1)), 0.0, atol=1e-15
    )


@pytest.mark.parametrize("mix", [MixTrace(np.ones(3) / 3), MixTrace(np.ones(3) / 3, scalars=np.zeros(3))])
def test_without_a_penalty_there_is_no_gradient(mix):
    assert l2_gradient(mix) is None
    assert mix.penalty is None


def test_a_view_holds_the_gradient_of_every_mix_that_has_a_penalty():
    w = np.array([0.0, 1.0])
    mixes = (MixTrace(softmax(w), scalars=w, strength=0.1), MixTrace(softmax(w), scalars=w))
    trace = Trace("湖边", ("湖", "边"), (), "elmo_crf", mixes=mixes)
    view = mix_view(trace)
    np.testing.assert_array_equal(view.gradients[0], l2_gradient(mixes[0]))
    assert view.gradients[1] is None
    assert (view.mixes, view.tokens) == (mixes, ("湖", "边"))
    assert mix_view(trace, gradients=False).gradients == (None, None)


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
