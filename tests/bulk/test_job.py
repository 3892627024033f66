"""A job begun, interrupted and resumed, with its blocks tagged in this process; and one with Ray itself."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import nullcontext
from pathlib import Path

import pytest

import latticelens as ll
from core.bulk import job
from core.bulk.errors import WORK, BulkError, Cancelled
from core.bulk.job import BulkRequest, run_job
from core.bulk.worker import Worker
from core.cluster.errors import ClusterError
from core.cluster.session import ray_session
from core.runtime.optional_packages import MissingPackage
from tests.bulk.conftest import json_lines

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def here(bench, tmp_path, monkeypatch):
    """``run_job`` whose blocks are tagged here, backwards; ``dies_after`` blocks the driver is gone."""
    (tmp_path / "model").mkdir()
    (tmp_path / "x.txt").write_text("".join(f"张伟{number}\n" for number in range(200)), encoding="utf-8")

    def run(dies_after=999, gives_up_after=999, **changed):
        def finished(ray, blocks, options, workers, gpus, should_stop):
            worker = Worker(options)
            for count, block in enumerate(reversed(blocks)):
                if count == dies_after:
                    raise KeyboardInterrupt
                if should_stop():
                    raise Cancelled
                if count == gives_up_after:
                    return
                yield worker.tag(block)

        monkeypatch.setattr(job, "ray_session", lambda *_given: nullcontext())
        monkeypatch.setattr(job, "check_cluster", lambda *_given: None)
        monkeypatch.setattr(job, "finished_blocks", finished)
        asked = {"format": "jsonl", "block_bytes": 100, **changed}
        callbacks = {name: asked.pop(name) for name in ("progress", "should_stop") if name in asked}
        inputs = asked.pop("inputs", (str(tmp_path / "x.txt"),))
        return run_job(BulkRequest(tmp_path / "model", "first", inputs, str(bench.out), **asked), **callbacks)

    return run


def test_a_job_that_died_goes_on_where_it_was(here, bench):
    seen = []
    with pytest.raises(KeyboardInterrupt):
        here(dies_after=5)
    before = {path: path.stat().st_mtime_ns for path in (bench.out / "parts").iterdir()}
    assert len(before) == 5
    report = here(resume=True, workers=3, progress=seen.append)
    assert {path: path.stat().st_mtime_ns for path in before} == before
    assert [row["text"] for row in bench.rows()] == [f"张伟{number}" for number in range(200)]
    assert (report["documents"], report["spans"], report["blocks"]) == (200, {"PER": 200}, 19)
    assert seen[0].fraction == pytest.approx(5 / 19, abs=0.02)
    assert (seen[-1].fraction, seen[-1].remaining, seen[-1].documents) == (1.0, 0.0, 200)
    assert seen[0].rate is None
    assert seen[-1].rate > 0


def test_a_job_is_cancelled_between_blocks_and_keeps_them(here, bench):
    asked = iter([False, False, True])
    with pytest.raises(Cancelled):
        here(should_stop=lambda: next(asked))
    assert len(list((bench.out / "done").iterdir())) == 2
    assert not (bench.out / "report.json").exists()


def test_a_plan_that_was_never_finished_is_made_again(here, bench):
    (bench.out / "parts").mkdir(parents=True)
    (bench.out / "blocks.jsonl").write_text('{"number": 0', encoding="utf-8")
    assert here(resume=True)["documents"] == 200


def test_a_folder_that_is_not_empty_is_refused(here):
    here()
    with pytest.raises(BulkError, match=r"is not empty, it holds .*--resume"):
        here()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda folder: {"text_column": "body"}, "another text_column"),
        (lambda folder: {"format": "parquet"}, "another format"),
        (lambda folder: (folder / "x.txt").write_text("张伟\n", encoding="utf-8") and {}, "another inputs"),
        (lambda folder: (folder / "model" / "config.json").write_text("{}") and {}, "another model"),
    ],
)
def test_a_job_does_not_go_on_with_something_else(here, tmp_path, change, said):
    with pytest.raises(KeyboardInterrupt):
        here(dies_after=1)
    with pytest.raises(BulkError, match=said):
        here(resume=True, **change(tmp_path))


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"workers": 0}, "--workers 0: expected 1"),
        ({"gpus_per_worker": -1.0}, "--gpus-per-worker -1.0"),
        ({"inputs": ("none-*.txt",)}, "nothing to tag at none"),
    ],
)
def test_what_cannot_be_is_refused(here, asked, said):
    with pytest.raises(BulkError, match=said):
        here(**asked)


def test_an_empty_input_is_told(here, tmp_path):
    (tmp_path / "x.txt").write_bytes(b"")
    with pytest.raises(BulkError, match="the input is empty"):
        here()


def test_a_block_whose_workers_die_is_named_at_the_end(here):
    with pytest.raises(
        BulkError, match=r"2 of 19 blocks are not tagged, the first is 0 of x.txt: its worker"
    ):
        here(gives_up_after=17)
    assert here(resume=True)["documents"] == 200


def test_without_ray_the_way_to_it_is_told(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)  # which Python takes for one that is not there
    with (
        pytest.raises(MissingPackage, match=r"pip install ray\[data,train,tune\]"),
        ray_session(None, 1, WORK),
    ):
        pass


@pytest.mark.parametrize("address", ["nowhere", "ray://x:1", "127.0.0.1:1", "host.invalid:6379"])
def test_a_wrong_address_is_told_at_once(address):
    pytest.importorskip("ray")
    with (
        pytest.raises(ClusterError, match=r"is not the address of a Ray cluster|no Ray cluster answers at"),
        ray_session(address, 1, WORK),
    ):
        pass


def test_ray_that_does_not_start_is_told_in_a_sentence(monkeypatch):
    """On a busy machine a part of it did not come up in time, and people saw Ray's own traceback."""
    ray = pytest.importorskip("ray")

    def late(**_options):
        raise Exception("The current node timed out during startup.\nThis could happen because …")

    monkeypatch.setattr(ray, "init", late)
    with (
        pytest.raises(ClusterError, match=r"did not start on this machine \(The current .* startup\.\); if"),
        ray_session(None, 1, WORK),
    ):
        pass


