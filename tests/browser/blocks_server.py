"""A few components in a gradio app of their own, served from the process of the tests."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING, Any

from app.ui.widgets.page_code import page_head, script_route
from app.ui.window.theme import theme

if TYPE_CHECKING:
    import gradio as gr


# What the app's window does with the token of its session, which is in the first project.
TELL_TOKEN = """(token) => {
  Object.assign(window.latticelens, { token, project: "1" });
  window.dispatchEvent(new CustomEvent("latticelens:session", { detail: { token } }));
}"""


def free_port() -> int:
    """A port of this machine that nobody listens at."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def serve(demo: gr.Blocks, port: int | None = None, **options: Any) -> str:
    """Start to serve, with the head and the theme of the app; gives the address."""
    port = port or free_port()
    demo.launch(
        server_name="127.0.0.1", server_port=port, prevent_thread_lock=True, quiet=True, run_history=False,
        ssr_mode=False, share=False, head=page_head(), theme=theme(),
        app_kwargs={"routes": [script_route()]}, **options,
    )  # fmt: skip
    return f"http://127.0.0.1:{port}"
