"""A row that holds what the store does not write is named; all others go on being read and written."""

import re
import sqlite3
from contextlib import closing

import pytest

from app.services.errors import sentence
from core.store import NotAWorkspace, Workspace
from core.store.annotation import annotations
from core.store.db import damage
from core.store.db.backup import backup, restore
from core.store.db.errors import DamagedRow, NotFound, PayloadError
from core.store.document import documents
from core.store.label import labels
from core.store.project import projects
from core.store.project import settings as project_settings
from core.store.queue import queue
from core.store.run import predictions, runs
from core.text import Document, LabelSet, Span
from tests.workspaces import new_workspace

TEXT = "林知远到北京。"  # 7 characters


@pytest.fixture
def own(tmp_path):
    """A workspace with two documents that people worked on, whose file may come to harm."""
    with Workspace.open(new_workspace(tmp_path / "own")) as workspace:
        project = projects.create(workspace, "news").id
        labels.put(workspace, project, LabelSet().extended(["PER", "LOC"]))
        given = [Document(name, TEXT + name, (Span(0, 3, "PER"),)) for name in "ab"]
        documents.add(workspace, project, given)
        run = runs.create(workspace, project, "flat")
        for number in (1, 2):
            annotations.save(workspace, number, 1, [Span(0, 3, "PER"), Span(4, 6, "LOC")], user="lin")
            predictions.put_one(workspace, run.name, number, [Span(0, 3, "PER", 0.5)])
        project_settings.write(workspace, project, "order", {"by": "name"})
        yield workspace


def spoil(file, *statements, loosely=False):
    """Write into a file past the store; ``loosely`` takes all its rules for cells away first."""
    with closing(sqlite3.connect(file, isolation_level=None)) as db:
        db.execute("PRAGMA ignore_check_constraints=ON")
        if loosely:
            db.execute("PRAGMA writable_schema=ON")
            db.execute(
                "UPDATE sqlite_schema SET sql = replace(replace(replace("
                "sql, ' NOT NULL', ''), ') STRICT, WITHOUT ROWID', ') WITHOUT ROWID'), ') STRICT', ')') "
                "WHERE type = 'table' AND name IN ('documents', 'events')"
            )
            db.execute("PRAGMA writable_schema=RESET")
    with closing(sqlite3.connect(file, isolation_level=None)) as db:
        db.execute("PRAGMA ignore_check_constraints=ON")
        for statement in statements:
            assert db.execute(statement).rowcount > 0, statement


def opened(workspace):
    """What a person who opens the first document makes the store read."""
    annotations.current(workspace, 1)
    annotations.history(workspace, 1)
    predictions.get(workspace, runs.all_runs(workspace, 1)[0].name, 1)
    project_settings.read(workspace, 1, "order")


# What is done to the first document, and how the row is named afterwards: table, key, what is wrong.
DAMAGE = [
    ("documents SET meta = '{' WHERE id = 1", "documents", "id 1", "meta is not JSON"),
    ("documents SET meta = '[1]' WHERE id = 1", "documents", "id 1", "meta is JSON of another form"),
    ("documents SET text = '林' WHERE id = 1", "spans", "document_id 1", "end holds a span beyond the text"),
    ("documents SET status = 'lost' WHERE id = 1", "documents", "id 1", "status holds an unknown value"),
    ("documents SET split = 'lost' WHERE id = 1", "documents", "id 1", "split holds an unknown value"),
    ("documents SET rejected = '[[0]]' WHERE id = 1", "documents", "id 1", "rejected is not a list of spans"),
    ("documents SET rejected = '7' WHERE id = 1", "documents", "id 1", "rejected is JSON of another form"),
    ("documents SET text = CAST(X'E69E' AS TEXT) WHERE id = 1", "documents", "id 1", "text is not UTF-8"),
    ("spans SET \"end\" = 99 WHERE document_id = 1 AND start = 4", "spans", "end 99", "holds a span beyond"),
    ("spans SET label = 99 WHERE document_id = 1 AND start = 4", "spans", "start 4", "label holds a label"),
    ("events SET added = 'x' WHERE document_id = 1", "events", "document_id 1", "added is not JSON"),
    ("predictions SET spans = '[[5, 2, 3]]' WHERE document_id = 1", "predictions", "document_id 1", "not a "),
    ("runs SET scores = ''", "runs", "name ", "scores is not JSON"),
    ("project_settings SET value = 'name'", "project_settings", "key order", "value is not JSON"),
]  # fmt: skip


