"""Why the page in front has no contents, in their place, with a way to try again.

A request beyond a limit is refused before the app has read it, and then no callback can say so in the page.
Nor can any say that the app is gone: the words for it are here, too.
"""

from __future__ import annotations

import gradio as gr

from app.i18n import _
from app.ui.frame import Frame


def layout(frame: Frame) -> None:
    """Build the place, which the browser shows (``leftEmpty`` of app.js) and writes into."""
    said = '<p id="ll-left-empty-said" data-late="${value}" role="alert"></p>'
    lost = '<p id="ll-connection-lost" hidden data-said="${value}"></p>'
    with gr.Row(elem_id="ll-left-empty"):
        frame.texts.bind(
            gr.HTML(html_template=lost, apply_default_css=False),
            value=_("The connection to the app is lost. The page reloads when it is back."),
        )
        frame.texts.bind(
            gr.HTML(html_template=said, apply_default_css=False),
            value=_("The contents of this page have not come yet."),
        )
        again = frame.texts.button(_("Try again"), size="sm", elem_id="ll-try-again")
    again.click(None, js="() => { window.latticelens.tryAgain(); }", api_visibility="private")
