"""Training settings: from text or numbers, never out of range."""

import pytest

from core.taggers.base.config_fields import config_fields
from core.taggers.base.registry import available, by_name
from core.training.run.errors import TrainingError
from core.training.schedule import learning_rate_factor
from core.training.settings import TrainingSettings
from core.training.strategies.composition import chosen
from core.training.strategies.settings import GROUPS, StrategySettings


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


def test_no_tagger_has_a_field_that_a_training_setting_hides():
    """``--set NAME=VALUE`` and the form know a field by its name alone."""
    names = {item.name for item in config_fields(TrainingSettings)}
    for tagger in available():
        assert not names & {item.name for item in config_fields(by_name(tagger).Config)}, tagger


def test_every_setting_of_a_strategy_is_in_one_group_and_off_by_default():
    grouped = [item.name for group in GROUPS.values() for item in config_fields(group)]
    assert sorted(grouped) == sorted(item.name for item in config_fields(StrategySettings))
    assert grouped == [item.name for item in config_fields(TrainingSettings)][-len(grouped) :], "in order"
    assert chosen(TrainingSettings()) == []


def test_the_rate_grows_over_the_warm_up_and_falls_to_zero_after_the_last_step():
    linear = [learning_rate_factor(step, 10, 4, "linear") for step in range(11)]
    assert linear == pytest.approx([0.2, 0.4, 0.6, 0.8, 1, 5 / 6, 4 / 6, 3 / 6, 2 / 6, 1 / 6, 0])
    cosine = [learning_rate_factor(step, 8, 0, "cosine") for step in (0, 4, 8, 9)]
    assert cosine == pytest.approx([1, 0.5, 0, 0])
    assert learning_rate_factor(9, 10, 0, "constant") == 1
    assert learning_rate_factor(0, 1, 0, "linear") == 1


def test_the_inverse_square_root_is_that_of_the_transformer():
    """Vaswani et al., equation 3: ``d^-0.5 min(t^-0.5, t w^-1.5)``, here scaled to 1 at its top ``t = w``."""
    top = 5
    for step in range(40):
        t = step + 1
        expected = min(t**-0.5, t * top**-1.5) / top**-0.5
        assert learning_rate_factor(step, 40, top - 1, "inverse_sqrt") == pytest.approx(expected)
