"""SIGKILL at a random moment of every change: what was acknowledged stands, and nothing is half done."""

import random
import threading
from multiprocessing.connection import Connection
from pathlib import Path

import pytest

from core.store import Workspace
from tests.faults.changes import CHANGES, fill, sound
from tests.faults.children import killed_within, rounds

pytestmark = [pytest.mark.exhaustive, pytest.mark.timeout(3600)]
AGAIN = 20  # kills of one workspace: its whole history is read after each


def work(connection: Connection, folder: Path, project: int, name: str) -> None:
    lock = threading.Lock()

    def tell(what: object) -> None:
        with lock:
            connection.send(what)

    with Workspace.open(folder) as workspace:
        CHANGES[name].work(workspace, project, tell)


@pytest.mark.parametrize("name", CHANGES)
def test_killed_at_any_moment_a_change_has_happened_or_not(tmp_path, name):
    dice = random.Random(name)
    acknowledged = 0
    for at in range(rounds(8)):
        if at % AGAIN == 0:
            folder = tmp_path / str(at)
            project = fill(folder)
        with killed_within(CHANGES[name].seconds, dice, work, folder, project, name) as told:
            acknowledged += len(told)
            with Workspace.open(folder) as workspace:
                sound(workspace)
                CHANGES[name].check(workspace, project, told)
    assert acknowledged
    print(f"{name}: killed {rounds(8)} times, {acknowledged} acknowledged")
