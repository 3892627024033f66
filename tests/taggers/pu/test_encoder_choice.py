"""PU learning over any tagger that tags characters: a new one works by itself."""

import json
from dataclasses import dataclass

import numpy as np
import pytest
import torch
from safetensors.torch import load_file
from torch import nn

from core.inspection.sentence.attribution import integrated_gradients
from core.inspection.sentence.word_ablation import ablate_words
from core.lexicon.segmentation import word_numbers
from core.taggers.base import registry
from core.taggers.base.config_fields import (
    ConfigError,
    config_fields,
    config_from_given,
    config_from_settings,
    option,
)
from core.taggers.base.model_folder import load_tagger, read_header
from core.taggers.base.registry import available, by_name, register
from core.taggers.base.tagger import Resources
from core.taggers.base.tagging import tag
from core.taggers.pu.config import PuConfig
from core.taggers.pu.encoder import PuEncoderOptions
from core.taggers.pu.tagger import Pu
from core.taggers.sequence.batch import Encoded
from core.taggers.sequence.character_tagger import (
    CharacterBatch,
    CharacterConfig,
    CharacterTagger,
    input_width,
)
from core.taggers.sequence.encoder_choice import AUTO, encoder_names
from core.taggers.sequence.tagger import SequenceTagger
from core.text import Document, Span
from core.training.settings import config_from_values
from tests.sweep import sweep
from tests.taggers.base.test_layer_states import NAMES
from tests.taggers.pu.test_tagger import in_part
from tests.taggers.small_flat import DOCUMENTS, LABELS, LEXICON, WITH_TEXT, train
from tests.taggers.small_taggers import OPTIONS, small_tagger
from tests.taggers.test_every_tagger import ODD
from tests.taggers.tiny_bert import tiny_bert

TAGGERS = tuple(name for name in sorted(OPTIONS) if issubclass(by_name(name), SequenceTagger))
OVER = (AUTO, *TAGGERS)
WITH_WORDS = tuple(name for name in TAGGERS if by_name(name).uses_lexicon)
OPEN = tuple(in_part(document) for document in DOCUMENTS)  # nobody has annotated any of it
TEXT, SPAN = DOCUMENTS[0].text, Span(4, 8, "ORG")


def options_of(over):
    """What makes this encoder small, as `PuConfig` wants it."""
    if over == AUTO:
        return dict(OPTIONS["pu"])
    given = {name: value() if callable(value) else value for name, value in OPTIONS[over].items()}
    known = {field.name for field in config_fields(by_name(over).Config)}
    given |= {"char_vectors": ""} if "char_vectors" in known else {}
    return {"over": over, "over_options": json.dumps(given)}


def small_pu(over, documents=OPEN, lexicon=LEXICON, **options):
    torch.manual_seed(0)
    config = PuConfig(**{"prior": "0.2", **options_of(over), **options})
    return Pu.build(config, LABELS, Resources(documents, lexicon))


def alone(documents):
    return [Document(document.id, document.text) for document in documents]


def whole_tagger(pu):
    """The tagger whose encoder a PU tagger has, with the same weights below its own head."""
    name = pu.config.over
    options = {"char_vectors": ""} if "char_vectors" in pu.config.over_options else {}
    whole = small_tagger(name, seed=5, **options).eval()
    whole.load_state_dict({**whole.state_dict(), **pu.encoder.state_dict()})
    return whole


def test_every_tagger_that_tags_characters_can_be_read():
    assert encoder_names() == (AUTO, *(n for n in available() if issubclass(by_name(n), SequenceTagger)))
    (over,) = (field for field in config_fields(PuConfig) if field.name == "over")
    assert over.choices == encoder_names()
    assert len(TAGGERS) >= 7


@dataclass(frozen=True)
class PlainConfig(CharacterConfig):
    width: int = option(7, "width of a state", minimum=1, maximum=16)


class Plain(CharacterTagger):
    """One linear layer; knows nothing of PU."""

    title, summary, paper = "Plain", "a test", "none"
    Config = PlainConfig

    def __init__(self, config, labels, parts):
        super().__init__(config, labels, parts, config.width)
        self.layer = nn.Linear(input_width(config, parts), config.width)

    @classmethod
    def create(cls, config, labels, parts):
        return cls(config, labels, parts)

    def collate(self, documents):
        return CharacterBatch(**self.input_fields(documents))

    def encode(self, batch, need_weights=False):
        return Encoded(self.layer(self.input_vectors(batch)).tanh())