@pytest.mark.exhaustive
def test_with_ray_a_killed_driver_and_a_killed_worker_cost_no_document(tmp_path):
    """The command itself; the job of the killed driver is resumed, and a worker killed meanwhile."""
    psutil = pytest.importorskip("psutil")
    pytest.importorskip("ray")
    texts = [document.text for document in ll.read(ll.DEMO_CORPUS).documents[:500]]
    (tmp_path / "x.txt").write_text("\n".join(texts) + "\n", encoding="utf-8")
    out = tmp_path / "out"
    command = [
        sys.executable, "-m", "core", "tag", "--engine", "ray", "--workers", "2",
        "--model", str(ll.DEMO_TAGGER), "--input", str(tmp_path / "x.txt"),
        "--out", str(out), "--block-size", "0.002", "--format", "jsonl",
    ]  # fmt: skip

    def start(*more):
        return subprocess.Popen([*command, *more], cwd=ROOT, stdout=subprocess.DEVNULL)

    def wait_for(receipts, process):
        until = time.monotonic() + 240
        while len(list(out.glob("done/*.json"))) < receipts:
            assert process.poll() is None
            assert time.monotonic() < until
            time.sleep(0.1)

    driver = start()
    wait_for(3, driver)
    driver.kill()
    driver.wait()
    driver = start("--resume")
    # Those of the killed driver may go on for a while, so receipts do not say that there are new ones.
    workers, until = [], time.monotonic() + 240
    while not workers:
        assert driver.poll() is None
        assert time.monotonic() < until
        time.sleep(0.1)
        workers = [
            process
            for process in psutil.Process(driver.pid).children(recursive=True)
            if process.name().startswith("ray::MapWorker")
        ]
    os.kill(workers[0].pid, signal.SIGKILL)
    assert driver.wait(timeout=300) == 0
    rows = [row for path in sorted((out / "parts").iterdir()) for row in json_lines(path)]
    assert [row["text"] for row in rows] == texts
    tagged = ll.load(ll.DEMO_TAGGER, "cpu").tag(texts[:40])
    assert [[(s["start"], s["end"], s["label"]) for s in row["spans"]] for row in rows[:40]] == [
        [(span.start, span.end, span.label) for span in document.spans] for document in tagged
    ]
