"""Bulk tagging from and to S3 and Google's store, against servers that speak as these do."""

from __future__ import annotations

import gzip
import json
import os
import socket
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path
from urllib.error import URLError
from urllib.request import Request, urlopen

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import latticelens as ll
from core.bulk.blocks import cut
from core.bulk.errors import BulkError
from core.bulk.job_folder import JobFolder
from core.bulk.places import _store, place
from core.bulk.sources import find_sources
from core.bulk.worker import Worker, WorkerOptions

ROOT = Path(__file__).resolve().parents[2]
STORES = ["s3://texts", "gs://anonymous@texts"]


@contextmanager
def _served(code, ready):
    """A server in a process of its own: pyarrow may wait for an answer with Python's lock held.

    Args:
        code: that serves at ``{port}``. ready: a path that it answers.
    """
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    server = subprocess.Popen([sys.executable, "-c", code.format(port=port)], **quiet)
    address = f"http://127.0.0.1:{port}"
    until = time.monotonic() + 120
    try:
        while True:
            try:
                _ask(address + ready)
                break
            except URLError:
                assert server.poll() is None
                assert time.monotonic() < until
                time.sleep(0.05)
        yield address
    finally:
        server.kill()
        server.wait()


@pytest.fixture(scope="module")
def s3():
    with _served("from moto.server import main; main(['-p', '{port}'])", "/moto-api/") as address:
        yield address


@pytest.fixture(scope="module")
def google():
    code = "from gcp_storage_emulator.server import create_server as c; c('127.0.0.1', {port}, True).run()"
    with _served(code, "/storage/v1/b?project=p") as address:
        yield address


@pytest.fixture
def stores(s3, google, monkeypatch):
    """Both servers with an empty bucket ``texts``, and the environment that names them."""
    monkeypatch.setenv("AWS_ENDPOINT_URL", s3)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "key")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("CLOUD_STORAGE_EMULATOR_ENDPOINT", google)
    _ask(f"{s3}/moto-api/reset", "POST")
    _ask(f"{s3}/texts", "PUT")
    _ask(f"{google}/wipe")
    _ask(f"{google}/storage/v1/b?project=p", "POST", b'{"name": "texts"}')
    _store.cache_clear()
    yield
    _store.cache_clear()


def _ask(address, method="GET", body=None):
    with urlopen(Request(address, body, {"content-type": "application/json"}, method=method)) as answer:
        answer.read()


def _files():
    """Files of every kind, by name, whose texts are 张伟0 to 张伟39."""
    texts = [f"张伟{number}" for number in range(40)]
    table = pa.BufferOutputStream()
    pq.write_table(pa.table({"text": texts[30:]}), table, row_group_size=3)
    return {
        "a?b 甲%20.txt": "".join(f"{text}\n" for text in texts[:10]).encode(),
        "deep/b.jsonl": "".join(f'{{"text": "{text}"}}\n' for text in texts[10:20]).encode(),
        "deep/c.txt.gz": gzip.compress("".join(f"{text}\n" for text in texts[20:30]).encode()),
        "deep/d.parquet": table.getvalue().to_pybytes(),
        "notes.pdf": b"none of it",
    }


def _rows(part):
    return [json.loads(line) for line in part.decode().splitlines()]


def _fill(store):
    for name, content in _files().items():
        (place(store) / "in" / name).write(content)


@pytest.mark.parametrize("store", STORES)
@pytest.mark.usefixtures("stores", "bench")
def test_a_store_is_tagged_into_itself(store):
    _fill(store)
    sources = find_sources([f"{store}/in"])
    assert [source.name for source in sources] == [
        "a?b 甲%20.txt",
        "deep/b.jsonl",
        "deep/c.txt.gz",
        "deep/d.parquet",
    ]
    job = JobFolder(f"{store}/out")
    job.check_empty()
    job.begin({"job": "j"}, cut(sources, 40, "text"))
    blocks = job.blocks()
    assert len(blocks) > 8
    worker = Worker(WorkerOptions(f"{store}/out", "model", "first", "text", None, "jsonl", "cpu", 1, "j"))
    for block in reversed(blocks):
        worker.tag(block)
    rows = [row for block in blocks for row in _rows(job.part(block.number, "jsonl"))]
    assert [row["text"] for row in rows] == [f"张伟{number}" for number in range(40)]
    assert {receipt["block"] for receipt in job.receipts()} == {block.number for block in blocks}
    with pytest.raises(BulkError, match="is not empty"):
        job.check_empty()


@pytest.mark.parametrize("store", STORES)
@pytest.mark.parametrize(
    ("asked", "names"),
    [
        ("in/*.txt", ["a?b 甲%20.txt"]),
        ("in/a?b*", ["a?b 甲%20.txt"]),
        ("in/a?b 甲%20.txt", ["a?b 甲%20.txt"]),
        ("**/?.jsonl", ["b.jsonl"]),
        ("in/deep/", ["b.jsonl", "c.txt.gz", "d.parquet"]),
    ],
)
@pytest.mark.usefixtures("stores")
def test_names_and_wildcards_are_those_of_the_store(store, asked, names):
    _fill(store)
    assert [source.name for source in find_sources([f"{store}/{asked}"])] == names


