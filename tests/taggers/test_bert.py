"""The BERT tagger: its loss, its rates, its frozen layers, its tops."""

import dataclasses
import json
from pathlib import Path

import numpy as np
import pytest
import torch
from torch.nn import functional

from core.layers.cnn import Cnn
from core.layers.r_transformer import RTransformer
from core.layers.recurrent.bidirectional import Bidirectional
from core.layers.recurrent.birnn import BiRnn
from core.layers.recurrent.hm_lstm import HmLstm, slope_of
from core.layers.transformer import Transformer
from core.taggers.base.config_fields import ConfigError, config_from_json, config_from_settings
from core.taggers.base.model_folder import load_tagger
from core.taggers.base.tagger import ModelFolderError
from core.taggers.base.tagging import tag
from core.taggers.bert import BertConfig
from core.training.strategies.token_loss import token_loss
from tests.encoders.tiny_encoders import tiny_encoder
from tests.taggers.small_flat import DOCUMENTS, train
from tests.taggers.small_taggers import SMALL_TOP, small_tagger

SIMBERT = Path(__file__).parents[3] / "shared" / "models" / "simbert-tiny-zh"
WITH_TEXT = [document for document in DOCUMENTS if document.text]
TOPS = {
    "bilstm": BiRnn,
    "bigru": BiRnn,
    "grid_lstm": Bidirectional,
    "gated_feedback_lstm": Bidirectional,
    "hm_lstm": Bidirectional,
    "transformer": Transformer,
    "cnn": Cnn,
    "r_transformer": RTransformer,
}


def snapshot(parameters):
    return [parameter.detach().clone() for parameter in parameters]


def moved(parameters, before):
    return [not torch.equal(parameter, old) for parameter, old in zip(parameters, before, strict=True)]


def learn(tagger, epoch, steps=2):
    """Some optimiser steps of one epoch, with decay, as the loop makes them."""
    tagger.begin_epoch(epoch)
    if not hasattr(tagger, "optimiser_of_test"):
        groups = [{"params": g["params"], "lr": 0.01 * g["lr_scale"]} for g in tagger.parameter_groups()]
        object.__setattr__(tagger, "optimiser_of_test", torch.optim.AdamW(groups, weight_decay=0.1))
    for _ in range(steps):
        tagger.optimiser_of_test.zero_grad(set_to_none=True)
        tagger.loss(tagger.collate(WITH_TEXT)).backward()
        tagger.optimiser_of_test.step()


def test_without_a_top_it_is_a_linear_layer_over_the_highest_state():
    tagger = small_tagger("bert").eval()
    batch = tagger.collate(WITH_TEXT)
    with torch.no_grad():
        states = tagger.features.encoder(batch.pieces).states[-1]
        expected = states @ tagger.emission.weight.T + tagger.emission.bias
        assert torch.allclose(tagger.emissions(batch), expected, atol=1e-5)


def test_a_softmax_head_learns_by_cross_entropy_over_characters():
    tagger = small_tagger("bert").eval()
    batch = tagger.collate(WITH_TEXT)
    with torch.no_grad():
        emissions = tagger.emissions(batch)
        expected = sum(
            functional.cross_entropy(
                emissions[row, : len(document.text)], batch.tags[row, : len(document.text)]
            )
            * len(document.text)
            for row, document in enumerate(WITH_TEXT)
        )
        assert tagger.loss(batch).item() == pytest.approx(expected.item() / len(WITH_TEXT), rel=1e-4)


@pytest.mark.parametrize("head", ["crf", "softmax"])
@pytest.mark.parametrize("share", [None, 0.5])
def test_with_a_top_the_loss_is_shared_between_it_and_the_transformer(head, share):
    given = {} if share is None else {"auxiliary": share}
    tagger = small_tagger("bert", head=head, top="bilstm", **given, **SMALL_TOP).eval()
    batch = tagger.collate(DOCUMENTS)
    with torch.no_grad():
        likelihood = tagger.crf.log_likelihood(tagger.emissions(batch), batch.tags, batch.mask)
        top = -likelihood.sum() / len(DOCUMENTS)
        own = 0.0
        scores = tagger.encoder_emission(tagger.features(batch.pieces).mixed.hidden).log_softmax(-1)
        for row, document in enumerate(DOCUMENTS):
            for position in range(len(document.text)):
                own -= scores[row, position, batch.tags[row, position]].item()
        bert_loss, class_loss = own / len(DOCUMENTS), top.item()
        # As published where nothing is given: most of the loss is the encoder's.
        expected = 0.8 * bert_loss + 0.2 * class_loss if share is None else (bert_loss + class_loss) / 2
        assert tagger.loss(batch).item() == pytest.approx(expected, rel=1e-4)


