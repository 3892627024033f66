"""Blocks: however a file is cut, every line or row is in exactly one of them."""

from __future__ import annotations

import bz2
import gzip
import random

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.bulk import lines
from core.bulk.blocks import LARGEST, SMALLEST, Block, block_size, cut
from core.bulk.errors import BulkError
from core.bulk.lines import LineStream
from core.bulk.records import Record, RecordReader
from core.bulk.sources import find_sources

PACK = {
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".zst": lambda raw: pa.compress(raw, "zstd", asbytes=True),
}
CODEC = {".gz": "gzip", ".bz2": "bz2", ".zst": "zstd"}


def _offsets(raw):
    """Where the lines begin, by hand."""
    at, found = 0, []
    for line in raw.splitlines(keepends=True) if b"\r" not in raw else raw.split(b"\n"):
        found.append((at, line))
        at += len(line)
    return found


@pytest.mark.parametrize("workers", [1, 2, 64])
def test_of_the_last_blocks_no_worker_waits_longer_than_a_thirtieth_of_its_work(tmp_path, workers):
    (tmp_path / "x.txt").write_bytes(b"abc\n" * 10_000_000)
    size = block_size(find_sources([str(tmp_path)]), workers)
    assert size <= 40_000_000 / workers / 30
    assert SMALLEST <= size <= LARGEST


@pytest.mark.parametrize("suffix", ["", ".gz"])
@given(
    raw=st.lists(st.text("ab中", max_size=9), max_size=12).map("\n".join).map(str.encode),
    size=st.integers(1, 12),
    seed=st.integers(0, 99),
)
def test_a_line_is_read_once_whatever_the_order_of_the_blocks(tmp_path_factory, suffix, raw, size, seed):
    path = tmp_path_factory.mktemp("lines") / f"x.txt{suffix}"
    path.write_bytes(PACK[suffix](raw) if suffix else raw)
    extents = [(start, start + size) for start in range(0, len(raw), size)]
    random.Random(seed).shuffle(extents)
    stream = LineStream(str(path), CODEC.get(suffix))
    found = [line for start, end in extents for line in stream.lines(start, end)]
    stream.close()
    assert sorted(found) == _offsets(raw)


def test_a_line_beyond_the_limit_is_cut_and_the_next_one_is_whole(tmp_path, monkeypatch):
    monkeypatch.setattr(lines, "LONGEST_LINE", 5)
    (tmp_path / "x.txt").write_bytes(b"123456789\nab\n12345\n1234\n")
    stream = LineStream(str(tmp_path / "x.txt"), None)
    assert [line for _, line in stream.lines(0, 99)] == [b"123456", b"ab\n", b"12345\n", b"1234\n"]
    assert list(stream.lines(3, 12)) == [(10, b"ab\n")]
    stream.close()


@pytest.mark.parametrize("suffix", PACK)
def test_compressed_files_are_cut_by_what_they_hold(tmp_path, suffix):
    raw = "".join(f'{{"text": "张伟 {number}"}}\n' for number in range(400)).encode()
    (tmp_path / f"x.jsonl{suffix}").write_bytes(PACK[suffix](raw))
    (source,) = find_sources([str(tmp_path / f"x.jsonl{suffix}")])
    blocks = list(cut([source], 1000, "text"))
    assert len(blocks) > 5
    assert (sum(block.size for block in blocks), blocks[-1].end) == (len(raw), len(raw))
    reader = RecordReader("text")
    texts = [record.text for block in blocks for record in reader.read(block)]
    reader.close()
    assert texts == [f"张伟 {number}" for number in range(400)]


@pytest.mark.parametrize("rows_of_a_group", [7, 1000])
@pytest.mark.parametrize("kind", ["parquet", "arrow"])
def test_rows_are_read_once_across_row_groups(tmp_path, kind, rows_of_a_group):
    table = pa.table({"n": range(100), "text": [f"第{number}行" for number in range(100)], "id": range(100)})
    path = tmp_path / f"x.{kind}"
    if kind == "parquet":
        pq.write_table(table, path, row_group_size=rows_of_a_group)
    else:
        with pa.ipc.new_stream(path, table.schema) as writer:
            writer.write_table(table, rows_of_a_group)
    blocks = list(cut(find_sources([str(path)]), 200, "text"))
    assert len(blocks) > 3
    records = [record for block in blocks for record in RecordReader("text", "id").read(block)]
    assert records == [Record(number, str(number), f"第{number}行") for number in range(100)]


def test_a_datasets_folder_is_read_without_its_caches(tmp_path):
    from datasets import Dataset, DatasetDict

    part = Dataset.from_dict({"text": ["张伟", "李雷"]})
    DatasetDict({"train": part, "test": part}).save_to_disk(tmp_path / "set")
    (tmp_path / "set" / "train" / "cache-1.arrow").write_bytes(b"rubbish")
    sources = find_sources([str(tmp_path / "set")])
    assert [source.name.split("/")[0] for source in sources] == ["test", "train"]
    texts = [
        record.text for block in cut(sources, 1000, "text") for record in RecordReader("text").read(block)
    ]
    assert texts == ["张伟", "李雷"] * 2


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ({"body": ["x"]}, "no column text; its columns are body: choose one with --text-column"),
        ({"text": [3]}, "holds int64, not texts"),
    ],
)
def test_a_column_that_is_no_text_is_refused_before_anything_begins(tmp_path, table, said):
    pq.write_table(pa.table(table), tmp_path / "x.parquet")
    with pytest.raises(BulkError, match=said):
        list(cut(find_sources([str(tmp_path / "x.parquet")]), 100, "text"))


@pytest.mark.parametrize("name", ["x.parquet", "x.arrow", "x.txt.gz", "x.jsonl.zst"])
def test_a_damaged_file_is_named(tmp_path, name):
    (tmp_path / name).write_bytes(b"PAR1 this is none of it")
    with pytest.raises(BulkError, match=name):
        list(cut(find_sources([str(tmp_path / name)]), 100, "text"))


def test_a_table_with_a_length_that_no_memory_holds_is_named(tmp_path):
    path = tmp_path / "x.arrow"
    batch = pa.record_batch([pa.array(["a" * 0x0707])], names=["text"])
    with pa.ipc.new_stream(path, batch.schema) as stream:
        stream.write_batch(batch)
    with pa.OSFile(str(path)) as file:
        body = [pa.ipc.read_message(file).body for _ in range(2)][1]
    length = body.size.to_bytes(8, "little")
    path.write_bytes(path.read_bytes().replace(length, (1 << 60).to_bytes(8, "little")))
    with pytest.raises(BulkError, match=r"x\.arrow cannot be read: its content is not as it was written"):
        list(cut(find_sources([str(path)]), 100, "text"))


def test_a_block_is_json_and_back():
    block = Block(3, "/x.txt", "x.txt", "text", None, 0, 9, 9)
    assert Block(**block.to_json()) == block
