"""``core probe``: one JSON object a line for every layer and task, and one line where it cannot."""

import pytest

from core.inspection.representations.layer_probes import TASKS
from tests.taggers.small_taggers import small_tagger


def test_a_row_for_every_layer_and_task(core, trained, corpus):
    answer = core("probe", "--model", trained, "--train", corpus["train"], "--test", corpus["test"])
    assert answer.status == 0, answer.err
    layers = list(dict.fromkeys(row["layer"] for row in answer.lines))
    assert layers[0] == "embeddings"
    assert layers[1:] == [f"layer {number}" for number in range(1, len(layers))]
    assert {row["task"] for row in answer.lines} <= set(TASKS)
    entity = {row["layer"]: row for row in answer.lines if row["task"] == "entity"}
    best = entity[layers[-1]]
    assert best["accuracy"] > best["baseline"], "a trained tagger's top layer knows its labels"
    assert best["selectivity"] == pytest.approx(best["accuracy"] - best["control"])
    again = core("probe", "--model", trained, "--train", corpus["train"], "--test", corpus["test"])
    assert again.lines == answer.lines


def test_samples_are_as_small_as_asked(core, trained, corpus):
    answer = core(
        "probe", "--model", trained, "--train", corpus["train"], "--characters", 30, "--held-out", 12
    )
    assert {(row["train"], row["held_out"]) for row in answer.lines if row["task"] == "entity"} == {(30, 12)}


@pytest.mark.parametrize(
    ("flag", "value", "expected"), [("--characters", 0, "1 to"), ("--test", "no such file", "no such file")]
)
def test_what_does_not_fit_is_one_line(core, trained, corpus, flag, value, expected):
    reason = core("probe", "--model", trained, "--train", corpus["train"], f"{flag}={value}").reason
    assert expected in reason


def test_a_tagger_without_layers_is_refused(core, corpus, tmp_path):
    small_tagger("dictionary").save(tmp_path / "words")
    reason = core("probe", "--model", tmp_path / "words", "--train", corpus["train"]).reason
    assert "no hidden states" in reason
