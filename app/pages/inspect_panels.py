"""The panels of the Inspect page that show what a tagger weighed, each where the tagger has it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import gradio as gr

from app.figures.attention import MEAN, attention_heatmap
from app.figures.crf import emission_heatmap, marginal_heatmap, transition_heatmap
from app.figures.distances import distance_heatmaps
from app.figures.layer_mix import layer_mix
from app.figures.mrc import match_matrix, start_and_end
from app.frame import Frame
from app.session import Session
from app.widgets.bertviz_frame import bertviz_frame, bertviz_page
from app.widgets.lattice import lattice_value, lattice_view
from core.store import labels

if TYPE_CHECKING:
    from core.taggers.trace import Trace

STARTS_AND_ENDS = -1


@dataclass
class PanelComponents:
    """From top to bottom; a group is hidden where the tagger has nothing to show in it."""

    lattice_group: gr.Column
    lattice: gr.HTML
    mrc_group: gr.Column
    mrc_panel: gr.Dropdown
    mrc_plot: gr.Plot
    attention: gr.Column
    view: gr.Radio
    layer: gr.Dropdown
    head: gr.Dropdown
    heatmap: gr.Plot
    bertviz: gr.HTML
    crf: gr.Column
    crf_panel: gr.Radio
    crf_plot: gr.Plot
    mix_group: gr.Column
    mix: gr.Plot
    distances_group: gr.Column
    distances: gr.Plot

    @property
    def choices(self) -> list[Any]:
        """What ``draw`` reads: view, layer, head, crf_panel."""
        return [self.view, self.layer, self.head, self.crf_panel]

    @property
    def drawn(self) -> list[Any]:
        """The outputs of ``draw``."""
        return [
            self.lattice_group, self.lattice, self.mrc_group, self.mrc_panel, self.mrc_plot, self.attention,
            self.layer, self.head, self.heatmap, self.bertviz, self.crf, self.crf_plot, self.mix_group,
            self.mix, self.distances_group, self.distances,
        ]  # fmt: skip


def layout(frame: Frame) -> PanelComponents:
    """Build the panels."""
    texts = frame.texts
    with gr.Column(elem_id="inspect-lattice") as lattice_group:
        heading(frame, "lattice")
        lattice = lattice_view("lattice")
    with gr.Column(elem_id="inspect-mrc") as mrc_group:
        heading(frame, "mrc")
        mrc_panel = texts.bind(
            gr.Dropdown(choices=[], elem_id="inspect-mrc-panel"), label="inspect.mrc_panel"
        )
        mrc_plot = gr.Plot(show_label=False, container=False, elem_id="inspect-mrc-plot")
    with gr.Row(equal_height=False):
        attention = _attention(frame)
        crf = _crf(frame)
    with gr.Column(elem_id="inspect-mix") as mix_group:
        heading(frame, "mix")
        mix = gr.Plot(show_label=False, container=False, elem_id="inspect-mix-plot")
    with gr.Column(elem_id="inspect-distances-group") as distances_group:
        heading(frame, "distances")
        distances = gr.Plot(show_label=False, container=False, elem_id="inspect-distances")
    return PanelComponents(
        lattice_group, lattice, mrc_group, mrc_panel, mrc_plot, *attention, *crf, mix_group, mix,
        distances_group, distances,
    )  # fmt: skip


def heading(frame: Frame, panel: str) -> None:
    """The panel's name and the sentence that says how to read it."""
    frame.texts.bind(gr.Markdown(elem_classes="ll-panel-name"), value=f"inspect.{panel}")
    frame.texts.bind(gr.Markdown(elem_classes="ll-how"), value=f"inspect.{panel}_how")


def _attention(
    frame: Frame,
) -> tuple[gr.Column, gr.Radio, gr.Dropdown, gr.Dropdown, gr.Plot, gr.HTML]:
    texts = frame.texts
    with gr.Column(elem_id="inspect-attention", min_width=480) as group:
        heading(frame, "attention")
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
        heatmap = gr.Plot(show_label=False, container=False, elem_id="inspect-heatmap")
        bertviz = bertviz_frame("BertViz")
    return group, view, layer, head, heatmap, bertviz


def _crf(frame: Frame) -> tuple[gr.Column, gr.Radio, gr.Plot]:
    with gr.Column(elem_id="inspect-crf", min_width=480) as group:
        heading(frame, "crf")
        panel = frame.texts.bind(
            gr.Radio(value="emissions", elem_id="inspect-crf-panel"),
            label="inspect.crf_panel",
            choices=[
                ("inspect.emissions", "emissions"),
                ("inspect.marginals", "marginals"),
                ("inspect.transitions", "transitions"),
            ],
        )
        plot = gr.Plot(show_label=False, container=False, elem_id="inspect-crf-plot")
    return group, panel, plot


