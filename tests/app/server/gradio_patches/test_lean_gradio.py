"""What Gradio remembers of a browser and does around an event is what the app needs, and no more."""

import inspect
import subprocess
import sys
import urllib.request
from contextlib import nullcontext

import gradio as gr
import pytest
from gradio.state_holder import StateHolder

from app.server.gradio_patches.lean_gradio import (
    LeanSession,
    LeanSessions,
    described_once,
    launched_later,
    signatures_kept,
)


@pytest.fixture
def blocks():
    with gr.Blocks(analytics_enabled=False) as demo:
        gr.Textbox("half a sentence")
        gr.State([1])
        with gr.Row():
            gr.Number(3)
    return demo


def holder(kind, blocks):
    made = kind()
    made.set_blocks(blocks)
    return made


def test_it_knows_every_component_and_describes_none(blocks):
    """When the first line fails after an update of Gradio: does it still describe them? Else this can go."""
    assert list(holder(StateHolder, blocks)["a"].config_values) == list(blocks.blocks)
    lean = holder(LeanSessions, blocks)["a"]
    assert lean.config_values == {}
    assert list(lean.blocks_config.blocks) == list(blocks.blocks)
    assert lean.blocks_config.fns == blocks.fns


def test_values_and_updates_are_those_of_its_own_browser(blocks):
    box, state, *_ = (blocks.blocks[number] for number in sorted(blocks.blocks))
    sessions = holder(LeanSessions, blocks)
    ana, ben = sessions["ana"], sessions["ben"]
    ana[state._id].append(2)
    ana[box._id] = gr.Textbox("another", render=False)
    ana._update_config(box._id)
    ana._update_value_in_config(box._id, "typed")
    assert (ana[state._id], ben[state._id]) == ([1, 2], [1])
    assert (ana[box._id].value, ben[box._id].value) == ("another", "half a sentence")
    assert list(ana.components) == []
    assert sessions["ana"] is ana


def test_the_session_used_longest_ago_is_forgotten(blocks):
    sessions = holder(LeanSessions, blocks)
    sessions.capacity = 2
    for name in ("ana", "ben", "ana", "eve"):
        sessions[name]
    assert list(sessions.session_data) == ["ana", "eve"]


def test_what_is_drawn_anew_is_described(blocks):
    with gr.Blocks(analytics_enabled=False) as demo:
        count = gr.Number(2)

        @gr.render(inputs=count)
        def boxes(number):
            for each in range(int(number)):
                gr.Textbox(label=f"box {each}")

    session = LeanSession(demo)
    (renderable,) = session.blocks_config.root_block.renderables
    number = max(session.blocks_config.blocks) + 1
    box = gr.Textbox(label="box", render=False)
    described = session.blocks_config.config_for_block(number, [number], box, renderable)
    assert described["props"]["label"] == "box"
    assert described["renderable"] == renderable._id


MATPLOTLIB = """
import sys
import gradio as gr
from gradio_client import Client
from app.server.gradio_patches.lean_gradio import LeanSessions, make_lean
from tests.browser.blocks_server import serve

with gr.Blocks(analytics_enabled=False) as demo:
    box = gr.Textbox()
    box.change(lambda text: text + "!", box, box, api_name="say")
url = serve(demo)
LEAN
print(Client(url, verbose=False).predict("hello", api_name="/say"), "matplotlib" in sys.modules)
demo.close(verbose=False)
"""


@pytest.mark.parametrize(("lean", "said"), [("make_lean(demo)", "hello! False"), ("", "hello! True")])
@pytest.mark.exhaustive
def test_an_event_imports_no_matplotlib(lean, said):
    """When the second fails after an update of Gradio, `make_lean` has less to do."""
    pytest.importorskip("matplotlib")
    command = [sys.executable, "-c", MATPLOTLIB.replace("LEAN", lean)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.stdout.strip().splitlines()[-1] == said, done.stderr


def built():
    with gr.Blocks(analytics_enabled=False) as demo:
        gr.Button().click(lambda text: text, [gr.Textbox("half a sentence", label="Text")], [gr.Textbox()])
    return demo.queue(max_size=7)


def test_of_a_window_that_is_built_only_its_launch_makes_an_application(monkeypatch):
    """When the first line fails after an update of Gradio: does it still make three? Else this can go."""
    made, create_app = [], gr.routes.App.create_app
    monkeypatch.setattr(
        gr.routes.App, "create_app", lambda *args, **options: made.append(1) or create_app(*args, **options)
    )
    built()
    assert len(made) == 3
    del made[:]
    with launched_later():
        demo = built()
    assert (made, demo.config) == ([], {})
    assert len(demo.get_config_file()["components"]) == 4
    _, url, _ = demo.launch(prevent_thread_lock=True, quiet=True, ssr_mode=False, _frontend=False)
    try:
        with urllib.request.urlopen(url) as page:
            assert "half a sentence" in page.read().decode()
    finally:
        demo.close(verbose=False)
    assert len(made) == 1
    assert (demo._queue.max_size, len(demo.config["components"])) == (7, 4)


def test_launched_a_window_is_described_once_and_the_same(monkeypatch):
    """When the first number fails after an update of Gradio: does it still do it twice? Else this can go."""
    asked, describe = [], gr.Blocks.get_config_file
    monkeypatch.setattr(gr.Blocks, "get_config_file", lambda self: asked.append(1) or describe(self))
    for around, times in ((nullcontext, 2), (described_once, 1)):
        demo = built()
        del asked[:]
        with around():
            demo.launch(
                prevent_thread_lock=True, quiet=True, ssr_mode=False, mcp_server=False, _frontend=False
            )
        demo.close(verbose=False)
        assert len(asked) == times
        served = dict(demo.config)
        assert served == describe(demo)


def test_parameters_are_found_out_once_of_each_class_and_are_the_same():
    def described(demo):
        return [part["props"] for part in demo.get_config_file()["components"]]

    class Odd:
        __hash__ = None

        def __call__(self, a, b=1):
            pass

    plain, signature = described(built()), inspect.signature
    with signatures_kept():
        assert inspect.signature(gr.Textbox.__init__) is inspect.signature(gr.Textbox.__init__)
        assert list(inspect.signature(Odd()).parameters) == ["a", "b"]
        with pytest.raises(TypeError):
            inspect.signature(3)
        kept = described(built())
    assert kept == plain
    assert inspect.signature is signature
