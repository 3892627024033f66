"""Handing out over the tables: who gets what, what stays, and what is refused."""

import pytest

from core.store.annotation import annotations
from core.store.db.errors import NotFound, PayloadError, PeopleError
from core.store.document import documents
from core.store.project import assignments, members
from core.store.project.members import NotAllowed
from core.store.review import adjudications
from core.text import Document, Span
from tests.store.by_hand import save_own


def hand_out(team, people=("ana", "bo"), **options):
    return assignments.hand_out(team.workspace, team.project, people, by="mia", **options)


def by_user(team):
    return {
        load.user: (load.handed, load.begun, load.done)
        for load in assignments.loads(team.workspace, team.project)
    }


def test_everybody_sees_how_far_they_are(team):
    save_own(team.workspace, team.ids[0], 0, [], user="ana", status="done")
    save_own(team.workspace, team.ids[1], 0, [], user="ana")
    assert by_user(team) == {"ana": (3, 2, 1), "bo": (3, 0, 0)}


def test_handing_out_twice_changes_nothing(team):
    dealt = hand_out(team)
    assert (dealt.documents, dealt.added, dealt.removed, dealt.loads) == (3, 0, 0, {"ana": 3, "bo": 3})


def test_a_part_is_handed_out_alone_and_the_rest_stays(workspace, project):
    given = [Document(str(at), f"第{at}份文件。") for at in range(6)]
    ids = documents.add(workspace, project.id, given).ids
    for user, role in (("mia", "manager"), ("ana", "annotator"), ("bo", "annotator")):
        members.put(workspace, project.id, user, role, by="mia")
    assignments.set_plan(workspace, project.id, "separate", 1, by="mia")
    assignments.hand_out(workspace, project.id, ["ana"], by="mia", among=ids[:2])
    dealt = assignments.hand_out(workspace, project.id, ["bo"], by="mia", among=[*ids[2:5], 10**6])
    assert (dealt.documents, dealt.added, dealt.removed) == (3, 3, 0)
    assert {load.user: load.handed for load in assignments.loads(workspace, project.id)} == {
        "ana": 2,
        "bo": 3,
    }


def test_a_preview_says_what_would_happen_and_does_nothing(team):
    documents.add(team.workspace, team.project, [Document("new", "新来的文书。")])
    assert hand_out(team, only_preview=True).added == 2
    assert by_user(team)["ana"] == (3, 0, 0)
    assert hand_out(team).added == 2
    assert by_user(team)["ana"] == (4, 0, 0)


def test_someone_who_joins_gets_the_next_ones_or_a_share_when_dealt_again(team):
    members.put(team.workspace, team.project, "cy", "annotator", by="mia")
    assert "cy" not in hand_out(team, ("ana", "bo", "cy")).loads
    save_own(team.workspace, team.ids[0], 0, [Span(0, 3, "PER")], user="ana")
    assert hand_out(team, ("ana", "bo", "cy"), again=True).loads == {"ana": 2, "bo": 2, "cy": 2}
    assert annotations.current(team.workspace, team.ids[0], "ana").revision == 1


def test_who_left_keeps_what_is_done_and_nobody_waits_for_the_rest(team):
    members.put(team.workspace, team.project, "cy", "annotator", by="mia")
    save_own(team.workspace, team.ids[0], 0, [], user="bo", status="done")
    save_own(team.workspace, team.ids[1], 0, [], user="bo")
    members.remove(team.workspace, team.project, "bo", by="mia")
    hand_out(team, ("ana", "cy"))
    assert by_user(team) == {"ana": (3, 0, 0), "bo": (1, 1, 1), "cy": (2, 0, 0)}


def test_finished_and_reviewed_documents_are_left_alone(team):
    for user in ("ana", "bo"):
        save_own(team.workspace, team.ids[0], 0, [], user=user, status="done")
    adjudications.merge_unanimous(team.workspace, team.project, by="rui")
    (done,) = documents.add(team.workspace, team.project, [Document("done", "已经标完。")]).ids
    annotations.set_status(team.workspace, done, "done", user="mia")
    members.put(team.workspace, team.project, "cy", "annotator", by="mia")
    assignments.set_plan(team.workspace, team.project, "separate", 3, by="mia")
    assert hand_out(team, ("ana", "bo", "cy")).documents == 2
    assert by_user(team)["cy"] == (2, 0, 0)


def test_more_people_a_document_than_there_are_changes_nothing(team):
    assignments.set_plan(team.workspace, team.project, "separate", 3, by="mia")
    with pytest.raises(PeopleError, match="only 2 take part"):
        hand_out(team)
    assert by_user(team) == {"ana": (3, 0, 0), "bo": (3, 0, 0)}


def test_strangers_get_nothing(team):
    with pytest.raises(NotFound):
        hand_out(team, ("ana", "stranger"))


def test_without_members_anybody_can_be_given_documents(workspace, project):
    ids = documents.add(workspace, project.id, [Document("1", "一份文件。")]).ids
    assignments.set_plan(workspace, project.id, "together", 2, by="mia")
    dealt = assignments.hand_out(workspace, project.id, ["ana", "bo"], by="mia", among=ids)
    assert dealt.loads == {"ana": 1, "bo": 1}
    for user, spans in (("ana", []), ("bo", [])):
        annotations.save(workspace, ids[0], 0, spans, user=user, annotator=user, status="done")
    assert [row.state for row in adjudications.waiting(workspace, project.id, by="mia").rows] == ["ready"]


@pytest.mark.parametrize("by", ["ana", "rui", "stranger"])
def test_only_a_manager_hands_out_and_plans(team, by):
    with pytest.raises(NotAllowed):
        assignments.hand_out(team.workspace, team.project, ["ana"], by=by)
    with pytest.raises(NotAllowed):
        assignments.set_plan(team.workspace, team.project, "together", 1, by=by)
    assert assignments.plan(team.workspace, team.project) == assignments.Plan("separate", 2)


def test_working_separately_takes_members(workspace, project):
    with pytest.raises(PeopleError, match="Nobody is a member"):
        assignments.set_plan(workspace, project.id, "separate", 2, by="mia")


@pytest.mark.parametrize(
    ("workflow", "overlap"), [("alone", 1), ("separate", 0), ("separate", 21), ("separate", True)]
)
def test_odd_plans_are_refused(team, workflow, overlap):
    with pytest.raises(PayloadError):
        assignments.set_plan(team.workspace, team.project, workflow, overlap, by="mia")
