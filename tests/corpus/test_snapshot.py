"""A snapshot comes back whole or not at all: its manifest counts and hashes every file."""

import errno
import hashlib
import json
import os
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.corpus.errors import CorpusError, DiskFullError
from core.corpus.snapshot import (
    PARTS,
    UNLABELLED,
    AddedWord,
    PartCounts,
    Snapshot,
    read_manifest,
    read_snapshot,
    write_parts,
    write_snapshot,
)
from core.text import Document, Label, LabelSet, Span
from tests.corpus.strategies import corpora

SMALL = Snapshot(
    {
        "train": (Document("a", "青禾市", (Span(0, 3, "LOC"),)), Document("b", "𠮷")),
        "dev": (),
        "test": (Document("c", "x"),),
        "corrections": (Document("a", "青禾市", (Span(0, 3, "LOC"),)),),
        UNLABELLED: (Document("d", "雨"),),
    },
    LabelSet([Label("LOC", "#123456", "q", "places"), Label("PER")]),
    (AddedWord("青禾市", "LOC"), AddedWord("高兴"), AddedWord("丰收", "X Y", 12)),
    ("市的",),
)


@given(st.dictionaries(st.sampled_from([*PARTS, UNLABELLED]), corpora.map(tuple)))
def test_documents_in_are_documents_out(parts):
    with TemporaryDirectory() as folder, patch("os.fsync"):  # hundreds of files on a busy disk
        manifest = write_snapshot(Path(folder), Snapshot(parts))
        read = read_snapshot(Path(folder))
        assert read_manifest(Path(folder)) == manifest
    assert all(read[part] == parts.get(part, ()) for part in [*PARTS, UNLABELLED])
    assert manifest.parts == {part: PartCounts.of(documents) for part, documents in read.parts.items()}


words = st.text(st.characters(exclude_characters="\t\r\n", exclude_categories=("Cs",)), min_size=1).filter(
    lambda word: word == word.strip()
)


@given(st.lists(st.builds(AddedWord, words, st.just("") | words, st.integers(0, 10**17))), st.lists(words))
def test_words_in_are_words_out(added, removed):
    with TemporaryDirectory() as folder, patch("os.fsync"):  # hundreds of files on a busy disk
        write_parts(Path(folder), {}, LabelSet(), added, removed)
        read = read_snapshot(Path(folder))
    assert (list(read.added), list(read.removed)) == (added, removed)


@pytest.mark.parametrize("word", ["", " a", "a\t", "a\tb", "a\nb"])
def test_what_would_tear_a_line_is_no_word(word):
    with pytest.raises(ValueError, match="word"):
        AddedWord(word)


def test_labels_and_words_travel_along(tmp_path):
    write_snapshot(tmp_path, SMALL)
    read = read_snapshot(tmp_path)
    assert read == SMALL
    assert read.descriptions == {"LOC": "places"}
    assert [document.id for document in read.documents()] == ["a", "b", "c"], "each id once, texts not"
    lines = (tmp_path / "lexicon.tsv").read_text(encoding="utf-8")
    assert lines == "added\t青禾市\tLOC\nadded\t高兴\t\nadded\t丰收\tX Y\t12\nremoved\t市的\t\n"


def test_the_manifest_counts_every_part_and_hashes_every_file(tmp_path):
    write_snapshot(tmp_path, SMALL)
    manifest = json.loads((tmp_path / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["parts"]["train"] == {"documents": 2, "spans": 1, "characters": 4}
    files = {path.name for path in tmp_path.iterdir()} - {"manifest.json"}
    assert set(manifest["sha256"]) == files
    for name in files:
        assert hashlib.sha256((tmp_path / name).read_bytes()).hexdigest() == manifest["sha256"][name]


def test_parts_may_come_one_by_one(tmp_path):
    alive = 0

    def stream():
        nonlocal alive
        for number in range(1000):
            alive += 1
            yield Document(str(number), "雨")

    manifest = write_parts(tmp_path, {UNLABELLED: stream()}, LabelSet())
    assert alive == manifest.documents(UNLABELLED) == 1000
    assert manifest.documents("train") == manifest.documents("nothing") == 0


@pytest.mark.parametrize("name", ["train.jsonl", "unlabelled.jsonl", "labels.json", "lexicon.tsv"])
@pytest.mark.parametrize("change", ["missing", "cut", "more", "other"])
def test_a_file_that_is_not_the_one_written_is_named(tmp_path, name, change):
    write_snapshot(tmp_path, SMALL)
    path = tmp_path / name
    content = path.read_bytes()
    if change == "missing":
        path.unlink()
    elif change == "cut":
        path.write_bytes(content[:-5])
    elif change == "more":
        path.write_bytes(content + b"\n")
    else:
        path.write_bytes(b"\xff" + content[1:])
    with pytest.raises(CorpusError, match=f"{name}.*start a new run"):
        read_snapshot(tmp_path)


@pytest.mark.parametrize(
    ("content", "line"),
    [("added\t\n", 1), ("removed\t好\t\n\nadded\t 坏\tLOC\n", 3), ("added\ta\tb\tmany\n", 1)],
)
def test_a_word_that_is_none_is_named_with_its_line(tmp_path, content, line):
    write_snapshot(tmp_path, SMALL)
    (tmp_path / "lexicon.tsv").write_text(content, encoding="utf-8")
    with pytest.raises(CorpusError, match=rf"lexicon\.tsv, line {line}: "):
        read_snapshot(tmp_path)


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"parts": {"train": 3}, "sha256": {}}', "[1, 2"])
def test_a_damaged_manifest_is_named(tmp_path, content):
    write_snapshot(tmp_path, SMALL)
    (tmp_path / "manifest.json").write_text(content)
    with pytest.raises(CorpusError, match=r"manifest\.json is damaged"):
        read_snapshot(tmp_path)


def test_a_manifest_that_counts_otherwise_is_refused(tmp_path):
    write_snapshot(tmp_path, SMALL)
    path = tmp_path / "manifest.json"
    path.write_text(path.read_text().replace('"documents": 2', '"documents": 3'))
    with pytest.raises(CorpusError, match=r"train\.jsonl does not hold as many"):
        read_snapshot(tmp_path)


@pytest.mark.parametrize("fits", range(7))
def test_a_full_disk_leaves_no_snapshot_at_whatever_file_it_comes(tmp_path, monkeypatch, fits):
    """Also where a whole one stood before: half of it may have been replaced."""
    write_snapshot(tmp_path, SMALL)
    fsync, left = os.fsync, iter(range(2 * fits))  # a file, then its folder

    def full(handle):
        if next(left, None) is None:
            raise OSError(errno.ENOSPC, "No space left on device")
        fsync(handle)

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(DiskFullError):
        write_snapshot(tmp_path, SMALL)
    with pytest.raises(CorpusError, match=r"manifest\.json is missing; start a new run"):
        read_snapshot(tmp_path)
    assert not [path for path in tmp_path.iterdir() if path.name.endswith(".new")]
