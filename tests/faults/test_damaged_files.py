"""The file after a power cut, cut short, and with flipped bits: recovered, or named with the way out."""

import random
import shutil
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from core.store import Workspace
from core.store.annotation import annotations
from core.store.db import backup as backups
from core.store.db.errors import StoreError
from core.store.document import documents
from core.store.label import labels
from core.store.project import projects
from core.store.queue import queue
from tests.faults.changes import fill, numbers_of, save_of, sound
from tests.faults.children import rounds

pytestmark = pytest.mark.exhaustive
SAVES = 25
MAIN, WAL = "workspace.sqlite", "workspace.sqlite-wal"


@pytest.fixture
def saved(tmp_path: Path) -> Iterator[tuple[Path, list[int]]]:
    """The files of an open workspace in the moment after some saves, and how long its log was after each."""
    folder, moment = tmp_path / "open", tmp_path / "moment"
    fill(folder)
    with Workspace.open(folder) as workspace:
        number = numbers_of(workspace, "own-")[0]
        sizes = []
        for at in range(1, SAVES + 1):
            save_of(workspace, number, at, "lin")
            sizes.append((folder / WAL).stat().st_size)
        moment.mkdir()
        for name in (MAIN, WAL):
            shutil.copy(folder / name, moment / name)
        yield moment, sizes


def copied(moment: Path, folder: Path) -> Path:
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(moment, folder)
    return folder


def test_a_torn_log_gives_every_save_that_was_wholly_in_it(saved, tmp_path):
    moment, sizes = saved
    log = (moment / WAL).read_bytes()
    dice = random.Random(1)
    for at in range(rounds(20)):
        folder = copied(moment, tmp_path / "torn")
        cut = dice.randrange(len(log))
        rest = dice.randbytes(len(log) - cut) if at % 2 else b""  # nothing, or what lay on the disk before
        (folder / WAL).write_bytes(log[:cut] + rest)
        with Workspace.open(folder) as workspace:
            sound(workspace)
            number = numbers_of(workspace, "own-")[0]
            revision = annotations.current(workspace, number).revision
            whole = sum(size <= cut for size in sizes)
            # A log may begin again at its start; before that, its size says which saves are whole.
            assert revision == 1 + whole, (cut, sizes)
            save_of(workspace, number, revision, "lin")


def read_everything(workspace: Workspace) -> None:
    with workspace.reading() as db:
        db.execute("PRAGMA integrity_check(1)").fetchone()
    for project in projects.all_projects(workspace):
        labels.get(workspace, project.id)
        queue.page(workspace, project.id, limit=100)
        for _ in documents.iterate(workspace, project.id):
            pass
    for number in numbers_of(workspace, "own-"):
        annotations.history(workspace, number)


@pytest.mark.parametrize("how", ["cut short", "bits flipped", "pages of nothing"])
def test_a_damaged_file_is_named_and_a_backup_brings_it_back(saved, tmp_path, how):
    moment, _ = saved
    whole, good = tmp_path / "whole", tmp_path / "backup.sqlite"
    shutil.copytree(moment, whole)
    with Workspace.open(whole) as workspace:
        backups.backup(workspace, good)
    content = good.read_bytes()
    dice = random.Random(how)
    refused = []
    for _ in range(rounds(25)):
        spoilt = bytearray(content)
        if how == "cut short":
            del spoilt[dice.randrange(1, len(spoilt)) :]
        elif how == "bits flipped":
            for _ in range(dice.choice((1, 8, 300))):
                spoilt[dice.randrange(len(spoilt))] ^= 1 << dice.randrange(8)
        else:
            start = dice.randrange(len(spoilt) // 4096) * 4096
            spoilt[start : start + 4096 * 3] = bytes(len(spoilt[start : start + 4096 * 3]))
        folder = tmp_path / "spoilt"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        (folder / MAIN).write_bytes(spoilt)
        with ExitStack() as stack:
            try:
                workspace = stack.enter_context(Workspace.open(folder))
                read_everything(workspace)
            except StoreError as error:
                refused.append(str(error))
        (folder / MAIN).write_bytes(content)  # what the sentence advises, by hand
        for leftover in (WAL, "workspace.sqlite-shm"):
            (folder / leftover).unlink(missing_ok=True)
        with Workspace.open(folder) as workspace:
            sound(workspace)
    assert all(str(folder) in said or "workspace holds" in said for said in refused), refused
    assert refused or how == "bits flipped"
