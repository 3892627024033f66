"""A workspace that cannot be written, before it is opened and while it is open."""

import subprocess
import sys

import pytest

from core.store import Workspace
from core.store.annotation import annotations
from core.store.db.errors import StoreError, StoreReadOnly
from tests.faults.changes import fill, numbers_of, save_of, sound
from tests.interrupts import ROOT

pytestmark = pytest.mark.exhaustive


def test_a_read_only_workspace_is_refused_in_one_line_and_left_as_it_is(small_disk):
    folder = small_disk.folder / "workspace"
    fill(folder)
    before = (folder / "workspace.sqlite").read_bytes()
    with small_disk.read_only():
        with pytest.raises(StoreReadOnly, match="cannot be written"):
            Workspace.open(folder)
        command = [sys.executable, "launch.py", "--no-browser", "--workspace", str(folder)]
        ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120)
        assert ended.returncode == 1
        (said,) = [line for line in ended.stderr.splitlines() if line]
        assert said.startswith("LatticeLens cannot start: ")
        assert str(folder) in said
        assert "choose another with --workspace" in said
    assert (folder / "workspace.sqlite").read_bytes() == before


def test_a_file_that_may_no_longer_be_written_refuses_a_save_and_goes_on_reading(tmp_path):
    project = fill(tmp_path)
    with Workspace.open(tmp_path) as workspace:
        number = numbers_of(workspace, "own-")[0]
        save_of(workspace, number, 1, "lin")
        # Root may write any file; SQLite is told what the system would tell others.
        workspace._writer.execute("PRAGMA query_only=ON")
        with pytest.raises(StoreError) as refused:
            save_of(workspace, number, 2, "lin")
        assert isinstance(refused.value, StoreReadOnly), refused.value
        assert annotations.current(workspace, number).revision == 2
        workspace._writer.execute("PRAGMA query_only=OFF")
        assert save_of(workspace, number, 2, "lin") == 3
        sound(workspace)
    assert project
