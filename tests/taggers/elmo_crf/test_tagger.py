"""The ELMo tagger: where it reads the biLM, what it mixes, what learns."""

import shutil

import numpy as np
import pytest
import torch
from torch.nn.utils.rnn import pack_sequence, unpack_sequence

from core.encoders.elmo.encoder import Elmo
from core.encoders.elmo.folder import read_elmo
from core.taggers.base.config_fields import ConfigError
from core.taggers.base.model_folder import load_tagger
from core.taggers.base.tagger import ModelFolderError, Resources
from core.taggers.base.tagging import tag
from core.taggers.elmo_crf.config import ElmoConfig
from core.taggers.elmo_crf.tagger import OPTIONS, ElmoCrf
from core.text import Document
from tests.encoders import published_elmo
from tests.taggers.small_flat import DOCUMENTS, LABELS, WITH_TEXT, train

SMALL = {"char_dim": 5, "hidden": 6, "top_hidden": 5, "elmo_cells": 8, "elmo_projection": 6}


def small(**options) -> ElmoCrf:
    torch.manual_seed(0)
    return ElmoCrf.build(ElmoConfig(**{**SMALL, **options}), LABELS, Resources(DOCUMENTS))


@pytest.fixture
def published(tmp_path):
    return published_elmo.write(tmp_path / "elmo")


def test_the_defaults_are_the_papers():
    config = ElmoConfig()
    assert (config.hidden, config.top_hidden, config.layer_dropout) == (200, 100, 0.25)
    assert (config.place, config.mix_penalty, config.elmo_dropout) == ("input", 0.1, 0.5)
    assert not config.fine_tune


def test_hidden_states_are_the_papers_from_both_places():
    """``h(h([x; ELMo]))`` at the input and ``[h; ELMo]`` at the output, written out for one sentence."""
    tagger = small(place="both").double().eval()
    with torch.no_grad():
        for mix in (tagger.input_mix, tagger.output_mix):
            mix.scalars.normal_()
            mix.gamma.fill_(1.7)
    text = DOCUMENTS[0].text
    batch = tagger.collate([DOCUMENTS[0], DOCUMENTS[1]])
    layers = [layer[0, 1:-1] for layer in tagger.elmo(tagger.elmo.read([list(text)])).layers]

    def mixed(mix):
        shares = torch.exp(mix.scalars) / torch.exp(mix.scalars).sum()
        return mix.gamma * sum(share * layer for share, layer in zip(shares, layers, strict=True))

    def read(rnn, x):
        return unpack_sequence(rnn.rnn(pack_sequence([x]))[0])[0]

    characters = tagger.characters.table.weight[tagger.characters.vocabulary.rows(text)]
    x = torch.cat([characters, mixed(tagger.input_mix)], dim=-1)
    expected = torch.cat([read(tagger.top, read(tagger.context, x)), mixed(tagger.output_mix)], dim=-1)
    encoded = tagger.encode(batch)
    torch.testing.assert_close(encoded.hidden[0], expected)


def test_the_penalty_is_lambda_times_the_squared_scalars():
    tagger = small(place="both", mix_penalty=0.3).eval()
    batch = tagger.collate(WITH_TEXT)
    with torch.no_grad():
        tagger.input_mix.scalars.copy_(torch.tensor([1.0, -2.0, 0.5]))
        tagger.output_mix.scalars.copy_(torch.tensor([0.0, 0.0, 3.0]))
        emissions = tagger.emissions(batch)
        likelihood = tagger.crf.log_likelihood(emissions, batch.tags, batch.mask).mean()
        assert float(tagger.loss(batch)) == pytest.approx(float(-likelihood) + 0.3 * (5.25 + 9.0), rel=1e-5)


@pytest.mark.parametrize(
    ("place", "at_input", "at_output"), [("input", 1, 0), ("output", 0, 1), ("both", 1, 1)]
)
def test_the_place_decides_which_mixes_there_are(place, at_input, at_output):
    tagger = small(place=place)
    assert (tagger.input_mix is not None, tagger.output_mix is not None) == (at_input, at_output)
    tagger.loss(tagger.collate(WITH_TEXT)).backward()


def test_the_last_layer_alone_may_be_read():
    tagger = small(layers="last", elmo_dropout=0.0).eval()
    batch = tagger.collate(DOCUMENTS[:2])
    read = []
    tagger.context.register_forward_pre_hook(lambda _, inputs: read.append(inputs[0]))
    with torch.no_grad():
        tagger.input_mix.gamma.fill_(1.7)
        tagger.encode(batch)
        (last,) = tagger._layers(batch)[-1:]
    torch.testing.assert_close(read[0][..., -last.shape[-1] :], 1.7 * last)
    assert tagger.trace(batch)[0].mixes == ()
    assert not tagger.mixes_layers(tagger.config)
    assert tagger.mixes_layers(small().config)


def test_a_trace_shows_the_mix():
    tagger = small().eval()
    with torch.no_grad():
        tagger.input_mix.scalars.copy_(torch.tensor([0.0, 1.0, 2.0]))
        tagger.input_mix.gamma.fill_(2.5)
    (trace,) = tagger.trace(tagger.collate(DOCUMENTS[:1]))
    np.testing.assert_allclose(trace.mixes[0].weights, np.exp([0, 1, 2]) / np.exp([0, 1, 2]).sum(), rtol=1e-6)
    assert trace.mixes[0].gamma == 2.5


