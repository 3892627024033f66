"""A transformer that is frozen at first, trained by the loop: unfrozen on time, resumed to the last bit."""

import pytest
import torch

from core.lexicon import Lexicon
from core.taggers.base.registry import by_name
from core.taggers.base.tagger import Resources
from core.training.loop import train
from core.training.run.run_folder import RunFolder
from core.training.settings import TrainingSettings
from tests.taggers.tiny_bert import tiny_bert
from tests.training.watched import after, weights

LABELS = ("PER", "LOC")
STEPS = 3  # of an epoch: 36 sentences, 12 at a time


def fresh(name, documents, seed=0, **options):
    kind = by_name(name)
    torch.manual_seed(seed)
    small = {"hidden": 8} if name == "soft_lexicon" else {}
    values = {"encoder": tiny_bert(), "encoder_rate": 1.0, "frozen_epochs": 2, **small, **options}
    config = kind.Config(**values)
    return kind.build(config, LABELS, Resources(documents, Lexicon(["昨天"])))


def learn(tagger, documents, folder, epochs=4, stop_after=None):
    settings = TrainingSettings(epochs=epochs, batch_size=12, learning_rate=0.01, threads=1)
    place = RunFolder(folder)
    return train(
        tagger,
        documents,
        (),
        settings,
        folder=place,
        report=lambda _: None,
        should_stop=after(stop_after),
        device=torch.device("cpu"),
    )


@pytest.mark.parametrize("name", ["bert", "soft_lexicon"])
def test_the_loop_unfreezes_the_transformer_after_its_frozen_epochs(name, documents, tmp_path):
    tagger = fresh(name, documents)
    before = weights(tagger.features.encoder)
    learn(tagger, documents, tmp_path / "frozen", epochs=2)
    frozen = weights(tagger.features.encoder)
    assert all(torch.equal(frozen[key], value) for key, value in before.items())
    tagger = fresh(name, documents)
    learn(tagger, documents, tmp_path / "unfrozen", epochs=3)
    unfrozen = weights(tagger.features.encoder)
    assert not any(torch.equal(unfrozen[key], value) for key, value in before.items())


STOPS = [STEPS + 1, 2 * STEPS, 3 * STEPS + 1]  # before, at, and after the end of the second epoch


def check_resumed(make, documents, folder, stop_after):
    """A training of what ``make(seed)`` builds, stopped after so many steps, ends as one that was not."""
    whole = make(0)
    learn(whole, documents, folder / "whole")
    learn(make(0), documents, folder / "cut", stop_after=stop_after)
    resumed = make(5)
    learn(resumed, documents, folder / "cut")
    expected = weights(whole)
    assert all(torch.equal(value, expected[key]) for key, value in weights(resumed).items())


@pytest.mark.parametrize("stop_after", STOPS)
def test_a_training_stopped_before_or_after_the_thaw_resumes_to_the_bit(documents, tmp_path, stop_after):
    check_resumed(lambda seed: fresh("bert", documents, seed), documents, tmp_path, stop_after)
