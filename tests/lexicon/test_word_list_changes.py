"""Two word lists are compared and merged; what one says of a word stays apart from what the other says."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.lexicon import Entry
from core.lexicon.gazetteer import KINDS, labelled, names
from core.lexicon.word_list import line_of, parse_word_list, read_word_list
from core.lexicon.word_list_changes import differences, merge


def words(*lines):
    return parse_word_list(lines).by_word


def test_words_only_in_one_list_or_told_otherwise_are_the_difference():
    first = words("甲一 3 ORG", "乙一 1 ORG", "丙一 1")
    second = words("甲一 3 ORG", "乙一 1 PER", "丁一")
    assert [(one.word, one.change) for one in differences(first, second)] == [
        ("丁一", "added"), ("丙一", "removed"), ("乙一", "changed"),
    ]  # fmt: skip
    assert list(differences(first, first)) == []


@pytest.mark.parametrize(
    ("types", "expected"),
    [
        ("both", [Entry("乙一", 2, "ORG"), Entry("乙一", 5, "PER")]),
        ("first", [Entry("乙一", 2, "ORG")]),
        ("second", [Entry("乙一", 5, "PER")]),
    ],
)
def test_where_types_differ_the_choice_holds(types, expected):
    assert merge(words("乙一 2 ORG"), words("乙一 5 PER"), types) == (expected, 1)


def test_no_type_says_nothing_and_the_higher_frequency_stands():
    assert merge(words("甲一 2 ORG", "乙一"), words("甲一 9", "乙一 4 PER")) == (
        [Entry("甲一", 9, "ORG"), Entry("乙一", 4, "PER")],
        0,
    )
    with pytest.raises(ValueError, match="treated as one of"):
        merge({}, {}, "all")


ENTRIES = st.lists(
    st.builds(
        Entry,
        st.text("甲乙丙 aB1#", min_size=1, max_size=6).map(str.strip).filter(bool),
        st.integers(0, 10**15),
        st.sampled_from(["", "ORG", "PER", "1a", "LOC x"]),
    ),
    max_size=8,
)


@given(ENTRIES)
def test_what_is_written_reads_back(entries):
    once = {(entry.word, entry.type): entry for entry in entries}
    typed = {word for word, kind in once if kind}
    kept = [entry for (word, kind), entry in once.items() if kind or word not in typed]
    read = parse_word_list([line_of(entry).rstrip("\n") for entry in kept])
    assert read.problems == ()
    assert {e for found in read.by_word.values() for e in found} == set(kept)


def test_a_word_with_two_types_has_both_and_the_more_frequent_is_first():
    read = parse_word_list(["青禾 2 ORG", "青禾\tPER\t7", "青禾", "青禾 9"])
    assert read.entries == (Entry("青禾", 9, "PER"),)
    assert read.others == (Entry("青禾", 2, "ORG"),)
    assert read.repeated == 2


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "gb18030", "gbk"])
def test_lists_of_other_encodings_are_read(tmp_path, encoding):
    path = tmp_path / "words.txt"
    path.write_bytes("青禾\tORG\r\n林知远\r\n".encode(encoding))
    assert read_word_list(path).entries == (Entry("青禾", 1, "ORG"), Entry("林知远"))


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"PK\x03\x04anything", "a zip archive, not a word list: unpack it"),
        (b"\x1f\x8banything", "a gzip archive, not a word list: unpack it"),
        (b"%PDF-1.7", "a PDF"),
        (b"\xff\xfe\x00", "UTF-16"),
        ("Müller\nGérard\n".encode("latin-1"), "neither UTF-8 nor GB18030"),
        ("青禾\n林知远\n云栖\n".encode() + b"\xe9\x9d\n", "line 4: is neither UTF-8"),
    ],
)
def test_what_is_no_text_is_refused_by_name(tmp_path, content, says):
    path = tmp_path / "words.txt"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=says):
        read_word_list(path)


def test_a_list_that_is_too_large_is_refused_before_it_is_read(tmp_path):
    path = tmp_path / "words.txt"
    with path.open("wb") as file:
        file.truncate(200_000_001)
    with pytest.raises(ValueError, match="at most 200000000 bytes"):
        read_word_list(path)


def test_words_that_differ_in_capitals_are_words_of_their_own():
    read = parse_word_list(["Apple", "apple", "APPLE", "pear"])
    assert [entry.word for entry in read.entries] == ["Apple", "apple", "APPLE", "pear"]
    assert read.differing_in_case() == 3


@pytest.mark.exhaustive
def test_jiebas_names_are_told_by_their_part_of_speech():
    found = names()
    assert set(found) == set(KINDS)
    for kind, entries in found.items():
        assert all(entry.type.startswith(KINDS[kind]) and len(entry.word) > 1 for entry in entries)
    by_word = {entry.word: entry for entry in labelled({"place": "LOC", "person": ""})}
    assert by_word["北京"].type == "LOC"
    assert len(by_word) == len(found["place"])
