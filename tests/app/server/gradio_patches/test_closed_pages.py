"""What Gradio and the sessions keep of closed pages is bounded; an open page loses nothing."""

import asyncio
from types import SimpleNamespace

import gradio as gr
import pytest
from starlette.testclient import TestClient

from app.server.gradio_patches.closed_pages import MOST_CLOSED, ClosedPages
from app.services.session import MOST_LEFT, Sessions
from tests import own_loop


class Door:
    """The middleware over an app whose heartbeats last until they are ended."""

    def __init__(self):
        self.left = []
        self.sessions = Sessions(
            lambda token: SimpleNamespace(first_project=lambda user="", last=None: 1, workspace=None),
            left=self.left.append,
        )
        with gr.Blocks(analytics_enabled=False) as self.blocks:
            box = gr.Textbox()
            box.input(lambda text: text, [box], [box])
        self.app = gr.routes.App.create_app(self.blocks)
        self.ends = {}
        self.closed_pages = ClosedPages(self._beat, self.blocks, self.sessions)

    async def _beat(self, scope, receive, send):
        await self.ends.setdefault(scope["path"], asyncio.Event()).wait()

    @property
    def held(self):
        return set(self.blocks.state_holder.session_data)

    async def open(self, page, number=1):
        """A page with a session; returns how to close it."""
        self.blocks.state_holder[page]  # as its first event does
        path = f"/gradio_api/heartbeat/{page}"
        scope = {"type": "http", "path": path}
        beating = asyncio.create_task(self.closed_pages(scope, None, None))
        await asyncio.sleep(0)
        session = self.sessions.open(f"person {number}", "en", page=page)
        session.memory["inspect"] = "a trace"

        async def close():
            self.ends.pop(path).set()
            await beating

        return session, close


@pytest.fixture
def door():
    return Door()


def test_of_many_pages_that_come_and_go_the_last_few_are_kept(door):
    async def days():
        kept = []
        for number in range(30):
            session, close = await door.open(f"page{number}", number)
            await close()
            kept.append(session)
        return kept

    sessions = own_loop.run(days())
    assert door.held == {f"page{number}" for number in range(30 - MOST_CLOSED, 30)}
    assert [bool(session.memory) for session in sessions] == [False] * (30 - MOST_LEFT) + [True] * MOST_LEFT
    assert all(door.sessions.find(session.token) is session for session in sessions), "a sleeper is answered"
    assert door.left == sessions[:-MOST_LEFT]


def test_an_open_page_keeps_everything_however_many_others_come_and_go(door):
    async def days():
        session, close = await door.open("mine")
        for number in range(20):
            _other, leave = await door.open(f"page{number}", number)
            await leave()
        assert "mine" in door.held
        assert session.memory == {"inspect": "a trace"}
        await close()

    own_loop.run(days())


def test_a_page_that_slept_and_comes_back_is_no_closed_one(door):
    async def days():
        session, close = await door.open("mine")
        await close()
        path = {"type": "http", "path": "/gradio_api/heartbeat/mine"}
        again = asyncio.create_task(door.closed_pages(path, None, None))
        await asyncio.sleep(0)
        for number in range(20):
            _other, leave = await door.open(f"page{number}", number)
            await leave()
        assert "mine" in door.held
        assert session.memory
        door.ends[path["path"]].set()
        await again

    own_loop.run(days())


def test_two_heartbeats_of_one_page_end_one_after_the_other(door):
    async def days():
        scope = {"type": "http", "path": "/gradio_api/heartbeat/mine"}
        both = [asyncio.create_task(door.closed_pages(scope, None, None)) for _ in range(2)]
        await asyncio.sleep(0)
        both[0].cancel()
        with pytest.raises(asyncio.CancelledError):
            await both[0]
        assert door.closed_pages._open == {"mine": 1}
        both[1].cancel()
        with pytest.raises(asyncio.CancelledError):
            await both[1]
        assert (door.closed_pages._open, list(door.closed_pages._closed)) == ({}, ["mine"])

    own_loop.run(days())


def test_a_session_whose_work_goes_on_keeps_what_the_work_fills(door):
    async def days():
        session, close = await door.open("mine")
        session.works[1] = SimpleNamespace(task=SimpleNamespace(running=True))
        await close()
        for number in range(20):
            _other, leave = await door.open(f"page{number}", number)
            await leave()
        return session

    session = own_loop.run(days())
    assert session.memory
    assert session.works
    session.works[1].task.running = False
    session.forget()
    assert (session.memory, session.works) == ({}, {})


def test_a_duplicated_tab_keeps_the_session_until_both_are_closed(door):
    async def days():
        session, close = await door.open("one")
        door.sessions.open("person 1", "en", session.token, page="two")
        assert session.pages == {"one", "two"}
        await close()
        assert session.pages == {"two"}
        for number in range(20):
            _other, leave = await door.open(f"page{number}", number)
            await leave()
        return session

    assert own_loop.run(days()).memory


def test_a_dropped_page_that_calls_again_is_answered(door):
    with TestClient(door.app) as client:
        for number in range(MOST_CLOSED + 2):
            door.blocks.state_holder[f"page{number}"]
            door.closed_pages._close(f"page{number}")
        assert "page0" not in door.held
        asked = {"data": ["x"], "fn_index": 0, "session_hash": "page0"}
        assert client.post("/gradio_api/queue/join", json=asked).status_code == 200


@pytest.mark.parametrize("path", ["/gradio_api/queue/join", "/gradio_api/heartbeat/", "/"])
def test_other_requests_pass_as_they_are(door, path):
    passed = []

    async def app(scope, receive, send):
        passed.append(scope["path"])

    own_loop.run(ClosedPages(app, door.blocks, door.sessions)({"type": "http", "path": path}, None, None))
    assert passed == [path]


def test_an_expired_session_leaves_nothing_behind(door):
    async def days():
        session, close = await door.open("mine")
        await close()
        return session

    session = own_loop.run(days())
    door.sessions._lifetime = -1.0
    assert door.sessions.expire() == [session]
    assert (session.memory, len(door.sessions._left), door.sessions._of_page) == ({}, 0, {})
