"""The span annotator: a `gr.HTML` whose template is static, for the reason given in `ui.widgets.sentence`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import gradio as gr

from app.ui.widgets.page_code import page_widget
from app.ui.widgets.sentence import STYLES, TEMPLATE, WHY_STYLES
from app.ui.window.navigation import AskedDocument


def annotator(functions: Sequence[Callable[[Any], Any]], *, elem_id: str | None = None) -> gr.HTML:
    """The Annotate page's widget.

    It is empty until its ``page`` prop names a project: return `page_update` for it from a load event. It
    triggers ``leave`` with ``page`` to go to another page.

    Args:
        functions: the server functions it calls, by name.
    """
    return page_widget(
        "annotator/workbench.js",
        TEMPLATE,
        events=("leave",),
        functions=functions,
        styles=(*STYLES, "annotator_sets", "annotator_links", "annotator_stream", "guideline", *WHY_STYLES),
        elem_id=elem_id,
        page=None,
    )


def page_update(
    language: str, *, project: int = 0, asked: AskedDocument | None = None, visit: int = 0
) -> dict[str, Any]:
    """The update that makes an `annotator` show a project.

    Args:
        project: as long as it is the same, the widget keeps its document.
        asked: what to open instead.
        visit: a number other than the last one, to reload everything.
    """
    filter_fields = None if asked is None or asked.imported_at is None else {"imported_at": asked.imported_at}
    return gr.update(
        page={
            "language": language,
            "project": project,
            "document": asked and asked.document,
            "filter": filter_fields,
            "visit": visit,
        }
    )
