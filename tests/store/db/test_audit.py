"""The audit log has every action once, keeps it whatever happens, and holds no texts and no secrets."""

import json
import sqlite3

import pytest

from core.cli import main
from core.store import Workspace
from core.store.db import audit
from core.store.db.audit import Wanted
from core.store.db.backup import backup, restore
from core.store.db.errors import PayloadError, StoreError
from core.store.document import documents, trash
from core.store.project import members, projects, tokens, webhooks
from core.store.run import runs
from core.text import Document

MARKED = "林知远在青禾医院。"


def _kinds(workspace, **filters):
    return [entry.kind for entry in reversed(audit.entries(workspace, **filters))]


@pytest.fixture
def busy(workspace):
    """A project in which ``lin`` has done one of everything, from a page."""
    with audit.acting("lin", "page"):
        project = projects.create(workspace, "news").id
        documents.add(workspace, project, [Document("a", MARKED), Document("b", MARKED + "乙")])
        members.put(workspace, project, "chen", "reviewer", by="lin")
        members.remove(workspace, project, "chen", by="lin")
        token, text = tokens.make(workspace, project, "crawler", "annotator", user="lin")
        tokens.revoke(workspace, project, token.id, user="lin")
        tokens.delete(workspace, project, token.id, user="lin")
        hook = webhooks.make(workspace, project, "https://example.org/secret-path", user="lin")
        webhooks.delete(workspace, project, hook.id, user="lin")
        run = runs.create(workspace, project, "flat")
        runs.set_status(workspace, run.name, "finished")
        projects.set_active(workspace, project, run.name)
        trash.trash_documents(workspace, project, [1, 2])
        trash.restore_documents(workspace, project, [2])
        trash.empty(workspace, project)
        trash.trash_project(workspace, project)
        trash.empty_project(workspace, project)
    return project, text


def test_each_action_is_there_once_with_who_and_how_many_and_outlives_its_project(workspace, busy):
    project, _ = busy
    assert _kinds(workspace) == [
        "project.created", "documents.imported", "member.role", "member.role", "member.removed",
        "token.made", "token.revoked", "token.deleted", "webhook.made", "webhook.deleted", "run.started",
        "run.active", "documents.trashed", "documents.restored", "documents.deleted", "project.trashed",
        "project.deleted",
    ]  # fmt: skip
    assert {(e.user, e.via, e.project_id) for e in audit.entries(workspace)} == {("lin", "page", project)}
    told = {entry.kind: entry.detail for entry in audit.entries(workspace)}
    assert told["documents.imported"] == {"documents": 2}
    assert told["documents.deleted"] == {"documents": 1}
    assert told["member.role"] == {"member": "lin", "role": "manager"}
    assert told["run.active"] == {"run": "flat-0001"}


def test_it_holds_no_text_and_no_secret(workspace, busy):
    everything = json.dumps([audit.as_json(e) for e in audit.entries(workspace)], ensure_ascii=False)
    for secret in ("林知远", busy[1], "secret-path"):
        assert secret not in everything


def test_what_is_rolled_back_is_not_in_it(workspace, project):
    before = audit.last(workspace)

    def fail():
        with workspace.writing() as db:
            audit.record(db, "project.trashed", project.id)
            raise StoreError("no")

    with pytest.raises(StoreError):
        fail()
    assert audit.last(workspace) == before


@pytest.mark.parametrize("change", ["UPDATE audit SET user = 'other'", "DELETE FROM audit"])
def test_sql_cannot_change_or_delete_it(workspace, project, change):
    before = audit.entries(workspace)
    with pytest.raises(sqlite3.IntegrityError, match="append-only"), workspace.writing() as db:
        db.execute(change)
    assert audit.entries(workspace) == before


def test_it_is_read_by_person_kind_time_and_project(workspace, busy):
    other = projects.create(workspace, "other").id
    first = audit.entries(workspace)[-1]
    assert _kinds(workspace, project_id=other) == ["project.created"]
    assert _kinds(workspace, wanted=Wanted(kinds=["run.active", "run.started"])) == [
        "run.started",
        "run.active",
    ]
    assert _kinds(workspace, wanted=Wanted(user="chen")) == []
    assert _kinds(workspace, wanted=Wanted(until=first.at)) == []
    assert len(_kinds(workspace, wanted=Wanted(since=first.at))) == 18
    assert audit.people(workspace) == ["lin"]
    assert audit.people(workspace, other) == []
    with pytest.raises(PayloadError):
        audit.entries(workspace, wanted=Wanted(kinds=["everything"]))


def test_a_restore_takes_nothing_out_of_the_log(workspace, project, tmp_path):
    copy = backup(workspace, tmp_path / "copy.sqlite")
    with audit.acting("lin", "page"):
        trash.trash_project(workspace, project.id)
        before = audit.entries(workspace)
        restore(workspace, copy)
        restore(workspace, copy)
    assert projects.get(workspace, project.id), "the backup's content is back"
    after = [(e.at, e.kind, e.user) for e in audit.entries(workspace)]
    assert [entry for entry in after if entry in {(e.at, e.kind, e.user) for e in before}] == [
        (e.at, e.kind, e.user) for e in before
    ]
    # Each restore keeps the state before it as a backup, too.
    assert [kind for _, kind, _ in after[:-3]] == ["backup.restored", "backup.made"] * 2
    with pytest.raises(sqlite3.IntegrityError), workspace.writing() as db:
        db.execute("DELETE FROM audit")


def test_the_command_line_is_in_it(tmp_path, capsys):
    corpus = tmp_path / "a.txt"
    corpus.write_text(MARKED, encoding="utf-8")
    where = ["workspace", "--workspace", str(tmp_path / "w")]
    assert main([*where, "import", str(corpus), "--project", "news"]) == 0
    assert main([*where, "export", str(tmp_path / "out.jsonl"), "--project", "news"]) == 0
    assert main([*where, "backup", str(tmp_path / "copy.sqlite")]) == 0
    with Workspace.open(tmp_path / "w") as opened:
        found = audit.entries(opened)
    assert [(e.kind, e.via) for e in reversed(found)] == [
        ("project.created", "command"),
        ("documents.imported", "command"),
        ("documents.exported", "command"),
        ("backup.made", "command"),
    ]
    capsys.readouterr()
    assert main([*where, "audit", "--kind", "documents.exported"]) == 0
    (line,) = capsys.readouterr().out.splitlines()
    assert json.loads(line)["detail"] == {"documents": 1}