def test_a_tagger_that_is_registered_later_is_read_too(tmp_path, monkeypatch):
    monkeypatch.setattr(registry, "_registered", dict(registry._registered))
    register("plain")(Plain)
    settings = {"over": "plain", "over_options": "width=9, char_dim=8, char_vectors=", "prior": "0.3"}
    config = config_from_settings(PuConfig, settings)
    tagger = train(Pu.build(config, LABELS, Resources(DOCUMENTS)), WITH_TEXT, 60)
    assert tagger.encoder.width == 9
    assert any(document.spans for document in tag(tagger, alone(DOCUMENTS)))
    tagger.save(tmp_path / "model")
    assert tag(load_tagger(tmp_path / "model"), [*alone(DOCUMENTS), *ODD]) == tag(
        tagger, [*alone(DOCUMENTS), *ODD]
    )


def risk_by_hand(z, positive, prior, m):
    """Of one type: Peng et al. 2019, eq. 3, 4 and 6, with the mean absolute error."""
    yes, no = 1 - 1 / (1 + np.exp(-z)), 1 / (1 + np.exp(-z))
    if not positive.any():
        return 0.0
    return m * yes[positive].mean() + max(no.mean() - prior * no[positive].mean(), 0.0)


@pytest.mark.parametrize("over", OVER)
def test_the_loss_is_the_risk_over_the_states_of_the_encoder(over):
    tagger = small_pu(over, m=0.5).eval()
    encoded = tagger.encoder.encode(tagger.encoder.collate(alone(OPEN)))
    states, auxiliary = encoded.hidden.detach().double(), encoded.auxiliary
    weight, bias = (p.detach().double() for p in tagger.emission.parameters())
    rows, positive = [], []
    for row, document in enumerate(OPEN):
        scores = (states[row, : len(document.text)] @ weight.T + bias).numpy()
        numbers = np.array(word_numbers(document.text))
        for at in range(len(document.text)):
            rows.append(scores[numbers == numbers[at]].mean(0))
            covering = {s.label for s in document.spans if s.start <= at < s.end}
            positive.append([label in covering for label in LABELS])
    z, is_positive = np.array(rows), np.array(positive)
    risk = sum(risk_by_hand(z[:, k], is_positive[:, k], 0.2, 0.5) for k in range(len(LABELS)))
    expected = len(z) * risk / len(OPEN) + (0.0 if auxiliary is None else auxiliary.item())
    assert tagger.loss(tagger.collate(OPEN)).item() == pytest.approx(expected, rel=1e-5)
    assert (auxiliary is not None) == (over == "elmo_crf")


@pytest.mark.parametrize("over", TAGGERS)
def test_it_is_the_taggers_own_encoder_without_what_scores_tags(over):
    tagger = small_pu(over).eval()
    whole = whole_tagger(tagger)
    gone = {n for n, _ in whole.named_parameters()} - {n for n, _ in tagger.encoder.named_parameters()}
    assert {name.split(".")[0] for name in gone} == {"emission", "crf"}
    texts = alone(WITH_TEXT)
    ours, theirs = (one.encode(one.collate(texts)).hidden for one in (tagger.encoder, whole))
    torch.testing.assert_close(ours, theirs)


def test_a_loss_of_the_taggers_own_scores_is_left_out_with_them():
    own = json.dumps({"encoder": tiny_bert(), "top": "bilstm", "top_hidden": 8})
    tagger = small_pu("bert", over_options=own)
    assert tagger.encoder.encoder_emission is None
    assert tagger.encoder.encode(tagger.encoder.collate(alone(WITH_TEXT))).auxiliary is None


@pytest.mark.parametrize("over", sweep(OVER, ["flat"]))
def test_every_weight_learns_and_the_loss_falls(over):
    tagger = small_pu(over, upu_epochs=0, risk="upu").train()
    torch.manual_seed(1)
    reached = set()
    for _ in range(4):  # dropout may hide one once
        tagger.zero_grad()
        tagger.loss(tagger.collate(OPEN)).backward()
        reached |= {n for n, p in tagger.named_parameters() if p.grad is not None and p.grad.any()}
    assert {n for n, p in tagger.named_parameters() if p.requires_grad} == reached
    given = [id(p) for group in tagger.parameter_groups() for p in group["params"]]
    assert len(given) == len(set(given))
    assert set(given) == {id(p) for p in tagger.parameters()}
    before = tagger.eval().loss(tagger.collate(OPEN)).item()
    train(tagger, OPEN, 15, rate=5e-3)
    assert tagger.loss(tagger.collate(OPEN)).item() < before - 0.01


