"""The panel of mixed layers on the Inspect page."""

import numpy as np
import pytest

from app.inspect.panel import Look
from app.inspect.sentence import layers
from core.store.run import runs
from core.taggers.base.trace import MixTrace, Trace
from core.training.run.run_folder import RunFolder
from tests.taggers.small_taggers import small_tagger

TEXT = "陈禾在岭南市工作"
HALF = np.array([0.25, 0.75])


def look_with(*mixes, run="elmo_crf-0001"):
    return Look(run, Trace(TEXT, tuple(TEXT), (), "elmo_crf", mixes=mixes))


@pytest.fixture
def elmo(session):
    """Registers an untrained ELMo-CRF as a run; gives its folder."""

    def register(name):
        folder = session.workspace.folder / "runs" / name
        small_tagger("elmo_crf").save(folder / "model")
        runs.register(session.workspace, session.project_id, name, "elmo_crf", folder, {})
        return RunFolder(folder)

    return register


def side(drawn, name="own"):
    return {key.removeprefix(f"{name}."): value for key, value in drawn.items() if key.startswith(name)}


def test_only_runs_that_mix_layers_are_offered_beside_this_one(session, elmo):
    elmo("elmo_crf-0001"), elmo("elmo_crf-0002")
    assert layers.others(session, "elmo_crf-0001") == ["elmo_crf-0002"]
    assert layers.others(session, "flat-0001") == ["elmo_crf-0002", "elmo_crf-0001"]


def test_a_run_without_a_path_says_why_there_is_none(session, elmo):
    elmo("elmo_crf-0001")
    drawn = side(layers.draw(session, look_with(MixTrace(HALF)), None))
    assert not drawn["path_column"]["visible"]
    assert drawn["path_note"].startswith("This run recorded no weights")
    assert not drawn["run"]["visible"]


def test_the_path_comes_from_the_runs_events(session, elmo):
    folder = elmo("elmo_crf-0001")
    mix = {"name": "input", "layers": [0, 1], "weights": [0.4, 0.6], "gamma": 1.0, "penalty": 0.2}
    folder.append_event("step", step=3, mixes=[mix])
    folder.append_event("epoch", step=8, mixes=[{**mix, "weights": [0.3, 0.7]}])
    drawn = side(layers.draw(session, look_with(MixTrace(HALF)), None))
    assert drawn["path_column"]["visible"]
    assert list(drawn["path"].data[0].x) == [3, 8]
    assert list(drawn["path"].data[0].y) == [0.4, 0.3]


def test_the_penalty_is_said_with_its_strength(session, elmo):
    elmo("elmo_crf-0001")
    mix = MixTrace(HALF, 1.0, "input", scalars=np.array([1.0, 2.0]), strength=0.1)
    note = side(layers.draw(session, look_with(mix), None))["note"]
    assert "λ = 0.1" in note
    assert "adds 0.5 to the loss" in note  # 0.1 * (1 + 4)
    assert "at the LSTM input" in note
    free = side(layers.draw(session, look_with(MixTrace(HALF)), None))["note"]
    assert "λ" not in free


def test_weights_of_every_character_have_no_path(session, elmo):
    elmo("elmo_crf-0001")
    drawn = side(layers.draw(session, look_with(MixTrace(np.full((len(TEXT), 2), 0.5))), None))
    assert drawn["figure"].data[0].type == "heatmap"
    assert not drawn["path_column"]["visible"]
    assert drawn["path_note"] == ""
    assert "depend on the character" in drawn["note"]


def test_another_runs_mix_of_the_same_sentence_stands_beside_this_one(session, elmo):
    elmo("elmo_crf-0001"), elmo("elmo_crf-0002")
    drawn = layers.draw(session, look_with(MixTrace(HALF)), "elmo_crf-0002")
    assert drawn["picker"]["value"] == "elmo_crf-0002"
    first, second = side(drawn), side(drawn, "other")
    assert first["run"]["value"] == "elmo_crf-0001"
    assert second["column"]["visible"]
    assert second["run"]["value"] == "elmo_crf-0002"
    bars = [trace for trace in second["figure"].data if trace.type == "bar"]
    np.testing.assert_allclose(np.asarray(bars[0].y), [1 / 3] * 3, rtol=1e-6)


@pytest.mark.parametrize("name", [None, "", "gone", "flat-0001", "elmo_crf-0001"])
def test_a_run_that_cannot_be_compared_with_leaves_one_side(session, elmo, name):
    elmo("elmo_crf-0001")
    drawn = layers.draw(session, look_with(MixTrace(HALF)), name)
    assert drawn["picker"]["value"] == layers.NOBODY
    assert not side(drawn, "other")["column"]["visible"]
