"""Addresses: paths, wildcards, folders, stores of fsspec; what cannot be read is refused by name."""

from __future__ import annotations

import fsspec
import pytest

from core.bulk.errors import BulkError
from core.bulk.places import place
from core.bulk.sources import find_sources


@pytest.fixture
def tree(tmp_path):
    for name in (
        "a.txt",
        "b.jsonl.gz",
        "deep/c.txt",
        "deep/er/d.parquet",
        "notes.pdf",
        ".hidden.txt",
        "_x/e.txt",
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(b"x")
    return tmp_path


@pytest.mark.parametrize(
    ("asked", "names"),
    [
        ("a.txt", ["a.txt"]),
        ("*.txt", ["a.txt"]),
        ("**/*.txt", ["a.txt", "deep/c.txt"]),
        ("deep/*/?.parquet", ["d.parquet"]),
        ("", ["a.txt", "b.jsonl.gz", "deep/c.txt", "deep/er/d.parquet"]),
    ],
)
@pytest.mark.parametrize("scheme", ["", "file://"])
def test_files_are_found(tree, asked, names, scheme):
    assert [source.name for source in find_sources([f"{scheme}{tree}/{asked}"])] == names


def test_a_file_named_twice_is_tagged_once(tree):
    assert len(find_sources([f"{tree}/a.txt", f"{tree}/*.txt"])) == 1


def test_a_name_with_brackets_is_itself(tree):
    (tree / "x[1].txt").write_bytes(b"x")
    assert [source.name for source in find_sources([f"{tree}/x[1].txt"])] == ["x[1].txt"]


def test_another_store_is_read_and_written_through_fsspec():
    store = fsspec.filesystem("memory")
    store.pipe("/bucket/in/a.txt", "张伟\n".encode())
    (source,) = find_sources(["memory://bucket/in/*.txt"])
    assert (source.name, source.size, place(source.address).read().decode()) == ("a.txt", 7, "张伟\n")
    (place("memory://bucket/out") / "deep" / "x.json").write(b"{}")
    assert store.cat("/bucket/out/deep/x.json") == b"{}"


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("{tree}/none.txt", "nothing to tag at"),
        ("{tree}/*.xml", "nothing to tag at"),
        ("{tree}/notes.pdf", "notes.pdf is of no kind"),
        ("morse://x/y.txt", "morse:// cannot be opened"),
        ("s3://KEY:SECRET@bucket/x.txt", "holds a name or a key before bucket"),
    ],
)
def test_what_cannot_be_read_is_refused_without_a_secret(tree, asked, said):
    with pytest.raises(BulkError, match=said) as told:
        find_sources([asked.format(tree=tree)])
    assert "SECRET" not in str(told.value)
