"""Small corpora get more passes, within bounds; taggers get what they learn best with."""

import pytest

from core.taggers.base.registry import available, by_name
from core.taggers.sequence.character_tagger import LSTM_SETTINGS
from core.training.fitting import check_epochs, fitting_epochs, fitting_settings
from core.training.run.errors import TrainingError
from core.training.settings import TrainingSettings, config_from_values


@pytest.mark.parametrize(
    ("documents", "batch_size", "epochs"),
    [
        (3821, 16, 11),  # 239 steps an epoch
        (627, 16, 60),  # 40 steps
        (627, 8, 31),  # 79 steps
        (50_000, 16, 10),  # never fewer than ten
        (20, 16, 100),  # never more than a hundred
        (0, 16, 100),
    ],
)
def test_epochs_make_the_same_number_of_steps_of_every_corpus(documents, batch_size, epochs):
    assert fitting_epochs(documents, batch_size) == epochs


def test_where_less_is_enough_it_is_a_share_of_them():
    assert fitting_epochs(627, 16, share=0.5) == 30
    assert fitting_epochs(50_000, 16, share=0.5) == 5
    assert fitting_epochs(20, 16, share=0.5) == 50


@pytest.mark.parametrize(
    ("tagger", "config", "given", "completed"),
    [
        ("soft_lexicon", {}, {"epochs": 3}, {"epochs": 3, **LSTM_SETTINGS}),
        ("flat", {}, {}, {"epochs": 31, "batch_size": 8, "ema": 0.99}),
        ("lattice_lstm", {}, {}, {"epochs": 60}),
        ("bilstm_crf", {}, {"ema": 0.0, "fgm": 1.0}, {"epochs": 31, **LSTM_SETTINGS, "ema": 0.0, "fgm": 1.0}),
        (
            "span",
            {},
            {"swa_start": 3},
            {"epochs": 31, "learning_rate": 3e-3, "batch_size": 8, "swa_start": 3},
        ),
        ("soft_lexicon", {"encoder": "a/folder"}, {}, {}),
        ("bert", {"encoder": "a/folder"}, {"seed": 2}, {"seed": 2}),
        ("dictionary", {}, {}, {}),
        ("span", {}, {"batch_size": 32}, {"epochs": 100, **LSTM_SETTINGS, "batch_size": 32}),
        ("span", {"encoder": "a/folder"}, {}, {}),
    ],
)
def test_a_tagger_from_scratch_gets_what_it_learns_best_with(tagger, config, given, completed):
    kind = by_name(tagger)
    assert fitting_settings(kind, config_from_values(kind.Config, config), given, 627) == completed


@pytest.mark.parametrize(
    ("tagger", "config"),
    [
        ("bert", {"theseus_layers": 2}),
        ("flat", {"theseus_layers": 2, "encoder": "a/folder"}),
        ("span", {"over": "bert", "encoder": "a/folder", "over_options": "theseus_layers=2"}),
    ],
)
def test_successors_need_an_epoch_alone(tagger, config):
    kind = by_name(tagger)
    whole = config_from_values(kind.Config, config)
    check_epochs(whole, 6)
    with pytest.raises(TrainingError, match="in 5 of 5 epochs the successors run now and then"):
        check_epochs(whole, 5)
    check_epochs(kind.Config(), 1)


def test_what_a_tagger_learns_best_with_can_be_set():
    for name in available():
        TrainingSettings.from_values(by_name(name).learns_best_with)
