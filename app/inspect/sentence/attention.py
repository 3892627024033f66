"""Who looked at whom: every head as a picture, one of them large, and as BertViz draws them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import gradio as gr

from app.i18n import _
from app.inspect.figures.attention_thumbnails import attention_thumbnails
from app.inspect.panel import Look, PanelView, heading
from app.inspect.sentence import attention_heads, attention_query
from app.inspect.sentence.attention_choices import BERTVIZ, Chosen, fitted, offered
from app.inspect.sentence.attention_heads import HeadsView
from app.inspect.widgets.bertviz_frame import bertviz_frame, bertviz_page, most_nodes
from app.services.session import Session
from app.ui.figures.attention import attention_heatmap
from app.ui.frame import Frame
from app.ui.widgets.figure_view import FigureView, figure_view
from app.ui.widgets.shifting_choice import ShiftingDropdown, ShiftingRadio

if TYPE_CHECKING:
    from core.taggers.base.trace import Trace

NAME = "attention"
FOLLOWS_FOCUS = False
FIRST = "first"  # units until somebody chooses: the ones that suit the tagger
NO_PAGE = {"page": "", "height": 0}


@dataclass
class AttentionView(PanelView):
    """The panel's own components."""

    controls: MapControls | None = None
    maps: Maps | None = None
    heads: HeadsView | None = None
    query: gr.Dropdown | None = None


@dataclass(frozen=True)
class MapControls:
    """What decides which picture is shown, in the order in which callbacks take them."""

    view: gr.Radio
    kind: gr.Radio
    special: gr.Checkbox
    layer: gr.Dropdown
    head: gr.Dropdown

    @property
    def all(self) -> tuple[Any, ...]:
        return self.view, self.kind, self.special, self.layer, self.head


@dataclass(frozen=True)
class Maps:
    """Where the pictures are shown."""

    group: gr.Column
    thumbnails: FigureView
    heatmap: FigureView
    note: gr.Markdown
    bertviz: gr.HTML

    @property
    def all(self) -> tuple[Any, ...]:
        return self.group, self.thumbnails.plot, self.heatmap.plot, self.note, self.bertviz


def has(trace: Trace) -> bool:
    return bool(trace.attention)


def layout(frame: Frame) -> AttentionView:
    with gr.Column(visible=False, elem_id="inspect-attention") as group:
        heading(frame, NAME)
        view, layer, head, query = _controls(frame)
        note = gr.Markdown(visible=False, elem_classes="ll-how")
        # BertViz draws what the tagger reads, so that units are chosen for the heatmaps alone.
        with gr.Column() as pictures:
            kind, special = _units(frame)
            thumbnails, heatmap = _pictures(frame)
        maps = Maps(pictures, thumbnails, heatmap, note, bertviz_frame("BertViz"))
        heads = attention_heads.layout(frame)
    controls = MapControls(view, kind, special, layer, head)
    choices = (*controls.all, *heads.choices)
    outputs = (query, *controls.all, *maps.all, *heads.outputs)
    return AttentionView(group, choices, outputs, controls, maps, heads, query)


def _controls(frame: Frame) -> tuple[gr.Radio, gr.Dropdown, gr.Dropdown, gr.Dropdown]:
    texts = frame.texts
    # Views and units depend on the tagger: their choices are filled when it has been looked at.
    with gr.Row():
        view = texts.bind(
            ShiftingRadio(
                choices=[(texts(_("heatmap")), "heatmap")],
                value="heatmap",
                elem_id="inspect-view",
                scale=4,
                min_width=300,
            ),
            label=_("View"),
        )
        layer = texts.bind(
            ShiftingDropdown(choices=[], elem_id="inspect-layer", scale=1, min_width=120),
            label=_("Layer"),
        )
        head = texts.bind(
            ShiftingDropdown(choices=[], elem_id="inspect-head", scale=2, min_width=160), label=_("Head")
        )
        query = attention_query.picker(frame)
    return view, layer, head, query


def _units(frame: Frame) -> tuple[gr.Radio, gr.Checkbox]:
    texts = frame.texts
    with gr.Row(equal_height=False):
        kind = texts.bind(
            ShiftingRadio(
                choices=[(texts(_("characters")), FIRST)],
                value=FIRST,
                elem_id="inspect-attention-units",
                scale=4,
                min_width=300,
            ),
            label=_("Rows and columns"),
            info=_(
                "To a unit: the sum over its parts; from a unit: their mean. Rollout follows "
                "attention from the chosen layer down to the input, half of every step staying "
                "in place (Abnar and Zuidema 2020); in the last layer of FLAT only characters "
                "ask."
            ),
        )
        special = texts.bind(
            gr.Checkbox(value=True, elem_id="inspect-attention-special", scale=2, min_width=240),
            label=_("with special pieces"),
            info=_("Without [CLS], a query and the like a row sums to what is paid to the text."),
        )
    return kind, special


def _pictures(frame: Frame) -> tuple[FigureView, FigureView]:
    with gr.Row(equal_height=False):
        with gr.Column(scale=2, min_width=320):
            frame.texts.bind(
                gr.Markdown(elem_classes="ll-how"),
                value=_(
                    "All heads: click one to enlarge it. Each has its own scale, so compare "
                    "shapes, not brightness."
                ),
            )
            thumbnails = figure_view("inspect-attention-thumbnails")
        with gr.Column(scale=3, min_width=320):
            heatmap = figure_view("inspect-heatmap")
    return thumbnails, heatmap


