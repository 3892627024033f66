"""``python -m core convert`` from argument line to result."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

NEWS = "拜\tB-PER\n登\tI-PER\n在\tO\n北\tB-LOC\n京\tI-LOC\n"


@pytest.fixture
def news(tmp_path) -> Path:
    path = tmp_path / "news.txt"
    path.write_text(f"{NEWS}\n坏\n\n李\tB-PER\n走\tO\n", encoding="utf-8")
    return path


def test_it_says_what_was_read_written_refused_and_why(core, news, tmp_path):
    answer = core("convert", news, tmp_path / "out.jsonl")
    assert answer.status == 0
    report = answer.json
    assert (report["from"], report["to"]) == ("bio", "jsonl")
    assert (report["read"], report["written"], report["refused"], report["lost"]) == (2, 2, 1, {})
    assert report["why"]["refused"] == [
        {"line": 7, "reason": "line 7: '坏' has one column; a row needs a token and a tag"}
    ]
    assert (report["spans"], report["labels"]) == (3, {"PER": 2, "LOC": 1})
    written = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text("utf-8").splitlines()]
    assert [record["text"] for record in written] == ["拜登在北京", "李走"]


def test_what_the_target_cannot_hold_is_counted_and_explained(core, news, tmp_path):
    report = core("convert", news, tmp_path / "out.txt").json
    assert report["to"] == "plain"
    assert report["lost"] == {"spans": 3, "ids": 2}
    assert report["why"]["lost"] == {"spans": "spans of a format that holds text only", "ids": "document ids"}
    assert (tmp_path / "out.txt").read_text("utf-8") == "拜登在北京\n李走\n"


def test_formats_and_separator_are_named(core, news, tmp_path):
    answer = core(
        "convert", news, tmp_path / "out", "--from", "column", "--to", "bmes", "--separator", "space"
    )
    assert answer.json["to"] == "bmes"
    assert (tmp_path / "out").read_text("utf-8").startswith("拜 B-PER\n登 E-PER\n")


def test_refused_records_are_kept_to_be_mended(core, news, tmp_path):
    core("convert", news, tmp_path / "out.jsonl", "--refused", tmp_path / "mend.txt")
    assert (tmp_path / "mend.txt").read_text("utf-8") == "坏\n"


def test_a_text_column_is_named(core, tmp_path):
    (tmp_path / "a.csv").write_text("text,comment\n甲,乙\n", encoding="utf-8")
    core("convert", tmp_path / "a.csv", tmp_path / "out.txt", "--text-column", "comment")
    assert (tmp_path / "out.txt").read_text("utf-8") == "乙\n"


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["nowhere.txt", "out.jsonl"], "cannot read nowhere.txt"),
        (["empty.txt", "out.jsonl"], "empty.txt is empty"),
        (["news.txt", "out.xyz"], "extension of out.xyz belongs to no format; add --to with one of jsonl, "),
        (["news.txt", "out.jsonl", "--to", "xml"], "there is no format 'xml'"),
        (["news.txt", "news.txt"], "is both what to read and what to write"),
        (["news.txt", "missing/out.jsonl"], "cannot write missing/out.jsonl"),
        (
            ["news.txt", "out.jsonl", "--from", "cluener"],
            "not one of 8 records of news.txt can be read; the first: line 1",
        ),
    ],
)
def test_bad_input_is_one_line_and_leaves_nothing_behind(core, news, monkeypatch, arguments, reason):
    monkeypatch.chdir(news.parent)
    Path("empty.txt").touch()
    before = sorted(path.name for path in Path().iterdir())
    assert reason in core("convert", *arguments).reason
    assert sorted(path.name for path in Path().iterdir()) == before


def test_the_refused_records_are_kept_even_when_no_record_is_good(core, tmp_path):
    (tmp_path / "a.jsonl").write_text('{"text": 5}\n')
    answer = core(
        "convert",
        tmp_path / "a.jsonl",
        tmp_path / "out.bio",
        "--from",
        "jsonl",
        "--text-column",
        "text",
        "--refused",
        tmp_path / "mend.jsonl",
    )
    assert "not one of 1 records of a.jsonl can be read" in answer.reason
    assert (tmp_path / "mend.jsonl").read_text() == '{"text": 5}\n'


def test_converting_needs_no_torch():
    code = "import sys, core.commands.convert, core.formats; sys.exit('torch' in sys.modules)"
    root = Path(__file__).resolve().parents[2]
    assert subprocess.run([sys.executable, "-c", code], cwd=root, check=False).returncode == 0


def test_fields_of_any_names_are_read_under_a_mapping(core, tmp_path):
    record = {"body": "拜登在北京", "ents": [{"from": 3, "to": 5, "kind": "LOC"}], "n": 7}
    source = tmp_path / "own.jsonl"
    source.write_text(json.dumps(record) + "\n", encoding="utf-8")
    recipe = tmp_path / "recipe.json"
    recipe.write_text('{"text": "body", "spans": "ents"}')
    for mapping in ("text=body,spans=ents", recipe):
        report = core("convert", source, tmp_path / "out.jsonl", "--map", mapping).json
        assert (report["from"], report["read"], report["labels"]) == ("mapped", 1, {"LOC": 1})
    assert core("doctor", source, "--map", recipe).json["records"] == 1
    wrong = core("convert", source, tmp_path / "no.jsonl", "--map", "text=bdy")
    assert wrong.status
    assert "no record has the field 'bdy'; the fields are 'body', 'ents', 'n'" in wrong.reason
    assert not (tmp_path / "no.jsonl").exists()


def test_a_mapping_and_a_format_exclude_each_other(core, news, tmp_path):
    answer = core("convert", news, tmp_path / "out.jsonl", "--map", "text=a", "--from", "bio")
    assert answer.status
    assert "not allowed with" in answer.err


def test_a_file_that_two_formats_fit_is_refused_with_both_and_what_to_add(core, tmp_path):
    record = {"text": "拜登在北京", "label": [[0, 2, "PER"]], "spans": []}
    source = tmp_path / "both.jsonl"
    source.write_text(json.dumps(record, ensure_ascii=False) + "\n", encoding="utf-8")
    said = core("convert", source, tmp_path / "out.bio").reason
    assert "jsonl (1 document, 0 spans), doccano (1 document, 1 span)" in said
    assert said.endswith("--from NAME, or --map text=FIELD,spans=FIELD")
    assert core("convert", source, tmp_path / "out.bio", "--from", "doccano").json["spans"] == 1
