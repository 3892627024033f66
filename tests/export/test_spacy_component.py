"""A run in a pipeline of spaCy: entities, nested spans, and what becomes of edges inside tokens."""

from __future__ import annotations

import importlib

import numpy as np
import pytest

from core.export.errors import ExportError
from core.taggers.base.tagger import ModelFolderError
from core.taggers.base.tagging import tag
from core.text import Document, Span
from tests.taggers.small_flat import WITH_TEXT
from tests.taggers.small_taggers import learned_tagger
from tests.test_requirements import PROJECT

spacy = pytest.importorskip("spacy")
component = importlib.import_module("core.export.spacy_component")
TEXTS = [document.text for document in WITH_TEXT] + ["", "  ", "😀林晚晴\n在清河"]


def by_character():
    nlp = spacy.blank("zh")
    assert nlp.tokenizer is not None
    return nlp


def keys(spans):
    return [(span.start_char, span.end_char, span.label_) for span in spans]


def fixed(spans, nested=False, **options):
    """A component that predicts these spans in every doc."""
    return component.LatticeLens(lambda ds: [d.with_spans(spans) for d in ds], nested, **options)


def test_a_run_sets_the_entities_it_predicts(tmp_path):
    tagger = learned_tagger("bilstm_crf")
    tagger.save(tmp_path / "run" / "model")
    nlp = by_character()
    nlp.add_pipe("latticelens", config={"model": str(tmp_path / "run")})
    expected = tag(tagger, [Document("", text) for text in TEXTS])
    docs = list(nlp.pipe(TEXTS, batch_size=2))
    assert [keys(doc.ents) for doc in docs] == [[s.key for s in found.spans] for found in expected]
    assert any(doc.ents for doc in docs)
    assert all(doc.user_data["latticelens_left_out"] == [] for doc in docs)
    assert keys(nlp(TEXTS[0]).ents) == keys(docs[0].ents)


def test_a_nested_run_fills_a_group_of_spans_with_scores(tmp_path):
    tagger = learned_tagger("span")
    tagger.save(tmp_path / "model")
    nlp = by_character()
    nlp.add_pipe("latticelens", config={"model": str(tmp_path / "model"), "spans_key": "ll"})
    (expected,) = tag(tagger, [Document("", TEXTS[0])])
    doc = nlp(TEXTS[0])
    assert keys(doc.spans["ll"]) == [span.key for span in expected.spans]
    assert doc.spans["ll"].attrs["scores"] == pytest.approx([span.score for span in expected.spans], abs=1e-6)
    assert doc.ents == ()


@pytest.mark.exhaustive
def test_an_exported_graph_is_a_model_too(tmp_path):
    pytest.importorskip("onnxruntime")
    from core.export.onnx.export import export

    tagger = learned_tagger("bilstm_crf")
    export(tagger, tmp_path / "onnx")
    nlp = by_character()
    nlp.add_pipe("latticelens", config={"model": str(tmp_path / "onnx")})
    (expected,) = tag(tagger, [Document("", TEXTS[0])])
    assert keys(nlp(TEXTS[0]).ents) == [span.key for span in expected.spans]


def test_words_are_those_of_spacy(tmp_path):
    seen = []

    def predict(documents):
        seen.extend(documents)
        return list(documents)

    nlp = spacy.blank("en")
    doc = component.LatticeLens(predict, False)(nlp("Don't  stop at 5km."))
    assert [doc.text[a:b] for a, b in seen[0].meta["tokens"]] == [token.text for token in doc]


@pytest.mark.parametrize(
    ("alignment", "entities", "left_out"),
    [
        ("expand", ["the Qinghe-University"], []),
        ("contract", ["the"], []),
        ("strict", [], [(0, 12, "ORG")]),
    ],
)
def test_an_edge_inside_a_token(alignment, entities, left_out):
    nlp = spacy.blank("en")
    nlp.tokenizer = spacy.tokenizer.Tokenizer(nlp.vocab)  # blanks alone part tokens
    doc = fixed([Span(0, 12, "ORG", 0.9)], alignment=alignment)(nlp("the Qinghe-University team"))
    assert [ent.text for ent in doc.ents] == entities
    assert doc.user_data["latticelens_left_out"] == left_out


def test_two_spans_in_one_token_give_one_entity_and_say_so():
    nlp = spacy.blank("en")
    nlp.tokenizer = spacy.tokenizer.Tokenizer(nlp.vocab)
    doc = fixed([Span(0, 3, "ORG"), Span(4, 9, "LOC")])(nlp("abc-defgh x"))
    assert keys(doc.ents) == [(0, 9, "ORG")]
    assert doc.user_data["latticelens_left_out"] == [(4, 9, "LOC")]


def test_nested_spans_may_share_a_token():
    nlp = spacy.blank("en")
    doc = fixed([Span(0, 3, "ORG", 0.5), Span(0, 3, "LOC")], nested=True)(nlp("abc x"))
    assert keys(doc.spans["sc"]) == [(0, 3, "ORG"), (0, 3, "LOC")]
    assert np.array_equal(doc.spans["sc"].attrs["scores"], np.float32([0.5, np.nan]), equal_nan=True)


@pytest.mark.parametrize(
    ("config", "error", "reason"),
    [
        ({}, ExportError, "needs a model"),
        ({"model": "/nowhere"}, ModelFolderError, "/nowhere"),
        ({"alignment": "guess"}, ExportError, "expand, contract, strict"),
        ({"spans_key": ""}, ExportError, "spans_key"),
    ],
)
def test_a_wrong_config_is_refused(config, error, reason, tmp_path):
    learned_tagger("bilstm_crf").save(tmp_path / "model")
    given = config if "model" in config or not config else {"model": str(tmp_path / "model"), **config}
    with pytest.raises(error, match=reason):
        spacy.blank("zh").add_pipe("latticelens", config=given)


def test_the_entry_point_names_the_factory():
    module, _, function = PROJECT["entry-points"]["spacy_factories"]["latticelens"].partition(":")
    below, _, module = module.partition(".")  # where the rooms lie once it is installed
    assert below == "latticelens"
    assert getattr(importlib.import_module(module), function) is component.make_component
