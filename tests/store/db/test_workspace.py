"""The file: opened, refused by name, never half written, read while somebody writes."""

import os
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from contextlib import closing
from pathlib import Path

import pytest

from core.store import (
    NotAWorkspace,
    StoreBusy,
    StoreError,
    StoreFull,
    StoreReadOnly,
    Workspace,
    WorkspaceTooNew,
    WorkspaceTooOld,
)
from core.store.annotation import annotations
from core.store.annotation.events import at_revision
from core.store.db import schema
from core.store.db import workspace as workspace_module
from core.store.db.journal_mode import is_local_disk, set_journal
from core.store.document import documents
from core.store.project import projects
from core.text import Document, Span

ROOT = Path(__file__).resolve().parents[3]


def test_opening_again_finds_what_was_saved(tmp_path):
    with Workspace.open(tmp_path) as workspace:
        projects.create(workspace, "news")
    with Workspace.open(tmp_path) as workspace:
        assert [project.name for project in projects.all_projects(workspace)] == ["news"]


def test_the_known_version_counts_the_migrations():
    assert len(schema.migrations._migrations) == schema.VERSION - schema.DEVELOPMENT


def test_a_workspace_that_rests_closes_what_nobody_reads_with_and_goes_on(workspace):
    def files():
        return sum(
            os.readlink(link).startswith(str(workspace.folder)) for link in Path("/proc/self/fd").iterdir()
            if link.is_symlink()
        )  # fmt: skip

    with workspace.reading() as one, workspace.reading() as other:
        assert one is not other
        for reader in (one, other):
            reader.execute("SELECT count(*) FROM projects").fetchone()
    read = files()
    workspace.rest()
    assert files() < read  # SQLite closes some only when the writer lets go of the file
    with workspace.reading() as reader:
        workspace.rest()
        assert reader.execute("SELECT count(*) FROM projects").fetchone()[0] == 0
    projects.create(workspace, "news")
    assert [project.name for project in projects.all_projects(workspace)] == ["news"]
    workspace.close()
    workspace.rest()


def test_every_table_is_strict(workspace):
    with workspace.reading() as db:
        tables = db.execute("SELECT name, strict FROM pragma_table_list WHERE type = 'table'").fetchall()
    loose = {row["name"] for row in tables if not row["strict"]}
    assert loose <= {"sqlite_schema", "sqlite_temp_schema", "sqlite_sequence", "_sqlite_migrations"}
    assert {"projects", "documents", "events", "versions"} <= {row["name"] for row in tables} - loose


