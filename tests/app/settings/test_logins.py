"""Settings: one's own password and sessions; those of others for operators alone."""

import argon2
import pytest

from app.services.errors import AppError
from app.services.identity.identity import Identity, TooManyAttempts, WrongPassword
from app.services.identity.login_limit import ONE_NAME
from app.services.session import SessionExpired, Sessions
from app.settings import logins as page
from core.accounts.password_file import AccountError, PasswordFile
from core.accounts.passwords import PasswordError, Passwords
from core.store.project.members import NotAllowed

PASSWORD, FIREFOX = "correct horse", "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"


class House:
    """An identity with an operator and another person, and the sessions of their browsers."""

    def __init__(self, workbench, tmp_path):
        hasher = argon2.PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
        self.accounts = PasswordFile(tmp_path / "users", Passwords(hasher), create=True)
        self.accounts.put("boss", PASSWORD, operator=True)
        self.accounts.put("lin", PASSWORD)
        self.sessions = Sessions(lambda token: workbench)
        self.identity = workbench.identity = Identity(
            self.accounts, ended=lambda login: self.sessions.end(login.id)
        )
        self.told = []
        self.identity.events.attach(lambda event: self.told.append((event.kind, event.user, event.by)))

    def browser(self, user, agent=FIREFOX, password=PASSWORD):
        login, _cookie = self.identity.log_in(user, password, agent=agent)
        return self.sessions.open(user, "en", logged_in=True, login=login.id)

    def is_in(self, session):
        try:
            return self.sessions.find(session.token) is session
        except SessionExpired:
            return False


@pytest.fixture
def house(workbench, tmp_path):
    return House(workbench, tmp_path)


def test_where_nobody_logs_in_the_section_is_hidden(session):
    assert page.show(session)["section"]["visible"] is False
    with pytest.raises(AppError, match="not logged in"):
        page.end_others(session)


def test_one_sees_ones_own_sessions_and_an_operator_everybodys(house):
    lin, phone, boss = house.browser("lin"), house.browser("lin", ""), house.browser("boss")
    shown = page.show(lin)
    rows = shown["table"]["data"]
    assert sorted(row[1] for row in rows) == ["Firefox on Linux", "unknown browser"]
    assert [row[1] for row in rows if row[4] == "this session"] == ["Firefox on Linux"]
    assert [value for _, value in shown["chosen"]["choices"]] == [phone.login]
    assert shown["operator"]["visible"] is False
    assert shown["account"]["choices"] == []
    shown = page.show(boss)
    assert {row[0] for row in shown["table"]["data"]} == {"lin", "boss"}
    assert shown["account"]["choices"] == ["boss", "lin"]


def test_another_password_ends_ones_other_sessions_and_keeps_this_one(house):
    here, there = house.browser("lin"), house.browser("lin")
    done = page.change_password(here, PASSWORD, "a new password", "a new password")
    assert (done["old"], done["new"], done["again"]) == ("", "", "")
    assert (house.is_in(here), house.is_in(there)) == (True, False)
    assert house.identity.logins.of("lin")[0].id == here.login
    assert house.accounts.check("lin", "a new password")
    assert house.told[-2:] == [("session_ended", "lin", "lin"), ("password_changed", "lin", "lin")]


def test_a_password_is_not_changed_by_mistake_or_by_somebody_who_guesses(house):
    session = house.browser("lin")
    for old, new, again, refused in (
        ("wrong", "a new password", "a new password", WrongPassword),
        (PASSWORD, "a new password", "a new pasword", AppError),
        (PASSWORD, "short", "short", PasswordError),
        (PASSWORD, PASSWORD, PASSWORD, AppError),
        ("", "", "", WrongPassword),
    ):
        with pytest.raises(refused):
            page.change_password(session, old, new, again)
    for _ in range(ONE_NAME.free):
        with pytest.raises((WrongPassword, TooManyAttempts)):
            page.change_password(session, "guess", "a new password", "a new password")
    with pytest.raises(TooManyAttempts):
        page.change_password(session, PASSWORD, "a new password", "a new password")
    assert house.accounts.check("lin", PASSWORD)


def test_a_session_is_ended_by_its_owner_or_an_operator(house):
    lin, phone, boss = house.browser("lin"), house.browser("lin"), house.browser("boss")
    with pytest.raises(NotAllowed):
        page.end_session(lin, boss.login)
    page.end_session(lin, phone.login)
    page.end_session(boss, lin.login)
    assert [house.is_in(each) for each in (lin, phone, boss)] == [False, False, True]
    for nothing in (None, "", "x", lin.login):
        with pytest.raises(AppError):
            page.end_session(boss, nothing)


def test_an_operator_gives_a_one_time_password_that_is_shown_once(house):
    lin, boss = house.browser("lin"), house.browser("boss")
    with pytest.raises(NotAllowed):
        page.reset_password(lin, "boss")
    shown = page.reset_password(boss, "lin")
    once = shown["one_time"]["value"]
    assert house.accounts.check("lin", once).one_time
    assert house.is_in(lin) is False
    assert page.show(boss)["one_time"] == {"value": "", "visible": False, "__type__": "update"}
    assert once not in repr(house.told)
    for nobody, refused in ((None, AppError), ("nobody", AccountError)):
        with pytest.raises(refused):
            page.reset_password(boss, nobody)


def test_who_is_no_operator_any_more_is_asked_again(house):
    boss = house.browser("boss")
    house.accounts.set_operator("boss", False)
    with pytest.raises(NotAllowed):
        page.reset_password(boss, "lin")


def test_a_person_of_a_provider_or_a_proxy_has_no_password_here(house):
    login, _ = house.identity.logins.open("guest", "provider")
    house.identity.provider = "id.example.org"
    guest = house.sessions.open("guest", "en", logged_in=True, login=login.id)
    assert page.show(guest)["password"]["visible"] is False
    assert "by id.example.org" in page.show(guest)["summary"]
    with pytest.raises(AppError, match="without a password"):
        page.change_password(guest, "", "a new password", "a new password")
    proxied = house.sessions.open("guest", "en", logged_in=True)
    assert "proxy of your organisation" in page.show(proxied)["summary"]
    assert page.show(proxied)["log_out"]["visible"] is False
