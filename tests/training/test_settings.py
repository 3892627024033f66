"""Training settings: from text or numbers, never out of range."""

from __future__ import annotations

import pytest

from core.taggers.config_fields import config_fields
from core.training.message import TrainingError
from core.training.schedule import learning_rate_factor
from core.training.settings import TrainingSettings


def test_text_and_numbers_give_the_same_settings():
    text = {"epochs": "3", "learning_rate": "2e-3", "decay": "cosine"}
    numbers = {"epochs": 3, "learning_rate": 0.002, "decay": "cosine"}
    assert TrainingSettings.from_values(text) == TrainingSettings.from_values(numbers)
    settings = TrainingSettings.from_values(numbers)
    assert TrainingSettings.from_values(settings.to_json()) == settings


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("epochs", 0),
        ("epochs", "many"),
        ("epochs", 2.5),
        ("epochs", True),
        ("learning_rate", float("nan")),
        ("learning_rate", -1),
        ("optimiser", "lbfgs"),
        ("decay", ""),
        ("batch_area", None),
        ("steps", 3),
    ],
)
def test_a_value_that_does_not_fit_is_refused_by_name(name, value):
    with pytest.raises(TrainingError, match=name):
        TrainingSettings.from_values({name: value})


def test_every_setting_has_one_line_of_help_and_five_are_basic():
    described = config_fields(TrainingSettings)
    assert all(item.help and "\n" not in item.help for item in described)
    assert sum(item.basic for item in described) == 5
    assert all(item.choices or item.maximum is not None for item in described)


def test_the_rate_grows_over_the_warm_up_and_falls_to_zero_after_the_last_step():
    linear = [learning_rate_factor(step, 10, 4, "linear") for step in range(11)]
    assert linear == pytest.approx([0.2, 0.4, 0.6, 0.8, 1, 5 / 6, 4 / 6, 3 / 6, 2 / 6, 1 / 6, 0])
    cosine = [learning_rate_factor(step, 8, 0, "cosine") for step in (0, 4, 8, 9)]
    assert cosine == pytest.approx([1, 0.5, 0, 0])
    assert learning_rate_factor(9, 10, 0, "constant") == 1
    assert learning_rate_factor(0, 1, 0, "linear") == 1
