"""What holds of a tagger in every variant of its model: one row in ``VARIANTS`` each."""

from itertools import product

import numpy as np
import pytest
import torch

from core.layers.recurrent.choice import CELLS, ONE_WAY
from core.taggers.base.model_folder import load_tagger
from core.taggers.base.registry import by_name
from core.taggers.base.tagging import tag
from core.taggers.sequence.lexicon_tagger import LexiconTagger
from core.text import Document
from tests.sweep import sweep
from tests.taggers.small_flat import DOCUMENTS, WITH_TEXT, train
from tests.taggers.small_taggers import OPTIONS, SMALL_TOP, small_tagger, without_gradient
from tests.taggers.tiny_bert import tiny_bert

LEXICON_TAGGERS = [name for name in OPTIONS if issubclass(by_name(name), LexiconTagger)]
TOPS = ("bilstm", "cnn", "transformer", "r_transformer")
MIXES = ("last", "scalar_mix", "dynamic", "sum", "mean", "max")
ODD = (Document("odd", "😀 Qinghe\u0001𠮷"), Document("long", "林晚晴在清河大学教书。" * 30))
VARIANTS = [
    # The papers' +BERT rows: a transformer under the characters.
    *((name, {"encoder": tiny_bert, "layer_mix": mix}) for name, mix in product(LEXICON_TAGGERS, MIXES[:3])),
    *(("bert", {"layer_mix": mix, "first_layer": 0, "last_layer": 2}) for mix in MIXES),
    *(
        ("bert", {"top": top, "residual": residual, "layer_mix": "scalar_mix", **SMALL_TOP})
        for top, residual in product(TOPS, ("add", "concat", "none"))
    ),
    *(("bert", {"top": cell, "top_layers": 2, **SMALL_TOP}) for cell in ONE_WAY),
    *(("bilstm_crf", {"cell": cell, "layers": 2}) for cell in CELLS if cell != "lstm"),
    ("flat", {"fused_attention": True}),
    ("soft_lexicon", {"sequence_layer": "transformer", "heads": 2, "layers": 2}),
    ("soft_lexicon", {"sequence_layer": "cnn", "layers": 2}),
    ("soft_lexicon", {"lexicon_features": "exsoftword"}),
    ("soft_lexicon", {"lexicon_features": "softword", "layers": 2}),
    ("soft_lexicon", {"lexicon_features": "softword", "sequence_layer": "transformer", "heads": 2}),
    ("lattice_lstm", {"coupled": True}),
    ("lr_cnn", {"rethinking": 0}),
    ("lr_cnn", {"both_sides": False}),
    ("lr_cnn", {"layers": 2}),
]


def said(value):
    """A name of a test that is the same in every process: functions say their own, not where they lie."""
    if isinstance(value, str):
        return value
    return ",".join(f"{name}={getattr(option, '__name__', option)}" for name, option in value.items())


def variant(name, options, **more):
    return small_tagger(name, **{k: v() if callable(v) else v for k, v in options.items()}, **more)


# By default every fourth, which has one of each kind.
every_variant = pytest.mark.parametrize(("name", "options"), sweep(VARIANTS, VARIANTS[::4]), ids=said)


@every_variant
def test_it_learns_and_answers_the_same_alone_and_after_loading(name, options, tmp_path):
    tagger = variant(name, options).eval()
    before = tagger.loss(tagger.collate(WITH_TEXT)).item()
    train(tagger, WITH_TEXT, 20)
    with torch.no_grad():
        learned = tagger.loss(tagger.collate(WITH_TEXT)).item()
        alone = [tagger.loss(tagger.collate([document])).item() for document in WITH_TEXT]
    assert learned < before / 2
    assert learned == pytest.approx(np.mean(alone), rel=1e-3, abs=1e-4), "padding changes nothing"
    tagger.save(tmp_path / "model")
    loaded = load_tagger(tmp_path / "model")
    assert loaded.config == tagger.config
    assert tag(loaded, [*DOCUMENTS, *ODD]) == tag(tagger, [*DOCUMENTS, *ODD])


@every_variant
def test_gradients_reach_every_parameter_that_should_learn(name, options):
    drawn = {"word_unknown": 0.3} if name == "soft_lexicon" else {}
    assert without_gradient(variant(name, options, **drawn)) == set()
