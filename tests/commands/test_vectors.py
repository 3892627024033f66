"""``python -m core vectors`` and ``mlm``: from raw text to what a tagger starts from."""

import json

import pytest

from core.cli import main
from core.encoders.word_vectors import read_vec
from tests.learning.mlm.small_mlm import DOCUMENTS, small_mlm

SMALL = ["--set", "dimension=8", "--set", "least_count=2", "--epochs", "1"]
TINY = [
    "--set", "layers=1", "--set", "width=16", "--set", "heads=2", "--set", "length=32", "--set", "threads=1",
    "--epochs", "1", "--device", "cpu",
]  # fmt: skip


@pytest.fixture
def text(tmp_path):
    path = tmp_path / "raw.txt"
    path.write_text("\n".join(document.text for document in DOCUMENTS), encoding="utf-8")
    return str(path)


def test_vectors_are_learned_and_looked_at(tmp_path, text, capsys):
    assert main(["vectors", "train", "--text", text, "--out", str(tmp_path / "out"), *SMALL]) == 0
    told = json.loads(capsys.readouterr().out)
    assert [unit["unit"] for unit in told["units"]] == ["characters", "bigrams", "words"]
    path = tmp_path / "out" / "characters.vec"
    assert read_vec(path).dimension == 8
    assert main(["vectors", "nearest", "--vectors", str(path), "--token", "河", "--count", "2"]) == 0
    assert len(json.loads(capsys.readouterr().out)["nearest"]) == 2
    assert main(["vectors", "nearest", "--vectors", str(path), "--token", "龘"]) == 2
    assert "no vector of '龘'" in capsys.readouterr().err


def test_an_encoder_is_learned_and_not_written_over(tmp_path, text, capsys):
    command = ["mlm", "--text", text, "--out", str(tmp_path / "out"), *TINY]
    assert main(command) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["history"][0]["dev"] < told["before"]
    assert (tmp_path / "out" / "model" / "model.safetensors").is_file()
    assert main(command) == 2
    assert "add --resume" in capsys.readouterr().err
    assert main([*command, "--resume"]) == 0, "nothing is left to do"


def test_an_encoder_without_its_head_is_told_of(tmp_path, text, capsys):
    model, _ = small_mlm()
    model.model.base_model.save_pretrained(tmp_path / "base")
    model.tokenizer.save_pretrained(tmp_path / "base")
    sets = ["--set", f"encoder={tmp_path / 'base'}", "--set", "head_steps=3", *TINY[6:]]
    assert main(["mlm", "--text", text, "--out", str(tmp_path / "out"), *sets]) == 0
    told = capsys.readouterr()
    assert "Before the first step, perplexity" in told.err
    assert "The new head has learned alone for 3 steps, perplexity" in told.err
    assert "Epoch 1 of 1: loss" in told.err
    assert json.loads(told.out)["history"][0]["dev"] < json.loads(told.out)["before"]


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["vectors", "train", "--set", "magic=1"], "magic"),
        (["vectors", "train", "--set", "dimension=x"], "dimension"),
        (["vectors", "train", "--resume"], "no training to resume"),
        (["vectors", "train", "--lexicon", "no such file"], "no such file"),
        (["mlm", "--set", "magic=1"], "no such field"),
        (["mlm", "--set", "encoder=no/such/folder at all"], "there is no folder"),
        (["mlm", "--set", "masking=all"], "one of pieces, words, spans"),
    ],
)
def test_bad_input_is_one_line(tmp_path, text, capsys, arguments, why):
    assert main([*arguments, "--text", text, "--out", str(tmp_path / "out")]) == 2
    err = capsys.readouterr().err
    assert why in err
    assert "Traceback" not in err


@pytest.mark.parametrize("command", [["vectors", "train"], ["mlm"]])
def test_a_text_too_small_is_one_line(tmp_path, capsys, command):
    path = tmp_path / "raw.txt"
    path.write_text("水", encoding="utf-8")
    assert main([*command, "--text", str(path), "--out", str(tmp_path / "out")]) == 2
    assert "too small" in capsys.readouterr().err
