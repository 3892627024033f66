"""The benchmark of tagging speed compares what two checkouts say, and writes a row per model."""

import pytest

from benchmarks import tagging_speed
from core.taggers.base.tagging import tag
from core.text import Document
from tests.taggers.small_taggers import learned_tagger


@pytest.mark.parametrize(
    ("now", "said"),
    [
        ([[[0, 2, "ORG", 0.5]], []], "the same"),
        ([[[0, 2, "ORG", 0.50000004]], []], "the same"),
        ([[[0, 2, "ORG", 0.52]], []], "scores by 0.02"),
        ([[[0, 2, "PER", 0.5]], []], "1 sentences differ"),
        ([[], [[0, 2, "ORG", 0.5]]], "2 sentences differ"),
    ],
)
def test_it_says_how_far_two_predictions_differ(now, said):
    assert tagging_speed.difference([[[0, 2, "ORG", 0.5]], []], now) == said


def test_a_folder_without_the_sentences_is_refused(tmp_path, capsys):
    assert tagging_speed.main([str(tmp_path), "--models", str(tmp_path)]) == 2
    assert "lacks dev.char.bmes, test.char.bmes" in capsys.readouterr().err


def test_it_measures_a_model_and_says_what_it_predicts(tmp_path):
    tagger = learned_tagger("bilstm_crf")
    tagger.save(tmp_path / "model")
    sentence = "林晚晴在清河大学教书，又在清河大学读书，后来离开了清河大学。"
    rows = "".join(f"{character} O\n" for character in sentence)
    for name in tagging_speed.FILES:
        (tmp_path / name).write_text(rows, encoding="utf-8")
    result = tagging_speed.measure(tmp_path, tmp_path / "model", 1)
    assert result["title"] == "BiLSTM-CRF"
    assert min(result["speed"], result["first"], result["next"]) > 0
    (document,) = tag(tagger, [Document("x", sentence)])
    keys = [[span[:3] for span in spans] for spans in result["spans"]]
    assert keys == [[span.key for span in document.spans]] * 2
