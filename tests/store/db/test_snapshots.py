"""Snapshots on storage that tears files: the newest whole one is restored, and never a torn one."""

import sqlite3

import pytest

from core.store import StoreError, Workspace
from core.store.annotation import annotations
from core.store.db import snapshots
from core.store.project import projects
from core.text import Span


@pytest.fixture
def bucket(tmp_path):
    folder = tmp_path / "bucket"
    folder.mkdir()
    return folder


@pytest.fixture
def live(tmp_path):
    folder = tmp_path / "live"
    folder.mkdir()
    return folder


def spans_in(folder, document_id):
    with Workspace.open(folder) as opened:
        return annotations.current(opened, document_id).document.spans


def test_the_newest_snapshot_has_what_was_saved(workspace, document_id, bucket, live):
    snapshots.take(workspace, bucket)
    annotations.save(workspace, document_id, 0, [Span(0, 3, "PER")], user="lin")
    newest = snapshots.take(workspace, bucket)
    assert snapshots.restore_newest(bucket, live) == newest
    assert spans_in(live, document_id) == (Span(0, 3, "PER"),)


def test_a_snapshot_leaves_no_trace_in_the_workspace(workspace, project, bucket):
    before = workspace.file.with_name(workspace.file.name + "-wal").stat()
    snapshots.take(workspace, bucket)
    after = workspace.file.with_name(workspace.file.name + "-wal").stat()
    assert (before.st_mtime_ns, before.st_size) == (after.st_mtime_ns, after.st_size)
    assert not (workspace.folder / "snapshot.part").exists()


def cut(path):
    path.write_bytes(path.read_bytes()[:-1])


def flip(path):
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


def unseal(path):
    path.with_name(path.name + ".seal").unlink()


def tear_the_seal(path):
    cut(path.with_name(path.name + ".seal"))


def lose(path):
    path.unlink()


@pytest.mark.parametrize("tear", [cut, flip, unseal, tear_the_seal, lose])
def test_a_torn_snapshot_is_not_the_one_that_is_restored(tear, workspace, document_id, bucket, live):
    whole = snapshots.take(workspace, bucket)
    annotations.save(workspace, document_id, 0, [Span(0, 3, "PER")], user="lin")
    tear(snapshots.take(workspace, bucket))
    assert snapshots.restore_newest(bucket, live) == whole
    assert spans_in(live, document_id) == ()


def test_where_none_is_whole_nothing_new_takes_their_place(workspace, project, bucket, live):
    cut(snapshots.take(workspace, bucket))
    with pytest.raises(StoreError, match="no snapshot in"):
        snapshots.restore_newest(bucket, live)
    assert list(live.iterdir()) == []


def test_the_latest_three_stay_and_names_grow_when_the_clock_goes_back(
    workspace, project, bucket, monkeypatch
):
    made = [snapshots.take(workspace, bucket) for _ in range(2)]
    monkeypatch.setattr(snapshots, "now", lambda: 1_000_000_000_000)
    made += [snapshots.take(workspace, bucket) for _ in range(2)]
    assert snapshots.snapshots_of(bucket) == made[:0:-1]
    (bucket / "snapshot-1000000000000.sqlite").write_bytes(b"torn")
    snapshots.take(workspace, bucket)
    assert len(list(bucket.iterdir())) == 2 * snapshots.KEPT


def test_a_workspace_that_was_used_there_itself_is_taken_over(bucket, live):
    with Workspace.open(bucket) as former:
        projects.create(former, "former")
    assert snapshots.restore_newest(bucket, live) == bucket / "workspace.sqlite"
    with Workspace.open(live) as opened:
        assert [project.name for project in projects.all_projects(opened)] == ["former"]
        snapshots.take(opened, bucket)
    snapshots.put_former_away(bucket)
    assert not (bucket / "workspace.sqlite").exists()
    (kept,) = bucket.glob("before-snapshots-*.sqlite")
    with sqlite3.connect(kept) as db:
        assert db.execute("SELECT name FROM projects").fetchone() == ("former",)
    db.close()


def test_an_empty_bucket_has_nothing_to_restore(bucket, live):
    assert snapshots.restore_newest(bucket, live) is None