def test_a_trace_names_both_mixes_and_what_each_adds_to_the_loss():
    tagger = small(place="both", mix_penalty=0.2).eval()
    with torch.no_grad():
        tagger.output_mix.scalars.copy_(torch.tensor([1.0, -2.0, 3.0]))
    (trace,) = tagger.trace(tagger.collate(DOCUMENTS[:1]))
    assert [mix.name for mix in trace.mixes] == ["input", "output"]
    assert [mix.penalty for mix in trace.mixes] == pytest.approx([0.0, 0.2 * (1 + 4 + 9)])
    assert trace.mixes[1].numbers == (0, 1, 2)


def test_published_weights_stay_as_they_are_while_the_tagger_learns(published):
    tagger = small(encoder=str(published))
    before = {name: value.clone() for name, value in tagger.elmo.state_dict().items()}
    mix = tagger.input_mix.scalars.detach().clone()
    train(tagger, WITH_TEXT, 3)
    assert all(torch.equal(value, before[name]) for name, value in tagger.elmo.state_dict().items())
    assert not torch.equal(tagger.input_mix.scalars, mix)
    given = [group["params"] for group in tagger.parameter_groups()]
    assert sum(len(parameters) for parameters in given) == len(list(tagger.parameters()))


def test_a_bilm_may_learn_at_a_rate_of_its_own(published):
    tagger = small(encoder=str(published), fine_tune=True, encoder_rate=0.25)
    rates = {id(p): group["lr_scale"] for group in tagger.parameter_groups() for p in group["params"]}
    assert {rates[id(p)] for p in tagger.elmo.parameters()} == {0.25}
    before = tagger.elmo.char_cnn.embedding.weight.detach().clone()
    train(tagger, WITH_TEXT, 3)
    assert not torch.equal(tagger.elmo.char_cnn.embedding.weight, before)


def test_words_give_their_vector_to_their_characters(published):
    tagger = small(encoder=str(published)).eval()
    text = "Lin 在 Qinghe"
    batch = tagger.collate([Document("1", text)])
    assert batch.token_of.tolist() == [[1, 1, 1, 0, 2, 0, 3, 3, 3, 3, 3, 3]]
    layers = tagger._layers(batch)
    expected = tagger.elmo(tagger.elmo.read([["Lin", "在", "Qinghe"]])).layers
    for got, true in zip(layers, expected, strict=True):
        assert torch.equal(got[0, 0], got[0, 2])
        torch.testing.assert_close(got[0, 4], true[0, 2])
        torch.testing.assert_close(got[0, 11], true[0, 3])
        assert not got[0, 3].any()


def test_tokens_may_be_chosen_and_the_choice_is_saved(published, tmp_path):
    tagger = small(encoder=str(published), tokens="character").eval()
    assert tagger.collate([Document("1", "Lin")]).token_of.tolist() == [[1, 2, 3]]
    tagger.save(tmp_path / "model")
    assert load_tagger(tmp_path / "model").elmo.options.unit == "character"


def test_the_model_folder_holds_the_bilm_and_needs_no_other(published, tmp_path):
    tagger = train(small(encoder=str(published), place="both"), WITH_TEXT, 5)
    tagger.save(tmp_path / "model")
    assert not list((tmp_path / "model").glob("*.hdf5"))
    shutil.rmtree(published)
    assert tag(load_tagger(tmp_path / "model"), DOCUMENTS) == tag(tagger, DOCUMENTS)


def test_it_starts_from_the_weights_of_the_folder(published):
    tagger, elmo = small(encoder=str(published)), read_elmo(published)
    assert isinstance(tagger.elmo, Elmo)
    for name, value in elmo.state_dict().items():
        assert torch.equal(tagger.elmo.state_dict()[name], value), name


def test_an_encoder_that_cannot_be_read_is_a_config_error(tmp_path):
    with pytest.raises(ConfigError, match="encoder: there is no folder"):
        small(encoder=str(tmp_path / "none"))


@pytest.mark.parametrize("content", ["{", '{"lstm": 1, "char_cnn": {}}', None])
def test_a_model_folder_without_the_options_of_its_bilm_is_refused(tmp_path, content):
    small().save(tmp_path / "model")
    path = tmp_path / "model" / OPTIONS
    if content is None:
        path.unlink()
    else:
        path.write_text(content)
    with pytest.raises(ModelFolderError, match=OPTIONS):
        load_tagger(tmp_path / "model")


def test_layers_left_out_change_training_only():
    tagger = small(place="both", mix_dropout=0.9, elmo_dropout=0.0, layer_dropout=0.0)
    batch = tagger.collate(DOCUMENTS)
    answers = {mode: [tagger.train(mode).encode(batch).hidden for _ in range(6)] for mode in (True, False)}
    assert any(not torch.equal(answers[True][0], other) for other in answers[True])
    assert all(torch.equal(answers[False][0], other) for other in answers[False])
