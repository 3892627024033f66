"""What Gradio does at the start, for every page and event, and this app has no use for.

Gradio 6.31 makes a web application with all its routes, and describes every component for it, as a window
is begun, when it is finished and when its queue is set; ``launch`` makes another, which alone is served, and
describes them twice for it. The three take half a second, the second description a fifth, and asking Python
for the parameters of each component's class as much again.

For every page that is opened, it describes each component anew, before it takes the first event,
and keeps that for as long as the app runs: half a second and eleven megabytes for the thousand components of
this window. Only its links to a state of the page (deep links) read it, and this app has its own addresses.

Around every event it sets the backend of matplotlib, if that is installed, as some of our packages have it
installed. The first event imports it: a third of a second, and seconds more on a machine where it builds its
cache of fonts. This app draws nothing with it.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from functools import cache
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

from gradio import blocks as gradio_blocks
from gradio import utils
from gradio.blocks import BlocksConfig
from gradio.state_holder import SessionState, StateHolder

if TYPE_CHECKING:
    import gradio as gr


@contextmanager
def launched_later() -> Iterator[None]:
    """Inside, a window is built, or its queue set, without a web application: ``launch`` makes one."""
    none = SimpleNamespace(create_app=lambda *_, **__: None)
    with (
        _replaced(gradio_blocks, "App", none),
        _replaced(gradio_blocks.Blocks, "get_config_file", lambda self: {}),
    ):
        yield


@contextmanager
def described_once() -> Iterator[None]:
    """Inside, ``launch`` describes a window once: without MCP it would say the same again."""
    described = cache(gradio_blocks.Blocks.get_config_file)
    with _replaced(gradio_blocks.Blocks, "get_config_file", lambda self: dict(described(self))):
        yield


@contextmanager
def signatures_kept() -> Iterator[None]:
    """Inside, the parameters of a class are found out once, and not for each of a thousand components."""
    with (
        _replaced(inspect, "getfullargspec", _kept(inspect.getfullargspec)),
        _replaced(inspect, "signature", _kept(inspect.signature)),
    ):
        yield


def make_lean(blocks: gr.Blocks) -> None:
    """Take all that from a window that has been launched."""
    sessions = LeanSessions()
    sessions.set_blocks(blocks)
    blocks.app.state_holder = sessions
    utils.MatplotlibBackendMananger = nullcontext  # type: ignore[assignment,misc]


class LeanSession(SessionState):
    """What a browser was sent, without a description of every component.

    Args:
        blocks: the window.
    """

    def __init__(self, blocks: gr.Blocks) -> None:
        super().__init__(cast(Any, SimpleNamespace(default_config=blocks.default_config, blocks=())))
        self.blocks_config.config_for_block = _drawn  # type: ignore[method-assign]


class LeanSessions(StateHolder):
    """The memory of all browsers; it takes the place of ``app.state_holder``."""

    def __getitem__(self, session_id: str) -> SessionState:
        if session_id not in self.session_data:
            self.session_data[session_id] = LeanSession(self.blocks)
        return super().__getitem__(session_id)


def _drawn(_id: int, rendered_ids: list[int], block: Any, renderable: Any = None) -> dict[str, Any]:
    """The description of a component that `gr.render` has just drawn, which the browser needs."""
    return BlocksConfig.config_for_block(_id, rendered_ids, block, renderable) if renderable else {}


@contextmanager
def _replaced(owner: object, name: str, value: object) -> Iterator[None]:
    before = getattr(owner, name)
    setattr(owner, name, value)
    try:
        yield
    finally:
        setattr(owner, name, before)


def _kept(ask: Callable[..., Any]) -> Callable[..., Any]:
    known = cache(ask)

    def answer(subject: Any, **options: Any) -> Any:
        try:
            return known(subject, **options)
        except TypeError:  # it has no hash, or no signature
            return ask(subject, **options)

    return answer
