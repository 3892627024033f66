"""The page is made once for an address, is the same as Gradio's, and never holds who is logged in."""

import gradio as gr
import pytest
from starlette.middleware import Middleware
from starlette.responses import HTMLResponse, PlainTextResponse
from starlette.testclient import TestClient

from app.server.gradio_patches.kept_page import ADDRESSES, KeptPage
from app.server.options import parse
from app.server.run import _guard
from app.server.sign_in.door import SignInDoor
from app.server.sign_in.opening import Door
from tests.browser.blocks_server import serve


class Counted:
    """Says how often it was asked, and by which host."""

    def __init__(self, response=HTMLResponse, **options):
        self.times = 0
        self._response = response
        self._options = options

    async def __call__(self, scope, receive, send):
        self.times += 1
        host = dict(scope["headers"])[b"host"].decode()
        await self._response(f"{host} {self.times}" + " " * 500, **self._options)(scope, receive, send)


def test_it_is_what_gradio_sends():
    with gr.Blocks(analytics_enabled=False) as demo:
        gr.Textbox(label="中文")
    serve(demo)
    try:
        without, opened = TestClient(demo.app), TestClient(KeptPage(demo.app))
        for host in ("127.0.0.1:7860", "nlp.example"):
            expected = without.get("/", headers={"Host": host})
            assert "中文" in expected.text
            for encoding in ("br", "identity", "br"):
                served = opened.get("/", headers={"Host": host, "Accept-Encoding": encoding})
                assert served.text == expected.text
                assert served.headers["content-type"] == expected.headers["content-type"]
                assert served.headers.get("content-encoding", "identity") == encoding
    finally:
        demo.close(verbose=False)


def test_each_address_has_its_own():
    app = Counted()
    client = TestClient(KeptPage(app))
    addresses = [
        {},
        {"Host": "nlp.example"},
        {"Host": "nlp.example", "X-Forwarded-Proto": "https"},
        {"Host": "nlp.example", "X-Forwarded-Host": "other.example"},
    ]
    first = [client.get("/", headers=headers).text for headers in addresses]
    assert len(set(first)) == app.times == 4
    assert [client.get("/", headers=headers).text for headers in addresses] == first
    assert app.times == 4


def test_made_up_addresses_are_forgotten():
    app = Counted()
    client = TestClient(KeptPage(app))
    for number in range(5 * ADDRESSES):
        client.get("/", headers={"Host": f"h{number}.example"})
    assert client.get("/", headers={"Host": "h0.example"}).text.startswith("h0.example")
    assert app.times == 5 * ADDRESSES + 1


@pytest.mark.parametrize("address", ["/?deep_link=x", "/config", "/gradio_api/startup-events"])
def test_anything_else_is_asked_each_time(address):
    app = Counted()
    client = TestClient(KeptPage(app))
    assert client.get(address).text != client.get(address).text


@pytest.mark.parametrize(
    "app",
    [Counted(PlainTextResponse, status_code=500), Counted(HTMLResponse, headers={"Set-Cookie": "who=ana"})],
    ids=["an error", "a cookie"],
)
def test_an_error_or_a_cookie_is_passed_on_and_not_kept(app):
    client = TestClient(KeptPage(app))
    first, second = client.get("/"), client.get("/")
    assert first.text != second.text
    assert first.status_code == second.status_code
    assert first.headers.get("set-cookie") == second.headers.get("set-cookie")


def test_a_form_sent_to_the_page_reaches_the_app():
    app = Counted()
    client = TestClient(KeptPage(app))
    client.get("/")
    client.post("/")
    assert app.times == 2


def test_it_stands_behind_the_door_so_that_nobody_gets_the_page_without_a_login():
    door = Door(Middleware(SignInDoor), [])
    assert [guard.cls for guard in _guard(parse([]))][-1] is KeptPage
    assert [guard.cls for guard in _guard(parse([]), door)][-2:] == [SignInDoor, KeptPage]
