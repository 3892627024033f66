"""The line above every page that says what becomes of the work: deleted, or on storage that lags behind.

It is in the page from its first drawing, so that nothing moves, and stays closed for the session.
"""

from __future__ import annotations

from dataclasses import dataclass

import gradio as gr

from app.i18n import Message, _, counted
from app.services.limits.table import Limits
from app.ui.frame import Frame

# The browser knows before the first drawing whether it was closed.
CLOSE = "() => { window.latticelens.closeBanner(); }"


@dataclass(frozen=True, slots=True)
class Notice:
    """What the line says.

    Args:
        sentence: what becomes of the work, and what to do. more: for screens that have room for it.
        duplicate: address at which somebody makes a Space of their own of this one; empty elsewhere.
    """

    sentence: Message
    more: Message | None = None
    duplicate: str = ""


def notice_of(limits: Limits, snapshot_seconds: float | None, duplicate: str = "") -> Notice | None:
    """What has to be said; None where the work stays on this machine.

    Args:
        limits: of those who use it. snapshot_seconds: between two snapshots, where there are only those.
        duplicate: as of `Notice`, which only a Space has.
    """
    if limits.demo:
        away = counted.minutes(round(limits.idle_seconds / 60))
        sentence = (
            _(
                "This is your own copy, deleted when you leave it for {minutes}: to keep your work, export "
                "it, or duplicate this Space and add storage.",
                minutes=away,
            )
            if duplicate
            else _(
                "This is your own copy, deleted when you leave it for {minutes}: to keep your work, export "
                "it, or run LatticeLens on your own machine.",
                minutes=away,
            )
        )
        return Notice(sentence, _limits(limits), duplicate)
    if snapshot_seconds is not None:
        return Notice(
            _(
                "Work is saved at once and copied to the storage every {seconds}: if the machine fails in "
                "between, what came after the last copy is lost.",
                seconds=counted.seconds(round(snapshot_seconds)),
            ),
            duplicate=duplicate,
        )
    return None


def _limits(limits: Limits) -> Message:
    return _(
        "Limits: {documents}, {characters} a text, {training} of training.",
        documents=counted.documents(limits.documents or 0),
        characters=counted.characters(limits.characters or 0),
        training=counted.minutes(round((limits.training_seconds or 0) / 60)),
    )


def layout(frame: Frame, notice: Notice | None) -> None:
    """Build the line, if there is something to say."""
    if notice is None:
        return
    texts = frame.texts
    with gr.Row(elem_id="ll-banner"):
        texts.bind(gr.Markdown(elem_id="ll-banner-said"), value=notice.sentence)
        if notice.more is not None:
            texts.bind(gr.Markdown(elem_id="ll-banner-more"), value=notice.more)
        if notice.duplicate:
            # In a frame of the hub, whose pages show in no frame.
            link = gr.Button(link=notice.duplicate, link_target="_blank", size="sm", elem_id="ll-duplicate")
            texts.bind(link, value=_("Duplicate this Space"))
        close = texts.button(_("Close this notice"), size="sm", elem_id="ll-banner-close")
    close.click(None, js=CLOSE, api_visibility="private")
