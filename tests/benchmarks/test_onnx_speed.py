"""The benchmark of ONNX graphs adds to a table row by row, and never mixes machines."""

from __future__ import annotations

import pytest

from benchmarks import onnx_speed
from core.taggers.base.tagging import tag
from tests.taggers.small_taggers import learned_tagger

FIRST, SECOND = "| FLAT (`flat`) | 10 | 20 | 2.00x | 0.1 |", "| FLAT (`flat_words`) | 5 | 6 | 1.20x | 0.2 |"


def test_a_row_is_added_or_takes_the_place_of_its_model():
    table = onnx_speed.with_row(onnx_speed.with_row("", "Here.", FIRST), "Here.", SECOND)
    assert table.splitlines()[0] == "Here."
    assert table.splitlines()[-2:] == [FIRST, SECOND]
    again = FIRST.replace("2.00x", "3.00x")
    assert onnx_speed.with_row(table, "Here.", again) == table.replace(FIRST, again)


def test_rows_of_another_machine_are_left_out():
    table = onnx_speed.with_row("", "Here.", FIRST)
    assert onnx_speed.with_row(table, "There.", SECOND) == onnx_speed.with_row("", "There.", SECOND)


@pytest.fixture
def model(tmp_path):
    learned_tagger("bilstm_crf").save(tmp_path / "small" / "model")
    return tmp_path / "small"


@pytest.fixture
def sentences(tmp_path):
    path = tmp_path / "sentences.bmes"
    path.write_text("".join(f"{character} O\n" for character in "林晚晴在清河大学教书。"), encoding="utf-8")
    return path


def test_a_model_and_its_graph_are_measured_into_a_page(tmp_path, model, sentences, capsys):
    page = tmp_path / "page.md"
    page.write_text(f"Before\n{onnx_speed.BEGIN}\n{onnx_speed.END}\nAfter\n", encoding="utf-8")
    arguments = [str(sentences), "--models", str(model), "--passes", "1", "--page", str(page)]
    for _ in range(2):
        assert onnx_speed.main(arguments) == 0
    before, _, rest = page.read_text(encoding="utf-8").partition(onnx_speed.BEGIN)
    table, _, after = rest.partition(onnx_speed.END)
    assert (before, after) == ("Before\n", "\nAfter\n")
    (row,) = [line for line in table.splitlines() if "`small`" in line]
    assert row in capsys.readouterr().out
    own, graph = (int(cell.replace(",", "")) for cell in row.split("|")[2:4])
    assert own > 0
    assert graph > 0


def test_a_graph_that_finds_other_spans_is_no_row(model, sentences, monkeypatch):
    monkeypatch.setattr(onnx_speed, "tag", lambda tagger, texts: [text.with_spans(()) for text in texts])
    texts = onnx_speed.read_file(sentences).documents
    assert tag(onnx_speed.load_tagger(model / "model"), texts)[0].spans
    with pytest.raises(SystemExit, match="other spans"):
        onnx_speed.measured(model, texts, 1)
