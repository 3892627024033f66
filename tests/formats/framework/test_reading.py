"""One door for every format: found by content first, read record by record, written whole or not at all."""

import errno
import json
import os
import time

import pytest

from core.formats import (
    Format,
    FormatError,
    Reading,
    Refusal,
    available,
    by_extension,
    by_name,
    read_file,
    writable,
    write_file,
)
from core.text import Document, Span

CORPUS = [
    Document("1", "拜登在北京会见了记者", (Span(0, 2, "PER"), Span(3, 5, "LOC"))),
    Document("2", "Joe Biden met the press in Paris today", (Span(0, 9, "PER"), Span(27, 32, "LOC"))),
    Document("3", "上海浦东发展银行行长出席会议", (Span(0, 8, "ORG"), Span(8, 10, "TITLE"))),
]


@pytest.mark.parametrize("name", writable())
def test_what_a_format_writes_is_recognised_whatever_the_file_is_called(tmp_path, name):
    for ending in (by_name(name).extensions[0], ".data", ".txt", ".jsonl"):
        if name == "plain" and ending == ".jsonl":
            continue
        path = tmp_path / f"corpus{ending}"
        write_file(CORPUS, path, name)
        found = read_file(path)
        assert found.format == name, ending
        assert [document.text for document in found.documents] == [document.text for document in CORPUS]


@pytest.mark.parametrize("name", available())
def test_every_format_describes_itself(name):
    one = by_name(name)
    assert isinstance(one, Format)
    assert one.name == name
    assert one.title
    assert all(ending.startswith(".") for ending in one.extensions)


def test_an_unknown_name_lists_the_known_ones(tmp_path):
    with pytest.raises(FormatError, match="no format 'xml'; there are jsonl, bmes, bio"):
        by_name("xml")
    with pytest.raises(FormatError, match=r"the file extension of out\.xyz belongs to no format"):
        write_file(CORPUS, tmp_path / "out.xyz")


@pytest.mark.parametrize(
    ("name", "format"),
    [
        ("a.bmes", "bmes"),
        ("a.conll", "bio"),
        ("a.TXT", "plain"),
        ("a.csv", "csv"),
        ("a.json", "jsonl"),
        ("a.xyz", None),
    ],
)
def test_the_ending_of_a_target_stands_for_a_format(name, format):
    found = by_extension(name)
    assert (found.name if found else None) == format


@pytest.mark.parametrize("content", [json.dumps([1, 2]), '{"a": [1]}', '{\n "count": 3\n}\n'])
def test_json_without_a_text_is_not_taken_for_plain_text(read, content):
    with pytest.raises(FormatError, match="looks like JSON"):
        read(content, "a.json")


def test_an_object_may_take_several_lines(read):
    result = read('{\n "text": "a"\n}\n\n{\n "text": "b"\n}\n', "a.json")
    assert [document.text for document in result.documents] == ["a", "b"]
    assert result.format == "jsonl"


def test_a_json_array_is_read_like_lines_with_the_line_each_element_begins_on(read):
    result = read(
        '[\n {"text": "a", "label": []},\n {"label": []},\n {"text": "b",}, 3\n]', "a.json", "doccano"
    )
    assert [document.text for document in result.documents] == ["a"]
    assert [refusal.line for refusal in result.refusals] == [3, 4, 4]


def test_tags_of_another_kind_make_a_column_file_with_refusals_not_a_table(read):
    result = read("拜\tB-PER\n登\tUNK\n\n李\tB-PER\n在\tO\n")
    assert (result.format, len(result.documents)) == ("bio", 1)
    assert "'UNK' is not a tag" in result.refusals[0].reason


def test_an_id_that_comes_up_again_gets_a_number_and_a_note(read):
    content = "".join(json.dumps({"id": name, "text": "t"}) + "\n" for name in ("a", "a", "a-2", "a", None))
    result = read(content, "corpus.jsonl")
    assert [document.id for document in result.documents] == ["a", "a-2", "a-2-2", "a-3", "corpus-5"]
    assert result.notes[0] == "id 'a' comes up again; the later document became 'a-2'"


def test_many_documents_of_one_id_take_no_quadratic_time(read):
    result = read('{"id": 1, "text": "t"}\n' * 20_000, "a.jsonl")
    assert len({document.id for document in result.documents}) == 20_000


def test_the_counts_tell_documents_spans_labels_and_refusals(tmp_path):
    write_file(CORPUS, tmp_path / "a.jsonl")
    with (tmp_path / "a.jsonl").open("a") as file:
        file.write("oops\n")
    assert read_file(tmp_path / "a.jsonl").counts == {
        "documents": 3,
        "labelled": 3,
        "overlapping": 0,
        "refused": 1,
        "spans": 6,
        "labels": {"PER": 2, "LOC": 2, "ORG": 1, "TITLE": 1},
        "repaired": 0,
    }


def test_reading_streams(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("一行\n" * 1000)
    reading = Reading(path)
    first = next(iter(reading))
    assert isinstance(first, Document)
    assert reading.documents == 1


def test_reading_again_begins_again(read, tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text('{"id": 1, "text": "t"}\n{"id": 1, "text": "t"}\noops\n')
    reading = Reading(path)
    first = (list(reading), reading.counts(), reading.notes)
    assert (list(reading), reading.counts(), reading.notes) == first
    assert first[1]["documents"] == 2


def test_fifty_thousand_documents_take_seconds(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("公司今天在上海发布了新一代产品，市场反应热烈，股价上涨。\n" * 50_000)
    began = time.process_time()
    reading = Reading(path)
    assert not any(isinstance(item, Refusal) for item in reading)
    assert reading.documents == 50_000
    assert time.process_time() - began < 8


@pytest.mark.parametrize("failing", ["write", "fsync"])
def test_a_full_disk_leaves_the_old_file_whole_and_no_half_file(tmp_path, monkeypatch, failing):
    path = tmp_path / "a.jsonl"
    write_file(CORPUS[:1], path)
    before = path.read_bytes()

    def full(*_):
        raise OSError(errno.ENOSPC, "the disk is full")

    if failing == "fsync":
        monkeypatch.setattr(os, "fsync", full)
    else:
        monkeypatch.setattr(Format, "write", full)
    with pytest.raises(FormatError, match=r"cannot write .*a\.jsonl: the disk is full"):
        write_file(CORPUS, path)
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["a.jsonl"]
