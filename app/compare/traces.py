"""The traces of two runs side by side: lattice, CRF marginals, attention and layer mix of one document."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import gradio as gr

from app.compare.documents import in_hand
from app.compare.reading import in_view
from app.i18n import _
from app.services import in_project
from app.services.session import Session
from app.ui.code_span import code_span
from app.ui.figures.attention import attention_heatmap
from app.ui.figures.crf import marginal_heatmap
from app.ui.figures.layer_mix import layer_mix
from app.ui.frame import Frame
from app.ui.headings import section_heading
from app.ui.server_function import Reply
from app.ui.widgets.figure_view import FigureView, figure_view
from app.ui.widgets.head_pickers import layer_and_head
from app.ui.widgets.lattice import AttentionQuery, answer_attention, lattice_value, lattice_viewer, mark_of
from app.ui.widgets.sentence import sentence_row, sentence_view, sentences_value
from app.ui.widgets.shifting_choice import ShiftingDropdown
from core.inspection.sentence.attention_view import MEAN, attention_map, existing_head, heads_by_layer
from core.inspection.sentence.crf_scores import crf_scores
from core.inspection.sentence.lattice_view import lattice_view
from core.inspection.sentence.mix_view import mix_view
from core.store.label import labels
from core.store.run import predicted
from core.text import Document, LabelSet

if TYPE_CHECKING:
    from core.taggers.base.trace import Trace

PART_NAMES = {
    "lattice": _("Lattice"),
    "crf": _("CRF marginals"),
    "attention": _("Attention"),
    "mix": _("Layer weights"),
}

MOST_CHARACTERS = 300
SIDES = ("base", "other")
PARTS = ("lattice", "crf", "attention", "mix")
MEMORY = "compare-traces"  # the traces in view


@dataclass(frozen=True)
class Traced:
    """One run's trace of the selected document."""

    run: str
    trace: Trace


def _has(part: str, trace: Trace) -> bool:
    if part == "mix":
        return bool(trace.mixes)
    return bool(trace.attention) if part == "attention" else getattr(trace, part) is not None


def _picture(part: str, traced: Traced, session: Session, label_set: LabelSet) -> Any:
    """The figure of one part of a trace."""
    trace = traced.trace
    if part == "lattice":
        colours = {label.name: label.colour for label in label_set}
        return lattice_value(lattice_view(trace), colours, mark=mark_of(traced.run, trace))
    if part == "attention":
        return attention_heatmap(attention_map(trace, len(trace.attention) - 1, MEAN), session.language)
    if part == "mix":
        return layer_mix(mix_view(trace, gradients=False), session.language)
    return marginal_heatmap(crf_scores(trace), session.language)


@dataclass
class TracesView:
    """Everything below the button.

    Args:
        both: holds it all.
        parts: by name: ``cut``, ``name``, ``sentence``, ``layer`` and ``head`` of a side as ``name_base``;
            the figure of each of `PARTS` as ``lattice_base``, with its container (``lattice_base_holder``)
            and a note that it is absent (``lattice_base_absent``).
    """

    both: gr.Column
    parts: dict[str, Any]

    @property
    def outputs(self) -> list[Any]:
        """The outputs of ``draw``."""
        return [self.both, *self.parts.values()]


def layout(frame: Frame) -> TracesView:
    """Build the section, hidden until requested."""
    texts = frame.texts
    with gr.Column(visible=False, elem_id="compare-traces") as both:
        section_heading(texts, _("Both traces side by side"))
        texts.hint(
            _(
                "The base on the left, the other run on the right, each with the figures its tagger "
                "has; scales differ between taggers, so compare patterns, not strength, and do not "
                "read attention as a cause."
            )
        )
        parts: dict[str, Any] = {"cut": gr.Markdown(visible=False, elem_classes="ll-notice")}
        with gr.Row(equal_height=False, elem_classes="compare-pair"):
            for side in SIDES:
                with gr.Column(min_width=320):
                    parts[f"name_{side}"] = gr.Markdown(elem_classes="compare-name")
                    parts[f"sentence_{side}"] = sentence_view(elem_id=f"compare-sentence-{side}")
        for part in PARTS:
            parts |= _part(frame, part)
    return TracesView(both, parts)


def _part(frame: Frame, part: str) -> dict[str, Any]:
    """Build one part for both runs; attention has pickers."""
    made: dict[str, Any] = {}
    with gr.Column(visible=False, elem_id=f"compare-{part}") as column:
        frame.texts.bind(gr.Markdown(elem_classes="compare-name"), value=PART_NAMES[part])
        with gr.Row(equal_height=False, elem_classes="compare-pair"):
            for side in SIDES:
                with gr.Column(min_width=320):
                    made[f"{part}_{side}_absent"] = gr.Markdown(visible=False, elem_classes="ll-how")
                    with gr.Column() as made[f"{part}_{side}_holder"]:
                        if part == "attention":
                            made[f"layer_{side}"], made[f"head_{side}"] = _pickers(frame, side)
                        made[f"{part}_{side}"] = _component(frame, part, side)
    return {part: column, **made}


def _pickers(frame: Frame, side: str) -> tuple[gr.Dropdown, gr.Dropdown]:
    """Layer and head pickers of one run."""
    with gr.Row():
        layer, head = (
            frame.texts.bind(
                ShiftingDropdown(choices=[], elem_id=f"compare-{name}-{side}", min_width=100), label=title
            )
            for name, title in (("layer", _("Layer")), ("head", _("Head")))
        )
    return layer, head