def test_nothing_is_shared_without_a_top_or_a_share():
    assert small_tagger("bert").encoder_emission is None
    assert small_tagger("bert", top="cnn", auxiliary=0.0, **SMALL_TOP).encoder_emission is None


@pytest.mark.parametrize("share", ["0.5", "0.8"])
def test_an_auxiliary_loss_without_a_top_is_refused(share):
    with pytest.raises(ConfigError, match=r"auxiliary: without a top.*choose a top \(bilstm, "):
        config_from_settings(BertConfig, {"auxiliary": share})
    with pytest.raises(ConfigError, match="auxiliary: without a top"):
        config_from_settings(BertConfig, {"auxiliary": share, "top": "none"})
    assert config_from_settings(BertConfig, {"auxiliary": share, "top": "cnn"}).auxiliary == float(share)
    assert config_from_settings(BertConfig, {"auxiliary": "0"}).top == "none"


def test_a_config_without_a_top_reads_back_from_its_own_json():
    assert config_from_json(BertConfig, dataclasses.asdict(BertConfig())) == BertConfig()


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({}, "there is no top; set top to transformer or r_transformer"),
        ({"top": "bilstm"}, "a bilstm has no attention scores; set top to"),
        ({"top": "cnn", "top_layers": 3}, "a cnn has no attention scores"),
        ({"top": "transformer"}, "the top has only one; set top_layers to 2 or more"),
        ({"top": "r_transformer", "top_layers": 1}, "the top has only one; set top_layers to 2 or more"),
    ],
)
def test_residual_attention_is_refused_where_it_would_do_nothing(given, reason):
    with pytest.raises(ConfigError, match=f"residual_attention: .*{reason}"):
        BertConfig(residual_attention=True, **given)


@pytest.mark.parametrize("head", ["crf", "softmax"])
@pytest.mark.parametrize("gamma", [0.0, 2.0])
def test_a_token_loss_takes_the_place_of_the_top_s_loss_and_leaves_the_encoder_s(head, gamma):
    tagger = small_tagger("bert", head=head, top="bilstm", auxiliary=0.3, **SMALL_TOP).eval()
    batch = tagger.collate(WITH_TEXT)
    with torch.no_grad():
        scores = tagger.token_scores(batch)
        own = 0.0
        read = tagger.encoder_emission(tagger.features(batch.pieces).mixed.hidden).log_softmax(-1)
        for row, document in enumerate(WITH_TEXT):
            for position in range(len(document.text)):
                own -= read[row, position, batch.tags[row, position]].item()
        focal = token_loss(scores, gamma=gamma).item()
        learned = scores.total_loss(token_loss(scores, gamma=gamma) / len(WITH_TEXT)).item()
        assert learned == pytest.approx((0.7 * focal + 0.3 * own) / len(WITH_TEXT), rel=1e-4)
        if head == "softmax" and not gamma:
            assert learned == pytest.approx(tagger.loss(batch).item(), rel=1e-5)


@pytest.mark.parametrize("top", TOPS)
def test_every_top_is_as_wide_as_asked(top):
    tagger = small_tagger("bert", top=top, top_layers=2, **SMALL_TOP)
    assert isinstance(tagger.top.inner, TOPS[top])
    assert tagger.top.inner.width == 8


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("bert", {"top": "hm_lstm", "top_layers": 2, **SMALL_TOP}),
        ("bilstm_crf", {"cell": "hm_lstm", "layers": 2}),
    ],
)
def test_the_boundaries_of_a_multiscale_network_get_steeper_from_epoch_to_epoch(name, options):
    tagger = small_tagger(name, **options)
    for epoch in (0, 1, 2000):
        tagger.begin_epoch(epoch)
        slopes = {module.slope for module in tagger.modules() if isinstance(module, HmLstm)}
        assert slopes == {slope_of(epoch)}


