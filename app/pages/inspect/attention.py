"""Who looked at whom: attention as a heatmap and as BertViz draws it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import gradio as gr

from app.figures.attention import MEAN, attention_heatmap
from app.frame import Frame
from app.pages.inspect.panel import Look, PanelView, heading, look_of
from app.session import Session
from app.widgets.bertviz_frame import bertviz_frame, bertviz_page
from app.widgets.figure_view import FigureView, figure_view

if TYPE_CHECKING:
    from core.taggers.trace import Trace

NAME = "attention"
FOLLOWS_FOCUS = False


@dataclass
class AttentionView(PanelView):
    """The panel's own components."""

    view: gr.Radio | None = None
    layer: gr.Dropdown | None = None
    head: gr.Dropdown | None = None
    figure_group: gr.Column | None = None
    figure: FigureView | None = None
    bertviz: gr.HTML | None = None


def has(trace: Trace) -> bool:
    return bool(trace.attention)


def layout(frame: Frame) -> AttentionView:
    texts = frame.texts
    with gr.Column(visible=False, elem_id="inspect-attention") as group:
        heading(frame, NAME)
        with gr.Row():
            view = texts.bind(
                gr.Radio(value="heatmap", elem_id="inspect-view", scale=3),
                label="inspect.view",
                choices=[
                    ("inspect.heatmap", "heatmap"),
                    ("inspect.head_view", "head"),
                    ("inspect.model_view", "model"),
                ],
            )
            layer = texts.bind(
                gr.Dropdown(choices=[], elem_id="inspect-layer", scale=1), label="inspect.layer"
            )
            head = texts.bind(gr.Dropdown(choices=[], elem_id="inspect-head", scale=1), label="inspect.head")
        with gr.Column() as figure_group:
            figure = figure_view("inspect-heatmap")
        bertviz = bertviz_frame("BertViz")
    choices = (view, layer, head)
    outputs = (layer, head, figure_group, figure.plot, bertviz)
    return AttentionView(group, choices, outputs, view, layer, head, figure_group, figure, bertviz)


def draw(session: Session, look: Look, view: str, layer: int | None, head: int | None) -> tuple[Any, ...]:
    layers = list(range(len(look.trace.attention)))
    heads = len(look.trace.attention[0])
    layer = layer if layer in layers else layers[0]
    head = head if head in range(heads) else MEAN
    head_choices = [(session.text("inspect.mean"), MEAN), *((str(h), h) for h in range(heads))]
    return (
        gr.update(choices=[(str(n), n) for n in layers], value=layer),
        gr.update(choices=head_choices, value=head),
        *draw_view(session, view, layer, head, look),
    )


def draw_view(
    session: Session, view: str, layer: int | None, head: int | None, look: Look | None = None
) -> tuple[Any, Any, Any]:
    """The heatmap or the BertViz frame; the other one is hidden."""
    look = look or look_of(session)
    if look is None or not look.trace.attention:
        return gr.update(visible=False), gr.skip(), {"page": "", "height": 0}
    trace = look.trace
    if view == "heatmap":
        figure = attention_heatmap(trace, layer or 0, MEAN if head is None else head, session.language)
        return gr.update(visible=True), figure, {"page": "", "height": 0}
    page = bertviz_page(trace, "head" if view == "head" else "model", layer or 0)
    nodes = len(trace.keys)
    height = 120 + 23 * nodes if view == "head" else 180 + 100 * len(trace.attention) + 23 * nodes
    return gr.update(visible=False), gr.skip(), {"page": page, "height": height}


def wire(view: AttentionView, frame: Frame) -> None:
    assert view.view
    assert view.layer
    assert view.head
    assert view.figure
    assert view.figure_group
    assert view.bertviz
    frame.on(
        [view.view.input, view.layer.input, view.head.input],
        draw_view,
        [view.view, view.layer, view.head],
        [view.figure_group, view.figure.plot, view.bertviz],
    )
