"""The mixes of a run over its steps: written down while it learns, read from its events."""

import math

import pytest
import torch

from core.training.loop import train
from core.training.run.mix_path import MOST_POINTS, mix_paths
from core.training.run.run_folder import RunFolder
from core.training.settings import TrainingSettings
from tests.taggers.small_flat import DOCUMENTS
from tests.taggers.small_taggers import small_tagger

WITH_TEXT = [document for document in DOCUMENTS if document.text]


def mix(weights, gamma=1.0, penalty=None, name="encoder"):
    return {
        "name": name,
        "layers": list(range(len(weights))),
        "weights": weights,
        "gamma": gamma,
        "penalty": penalty,
    }


def at(step, *mixes, event="step"):
    return {"event": event, "step": step, "mixes": list(mixes)}


def learn(tagger, folder, epochs=3):
    events = []
    train(
        tagger,
        WITH_TEXT,
        (),
        TrainingSettings(epochs=epochs, batch_size=1, learning_rate=0.05),
        folder=RunFolder(folder),
        report=events.append,
        should_stop=lambda: False,
        device=torch.device("cpu"),
    )
    return events


def test_a_training_writes_down_every_mix_of_its_tagger(tmp_path):
    tagger = small_tagger("elmo_crf", mix_penalty=0.3)
    events = learn(tagger, tmp_path)
    paths = mix_paths(events)
    assert [path.name for path in paths] == ["input", "output"]
    for path, module in zip(paths, (tagger.input_mix, tagger.output_mix), strict=True):
        w = module.scalars.tolist()
        total = sum(math.exp(value) for value in w)
        assert path.weights[-1] == pytest.approx([math.exp(value) / total for value in w], abs=1e-5)
        assert path.gamma[-1] == pytest.approx(module.gamma.item(), abs=1e-5)
        assert path.penalty[-1] == pytest.approx(0.3 * sum(value * value for value in w), rel=1e-4)
        assert path.steps[-1] == 3 * len(WITH_TEXT)
        assert path.weights[0] != path.weights[-1]


def test_a_tagger_that_mixes_nothing_writes_nothing_down(tmp_path):
    events = learn(small_tagger("bilstm_crf"), tmp_path, epochs=1)
    assert not any("mixes" in event for event in events)
    assert {event["step"] for event in events if event["event"] == "epoch"} == {len(WITH_TEXT)}
    assert mix_paths(events) == ()


def test_a_transformers_mix_has_the_numbers_of_its_layers_and_no_penalty(tmp_path):
    tagger = small_tagger("bert", layer_mix="scalar_mix", first_layer=-2)
    (path,) = mix_paths(learn(tagger, tmp_path, epochs=1))
    assert (path.name, path.penalty) == ("encoder", ())
    assert path.layers == tagger.features.mix.chosen


def test_a_point_stands_at_its_step_and_what_a_resumed_run_did_again_counts_once():
    events = [
        at(1, mix([0.5, 0.5])),
        at(4, mix([0.6, 0.4], 1.1), event="epoch"),
        at(5, mix([0.9, 0.1])),  # of an epoch that was killed
        {"event": "started", "resumed_from": 1},
        at(5, mix([0.7, 0.3], 1.2)),
    ]
    (path,) = mix_paths(events)
    assert path.steps == (1, 4, 5)
    assert path.weights == ((0.5, 0.5), (0.6, 0.4), (0.7, 0.3))
    assert path.gamma == (1.0, 1.1, 1.2)


def test_an_epoch_that_was_done_again_takes_the_place_of_all_that_came_after_it():
    events = [at(step, mix([0.5, 0.5], step)) for step in (1, 2, 3, 4, 2)]
    assert mix_paths(events)[0].steps == (1, 2)


def test_a_long_run_keeps_its_first_and_last_point_and_not_all_between():
    events = [at(step, mix([0.5, 0.5])) for step in range(1, 5001)]
    (path,) = mix_paths(events)
    assert len(path.steps) <= MOST_POINTS + 1
    assert (path.steps[0], path.steps[-1]) == (1, 5000)


@pytest.mark.parametrize(
    "broken",
    [
        {"event": "step", "step": 2},
        {"event": "step", "step": "2", "mixes": [mix([1.0])]},
        at(2, "x"),
        at(2, mix([0.5, float("nan")])),
        at(2, {**mix([0.5, 0.5]), "layers": [0]}),
        at(2, {**mix([0.5, 0.5]), "gamma": None}),
        at(2, {**mix([0.5, 0.5]), "gamma": 10**400}),
        at(2, {**mix([0.5, 0.5]), "layers": [0, 10**400]}),
        at(10**400, mix([0.5, 0.5])),
        at(True, mix([0.5, 0.5])),
    ],
)
def test_what_is_no_mix_is_left_out(broken):
    assert mix_paths([broken]) == ()
    assert mix_paths([broken, at(3, mix([0.5, 0.5]))])[0].steps == (3,)
