"""Too many wrong passwords are answered with a wait, in two languages, and known browsers pass."""

from __future__ import annotations

import pytest
from fastapi import FastAPI, Form, HTTPException
from fastapi.responses import HTMLResponse
from starlette.middleware import Middleware
from starlette.testclient import TestClient

from app.server.login import COOKIE, Login, LoginDoor
from app.server.login_limit import ONE_NAME, LoginLimit
from app.server.options import parse
from app.server.run import _guard

PASSWORDS = {"lin": "right", "王": "对"}


@pytest.fixture
def asked():
    """The passwords that were looked at."""
    return []


@pytest.fixture
def site(clock, asked):
    """What Gradio does with a login, behind the door."""

    def check(name, password):
        asked.append(password)
        return PASSWORDS.get(name) == password

    login = Login(check, LoginLimit(clock))
    site = FastAPI(middleware=[Middleware(LoginDoor, login=login)])

    @site.post("/login")
    async def log_in(username: str = Form(), password: str = Form()):
        if not login.check(username, password):
            raise HTTPException(400, "Incorrect credentials.")
        return {"success": True}

    @site.get("/")
    def page(logged_in: bool = False):
        settings = "{}" if logged_in else '{"auth_required": true}'
        return HTMLResponse(f"<head><title>字</title></head><body>{settings}</body>")

    return site


def log_in(browser, password, name="lin"):
    return browser.post("/login", data={"username": name, "password": password})


def test_too_many_wrong_passwords_wait_before_they_are_checked(site, clock, asked):
    browser = TestClient(site)
    for _ in range(ONE_NAME.free):
        assert log_in(browser, "wrong").status_code == 400
    refused = log_in(browser, "right")
    assert (refused.status_code, refused.headers["retry-after"]) == (429, "1")
    assert refused.json()["detail"]["seconds"] == 1
    assert "Try again in 1 s" in refused.json()["detail"]["en"]
    assert "等待 1 秒" in refused.json()["detail"]["zh"]
    assert "right" not in asked
    clock.now += 1
    assert log_in(browser, "right").status_code == 200


def test_a_name_that_does_not_exist_waits_like_one_that_does(site):
    browser = TestClient(site)
    answers = {
        name: [log_in(browser, "wrong", name).status_code for _ in range(ONE_NAME.free + 1)]
        for name in ("lin", "nobody")
    }
    assert answers["lin"] == answers["nobody"]
    assert answers["lin"][-1] == 429


def test_an_attack_does_not_lock_out_a_known_browser(site):
    hers, strangers = TestClient(site), TestClient(site)
    assert log_in(hers, "right").status_code == 200
    for _ in range(50):
        log_in(strangers, "wrong")
    assert log_in(strangers, "right").status_code == 429
    assert log_in(hers, "right").status_code == 200


def test_a_cookie_is_bound_to_its_name_and_signed(site):
    hers, strangers = TestClient(site), TestClient(site)
    log_in(hers, "right")
    log_in(hers, "对", "王")  # the browser is known as 王 now
    for name in ("lin", "王"):
        for _ in range(12):
            log_in(strangers, "wrong", name)
    assert log_in(hers, "right").status_code == 429
    assert log_in(hers, "对", "王").status_code == 200
    for made_up in ("", ".", "x.y", "字", "a" * 5000, hers.cookies[COOKIE][:-1]):
        header = [(b"cookie", f"{COOKIE}={made_up}".encode())]
        form = {"username": "王", "password": "对"}
        assert TestClient(site).post("/login", data=form, headers=header).status_code == 429


def test_the_cookie_is_http_only_same_site_and_only_set_on_success(site):
    assert COOKIE not in log_in(TestClient(site), "wrong").headers.get("set-cookie", "")
    given = log_in(TestClient(site), "right").headers["set-cookie"]
    assert given.startswith(f"{COOKIE}=")
    assert "HttpOnly" in given
    assert "SameSite=Lax" in given
    assert "Secure" not in given
    encrypted = log_in(TestClient(site, base_url="https://ner.example.org"), "right")
    assert "; Secure" in encrypted.headers["set-cookie"]


def test_the_login_page_gets_the_script_that_shows_the_wait_and_no_other_page_does(site):
    login, inside = TestClient(site).get("/"), TestClient(site).get("/?logged_in=true")
    assert login.text.index("ll-login-wait") < login.text.index("</head>")
    assert "字" in login.text
    assert int(login.headers["content-length"]) == len(login.content)
    assert inside.text == "<head><title>字</title></head><body>{}</body>"


def test_the_login_door_is_installed_only_with_a_login():
    assert LoginDoor not in [guard.cls for guard in _guard(parse([]))]
    login = Login(lambda name, password: False)
    for flags in ([], ["--demo"]):
        assert _guard(parse(flags), login)[-1].cls is LoginDoor


def test_without_the_door_in_front_the_limit_still_holds(clock):
    login = Login(lambda name, password: False, LoginLimit(clock))
    for _ in range(ONE_NAME.free):
        assert login.check("lin", "wrong") is False
    with pytest.raises(HTTPException) as refused:
        login.check("lin", "wrong")
    assert refused.value.status_code == 429
