"""The attention panel: every head as a thumbnail, one of them large, and BertViz's views."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any

import gradio as gr

from app.i18n import _
from app.inspect.figures.attention_thumbnails import attention_thumbnails
from app.inspect.panel import Look, PanelView, heading, look_of
from app.inspect.sentence import attention_heads
from app.inspect.sentence.attention_heads import HeadsComponents
from app.inspect.widgets.bertviz_frame import bertviz_frame, bertviz_page, most_nodes
from app.services.session import Session
from app.ui.figures.attention import attention_heatmap
from app.ui.frame import Frame
from app.ui.widgets.figure_view import FigureView, figure_view
from app.ui.widgets.head_pickers import layer_and_head
from app.ui.widgets.shifting_choice import ShiftingDropdown, ShiftingRadio
from core.inspection.sentence.attention_heads import heads_view
from core.inspection.sentence.attention_view import attention_view, existing_head, heads_by_layer

if TYPE_CHECKING:
    from core.inspection.sentence.attention_heads import HeadsView
    from core.inspection.sentence.attention_view import AttentionView
    from core.taggers.base.trace import Trace

UNIT_NAMES = {
    "pieces": _("word pieces"),
    "nodes": _("characters and words"),
    "characters": _("characters"),
    "words": _("words"),
    "spans": _("entities"),
}

VIEW_NAMES = {
    "heatmap": _("heatmap"),
    "head": _("BertViz head view"),
    "model": _("BertViz model view"),
    "neuron": _("BertViz neuron view"),
}

NAME = "attention"
FOLLOWS_FOCUS = False
FIRST = "first"  # default units of the tagger
BERTVIZ = ("head", "model", "neuron")
NO_PAGE = {"page": "", "height": 0}
# The current trace, and the same with the attention for another query.
MEMORY = "inspect-attention-query"


@dataclass(kw_only=True)
class AttentionPanel(PanelView):
    """The panel's own components."""

    controls: MapControls
    maps: Maps
    heads: HeadsComponents
    query: gr.Dropdown


@dataclass(frozen=True)
class MapControls:
    """The controls of the figures, in the order of the callbacks' arguments."""

    view: gr.Radio
    kind: gr.Radio
    special: gr.Checkbox
    layer: gr.Dropdown
    head: gr.Dropdown

    @property
    def all(self) -> dict[str, Any]:
        return {each.name: getattr(self, each.name) for each in fields(self)}


@dataclass(frozen=True)
class Maps:
    """Where the pictures are shown."""

    pictures: gr.Column
    thumbnails: FigureView
    heatmap: FigureView
    note: gr.Markdown
    bertviz: gr.HTML

    @property
    def all(self) -> dict[str, Any]:
        return {
            "pictures": self.pictures, "thumbnails": self.thumbnails.plot, "heatmap": self.heatmap.plot,
            "note": self.note, "bertviz": self.bertviz,
        }  # fmt: skip


def has(trace: Trace) -> bool:
    return bool(trace.attention)


def layout(frame: Frame) -> AttentionPanel:
    with gr.Column(visible=False, elem_id="inspect-attention") as group:
        heading(frame, NAME)
        view, layer, head, query = _controls(frame)
        note = gr.Markdown(visible=False, elem_classes="ll-how")
        # BertViz draws the tagger's own units, so units are chosen for the heatmaps only.
        with gr.Column() as pictures:
            kind, special = _units(frame)
            thumbnails, heatmap = _pictures(frame)
        maps = Maps(pictures, thumbnails, heatmap, note, bertviz_frame("BertViz"))
        heads = attention_heads.layout(frame)
    controls = MapControls(view, kind, special, layer, head)
    choices = (*controls.all.values(), *heads.choices)
    outputs = {"query": query, **controls.all, **maps.all, **heads.outputs}
    return AttentionPanel(group, choices, outputs, controls=controls, maps=maps, heads=heads, query=query)


def _controls(frame: Frame) -> tuple[gr.Radio, gr.Dropdown, gr.Dropdown, gr.Dropdown]:
    texts = frame.texts
    # Views and units depend on the tagger: their choices come with the first trace.
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
            ShiftingDropdown(choices=[], elem_id="inspect-layer", scale=1, min_width=120), label=_("Layer")
        )
        head = texts.bind(
            ShiftingDropdown(choices=[], elem_id="inspect-head", scale=2, min_width=160), label=_("Head")
        )
        query = texts.bind(
            ShiftingDropdown(
                choices=[], visible=False, elem_id="inspect-attention-query", scale=2, min_width=160
            ),
            label=_("Read with the query of"),
        )
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
                "To a unit: the sum over its parts; from a unit: their mean; rollout multiplies "
                "attention from the chosen layer down to the input with residual weight 1/2 (Abnar and "
                "Zuidema 2020), and in the last layer of FLAT only characters are queries."
            ),
        )
        special = texts.bind(
            gr.Checkbox(value=True, elem_id="inspect-attention-special", scale=2, min_width=240),
            label=_("With special pieces"),
            info=_(
                "Without special pieces such as [CLS] or a query, a row sums to the attention to the text."
            ),
        )
    return kind, special


