"""Sessions: who holds a token, for how long."""

from types import SimpleNamespace

import pytest

from app.services.background.latest import Latest
from app.services.identity.logins import Login
from app.services.limits.asker import Asker
from app.services.limits.refusals import OverLimit
from app.services.rights import place, project_of
from app.services.session import OtherLogin, Session, SessionExpired, Sessions, check_login
from core.store import Workspace
from core.store.project import members, projects
from tests.workspaces import new_workspace


@pytest.fixture
def closed():
    return []


@pytest.fixture
def sessions(clock, closed):
    def open_workbench(token):
        return SimpleNamespace(first_project=lambda user="", last=None: 7)

    return Sessions(open_workbench, close=closed.append, lifetime=100, clock=clock)


def test_a_new_page_gets_a_token_of_its_own_and_the_first_project(sessions):
    first, second = sessions.open("lin", "zh"), sessions.open("lin", "zh")
    assert first.token != second.token
    assert len(first.token) >= 32
    assert (first.project_id, first.language, first.user) == (7, "zh", "lin")
    assert sessions.find(first.token) is first


def test_a_reload_finds_its_session_again_in_the_language_asked_for(sessions):
    first = sessions.open("lin", "zh")
    first.project_id = 9
    again = sessions.open("lin", "en", first.token)
    assert again is first
    assert (again.project_id, again.language) == (9, "en")


def test_a_reload_turns_to_the_project_of_the_address_if_it_is_open(sessions):
    first = sessions.open("lin", "zh")
    first.workbench.first_project = lambda user, last: 8 if last == 8 else 7
    first.memory["page"] = "of project 7"
    assert sessions.open("lin", "zh", first.token, project=8).project_id == 8
    assert first.memory == {}
    assert sessions.open("lin", "zh", first.token, project=99).project_id == 8  # closed, or deleted
    assert sessions.open("lin", "zh", first.token).project_id == 8


def test_a_renamed_person_keeps_the_session_over_a_reload(sessions):
    first = sessions.open("me", "en")
    first.user = "Lin"
    assert sessions.open("Lin", "en", first.token) is first


def test_a_token_of_another_login_is_refused(sessions):
    first = sessions.open("lin", "en", logged_in=True)
    assert sessions.open("eve", "en", first.token, logged_in=True) is not first
    assert sessions.open("lin", "en", first.token) is not first


@pytest.mark.parametrize("token", ["", "guess", None, 5, ["x"]])
def test_an_unknown_token_is_refused_with_what_to_do(sessions, token):
    with pytest.raises(SessionExpired, match="Reload the page"):
        sessions.find(token)


def test_silence_ends_a_session_and_every_call_prolongs_it(sessions, clock, closed):
    kept, lost = sessions.open("a", "en"), sessions.open("b", "en")
    clock.now = 60
    sessions.find(kept.token)
    clock.now = 120
    assert sessions.expire() == [lost]
    assert closed == [lost]
    assert len(sessions) == 1
    with pytest.raises(SessionExpired):
        sessions.find(lost.token)


def test_closing_closes_every_session_once(sessions, closed):
    open_ones = [sessions.open(name, "en") for name in "ab"]
    sessions.close_all()
    sessions.close_all()
    assert closed == open_ones
    assert sessions.workbenches() == []


def test_turning_to_another_project_forgets_what_pages_kept():
    session = Session("t", "lin", None, 1, memory={"data": "preview"})  # type: ignore[arg-type]
    session.turn_to(2)
    assert (session.project_id, session.memory) == (2, {})


@pytest.fixture
def workbench(tmp_path):
    with Workspace.open(new_workspace(tmp_path)) as workspace:
        projects.create(workspace, "news")
        yield SimpleNamespace(workspace=workspace)


def test_a_call_stays_in_its_project_and_tells_what_the_page_is_by_now(workbench):
    for name in ("sports", "law"):
        projects.create(workbench.workspace, name)
    page = Session("token", "ana", workbench, 1)
    call = page.of_call()
    call.memory["words"] = "of project 1"
    assert page.memory == {"words": "of project 1"}
    page.turn_to(2)
    page.change(language="zh")
    assert (call.project_id, call.memory, call.is_left) == (1, {"words": "of project 1"}, True)
    assert (page.project_id, page.memory, page.is_left) == (2, {}, False)
    assert call._("Cancelled.") == "已取消。", "long work goes on in the new language"
    assert project_of(place(call)) == 2
    later = call.of_call()
    later.turn_to(3)
    assert (page.project_id, page.turns, later.is_left, call.is_left) == (3, 2, False, True)
    later.memory["seen"] = "of project 3"
    assert page.memory == {"seen": "of project 3"}