def draw(
    session: Session,
    look: Look,
    view: str,
    kind: str,
    special: bool,
    layer: int | None,
    head: int | None,
    measure: str,
    target: int | None,
) -> tuple[Any, ...]:
    """The query, the controls with what this trace has, the pictures, and the heads side by side."""
    attention_query.forget(session)
    return _drawn(session, look, view, kind, special, layer, head, measure, target)


def ask(session: Session, query: int | None, *choices: Any) -> tuple[Any, ...]:
    """The same sentence behind another query: everything of the panel."""
    look = attention_query.ask(session, query)
    if look is None:
        return tuple(gr.skip() for _ in range(15))
    return _drawn(session, look, *choices)


def _drawn(session: Session, look: Look, *choices: Any) -> tuple[Any, ...]:
    *own, measure, target = choices
    chosen = fitted(look.trace, *own)
    return (
        attention_query.offered(look.trace),
        *offered(session, look.trace, chosen),
        *draw_maps(session, look.trace, chosen),
        *attention_heads.draw(session, look, measure, target, chosen.layer, chosen.head),
    )


def redraw(session: Session, *choices: Any) -> tuple[Any, ...]:
    """Other choices on the same sentence: the pictures, and the frame around the chosen head."""
    look = attention_query.attended(session)
    if look is None or not has(look.trace):
        return tuple(gr.skip() for _ in range(6))
    *own, measure, target = choices
    chosen = fitted(look.trace, *own)
    return (
        *draw_maps(session, look.trace, chosen),
        attention_heads.figure(session, look.trace, measure, target, chosen.layer, chosen.head),
    )


def enlarge(session: Session, event: gr.EventData, *choices: Any) -> tuple[Any, ...]:
    """A click on a picture of a head: choose its layer and head, and draw.

    Outputs: layer, head, then those of ``redraw``.
    """
    look = attention_query.attended(session)
    picked = _picked(event, look.trace) if look is not None else None
    if picked is None:
        return tuple(gr.skip() for _ in range(8))
    view, kind, special, _, _, measure, target = choices
    return (*picked, *redraw(session, view, kind, special, *picked, measure, target))


def draw_maps(session: Session, trace: Trace, chosen: Chosen) -> tuple[Any, ...]:
    """Outputs of `Maps`: either the pictures or the BertViz frame; the other one is hidden."""
    from core.inspection.sentence.attention_units import units

    note = gr.update(visible=False)
    if chosen.view in BERTVIZ:
        most = most_nodes(chosen.view)  # type: ignore[arg-type]
        if len(trace.keys) <= most:
            if chosen.view == "neuron":
                said = session._(
                    "Layer {layer}. Point at a piece on the left, then click its + to see query × "
                    "key unit by unit: blue is positive, orange negative. The sum over the units, "
                    "through a softmax, is the attention.",
                    layer=chosen.layer,
                )
                note = gr.update(value=said, visible=True)
            return gr.update(visible=False), gr.skip(), gr.skip(), note, _bertviz(trace, chosen)
        said = session.ngettext(
            "This sentence has {count} unit and this view draws up to {most}; here is the heatmap instead.",
            "This sentence has {count} units and this view draws up to {most}; here is the heatmap instead.",
            count=len(trace.keys),
            most=most,
        )
        note = gr.update(value=said, visible=True)
    seen = units(trace, chosen.kind, chosen.special)
    return (
        gr.update(visible=True),
        attention_thumbnails(trace, seen, chosen.layer, chosen.head, session.language),
        attention_heatmap(trace, chosen.layer, chosen.head, session.language, seen),
        note,
        NO_PAGE,
    )


def wire(view: AttentionView, frame: Frame) -> None:
    assert view.controls
    assert view.maps
    assert view.heads
    assert view.query
    controls, maps, heads = view.controls, view.maps, view.heads
    drawn = [*maps.all, heads.figure.plot]
    frame.on([control.input for control in controls.all], redraw, view.choices, drawn)
    for picture in (maps.thumbnails, heads.figure):
        frame.on(picture.bar.pick, enlarge, view.choices, [controls.layer, controls.head, *drawn])
    frame.on([view.query.input], ask, [view.query, *view.choices], view.outputs, show_progress="minimal")
    attention_heads.wire(heads, frame, controls.layer, controls.head)


def _picked(event: gr.EventData, trace: Trace) -> tuple[int, int] | None:
    """Layer and head under a click; None where the event, which comes from a browser, names none."""
    across, down = getattr(event, "x", None), getattr(event, "y", None)
    if not all(isinstance(value, (int, float)) and abs(value) < 1e6 for value in (across, down)):
        return None
    layer, head = round(down), round(across)  # type: ignore[arg-type]
    if layer not in range(len(trace.attention)) or head not in range(len(trace.attention[layer])):
        return None
    return layer, head


def _bertviz(trace: Trace, chosen: Chosen) -> dict[str, Any]:
    page = bertviz_page(trace, chosen.view, chosen.layer, max(0, chosen.head))  # type: ignore[arg-type]
    nodes = len(trace.keys)
    heights = {
        "head": 120 + 23 * nodes,
        "model": 180 + 100 * len(trace.attention) + 23 * nodes,
        "neuron": 180 + 26 * nodes,
    }
    return {"page": page, "height": heights[chosen.view], "view": chosen.view}