def test_two_programs_may_open_a_fresh_folder_at_once(tmp_path):
    opened: list[Workspace] = []
    start = threading.Barrier(4)

    def program():
        start.wait()
        opened.append(Workspace.open(tmp_path))

    threads = [threading.Thread(target=program) for _ in range(4)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert len(opened) == 4
    projects.create(opened[0], "news")
    assert len(projects.all_projects(opened[3])) == 1
    [workspace.close() for workspace in opened]


def test_a_damaged_file_is_refused_with_the_way_out(tmp_path):
    (tmp_path / "workspace.sqlite").write_bytes(b"this is no database, only words " * 100)
    with pytest.raises(NotAWorkspace, match="restore a backup"):
        Workspace.open(tmp_path)


def test_damage_met_later_is_named_too(tmp_path):
    with Workspace.open(tmp_path) as workspace:
        project = projects.create(workspace, "news")
        documents.add(workspace, project.id, [Document(str(i), "青禾" * 200) for i in range(500)])
    file = tmp_path / "workspace.sqlite"
    content = bytearray(file.read_bytes())
    content[len(content) // 2 :] = b"\xff" * (len(content) - len(content) // 2)
    file.write_bytes(content)
    with Workspace.open(tmp_path) as workspace, pytest.raises(NotAWorkspace, match="damaged"):
        list(documents.iterate(workspace, project.id))


def test_a_file_of_another_program_is_refused_and_left_alone(tmp_path):
    file = tmp_path / "workspace.sqlite"
    with sqlite3.connect(file) as other:
        other.execute("CREATE TABLE recipes (name TEXT)")
    other.close()
    before = file.read_bytes()
    with pytest.raises(NotAWorkspace, match="another program"):
        Workspace.open(tmp_path)
    assert file.read_bytes() == before


def test_a_file_of_a_later_version_is_refused_and_left_alone(tmp_path):
    Workspace.open(tmp_path).close()
    with sqlite3.connect(tmp_path / "workspace.sqlite") as later:
        later.execute(f"PRAGMA user_version={schema.VERSION + 1}")
    later.close()
    with pytest.raises(WorkspaceTooNew, match="update LatticeLens"):
        Workspace.open(tmp_path)


@pytest.mark.parametrize("version", [1, 8, schema.DEVELOPMENT])
def test_a_file_of_a_development_version_is_refused_with_the_way_out_and_left_alone(tmp_path, version):
    Workspace.open(tmp_path).close()
    with closing(sqlite3.connect(tmp_path / "workspace.sqlite")) as earlier:
        earlier.execute(f"PRAGMA user_version={version}")
    before = (tmp_path / "workspace.sqlite").read_bytes()
    with pytest.raises(WorkspaceTooOld, match="export its projects with that version, or choose another"):
        Workspace.open(tmp_path)
    assert (tmp_path / "workspace.sqlite").read_bytes() == before


def test_a_folder_that_cannot_be_made_is_refused(tmp_path):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(StoreReadOnly, match="--workspace"):
        Workspace.open(tmp_path / "file" / "workspace")


def test_an_sqlite_without_strict_tables_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr(sqlite3, "sqlite_version_info", (3, 36, 0))
    with pytest.raises(StoreError, match=r"needs 3\.37"):
        Workspace.open(tmp_path / "new")
    assert not (tmp_path / "new").exists()


def test_a_closed_workspace_says_so(tmp_path):
    workspace = Workspace.open(tmp_path)
    workspace.close()
    workspace.close()
    with pytest.raises(StoreError, match="closed"):
        projects.all_projects(workspace)
    with pytest.raises(StoreError, match="closed"):
        projects.create(workspace, "news")


def test_a_full_disk_saves_nothing_of_the_edit_and_keeps_the_rest(workspace, project, document_id):
    annotations.save(workspace, document_id, 0, [Span(0, 3, "PER")], user="lin")
    with workspace.writing() as db:
        pages = db.execute("PRAGMA page_count").fetchone()[0]
    workspace._writer.execute(f"PRAGMA max_page_count={pages}")
    # The free pages run out sooner or later; what was acknowledged until then must stand.
    acknowledged = 1
    full = None
    while full is None and acknowledged < 500:
        spans = [Span(i, j, "LOC") for i in range(9) for j in range(10, 18)][: 60 + acknowledged % 3]
        try:
            acknowledged = annotations.save(workspace, document_id, acknowledged, spans, user="lin").revision
        except StoreFull as error:
            full = str(error)
    assert full is not None
    assert "nothing of this edit was saved; free space and press save again" in full
    stands = annotations.current(workspace, document_id)
    assert stands.revision == acknowledged
    events = annotations.history(workspace, document_id)
    assert at_revision(events, acknowledged)[0] == stands.document.spans
    workspace._writer.execute("PRAGMA max_page_count=1000000")
    assert annotations.save(workspace, document_id, acknowledged, [], user="lin").revision == acknowledged + 1


def test_an_error_in_the_block_undoes_all_of_it(workspace, project):
    with pytest.raises(RuntimeError), workspace.writing() as db:  # noqa: PT012
        db.execute("UPDATE projects SET name = 'changed'")
        raise RuntimeError
    assert projects.get(workspace, project.id).name == "news"


def test_any_other_refusal_of_the_database_is_the_stores_error(workspace):
    with pytest.raises(StoreError, match="refused the change"), workspace.reading() as db:
        db.execute("SELECT nothing FROM nowhere")


def test_a_reader_cannot_write(workspace, project):
    with pytest.raises(StoreReadOnly), workspace.reading() as db:
        db.execute("DELETE FROM projects")
    assert projects.get(workspace, project.id).name == "news"


def test_a_save_does_not_wait_for_a_long_read(workspace, document_id):
    with workspace.reading() as db:
        db.execute("BEGIN")
        db.execute("SELECT * FROM documents").fetchone()
        assert annotations.save(workspace, document_id, 0, [Span(0, 3, "PER")], user="lin").revision == 1
        db.execute("COMMIT")


def test_another_program_holding_the_file_is_named(workspace, project, monkeypatch):
    monkeypatch.setattr(workspace_module, "BUSY_SECONDS", 0.05)
    with Workspace.open(workspace.folder) as second:
        with workspace.writing(), pytest.raises(StoreBusy, match="another program has held"):
            projects.create(second, "more")
        projects.create(second, "more")


def test_wal_on_a_local_disk_and_no_other(tmp_path, monkeypatch):
    with Workspace.open(tmp_path / "a") as workspace, workspace.reading() as db:
        assert db.execute("PRAGMA journal_mode").fetchone()[0] == "wal"
    monkeypatch.setattr("core.store.db.journal_mode.is_local_disk", lambda folder: False)
    with Workspace.open(tmp_path / "b") as workspace, workspace.reading() as db:
        assert db.execute("PRAGMA journal_mode").fetchone()[0] == "delete"


def test_the_journal_can_be_forced_and_a_typing_slip_is_named(tmp_path, monkeypatch):
    monkeypatch.setenv("LATTICELENS_JOURNAL", "delete")
    with Workspace.open(tmp_path) as workspace, workspace.reading() as db:
        assert db.execute("PRAGMA journal_mode").fetchone()[0] == "delete"
    monkeypatch.setenv("LATTICELENS_JOURNAL", "walk")
    with pytest.raises(StoreError, match="'walk'"):
        Workspace.open(tmp_path)


@pytest.mark.parametrize(
    ("folder", "local"),
    [
        ("/home/a", True),
        ("/data/b", False),
        ("/data/disk/c", True),
        ("/net/d", False),
        ("/my files/e", False),
    ],
)
def test_remote_and_fuse_mounts_are_told_from_disks(tmp_path, folder, local):
    mounts = tmp_path / "mounts"
    mounts.write_text(
        "/dev/vda / ext4 rw 0 0\nbucket /data fuse.hf-mount rw 0 0\n/dev/vdb /data/disk ext4 rw 0 0\n"
        "srv:/x /net nfs4 rw 0 0\n//srv/y /my\\040files cifs rw 0 0\nshort\n"
    )
    assert is_local_disk(Path(folder), mounts) is local


SAVER = """
import sys
from core.store import Workspace, annotations
from core.text import Span
workspace = Workspace.open(sys.argv[1])
revision = annotations.current(workspace, 1).revision
while True:
    spans = [Span(0, 1 + revision % 9, "LOC")]
    saved = annotations.save(workspace, 1, revision, spans, user="lin", client_edit=f"e{revision}")
    revision = saved.revision
    print(revision, spans[0].end, flush=True)
"""


def test_every_acknowledged_edit_survives_sigkill(tmp_path):
    with Workspace.open(tmp_path) as workspace:
        project = projects.create(workspace, "news")
        documents.add(workspace, project.id, [Document("a", "青禾市气象局发布大风", (Span(0, 3, "LOC"),))])
    for seconds in (0.05, 0.11, 0.2):
        child = subprocess.Popen(
            [sys.executable, "-c", SAVER, str(tmp_path)], cwd=ROOT, stdout=subprocess.PIPE, text=True
        )
        first = child.stdout.readline()
        time.sleep(seconds)
        os.kill(child.pid, signal.SIGKILL)
        acknowledged = [
            line.split() for line in [first, *child.communicate()[0].splitlines()] if len(line.split()) == 2
        ]
        with Workspace.open(tmp_path) as workspace:
            with workspace.reading() as db:
                assert db.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
            events = annotations.history(workspace, 1)
            for revision, end in acknowledged:
                spans, _ = at_revision(events, int(revision))
                assert spans == (Span(0, int(end), "LOC"),)
            # One edit may be in without its acknowledgement; sending it again must not apply it twice.
            assert len(events) - int(acknowledged[-1][0]) in (0, 1)
            assert at_revision(events, len(events))[0] == annotations.current(workspace, 1).document.spans


def test_a_migration_that_fails_leaves_the_file_as_it_was(tmp_path, monkeypatch):
    with Workspace.open(tmp_path) as workspace:
        projects.create(workspace, "news")

    def broken(db):
        db.execute("CREATE TABLE half (done INTEGER)")
        raise sqlite3.OperationalError("no such function: tomorrow")

    monkeypatch.setattr(schema.migrations, "apply", broken)
    monkeypatch.setattr(schema, "VERSION", schema.VERSION + 1)
    with pytest.raises(StoreError, match="nothing was saved"):
        Workspace.open(tmp_path)
    monkeypatch.undo()
    with Workspace.open(tmp_path) as workspace, workspace.reading() as db:
        assert [project.name for project in projects.all_projects(workspace)] == ["news"]
        assert db.execute("SELECT count(*) FROM sqlite_schema WHERE name = 'half'").fetchone()[0] == 0


def test_a_disk_that_refuses_wal_gets_the_other_journal(tmp_path):
    class NoSharedMemory(sqlite3.Connection):
        def execute(self, sql, *values):
            return super().execute(
                "PRAGMA journal_mode" if sql == "PRAGMA journal_mode=wal" else sql, *values
            )

    db = sqlite3.connect(tmp_path / "x.sqlite", factory=NoSharedMemory, isolation_level=None)
    set_journal(db, tmp_path)
    assert sqlite3.Connection.execute(db, "PRAGMA journal_mode").fetchone()[0] == "delete"
    db.close()


def test_a_later_version_that_opens_the_file_meanwhile_ends_the_saving(workspace, project):
    (id_,) = documents.add(workspace, project.id, [Document("a", "张伟在家")]).ids
    with closing(sqlite3.connect(workspace.file)) as later:
        later.execute(f"PRAGMA user_version={schema.VERSION + 1}")
    with pytest.raises(WorkspaceTooNew, match="update LatticeLens"):
        annotations.save(workspace, id_, 0, [Span(0, 2, "PER")], user="lin")
    assert annotations.current(workspace, id_).revision == 0, "reading goes on"
