"""Lexicon taggers with a transformer under their characters: the papers' +BERT rows."""

import pytest
import torch
from safetensors.torch import load_file, save

from core.taggers.base.config_fields import ConfigError
from core.taggers.base.registry import available, by_name
from core.taggers.sequence.lexicon_tagger import LexiconTagger
from tests.taggers.small_flat import DOCUMENTS, train
from tests.taggers.small_taggers import OPTIONS, small_tagger
from tests.taggers.tiny_bert import tiny_bert

WITH_TEXT = [document for document in DOCUMENTS if document.text]
NAMES = [name for name in available() if issubclass(by_name(name), LexiconTagger) and name in OPTIONS]


def over_bert(name, **options):
    return small_tagger(name, encoder=tiny_bert(), **options)


def test_flat_and_soft_lexicon_are_among_them():
    assert {"flat", "soft_lexicon"} <= set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_the_transformers_vectors_stand_behind_those_of_the_tables(name):
    tagger, plain = over_bert(name).eval(), small_tagger(name)
    assert tagger.input_width == plain.input_width + 16
    batch = tagger.collate(WITH_TEXT)
    with torch.no_grad():
        vectors = tagger.input_vectors(batch)
        expected = tagger.features.encoder(batch.pieces).states[-1]
    assert torch.equal(vectors[..., plain.input_width :], expected)
    assert plain.features is None
    assert plain.collate(WITH_TEXT).pieces is None


@pytest.mark.parametrize("name", NAMES)
def test_a_trace_shows_how_the_layers_are_mixed(name):
    tagger = over_bert(name, layer_mix="scalar_mix", first_layer=0)
    trace = tagger.trace(tagger.collate(WITH_TEXT[:1]))[0]
    assert trace.mixes[0].weights.tolist() == pytest.approx([1 / 3] * 3)
    assert trace.lattice is not None
    plain = small_tagger(name)
    assert all(mix.name != "encoder" for mix in plain.trace(plain.collate(WITH_TEXT[:1]))[0].mixes)


@pytest.mark.parametrize("name", NAMES)
def test_the_transformer_unfreezes_and_learns_at_its_own_rate(name):
    tagger = over_bert(name, frozen_epochs=1, encoder_rate=0.05)
    inside = list(tagger.features.encoder.parameters())
    rates = {id(p): group["lr_scale"] for group in tagger.parameter_groups() for p in group["params"]}
    assert {rates[id(p)] for p in inside} == {0.05}
    before = [p.detach().clone() for p in inside]
    train(tagger, WITH_TEXT, 2)
    assert all(torch.equal(p, old) for p, old in zip(inside, before, strict=True))
    tagger.begin_epoch(1)
    train(tagger, WITH_TEXT, 2)
    assert not any(torch.equal(p, old) for p, old in zip(inside, before, strict=True))


@pytest.mark.parametrize("name", NAMES)
def test_adversarial_training_perturbs_tables_and_word_pieces(name):
    tagger = over_bert(name)
    weights = tagger.embedding_weights()
    inside = {id(p) for p in tagger.features.parameters()}
    assert [w for w in weights if id(w) in inside] == [tagger.features.encoder.word_embeddings]
    assert any(w is tagger.characters.table.weight for w in weights)


def test_a_folder_that_is_none_is_a_config_error():
    with pytest.raises(ConfigError, match="no folder"):
        small_tagger("flat", encoder="./nowhere")


@pytest.mark.parametrize("half", [False, True])
def test_the_transformer_of_a_trained_tagger_is_an_encoder(tmp_path, half):
    first = train(small_tagger("span", over="flat", encoder=tiny_bert()), WITH_TEXT, 2)
    first.save(tmp_path)
    if half:
        _save_half(tmp_path)
    tagger = small_tagger("bert", encoder=str(tmp_path))
    mine, theirs = (
        tagger.features.encoder.model.state_dict(),
        first.encoder.features.encoder.model.state_dict(),
    )
    assert mine.keys() == theirs.keys()
    for name, values in mine.items():
        assert values.dtype == theirs[name].dtype
        torch.testing.assert_close(values, theirs[name], rtol=1e-3 if half else 0, atol=1e-4 if half else 0)
    type(tagger).check_config(tagger.config)


def _save_half(folder):
    path = folder / "model.safetensors"
    path.write_bytes(save({name: values.half() for name, values in load_file(path).items()}))


def test_a_trained_tagger_without_the_transformers_weights_is_no_encoder(tmp_path):
    small_tagger("flat", encoder=tiny_bert()).save(tmp_path)
    path = tmp_path / "model.safetensors"
    kept = {name: values for name, values in load_file(path).items() if "word_embeddings" not in name}
    path.write_bytes(save(kept))
    with pytest.raises(ConfigError, match="its weights are not those of the transformer"):
        small_tagger("bert", encoder=str(tmp_path))
    path.write_bytes(b"cut off")
    with pytest.raises(ConfigError, match="cannot be read"):
        small_tagger("bert", encoder=str(tmp_path))
