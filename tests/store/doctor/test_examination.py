"""Every kind of damage is found and, where the events say what was there, mended; the demo is healthy."""

import json
import os
import sqlite3
import time

import pytest

from app.server.first_run import prepare
from core.cli import main
from core.store import Workspace
from core.store.annotation import annotations
from core.store.db import audit, snapshots
from core.store.document import documents, text_index
from core.store.project import projects
from core.store.queue import scores
from core.store.run import predictions, runs
from core.text import Document, EntityLink, Span
from core.training.run.run_folder import RunFolder
from tests.workspaces import new_workspace

TEXT = "林知远先生出任青禾大学附属医院院长。"
KEYS = [(0, 3, "PER"), (7, 11, "ORG")]
LINK = EntityLink("Q1", "林知远", "people")


@pytest.fixture
def folder(tmp_path):
    """A workspace with an edited document, one that nobody touched, and a run."""
    path = new_workspace(tmp_path / "workspace")
    with Workspace.open(path) as opened:
        project = projects.create(opened, "news").id
        documents.add(opened, project, [Document("a", TEXT, [Span(*KEYS[0])]), Document("b", "另一" + TEXT)])
        documents.add(opened, project, [Document("a", TEXT + "后来。")])  # another text of that name
        annotations.save(opened, 1, 1, [Span(*key) for key in KEYS[:1]] + [Span(7, 11, "PER")], user="lin")
        annotations.save(opened, 1, 2, [Span(0, 3, "PER", link=LINK)], user="lin")
        run = runs.create(opened, project, "flat")
        (opened.runs_folder / run.name / "request.json").write_text('{"kind": "train"}')
        projects.set_active(opened, project, run.name)
    return path


def _doctor(folder, capsys, *flags):
    status = main(["doctor", str(folder), *flags])
    return status, json.loads(capsys.readouterr().out)


def _sql(folder, *statements):
    db = sqlite3.connect(folder / "workspace.sqlite", isolation_level=None)
    for statement in statements:
        db.execute(statement)
    db.close()


def _old(path):
    path.write_text("half")
    os.utime(path, (time.time() - 7200,) * 2)


def _index_missing_a_row(folder):
    sql = "CREATE INDEX runs_of_project ON runs (project_id, created)"
    _sql(
        folder,
        "PRAGMA writable_schema=ON",
        "UPDATE sqlite_schema SET sql = replace(sql, 'CREATE INDEX runs_of_project', 'CREATE INDEX "
        "runs_of_project') || ' WHERE created < 0' WHERE name = 'runs_of_project'",
    )
    _sql(folder, "UPDATE runs SET created = created + 1")
    _sql(
        folder, "PRAGMA writable_schema=ON",
        f"UPDATE sqlite_schema SET sql = '{sql}' WHERE name = 'runs_of_project'",
    )  # fmt: skip


def _dead_job(folder):
    RunFolder(folder / "runs" / "flat-0001").set_state(status="running", pid=99_999_999, process="boot:1")


DAMAGE = {
    "integrity": _index_missing_a_row,
    "foreign key": lambda folder: _sql(
        folder, "INSERT INTO comments (document_id, text, user, at) VALUES (77, 'x', 'lin', 1)"
    ),
    "orphan": lambda folder: _sql(
        folder,
        "INSERT INTO spans VALUES (1, 'mia', 0, 2, 1, NULL, 1, NULL)",
        "UPDATE projects SET previous_run = 'x'",
    ),
    "span beyond the text": lambda folder: _sql(folder, 'UPDATE spans SET "end" = 999'),
    "revision without event": lambda folder: _sql(folder, "UPDATE documents SET revision = 9 WHERE id = 1"),
    "view differs from events": lambda folder: _sql(folder, "DELETE FROM spans"),
    "wrong count": lambda folder: _sql(folder, "UPDATE document_counts SET number = 9"),
    "search index": lambda folder: _sql(
        folder,
        "INSERT INTO text_index_1 (text_index_1, rowid, units) VALUES ('delete', 2, "
        f"'{('另一' + TEXT).encode('utf-16-be').hex(' ', 2)}')",
    ),
    "run without folder": lambda folder: (folder / "runs/flat-0001").rename(folder.parent / "gone"),
    "folder without run": lambda folder: (folder / "runs/flat-0007").mkdir(),
    "dead job": _dead_job,
    "leftover file": lambda folder: _old(folder / "runs/flat-0001/.events.jsonl.0123456789ab.new"),
}


