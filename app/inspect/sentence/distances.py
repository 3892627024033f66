"""The panel of the relative distances in FLAT's attention, and of the encodings made of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import gradio as gr

from app.i18n import _
from app.inspect.figures.distances import DISTANCES, SYMBOLS, distance_heatmaps, fused_norms, sinusoid_table
from app.inspect.panel import Look, PanelView, heading, look_of
from app.services.session import Session
from app.ui.frame import Frame
from app.ui.widgets.figure_view import FigureView, figure_view
from core.inspection.sentence.distances_view import distances_view

if TYPE_CHECKING:
    from core.taggers.base.trace import Trace

HOW_NAMES = {
    "distance": _(
        "Red: the node of the row comes before that of the column; blue: after it; characters "
        "come first, then words in order of their heads."
    ),
    "fused": _(
        "Norm of R = ReLU(W p(d) + b), the learned encoding of each pair, shared by all layers; "
        "a large norm can influence attention more, depending on the query."
    ),
    "sinusoids": _(
        "Each row encodes one distance before training: in each half, high frequencies on the "
        "left separate neighbours and low ones on the right separate near from far."
    ),
}

NAME = "distances"
FOLLOWS_FOCUS = False
ALL, FUSED, SINUSOIDS = "all", "fused", "sinusoids"


@dataclass(kw_only=True)
class DistancesPanel(PanelView):
    """The panel's own components."""

    show: gr.Dropdown
    how: gr.Markdown
    figure: FigureView


def has(trace: Trace) -> bool:
    """Other lattice taggers do not use the distances."""
    return trace.lattice is not None and trace.relative is not None


def layout(frame: Frame) -> DistancesPanel:
    with gr.Column(visible=False, elem_id="inspect-distances-group") as group:
        heading(frame, NAME)
        with gr.Row():
            show = frame.texts.bind(
                gr.Dropdown(elem_id="inspect-distances-show", scale=1, min_width=240),
                chosen=ALL,
                label=_("Show"),
                choices=[
                    (_("all distances"), ALL),
                    *((DISTANCES[kind], kind) for kind in SYMBOLS),
                    (_("fused encodings R (norms)"), FUSED),
                    (_("sinusoids p(d)"), SINUSOIDS),
                ],
            )
            how = gr.Markdown(elem_classes="ll-how", elem_id="inspect-distances-how")
        figure = figure_view("inspect-distances")
    return DistancesPanel(
        group, (show,), {"how": how, "figure": figure.plot}, show=show, how=how, figure=figure
    )


def draw(session: Session, look: Look, show: str) -> dict[str, Any]:
    return draw_picture(session, show, look)


def draw_picture(session: Session, show: str, look: Look | None = None) -> dict[str, Any]:
    """Draw the picture and its caption; a distance this FLAT does not fuse shows all that it does."""
    look = look or look_of(session)
    if look is None or not has(look.trace):
        return {}
    view, language = distances_view(look.trace), session.language
    how = show if show in (FUSED, SINUSOIDS) else "distance"
    if show == FUSED:
        figure = fused_norms(view, language)
    elif show == SINUSOIDS:
        figure = sinusoid_table(view, language)
    else:
        figure = distance_heatmaps(view, (show,) if show in view.kinds else view.kinds, language)
    return {"how": session._(HOW_NAMES[how]), "figure": figure}


def wire(view: DistancesPanel, frame: Frame) -> None:
    frame.on([view.show.input], draw_picture, [view.show], [view.how, view.figure.plot])