def _pictures(frame: Frame) -> tuple[FigureView, FigureView]:
    with gr.Row(equal_height=False):
        with gr.Column(scale=2, min_width=320):
            frame.texts.hint(
                _(
                    "All heads, each on its own scale: compare shapes, not brightness, and click one to "
                    "enlarge it."
                )
            )
            thumbnails = figure_view("inspect-attention-thumbnails")
        with gr.Column(scale=3, min_width=320):
            heatmap = figure_view("inspect-heatmap")
    return thumbnails, heatmap


def draw(session: Session, look: Look, *choices: Any) -> dict[str, Any]:
    """Draw the query, the controls this trace has, the pictures, and the heads side by side."""
    session.memory.pop(MEMORY, None)  # begin with the query of the trace itself
    return _drawn(session, look, *choices)


def ask(session: Session, query: Any, *choices: Any) -> dict[str, Any]:
    """Redraw the panel for the same sentence with another query."""
    look = _behind(session, query)
    if look is None:
        return {}
    return _drawn(session, look, *choices)


def _drawn(session: Session, look: Look, *choices: Any) -> dict[str, Any]:
    drawing, kind, special, layer, head, measure, _ = choices
    drawing, view, heads = _views(look, drawing, kind, special, layer, head, measure, None)
    return {
        "query": _query(look.trace),
        **_controls_of(session, look.trace, drawing, view),
        **_maps(session, look.trace, drawing, view),
        **attention_heads.drawn(session, look.trace, heads, view.chosen.layer, view.chosen.head),
    }


def redraw(session: Session, *choices: Any) -> dict[str, Any]:
    """Redraw the pictures of the same sentence, and frame the chosen head."""
    look = attended(session)
    if look is None or not has(look.trace):
        return {}
    drawing, view, heads = _views(look, *choices)
    return {
        **_maps(session, look.trace, drawing, view),
        "heads": attention_heads.figure(session, heads, view.chosen.layer, view.chosen.head),
    }


def measure_again(session: Session, measure: Any, target: Any, layer: Any, head: Any) -> dict[str, Any]:
    """Redraw the heads by another measure or target."""
    look = attended(session)
    if look is None or not has(look.trace):
        return {}
    view = heads_view(look.trace, measure, target, look.focus)
    return {
        "target": gr.update(visible=view.measure == "target"),
        "words": attention_heads.notable_heads(session, look.trace, view),
        "heads": attention_heads.figure(
            session, view, *existing_head(heads_by_layer(look.trace), layer, head)
        ),
    }


def enlarge(session: Session, event: gr.EventData, *choices: Any) -> dict[str, Any]:
    """Choose the layer and head of the clicked picture, and draw."""
    look = attended(session)
    picked = _picked(event, look.trace) if look is not None else None
    if picked is None:
        return {}
    drawing, kind, special, _, _, measure, target = choices
    layer, head = picked
    again = redraw(session, drawing, kind, special, layer, head, measure, target)
    return {"layer": layer, "head": head, **again}


def _views(
    look: Look, drawing: Any, kind: Any, special: Any, layer: Any, head: Any, measure: Any, target: Any
) -> tuple[str, AttentionView, HeadsView]:
    """The figures of the look."""
    drawing = drawing if drawing in _drawings(look.trace) else "heatmap"
    view = attention_view(look.trace, kind, special, layer, head)
    return drawing, view, heads_view(look.trace, measure, target, look.focus)


def _drawings(trace: Trace) -> tuple[str, ...]:
    """The neuron view needs vectors whose dot products are the attention."""
    return ("heatmap", *BERTVIZ) if trace.query_key is not None else ("heatmap", *BERTVIZ[:2])


def _query(trace: Trace) -> dict[str, Any]:
    """The picker of queries for this trace."""
    if trace.mrc is None:
        return gr.update(visible=False)
    labels = trace.mrc.labels
    return gr.update(
        choices=list(zip(labels, range(len(labels)), strict=True)), value=trace.mrc.attended, visible=True
    )