@pytest.mark.parametrize("kind", DAMAGE)
def test_each_kind_is_found_changed_by_nothing_but_fix_and_mended(folder, capsys, kind):
    assert _doctor(folder, capsys) == (0, {"workspace": str(folder), "healthy": True})
    DAMAGE[kind](folder)
    for _ in range(2):
        status, report = _doctor(folder, capsys)
        assert (status, report["healthy"]) == (1, False)
        assert kind in {row["kind"] for row in report["found"]}
        assert all(row["fix"] and row["remedy"] for row in report["found"])
    status, report = _doctor(folder, capsys, "--fix")
    assert (status, report["left"]) == (0, [])
    assert kind in {row["kind"] for row in report["mended"]}
    assert os.path.getsize(report["backup"])
    assert _doctor(folder, capsys)[0] == 0
    with Workspace.open(folder) as opened:
        now = annotations.current(opened, 1)
        assert ([span.key for span in now.document.spans], now.revision) == (KEYS[:1], 3)
        assert [span.link for span in now.document.spans] == [LINK]
        assert opened.runs_folder.is_dir()
        with opened.reading() as db:
            assert text_index.hits(db, 1, "另一").numbers == [2]
        assert audit.entries(opened)[0].kind == "workspace.repaired"
    assert TEXT not in json.dumps(report, ensure_ascii=False), "no text is told"


COUNTED = (
    "UPDATE documents SET gold_spans = 7 WHERE id = 1",
    "UPDATE document_counts SET characters = 9",
    "UPDATE prediction_counts SET scored = 9",
    "UPDATE queue_score_counts SET number = 9",
)


@pytest.mark.parametrize("damage", COUNTED)
def test_every_kept_count_is_compared_and_counted_again(folder, capsys, damage):
    with Workspace.open(folder) as opened:
        said = Document("a", TEXT, [Span(0, 3, "PER", 0.5)])
        predictions.put(opened, "flat-0001", [said, said])
        scores.put(opened, 1, "margin", {1: 0.5}, "flat-0001")
    assert _doctor(folder, capsys)[0] == 0
    _sql(folder, damage)
    assert [row["kind"] for row in _doctor(folder, capsys)[1]["found"]] == ["wrong count"]
    assert _doctor(folder, capsys, "--fix")[0] == 0
    assert _doctor(folder, capsys)[0] == 0


def test_of_snapshots_the_newest_is_examined_and_none_is_changed(folder, tmp_path, capsys):
    storage = tmp_path / "storage"
    storage.mkdir()
    with Workspace.open(folder) as live:
        snapshots.take(live, storage)
    assert _doctor(storage, capsys) == (0, {"workspace": str(storage), "healthy": True})
    _sql(folder, "UPDATE document_counts SET number = 9")
    with Workspace.open(folder) as live:
        snapshots.take(live, storage)
    before = sorted(storage.iterdir())
    status, report = _doctor(storage, capsys)
    assert (status, [row["kind"] for row in report["found"]]) == (1, ["wrong count"])
    assert main(["doctor", str(storage), "--fix"]) == 2
    assert "restore a backup from before the damage" in capsys.readouterr().err
    assert sorted(storage.iterdir()) == before


UNMENDABLE = {
    "changed text": "UPDATE documents SET text = 'another' WHERE id = 2",
    "revision without event": "DELETE FROM events WHERE document_id = 1 AND revision = 2",
    "damaged row": "UPDATE events SET added = '[[0,' WHERE document_id = 1",
}


@pytest.mark.parametrize("kind", UNMENDABLE)
def test_what_nothing_here_can_mend_is_told_and_left(folder, capsys, kind):
    _sql(folder, UNMENDABLE[kind])
    for flags in ((), ("--fix",)):
        status, report = _doctor(folder, capsys, *flags)
        rows = report.get("left", report.get("found"))
        assert status == 1
        assert kind in {row["kind"] for row in rows}
        assert "restore a backup" in next(row["remedy"] for row in rows if row["kind"] == kind)


def test_the_demo_is_healthy(tmp_path, capsys):
    with Workspace.open(new_workspace(tmp_path / "demo")) as opened:
        prepare(opened)
    assert _doctor(tmp_path / "demo", capsys) == (0, {"workspace": str(tmp_path / "demo"), "healthy": True})


def test_what_is_no_workspace_cannot_be_examined(tmp_path, capsys):
    (tmp_path / "empty").mkdir()
    assert main(["doctor", str(tmp_path / "empty")]) == 2
    (tmp_path / "empty" / "workspace.sqlite").write_text("no database " * 400)
    assert main(["doctor", str(tmp_path / "empty"), "--fix"]) == 2
    assert "Traceback" not in capsys.readouterr().err
