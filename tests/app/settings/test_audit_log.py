"""The audit log on Settings: managers see their project, who manages all sees all, others nothing."""

import json
from pathlib import Path
from typing import get_args

import pytest

from app.services.audit_trail import SignIns
from app.services.errors import AppError
from app.services.identity.sign_in_events import SignInEvent
from app.settings import audit_log
from core.store.db import audit
from core.store.project import members, projects
from core.store.project.members import NotAllowed

ALL = ("", "", "")  # who, kind, time


@pytest.fixture
def two(session):
    """The session's project, of ``lin``, and one of ``mia``'s."""
    with audit.acting("lin", "page"):
        members.put(session.workspace, session.project_id, "lin", "manager", by="lin")
    with audit.acting("mia", "api"):
        other = projects.create(session.workspace, "other <b>").id
    audit.note(session.workspace, "signed_in", user="mia")
    return other


def _kinds(shown):
    return [row[2] for row in shown["table"]["data"]]


def test_who_manages_everything_sees_the_workspace_and_a_manager_their_project(session, two):
    shown = audit_log.show(session, "workspace", *ALL)
    assert _kinds(shown)[:3] == ["signed in", "project created", "role given"]
    assert shown["table"]["data"][1][1:] == ["mia", "project created", "", "other <b>", "API"]
    assert shown["table"]["data"][2][3] == "member: lin; role: manager"
    members.put(session.workspace, two, "mia", "manager", by="mia")
    shown = audit_log.show(session, "workspace", *ALL)
    assert shown["scope"]["visible"] is False
    assert "role given" in _kinds(shown)
    assert "signed in" not in _kinds(shown)
    assert all(row[4] != "other <b>" for row in shown["table"]["data"])


def test_others_see_and_export_nothing(session, two):
    members.put(session.workspace, session.project_id, "mia", "manager", by="lin")
    members.put(session.workspace, session.project_id, "lin", "reviewer", by="mia")
    assert audit_log.show(session, "workspace", *ALL)["table"]["data"] == []
    with pytest.raises(NotAllowed):
        audit_log.export(session, "workspace", *ALL)


def test_the_filter_holds_for_the_table_and_the_file(session, two):
    chosen = ("workspace", "mia", "project.created", "1")
    assert _kinds(audit_log.show(session, *chosen)) == ["project created"]
    file = audit_log.export(session, *chosen)["value"]
    (line,) = Path(file).read_text(encoding="utf-8").splitlines()
    assert {**json.loads(line), "at": 0, "id": 0} == {
        "id": 0, "at": 0, "kind": "project.created", "user": "mia", "via": "api", "project_id": two,
        "detail": {},
    }  # fmt: skip
    empty = audit_log.show(session, "project", "", "token.made", "")
    assert "Choose another filter" in empty["message"]
    with pytest.raises(AppError, match="nothing to export"):
        audit_log.export(session, "project", "", "token.made", "")


def test_the_parts_of_an_import_are_one_row(session):
    with audit.acting("lin", "page"):
        for size in (200, 200, 19):
            audit.note(session.workspace, "documents.imported", session.project_id, documents=size)
        audit.note(session.workspace, "documents.exported", session.project_id, documents=419, format="jsonl")
    rows = audit_log.show(session, "project", "lin", "", "")["table"]["data"]
    assert [row[2:4] for row in rows] == [
        ["documents exported", "documents: 419; format: jsonl"],
        ["documents imported", "documents: 419"],
    ]


def test_every_kind_and_way_has_a_name():
    assert set(audit_log.KIND_NAMES) == set(audit.KINDS)
    assert set(audit_log.VIA_NAMES) == set(get_args(audit.Via))


def test_a_password_typed_into_the_field_of_the_name_is_not_recorded(session, two):
    sign_ins = SignIns(session.workspace)
    for kind, name in (("signed_in", "mia"), ("sign_in_failed", "mia"), ("sign_in_failed", "hunter2")):
        sign_ins.tell(SignInEvent(kind, name, by=name))
    latest = audit.entries(session.workspace, limit=3)
    assert [(entry.kind, entry.user) for entry in latest] == [
        ("sign_in.failed", ""),
        ("sign_in.failed", "mia"),
        ("signed_in", "mia"),
    ]
    assert "hunter2" not in str(latest)


def test_attempts_during_a_wait_do_not_fill_the_log(session, two):
    before = audit.last(session.workspace)
    SignIns(session.workspace).tell(SignInEvent("sign_in_failed", "mia", by="mia", reason="wait"))
    assert audit.last(session.workspace) == before


def test_a_session_that_an_operator_ends_is_recorded_as_theirs(session, two):
    SignIns(session.workspace).tell(SignInEvent("session_ended", "mia", "provider", by="lin"))
    (latest,) = audit.entries(session.workspace, limit=1)
    assert (latest.kind, latest.user) == ("session.ended", "lin")
    assert latest.detail == {"about": "mia", "method": "provider"}
