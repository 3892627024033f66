"""The lattice the tagger read: characters, the dictionary words over them, and who looks at whom."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import gradio as gr

from app.inspect.panel import Look, PanelView, heading, look_of
from app.services.errors import AppError
from app.services.session import Session
from app.ui.frame import Frame
from app.ui.widgets.lattice import lattice_value, lattice_view
from app.ui.widgets.lattice_links import attends, attention_object
from core.store.label import labels

if TYPE_CHECKING:
    from core.taggers.base.trace import Trace

NAME = "lattice"
FOLLOWS_FOCUS = True


def has(trace: Trace) -> bool:
    return trace.lattice is not None


def layout(frame: Frame) -> PanelView:
    with gr.Column(visible=False, elem_id="inspect-lattice") as group:
        heading(frame, NAME)
        lattice = lattice_view("inspect-lattice-view", frame.server(lattice_attention))
    return PanelView(group, (), (lattice,))


def draw(session: Session, look: Look) -> tuple[Any, ...]:
    colours = {label.name: label.colour for label in labels.get(session.workspace, session.project_id)}
    return (lattice_value(look.trace, colours, mark=mark_of(look), focus=look.focus),)


def wire(view: PanelView, frame: Frame) -> None:
    """The viewer does everything in the browser, and asks `lattice_attention` for more."""


def mark_of(look: Look) -> str:
    """Tells one sentence read by one run with one lexicon from every other."""
    lattice = look.trace.lattice
    nodes = lattice.nodes if lattice is not None else ()
    return hashlib.sha256(
        "\0".join((look.run, look.trace.text, *nodes)).encode("utf-8", "replace")
    ).hexdigest()[:16]


def lattice_attention(session: Session, payload: dict[str, Any]) -> dict[str, Any]:
    """The weights of another layer or head of the sentence in view.

    Args:
        payload: ``mark`` of the sentence, ``layer``, ``head`` (-1: mean of heads), from a browser.

    Raises:
        AppError: the page shows another sentence by now, or there is no such layer or head.
    """
    look = look_of(session)
    return attention_in((look,) if look is not None else (), payload)


def attention_in(looks: Sequence[Look], payload: dict[str, Any]) -> dict[str, Any]:
    """The same, of that one of several sentences that the browser's mark names.

    Raises:
        AppError: none of them is that one, or there is no such layer or head.
    """
    layer, head = payload.get("layer"), payload.get("head")
    look = next((one for one in looks if payload.get("mark") == mark_of(one)), None)
    if look is None or not attends(look.trace):
        raise AppError("The page shows another sentence by now; press “Look inside” again.")
    if type(layer) is not int or type(head) is not int:
        raise AppError("There is no such layer or head.")
    try:
        return attention_object(look.trace, layer, head)
    except IndexError as error:
        raise AppError("There is no such layer or head.") from error
