"""The people section of Settings: what it says, does and refuses."""

from types import SimpleNamespace

import pytest

from app.services.errors import AppError
from app.services.session import Sessions
from app.settings import people as settings_people
from core.store import Workspace
from core.store.db.errors import PayloadError, PeopleError
from core.store.document import documents
from core.store.label import labels
from core.store.project import assignments, members, projects
from core.store.project.members import NotAllowed
from core.store.review import decisions
from core.text import Document, LabelSet
from tests.store.by_hand import save_own
from tests.store.separate import separate
from tests.workspaces import new_workspace


@pytest.fixture
def workspace(tmp_path):
    with Workspace.open(new_workspace(tmp_path)) as opened:
        yield opened


@pytest.fixture
def sessions(workspace):
    project = projects.create(workspace, "news")
    labels.put(workspace, project.id, LabelSet().extended(["PER", "ORG"]))
    bench = SimpleNamespace(workspace=workspace, first_project=lambda user="", last=None: project.id)
    return Sessions(lambda token: bench)


@pytest.fixture
def mia(sessions):
    return sessions.open("mia", "en")


@pytest.fixture
def team(workspace, mia):
    return separate(workspace, projects.get(workspace, mia.project_id))


def test_somebody_alone_reads_one_sentence_and_sees_no_form_for_managers(mia):
    shown = settings_people.show(mia)
    assert "No members yet" in shown["summary"]
    assert shown["plan"]["visible"] is False


def test_adding_the_first_member_makes_a_manager_and_opens_the_review(mia):
    put = settings_people.put_member(mia, "  ana ", "annotator")
    assert (put["message"], put["name"]) == ("`ana` is now annotator.", "")
    assert "review" not in put["moved"].split("|")[4]
    shown = settings_people.show(mia)
    assert shown["plan"]["visible"] is True
    assert "You are **`mia`**: manager." in shown["summary"]
    assert "do not protect anything" in shown["summary"]


def test_behind_a_login_the_role_is_no_courtesy(sessions, team):
    session = sessions.open("mia", "en", logged_in=True)
    assert "courtesy" not in settings_people.summary_text(session)


def test_who_is_no_member_reads_no_names(sessions, team):
    assert "ana" not in settings_people.summary_text(sessions.open("stranger", "en"))


def test_a_name_is_text_and_no_markup(mia):
    settings_people.put_member(mia, "<b>*eve*</b>|", "annotator")
    summary = settings_people.summary_text(mia)
    assert "| `<b>*eve*</b>｜` | annotator |" in summary


def test_a_preview_and_the_deal_after_it_are_the_same(workspace, mia, team):
    documents.add(workspace, team.project, [Document("new", "新来的文书。")])
    said = settings_people.preview(mia, ["ana", "bo"], False)
    assert "To be assigned: 2" in said
    done = settings_people.hand_out(mia, ["ana", "bo"], False)["message"]
    assert "Assigned: 2" in done
    assert "`ana` 4" in done


def test_assigning_requires_individual_versions(mia):
    settings_people.put_member(mia, "ana", "annotator")
    with pytest.raises(AppError, match="separately"):
        settings_people.hand_out(mia, ["ana"], False)


def test_more_people_a_document_than_take_part_is_refused(workspace, mia, team):
    settings_people.save_plan(mia, "separate", 3)
    with pytest.raises(PeopleError, match="only 2 take part"):
        settings_people.hand_out(mia, ["ana", "bo"], False)
    with pytest.raises(PeopleError, match="at least one"):
        settings_people.hand_out(mia, [], False)


@pytest.mark.parametrize("overlap", [None, 1.5, 0, 99])
def test_an_odd_number_of_people_is_refused(mia, team, overlap):
    with pytest.raises(PayloadError):
        settings_people.save_plan(mia, "separate", overlap)


def test_who_left_is_still_shown_with_what_they_finished(workspace, mia, team):
    save_own(workspace, team.ids[0], 0, [], user="bo", status="done")
    said = settings_people.remove_member(mia, "bo")["message"]
    assert said.startswith("`bo` is no longer a member")
    assert "| `bo` |  | 3 | 1 |" in settings_people.summary_text(mia)


def test_categories_are_named_in_the_persons_language_and_kept_by_key(workspace, sessions, mia, team):
    zh = sessions.open("mia", "zh")
    assert settings_people.show(zh)["categories"].startswith("边界, 类型")
    settings_people.save_categories(zh, "边界，歧义\n")
    assert decisions.categories(workspace, team.project) == ("boundary", "歧义")
    settings_people.save_categories(zh, " ")
    assert decisions.categories(workspace, team.project) == decisions.CATEGORIES


@pytest.mark.parametrize("user", ["ana", "rui", "stranger"])
def test_only_a_manager_manages(sessions, workspace, team, user):
    session = sessions.open(user, "en")
    for call in (
        lambda: settings_people.put_member(session, user, "manager"),
        lambda: settings_people.remove_member(session, "mia"),
        lambda: settings_people.save_plan(session, "together", 1),
        lambda: settings_people.preview(session, ["ana"], False),
        lambda: settings_people.hand_out(session, ["ana"], True),
        lambda: settings_people.save_categories(session, "mine"),
    ):
        with pytest.raises(NotAllowed):
            call()
    assert assignments.plan(workspace, team.project).workflow == "separate"
    assert members.role_of(workspace, team.project, "mia") == "manager"