@pytest.mark.parametrize("over", sweep(OVER, ["flat"]))
def test_it_answers_the_same_after_saving_and_loading(over, tmp_path):
    tagger = train(small_pu(over), WITH_TEXT, 40)
    texts = [*alone(DOCUMENTS), *ODD]
    answers = tag(tagger, texts)
    assert any(document.spans for document in answers)
    tagger.save(tmp_path / "model")
    saved = load_file(tmp_path / "model" / "model.safetensors")
    assert not any(name.startswith(("encoder.emission", "encoder.crf")) for name in saved)
    loaded = load_tagger(tmp_path / "model")
    assert tag(loaded, texts) == answers
    assert (loaded.config, loaded.uses_lexicon) == (tagger.config, over in WITH_WORDS)
    for document, answered in zip(texts, answers, strict=True):
        assert all(0 <= span.start < span.end <= len(document.text) for span in answered.spans)


@pytest.mark.parametrize("over", OVER)
def test_empty_texts_are_read(over):
    tagger = small_pu(over)
    batch = tagger.collate([in_part(Document("1", "")), Document("2", "")])
    assert tagger.loss(batch).requires_grad
    assert tagger.decode(batch) == [[], []]
    (trace,) = tagger.trace(tagger.collate([Document("1", "")]))
    assert (trace.text, trace.spans, trace.pu.probabilities.shape) == ("", (), (len(LABELS), 0))


@pytest.mark.parametrize("over", TAGGERS)
def test_a_trace_has_what_the_encoder_shows_and_the_answers(over):
    tagger = small_pu(over).eval()
    (seen,) = whole_tagger(tagger).trace(whole_tagger(tagger).collate(alone(DOCUMENTS[:1])))
    (trace,) = tagger.trace(tagger.collate(DOCUMENTS[:1]))
    assert (trace.tagger, trace.crf) == ("pu", None)
    assert trace.pu.probabilities.shape == (len(LABELS), len(TEXT))
    for name in ("lattice", "relative", "word_shares", "word_sets", "pieces"):
        assert (getattr(trace, name) is None) == (getattr(seen, name) is None), name
    for ours, theirs in zip(trace.attention, seen.attention, strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-6)
    assert len(trace.mixes) == len(seen.mixes)
    assert (trace.lattice is not None) == (over in WITH_WORDS)
    if over in WITH_WORDS:
        assert trace.lattice.nodes == seen.lattice.nodes
        assert len(trace.lattice.nodes) > len(TEXT)


@pytest.mark.parametrize("over", TAGGERS)
def test_every_layer_of_the_encoder_has_states_and_the_last_are_what_is_answered_from(over):
    tagger = small_pu(over).train()
    batch = tagger.collate(WITH_TEXT)
    found = tagger.layer_states(batch)
    assert [layer.name for layer in found] == NAMES[over]
    with torch.no_grad():
        characters = PuConfig(**{**options_of(over), "unit": "characters"})
        tagger.eval().config = characters
        alike = tagger.collate(WITH_TEXT)
        answered = tagger.emission(found[-1].states)[batch.mask]
        torch.testing.assert_close(answered, tagger.scores(alike)[batch.mask])


@pytest.mark.parametrize("over", sweep(OVER, ["flat"]))
def test_the_shares_of_characters_and_words_add_up(over):
    tagger = train(small_pu(over), WITH_TEXT, 30)
    found = integrated_gradients(tagger, TEXT, SPAN)
    assert abs(found.score - found.blank) > 0.01
    assert found.is_complete
    with torch.no_grad():
        told = tagger.span_log_probability(tagger.collate([Document("x", TEXT)]), SPAN)
    assert found.score == pytest.approx(float(told), abs=1e-4)
    assert bool(found.words.any()) == (over in WITH_WORDS)


@pytest.mark.parametrize("over", sweep(WITH_WORDS, ["flat"]))
def test_a_word_added_later_acts_at_once(over):
    tagger = train(small_pu(over), WITH_TEXT, 20)
    text = Document("x", "教书清河下雨")
    before = tagger.scores(tagger.collate([text]))
    tagger.lexicon = tagger.lexicon.with_words(["河下雨"])
    (trace,) = tagger.trace(tagger.collate([text]))
    assert "河下雨" in trace.lattice.nodes
    after = tagger.scores(tagger.collate([text]))
    assert not torch.equal(before, after)
    given = tagger.collate_with([text, text], [LEXICON, tagger.lexicon])
    torch.testing.assert_close(tagger.scores(given), torch.cat([before, after]), atol=1e-5, rtol=1e-4)


