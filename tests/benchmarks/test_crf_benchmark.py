"""The CRF benchmark runs as a file, compares what it says, and prints what others read."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks import crf as benchmark
from core.layers import CRF

BENCHMARK = Path(__file__).resolve().parents[2] / "benchmarks" / "crf.py"


def _run(*arguments: str) -> str:
    sizes = ["--tags", "3", "5", "--batches", "1", "4", "--repeats", "1", "--threads", "1"]
    command = [sys.executable, str(BENCHMARK), *sizes, *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


@pytest.mark.exhaustive
def test_json_has_a_row_for_every_task_form_and_size():
    pytest.importorskip("numba")
    found = json.loads(_run("--json"))
    wanted = [
        (task, form, tags, batch)
        for tags in (3, 5)
        for batch in (1, 4)
        for task, form in (("likelihood", "torch"), ("decode", "numpy"), ("decode", "numba"))
    ]
    assert [(row["task"], row["form"], row["tags"], row["batch"]) for row in found["rows"]] == wanted
    for row in found["rows"]:
        assert row["times_faster"] == pytest.approx(row["pytorch_crf_seconds"] / row["latticelens_seconds"])
    assert found["loading_seconds"].keys() == {"compiled", "cached"}


def test_without_json_a_table_is_printed(capsys, monkeypatch):
    monkeypatch.setattr(benchmark, "loading_seconds", lambda: {"compiled": 1.5, "cached": 0.5})
    benchmark.main(["--tags", "3", "--batches", "2", "--repeats", "1", "--threads", "1"])
    first, *rows, last = capsys.readouterr().out.splitlines()
    assert first.split()[:4] == ["task", "form", "tags", "batch"]
    assert {tuple(row.split()[:2]) for row in rows} >= {("likelihood", "torch"), ("decode", "numpy")}
    assert last == "loading numba's form: 1.50 s when it is compiled, 0.50 s from the cache"


def test_nothing_is_timed_when_the_paths_differ(monkeypatch):
    monkeypatch.setattr(CRF, "decode", lambda crf, emissions, mask: [[0]])
    with pytest.raises(SystemExit, match="paths differ"):
        benchmark.measure([3], [2], 1)
