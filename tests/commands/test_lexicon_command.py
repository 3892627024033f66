"""``python -m core lexicon`` from argument line to result."""

import argparse
import io
import sys
from types import SimpleNamespace

import pytest

from core.commands import lexicon as command
from core.commands.terminal.errors import CommandError
from core.lexicon import Lexicon


def lexicon(*arguments):
    parser = argparse.ArgumentParser()
    command.add_parser(parser.add_subparsers())
    args = parser.parse_args(["lexicon", *map(str, arguments)])
    return args.run(args)


@pytest.fixture
def words(tmp_path):
    path = tmp_path / "words.txt"
    path.write_text("# places\n星辰湾\tLOC\n清河 7 ns\n河\n星辰湾\n", encoding="utf-8")
    return path


def test_match_gives_every_word_with_head_and_tail():
    result = lexicon("match", "😀北京大学")
    assert result == {
        "text": "😀北京大学",
        "words": [
            {"word": "北京", "head": 1, "tail": 2},
            {"word": "北京大学", "head": 1, "tail": 4},
            {"word": "大学", "head": 3, "tail": 4},
        ],
    }


def test_match_reads_a_persons_list_and_words_added_and_removed(words):
    result = lexicon("match", "清河星辰湾路", "--lexicon", words, "--add", "湾路", "--remove", "清河")
    assert [match["word"] for match in result["words"]] == ["星辰湾", "湾路"]


def test_match_reads_stdin(words, monkeypatch):
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO("\ufeff清河\r\n".encode())))
    assert lexicon("match", "--lexicon", words)["words"] == [{"word": "清河", "head": 0, "tail": 1}]


def test_info_counts_a_lexicon(words):
    result = lexicon("info", "--lexicon", words, "--add", "新词")
    assert (result["words"], result["matched"]) == (4, 3)
    assert result["by_length"] == {"1": 1, "2": 2, "3": 1}
    assert (result["added"], result["removed"]) == (["新词"], [])


@pytest.mark.parametrize("inner", ["lexicon", "model/lexicon"])
def test_info_reads_the_lexicon_of_a_model_or_run_folder(tmp_path, inner):
    Lexicon(["清河"]).save(tmp_path / inner)
    assert lexicon("info", "--model", tmp_path)["words"] == 1


def test_check_lists_what_a_list_holds_and_its_bad_lines(words):
    with words.open("a", encoding="utf-8") as file:
        file.write("\tLOC\n")
    result = lexicon("check", words)
    assert (result["words"], result["repeated"], result["single_characters"]) == (3, 1, 1)
    assert result["types"] == {"LOC": 1, "ns": 1}
    assert [problem["line"] for problem in result["problems"]] == [6]


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["check", "nowhere.txt"], "nowhere.txt: .*cannot be read"),
        (["match", "x", "--lexicon", "nowhere.txt"], "nowhere.txt"),
        (["match", "x", "--add", "a\tb"], "holds a tab"),
        (["info", "--model", "nowhere"], "nowhere holds no lexicon"),
    ],
)
def test_bad_input_is_refused_in_one_line(arguments, reason):
    with pytest.raises(CommandError, match=reason) as caught:
        lexicon(*arguments)
    assert "\n" not in str(caught.value)


def test_a_list_with_bad_lines_is_refused_and_the_check_named(tmp_path):
    path = tmp_path / "words.txt"
    path.write_text("好词\n\tLOC\n", encoding="utf-8")
    with pytest.raises(CommandError, match=r"words\.txt: line 2: .*lexicon check"):
        lexicon("info", "--lexicon", path)


def test_text_in_another_encoding_is_refused(monkeypatch):
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO("清河".encode("gb18030"))))
    with pytest.raises(CommandError, match="not UTF-8"):
        lexicon("match")


def test_two_lists_are_compared_and_merged(words, tmp_path):
    other = tmp_path / "other.txt"
    other.write_text("星辰湾\tORG\n清河 9 ns\n月牙泉\n\tX\n", encoding="utf-8")
    found = lexicon("diff", words, other)
    assert [found[name] for name in ("added", "removed", "changed", "refused")] == [1, 1, 2, 1]
    assert found["words"][0] == {
        "word": "星辰湾",
        "change": "changed",
        "first": [["LOC", 1]],
        "second": [["ORG", 1]],
    }
    assert len(lexicon("diff", words, other, "--most", 1)["words"]) == 1
    out = tmp_path / "out.txt"
    merged = lexicon("merge", words, other, "--out", out, "--types", "first")
    assert (merged["words"], merged["conflicts"]) == (4, 1)
    assert out.read_text(encoding="utf-8") == "星辰湾\t1\tLOC\n清河\t9\tns\n河\t1\n月牙泉\t1\n"
    assert lexicon("merge", words, other, "--out", out)["entries"] == 5


@pytest.mark.exhaustive
def test_jiebas_names_are_written_under_the_labels_given(tmp_path):
    out = tmp_path / "names.txt"
    found = lexicon("gazetteer", "--place", "LOC", "--out", out)
    assert found["types"] == {"LOC": found["entries"]}
    assert lexicon("check", out)["words"] == found["entries"]
    with pytest.raises(CommandError, match="at least one kind"):
        lexicon("gazetteer", "--out", out)
    with pytest.raises(CommandError, match="cannot be written"):
        lexicon("gazetteer", "--place", "LOC", "--out", tmp_path / "none" / "x.txt")
