"""A request that no page sends to Gradio's own addresses is refused in a sentence, without a traceback."""

import logging

import gradio as gr
import pytest
from starlette.middleware import Middleware
from starlette.testclient import TestClient

from app.server.odd_requests import OddRequests
from app.server.options import parse
from app.server.run import _guard
from tests import own_loop

ODD = (
    b"",
    b"[" * 100_000,
    b'{"data": [NaN]}',
    b'{"data": ["\\ud800"]}',
    b'{"data": ["\xff"]}',
    b'{"session_hash": [1]}',
)


@pytest.fixture(scope="module")
def client():
    with gr.Blocks(analytics_enabled=False) as demo:
        box = gr.Textbox()
        box.input(lambda text: None, [box], [])
    app = gr.routes.App.create_app(demo, app_kwargs={"middleware": [Middleware(OddRequests)]})
    with TestClient(app) as opened:  # which raises what is left to the server
        yield opened


@pytest.mark.parametrize("path", ["reset", "cancel"])
@pytest.mark.parametrize("body", ODD)
def test_a_body_of_the_wrong_shape_is_refused(client, path, body):
    reply = client.post(f"/gradio_api/{path}", content=body, headers={"Content-Type": "application/json"})
    assert reply.status_code in (400, 422)
    assert reply.json()["detail"]


def test_a_file_without_a_name_or_content_is_refused_in_both_languages(client, caplog):
    with caplog.at_level(logging.WARNING, "latticelens"):
        body = b'--a\r\nContent-Disposition: form-data; name="files"\r\n\r\nsecret\r\n--a--\r\n'
        reply = client.post(
            "/gradio_api/upload", content=body, headers={"Content-Type": "multipart/form-data; boundary=a"}
        )
    assert reply.status_code == 400
    assert "cannot be read" in reply.json()["detail"]
    assert "无法读取" in reply.json()["detail"]
    assert "secret" not in caplog.text


@pytest.mark.parametrize("path", ["run/predict", "api/predict", "call/x", "call/v2/x", "vibe-edit"])
def test_callbacks_are_no_api_for_programs(client, path):
    reply = client.post(f"/gradio_api/{path}", json={"data": [1], "fn_index": 0, "session_hash": "a"})
    assert reply.status_code == 404
    assert "/api/v1" in reply.json()["detail"]


def test_an_event_of_a_page_is_taken(client):
    event = {"data": ["x"], "fn_index": 0, "session_hash": "abc", "event_data": None, "trigger_id": 1}
    assert client.post("/gradio_api/queue/join", json=event).status_code == 200


@pytest.mark.parametrize("path", ["/gradio_api/queue/join", "/gradio_api/component_server", "/x/reset", "/"])
def test_a_fault_where_the_app_itself_answers_stays_one(path):
    async def failing(scope, receive, send):
        raise ValueError("ours")

    with pytest.raises(ValueError, match="ours"):
        own_loop.run(OddRequests(failing)({"type": "http", "path": path}, None, None))


def test_the_app_has_it_at_its_door():
    assert OddRequests in [guard.cls for guard in _guard(parse([]))]
