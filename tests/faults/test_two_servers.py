"""Two apps on one workspace: however close together they start, one has it and the others are told who."""

from __future__ import annotations

import random
import time
from multiprocessing.connection import Connection
from pathlib import Path

import pytest

from app.services.workbench import WorkspaceInUse, WorkspaceLock
from tests.faults.children import kill, rounds, start


def take(connection: Connection, folder: Path, at: float) -> None:
    time.sleep(max(0.0, at - time.time()))
    try:
        WorkspaceLock(folder).take()
    except WorkspaceInUse as error:
        connection.send(str(error))
    else:
        connection.send("")
    time.sleep(60)


@pytest.mark.exhaustive
def test_of_several_that_start_in_one_moment_exactly_one_has_the_workspace(tmp_path):
    dice = random.Random(3)
    for _ in range(rounds(8)):
        if dice.random() < 0.5:  # what a killed app left behind
            (tmp_path / "app.lock").write_text("999999999 gone")
        at = time.time() + 0.3
        started = [start(take, tmp_path, at) for _ in range(6)]
        answers = [connection.recv() for _, connection in started]
        assert answers.count("") == 1, answers
        assert all("is open in another LatticeLens" in answer for answer in answers if answer)
        for child, connection in started:
            kill(child)
            connection.close()
