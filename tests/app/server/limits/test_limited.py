"""Requests beyond a limit are answered 429 with a sentence; nobody pays for another."""

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.responses import JSONResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from app.server.limits import limited as module
from app.server.limits.askers import COOKIE
from app.server.limits.limited import Limited
from app.services.identity.logins import Login
from app.services.limits.asker import asker_of
from app.services.limits.buckets import Buckets, Rate
from app.services.limits.table import DAY, Limits

JOIN = "/gradio_api/queue/join"


async def answer(request):
    asker = asker_of(request)
    return JSONResponse({"came": len(await request.body()), "asker": asker.name if asker else None})


class As:
    """ASGI middleware in the door's place: everybody with this header is logged in."""

    def __init__(self, app):
        self.app = app

    async def __call__(self, scope, receive, send):
        name = dict(scope["headers"]).get(b"x-name", b"").decode()
        login = Login("1", name, "password", 0, 0) if name else None
        await self.app({**scope, "state": {"login": login}}, receive, send)


@pytest.fixture
def site(clock):
    """``site(client=address)``: a browser before an app with two requests and a kilobyte a person."""
    limits = Limits(requests=Rate(2, 60.0), sent=Rate(1000, DAY))
    guard = Middleware(Limited, limits=limits, scripts="/scripts/", buckets=Buckets(clock))
    routes = [Route("/{path:path}", answer, methods=["GET", "POST", "PUT"])]
    app = Starlette(routes=routes, middleware=[Middleware(As), guard])

    def browser(address="10.0.0.7", **headers):
        return TestClient(app, "https://ner.example.org", client=(address, 5000), headers=headers)

    return browser


def statuses(browser, times, path=JOIN):
    return [browser.post(path).status_code for _ in range(times)]


def test_a_third_request_is_refused_with_a_sentence_and_when_to_come_again(site, clock):
    lin = site(**{"x-name": "lin", "accept-language": "zh-CN"})
    assert statuses(lin, 2) == [200, 200]
    refused = lin.post(JOIN)
    assert refused.status_code == 429
    assert refused.headers["retry-after"] == "30"
    assert refused.headers["x-latticelens-refused"] == "requests"
    body = refused.json()
    assert body["said"]["en"] == (
        "You have asked more often than this server allows. Try again in 30 seconds."
    )
    assert body["detail"] == body["said"]["zh"] != body["said"]["en"]
    clock.now += 30
    assert statuses(lin, 2) == [200, 429]


def test_a_page_that_is_refused_is_a_page_that_asks_again_by_itself(site):
    browser = site(**{"x-name": "lin"})
    assert statuses(browser, 2) == [200, 200]
    page = browser.get("/")
    assert (page.status_code, page.headers["retry-after"]) == (429, "30")
    assert page.headers["content-type"].startswith("text/html")
    assert '<meta http-equiv="refresh" content="30">' in page.text
    assert "Try again in 30 seconds." in page.text


def test_people_tokens_and_browsers_behind_one_address_have_their_own(site):
    ada = site(**{"x-name": "ada"})
    one, other = site(authorization="Bearer one"), site(authorization="Bearer other")
    assert statuses(ada, 3) == [200, 200, 429]
    assert statuses(one, 3, "/api/v1/documents") == [200, 200, 429]
    assert statuses(other, 2, "/api/v1/documents") == [200, 200]
    said = one.post("/api/v1/documents").json()
    assert said["error"]["code"] == "over_limit"
    for _ in range(2):
        visitor = site()
        assert COOKIE in visitor.get("/").cookies
        assert statuses(visitor, 3) == [200, 200, 429]


def test_an_address_has_as_much_as_ten_whatever_cookies_and_tokens_its_people_make_up(site):
    def made_up(number):
        return site(cookie=f"{COOKIE}=abc{number}.forged", authorization=f"Bearer {number}")

    assert [statuses(made_up(n), 1, "/api/v1/tag")[0] for n in range(20)] == [200] * 20
    assert statuses(made_up(20), 1, "/api/v1/tag") == [429]
    assert statuses(made_up(21), 1) == [429]  # a forged mark is none
    assert statuses(site("10.0.0.8"), 1) == [200]


def test_a_token_is_nobodys_name(site):
    shown = site(authorization="Bearer ll_1_secret").post("/api/v1/tag").json()["asker"]
    assert shown.startswith("token ")
    assert "secret" not in shown


def test_what_watches_and_what_belongs_to_the_page_is_not_counted(site):
    browser = site(**{"x-name": "lin"})
    paths = ("/healthz", "/readyz", "/scripts/x.js", "/static/x", "/gradio_api/heartbeat/a")
    assert {browser.get(path).status_code for path in paths * 5} == {200}
    assert statuses(browser, 2) == [200, 200]


@pytest.mark.parametrize("chunked", [False, True])
def test_bytes_are_counted_whether_their_number_is_told_or_not(site, chunked):
    lin = site(**{"x-name": "lin"})
    body = (part for part in (b"x" * 300, b"x" * 300)) if chunked else b"x" * 600
    assert lin.post("/gradio_api/upload", content=body).json()["came"] == 600
    body = (part for part in (b"x" * 300, b"x" * 300)) if chunked else b"x" * 600
    refused = lin.post("/gradio_api/upload", content=body)
    assert (refused.status_code, refused.headers["x-latticelens-refused"]) == (429, "sent")
    assert int(refused.headers["retry-after"]) > 3600


def test_more_than_a_days_bytes_or_a_huge_call_is_too_large(site, monkeypatch):
    lin = site(**{"x-name": "lin"})
    refused = lin.post("/gradio_api/upload", content=b"x" * 1001)
    assert (refused.status_code, "retry-after" in refused.headers) == (413, False)
    monkeypatch.setattr(module, "LARGEST_CALL", 100)
    body = (part for part in (b"x" * 60, b"x" * 60))
    assert lin.post(JOIN, content=body).status_code == 413


@pytest.mark.parametrize(
    "cookie", ["=", f"{COOKIE}=", f"{COOKIE}=.", f"{COOKIE}=a.b.c", f"{COOKIE}=ÿ.é", "a b;c"]
)
def test_a_cookie_that_cannot_be_read_is_none(site, cookie):
    browser = site(cookie=cookie.encode("latin-1"))
    assert browser.post(JOIN).json()["asker"] == "address 10.0.0.7"
