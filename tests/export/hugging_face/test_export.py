"""A BERT run in transformers: its plain pipeline, and the one that decides as the run does."""

from __future__ import annotations

import json

import pytest
import torch
from transformers import AutoModelForTokenClassification, pipeline

from core.export.errors import ExportError
from core.export.hugging_face.export import TASK, check_exportable, export
from core.taggers.base.calibration import Calibration, Scaling
from core.taggers.base.tagging import tag
from core.text import Document
from core.text.units import words
from tests.taggers.small_flat import WITH_TEXT, train
from tests.taggers.small_taggers import OPTIONS, learned_tagger, small_tagger

MORE = (
    *(document.text for document in WITH_TEXT),
    "清河大学",
    "x",
    "  ",
    "林 晚晴 university 教书\u3000",
    "e\u0301林晚晴😀\ud800",
    "[CLS]林晚晴[SEP]",
)


def spans_of(found):
    return [(span["start"], span["end"], span["entity_group"]) for span in found]


def expected_of(tagger, texts):
    tagged = tag(tagger, [Document(str(number), text) for number, text in enumerate(texts)])
    return [document.spans for document in tagged]


def test_a_softmax_run_gives_its_spans_in_the_plain_pipeline(tmp_path):
    tagger = learned_tagger("bert")
    assert tagger.config.head == "softmax"
    assert export(tagger, tmp_path / "out") < 1e-4
    plain = pipeline("token-classification", model=str(tmp_path / "out"), aggregation_strategy="simple")
    texts = [document.text for document in WITH_TEXT]
    for text, spans in zip(texts, expected_of(tagger, texts), strict=True):
        assert spans_of(plain(text)) == [span.key for span in spans]
    assert any(expected_of(tagger, texts))


@pytest.mark.parametrize(
    "options", [{"head": "crf"}, {"head": "softmax"}, {"head": "crf", "scheme": "BIOES"}]
)
def test_the_pipeline_beside_the_weights_decides_as_the_run_does(options, tmp_path):
    tagger = train(small_tagger("bert", **options), WITH_TEXT, 25)
    tagger.calibration = Calibration(Scaling(2.0, 0.5), {"LOC": Scaling(0.5, -0.5)}, 50)
    export(tagger, tmp_path / "out")
    exact = pipeline(TASK, model=str(tmp_path / "out"), trust_remote_code=True)
    for text, spans in zip(MORE, expected_of(tagger, MORE), strict=True):
        found = exact(text)
        assert spans_of(found) == [span.key for span in spans]
        assert [span["word"] for span in found] == [text[span.start : span.end] for span in spans]
        assert [span["score"] for span in found] == pytest.approx([s.score for s in spans], abs=1e-3)
    assert [spans_of(found) for found in exact(list(MORE[:2]))] == [
        spans_of(exact(text)) for text in MORE[:2]
    ]


@pytest.mark.parametrize("pooling", ["first", "mean"])
def test_words_can_be_given(pooling, tmp_path):
    tagger = train(small_tagger("bert", unit="word", piece_pooling=pooling, head="crf"), WITH_TEXT, 10)
    export(tagger, tmp_path / "out")
    exact = pipeline(TASK, model=str(tmp_path / "out"), trust_remote_code=True)
    for text, spans in zip(MORE, expected_of(tagger, MORE), strict=True):
        units = words(text)
        places = [list(place) for place in zip(units.starts, units.ends, strict=True)]
        assert spans_of(exact({"text": text, "words": places})) == [span.key for span in spans]
    with pytest.raises(ValueError, match="in order"):
        exact({"text": "abc", "words": [[1, 2], [0, 1]]})
    with pytest.raises(ValueError, match="leaves the text"):
        exact({"text": "abc", "words": [[1, 4]]})


def test_no_code_runs_unless_it_is_asked_for(tmp_path):
    export(learned_tagger("bert"), tmp_path / "out")
    with pytest.raises(ValueError, match="trust_remote_code"):
        pipeline(TASK, model=str(tmp_path / "out"))
    model = AutoModelForTokenClassification.from_pretrained(tmp_path / "out")
    assert type(model).__name__ == "BertForTokenClassification"


def test_a_text_beyond_the_window_is_refused_not_cut_off(tmp_path):
    export(learned_tagger("bert"), tmp_path / "out")
    exact = pipeline(TASK, model=str(tmp_path / "out"), trust_remote_code=True)
    with pytest.raises(ValueError, match="52 word pieces is too long, the model reads 48"):
        exact("林" * 50)


def test_the_weights_are_those_of_the_run(tmp_path):
    tagger = learned_tagger("bert")
    export(tagger, tmp_path / "out")
    model = AutoModelForTokenClassification.from_pretrained(tmp_path / "out")
    assert torch.equal(model.classifier.weight, tagger.emission.weight)
    config = json.loads((tmp_path / "out" / "config.json").read_text())
    assert config["id2label"]["0"] == "O"
    assert set(config["id2label"].values()) == {"O", *(f"{b}-{x}" for b in "BI" for x in tagger.labels)}


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"top": "bilstm", "top_hidden": 8}, "top=bilstm"),
        ({"layer_mix": "scalar_mix"}, "layer_mix=scalar_mix"),
        ({"last_layer": 1}, "layer_mix=last"),
        ({"neighbours": 1}, "neighbours"),
    ],
)
def test_parts_that_transformers_lacks_are_refused_by_name(options, reason, tmp_path):
    with pytest.raises(ExportError, match=reason):
        export(small_tagger("bert", **options), tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("name", [name for name in OPTIONS if name != "bert"])
def test_other_taggers_are_refused_by_name(name):
    tagger = small_tagger(name)
    with pytest.raises(ExportError, match="is no model of transformers") as refused:
        check_exportable(tagger)
    assert str(refused.value).startswith(tagger.title)
