"""A worker: rows for good records, a line in ``refused`` for bad ones, whole files or none."""

from __future__ import annotations

import errno
import json

import pyarrow.parquet as pq
import pytest

from core.bulk import places
from core.bulk.errors import BulkError
from core.bulk.worker import WorkerOptions, check_node
from core.corpus.errors import DiskFullError
from core.formats import read_file
from tests.bulk.conftest import POISON

BAD = [
    ("not json", "it is not JSON"),
    ("[1]", "no JSON object"),
    ('{"body": "x"}', "there is no field text; it has body"),
    ('{"text": null}', "the field text is no text"),
    ('{"text": "\\ud800"}', "half a surrogate pair at character 1"),
    ("[" * 100_000, "nested too deeply"),
    (json.dumps({"text": f"张伟{POISON}"}), "the tagger fails with it"),
]


def test_bad_records_are_put_aside_with_place_and_reason(bench, tmp_path):
    good = [json.dumps({"text": f"张伟{number}"}) for number in range(40)]
    lines = good[:20] + [raw for raw, _ in BAD] + good[20:]
    raw = "\n".join(lines).encode() + b'\n{"text": "\xff"}\n\n'
    (tmp_path / "x.jsonl").write_bytes(raw)
    blocks = bench.begin(tmp_path / "x.jsonl")
    receipts = [bench.worker().tag(block) for block in blocks]
    assert [row["text"] for row in bench.rows()] == [f"张伟{number}" for number in range(40)]
    refused = bench.refused()
    assert len(refused) == len(BAD) + 1
    for (bad, said), row in zip([*BAD, ('{"text": "\ufffd"}', "byte 11 is not UTF-8")], refused, strict=True):
        assert said in row["reason"]
        assert raw[row["place"] :].decode(errors="replace").startswith(bad) or POISON in row["raw"]
        assert len(row["raw"]) <= 2000
    assert sum(receipt["documents"] for receipt in receipts) == 40
    assert sum(receipt["refused"] for receipt in receipts) == len(refused)
    assert receipts[0]["spans"]["PER"] == receipts[0]["documents"]


@pytest.mark.parametrize("format", ["jsonl", "parquet"])
def test_a_part_is_a_file_of_the_project(bench, tmp_path, format):
    (tmp_path / "x.txt").write_bytes("\ufeff张伟在青岛\r\n\r\n没有\n".encode())
    (block,) = bench.begin(tmp_path / "x.txt")
    bench.worker(format).tag(block)
    part = bench.out / "parts" / f"000000.{format}"
    row = pq.read_table(part).to_pylist()[0] if format == "parquet" else bench.rows()[0]
    assert row == {
        "id": "x.txt:0",
        "text": "张伟在青岛",
        "spans": [{"start": 0, "end": 2, "label": "PER", "text": "张伟", "score": 0.123457}],
        "run": "first",
        "version": row["version"],
        "source": "x.txt",
        "place": 0,
    }
    documents = read_file(part).documents
    assert [(document.id, document.text, len(document.spans)) for document in documents] == [
        ("x.txt:0", "张伟在青岛", 1), ("x.txt:20", "", 0), ("x.txt:22", "没有", 0),
    ]  # fmt: skip


def test_ids_are_the_column_asked_for(bench, tmp_path):
    (tmp_path / "x.jsonl").write_text('{"n": 7, "text": "a"}\n{"n": "", "text": "b"}\n{"text": "c"}\n')
    (block,) = bench.begin(tmp_path / "x.jsonl")
    bench.worker(id_column="n").tag(block)
    assert [row["id"] for row in bench.rows()] == ["7"]
    assert [row["reason"] for row in bench.refused()] == [
        "the field n is no id: a text or a whole number"
    ] * 2


def test_a_tagger_that_fails_with_everything_stops_the_job(bench, tmp_path):
    (tmp_path / "x.txt").write_text(f"{POISON}\n" * 50, encoding="utf-8")
    (block,) = bench.begin(tmp_path / "x.txt")
    with pytest.raises(BulkError, match=r"fails with every text.*index 7 is out of range"):
        bench.worker().tag(block)
    assert not (bench.out / "done").exists()


def test_a_full_disk_leaves_the_block_unfinished(bench, tmp_path, monkeypatch):
    (tmp_path / "x.txt").write_text("张伟\n", encoding="utf-8")
    (block,) = bench.begin(tmp_path / "x.txt")

    def full(path, pieces):
        if path.suffix == ".json":  # the receipt; the part is there already
            raise DiskFullError(path)
        path.write_bytes(b"".join(pieces))

    monkeypatch.setattr(places, "write_bytes", full)
    with pytest.raises(DiskFullError) as told:
        bench.worker().tag(block)
    assert told.value.errno == errno.ENOSPC
    assert not list(bench.out.glob("done/*.json"))
    monkeypatch.undo()
    monkeypatch.setattr("core.bulk.worker.load_predict", lambda *_given: list)
    bench.worker().tag(block)  # again: its part is replaced, not added to
    assert [row["text"] for row in bench.rows()] == ["张伟"]


@pytest.mark.parametrize(
    ("model", "plan", "said"),
    [("none", "j", "has no model folder"), (".", "other", "does not see the output folder")],
)
def test_a_machine_that_lacks_the_model_or_the_folder_is_named(bench, tmp_path, model, plan, said):
    (tmp_path / "x.txt").write_text("x")
    bench.begin(tmp_path / "x.txt")
    options = WorkerOptions(str(bench.out), str(tmp_path / model), "r", "text", None, "jsonl", "cpu", 1, plan)
    with pytest.raises(BulkError, match=said):
        check_node(options)
