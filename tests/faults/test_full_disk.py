"""A disk that fills up in the middle of every change: one sentence, nothing half done, and on it goes."""

import threading

import pytest

from core.corpus.errors import DiskFullError
from core.store import Workspace
from core.store.db.errors import StoreFull
from tests.faults.changes import CHANGES, fill, sound

pytestmark = pytest.mark.exhaustive
LEFT = (0, 5_000, 50_000, 400_000)  # bytes


class Enough(Exception):
    """The change was done once more."""


@pytest.mark.parametrize("name", CHANGES)
def test_a_full_disk_refuses_in_a_sentence_and_what_was_acknowledged_stands(small_disk, name):
    change = CHANGES[name]
    folder = small_disk.folder / "workspace"
    project = fill(folder)
    refusals = 0
    for left in LEFT:
        told: list[object] = []
        lock = threading.Lock()

        def tell(what: object, told=told, lock=lock) -> None:
            with lock:
                told.append(what)
                if len(told) > 2_000:
                    raise Enough

        with Workspace.open(folder) as workspace:
            with small_disk.filled(left), pytest.raises((StoreFull, DiskFullError, Enough)) as refused:
                change.work(workspace, project, tell)
            if not isinstance(refused.value, Enough):
                assert "disk is full" in str(refused.value)
                refusals += 1
            sound(workspace)
            change.check(workspace, project, told)

            def once(what: object) -> None:
                raise Enough

            with pytest.raises(Enough):
                change.work(workspace, project, once)
            sound(workspace)
    assert refusals
