"""The states of every layer of every tagger, at every character."""

import pytest
import torch

from core.taggers.base.registry import by_name
from core.taggers.sequence.tagger import SequenceTagger
from tests.taggers.small_flat import WITH_TEXT
from tests.taggers.small_taggers import OPTIONS, small_tagger

LONGEST = max(len(document.text) for document in WITH_TEXT)
ENCODER = ["encoder 0", "encoder 1", "encoder 2"]
# What is there to see in each small tagger, lowest first.
NAMES = {
    "bert": ENCODER,
    "bilstm_crf": ["embeddings", "context"],
    "dictionary": [],
    "elmo_crf": [*ENCODER, "embeddings", "context", "context 2", "output"],
    "flat": ["embeddings", "layer 1", "layer 2"],
    "mrc": ENCODER,
    "lattice_lstm": ["embeddings", "context"],
    "lr_cnn": ["embeddings", "layer 1", "layer 2", "layer 3", "output"],
    "pu": ["embeddings", "context"],
    "soft_lexicon": ["embeddings", "context"],
    "span": ["embeddings", "context"],
}
SEQUENCE = sorted(name for name in OPTIONS if issubclass(by_name(name), SequenceTagger))
WITH_STATES = sorted(name for name, layers in NAMES.items() if layers)
VARIANTS = [
    *((name, {}) for name in SEQUENCE),
    ("bert", {"top": "transformer", "top_hidden": 8, "top_heads": 2, "top_layers": 2, "layer_mix": "mean"}),
    ("bert", {"top": "bilstm", "top_hidden": 8, "residual": "concat"}),
    ("bert", {"layer_mix": "dynamic"}),
    ("bert", {"last_layer": 1}),
    ("elmo_crf", {"place": "input"}),
    ("flat", {"encoder": OPTIONS["bert"]["encoder"]}),
    ("soft_lexicon", {"sequence_layer": "transformer", "hidden": 8, "heads": 2, "layers": 2}),
    ("soft_lexicon", {"sequence_layer": "cnn"}),
]


def made(name, options):
    return small_tagger(
        name, **{key: value() if callable(value) else value for key, value in options.items()}
    )


@pytest.mark.parametrize("name", sorted(OPTIONS))
def test_every_layer_is_there_at_every_character(name):
    tagger = small_tagger(name).train()
    found = tagger.layer_states(tagger.collate(WITH_TEXT))
    assert [layer.name for layer in found] == NAMES[name]
    for layer in found:
        assert layer.states.shape[:2] == (len(WITH_TEXT), LONGEST)
        assert not layer.states.requires_grad
        assert bool(layer.states[1, 0].any()), "a character that was read has a state"
        assert not bool(layer.states[1, 2:].any()), "padding has none"
    assert tagger.training, "the mode is the one it had"


@pytest.mark.parametrize("name", WITH_STATES)
def test_states_do_not_depend_on_the_company(name):
    tagger = small_tagger(name)
    together = tagger.layer_states(tagger.collate(WITH_TEXT))
    for row, document in enumerate(WITH_TEXT):
        for layer, alone in zip(together, tagger.layer_states(tagger.collate([document])), strict=True):
            length = len(document.text)
            torch.testing.assert_close(layer.states[row, :length], alone.states[0], atol=1e-5, rtol=1e-4)


@pytest.mark.parametrize(("name", "options"), VARIANTS)
def test_the_last_states_are_what_the_emission_layer_reads(name, options):
    tagger = made(name, options).eval()
    batch = tagger.collate(WITH_TEXT)
    last = tagger.layer_states(batch)[-1].states
    with torch.no_grad():
        expected = tagger.emissions(batch)[batch.mask]
        torch.testing.assert_close(tagger.emission(last)[batch.mask], expected)


def test_layers_joined_and_layers_on_top_have_states_of_their_own():
    names = []
    for name, options in VARIANTS[len(SEQUENCE) :]:
        tagger = made(name, options)
        names.append([layer.name for layer in tagger.layer_states(tagger.collate(WITH_TEXT))])
    assert names == [
        [*ENCODER, "mixed", "layer 1", "layer 2", "output"],
        [*ENCODER, "output"],
        [*ENCODER, "mixed"],
        [*ENCODER, "mixed"],
        [*ENCODER, "embeddings", "context", "context 2"],
        [*ENCODER, "embeddings", "layer 1", "layer 2"],
        ["embeddings", "layer 1", "layer 2"],
        ["embeddings", "context"],
    ]


def test_states_of_a_machine_reader_are_the_mean_over_its_queries():
    tagger = small_tagger("mrc").eval()
    batch = tagger.collate(WITH_TEXT)
    last = tagger.layer_states(batch)[-1].states
    with torch.no_grad():
        start, _ = tagger.scorer.boundaries(tagger._states(batch))
        by_query = start.view(len(WITH_TEXT), len(tagger.queries), -1)
        # The start score is linear, so it may be taken of the mean.
        torch.testing.assert_close(tagger.scorer.boundaries(last)[0], by_query.mean(1))


def test_watching_ends_with_the_block():
    tagger = small_tagger("flat")
    tagger.layer_states(tagger.collate(WITH_TEXT))
    assert not any(module._forward_hooks for module in tagger.modules())
