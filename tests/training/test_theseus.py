"""BERT-of-Theseus in the training loop: what learns when, what is saved, and what is refused."""

import pytest
import torch

from core.taggers.base.config_fields import ConfigError
from core.taggers.base.model_folder import load_tagger
from core.taggers.base.registry import by_name
from core.taggers.base.tagging import tag
from tests.encoders.tiny_encoders import tiny_encoder
from tests.training.test_unfreezing import STOPS, check_resumed, fresh, learn
from tests.training.watched import weights

OPTIONS = {"theseus_layers": 2, "theseus_epochs": 2, "frozen_epochs": 0}


def replacing(name, documents, seed=0, **options):
    folder = tiny_encoder(num_hidden_layers=4, initializer_range=0.3)
    return fresh(name, documents, seed, encoder=folder, **{**OPTIONS, **options})


@pytest.mark.parametrize("name", ["bert", "soft_lexicon", "span", "mrc"])
def test_the_embeddings_learn_once_the_successors_run_alone(name, documents, tmp_path):
    small = {"over_options": "top_hidden=8"} if name == "span" else {}
    tagger = replacing(name, documents, **small)
    encoder = tagger.encoder_part().features.encoder
    before = weights(encoder)
    learn(tagger, documents, tmp_path / "replacing", epochs=2)
    after = weights(encoder)
    moved = {key for key, value in before.items() if not torch.equal(after[key], value)}
    assert {key for key in before if ".layer." in key} == moved
    tagger = replacing(name, documents, **small)
    learn(tagger, documents, tmp_path / "alone", epochs=3)
    alone = weights(tagger.encoder_part().features.encoder)
    assert not any(torch.equal(alone[key], value) for key, value in before.items())


def test_what_is_saved_has_the_successors_alone_and_tags_as_it_did(documents, tmp_path):
    tagger = replacing("bert", documents)
    learn(tagger, documents, tmp_path, epochs=30)
    loaded = load_tagger(tmp_path / "model")
    assert loaded.features.encoder.layer_count == 2
    assert loaded.config.theseus_layers == 2
    texts = [document.with_spans(()) for document in documents]
    found = tag(loaded, texts)
    assert found == tag(tagger, texts)
    assert any(document.spans for document in found)
    size = sum(parameter.numel() for parameter in loaded.parameters())
    whole = replacing("bert", documents, theseus_layers=0)
    assert size < sum(parameter.numel() for parameter in whole.parameters())


@pytest.mark.parametrize("stop_after", STOPS)
def test_a_stopped_training_resumes_to_the_bit(documents, tmp_path, stop_after):
    check_resumed(lambda seed: replacing("bert", documents, seed), documents, tmp_path, stop_after)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"theseus_layers": 3}, "3 layers cannot take the place of 4"),
        ({"frozen_epochs": -1}, "they never learn"),
        ({"frozen_epochs": -1, "frozen_layers": 1}, "they never learn"),
        ({"neighbours": 1}, "would learn from them"),
        ({"frozen_epochs": 1, "frozen_layers": 3}, "this encoder has 2 layers, not 3"),
        ({"first_layer": 3, "layer_mix": "mean"}, "this encoder has 0 to 2"),
    ],
)
def test_options_that_do_not_fit_are_refused_before_a_run_begins(options, message):
    kind = by_name("bert")
    folder = tiny_encoder(num_hidden_layers=4, initializer_range=0.3)
    with pytest.raises(ConfigError, match=message):
        kind.check_config(kind.Config(encoder=folder, **{**OPTIONS, **options}))


def test_adversarial_training_waits_for_the_embeddings():
    kind = by_name("bert")
    config = kind.Config(**OPTIONS)
    assert [kind.learns_embeddings(config, epochs) for epochs in (2, 3)] == [False, True]
