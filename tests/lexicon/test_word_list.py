"""A person's word list is read in every form it comes in, and refused by line number."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.lexicon import Entry, Lexicon, LexiconError, WordListError, read_word_list
from core.lexicon.word_list import line_of, parse_word_list

# Other work shares the processors: no example has a deadline.


@pytest.mark.parametrize(
    ("line", "entry"),
    [
        ("星辰湾", Entry("星辰湾")),
        ("星辰湾\t12", Entry("星辰湾", 12)),
        ("星辰湾 12 ns", Entry("星辰湾", 12, "ns")),
        ("星辰湾 12", Entry("星辰湾", 12)),
        ("星辰湾\tLOC", Entry("星辰湾", 1, "LOC")),
        ("星辰湾\tLOC\t12", Entry("星辰湾", 12, "LOC")),
        ("星辰湾\t12\tLOC", Entry("星辰湾", 12, "LOC")),
        ("New York", Entry("New York")),
        ("New York\tLOC", Entry("New York", 1, "LOC")),
        ("Boeing 737 3 nz", Entry("Boeing 737", 3, "nz")),
        ("  星辰湾  ", Entry("星辰湾")),
        ("星辰湾\t", Entry("星辰湾")),
        ("C#\tTECH", Entry("C#", 1, "TECH")),
    ],
)
def test_every_form_of_line_is_read(line, entry):
    assert parse_word_list([line]).entries == (entry,)


def read(*lines):
    found = parse_word_list(lines)
    assert found.problems == ()
    return [(entry.word, entry.frequency, entry.type) for entry in (*found.entries, *found.others)]


def test_columns_may_be_parted_by_commas_as_a_spreadsheet_writes_them():
    assert read("青岛,LOC", "林晓平,PER", '"大湾, 北",LOC,7') == [
        ("青岛", 1, "LOC"),
        ("林晓平", 1, "PER"),
        ("大湾, 北", 7, "LOC"),
    ]
    assert read("青岛,12", "林晓平,3") == [("青岛", 12, ""), ("林晓平", 3, "")]


@pytest.mark.parametrize(
    "lines",
    [
        ["Washington, D.C.", "New York, N.Y."],
        ["1,2-二氯乙烷", "2,4-滴", "青岛"],
        [f"Smith{number},John{number}" for number in range(60)],
        ["青岛", "林晓平", "大湾,北"],
    ],
)
def test_a_comma_inside_words_parts_nothing(lines):
    assert read(*lines) == [(line, 1, "") for line in lines]


def test_a_type_in_chinese_may_stand_behind_word_and_frequency():
    assert read("青岛 5 地名", "林晓平 2 人名") == [("青岛", 5, "地名"), ("林晓平", 2, "人名")]
    assert read("第 5 届", "青岛", "林晓平") == [("第 5 届", 1, ""), ("青岛", 1, ""), ("林晓平", 1, "")]


@pytest.mark.parametrize(
    "lines",
    [["word\ttype", "青岛\tLOC"], ["词语,类型,频率", "青岛,LOC,1"], ["# x", "", "词\t词频", "青岛\tLOC"]],
)
def test_a_first_line_that_names_the_columns_is_no_word(lines):
    assert read(*lines) == [("青岛", 1, "LOC")]


def test_a_word_that_begins_with_a_hash_is_kept_behind_a_backslash():
    assert line_of(Entry("#话题", 2, "ORG")) == "\\#话题\t2\tORG\n"
    assert read("\\#话题\t2\tORG", "\\\\#a", "# 话题") == [("#话题", 2, "ORG"), ("\\#a", 1, "")]


@given(st.lists(st.text('ab#\\,"\t 1类', max_size=6), max_size=8))
def test_no_line_is_lost_without_a_word_said(lines):
    """Every line is a word, a repeat, a refused line, a comment, blank, or names the columns."""
    found = parse_word_list(lines)
    told = len(found.entries) + len(found.others) + len(found.problems) + found.repeated
    silent = sum(not line.strip() or line.lstrip().startswith("#") for line in lines)
    assert told + silent == len(lines)


def test_comments_and_blank_lines_are_skipped_and_repeats_counted():
    words = parse_word_list(["# towns", "", "星辰湾 3", "星辰湾 9", "星辰湾 1"])
    assert words.entries == (Entry("星辰湾", 9),)
    assert words.repeated == 2
    assert words.problems == ()


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("\tLOC", "before the tab is missing"),
        ("a\tb\tc\td", "4 columns"),
        ("a\t1\t2", "two columns of one kind"),
        ("a\tLOC\tORG", "two columns of one kind"),
        ("词\t-1", "frequency of '词' must be 0"),
        ("词 " + "9" * 400, "too large"),
        ("长" * 101, "101 characters"),
        ("词\u2028语", "line break"),
        ("词\0", "no text"),
    ],
)
def test_a_bad_line_is_named_with_its_reason_and_the_others_kept(line, reason):
    words = parse_word_list(["好词", line, "佳词"])
    assert [entry.word for entry in words.entries] == ["好词", "佳词"]
    assert [problem.line for problem in words.problems] == [2]
    assert reason in words.problems[0].reason


def test_a_bom_and_crlf_are_no_part_of_a_word(tmp_path):
    path = tmp_path / "words.txt"
    path.write_bytes("\ufeff星辰湾\r\n月牙泉\tLOC\r\n".encode())
    assert read_word_list(path).entries == (Entry("星辰湾"), Entry("月牙泉", 1, "LOC"))


def test_a_lexicon_refuses_a_file_with_bad_lines_naming_the_first_five(tmp_path):
    path = tmp_path / "words.txt"
    path.write_text("好词\n" + "\tLOC\n" * 7, encoding="utf-8")
    with pytest.raises(WordListError, match=r"words\.txt: line 2: .*line 6: .*and 2 more") as caught:
        Lexicon.from_file(path)
    assert [problem.line for problem in caught.value.problems] == [2, 3, 4, 5, 6, 7, 8]


def test_a_file_in_two_encodings_is_refused_at_its_line(tmp_path):
    path = tmp_path / "words.txt"
    path.write_bytes("好词\n".encode() + "星辰湾".encode("gb18030"))
    with pytest.raises(WordListError, match="line 2: is neither UTF-8 nor GB18030"):
        read_word_list(path)


@pytest.mark.parametrize("name", ["missing.txt", "."])
def test_a_missing_file_or_a_folder_is_refused(tmp_path, name):
    with pytest.raises(WordListError, match="cannot be read"):
        read_word_list(tmp_path / name)


@given(st.binary(max_size=200))
def test_no_bytes_crash_the_reader(tmp_path_factory, content):
    path = tmp_path_factory.mktemp("list") / "words.txt"
    path.write_bytes(content)
    try:
        words = read_word_list(path)
    except WordListError:
        return
    Lexicon(words.entries).match("北京")


@pytest.mark.parametrize("word", ["", " a", "a\tb", "a\nb", "x" * 101, "\ud800"])
def test_a_word_that_cannot_be_saved_cannot_be_made(word):
    with pytest.raises(LexiconError):
        Lexicon([word])
