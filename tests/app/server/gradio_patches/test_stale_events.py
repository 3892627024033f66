"""An event for a listener that is gone is refused in a sentence, not with a fault of the server."""

import gradio as gr
import pytest
from starlette.middleware import Middleware
from starlette.testclient import TestClient

from app.server.gradio_patches.stale_events import StaleEvents
from app.server.options import parse
from app.server.run import _guard
from tests import own_loop

STALE = {"data": ["token", 4], "fn_index": 417, "session_hash": "abc", "event_data": None, "trigger_id": 1}


@pytest.fixture(scope="module")
def client():
    with gr.Blocks(analytics_enabled=False) as demo:
        box = gr.Textbox()
        box.input(lambda text: None, [box], [])
    app = gr.routes.App.create_app(demo, app_kwargs={"middleware": [Middleware(StaleEvents)]})
    with TestClient(app, raise_server_exceptions=False) as opened:
        yield opened


def test_an_event_of_a_former_drawing_is_refused_in_both_languages(client):
    reply = client.post("/gradio_api/queue/join", json=STALE)
    assert reply.status_code == 410
    assert "The form was updated" in reply.json()["detail"]
    assert "表单" in reply.json()["detail"]


def test_a_call_of_a_widget_that_is_gone_is_refused_too(client):
    asked = {"session_hash": "abc", "component_id": 417, "fn_name": "save", "data": {}}
    reply = client.post("/gradio_api/component_server", json=asked)
    assert reply.status_code == 410
    assert "The form was updated" in reply.json()["detail"]


def test_an_event_with_a_listener_is_taken(client):
    assert client.post("/gradio_api/queue/join", json={**STALE, "fn_index": 0}).status_code == 200


@pytest.mark.parametrize(("path", "missing"), [("/queue/join", "name"), ("/upload", 417)])
def test_any_other_missing_key_stays_a_fault(path, missing):
    async def failing(scope, receive, send):
        raise KeyError(missing)

    with pytest.raises(KeyError):
        own_loop.run(StaleEvents(failing)({"type": "http", "path": path}, None, None))


def test_the_app_has_it_at_its_door():
    assert StaleEvents in [guard.cls for guard in _guard(parse([]))]