def _component(frame: Frame, part: str, side: str) -> gr.HTML:
    if part == "lattice":
        return lattice_viewer(f"compare-lattice-{side}", frame.server(lattice_attention))
    made: FigureView = figure_view(f"compare-{part}-{side}")
    return made.plot


def draw(session: Session, document: int | None) -> dict[str, Any]:
    """Trace the selected document with both runs.

    Raises:
        AppError: no document is selected. NotFound, ModelFolderError: document or model is missing.
    """
    number, comparison = in_hand(session, document), in_view(session)
    if comparison is None:
        return hidden(session)
    text = in_project.document(session, number).text
    label_set = labels.get(session.workspace, session.project_id)
    pair = (comparison.base, comparison.other)
    both = [Traced(run, _trace(session, run, text[:MOST_CHARACTERS])) for run in pair]
    session.memory[MEMORY] = tuple(both)
    documents = predicted.compared_documents(session.workspace, session.project_id, pair, ids=[number])
    gold = next((document.gold for document in documents), None)
    values: dict[str, Any] = {
        "both": gr.update(visible=True),
        "cut": gr.update(
            visible=len(text) > MOST_CHARACTERS,
            value=session.ngettext(
                "The first {limit} of {count} character.",
                "The first {limit} of {count} characters.",
                count=len(text),
                limit=MOST_CHARACTERS,
            ),
        ),
        "name_base": session._("{run} (base)", run=code_span(in_project.run_title(session, comparison.base))),
        "name_other": code_span(in_project.run_title(session, comparison.other)),
    }
    for side, traced in zip(SIDES, both, strict=True):
        values[f"sentence_{side}"] = _sentence(session, traced.trace, gold, label_set)
        if heads := heads_by_layer(traced.trace):
            values |= _picked(side, heads, len(heads) - 1, MEAN, session)
    for part in PARTS:
        values |= _drawn(session, part, both, label_set)
    return values


def _picked(side: str, heads: Sequence[int], layer: int, head: int, session: Session) -> dict[str, Any]:
    layers, chosen = layer_and_head(heads, layer, head, session.language)
    return {f"layer_{side}": layers, f"head_{side}": chosen}


def choose(session: Session, side: str, layer: Any, head: Any) -> dict[str, Any]:
    """Draw another layer or head of one run."""
    both, place = _in_view(session), SIDES.index(side)
    heads = heads_by_layer(both[place].trace) if place < len(both) else ()
    if not heads:
        return {}
    layer, head = existing_head(heads, layer, head, default=-1)
    shown = attention_map(both[place].trace, layer, head)
    picture = {f"attention_{side}": attention_heatmap(shown, session.language)}
    return _picked(side, heads, layer, head, session) | picture


def lattice_attention(session: Session, asked: AttentionQuery) -> Reply:
    """The attention of another layer or head of either run; see `answer_attention`."""
    return answer_attention(
        {mark_of(traced.run, traced.trace): traced.trace for traced in _in_view(session)}, asked
    )


def _in_view(session: Session) -> tuple[Traced, ...]:
    kept = session.memory.get(MEMORY)
    return kept if isinstance(kept, tuple) else ()


def hidden(session: Session) -> dict[str, Any]:
    """Hide the section."""
    return {"both": gr.update(visible=False)}


def _trace(session: Session, run: str, text: str) -> Trace:
    with session.workbench.taggers.tagger(session.project_id, run) as tagger:
        return tagger.trace(tagger.collate([Document("compared", text)]).to(tagger.device))[0]


def _sentence(session: Session, trace: Trace, gold: Any, label_set: LabelSet) -> dict[str, Any]:
    """Predicted spans under the gold ones, if any."""
    rows = [sentence_row(trace.text, trace.spans, id="compared")]
    if gold is not None:
        inside = [span for span in gold if span.end <= len(trace.text)]
        note = session._("gold")
        rows.insert(0, sentence_row(trace.text, inside, source="person", id="compared", note=note))
    return sentences_value(rows, label_set)


def _drawn(session: Session, part: str, both: list[Traced], label_set: LabelSet) -> dict[str, Any]:
    """One part of both runs."""
    has = [_has(part, traced.trace) for traced in both]
    values: dict[str, Any] = {part: gr.update(visible=any(has))}
    for side, traced, there in zip(SIDES, both, has, strict=True):
        absent = session._("{run} has no such figure.", run=code_span(traced.run))
        values[f"{part}_{side}_holder"] = gr.update(visible=there)
        values[f"{part}_{side}_absent"] = gr.update(visible=not there, value=absent)
        if there:
            values[f"{part}_{side}"] = _picture(part, traced, session, label_set)
    return values


def wire(view: TracesView, frame: Frame, button: gr.Button, document: gr.Dropdown) -> None:
    """Connect the events; ``button`` draws the selected document."""
    waiting: dict[str, Any] = {"show_progress": "minimal", "show_progress_on": [document]}
    frame.on([button.click], draw, [document], view.outputs, **waiting)
    for side in SIDES:
        pickers = [view.parts[f"layer_{side}"], view.parts[f"head_{side}"]]
        shown = [*pickers, view.parts[f"attention_{side}"]]
        frame.on([picker.input for picker in pickers], _chosen_in(side), pickers, shown)


def _chosen_in(side: str) -> Callable[..., dict[str, Any]]:
    def chosen(session: Session, layer: Any, head: Any) -> dict[str, Any]:
        return choose(session, side, layer, head)

    return chosen