@pytest.mark.parametrize("over", sweep(WITH_WORDS, ["flat"]))
def test_words_can_be_taken_out_to_see_what_they_did(over):
    tagger = train(small_pu(over), WITH_TEXT, 40)
    rows = ablate_words(tagger, TEXT, [SPAN])
    assert {row.word for row in rows} >= {"清河", "教书"}


def test_what_reads_no_words_says_so():
    for over in OVER:
        config = PuConfig(**options_of(over))
        assert Pu.reads_lexicon(config) == small_pu(over).uses_lexicon == (over in WITH_WORDS)
    tagger = small_pu("bilstm_crf")
    tagger.lexicon = LEXICON
    assert tagger.lexicon is None
    with pytest.raises(NotImplementedError, match="reads no lexicon"):
        tagger.collate_with([DOCUMENTS[0]], [LEXICON])


def test_a_mix_of_layers_is_known_of_before_there_is_a_tagger():
    assert Pu.mixes_layers(PuConfig(over="elmo_crf"))
    assert not Pu.mixes_layers(PuConfig(over="flat"))
    assert not Pu.mixes_layers(PuConfig())


def test_adversarial_training_perturbs_the_tables_of_the_encoder():
    for over in TAGGERS:
        tagger = small_pu(over)
        ours, theirs = tagger.embedding_weights(), tagger.encoder.embedding_weights()
        assert ours
        assert [id(weight) for weight in ours] == [id(weight) for weight in theirs]


def encoder_config(**options):
    return PuConfig(**options).encoder_choice.config


def test_options_that_both_have_go_along_and_its_own_have_the_last_word():
    config = encoder_config(over="flat", hidden=96, over_options="layers=2, heads=4, bigram_dim=0")
    assert (config.hidden, config.layers, config.heads, config.bigram_dim) == (96, 2, 4, 0)
    config = encoder_config(over="flat", hidden=96, over_options='{"hidden": 48, "char_vectors": ""}')
    assert (config.hidden, config.char_vectors) == (48, "")
    assert encoder_config(over="soft_lexicon").hidden == by_name("soft_lexicon").Config().hidden


SHARED = {field.name: field for field in config_fields(PuEncoderOptions)}


def given_to(over, **values):
    """The config of ``over`` where these options of PU's were given."""
    return config_from_given(PuConfig, {"over": over, **values}).encoder_choice.config


@pytest.mark.parametrize(
    ("over", "name"),
    [
        (over, name)
        for over in TAGGERS
        for name in SHARED
        if name in {field.name for field in config_fields(by_name(over).Config)}
    ],
)
def test_an_option_given_at_pus_default_is_passed_on_like_any_other(over, name):
    value = SHARED[name].default
    assert getattr(given_to(over, **{name: value}), name) == value
    own = by_name(over).Config
    others = [field.name for field in config_fields(own) if field.name != name]
    found = given_to(over, **{name: value})
    assert {other: getattr(found, other) for other in others} == {o: getattr(own(), o) for o in others}


def test_given_options_as_text_and_beside_over_options_are_passed_on_too():
    assert PuConfig(over="flat", hidden=200).encoder_choice.config.hidden == 160, "a config cannot know"
    texts = {"over": "flat", "hidden": "200"}
    for read in (config_from_settings, config_from_values):
        assert read(PuConfig, texts).encoder_choice.config.hidden == 200
    for beside in ("layers=2, heads=4", '{"layers": 2, "heads": 4}'):
        config = given_to("flat", hidden=200, over_options=beside)
        assert (config.hidden, config.layers, config.heads) == (200, 2, 4)
    assert given_to("flat", hidden=200, over_options="hidden=48").hidden == 48, "it has the last word"
    assert given_to("flat").hidden == by_name("flat").Config().hidden
    assert config_from_given(PuConfig, {"hidden": 200, "filters": 30}) == PuConfig()