def draw(
    session: Session, trace: Trace, view: str, layer: int | None, head: int | None, panel: str
) -> tuple[Any, ...]:
    """Every panel of a trace. Outputs: those of ``PanelComponents.drawn``."""
    session.memory["inspect"] = trace
    colours = {label.name: label.colour for label in labels.get(session.workspace, session.project_id)}
    language = session.language
    layers = list(range(len(trace.attention)))
    heads = len(trace.attention[0]) if layers else 0
    layer = layer if layer in layers else next(iter(layers), None)
    head = head if head in range(heads) else MEAN
    head_choices = [(session.text("inspect.mean"), MEAN), *((str(h), h) for h in range(heads))]
    # The distances are what FLAT's attention stands on; other lattice taggers do not look at them.
    distances = trace.lattice if layers and not trace.pieces else None
    return (
        gr.update(visible=trace.lattice is not None),
        lattice_value(trace, colours, language) if trace.lattice else {},
        gr.update(visible=trace.mrc is not None),
        gr.update(choices=_query_choices(session, trace), value=STARTS_AND_ENDS),
        draw_mrc(session, STARTS_AND_ENDS),
        gr.update(visible=bool(layers)),
        gr.update(choices=[(str(n), n) for n in layers], value=layer),
        gr.update(choices=head_choices, value=head),
        *draw_attention(session, view, layer, head),
        gr.update(visible=trace.crf is not None),
        draw_crf(session, panel),
        gr.update(visible=trace.mix is not None),
        layer_mix(trace.mix, trace.tokens, language) if trace.mix else None,
        gr.update(visible=distances is not None),
        distance_heatmaps(distances, language) if distances else None,
    )


def draw_attention(session: Session, view: str, layer: int | None, head: int | None) -> tuple[Any, Any]:
    """The heatmap or the BertViz frame; the other one is hidden."""
    trace = _trace(session)
    if trace is None or not trace.attention:
        return gr.update(visible=False), {"page": "", "height": 0}
    if view == "heatmap":
        figure = attention_heatmap(trace, layer or 0, MEAN if head is None else head, session.language)
        return gr.update(value=figure, visible=True), {"page": "", "height": 0}
    page = bertviz_page(trace, "head" if view == "head" else "model", layer or 0)
    nodes = len(trace.keys)
    height = 120 + 23 * nodes if view == "head" else 180 + 100 * len(trace.attention) + 23 * nodes
    return gr.update(visible=False), {"page": page, "height": height}


def draw_crf(session: Session, panel: str) -> Any:
    """The chosen picture of the CRF, or None where the tagger has none."""
    trace = _trace(session)
    if trace is None or trace.crf is None:
        return None
    if panel == "transitions":
        return transition_heatmap(trace.crf, session.language)
    draw = marginal_heatmap if panel == "marginals" else emission_heatmap
    return draw(trace.crf, trace.tokens, session.language)


def draw_mrc(session: Session, query: int | None) -> Any:
    """Starts and ends of all queries, or the match of one; None where the tagger asks none."""
    trace = _trace(session)
    if trace is None or trace.mrc is None:
        return None
    if query is None or query == STARTS_AND_ENDS:
        return start_and_end(trace.mrc, trace.tokens, session.language)
    return match_matrix(trace.mrc, query, trace.tokens, session.language)


def _query_choices(session: Session, trace: Trace) -> Sequence[tuple[str, int]]:
    names = trace.mrc.labels if trace.mrc else ()
    return [
        (session.text("inspect.starts_and_ends"), STARTS_AND_ENDS),
        *zip(names, range(len(names)), strict=True),
    ]


def _trace(session: Session) -> Trace | None:
    return session.memory.get("inspect")  # type: ignore[return-value]


def wire(components: PanelComponents, frame: Frame) -> None:
    """Connect the events of the panels."""
    c = components
    frame.on(
        [c.view.input, c.layer.input, c.head.input],
        draw_attention,
        [c.view, c.layer, c.head],
        [c.heatmap, c.bertviz],
    )
    frame.on([c.crf_panel.input], draw_crf, [c.crf_panel], [c.crf_plot])
    frame.on([c.mrc_panel.input], draw_mrc, [c.mrc_panel], [c.mrc_plot])
