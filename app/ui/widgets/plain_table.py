"""Tables to read: of corpus text among others, so their cells are plain text, never markup."""

from __future__ import annotations

from typing import Any

import gradio as gr


def plain_table(elem_id: str | None = None, height: int = 420, **options: Any) -> gr.Dataframe:
    """An empty table nobody writes into; ``height`` in pixels, a longer one scrolls."""
    return gr.Dataframe(
        datatype="str",
        interactive=False,
        show_label=False,
        max_height=height,
        buttons=[],
        elem_id=elem_id,
        **options,
    )
