"""Masked-language-model training: its loss, its folder, stopped and gone on with, and what it refuses."""

import json
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from app.i18n import text
from core.corpus.errors import DiskFullError
from core.encoders.transformer import TransformerEncoder
from core.encoders.transformer_files import EncoderError
from core.learning.mlm.batch import _beside
from core.learning.mlm.config import MlmConfig
from core.learning.mlm.corpus import stretches
from core.learning.mlm.model import MaskedModel
from core.learning.mlm.preparation import prepare_mlm
from core.learning.mlm.training import MODEL, train_mlm
from core.learning.pretraining.checkpoint import CHECKPOINT, INDEX, TENSORS
from core.taggers.base.config_fields import ConfigError
from core.text import Document
from core.training.run.errors import TrainingError
from tests.learning.mlm.small_mlm import CONFIG, DEV, DOCUMENTS, TINY, WORDS, small_mlm, without_dropout
from tests.sweep import sweep
from tests.training.watched import after

CPU = torch.device("cpu")


def run(prepared, folder, config=CONFIG, stop_after=None, report=lambda event: None):
    return train_mlm(
        *prepared, config, folder=folder, report=report, should_stop=after(stop_after), device=CPU
    )


def test_the_loss_is_the_mean_of_minus_log_softmax_at_the_hidden_places():
    config = replace(CONFIG, pairs="next_sentence")
    model, corpus = small_mlm(config=config)
    model.eval()
    found = stretches(corpus.documents, config, 20, np.random.default_rng(0))[:6]
    batch = model.batches()(found, np.random.default_rng(0))
    with torch.no_grad():
        losses = model.losses(batch)
    with torch.no_grad():
        output = model.model(
            input_ids=batch.ids, attention_mask=batch.mask.long(), token_type_ids=batch.types,
            output_hidden_states=True,
        )  # fmt: skip
        head = model.pair_head(output.hidden_states[-1][:, 0]).double().softmax(1)
    width = batch.ids.shape[1]
    total = 0.0
    for place, expected in zip(batch.hidden.tolist(), batch.expected.tolist(), strict=True):
        scores = output.logits[place // width, place % width].double().exp()
        total -= float((scores[expected] / scores.sum()).log())
    assert losses.pieces.item() == pytest.approx(total, rel=1e-5)
    asked = [row for row in range(len(found)) if found[row].answer >= 0]
    pairs = -sum(float(head[row, found[row].answer].log()) for row in asked)
    assert losses.pairs.item() == pytest.approx(pairs, rel=1e-5)
    assert losses.mean.item() == pytest.approx(total / len(batch.hidden) + pairs / len(asked), rel=1e-5)


def test_the_span_boundary_objective_is_that_of_a_loop_over_the_spans():
    config = replace(CONFIG, masking="spans", span_boundary=True, longest_span=3)
    model, corpus = small_mlm(config=config)
    model.eval()
    found = stretches(corpus.documents, config, 30, np.random.default_rng(0))[:6]
    batch = model.batches()(found, np.random.default_rng(1))
    with torch.no_grad():
        losses = model.losses(batch)
        states = model.model(
            input_ids=batch.ids, attention_mask=batch.mask.long(), token_type_ids=batch.types,
            output_hidden_states=True,
        ).hidden_states[-1]  # fmt: skip
    head, width = model.boundary_head, batch.ids.shape[1]
    hidden = batch.hidden.tolist()
    total = 0.0
    with torch.no_grad():
        for (before, after, place), at, expected in zip(
            batch.beside.tolist(), hidden, batch.expected.tolist(), strict=True
        ):
            # All between the two is hidden, and this is the piece at that place of it.
            assert set(range(before + 1, after)) <= set(hidden)
            assert at == before + 1 + place
            assert before // width == after // width
            ends = [states[end // width, end % width] for end in (before, after)]
            x = torch.cat([*ends, head.places.weight[place]])
            for linear, norm in ((head.layers[0], head.layers[2]), (head.layers[3], head.layers[5])):
                x = linear.weight @ x + linear.bias
                x = 0.5 * x * (1 + torch.erf(x / 2**0.5))
                x = (x - x.mean()) / (x.var(unbiased=False) + norm.eps).sqrt() * norm.weight + norm.bias
            scores = (model.table @ x + head.bias).double()
            total -= float(scores.log_softmax(0)[expected])
    assert losses.counts.bounded == len(hidden)
    assert losses.beside.item() == pytest.approx(total, rel=1e-4)
    assert losses.mean.item() == pytest.approx((losses.pieces.item() + total) / len(hidden), rel=1e-4)


def test_replaced_pieces_are_told_as_a_loop_over_all_pieces_says():
    config = replace(CONFIG, replaced_detection=True, detection_weight=7.0)
    model, corpus = small_mlm(config=config)
    without_dropout(model)
    found = stretches(corpus.documents, config, 20, np.random.default_rng(0))[:6]
    batch = model.batches()(found, np.random.default_rng(0))
    inputs = {"attention_mask": batch.mask.long(), "token_type_ids": batch.types}
    width = batch.ids.shape[1]
    with torch.no_grad():
        logits = model.model(input_ids=batch.ids, **inputs).logits.flatten(0, 1)[batch.hidden]
        torch.manual_seed(5)
        guesses = torch.multinomial(logits.softmax(-1), 1)[:, 0]
        batch.expected[::2] = guesses[::2]  # it knows too little to guess right
        text = batch.ids.tolist()
        changed = set()
        for place, guess, right in zip(
            batch.hidden.tolist(), guesses.tolist(), batch.expected.tolist(), strict=True
        ):
            text[place // width][place % width] = guess
            changed |= {divmod(place, width)} if guess != right else set()
        states = model.model.bert(input_ids=torch.tensor(text), **inputs).last_hidden_state
        told = model.detection_head(states).double().sigmoid()
    total = -sum(
        math.log(float(told[place]) if place in changed else 1 - float(told[place]))
        for place in map(tuple, batch.mask.nonzero().tolist())
    )
    torch.manual_seed(5)
    losses = model.losses(batch)
    assert 0 < len(changed) < len(guesses)
    assert losses.detection.item() == pytest.approx(7 * total, rel=1e-5)
    mean = losses.pieces.item() / len(guesses) + 7 * total / int(batch.mask.sum())
    assert losses.mean.item() == pytest.approx(mean, rel=1e-5)
    model.eval()
    assert not model.losses(batch).detection, "measured without it"


def test_a_span_with_nothing_beside_it_is_left_to_the_other_objective():
    assert list(_beside([[0, 1], [3]], 10, 5)) == [(-1, -1, -1)] * 2 + [(12, 14, 0)]
    assert list(_beside([[3, 4]], 10, 5)) == [(-1, -1, -1)] * 2


@pytest.mark.parametrize(
    "options",
    sweep(
        [
            {},
            {"masking": "spans", "pairs": "sentence_order"},
            {"masking": "pieces", "pairs": "next_sentence"},
            {"masking": "spans", "span_boundary": True},
            {"masking": "entities"},
            {"replaced_detection": True},
        ],
        [{}],
    ),
    ids=[
        "words",
        "spans and sentence order",
        "pieces and next sentence",
        "span boundary",
        "entities",
        "replaced",
    ],
)
def test_training_lowers_perplexity_and_leaves_an_encoder_that_taggers_take(tmp_path, options):
    config = replace(CONFIG, epochs=20, learning_rate=0.01, **options)
    result = run(small_mlm(config=config), tmp_path, config)
    best = result.history[result.best_epoch - 1].dev
    assert best == min(epoch.dev for epoch in result.history)
    assert best < 0.8 * result.before
    assert sorted(path.suffix for path in (tmp_path / MODEL).iterdir()) == [
        ".json",
        ".json",
        ".json",
        ".safetensors",
    ]
    encoder = TransformerEncoder.pretrained(str(tmp_path / MODEL))
    assert encoder.width == TINY.width
    assert encoder.covers("林晚晴")
    again = MaskedModel.pretrained(replace(config, encoder=str(tmp_path / MODEL)))
    assert not again.fresh_head, "its head is there to be gone on with"


@pytest.mark.parametrize("stop_after", [0, 1, 4, 5])
def test_a_stopped_training_ends_as_if_never_stopped(tmp_path, stop_after):
    config = replace(CONFIG, pairs="sentence_order", replaced_detection=True)
    whole = small_mlm(config=config)
    expected = run(whole, tmp_path / "whole", config)
    assert run(small_mlm(config=config), tmp_path / "cut", config, stop_after).stopped
    torch.manual_seed(99)
    again = small_mlm(config=config)
    result = run(again, tmp_path / "cut", config)
    assert [r.loss for r in result.history] == [r.loss for r in expected.history]
    assert (result.before, result.best_epoch) == (expected.before, expected.best_epoch)
    for name, value in whole[0].state_dict().items():
        assert torch.equal(value, again[0].state_dict()[name]), name
    weights = [(tmp_path / name / MODEL / "model.safetensors").read_bytes() for name in ("whole", "cut")]
    assert weights[0] == weights[1]


def test_an_encoder_without_its_head_goes_on_from_what_was_there(tmp_path):
    model, _ = small_mlm()
    model.model.base_model.save_pretrained(tmp_path / "base")
    model.tokenizer.save_pretrained(tmp_path / "base")
    config = replace(CONFIG, encoder=str(tmp_path / "base"), epochs=1)
    prepared = prepare_mlm(DOCUMENTS, DEV, config, TINY, WORDS)
    assert "a fresh one learns alone first" in str(prepared.note)
    run(prepared[:2], tmp_path / "out", config)
    before = TransformerEncoder.pretrained(str(tmp_path / "base"))
    after = TransformerEncoder.pretrained(str(tmp_path / "out" / MODEL))
    moved = (before.word_embeddings - after.word_embeddings).detach().abs().max()
    assert 0 < float(moved) < 0.1, "it went on from what was there"


def test_a_family_that_is_no_masked_language_model_says_which_are(tmp_path):
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "gpt2"}), encoding="utf-8")
    with pytest.raises(EncoderError, match="no masked language model; those of BERT"):
        MaskedModel.pretrained(MlmConfig(encoder=str(tmp_path)))
    with pytest.raises(EncoderError, match="there is no folder"):
        MaskedModel.pretrained(MlmConfig(encoder=str(tmp_path / "../../nothing here")))


@pytest.mark.parametrize(
    ("documents", "why"),
    [
        ((), "too small: 0 "),
        ((Document("a", "水"),), "too small: 1 "),
        ((Document("a", " " * 3000),), "too small"),
        ((Document("a", "水" * 3000),), "repeats one piece"),
    ],
    ids=["nothing", "one character", "blanks", "one character repeated"],
)
def test_text_that_teaches_nothing_is_refused_before_any_training(documents, why):
    with pytest.raises(TrainingError, match=why) as caught:
        small_mlm(documents=documents)
    assert text(caught.value.message, "zh") != str(caught.value.message)


def test_options_that_contradict_each_other_are_named():
    with pytest.raises(ConfigError, match="masked, random"):
        MlmConfig(masked=0.8, random=0.3)
    with pytest.raises(ConfigError, match="span_boundary: only spans have boundaries"):
        MlmConfig(masking="words", span_boundary=True)


def test_a_full_disk_leaves_the_result_before_as_it_was(tmp_path, monkeypatch):
    run(small_mlm(), tmp_path)
    before = {path.name: path.read_bytes() for path in (tmp_path / MODEL).iterdir()}

    def full(self, folder):
        Path(folder, "half").write_bytes(b"x")
        raise OSError(28, "No space left on device")

    model, _ = small_mlm()
    monkeypatch.setattr(type(model.model), "save_pretrained", full)
    with pytest.raises(DiskFullError):
        model.write(tmp_path / MODEL)
    assert {path.name: path.read_bytes() for path in (tmp_path / MODEL).iterdir()} == before


@pytest.mark.parametrize("file", [INDEX, TENSORS])
def test_a_damaged_checkpoint_says_what_to_do(tmp_path, file):
    run(small_mlm(), tmp_path)
    (tmp_path / CHECKPOINT / file).write_bytes(b"{")
    with pytest.raises(TrainingError, match=r"damaged .* delete that folder"):
        run(small_mlm(), tmp_path)


def test_a_checkpoint_of_another_training_is_refused(tmp_path):
    run(small_mlm(), tmp_path)
    other = replace(CONFIG, learning_rate=0.1)
    with pytest.raises(TrainingError, match=r"another training \(config differ\)"):
        run(small_mlm(config=other), tmp_path, other)


def test_a_loss_that_is_no_number_says_what_to_change(tmp_path):
    model, corpus = small_mlm()
    with torch.no_grad():
        model.model.get_input_embeddings().weight.fill_(float("nan"))
    with pytest.raises(TrainingError, match="lower learning rate"):
        run((model, replace(corpus, dev=[])), tmp_path)
