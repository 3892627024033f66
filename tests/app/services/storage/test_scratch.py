"""Files on their way are kept apart and do not outlive the app."""

import os
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from app.services.storage import scratch
from app.services.storage.scratch import scratch_folder


def test_every_folder_is_fresh_and_for_its_owner_alone():
    one, two = scratch_folder("export"), scratch_folder("export")
    assert one != two
    assert one.name.startswith("export-")
    assert list(one.iterdir()) == []
    assert stat.S_IMODE(one.stat().st_mode) == 0o700


@pytest.mark.parametrize("kept", [scratch.KEPT_SECONDS, 1800.0])
def test_files_unused_for_a_day_or_as_long_as_a_demo_says_are_deleted(kept):
    old, recent = scratch_folder("backup"), scratch_folder("export")
    for folder in (old, recent):
        (folder / "file").write_text("documents")
    before = time.time() - kept - 60
    os.utime(old, (before, before))
    scratch.sweep(kept)
    assert not old.exists()
    assert (recent / "file").read_text() == "documents"


def test_they_are_gone_when_the_app_ends(tmp_path):
    code = "from app.services.storage.scratch import scratch_folder; print(scratch_folder('x'))"
    root = Path(__file__).resolve().parents[4]
    made = subprocess.run(
        [sys.executable, "-c", code],
        cwd=root,
        env={**os.environ, "TMPDIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert Path(made.stdout.strip()).is_relative_to(tmp_path)
    assert list(tmp_path.iterdir()) == []
