"""``core distant-train``: a tagger from words and raw text; what cannot work is one line."""

import json

import pytest

from tests.learning.pu.test_distant_run import corpus, word_list

SMALL = [
    part
    for setting in ("hidden=12", "char_dim=8", "bigram_dim=0", "filters=4", "prior=0.2", "threads=1")
    for part in ("--set", setting)
]


@pytest.fixture
def files(tmp_path):
    """A list of words, raw texts and labelled test documents."""
    (tmp_path / "words.txt").write_text(
        "".join(f"{entry.word} 1 {entry.type}\n" for entry in word_list()), encoding="utf-8"
    )
    (tmp_path / "texts.txt").write_text("\n".join(d.text for d in corpus(60)), encoding="utf-8")
    with (tmp_path / "test.jsonl").open("w", encoding="utf-8") as file:
        for document in corpus(10, seed=9):
            spans = [{"start": s.start, "end": s.end, "label": s.label} for s in document.spans]
            record = {"id": document.id, "text": document.text, "spans": spans}
            file.write(json.dumps(record, ensure_ascii=False) + "\n")
    return tmp_path


def test_words_and_texts_become_a_model_that_tags(core, files):
    given = (
        "distant-train",
        "--words",
        files / "words.txt",
        "--texts",
        files / "texts.txt",
        "--device",
        "cpu",
    )
    answer = core(*given, "--test", files / "test.jsonl", "--out", files / "run", "--epochs", "2", *SMALL)
    assert answer.status == 0, answer.err
    assert "Training 1 of at most 1" in answer.err
    assert answer.json["distant"]["matches"]["PER"]["places"] > 0
    assert answer.json["distant"]["priors"] == {"LOC": 0.2, "PER": 0.2}
    assert answer.json["test"] is not None
    tagged = core("tag", "--model", files / "run" / "model", files / "texts.txt")
    assert tagged.status == 0, tagged.err
    assert "holds a run already" in core(*given, "--out", files / "run").reason


def test_a_list_can_be_given_a_type(core, files):
    (files / "names.txt").write_text("林晓平\n周一鸣\n", encoding="utf-8")
    answer = core(
        "distant-train", "--words", f"PER={files / 'names.txt'}", "--texts", files / "texts.txt", "--device",
        "cpu", "--out", files / "run", "--epochs", "1", "--method", "direct", *SMALL,
    )  # fmt: skip
    assert answer.status == 0, answer.err
    assert list(answer.json["distant"]["matches"]) == ["PER"]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ([], "--words FILE and --texts FILE are needed"),
        (["--resume"], "holds no such run"),
        (["--words", "no such file", "--texts", "texts.txt"], "no such file"),
        (["--words", "words.txt", "--texts", "texts.txt", "--set", "prior=1"], "both excluded"),
        (["--words", "words.txt", "--texts", "texts.txt", "--method", "magic"], "one of pu, adapu"),
        (["--words", "words.txt", "--texts", "texts.txt", "--set", "colour=red"], "no such field"),
    ],
)
def test_what_cannot_work_is_one_line(core, files, monkeypatch, arguments, expected):
    monkeypatch.chdir(files)
    assert expected in core("distant-train", "--out", files / "run", *arguments).reason
    assert not (files / "run" / "request.json").exists()
