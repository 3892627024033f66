"""An attack that no epoch would let act is told before the training, whatever the tagger."""

import json

import pytest

from app.i18n import text
from core.taggers.base.registry import available, by_name
from core.taggers.sequence.encoder_choice import sequence_taggers
from core.taggers.sequence.encoder_features import EncoderConfig
from core.training.run.errors import TrainingError
from core.training.settings import TrainingSettings, config_from_values
from core.training.strategies.frozen_embeddings import idle_attacks, refuse_idle_attacks
from tests.sweep import sweep
from tests.taggers.small_taggers import small_tagger
from tests.taggers.tiny_bert import tiny_bert

ENCODED = tuple(name for name in available() if issubclass(by_name(name).Config, EncoderConfig))
FROZEN = [-1, 0, 1, 2, 3]


def told(kind, settings, **config):
    kind = by_name(kind)
    return idle_attacks(kind, config_from_values(kind.Config, config), TrainingSettings(epochs=2, **settings))


def learns_at_some_time(tagger, epochs):
    found = False
    for epoch in range(epochs):
        tagger.begin_epoch(epoch)
        found |= bool(tagger.embedding_weights())
    return found


@pytest.mark.parametrize("name", [name for name in available() if by_name(name).needs_training])
@pytest.mark.parametrize("epochs", sweep([1, 2], [1]))
def test_what_is_said_beforehand_is_what_the_epochs_do(name, epochs):
    layers = [{}, {"frozen_layers": 0}] if name in ENCODED else [{}]
    given = [{"encoder": tiny_bert(), "frozen_epochs": n, **more} for n in FROZEN for more in layers]
    for options in given if name in ENCODED else [{}]:
        tagger = small_tagger(name, **options)
        expected = learns_at_some_time(tagger, epochs)
        assert by_name(name).learns_embeddings(tagger.config, epochs) == expected, options


def test_there_are_taggers_with_an_encoder_and_without():
    assert {"bert", "mrc", "flat"} <= set(ENCODED) < set(available())


@pytest.mark.parametrize("over", sequence_taggers())
def test_pu_says_what_the_tagger_it_is_over_says(over):
    given = json.dumps({"frozen_epochs": -1}) if over == "bert" else ""
    config = config_from_values(by_name("pu").Config, {"over": over, "over_options": given})
    assert by_name("pu").learns_embeddings(config, 5) == (over != "bert")


@pytest.mark.parametrize(
    "settings", [{"fgm": 1.0}, {"pgd_steps": 3}, {"vat": 1.0}, {"fgm": 0.5, "pgd_steps": 1, "vat": 2.0}]
)
def test_each_attack_is_named_in_both_languages_with_the_way_out(settings):
    for frozen in (-1, 2, 7):
        message = told("bert", settings, frozen_epochs=frozen)
        assert str(message).startswith(", ".join(settings) + ": there is nothing to disturb")
        labels = {"fgm": "FGM", "pgd_steps": "PGD 步数", "vat": "VAT"}
        names = "、".join(labels[name] for name in settings)
        assert text(message, "zh").startswith(f"{names}：没有可扰动的嵌入")
        assert "frozen_epochs to a number from 0 to 1, or" in str(message)
        assert "请把“冻结轮数”设为 0 到 1 之间的数，或" in text(message, "zh")
    for frozen in (0, 1):
        assert told("mrc", settings, frozen_epochs=frozen) is None
    assert told("bert", {"ema": 0.9, "r_drop": 1.0}, frozen_epochs=-1) is None
    assert told("bilstm_crf", settings) is None


def test_with_one_epoch_there_is_one_way_to_unfreeze():
    kind = by_name("bert")
    message = idle_attacks(kind, kind.Config(frozen_epochs=-1), TrainingSettings(epochs=1, fgm=1.0))
    assert str(message).endswith("set frozen_epochs to 0, or fgm to 0")
    assert text(message, "zh").endswith("请把“冻结轮数”设为 0，或把 FGM 设为 0")


def test_what_is_found_is_refused_in_both_languages():
    kind = by_name("mrc")
    config, settings = kind.Config(frozen_epochs=-1), TrainingSettings(pgd_steps=2)
    with pytest.raises(TrainingError, match=r"^pgd_steps: there is nothing to disturb") as refused:
        refuse_idle_attacks(kind, config, settings)
    assert refused.value.message == idle_attacks(kind, config, settings)
    refuse_idle_attacks(kind, kind.Config(), settings)
