"""The table and the plot of what pretraining adds, from rows as a run leaves them."""

import json
from xml.etree import ElementTree

import pytest

from benchmarks import pretraining
from benchmarks.pretraining_picture import write_svg

SETUP = {
    "resume": {"documents": 3821, "characters": 10},
    "more": {"files": ["/data/cmeee/train_data.txt"], "characters": 5},
    "encoder": "tiny",
    "dev": 100,
    "test": 477,
    "machine": "a machine",
}


def row(tagger, start, documents, f1):
    return {
        "kind": "score", "tagger": tagger, "start": start, "documents": documents, "epochs": 2, "f1": f1,
        "precision": f1, "recall": f1, "seconds": 1.0,
    }  # fmt: skip


ROWS = [
    row("flat", "none", 100, 0.5),
    {
        "kind": "pretraining", "start": "word2vec", "characters": 15, "epochs": 5, "seconds": 3.0,
        "units": [{"unit": "words", "tokens": 7}],
    },
    row("flat", "word2vec", 100, 0.625),
    row("flat", "none", 3821, 0.9),
    {
        "kind": "pretraining", "start": "mlm", "characters": 9, "epochs": 1, "seconds": 3.0, "rate": 2e-4,
        "masking": "words", "before": 99.0, "perplexity": [12.5], "head": {"steps": 7, "perplexity": 55.0},
    },
    row("bert", "mlm", 100, 0.25),
]  # fmt: skip


def test_the_table_tells_the_difference_to_scratch_and_what_was_not_run():
    lines = pretraining.render(ROWS, SETUP).splitlines()
    (scratch,) = [line for line in lines if line.startswith("flat") and "scratch" in line]
    (vectors,) = [line for line in lines if line.startswith("flat") and "word2vec" in line]
    assert scratch.split() == ["flat", "scratch", "50.00", "90.00"]
    assert vectors.split() == ["flat", "word2vec", "62.50", "(+12.50)", "…"]
    assert any("that of cmeee" in line and "7 words" in line for line in lines)
    told = "99.0 at the start, 55.0 after 7 steps of the head alone, then after each epoch 12.5"
    assert any(told in line for line in lines)


def test_the_plot_has_a_line_for_each_start_and_a_panel_for_each_tagger():
    svg = ElementTree.fromstring(write_svg([r for r in ROWS if r["kind"] == "score"]))
    tag = "{http://www.w3.org/2000/svg}"
    assert len(svg.findall(f"{tag}polyline")) == 3
    assert len(svg.findall(f"{tag}circle")) == 4
    titles = [text.text for text in svg.findall(f"{tag}text") if text.get("font-weight") == "bold"]
    assert titles == ["FLAT", "BERT"]


def test_half_a_line_that_a_stop_left_is_passed_over(tmp_path, capsys):
    text = "\n".join(json.dumps(line) for line in ROWS) + '\n{"kind": "sc'
    (tmp_path / "rows.jsonl").write_text(text, encoding="utf-8")
    (tmp_path / "setup.json").write_text(json.dumps(SETUP), encoding="utf-8")
    assert pretraining.main([str(tmp_path), "--svg", str(tmp_path / "plot.svg")]) == 0
    assert "62.50" in capsys.readouterr().out
    assert (tmp_path / "plot.svg").stat().st_size < 20_000


@pytest.mark.parametrize("arguments", [[], ["--data", "/nowhere"]])
def test_nothing_measured_says_what_to_give(tmp_path, capsys, arguments):
    assert pretraining.main([str(tmp_path), *arguments, "--svg", str(tmp_path / "plot.svg")]) == 2
    assert capsys.readouterr().err