@pytest.mark.parametrize(("statement", "table", "row", "what"), DAMAGE)
def test_a_damaged_row_is_named_with_the_way_out_in_both_languages(own, statement, table, row, what):
    spoil(own.file, f"UPDATE {statement}")
    with pytest.raises(DamagedRow) as refused:
        opened(own)
    english, chinese = sentence(refused.value, "en"), sentence(refused.value, "zh")
    for part in (str(own.file), f"table {table}, row", row, what, "python -m core workspace restore"):
        assert part in english
    for part in (str(own.file), f"表 {table}，行", row, "损坏", "备份"):
        assert part in chinese
    assert not re.search(" (is|holds|first) ", chinese)


@pytest.mark.parametrize(
    ("statement", "what"),
    [
        ("UPDATE documents SET text = NULL WHERE id = 1", "text holds nothing"),
        ("UPDATE documents SET status = NULL WHERE id = 1", "status holds nothing"),
        ("UPDATE documents SET meta = NULL WHERE id = 1", "meta holds nothing"),
        ("UPDATE documents SET text = X'00FF' WHERE id = 1", "text is not text"),
        ("UPDATE events SET removed = NULL WHERE document_id = 1", "removed holds nothing"),
    ],
)
def test_a_file_whose_tables_refuse_nothing_is_read_as_far_as_it_goes(own, statement, what):
    own.close()
    spoil(own.file, statement, loosely=True)
    with Workspace.open(own.folder) as loose:
        with pytest.raises(DamagedRow, match=what):
            opened(loose)
        assert annotations.current(loose, 2).revision == 2


@pytest.mark.parametrize("statement", [one[0] for one in DAMAGE if "id = 1" in one[0]])
def test_the_rest_can_be_read_and_written(own, statement):
    spoil(own.file, f"UPDATE {statement}")
    assert annotations.current(own, 2).document.id == "b"
    assert annotations.save(own, 2, 2, [Span(0, 3, "PER")], user="lin").revision == 3
    if "X'" not in statement:  # a list shows the beginning of every text, and this one has none
        assert [row.name for row in queue.page(own, 1).rows] == ["a", "b"]
    assert runs.all_runs(own, 1)[0].tagger == "flat"


def test_a_save_onto_a_damaged_row_writes_nothing_and_says_why(own):
    spoil(own.file, "UPDATE documents SET rejected = 'x' WHERE id = 1")
    with pytest.raises(DamagedRow, match="rejected is not JSON"):
        annotations.save(own, 1, 2, [], [Span(0, 1, "PER")], user="lin")
    with own.reading() as db:
        assert db.execute("SELECT revision FROM documents WHERE id = 1").fetchone()[0] == 2
    assert annotations.save(own, 2, 2, [], user="lin").revision == 3


def test_several_damaged_rows_are_counted(own):
    spoil(own.file, "UPDATE documents SET meta = 'x'", "UPDATE runs SET scores = 'x'")
    with pytest.raises(DamagedRow, match=r"damaged rows \(3\); the first: table documents, row id 1"):
        documents.get(own, 1)


def test_json_that_sql_reads_is_named_too(own):
    spoil(own.file, "UPDATE predictions SET spans = '[' WHERE document_id = 2")
    named = r"table predictions, row .*document_id 2, column spans is not JSON"
    with pytest.raises(DamagedRow, match=named), own.reading() as db:
        db.execute("SELECT json_array_length(spans) FROM predictions").fetchall()


@pytest.mark.parametrize("statement", [one[0] for one in DAMAGE])
def test_a_backup_with_a_damaged_row_is_refused_by_that_row_and_changes_nothing(own, tmp_path, statement):
    copy = backup(own, tmp_path / "copy.sqlite")
    spoil(copy, f"UPDATE {statement}")
    with pytest.raises(NotAWorkspace, match="damaged") as refused:
        restore(own, copy)
    assert "损坏" in sentence(refused.value, "zh")
    opened(own)
    assert not (own.folder / "restore.part").exists()


def test_what_is_no_damage_keeps_its_own_words_and_nothing_is_searched(own, monkeypatch):
    def searched(db):
        raise AssertionError("the file was searched")

    monkeypatch.setattr(damage, "damaged_rows", searched)
    with pytest.raises(NotFound):
        annotations.current(own, 99)
    with pytest.raises(PayloadError, match="ends after the text"):
        annotations.save(own, 1, 2, [Span(0, 99, "PER")], user="lin")
    with pytest.raises(ValueError, match="of the caller"), own.reading():
        raise ValueError("of the caller")


def test_a_file_that_holds_no_damage_does_not_get_blamed(own, monkeypatch):
    spoil(own.file, "UPDATE documents SET meta = '{' WHERE id = 1")
    monkeypatch.setattr(damage, "damaged_rows", lambda db: [])
    with pytest.raises(Exception, match="where this program writes something else"):
        documents.get(own, 1)


def test_a_sound_file_has_no_damaged_row(own):
    with closing(sqlite3.connect(own.file)) as db:
        assert damage.damaged_rows(db) == []
