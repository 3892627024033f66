"""Gradio's script for events comes without its fault, and everything else as Gradio has it."""

from __future__ import annotations

from pathlib import Path

import gradio as gr
import pytest
from gradio.routes import BUILD_PATH_LIB
from starlette.middleware import Middleware
from starlette.testclient import TestClient

from app.server.mended_scripts import FAULT, MENDED, MendedScripts
from app.server.options import parse
from app.server.run import _guard


@pytest.fixture(scope="module")
def client():
    with gr.Blocks(analytics_enabled=False) as demo:
        gr.Textbox()
    app = gr.routes.App.create_app(demo, app_kwargs={"middleware": [Middleware(MendedScripts)]})
    with TestClient(app) as opened:
        yield opened


def files():
    return sorted(Path(BUILD_PATH_LIB).glob("*.js"))


def test_the_installed_gradio_has_the_fault_once():
    """When this fails after an update of Gradio: is it mended there? Then `mended_scripts` can go."""
    assert [path.name.split("-")[0] for path in files() if FAULT in path.read_text("utf-8")] == ["Blocks"]


def test_its_script_comes_without_the_fault_and_is_otherwise_the_same(client):
    for path in Path(BUILD_PATH_LIB).glob("Blocks-*.js"):
        served = client.get(f"/assets/{path.name}")
        assert served.headers["content-type"].startswith("text/javascript")
        assert FAULT not in served.text
        assert served.text.replace(MENDED, FAULT) == path.read_text("utf-8")


@pytest.mark.parametrize("path", ["/assets/Blocks-nothing.js", "/assets/Blocks-.js"])
def test_a_name_without_a_file_is_not_found(client, path):
    assert client.get(path).status_code == 404


def test_any_other_script_is_gradios_own(client):
    path = next(path for path in files() if not path.name.startswith("Blocks-"))
    assert client.get(f"/assets/{path.name}").content == path.read_bytes()


def test_the_app_has_it_at_its_door():
    assert MendedScripts in [guard.cls for guard in _guard(parse([]))]
