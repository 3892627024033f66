"""A backup is whole; a restore refuses what it cannot trust and keeps the old file."""

import os
import sqlite3
import threading
from contextlib import closing

import pytest

from core.store import NotAWorkspace, StoreError, StoreReadOnly, Workspace, WorkspaceTooNew, backup, restore
from core.store.annotation import annotations
from core.store.document import documents
from core.store.project import projects
from core.text import Document, Span


def test_a_backup_restores_what_was(workspace, project, document_id, tmp_path):
    annotations.save(workspace, document_id, 0, [Span(0, 3, "PER")], user="lin")
    copy = backup(workspace, tmp_path / "copies" / "monday.sqlite")
    annotations.save(workspace, document_id, 1, [], user="lin")
    kept = restore(workspace, copy)
    assert annotations.current(workspace, document_id).document.spans == (Span(0, 3, "PER"),)
    restore(workspace, kept)
    assert annotations.current(workspace, document_id).document.spans == ()


def test_a_backup_is_one_file_without_leftovers(workspace, project, tmp_path):
    backup(workspace, tmp_path / "copies" / "a.sqlite")
    assert os.listdir(tmp_path / "copies") == ["a.sqlite"]


def test_people_go_on_saving_during_a_backup(workspace, project, tmp_path):
    documents.add(workspace, project.id, [Document(str(i), f"第{i}篇" * 50) for i in range(3_000)])
    saved = []

    def person():
        for revision in range(20):
            spans = [Span(0, 1 + revision % 3, "LOC")]
            saved.append(annotations.save(workspace, 1, revision, spans, user="lin").revision)

    thread = threading.Thread(target=person)
    thread.start()
    copy = backup(workspace, tmp_path / "copy.sqlite")
    thread.join()
    assert saved == list(range(1, 21))
    with sqlite3.connect(copy) as db:
        assert db.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
        events, revision = (
            db.execute("SELECT count(*) FROM events WHERE document_id = 1").fetchone()[0],
            db.execute("SELECT revision FROM documents WHERE id = 1").fetchone()[0],
        )
    db.close()
    assert events == revision


def test_the_workspace_file_is_no_target(workspace, project):
    with pytest.raises(StoreError, match="own file"):
        backup(workspace, workspace.file)
    assert projects.get(workspace, project.id)


def test_a_target_that_cannot_be_written_is_named(workspace, tmp_path):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(StoreReadOnly, match="choose another place"):
        backup(workspace, tmp_path / "file" / "copy.sqlite")


def _text(path):
    path.write_text("no database " * 200)


def _empty(path):
    path.write_bytes(b"")


def _missing(path):
    path.unlink(missing_ok=True)


def _truncated(path):
    path.write_bytes(path.read_bytes()[:20_000])


def _changed(*statements):
    def spoil(path):
        with closing(sqlite3.connect(path)) as db, db:
            for statement in statements:
                db.execute(statement)

    return spoil


_foreign = _changed("CREATE TABLE recipes (name TEXT)")
_trigger = _changed("CREATE TRIGGER spy AFTER INSERT ON events BEGIN DELETE FROM documents; END")
_view = _changed("CREATE VIEW everything AS SELECT * FROM documents")
_inconsistent = _changed("PRAGMA ignore_check_constraints=ON", "UPDATE documents SET split = 'elsewhere'")


@pytest.mark.parametrize(
    "spoil", [_text, _foreign, _empty, _missing, _truncated, _trigger, _view, _inconsistent]
)
def test_a_file_that_is_no_whole_backup_changes_nothing(workspace, project, document_id, tmp_path, spoil):
    path = tmp_path / "bad.sqlite"
    if spoil in (_truncated, _trigger, _view, _inconsistent):
        backup(workspace, path)
    spoil(path)
    with pytest.raises(NotAWorkspace):
        restore(workspace, path)
    assert documents.get(workspace, document_id).id == "a"
    assert sorted(p.name for p in workspace.folder.iterdir() if "restore" in p.name) == []


def test_a_backup_of_a_later_version_is_refused(workspace, project, tmp_path):
    copy = backup(workspace, tmp_path / "later.sqlite")
    with sqlite3.connect(copy) as db:
        db.execute("PRAGMA user_version=999")
    db.close()
    with pytest.raises(WorkspaceTooNew):
        restore(workspace, copy)


def test_a_reader_that_was_out_during_a_restore_is_not_used_again(workspace, project, document_id, tmp_path):
    copy = backup(workspace, tmp_path / "copy.sqlite")
    with workspace.reading() as db:
        db.execute("SELECT count(*) FROM events").fetchone()
        restore(workspace, copy)
    annotations.save(workspace, document_id, 0, [Span(0, 3, "PER")], user="lin")
    assert annotations.current(workspace, document_id).revision == 1


def test_a_restored_workspace_opens_again(workspace, project, tmp_path):
    restore(workspace, backup(workspace, tmp_path / "copy.sqlite"))
    projects.create(workspace, "more")
    with Workspace.open(workspace.folder) as again:
        assert [p.name for p in projects.all_projects(again)] == ["news", "more"]