def _controls_of(session: Session, trace: Trace, drawing: str, view: AttentionView) -> dict[str, Any]:
    """Updates of `MapControls` for this trace."""
    drawings = [(session._(VIEW_NAMES[each]), each) for each in _drawings(trace)]
    nodes = "pieces" if trace.pieces is not None and trace.lattice is None else "nodes"
    kinds = [(session._(UNIT_NAMES[nodes if kind == "nodes" else kind]), kind) for kind in view.kinds]
    layer, head = layer_and_head(view.heads, view.chosen.layer, view.chosen.head, session.language)
    return {
        "view": gr.update(choices=drawings, value=drawing),
        "kind": gr.update(choices=kinds, value=view.kind),
        "special": gr.update(visible=view.has_special),
        "layer": layer,
        "head": head,
    }


def _maps(session: Session, trace: Trace, drawing: str, view: AttentionView) -> dict[str, Any]:
    """Update the pictures or the BertViz frame and hide the other."""
    note = gr.update(visible=False)
    if drawing in BERTVIZ:
        most = most_nodes(drawing)  # type: ignore[arg-type]
        if len(trace.keys) <= most:
            if drawing == "neuron":
                hint = session._(
                    "Layer {layer}: point at a piece on the left, then click its + to see query × key unit "
                    "by unit, blue positive and orange negative; their sum, through a softmax, is the "
                    "attention.",
                    layer=view.chosen.layer,
                )
                note = gr.update(value=hint, visible=True)
            page = _bertviz(trace, drawing, view.chosen.layer, view.chosen.head)
            return {"pictures": gr.update(visible=False), "note": note, "bertviz": page}
        hint = session.ngettext(
            "This sentence has {count} unit and this view draws up to {most}; here is the heatmap instead.",
            "This sentence has {count} units and this view draws up to {most}; here is the heatmap instead.",
            count=len(trace.keys),
            most=most,
        )
        note = gr.update(value=hint, visible=True)
    return {
        "pictures": gr.update(visible=True),
        "thumbnails": attention_thumbnails(
            view.thumbnails, view.chosen.layer, view.chosen.head, session.language
        ),
        "heatmap": attention_heatmap(view.chosen, session.language),
        "note": note,
        "bertviz": NO_PAGE,
    }


def _bertviz(trace: Trace, drawing: str, layer: int, head: int) -> dict[str, Any]:
    page = bertviz_page(trace, drawing, layer, max(0, head))  # type: ignore[arg-type]
    nodes = len(trace.keys)
    heights = {
        "head": 120 + 23 * nodes,
        "model": 180 + 100 * len(trace.attention) + 23 * nodes,
        "neuron": 180 + 26 * nodes,
    }
    return {"page": page, "height": heights[drawing], "view": drawing}


def _picked(event: gr.EventData, trace: Trace) -> tuple[int, int] | None:
    """Layer and head of a click; None if the event, which is untrusted, names none."""
    across, down = getattr(event, "x", None), getattr(event, "y", None)
    if not all(isinstance(value, (int, float)) and abs(value) < 1e6 for value in (across, down)):
        return None
    layer, head = round(down), round(across)  # type: ignore[arg-type]
    if layer not in range(len(trace.attention)) or head not in range(len(trace.attention[layer])):
        return None
    return layer, head


def attended(session: Session) -> Look | None:
    """The current look, with the attention for the chosen query; None if there is none."""
    look, kept = look_of(session), session.memory.get(MEMORY)
    if look is None or not isinstance(kept, tuple) or kept[0] is not look.trace:
        return look
    return replace(look, trace=kept[1])


def _behind(session: Session, query: Any) -> Look | None:
    """Trace the current sentence with this query; None if the tagger has no such query."""
    look = look_of(session)
    if look is None or look.trace.mrc is None or query not in range(len(look.trace.mrc.queries)):
        return None
    with session.workbench.taggers.tagger(session.project_id, look.run) as tagger:
        with_attention = getattr(tagger, "with_attention", None)
        if with_attention is None:  # another tagger was trained under the run's name
            return None
        session.memory[MEMORY] = look.trace, with_attention(look.trace, int(query))
    return attended(session)


def wire(view: AttentionPanel, frame: Frame) -> None:
    controls, maps, heads = view.controls, view.maps, view.heads
    drawn = {**maps.all, "heads": heads.heads.plot}
    frame.on([control.input for control in controls.all.values()], redraw, view.choices, drawn)
    chosen = {"layer": controls.layer, "head": controls.head}
    for picture in (maps.thumbnails, heads.heads):
        frame.on(picture.bar.pick, enlarge, view.choices, chosen | drawn)
    frame.on([view.query.input], ask, [view.query, *view.choices], view.outputs, show_progress="minimal")
    frame.on(
        [heads.measure.input, heads.target.input],
        measure_again,
        [*heads.choices, controls.layer, controls.head],
        {"target": heads.target, "words": heads.words, "heads": heads.heads.plot},
    )
