"""The lower half of the attention panel: one number for every head, and the heads that stand out in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

import gradio as gr
import numpy as np

from app.i18n import _, ngettext
from app.inspect.figures.attention_heads import head_heatmap
from app.inspect.panel import Look
from app.inspect.sentence.attention_query import attended
from app.services.session import Session
from app.ui.frame import Frame
from app.ui.widgets.figure_view import FigureView, figure_view
from app.ui.widgets.shifting_choice import ShiftingDropdown, ShiftingRadio

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from core.inspection.sentence.attention_heads import Target
    from core.taggers.base.trace import Array, Trace

TARGET_NAMES = {
    "query": _("the query of {label}"),
    "word": _("{surface}, word {start}–{end}"),
    "span": _("{surface}, {label} {start}–{end}"),
}

STRONGEST_NAMES = {
    "query": _("Layer {layer}, head {head} pays the query {share} of the attention of the text."),
    "word": _(
        "Layer {layer}, head {head} gives the word {surface} {share} of the attention of its characters."
    ),
    "span": _("Layer {layer}, head {head} keeps {share} of the attention of {surface} inside the entity."),
}

MEASURE_NAMES = {
    "target": _("looks at …"),
    "entropy": _("entropy"),
    "relative": _("share of the largest entropy"),
    "distance": _("distance"),
}


MEASURES = ("target", "entropy", "relative", "distance")
AXES = {
    "target": _("share of attention"),
    "entropy": _("entropy, bits"),
    "relative": _("entropy / largest"),
    "distance": _("distance, characters"),
}
NAMED = 4  # heads named in words
LONGEST_NAME = 24


@dataclass(frozen=True)
class HeadsView:
    """The components."""

    measure: gr.Radio
    target: gr.Dropdown
    words: gr.HTML
    figure: FigureView

    @property
    def choices(self) -> tuple[Any, ...]:
        return self.measure, self.target

    @property
    def outputs(self) -> tuple[Any, ...]:
        return self.measure, self.target, self.words, self.figure.plot


def layout(frame: Frame) -> HeadsView:
    texts = frame.texts
    texts.bind(gr.Markdown(elem_classes="ll-panel-name"), value=_("Heads side by side"))
    texts.bind(
        gr.Markdown(elem_classes="ll-how"),
        value=_(
            "One number for every head; click a cell to see the head above. A head that "
            "looks at a word is no proof that the word is used: drop it and see."
        ),
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
    return HeadsView(measure, target, words, figure_of_heads)


def draw(
    session: Session, look: Look, measure: str, target: int | None, layer: int, head: int
) -> tuple[Any, ...]:
    """Outputs of `HeadsView`, for a sentence that has just been looked at."""
    from core.inspection.sentence.attention_heads import targets

    trace = look.trace
    found = targets(trace)
    offered = MEASURES if found else MEASURES[1:]
    measure = measure if measure in offered else offered[0]
    # A target is known by its number among those of its sentence; in another one it means something else.
    target = _first(found, look) if found else None
    choices = [(session._(MEASURE_NAMES[name]), name) for name in offered]
    named = [(_name(session, trace, each), number) for number, each in enumerate(found)]
    return (
        gr.update(choices=choices, value=measure),
        gr.update(choices=named, value=target, visible=measure == "target"),
        said(session, trace, measure, target),
        figure(session, trace, measure, target, layer, head),
    )


def redraw(
    session: Session, measure: str, target: int | None, layer: int | None, head: int | None
) -> tuple[Any, ...]:
    """Another measure or target. Outputs: target, words, figure."""
    look = attended(session)
    if look is None or not look.trace.attention:
        return tuple(gr.skip() for _ in range(3))
    return (
        gr.update(visible=measure == "target"),
        said(session, look.trace, measure, target),
        figure(session, look.trace, measure, target, *_whole(layer, head)),
    )


def wire(view: HeadsView, frame: Frame, layer: gr.Dropdown, head: gr.Dropdown) -> None:
    """Connect the two choices; a click on the figure is the panel's."""
    frame.on(
        [view.measure.input, view.target.input],
        redraw,
        [*view.choices, layer, head],
        [view.target, view.words, view.figure.plot],
    )


def figure(
    session: Session, trace: Trace, measure: str, target: int | None, layer: int, head: int
) -> go.Figure:
    """The chosen measure of every head."""
    title = session._(AXES[measure if measure in MEASURES else "entropy"])
    most = 1.0 if measure == "relative" else None
    return head_heatmap(_values(trace, measure, target), title, layer, head, session.language, most)


