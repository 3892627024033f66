"""Over HTTP, through Gradio's threads.

A slow look inside keeps nobody's save waiting, and a page's token opens nothing to another login.
"""

import json
from concurrent.futures import ThreadPoolExecutor

import gradio as gr
import httpx
import pytest
from starlette.middleware import Middleware

from app.annotate.annotator import annotator
from app.i18n.binding import Texts
from app.services.limits.refusals import REFUSED
from app.services.limits.turns import Turns
from app.services.session import Sessions
from app.ui.frame import Frame
from core.store.annotation import annotations
from core.store.document import documents
from core.store.run import runs
from tests.app.asking import FUNCTIONS
from tests.app.server.limits.test_limited import As
from tests.app.services.limits.held import Held, until
from tests.browser.blocks_server import free_port

LOOKS = 60  # more than the server has threads


@pytest.fixture
def app(filled, tmp_path):
    """Sessions, a held tagger, and ``ask(token, function, name, …)`` for a page with the annotator."""
    bench, held = filled.workbench, Held()
    bench.taggers._turns = Turns(1, each=12, everybody=24)
    runs.register(filled.workspace, filled.project_id, "slow", "flat", tmp_path, {})
    bench.taggers._load = lambda name: held.go_on.wait(120) and (None, None)
    sessions = Sessions(lambda token: bench)

    def look(session):
        with session.workbench.taggers.tagger(session.project_id, "slow"):
            return {"looked": True}

    with gr.Blocks(analytics_enabled=False) as demo:
        frame = Frame(Texts(), sessions)
        frame.token, frame.moved = gr.Textbox(), gr.Textbox()
        who = gr.Textbox()
        frame.on([gr.Button().click], lambda session: session.user, [], [who])
        widget = annotator([frame.server(fn) for fn in (*FUNCTIONS.values(), look)], elem_id="annotator")
    port = free_port()
    demo.launch(
        server_name="127.0.0.1", server_port=port, prevent_thread_lock=True, quiet=True, ssr_mode=False,
        share=False, app_kwargs={"middleware": [Middleware(As)]}, _frontend=False,
    )  # fmt: skip
    url = f"http://127.0.0.1:{port}/gradio_api"
    with httpx.Client(timeout=30, limits=httpx.Limits(max_connections=100), trust_env=False) as client:

        def ask(token, function, name="", **fields):
            body = {"session_hash": "p", "component_id": widget._id, "fn_name": function}
            body["data"] = {"token": token, **fields}
            return client.post(f"{url}/component_server", json=body, headers={"x-name": name}).json()

        def event(token, name=""):
            body = {"data": [token, ""], "fn_index": 0, "session_hash": f"of {name}", "trigger_id": None}
            client.post(f"{url}/queue/join", json=body, headers={"x-name": name}).raise_for_status()
            with client.stream("GET", f"{url}/queue/data?session_hash=of {name}") as stream:
                for line in stream.iter_lines():
                    message = json.loads(line[5:]) if line.startswith("data:") else {}
                    if message.get("msg") == "process_completed":
                        return message
            raise AssertionError("it ended early")

        try:
            yield sessions, held, ask, event
        finally:
            held.go_on.set()
            demo.close(verbose=False)


def test_slow_looks_of_many_keep_no_save_waiting(app, filled):
    sessions, held, ask, _event = app
    document = documents.number_named(filled.workspace, filled.project_id, "raw")
    lookers = [sessions.open(f"looker {number}", "en").token for number in range(6)]
    saver = sessions.open("lin", "zh").token
    before = REFUSED["questions"]
    with ThreadPoolExecutor(LOOKS) as threads:
        asked = [threads.submit(ask, lookers[at % 6], "look") for at in range(LOOKS)]
        until(lambda: sum(one.done() for one in asked) == LOOKS - 24)
        reply = ask(
            saver, "save_edit", document=document, base_revision=0, client_edit="an-edit-of-lin", rejected=[],
            spans=[{"start": 0, "end": 2, "label": "LOC"}], status="in_progress", run=None, action="label",
        )  # fmt: skip
        assert not held.go_on.is_set(), "it was answered while they all were held"
        held.go_on.set()
        replies = [one.result() for one in asked]
    assert reply["ok"], reply
    assert [span.label for span in annotations.current(filled.workspace, document).document.spans] == ["LOC"]
    refused = [one for one in replies if not one["ok"]]
    assert len(refused) == LOOKS - 24 == REFUSED["questions"] - before
    assert {one["code"] for one in refused} == {"over_limit"}
    assert all(one["looked"] for one in replies if one["ok"])


def test_a_pages_token_is_refused_with_another_login_or_with_none(app):
    sessions, _held, ask, event = app
    token = sessions.open("lin", "en", logged_in=True, login="1").token
    assert event(token, "lin")["output"]["data"] == ["lin"]
    assert ask(token, "read_order", "lin", order="random")["ok"]
    for name in ("ana", ""):
        reply = ask(token, "read_order", name, order="random")
        assert (reply["ok"], reply["code"]) == (False, "session")
        answered = event(token, name)
        assert not answered["success"]
        assert "somebody who logged in elsewhere" in answered["output"]["error"]
