"""Fixtures that several rooms share, and the order of the files."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parent
SHARED = TESTS.parents[1] / "shared"
# They start processes, train, or import half of transformers: up to a minute each with few tests in it.
LONG = (
    "app/server/test_start.py",
    "jobs/test_worker.py",
    "encoders/test_transformer_families.py",
    "app/server/test_killed_server.py",
    "app/services/training/test_retraining.py",
    "commands/test_train.py",
    "learning/pu/test_distant_run.py",
    "commands/test_simulate.py",
    "test_architecture.py",
    "benchmarks/test_flat_attention_benchmark.py",
    "benchmarks/test_crf_benchmark.py",
    "training/test_processes.py",
    "commands/test_bilm.py",
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Long files first, then those of many tests: where cores share the files, none is left with a long one.

    Browser tests come last, in the order of their names.
    """
    long = {TESTS / name: at for at, name in enumerate(LONG)}
    if missing := [str(path) for path in long if not path.is_file()]:
        raise pytest.UsageError(f"files of tests that are not there: {', '.join(missing)}")
    count = Counter(item.path for item in items)

    def place(item: pytest.Item) -> tuple[bool, int, int, str]:
        last = item.path.parent == TESTS / "browser"
        return last, long.get(item.path, len(long)), 0 if last else -count[item.path], str(item.path)

    items.sort(key=place)


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of measuring data beside the checkout; tests that need it are skipped without it."""
    folder = SHARED / "data"
    if not folder.is_dir():
        pytest.skip(f"the measuring data is not beside this checkout ({folder} does not exist)")
    return folder