def said(session: Session, trace: Trace, measure: str, target: int | None) -> str:
    """The heads that stand out, in words; HTML with everything from the sentence escaped."""
    values = _values(trace, measure, target)
    if np.isnan(values).all():
        return _paragraphs([session._("The tagger's first window does not reach there.")])
    chosen = _target(trace, target) if measure == "target" else None
    if chosen is not None:
        return _paragraphs(_strongest(session, trace, chosen, values))
    return _paragraphs([_extremes(session, trace, measure, values)])


def _strongest(session: Session, trace: Trace, target: Target, values: Array) -> list[str]:
    """E.g. ``Layer 0, head 3 gives the word 教授级 0.41 of the attention of its characters.``"""
    from core.inspection.sentence.attention_heads import even_share, strongest

    best, *others = strongest(values, NAMED)
    surface = _surface(trace, target)
    lines = [
        session._(
            STRONGEST_NAMES[target.kind],
            layer=best.layer,
            head=best.head,
            share=f"{best.share:.2f}",
            surface=surface,
        )
    ]
    if others:
        heads = session._(", ").join(
            session._(
                "layer {layer}, head {head} ({share})",
                layer=one.layer,
                head=one.head,
                share=f"{one.share:.2f}",
            )
            for one in others
        )
        lines.append(session._("Then: {heads}.", heads=heads))
    lines.append(
        session._(
            "A head that looked everywhere alike would give {share}.",
            share=f"{even_share(trace, target):.2f}",
        )
    )
    return lines


def _extremes(session: Session, trace: Trace, measure: str, values: Array) -> str:
    from core.inspection.sentence.attention_heads import largest_entropy

    layer, head = divmod(int(np.nanargmin(values)), values.shape[1])
    far_layer, far_head = divmod(int(np.nanargmax(values)), values.shape[1])
    most = largest_entropy(trace)
    bits = most if measure == "relative" else 1.0  # both entropies are told in bits
    message = (
        ngettext(
            "Nearest: layer {layer}, head {head} ({count} character away); furthest: layer "
            "{far_layer}, head {far_head} ({high}). Special pieces stand nowhere and do "
            "not count.",
            "Nearest: layer {layer}, head {head} ({count} characters away); furthest: "
            "layer {far_layer}, head {far_head} ({high}). Special pieces stand nowhere and "
            "do not count.",
        )
        if measure == "distance"
        else _(
            "Narrowest: layer {layer}, head {head} ({low} bits); widest: layer "
            "{far_layer}, head {far_head} ({high} bits). Looking everywhere alike would be "
            "{most} bits."
        )
    )
    return session._(
        message,
        layer=layer,
        head=head,
        low=f"{values[layer, head] * bits:.2f}",
        far_layer=far_layer,
        far_head=far_head,
        high=f"{values[far_layer, far_head] * bits:.2f}",
        most=f"{most:.2f}",
    )


def _values(trace: Trace, measure: str, target: int | None) -> Array:
    """``[layers, heads]`` of the measure."""
    from core.inspection.sentence.attention_heads import attention_to, entropy, largest_entropy, mean_distance

    chosen = _target(trace, target) if measure == "target" else None
    if chosen is not None:
        return attention_to(trace, chosen)
    if measure == "distance":
        return mean_distance(trace)
    if measure == "relative":
        return entropy(trace) / max(largest_entropy(trace), 1e-9)
    return entropy(trace)


def _target(trace: Trace, number: int | None) -> Target | None:
    """The numbered target, the first one for a number that there is not; None where there are none."""
    from core.inspection.sentence.attention_heads import targets

    found = targets(trace)
    if not found:
        return None
    return found[number if isinstance(number, int) and 0 <= number < len(found) else 0]


def _first(found: Sequence[Target], look: Look) -> int:
    """The longest word in the span in focus, else that span, else the longest of all."""
    focus = look.focus
    inside = [
        number
        for number, target in enumerate(found)
        if focus is not None and focus.start <= target.start and target.end <= focus.end
    ]
    words = [number for number in inside if found[number].node is not None]
    return max(
        words or inside or range(len(found)), key=lambda number: found[number].end - found[number].start
    )


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


def _whole(layer: Any, head: Any) -> tuple[int, int]:
    """Layer and head for the frame around them; the first layer where the browser sent something else."""
    return (layer, head) if isinstance(layer, int) and isinstance(head, int) else (0, -1)


def _paragraphs(lines: Sequence[str]) -> str:
    return "".join(f"<p>{escape(line)}</p>" for line in lines)
