"""The attention benchmark runs as a file, compares what it says, and prints what others read."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.sweep import sweep

BENCHMARK = Path(__file__).resolve().parents[2] / "benchmarks" / "flat_attention.py"


def _run(*arguments: str) -> str:
    command = [sys.executable, str(BENCHMARK), "--batch", "2", "--repeats", "1", "--threads", "1", *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


@pytest.mark.parametrize("queries", sweep(["characters", "nodes"], ["characters"]))
@pytest.mark.exhaustive
def test_json_has_a_row_for_every_variant_and_length(queries):
    rows = json.loads(_run("--lengths", "12", "24", "--queries", queries, "--json"))["rows"]
    variants = ["naive", "unique", "latticelens", "no_relative"]
    assert [(row["variant"], row["length"]) for row in rows] == [(v, n) for n in (12, 24) for v in variants]
    for row in rows:
        assert set(row) == {"variant", "length", "forward_seconds", "train_seconds", "peak_mib"}
        assert row["train_seconds"] > 0
        assert row["forward_seconds"] > 0
        assert row["peak_mib"] > 0
    peaks = {row["variant"]: row["peak_mib"] for row in rows if row["length"] == 24}
    assert peaks["latticelens"] < peaks["unique"] < peaks["naive"]


@pytest.mark.exhaustive
def test_without_json_a_table_is_printed():
    lines = _run("--lengths", "12").splitlines()
    assert lines[0].split()[:2] == ["length", "variant"]
    assert [line.split()[1] for line in lines[1:]] == ["naive", "unique", "latticelens", "no_relative"]