@pytest.mark.parametrize("top", ["transformer", "r_transformer"])
def test_residual_attention_reaches_the_top(top):
    tagger = small_tagger("bert", top=top, top_layers=2, residual_attention=True, **SMALL_TOP)
    assert tagger.top.inner.residual_attention
    assert len(tagger.top.inner.layers) == 2


@pytest.mark.parametrize("mix", ["last", "scalar_mix", "dynamic", "sum", "mean", "max"])
def test_a_trace_has_the_weights_of_a_mix_that_has_any(mix):
    tagger = train(small_tagger("bert", layer_mix=mix, first_layer=0, last_layer=2), WITH_TEXT, 3)
    trace = tagger.trace(tagger.collate(WITH_TEXT[:1]))[0]
    if mix == "scalar_mix":
        assert trace.mixes[0].weights.shape == (3,)
        assert trace.mixes[0].weights.sum() == pytest.approx(1.0)
        assert trace.mixes[0].gamma == pytest.approx(tagger.features.mix.mix.gamma.item())
    elif mix == "dynamic":
        assert trace.mixes[0].weights.shape == (len(WITH_TEXT[0].text), 3)
    else:
        assert trace.mixes == ()
    assert bool(trace.mixes) == tagger.mixes_layers(tagger.config)
    assert all(mix.numbers == (0, 1, 2) for mix in trace.mixes)


def test_layers_are_left_out_of_the_mix_in_training_only():
    options = {"layer_mix": "scalar_mix", "first_layer": 0, "mix_dropout": 0.9}
    tagger = small_tagger("bert", **options)
    assert tagger.features.mix.mix.layer_dropout == 0.9
    batch = tagger.collate(DOCUMENTS)
    tagger.features.encoder.eval()
    for learns in (True, False):
        tagger.features.mix.train(learns)
        answers = [tagger.features.mix(tagger.features.encoder(batch.pieces).states).hidden for _ in range(6)]
        assert all(torch.equal(answers[0], other) for other in answers) != learns


def test_the_transformer_learns_at_its_own_rate():
    tagger = small_tagger("bert", head="crf", encoder_rate=0.07, crf_rate=9.0)
    rates = {id(p): group["lr_scale"] for group in tagger.parameter_groups() for p in group["params"]}
    assert {rates[id(p)] for p in tagger.features.encoder.parameters()} == {0.07}
    assert {rates[id(p)] for p in tagger.crf.parameters()} == {9.0}
    assert {rates[id(p)] for p in tagger.emission.parameters()} == {1.0}


def test_the_whole_transformer_is_frozen_for_some_epochs_then_learns():
    tagger = small_tagger("bert", frozen_epochs=2)
    inside = list(tagger.features.encoder.parameters())
    before = snapshot(inside)
    for epoch in (0, 1):
        learn(tagger, epoch)
        assert not any(moved(inside, before))
        assert any(moved(tagger.emission.parameters(), snapshot(small_tagger("bert").emission.parameters())))
    learn(tagger, 2)
    assert all(moved(inside, before))


def test_the_lowest_layers_alone_are_frozen():
    tagger = small_tagger("bert", frozen_epochs=1, frozen_layers=1)
    late = tagger.features.encoder.lowest_weights(1)
    others = [p for p in tagger.features.encoder.parameters() if all(p is not other for other in late)]
    before, above = snapshot(late), snapshot(others)
    learn(tagger, 0)
    assert not any(moved(late, before))
    assert all(moved(others, above))
    learn(tagger, 1)
    assert all(moved(late, before))


def test_frozen_for_ever():
    tagger = small_tagger("bert", frozen_epochs=-1)
    before = snapshot(tagger.features.encoder.parameters())
    learn(tagger, 0)
    learn(tagger, 999)
    assert not any(moved(tagger.features.encoder.parameters(), before))


def test_a_resumed_training_finds_the_layers_unfrozen():
    tagger = small_tagger("bert", frozen_epochs=2)
    tagger.begin_epoch(5)
    assert all(p.requires_grad for p in tagger.features.encoder.parameters())


def test_adversarial_training_perturbs_the_word_pieces():
    tagger = small_tagger("bert")
    (weight,) = tagger.embedding_weights()
    assert weight is tagger.features.encoder.model.embeddings.word_embeddings.weight
    assert small_tagger("bert", frozen_epochs=1).embedding_weights() == []