def test_the_place_differs_at_every_move_and_keeps_its_seven_parts_whatever_the_name(workbench):
    session = Session("t", "a|b", workbench, 1)
    first, second = place(session), place(session)
    assert first != second
    assert first.split("|") == ["en", "a b", "t", "1", "review", "", "1"]


def test_the_place_names_the_pages_that_are_closed_to_the_person(workbench):
    members.put(workbench.workspace, 1, "ana", "annotator", by="mia")
    assert place(Session("t", "mia", workbench, 1)).split("|")[4] == ""
    assert place(Session("t", "ana", workbench, 1)).split("|")[4] == "review"
    assert "data" in place(Session("t", "stranger", workbench, 1)).split("|")[4].split()


def test_the_place_names_the_rights_that_the_person_lacks(workbench):
    members.put(workbench.workspace, 1, "ana", "annotator", by="mia")
    assert place(Session("t", "mia", workbench, 1)).split("|")[5] == ""
    lacking = set(place(Session("t", "ana", workbench, 1)).split("|")[5].split())
    assert lacking >= {"import", "export", "train", "manage"}
    assert not lacking & {"annotate", "try_tagger", "see_documents"}
    assert set(place(Session("t", "stranger", workbench, 1)).split("|")[5].split()) == set(members.RIGHTS)


def test_a_login_is_not_remembered_by_the_browser(workbench):
    session = Session("t", "lin", workbench, 1, logged_in=True)
    assert place(session).split("|")[1] == ""


class TestHowManyOfOnePerson:
    """Pages of one person; whoever has too many loses the one that was left."""

    def open(self, sessions, page, name="browser a", people=1):
        return sessions.open("me", "en", page=page, asker=Asker(name, people))

    @pytest.fixture
    def few(self, clock, closed):
        bench = SimpleNamespace(first_project=lambda user="", last=None: 7)
        return Sessions(lambda token: bench, clock=clock, close=closed.append, most=2)

    def test_the_page_that_was_left_longest_ago_goes_and_others_keep_theirs(self, few, clock, closed):
        first = self.open(few, "1")
        clock.now = 1
        second, other = self.open(few, "2"), self.open(few, "3", "browser b")
        with pytest.raises(OverLimit, match="Close one of them"):
            self.open(few, "4")
        few.page_closed("2")
        few.page_closed("1")
        few.page_closed("3")
        third = self.open(few, "5")
        assert closed == [first]
        assert [few.find(each.token) for each in (second, other, third)] == [second, other, third]

    def test_of_a_closed_page_nothing_is_kept_about_its_fillings(self, few):
        session = self.open(few, "1")
        few.open("me", "en", session.token, page="2")
        session.fillings.update({("1", "train"): Latest(), ("2", "train"): Latest()})
        few.page_closed("1")
        assert session.fillings.keys() == {("2", "train")}

    def test_a_page_that_is_reloaded_counts_once_and_an_address_for_as_many_as_share_it(self, few):
        mine = self.open(few, "1")
        for page in "234":
            assert few.open("me", "en", mine.token, page=page, asker=Asker("browser a")) is mine
        for page in range(6):
            self.open(few, f"at {page}", "address 10.0.0.7", people=3)
        with pytest.raises(OverLimit):
            self.open(few, "at 7", "address 10.0.0.7", people=3)


@pytest.mark.parametrize(
    "login",
    [
        None,
        Login("2", "lin", "password", 0, 0),
        Login("1", "ana", "password", 0, 0),
        Login("", "lin", "proxy", 0, 0),
    ],
)
def test_a_token_opens_a_page_to_the_login_that_opened_it_alone(sessions, login):
    session = sessions.open("lin", "en", logged_in=True, login="1")
    check_login(session, Login("1", "lin", "password", 0, 0))
    with pytest.raises(OtherLogin, match="Reload the page"):
        check_login(session, login)
    check_login(sessions.open("me", "en"), login)  # where nobody has to log in, the token is enough
