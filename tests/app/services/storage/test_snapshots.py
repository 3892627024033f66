"""A workspace beside its storage: snapshots after changes and at the end, and runs as archives."""

import json
import shutil
import threading

import pytest

from app.services.device import DeviceProbe
from app.services.storage.snapshots import Kept, Snapshots, live_folder
from app.services.workbench import Workbench
from core.jobs.queue import JobQueue
from core.store.db import snapshots
from core.store.db.errors import StoreReadOnly
from core.store.db.workspace import Workspace
from core.store.project import projects
from core.training.run import run_archive
from core.training.run.run_folder import RunFolder


def kept_in(folder, storage="bucket", every=0.0):
    folder.mkdir(exist_ok=True)
    return Kept(folder, storage, every)


def names(folder):
    with Workspace.open(folder) as opened:
        return [project.name for project in projects.all_projects(opened)]


def ended_run(runs_folder, name="flat-0001", status="finished"):
    folder = RunFolder(runs_folder / name)
    (folder.path / "model").mkdir(parents=True)
    (folder.path / "model" / "config.json").write_text('{"tagger": "flat"}', encoding="utf-8")
    folder.set_state(status=status)
    return folder


@pytest.mark.parametrize("storage", ["bucket", "network"])
def test_what_was_saved_before_the_end_is_there_at_the_next_start(tmp_path, storage):
    kept = kept_in(tmp_path / "storage", storage)
    with live_folder(kept) as live:
        bench = Workbench(live, DeviceProbe("cpu"), kept=kept)
        projects.create(bench.workspace, "kept")
        ended_run(bench.workspace.runs_folder)
        bench.close()
    assert not live.exists()
    assert (kept.folder / "runs" / "flat-0001").is_dir() == (storage == "network")
    with live_folder(kept) as live:
        assert names(live) == ["kept"]
        assert json.loads((live / "runs/flat-0001/model/config.json").read_text()) == {"tagger": "flat"}


def test_a_snapshot_is_made_after_a_change_and_not_without_one(tmp_path):
    kept = kept_in(tmp_path / "storage")
    with Workspace.open(tmp_path / "live") as opened:
        made = Snapshots(opened, JobQueue(opened.runs_folder), kept)

        def look():
            made.look()
            opened.background.finish("snapshot")
            made._next = 0.0  # however long the last one took
            return len(snapshots.snapshots_of(kept.folder))

        assert [look(), look()] == [1, 1]
        (only,) = snapshots.snapshots_of(kept.folder)
        assert (made.last.name, made.last.size) == (only.name, only.stat().st_size)
        projects.create(opened, "one more")
        assert [look(), look()] == [2, 2]


def test_storage_that_cannot_be_written_is_told_and_tried_again(tmp_path):
    kept = kept_in(tmp_path / "storage")
    with Workspace.open(tmp_path / "live") as opened:
        made = Snapshots(opened, JobQueue(opened.runs_folder), kept)
        shutil.rmtree(kept.folder)
        made.take()
        assert made.lacking() == ["snapshot"]
        assert "storage" in str(made.failure.error)
        (kept.folder / "runs").mkdir(parents=True)
        made.take()
        assert made.lacking() == []
        assert len(snapshots.snapshots_of(kept.folder)) == 1


def test_storage_that_is_a_file_is_refused_in_a_sentence(tmp_path):
    (tmp_path / "storage").touch()
    with (
        pytest.raises(StoreReadOnly, match="check the storage"),
        live_folder(Kept(tmp_path / "storage", "bucket", 1.0)),
    ):
        pass


def test_a_run_is_kept_once_it_ended_and_goes_when_it_is_deleted(tmp_path):
    kept = kept_in(tmp_path / "storage")
    (kept.folder / "runs").mkdir()
    with Workspace.open(tmp_path / "live") as opened:
        made = Snapshots(opened, JobQueue(opened.runs_folder), kept)
        folder = ended_run(opened.runs_folder, status="interrupted")
        made.take()
        folder.set_state(status="finished")
        made.take()
        (archive,) = (path for path in (kept.folder / "runs").iterdir() if run_archive.run_of(path))
        shutil.rmtree(folder.path)
        made.take()
        assert not archive.exists()


def test_a_torn_archive_is_left_out_and_stays(tmp_path):
    kept = kept_in(tmp_path / "storage")
    with live_folder(kept) as live, Workspace.open(live) as opened:
        ended_run(opened.runs_folder)
        ended_run(opened.runs_folder, "flat-0002")
        Snapshots(opened, JobQueue(opened.runs_folder), kept).take()
    (torn,) = (kept.folder / "runs").glob("flat-0001@*.zip")
    torn.write_bytes(torn.read_bytes()[:-9])
    with live_folder(kept) as live, Workspace.open(live) as opened:
        assert [path.name for path in (live / "runs").iterdir()] == ["flat-0002"]
        made = Snapshots(opened, JobQueue(opened.runs_folder), kept)
        projects.create(opened, "more")
        made.take()
    assert torn.exists()


def test_people_save_while_a_snapshot_is_made(tmp_path):
    kept = kept_in(tmp_path / "storage")
    with Workspace.open(tmp_path / "live") as opened:
        made = Snapshots(opened, JobQueue(opened.runs_folder), kept)
        saving = threading.Thread(target=lambda: [projects.create(opened, f"n{n}") for n in range(20)])
        saving.start()
        while saving.is_alive():
            made.take()
        saving.join()
        made.take()
    with live_folder(kept) as live:
        assert len(names(live)) == 20