def test_a_trace_shows_the_pieces_and_who_looked_at_whom():
    tagger = small_tagger("bert").eval()
    document = WITH_TEXT[0]
    empty, trace = tagger.trace(tagger.collate([DOCUMENTS[-1].__class__("none", ""), document]))
    assert empty.pieces is None
    assert trace.pieces.pieces[0] == "[CLS]"
    assert trace.pieces.pieces[-1] == "[SEP]"
    count = len(trace.pieces.pieces)
    assert len(trace.attention) == 2
    for weights in trace.attention:
        assert weights.shape == (2, count, count)
        np.testing.assert_allclose(weights.sum(-1), 1.0, atol=1e-5)
    covered = {
        c for start, end in zip(trace.pieces.start, trace.pieces.end, strict=True) for c in range(start, end)
    }
    assert covered == {position for position, letter in enumerate(document.text) if not letter.isspace()}


def test_a_long_text_is_tagged_in_windows(tmp_path):
    tagger = small_tagger("bert", encoder_window=16).eval()
    text = WITH_TEXT[0].text * 20
    batch = tagger.collate([WITH_TEXT[0].__class__("long", text)])
    assert batch.pieces.ids.shape[1] <= 16
    assert tagger.emissions(batch).shape[1] == len(text)
    tagger.save(tmp_path)
    assert load_tagger(tmp_path).features.encoder.window == 16


@pytest.mark.parametrize("family", ["gpt2", "t5", "xlnet", "albert"])
def test_any_family_can_be_fine_tuned(family, tmp_path):
    tokenizer = {"gpt2": "byte_pairs"}.get(family, "sentence_pieces")
    options = {"embedding_size": 8} if family == "albert" else {}
    tagger = small_tagger("bert", encoder=tiny_encoder(family, tokenizer, **options))
    train(tagger, WITH_TEXT, 5)
    tagger.save(tmp_path)
    assert tag(load_tagger(tmp_path), DOCUMENTS) == tag(tagger, DOCUMENTS)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"encoder": "./nowhere"}, "no folder"),
        ({"first_layer": 3}, "0 to 2"),
        ({"frozen_layers": 3}, "frozen_layers: this encoder has 2 layers"),
        ({"encoder_window": 8}, "at least 16 are needed"),
        ({"top": "bilstm", "top_hidden": 7}, "top_hidden: 7 cannot be halved"),
        ({"top": "grid_lstm", "top_hidden": 7}, "top_hidden: 7 cannot be halved"),
        ({"top": "hm_lstm"}, "top: hm_lstm needs .*top_layers of 2 or more"),
        ({"top": "transformer", "top_hidden": 8, "top_heads": 3}, "not a multiple of the 3 heads"),
        ({"top": "cnn", "top_kernel": 4}, "top_kernel: 4"),
    ],
)
def test_what_does_not_fit_is_said_before_training(options, said):
    with pytest.raises(ConfigError, match=said):
        small_tagger("bert", **options)


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda folder: (folder / "encoder" / "config.json").unlink(), "encoder"),
        (lambda folder: (folder / "encoder" / "tokenizer.json").write_text("{"), "encoder"),
        (lambda folder: resize(folder, "hidden_size", 32), "has shape"),
        (lambda folder: resize(folder, "num_hidden_layers", 10**9), "num_hidden_layers"),
        (lambda folder: resize(folder, "vocab_size", 4), "not of one model"),
        (lambda folder: resize(folder, "vocab_size", 4000), "has shape"),
    ],
)
def test_a_spoilt_folder_says_which_file(spoil, said, tmp_path):
    small_tagger("bert").save(tmp_path)
    spoil(tmp_path)
    with pytest.raises(ModelFolderError, match=said):
        load_tagger(tmp_path)


def resize(folder, name, value):
    path = folder / "encoder" / "config.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), name: value}))


@pytest.mark.skipif(
    not SIMBERT.is_dir(), reason="the optional model ../shared/models/simbert-tiny-zh is absent"
)
def test_a_published_chinese_encoder_learns_the_sentences():
    tagger = small_tagger("bert", encoder=str(SIMBERT), output_dropout=0.0, frozen_epochs=1)
    with torch.no_grad():
        before = tagger.loss(tagger.collate(WITH_TEXT)).item()
    train(tagger, WITH_TEXT, 8)
    with torch.no_grad():
        assert tagger.loss(tagger.collate(WITH_TEXT)).item() < 0.5 * before
