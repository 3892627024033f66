"""Who may do what: the table of rights as docs/people.md shows it, and the few laws of members."""

import re
from pathlib import Path

import pytest

from core.store.db.errors import NotFound, PayloadError, PeopleError
from core.store.project import members
from core.store.project.members import NotAllowed

DOCS = Path(__file__).resolve().parents[3] / "docs" / "people.md"


@pytest.fixture
def team(workspace, project):
    members.put(workspace, project.id, "mia", "manager", by="mia")
    members.put(workspace, project.id, "rui", "reviewer", by="mia")
    members.put(workspace, project.id, "ana", "annotator", by="mia")
    return project


def test_a_project_without_members_lets_everybody_do_everything(workspace, project):
    assert members.of(workspace, project.id) == ()
    for right in members.RIGHTS:
        assert members.may(workspace, project.id, "anybody", right)


def test_who_adds_the_first_member_becomes_the_manager(workspace, project):
    found = members.put(workspace, project.id, "ana", "annotator", by="mia")
    assert [(one.user, one.role) for one in found] == [("mia", "manager"), ("ana", "annotator")]


def test_nobody_makes_themselves_the_only_annotator(workspace, project):
    with pytest.raises(PeopleError, match="last manager"):
        members.put(workspace, project.id, "mia", "annotator", by="mia")
    assert members.of(workspace, project.id) == ()


def test_the_last_manager_stays(workspace, team):
    with pytest.raises(PeopleError, match="last manager"):
        members.remove(workspace, team.id, "mia", by="mia")
    with pytest.raises(PeopleError, match="last manager"):
        members.put(workspace, team.id, "mia", "reviewer", by="mia")
    members.put(workspace, team.id, "rui", "manager", by="mia")
    members.remove(workspace, team.id, "mia", by="mia")
    assert members.role_of(workspace, team.id, "mia") is None


@pytest.mark.parametrize("by", ["rui", "ana", "stranger"])
def test_only_a_manager_changes_members(workspace, team, by):
    with pytest.raises(NotAllowed):
        members.put(workspace, team.id, by, "manager", by=by)
    with pytest.raises(NotAllowed):
        members.remove(workspace, team.id, "ana", by=by)
    assert members.role_of(workspace, team.id, "ana") == "annotator"


def test_a_stranger_may_do_nothing_and_reads_whom_to_ask(workspace, team):
    for right in members.RIGHTS:
        assert not members.may(workspace, team.id, "stranger", right)
    with pytest.raises(NotAllowed, match="Ask mia"):
        members.check(workspace, team.id, "stranger", "annotate")


def test_where_people_work_separately_annotators_do_not_see_the_documents(workspace, team):
    assert members.may(workspace, team.id, "ana", "see_documents")
    with workspace.writing() as db:
        db.execute("UPDATE projects SET workflow = 'separate'")
    assert not members.may(workspace, team.id, "ana", "see_documents")
    assert members.may(workspace, team.id, "rui", "see_documents")


def test_what_concerns_every_project_asks_every_project(workspace, team):
    members.check_everywhere(workspace, "mia", "manage")
    with pytest.raises(NotAllowed):
        members.check_everywhere(workspace, "ana", "manage")


@pytest.mark.parametrize(
    ("user", "role"), [("", "manager"), ("x" * 101, "manager"), ("bo", "king"), (3, "manager")]
)
def test_odd_names_and_roles_are_refused(workspace, team, user, role):
    with pytest.raises(PayloadError):
        members.put(workspace, team.id, user, role, by="mia")


def test_who_is_no_member_cannot_be_removed(workspace, team):
    with pytest.raises(NotFound):
        members.remove(workspace, team.id, "bo", by="mia")


def test_the_docs_show_the_table_of_rights():
    rows = re.findall(
        r"^\| `(\w+)` \|[^|]*\| (\S+) \| (\S+) \| (\S+) \|$", DOCS.read_text("utf-8"), re.MULTILINE
    )
    shown = {name: marks for name, *marks in rows}
    expected = {
        right: ["yes" if role in members.SEPARATE[right] else "together" if role in allowed else "no"
                for role in members.ROLES]
        for right, allowed in members.RIGHTS.items()
    }  # fmt: skip
    assert shown == expected
