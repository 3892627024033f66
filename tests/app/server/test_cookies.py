"""No script reads a cookie of the app, no other site sends it, and where there is TLS it stays inside."""

import pytest
from fastapi import FastAPI
from starlette.middleware import Middleware
from starlette.responses import JSONResponse
from starlette.testclient import TestClient

from app.server.cookies import SafeCookies
from app.server.options import parse
from app.server.run import _guard


def site(framed=False):
    app = FastAPI(middleware=[Middleware(SafeCookies, framed=framed)])

    @app.post("/login")
    def log_in():
        """The two cookies of Gradio's login, one of ours, and one that nobody can read."""
        answer = JSONResponse({"success": True})
        answer.set_cookie("access-token-x", "t", httponly=True, samesite="none", secure=True)
        answer.set_cookie("access-token-unsecure-x", "t", httponly=True)
        answer.set_cookie("plain", "a b; c", max_age=60)
        answer.headers.append("set-cookie", "=;;bad")
        return answer

    return app


def attributes(**options):
    headers = options.pop("headers", {})
    base = options.pop("base", "http://127.0.0.1:7860")
    answer = TestClient(site(**options), base_url=base).post("/login", headers=headers)
    cookies = answer.headers.get_list("set-cookie")
    assert len(cookies) == 4
    return [
        (
            cookie.split("=")[0],
            "httponly" in cookie.lower(),
            "secure" in [part.strip().lower() for part in cookie.split(";")],
            next((x.split("=")[1].lower() for x in cookie.split(";") if "samesite" in x.lower()), None),
        )
        for cookie in cookies
    ]


def test_without_tls_every_cookie_is_http_only_and_of_this_site():
    named = attributes()
    assert [(http_only, site) for _name, http_only, _secure, site in named] == [(True, "lax")] * 4
    assert [secure for _name, _http_only, secure, _site in named] == [True, False, False, False]


@pytest.mark.parametrize(
    "tls",
    [
        {"base": "https://ner.example.org"},
        {"headers": {"X-Forwarded-Proto": "https"}},
        {"headers": {"X-Forwarded-Proto": "HTTPS, http"}},
    ],
)
def test_behind_tls_every_cookie_is_secure(tls):
    assert [secure for _name, _http_only, secure, _site in attributes(**tls)] == [True] * 4


def test_in_a_frame_of_an_allowed_host_the_login_keeps_what_frames_need():
    framed = {name: site for name, _http_only, _secure, site in attributes(framed=True)}
    assert (framed["access-token-x"], framed["access-token-unsecure-x"], framed["plain"]) == (
        "none",
        "lax",
        "lax",
    )


def test_names_and_values_survive():
    answer = TestClient(site()).post("/login")
    assert answer.cookies["access-token-unsecure-x"] == "t"
    assert 'plain="a b\\073 c"; ' in answer.headers.get_list("set-cookie")[2]
    assert "Max-Age=60" in answer.headers.get_list("set-cookie")[2]


def test_the_app_has_it_at_its_door():
    (guard,) = [guard for guard in _guard(parse([])) if guard.cls is SafeCookies]
    assert guard.kwargs == {"framed": False}
    (guard,) = [guard for guard in _guard(parse(["--allow-host", "a.example"])) if guard.cls is SafeCookies]
    assert guard.kwargs == {"framed": True}
