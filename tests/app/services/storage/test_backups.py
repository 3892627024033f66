"""Scheduled backups: made when due, checked, rotated; a failure is told and leaves nothing half written."""

import resource
import sqlite3
import time

import pytest

from app.services.errors import AppError
from app.services.storage.backups import Backups, Schedule
from app.settings import backups as section
from core.cli import main
from core.store.annotation import annotations
from core.store.db import backup as backup_module
from core.store.db import clock
from core.store.db.errors import StoreError
from core.store.document import documents
from core.store.project import members, projects
from core.store.project.members import NotAllowed
from core.text import Document

HOUR = 3_600_000


@pytest.fixture
def backups(workbench, tmp_path):
    return Backups(workbench.workspace, Schedule(3600, 3, tmp_path / "kept"))


def _look(backups, at):
    with clock.fixed(at):
        backups.look()
    assert backups._running is None or backups._running.result(60) is not False


def test_one_is_made_when_due_and_the_oldest_go(backups, tmp_path, monkeypatch):
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept" / "of-somebody.sqlite").write_text("stays")
    start = clock.now()
    for hours in (0, 0.5, 1, 2, 3, 4):
        monkeypatch.setattr("core.store.db.backup_folder.now", lambda hours=hours: start + int(hours * HOUR))
        _look(backups, start + int(hours * HOUR))
    assert [round((kept.at - start) / HOUR, 1) for kept in backups.kept()] == [4, 3, 2]
    assert (tmp_path / "kept" / "of-somebody.sqlite").read_text() == "stays"
    _look(Backups(backups._workspace, backups.schedule), start + 4 * HOUR + 1000)
    assert len(backups.kept()) == 3, "a restart makes none that is not due"


def test_a_backup_holds_every_event(backups, workbench, session):
    (number,) = documents.add(workbench.workspace, session.project_id, [Document("a", "一二三")]).ids
    annotations.save(workbench.workspace, number, 0, [], status="done", user="lin")
    made = backups.make_now()
    db = sqlite3.connect(made.path)
    with workbench.workspace.reading() as here:
        (events,) = here.execute("SELECT count(*) FROM events").fetchone()
    assert db.execute("SELECT count(*) FROM events").fetchone() == (events,)
    assert [path.name for path in made.path.parent.iterdir()] == [made.path.name], "no file beside it"
    db.close()


def test_a_full_disk_leaves_no_half_file_and_is_told_until_one_works(backups, tmp_path, workbench, session):
    before, most = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (40_000, most))
    try:
        with pytest.raises(StoreError):
            backup_module.backup(workbench.workspace, tmp_path / "kept" / "copy.sqlite")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (before, most))
    assert list((tmp_path / "kept").iterdir()) == []
    workbench.backups = backups
    backups.schedule = Schedule(3600, 3, workbench.workspace.file)  # no folder
    at = clock.now()
    _look(backups, at)
    assert backups.lacking() == ["backup"]
    assert "The last backup failed" in section.show(session)["schedule"]
    backups.schedule = Schedule(3600, 3, tmp_path / "kept")
    _look(backups, at + 60_000)
    assert backups.kept() == [], "it is not tried every second"
    _look(backups, clock.now() + 700_000)
    assert len(backups.kept()) == 1
    assert backups.lacking() == []


def test_the_page_makes_one_and_restores_one_by_its_name(session, workbench, backups):
    assert "--backup-every" in section.show(session)["schedule"]
    with pytest.raises(AppError, match="no folder"):
        section.make_now(session)
    workbench.backups = backups
    shown = section.make_now(session)
    (name,) = [row[2] for row in shown["table"]["data"]]
    projects.create(session.workspace, "later")
    with pytest.raises(AppError, match="replaced by newer"):
        section.restore_kept(session, "../../workspace.sqlite")
    assert "Backup restored" in section.restore_kept(session, name)["backup_message"]
    assert "later" not in [project.name for project in projects.all_projects(session.workspace)]


def test_who_does_not_manage_everything_sees_and_restores_none(session, workbench, backups):
    workbench.backups = backups
    other = projects.create(session.workspace, "other").id
    members.put(session.workspace, other, "mia", "manager", by="mia")
    assert section.show(session)["schedule"] == ""
    for call in (section.make_now, lambda s: section.restore_kept(s, "x")):
        with pytest.raises(NotAllowed):
            call(session)


def test_the_command_keeps_the_latest(workbench, tmp_path, capsys):
    for _ in range(3):
        where = ["workspace", "--workspace", str(workbench.workspace.folder)]
        assert main([*where, "backup", str(tmp_path / "kept"), "--keep", "2"]) == 0
        time.sleep(0.002)
    assert len(list((tmp_path / "kept").iterdir())) == 2
    assert main([*where, "backup", str(tmp_path / "kept"), "--keep", "0"]) == 2