def test_what_was_given_is_saved_with_the_model_and_what_was_not_stays_the_taggers_own(tmp_path):
    given = {"char_vectors": "", "bigram_dim": 0, "char_dim": 8}
    for number, (values, width) in enumerate([({"hidden": 200}, 200), ({}, 160)]):
        options = {"over": "flat", "over_options": json.dumps(given), "prior": "0.2", **values}
        tagger = Pu.build(config_from_given(PuConfig, options), LABELS, Resources(OPEN, LEXICON))
        tagger.save(tmp_path / str(number))
        loaded = load_tagger(tmp_path / str(number))
        assert loaded.config == tagger.config
        assert loaded.encoder.config.hidden == width
        header = read_header(tmp_path / str(number))
        assert config_from_given(PuConfig, header.changed()) == tagger.config


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"over": "flat", "filters": 30}, "filters: flat has no such option"),
        ({"over": "bert", "hidden": 200}, "hidden: bert has no such option"),
        ({"over": "flat", "hidden": 200, "over_options": "heads"}, "over_options: 'heads' does not read as"),
        ({"over": "flat", "hidden": 200, "over_options": 3}, "over_options: '3' does not fit"),
        (
            {"over": "flat", "hidden": 200, "over_options": "heads=7"},
            "hidden: 200 is not a multiple of the 7",
        ),
        ({"over": ["flat"], "hidden": 200}, "over: \"['flat']\" does not fit"),
        ({"over": "mrc", "hidden": 200}, "over: 'mrc' does not fit"),
        ({"over": "flat", "hidden": 200, "wings": 2}, "there is no field 'wings'"),
    ],
)
def test_what_was_given_and_does_not_fit_is_refused(values, said):
    with pytest.raises(ConfigError) as refused:
        config_from_given(PuConfig, values)
    assert said in str(refused.value)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"over": "flat", "over_options": "hidden=100"}, "hidden: 100 is not a multiple of the 8 heads"),
        ({"over": "flat", "hidden": 100}, "hidden: 100 is not a multiple of the 8 heads"),
        ({"over": "flat", "over_options": "layers=0"}, "layers: '0' does not fit, it takes a whole number"),
        ({"over": "flat", "over_options": '{"layers": "two"}'}, "layers: 'two' does not fit"),
        ({"over": "flat", "over_options": '{"layers": 2.5}'}, "layers: '2.5' does not fit"),
        (
            {"over": "flat", "over_options": '{"layers": null}'},
            "layers: it is empty, it takes a whole number",
        ),
        (
            {"over": "flat", "over_options": "size=3"},
            "over_options: flat has no option 'size'; it has: char_dim",
        ),
        ({"over": "lr_cnn", "over_options": "layers=1"}, "layers: '1' does not fit, it takes"),
        ({"over": "soft_lexicon", "over_options": "kernel=4"}, "kernel: 4 has no middle"),
        ({"over": "flat", "over_options": "head=softmax"}, "head belongs to the tag layer of flat"),
        ({"over": "bert", "over_options": "auxiliary=0.5"}, "auxiliary belongs to the tag layer of bert"),
        ({"over": "flat", "filters": 9}, "filters: flat has no such option"),
        ({"over": "bert", "char_dim": 9}, "char_dim: bert has no such option"),
        ({"over": "flat", "over_options": "layers"}, "over_options: 'layers' does not read as"),
        ({"over": "flat", "over_options": "=2"}, "does not read as OPTION=VALUE"),
        ({"over": "flat", "over_options": "{" * 5000}, "does not read as OPTION=VALUE"),
        ({"over": "flat", "over_options": '{"layers": 2'}, "does not read as OPTION=VALUE"),
        ({"over_options": "layers=2"}, "over_options: they are of a tagger; name it by over"),
        ({"over": "mrc"}, "over: 'mrc' does not fit, it takes one of"),
        ({"over": "dictionary"}, "over: 'dictionary' does not fit"),
        ({"over": "pu"}, "over: 'pu' does not fit"),
        ({"over": "../flat"}, "over: '../flat' does not fit"),
        ({"over": "flat", "prior": "0"}, "between 0 and 1, both excluded"),
        ({"over": "flat", "prior": "PER=1"}, "between 0 and 1, both excluded"),
    ],
)
def test_what_does_not_fit_is_refused_as_the_tagger_itself_refuses_it(options, said):
    with pytest.raises(ConfigError) as refused:
        PuConfig(**options)
    assert said in str(refused.value)
    texts = {name: str(value) for name, value in options.items()}
    with pytest.raises(ConfigError):
        config_from_settings(PuConfig, texts)


def test_a_file_that_is_not_there_is_refused_by_name():
    config = PuConfig(over="soft_lexicon", over_options="char_vectors=/nowhere/vectors.vec")
    with pytest.raises(ConfigError, match=r"/nowhere/vectors\.vec"):
        Pu.build(config, LABELS, Resources(DOCUMENTS, LEXICON))
