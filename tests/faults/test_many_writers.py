"""Twenty people save through one server while an import and a training go on."""

import os

import pytest

from tests.faults.many_writers import work

SECONDS = float(os.environ.get("LATTICELENS_FAULT_SECONDS", 10))


@pytest.mark.exhaustive
@pytest.mark.parametrize("importer", ["app", "process"])
def test_twenty_writers_an_import_and_a_training_lose_nothing_and_lock_nobody_out(tmp_path, importer):
    outcome = work(tmp_path / "workspace", SECONDS, importer)
    assert all(outcome.saved), "everybody saved"
    assert (outcome.lost, outcome.out_of_order, outcome.locked) == (0, 0, 0)
    assert outcome.seconds(100) < 10  # SQLite would have given up
