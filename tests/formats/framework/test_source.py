"""Encodings found, and every file that is no text refused with a reason a person can act on."""

import gzip

import pytest

from core.formats import FormatError, Source, read_file
from core.formats.framework.source import Notes

CHINESE = "拜登在北京会见记者，会后没有发表声明。\n" * 3


@pytest.mark.parametrize(
    ("encoding", "told"),
    [
        ("utf-8", "utf-8"),
        ("utf-8-sig", "utf-8-sig"),
        ("utf-16", "utf-16"),
        ("utf-32", "utf-32"),
        ("gb18030", "gb18030"),
    ],
)
def test_the_encoding_is_found_and_gb18030_is_noted(tmp_path, encoding, told):
    path = tmp_path / "a.txt"
    path.write_bytes(CHINESE.encode(encoding))
    source = Source(path)
    assert source.encoding == told
    assert [line for _, line in source.lines()] == CHINESE.splitlines()
    assert (told == "gb18030") == ("GB18030" in " ".join(source.notes.texts()))


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "is empty"),
        (b" \n\r\n\t", "is empty"),
        ("\ufeff".encode(), "no document"),
        (b"PK\x03\x04" + bytes(50), "cannot be unpacked"),
        (gzip.compress(b"text", mtime=0), "gzip archive"),
        (b"%PDF-1.7", "a PDF"),
        (b"abc\0def", "binary file"),
        ("café à la crème, déjà vu\n".encode("latin-1") * 5, "neither UTF-8 nor GB18030"),
        (bytes(range(128, 256)) * 3, "neither UTF-8 nor GB18030"),
        (b"\xff\xfea", "not utf-16"),
    ],
)
def test_what_is_no_text_is_refused_by_name(tmp_path, content, reason):
    path = tmp_path / "bad.txt"
    path.write_bytes(content)
    with pytest.raises(FormatError, match=reason) as caught:
        read_file(path)
    assert "bad.txt" in str(caught.value)


def test_a_missing_file_and_a_folder_are_refused(tmp_path):
    with pytest.raises(FormatError, match=r"cannot read .*nowhere"):
        read_file(tmp_path / "nowhere.txt")
    with pytest.raises(FormatError, match="contains no files"):
        read_file(tmp_path)


def test_a_given_encoding_is_checked(tmp_path):
    path = tmp_path / "a.txt"
    path.write_bytes("café".encode("latin-1"))
    assert [line for _, line in Source(path, "latin-1").lines()] == ["café"]
    with pytest.raises(FormatError, match=r"a\.txt is not utf-8"):
        Source(path, "utf-8")
    with pytest.raises(FormatError, match="not the name of an encoding"):
        Source(path, "klingon")


def test_broken_bytes_far_into_a_large_file_are_found(tmp_path):
    path = tmp_path / "a.txt"
    path.write_bytes("字\n".encode() * 600_000 + b"\xff\n")
    source = Source(path)
    assert "1 of 600001 lines hold bytes that are not UTF-8" in source.notes.texts()


def test_the_head_ends_with_a_whole_line_even_of_a_megabyte(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("\n" + "x" * 1_000_000 + "\nnext\n")
    assert Source(path).head() == "\n" + "x" * 1_000_000 + "\n"


def test_notes_of_one_kind_are_spelled_out_up_to_a_number_and_counted_beyond():
    notes = Notes(keep=2)
    for number in range(5):
        notes.add("tags", f"note {number}")
    notes.add("ids", "another")
    assert notes.texts() == ("note 0", "note 1", "and 3 more like this (tags)", "another")
    assert notes.count("tags") == 5
