"""A head that the checkpoint lacks: what it begins with, that it learns alone first, and resumed there."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from transformers import (
    AlbertConfig,
    AutoModelForMaskedLM,
    BertConfig,
    DebertaV2Config,
    DistilBertConfig,
    ElectraConfig,
    RobertaConfig,
)

from app.i18n import text
from core.encoders.transformer_files import read_masked
from core.learning.mlm.head import head_parameters, initialise_head
from core.learning.mlm.preparation import prepare_mlm
from core.learning.mlm.training import MODEL, WINDOW, HeadPhase
from core.training.run.errors import TrainingError
from tests.learning.mlm.small_mlm import CONFIG, DEV, DOCUMENTS, TINY, WORDS, small_mlm
from tests.learning.mlm.test_training import run
from tests.sweep import sweep

SIZES = {
    "vocab_size": 30, "hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2,
    "intermediate_size": 32, "max_position_embeddings": 40,
}  # fmt: skip
FAMILIES = {
    "bert": BertConfig(**SIZES),
    "roberta": RobertaConfig(**SIZES),
    "deberta": DebertaV2Config(**SIZES),
    "electra": ElectraConfig(**SIZES, embedding_size=8),
    "albert": AlbertConfig(**SIZES, embedding_size=8),
    "distilbert": DistilBertConfig(vocab_size=30, dim=16, n_layers=2, n_heads=2, hidden_dim=32),
    "bert with a table of its own": BertConfig(**SIZES, tie_word_embeddings=False),
}


@pytest.fixture(scope="module")
def headless(tmp_path_factory):
    """The folder of a tiny BERT without its head."""
    folder = tmp_path_factory.mktemp("base")
    model, _ = small_mlm()
    model.model.base_model.save_pretrained(folder)
    model.tokenizer.save_pretrained(folder)
    return folder


@pytest.fixture
def config(headless):
    return replace(CONFIG, encoder=str(headless), head_steps=12, epochs=1)


def prepare(config):
    return prepare_mlm(DOCUMENTS, DEV, config, TINY, WORDS)


def encoder_of(model):
    return {name: value.clone() for name, value in model.encoder.state_dict().items()}


def same(one, other):
    return all(torch.equal(value, other[name]) for name, value in one.items())


@pytest.mark.parametrize("family", FAMILIES)
def test_a_fresh_head_passes_the_states_on_and_knows_how_frequent_pieces_are(family):
    model = AutoModelForMaskedLM.from_config(FAMILIES[family])
    own = {id(value) for value in model.base_model.parameters()}
    encoder = {name: value.clone() for name, value in model.base_model.state_dict().items()}
    counts = np.arange(30)
    initialise_head(model, set(head_parameters(model)), counts)
    assert same(encoder, model.base_model.state_dict())
    scores, table = model.get_output_embeddings(), model.get_input_embeddings().weight
    assert torch.equal(scores.weight, table), "scores are by the encoder's table, or by a copy of it"
    assert (id(scores.weight) in own) == (family != "bert with a table of its own")
    told = torch.nn.functional.softmax(scores.bias.detach().double(), 0)
    assert told.tolist() == pytest.approx([(count + 1) / (counts.sum() + 30) for count in counts], rel=1e-4)
    layers = [
        module for module in model.modules()
        if isinstance(module, torch.nn.Linear) and module is not scores and id(module.weight) not in own
    ]  # fmt: skip
    assert len(layers) == 1
    (layer,) = layers
    assert not layer.bias.any()
    if family in ("electra", "albert"):
        wide = {
            "electra": lambda: model.electra.embeddings_project,
            "albert": lambda: model.albert.encoder.embedding_hidden_mapping_in,
        }[family]()
        assert torch.allclose(layer.weight @ wide.weight, torch.eye(8), atol=1e-4), "the way back"
    else:
        assert torch.equal(layer.weight, torch.eye(16))


def test_only_what_had_no_weights_is_begun_anew():
    model = AutoModelForMaskedLM.from_config(FAMILIES["bert"])
    before = {name: value.clone() for name, value in head_parameters(model).items()}
    initialise_head(model, {"cls.predictions.transform.dense.weight"}, np.ones(30))
    changed = {name for name, value in head_parameters(model).items() if not torch.equal(value, before[name])}
    assert changed == {"cls.predictions.transform.dense.weight"}


def test_a_fresh_head_begins_better_than_noise_and_is_told_of(config):
    model, corpus, note = prepare(config)
    assert "a fresh one learns alone first, 12 steps at most" in str(note)
    assert text(note, "zh") != str(note)
    torch.manual_seed(1)
    noise, _, _ = read_masked(config.encoder)
    losses = []
    for chosen in (model.model, noise):
        model.model = chosen.eval()
        ids = torch.from_numpy(corpus.documents[0].ids[:20])[None]
        with torch.no_grad():
            losses.append(torch.nn.functional.cross_entropy(chosen(input_ids=ids).logits[0], ids[0]).item())
    assert losses[0] < losses[1]


@pytest.mark.parametrize("pairs", ["none", "sentence_order"])
def test_the_encoder_is_bit_for_bit_as_it_was_while_the_head_learns(config, tmp_path, pairs):
    config = replace(config, pairs=pairs, clip_norm=0.5, weight_decay=0.1)
    prepared = prepare(config)
    model = prepared.model
    encoder = encoder_of(model)
    head = [value.detach().clone() for value in model.head_parameters()]
    seen = {}

    def report(event):
        if event["event"] == "head":
            seen.update(event, encoder=encoder_of(model), head=model.head_parameters())
            seen["moved"] = [
                not torch.equal(a, b) for a, b in zip(head, model.head_parameters(), strict=True)
            ]

    run(prepared[:2], tmp_path, config, report=report)
    assert seen["steps"] == 12
    assert same(encoder, seen["encoder"])
    assert all(seen["moved"])
    assert not same(encoder, encoder_of(model)), "afterwards all learns"
    assert all(value.requires_grad for value in model.parameters())


def test_a_model_with_its_head_is_not_warmed_up(config, tmp_path):
    first = prepare(config)
    run(first[:2], tmp_path / "first", config)
    config = replace(config, encoder=str(tmp_path / "first" / MODEL))
    model, corpus, note = prepare(config)
    assert (model.fresh_head, note) == (frozenset(), None)
    stored, _, _ = read_masked(config.encoder)
    for name, value in head_parameters(model.model).items():
        assert torch.equal(value, head_parameters(stored)[name]), "its own head, not one begun anew"
    events = []
    run((model, corpus), tmp_path / "second", config, report=events.append)
    assert "head" not in [event["event"] for event in events]


def test_no_steps_for_the_head_means_that_all_learns_at_once(config, tmp_path):
    config = replace(config, head_steps=0)
    prepared = prepare(config)
    assert str(prepared.note).endswith("a fresh one learns along")
    events = []
    run(prepared[:2], tmp_path, config, report=events.append)
    assert "head" not in [event["event"] for event in events]


@pytest.mark.parametrize("stop_after", sweep([0, 1, 7, 11, 12, 14], [7]))
def test_a_training_stopped_while_the_head_learns_ends_as_if_never_stopped(config, tmp_path, stop_after):
    config = replace(config, pairs="next_sentence", epochs=2)
    whole, again = prepare(config), prepare(config)
    expected = run(whole[:2], tmp_path / "whole", config)
    assert run(prepare(config)[:2], tmp_path / "cut", config, stop_after).stopped
    torch.manual_seed(99)
    result = run(again[:2], tmp_path / "cut", config)
    assert [r.loss for r in result.history] == [r.loss for r in expected.history]
    assert result.before == expected.before
    for name, value in whole.model.state_dict().items():
        assert torch.equal(value, again.model.state_dict()[name]), name
    weights = [(tmp_path / name / MODEL / "model.safetensors").read_bytes() for name in ("whole", "cut")]
    assert weights[0] == weights[1]


def test_the_bar_never_goes_back(config, tmp_path, monkeypatch):
    monkeypatch.setattr("core.training.run.progress.Progress.due", lambda self: True)
    events = []
    run(prepare(config)[:2], tmp_path, config, report=events.append)
    fractions = [event["fraction"] for event in events if event["event"] == "step"]
    assert fractions == sorted(fractions)
    assert fractions[-1] == 1.0
    alone = [event for event in events if event.get("message") == {"template": "Training the new head alone"}]
    assert len(alone) == 12


@pytest.mark.parametrize(
    ("losses", "converged"),
    [
        ([5.0] * (2 * WINDOW - 1), False),
        ([5.0] * 2 * WINDOW, True),
        ([5.0] * WINDOW + [4.96] * WINDOW, True),
        ([5.0] * WINDOW + [4.9] * WINDOW, False),
        ([9.0] * 50 + [5.0] * WINDOW + [5.0] * WINDOW, True),
    ],
)
def test_the_head_has_converged_when_its_loss_falls_by_less_than_a_hundredth(losses, converged):
    phase = HeadPhase()
    for loss in losses:
        phase.add(loss)
    assert phase.converged() is converged
    assert phase.steps == len(losses)
    assert len(phase.losses) <= 2 * WINDOW


def test_the_head_stops_early_when_nothing_is_left_to_learn(config, tmp_path, monkeypatch):
    monkeypatch.setattr("core.learning.mlm.training.HeadPhase.converged", lambda self: self.steps >= 5)
    events = []
    run(prepare(config)[:2], tmp_path, config, report=events.append)
    assert next(event["steps"] for event in events if event["event"] == "head") == 5


def test_a_head_whose_loss_is_no_number_says_so(config, tmp_path):
    model, corpus, _ = prepare(config)
    with torch.no_grad():
        model.model.get_input_embeddings().weight.fill_(float("nan"))
    with pytest.raises(TrainingError, match="lower learning rate"):
        run((model, replace(corpus, dev=[])), tmp_path, config)