@pytest.mark.usefixtures("stores")
def test_a_part_beyond_one_request_is_whole():
    content = os.urandom(11 << 20)  # S3 takes it in parts of 5 MB or more
    file = place("s3://texts/out/part")
    file.write(content)
    assert file.read() == content


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("s3://none/x.txt", r"nothing to tag at s3://none/x.txt"),
        ("s3://none/*.txt", r"nothing to tag at s3://none/\*.txt"),
        ("s3://texts/none/", r"nothing to tag at s3://texts/none/"),
        ("gs://anonymous@none/x.txt", r"nothing to tag at gs://anonymous@none/x.txt"),
        ("s3:///x.txt", r"names no bucket; give s3://bucket/folder"),
        ("s3://*/x.txt", r"names no bucket; give s3://bucket/folder"),
        ("gs://me@texts/x.txt", r"holds a name or a key before texts"),
    ],
)
@pytest.mark.usefixtures("stores")
def test_what_a_store_has_not_is_told(asked, said):
    with pytest.raises(BulkError, match=said):
        find_sources([asked])


@pytest.mark.parametrize("store", ["s3://none", "gs://anonymous@none"])
@pytest.mark.usefixtures("stores")
def test_an_output_that_cannot_be_written_is_told(store):
    with pytest.raises(BulkError, match=f"{store}/out/blocks.jsonl cannot be written: there is no such"):
        JobFolder(f"{store}/out").begin({"job": "j"}, [])


REFUSING = """
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
class Refusing(BaseHTTPRequestHandler):
    def do_HEAD(self):
        self.send_response(403)
        self.end_headers()
    def do_GET(self):
        body = b"<Error><Code>InvalidAccessKeyId</Code><Message>none such</Message></Error>"
        self.send_response(200 if self.path == "/ready" else 403)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def do_PUT(self):
        self.rfile.read(int(self.headers.get("content-length", 0)))
        self.do_GET()
ThreadingHTTPServer(("127.0.0.1", {port}), Refusing).serve_forever()
"""


@pytest.mark.usefixtures("stores")
def test_missing_or_wrong_keys_are_told(monkeypatch):
    with _served(REFUSING, "/ready") as address:
        monkeypatch.setenv("AWS_ENDPOINT_URL", address)
        for asked in ("s3://texts/", "s3://texts/x.txt", "s3://texts/*.txt"):
            with pytest.raises(
                BulkError, match=r"cannot be read: the store refuses it: the keys are missing"
            ):
                find_sources([asked])
        with pytest.raises(BulkError, match=r"cannot be written: the store refuses it: the keys"):
            place("s3://texts/out/plan.json").write(b"{}")


@pytest.mark.usefixtures("stores")
def test_a_store_that_does_not_answer_is_told(monkeypatch):
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{port}")
    monkeypatch.setenv("AWS_MAX_ATTEMPTS", "1")
    with pytest.raises(BulkError, match=r"s3://texts/x.txt cannot be read: the store does not answer"):
        find_sources(["s3://texts/x.txt"])


@pytest.mark.exhaustive
@pytest.mark.usefixtures("stores")
def test_the_command_tags_the_texts_of_two_stores_into_one_of_them_with_ray():
    pytest.importorskip("ray")
    texts = [document.text for document in ll.read(ll.DEMO_CORPUS).documents[:60]]
    for store, own in zip(STORES, (texts[:30], texts[30:]), strict=True):
        (place(store) / "in" / "x.txt").write(("\n".join(own) + "\n").encode())
    command = [
        sys.executable, "-m", "core", "tag", "--engine", "ray", "--workers", "2", "--block-size", "0.002",
        "--model", str(ll.DEMO_TAGGER), "--input", *(f"{store}/in/*.txt" for store in STORES),
        "--format", "jsonl",
    ]  # fmt: skip

    def tag(*more):
        return subprocess.run([*command, *more], cwd=ROOT, capture_output=True, text=True, check=False)

    for store in STORES:
        nowhere = tag("--out", f"{store[: -len('texts')]}none/out")
        assert (nowhere.returncode, "Traceback" in nowhere.stderr) == (2, False), nowhere.stderr
        assert "there is no such" in nowhere.stderr
    out = f"{STORES[-1]}/out"
    done = tag("--out", out)
    assert done.returncode == 0, done.stderr
    parts = [found for found, _info in (place(STORES[-1]) / "out" / "parts").files()]
    assert len(parts) > 2
    rows = [row for part in parts for row in _rows(part.read())]
    assert [row["text"] for row in rows] == texts
    assert any(row["spans"] for row in rows)
    assert "--resume" in tag("--out", out).stderr
    assert tag("--out", out, "--resume").returncode == 0
