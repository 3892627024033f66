"""Half precision and too little memory, on a CPU: the same training, up to what they change."""

import json
import math

import pytest
import torch
from torch import nn

from core.runtime.message import Message
from core.training.batches import batch_area
from core.training.memory import FittingBatches
from core.training.precision import Precision
from tests.training.conftest import TinyConfig, TinyTagger
from tests.training.test_loop import learn
from tests.training.watched import same, weights


def losses(result):
    return [record.loss for record in result.history]


@pytest.mark.parametrize("amp", ["bf16", "fp16"])
def test_half_precision_learns_what_single_precision_learns(tiny, documents, tmp_path, amp):
    """The forward pass is in half precision (its loss differs), weights stay single, and training works."""
    whole, _ = learn(tiny(), documents, tmp_path / "off", amp="off", epochs=12)
    tagger = tiny()
    half, _ = learn(tagger, documents, tmp_path / amp, amp=amp, epochs=12)
    assert losses(half) != losses(whole)
    skipped = 0.15 if amp == "fp16" else 0.02  # the first steps, while the scale is found
    assert losses(half) == pytest.approx(losses(whole), rel=skipped)
    assert half.history[-1].f1 > 0.9
    assert {weight.dtype for weight in tagger.parameters()} == {torch.float32}


def test_fp16_goes_on_with_its_scale_to_the_bit(tiny, documents, tmp_path):
    given = {"amp": "fp16", "epochs": 4, "fgm": 0.5}
    straight, stopped = tiny(), tiny()
    learn(straight, documents, tmp_path / "a", **given)
    learn(stopped, documents, tmp_path / "b", stop_after=20, **given)
    kept = json.loads((tmp_path / "b" / "checkpoint" / "checkpoint.json").read_text(encoding="utf-8"))
    assert 0 < kept["scaler"]["scale"] < 65536.0, "found, not the first guess"
    learn(again := tiny(), documents, tmp_path / "b", **given)
    assert same(weights(straight), weights(again))


def test_a_gradient_that_overflows_costs_the_step_and_halves_the_scale():
    layer = nn.Linear(1, 1, bias=False)
    optimiser = torch.optim.SGD(layer.parameters(), lr=1.0)
    precision = Precision("fp16", "cpu")
    before = layer.weight.detach().clone()
    layer.weight.grad = torch.full((1, 1), math.inf)
    precision.scaled(torch.zeros(()))  # begins the scale
    precision.step(optimiser, list(layer.parameters()), 0.0)
    assert torch.equal(layer.weight, before)
    assert precision.state()["scale"] == 32768.0
    optimiser.zero_grad()
    precision.scaled((layer(torch.ones(1, 1)) * 3.0).sum()).backward()
    assert layer.weight.grad.item() == 3.0 * 32768
    precision.step(optimiser, list(layer.parameters()), 1.0)
    assert layer.weight.item() == pytest.approx(before.item() - 1.0), "unscaled first, then clipped to 1"


class Small(TinyTagger):
    """Has memory for so many documents times the square of their longest."""

    room = 1200

    def loss(self, batch):
        if len(batch.documents) * batch.characters.shape[1] ** 2 > self.room:
            raise torch.OutOfMemoryError("CUDA out of memory")
        return super().loss(batch)


def test_batches_become_smaller_until_they_fit_and_the_result_is_the_same(documents, tmp_path):
    def tagger(kind):
        torch.manual_seed(1)
        return kind(TinyConfig(dropout=0.0), ("LOC", "PER"))

    given = {"batch_size": 12, "fgm": 0.5, "epochs": 2}
    roomy, events = learn(tagger(TinyTagger), documents, tmp_path / "roomy", **given)
    assert not [event for event in events if event["event"] == "log"]
    small, events = learn(tagger(Small), documents, tmp_path / "small", **given)
    told = [str(Message.from_json(event["message"])) for event in events if event["event"] == "log"]
    assert "memory did not suffice" in told[0]
    assert losses(small) == pytest.approx(losses(roomy), rel=1e-6)


def test_what_does_not_fit_alone_is_refused():
    costs = [10, 20]
    tried = []

    def work(batches):
        tried.append(batches)
        raise torch.OutOfMemoryError("CUDA out of memory")

    fitting = FittingBatches(costs, 8, 10**6, lambda message: None)
    with pytest.raises(torch.OutOfMemoryError):
        fitting.run([0, 1], work)
    assert tried == [[[0, 1]], [[0], [1]]]
    assert fitting.area < batch_area([0, 1], costs)
