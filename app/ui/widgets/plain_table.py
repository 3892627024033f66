"""Tables to read: of corpus text among others, so their cells are plain text, never markup."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import gradio as gr

from app.i18n import Message
from app.services.session import Session


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


def table_value(
    session: Session, columns: Iterable[Message], rows: Sequence[Sequence[Any]]
) -> dict[str, Any]:
    """What such a table shows: the names of its columns, and its rows."""
    return {"headers": [session._(name) for name in columns], "data": rows}
