"""The lower half of the attention panel: a number per head, and notable heads in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

import gradio as gr

from app.i18n import _
from app.inspect.figures.attention_heads import head_heatmap
from app.services.session import Session
from app.ui.frame import Frame
from app.ui.headings import panel_heading
from app.ui.widgets.figure_view import FigureView, figure_view
from app.ui.widgets.shifting_choice import ShiftingDropdown, ShiftingRadio
from core.inspection.sentence.attention_heads import MEASURES

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from core.inspection.sentence.attention_heads import HeadsView, Target
    from core.taggers.base.trace import Trace

TARGET_NAMES = {
    "query": _("the query of {label}"),
    "word": _("{surface}, word {start}–{end}"),
    "span": _("{surface}, {label} {start}–{end}"),
}

STRONGEST_NAMES = {
    "query": _("Layer {layer}, head {head}: the text gives the query {share} of its attention."),
    "word": _(
        "Layer {layer}, head {head}: the characters of the word {surface} give it {share} of their attention."
    ),
    "span": _("Layer {layer}, head {head}: {share} of the attention of {surface} stays inside the entity."),
}

MEASURE_NAMES = {
    "target": _("attends to …"),
    "entropy": _("entropy"),
    "relative": _("share of the largest entropy"),
    "distance": _("distance"),
}

AXES = {
    "target": _("share of attention"),
    "entropy": _("entropy, bits"),
    "relative": _("entropy / largest"),
    "distance": _("distance, characters"),
}
LONGEST_NAME = 24


@dataclass(frozen=True)
class HeadsComponents:
    """The components."""

    measure: gr.Radio
    target: gr.Dropdown
    words: gr.HTML
    heads: FigureView

    @property
    def choices(self) -> tuple[Any, ...]:
        return self.measure, self.target

    @property
    def outputs(self) -> dict[str, Any]:
        return {
            "measure": self.measure, "target": self.target, "words": self.words, "heads": self.heads.plot,
        }  # fmt: skip


def layout(frame: Frame) -> HeadsComponents:
    texts = frame.texts
    panel_heading(texts, _("Heads side by side"))
    texts.hint(
        _(
            "One number per head: click a cell to see that head above; attention to a word does not "
            "prove that it is used."
        )
    )
    with gr.Row(equal_height=False):
        with gr.Column(scale=2, min_width=320):
            measure = texts.bind(
                ShiftingRadio(
                    choices=[(texts(MEASURE_NAMES[name]), name) for name in MEASURES],
                    value="target",
                    elem_id="inspect-attention-measure",
                ),
                label=_("Colour by"),
            )
            target = texts.bind(
                ShiftingDropdown(choices=[], elem_id="inspect-attention-target"),
                label=_("Word, entity or query"),
            )
            words = gr.HTML(elem_id="inspect-attention-words")
        with gr.Column(scale=3, min_width=320):
            figure_of_heads = figure_view("inspect-attention-heads")
    return HeadsComponents(measure, target, words, figure_of_heads)


def drawn(session: Session, trace: Trace, view: HeadsView, layer: int, head: int) -> dict[str, Any]:
    """The heads of a new look."""
    measures = [(session._(MEASURE_NAMES[name]), name) for name in view.measures]
    targets = [(_name(session, trace, target), number) for number, target in enumerate(view.targets)]
    return {
        "measure": gr.update(choices=measures, value=view.measure),
        "target": gr.update(choices=targets, value=view.target, visible=view.measure == "target"),
        "words": notable_heads(session, trace, view),
        "heads": figure(session, view, layer, head),
    }


def figure(session: Session, view: HeadsView, layer: int, head: int) -> go.Figure:
    """The chosen measure of every head."""
    most = 1.0 if view.measure == "relative" else None
    title = session._(AXES[view.measure])
    return head_heatmap(view.values, title, layer, head, session.language, most)


def notable_heads(session: Session, trace: Trace, view: HeadsView) -> str:
    """Notable heads in words, as escaped HTML."""
    if view.lowest is None or view.highest is None:
        return _paragraphs([session._("It lies outside the tagger's first window.")])
    if view.measure == "target":
        return _paragraphs(_strongest(session, trace, view))
    message = (
        _(
            "Shortest distance: layer {layer}, head {head} ({low} characters); longest: layer "
            "{far_layer}, head {far_head} ({high}); special pieces have no position and are left out."
        )
        if view.measure == "distance"
        else _(
            "Lowest entropy: layer {layer}, head {head} ({low} bits); highest: layer {far_layer}, head "
            "{far_head} ({high} bits). Uniform attention would have {most} bits."
        )
    )
    line = session._(
        message,
        layer=view.lowest.layer,
        head=view.lowest.head,
        low=f"{view.lowest.value:.2f}",
        far_layer=view.highest.layer,
        far_head=view.highest.head,
        high=f"{view.highest.value:.2f}",
        most=f"{view.largest_entropy:.2f}",
    )
    return _paragraphs([line])


def _strongest(session: Session, trace: Trace, view: HeadsView) -> list[str]:
    """E.g. ``Layer 0, head 3 : the characters of the word 教授级 give it 0.41 of their attention.``"""
    assert view.target is not None
    target = view.targets[view.target]
    best, *others = view.strongest
    lines = [
        session._(
            STRONGEST_NAMES[target.kind],
            layer=best.layer,
            head=best.head,
            share=f"{best.value:.2f}",
            surface=_surface(trace, target),
        )
    ]
    if others:
        comma = "、" if session.language == "zh" else ", "
        heads = comma.join(
            session._(
                "layer {layer}, head {head} ({share})",
                layer=other.layer,
                head=other.head,
                share=f"{other.value:.2f}",
            )
            for other in others
        )
        lines.append(session._("Then: {heads}.", heads=heads))
    lines.append(session._("Uniform attention would give {share}.", share=f"{view.uniform:.2f}"))
    return lines


def _name(session: Session, trace: Trace, target: Target) -> str:
    return session._(
        TARGET_NAMES[target.kind],
        surface=_surface(trace, target),
        start=target.start,
        end=target.end,
        label=target.label,
    )


def _surface(trace: Trace, target: Target) -> str:
    surface = trace.text[target.start : target.end]
    return surface if len(surface) <= LONGEST_NAME else surface[: LONGEST_NAME - 1] + "…"


def _paragraphs(lines: Sequence[str]) -> str:
    return "".join(f"<p>{escape(line)}</p>" for line in lines)
