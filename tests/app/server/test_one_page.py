"""An address of a page that does not exist is answered as any other, without a fault in the log."""

import gradio as gr
import pytest
from starlette.middleware import Middleware
from starlette.responses import PlainTextResponse
from starlette.testclient import TestClient

from app.server.one_page import OnePage
from app.server.options import parse
from app.server.run import _guard


@pytest.fixture(scope="module")
def client():
    with gr.Blocks(analytics_enabled=False) as demo:
        gr.Textbox()
    app = gr.routes.App.create_app(demo, app_kwargs={"middleware": [Middleware(OnePage)]})
    with TestClient(app) as opened:  # which raises what the app raises
        yield opened


@pytest.mark.parametrize("query", ["page=compare", "view=api&page=x", "page=%00", "page=%FF", "page=a&page="])
def test_a_page_that_does_not_exist_is_answered_as_any_other_address(client, query):
    elsewhere = client.get("/nowhere")
    assert elsewhere.status_code == 404
    for method in ("GET", "HEAD"):
        assert client.request(method, f"/?{query}").status_code == 404
    assert client.get(f"/?{query}").json().keys() == elsewhere.json().keys()


ANSWERED = ["/", "/?page=", "/?deep_link=x", "/file?page=x", "/app/", "/app/a?page=x"]


@pytest.mark.parametrize("address", ANSWERED)
def test_what_exists_is_answered(address):
    client = TestClient(OnePage(PlainTextResponse("all documents")))
    assert client.get(address).text == "all documents"


def test_below_a_path_of_a_proxy_it_is_the_same():
    client = TestClient(OnePage(PlainTextResponse("all documents")), root_path="/app")
    assert client.get("/app/?page=x").status_code == 404
    assert client.get("/app/").status_code == 200


def test_the_app_has_it_at_its_door():
    assert OnePage in [guard.cls for guard in _guard(parse([]))]
