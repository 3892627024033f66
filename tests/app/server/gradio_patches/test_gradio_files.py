"""Gradio's scripts come without the faults that slow a large page, and everything else as Gradio has it."""

import json
import subprocess
from pathlib import Path

import gradio as gr
import pytest
from gradio.routes import BUILD_PATH_LIB
from starlette.middleware import Middleware
from starlette.testclient import TestClient

from app.server.gradio_patches.gradio_files import LISTENERS, MENDS, GradioFiles
from app.server.options import parse
from app.server.run import _guard

# What components listen to: `targets` pairs a component's number with the name of its event.
EVENTS = [
    {"targets": [[1, "click"], [2, "change"], [1, "load"]]},
    {"targets": []},
    {"targets": [[2, None], [2, "input"], [3, "submit"]]},
    {"targets": [[2, "input"], [1, "click"], [None, "load"]]},
]


@pytest.fixture(scope="module")
def client():
    with gr.Blocks(analytics_enabled=False) as demo:
        gr.Textbox()
    app = gr.routes.App.create_app(demo, app_kwargs={"middleware": [Middleware(GradioFiles)]})
    with TestClient(app) as opened:
        yield opened


def files():
    return sorted(Path(BUILD_PATH_LIB).glob("*.js"))


@pytest.mark.parametrize("mend", MENDS, ids=range(len(MENDS)))
def test_the_installed_gradio_has_each_fault_once(mend):
    """When this fails after an update of Gradio: is it mended there? Then the mend can go."""
    has = {path.name: path.read_text("utf-8").count(mend.fault) for path in files()}
    assert [(name.split("-")[0], times) for name, times in has.items() if times] == [(mend.script, 1)]


@pytest.mark.parametrize("name", sorted({mend.script for mend in MENDS}))
def test_a_script_comes_without_its_faults_and_is_otherwise_the_same(client, name):
    (path,) = Path(BUILD_PATH_LIB).glob(f"{name}-*.js")
    served = client.get(f"/assets/{path.name}")
    assert served.headers["content-type"].startswith("text/javascript")
    back = served.text
    for mend in MENDS:
        if mend.script == name:
            assert mend.fault not in served.text
            back = back.replace(mend.mended, mend.fault)
    assert back == path.read_text("utf-8")


def test_components_listen_to_what_they_did(node):
    components = [1, 2, 3, 4]
    program = f"""
      const [events, others] = [{json.dumps(EVENTS)}, {json.dumps(EVENTS[2:])}];
      const found = (Tree) => {{
        const tree = new Tree();
        return [events, others, events].map((asked) => {json.dumps(components)}.map(
          (id) => tree.find_attached_events({{ id, props: {{ shared_props: {{}} }} }}, asked)
        ));
      }};
      const ending = "e.props.shared_props.attached_events=n;return n}}";
      const tree = (method) => new Function(`return class {{ ${{method}} ${{ending}} }}`)();
      const [before, after] = {json.dumps([LISTENERS.fault, LISTENERS.mended])}
        .map((one) => found(tree(one)));
      console.log(JSON.stringify([before, after]));
    """
    done = subprocess.run([node, "-e", program], capture_output=True, text=True, check=True)
    before, after = json.loads(done.stdout)
    assert after == before
    assert before[0][:2] == [["click", "click"], ["change", "input"]]


@pytest.mark.parametrize("path", ["/assets/Blocks-no.js", "/assets/Blocks-.js", "/assets/../index.js"])
def test_a_name_without_a_file_is_not_found(client, path):
    assert client.get(path).status_code == 404


def test_any_other_script_or_style_is_gradios_own_and_stays_in_the_browser(client):
    mended = tuple(f"{mend.script}-" for mend in MENDS)
    for kind in ("js", "css"):
        path = next(
            each
            for each in sorted(Path(BUILD_PATH_LIB).glob(f"*.{kind}"))
            if not each.name.startswith(mended)
        )
        for encoding in ("identity", "br"):
            served = client.get(f"/assets/{path.name}", headers={"Accept-Encoding": encoding})
            assert served.content == path.read_bytes()  # the client undoes the compression
            assert served.headers.get("content-encoding", "identity") == encoding
            assert "immutable" in served.headers["cache-control"]
            assert served.headers["vary"] == "Accept-Encoding"
            assert served.headers["content-type"].startswith(
                {"js": "text/javascript", "css": "text/css"}[kind]
            )


def test_the_app_has_it_at_its_door():
    assert GradioFiles in [guard.cls for guard in _guard(parse([]))]
