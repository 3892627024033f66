"""Every reader under spoilt files, in a process with little memory: documents, or a FormatError."""

import json
import os
import subprocess
import sys

import pytest

from tests.interrupts import ROOT


@pytest.mark.exhaustive
@pytest.mark.timeout(3600)
def test_a_spoilt_file_is_read_or_refused_in_ten_seconds_and_a_gigabyte(tmp_path):
    seconds, seed = (
        os.environ.get("LATTICELENS_FUZZ_SECONDS", "0"),
        os.environ.get("LATTICELENS_FUZZ_SEED", "1"),
    )
    command = [sys.executable, "-m", "tests.faults.read_mutations", str(tmp_path), seed, seconds, "40"]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert ended.returncode == 0, f"it died of {tmp_path / 'file'}: {ended.stderr[-3000:]}"
    *faults, last = map(json.loads, ended.stdout.splitlines())
    assert not faults, "\n\n".join(f"{one['format']}, {one['file']}:\n{one['fault']}" for one in faults[:5])
    assert last["read"] > 1000
    print(f"{last['read']} spoilt files read or refused")
