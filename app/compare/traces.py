"""The traces of two runs side by side: lattice, CRF marginals, attention and layer mix of one document."""

from __future__ import annotations

from collections.abc import Callable
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
from app.ui.widgets.figure_view import FigureView, figure_view
from app.ui.widgets.head_pickers import layer_and_head
from app.ui.widgets.lattice import answer_attention, lattice_value, lattice_viewer, mark_of
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
OUTPUTS = 6 + len(PARTS) * (1 + 3 * len(SIDES)) + 2 * len(SIDES)  # of ``draw``
MEMORY = "compare-traces"  # what is in view


@dataclass(frozen=True)
class Traced:
    """One run's trace of the selected document."""

    run: str
    trace: Trace


def _has(part: str, trace: Trace) -> bool:
    if part == "mix":
        return bool(trace.mixes)
    return bool(trace.attention) if part == "attention" else getattr(trace, part) is not None


def _picture(part: str, one: Traced, session: Session, known: LabelSet) -> Any:
    """Draw one part of a trace that has it."""
    trace = one.trace
    if part == "lattice":
        colours = {label.name: label.colour for label in known}
        return lattice_value(lattice_view(trace), colours, mark=mark_of(one.run, trace))
    if part == "attention":
        return attention_heatmap(attention_map(trace, len(trace.attention) - 1, MEAN), session.language)
    if part == "mix":
        return layer_mix(mix_view(trace, gradients=False), session.language)
    return marginal_heatmap(crf_scores(trace), session.language)


@dataclass
class Half:
    """One run's figure of one part, or a note that it has none."""

    picture: gr.HTML
    holder: gr.Column
    absent: gr.Markdown


@dataclass
class TracesView:
    """Everything below the button."""

    group: gr.Column
    cut: gr.Markdown
    names: list[gr.Markdown]
    sentences: list[gr.HTML]
    parts: dict[str, tuple[gr.Column, list[Half]]]
    pickers: list[tuple[gr.Dropdown, gr.Dropdown]]

    @property
    def outputs(self) -> list[Any]:
        """What ``draw`` fills."""
        filled: list[Any] = [self.group, self.cut, *self.names, *self.sentences]
        for column, halves in self.parts.values():
            filled.append(column)
            for half in halves:
                filled += [half.picture, half.holder, half.absent]
        return [*filled, *(picker for pair in self.pickers for picker in pair)]


def layout(frame: Frame) -> TracesView:
    """Build the section, hidden until somebody asks for it."""
    texts = frame.texts
    with gr.Column(visible=False, elem_id="compare-traces") as group:
        texts.bind(gr.Markdown(elem_classes="ll-section"), value=_("Both traces side by side"))
        texts.bind(
            gr.Markdown(elem_classes="ll-how"),
            value=_(
                "The base on the left, the other run on the right, as far as the models support each "
                "figure. Scales differ between taggers: compare patterns, not strength. Attention is not a "
                "cause."
            ),
        )
        cut = gr.Markdown(visible=False, elem_classes="ll-notice")
        names, sentences = [], []
        with gr.Row(equal_height=False, elem_classes="compare-pair"):
            for side in SIDES:
                with gr.Column(min_width=320):
                    names.append(gr.Markdown(elem_classes="compare-name"))
                    sentences.append(sentence_view(elem_id=f"compare-sentence-{side}"))
        pickers: list[tuple[gr.Dropdown, gr.Dropdown]] = []
        parts = {part: _part(frame, part, pickers) for part in PARTS}
    return TracesView(group, cut, names, sentences, parts, pickers)


def _part(
    frame: Frame, part: str, pickers: list[tuple[gr.Dropdown, gr.Dropdown]]
) -> tuple[gr.Column, list[Half]]:
    """One part of both runs; that of the attention adds its pickers to ``pickers``."""
    halves = []
    with gr.Column(visible=False, elem_id=f"compare-{part}") as column:
        frame.texts.bind(gr.Markdown(elem_classes="compare-name"), value=PART_NAMES[part])
        with gr.Row(equal_height=False, elem_classes="compare-pair"):
            for side in SIDES:
                with gr.Column(min_width=320):
                    absent = gr.Markdown(visible=False, elem_classes="ll-how")
                    with gr.Column() as holder:
                        if part == "attention":
                            pickers.append(_pickers(frame, side))
                        halves.append(Half(_component(frame, part, side), holder, absent))
    return column, halves


def _pickers(frame: Frame, side: str) -> tuple[gr.Dropdown, gr.Dropdown]:
    """Layer and head pickers of one run."""
    with gr.Row():
        layer, head = (
            frame.texts.bind(
                ShiftingDropdown(choices=[], elem_id=f"compare-{name}-{side}", min_width=100),
                label=title,
            )
            for name, title in (("layer", _("Layer")), ("head", _("Head")))
        )
    return layer, head


def _component(frame: Frame, part: str, side: str) -> gr.HTML:
    if part == "lattice":
        return lattice_viewer(f"compare-lattice-{side}", frame.server(lattice_attention))
    made: FigureView = figure_view(f"compare-{part}-{side}")
    return made.plot


def draw(session: Session, document: int | None) -> tuple[Any, ...]:
    """Trace the selected document with both runs.

    Outputs: those of the view.

    Raises:
        AppError: no document is in hand. NotFound, ModelFolderError: document or model is gone.
    """
    number, found = in_hand(session, document), in_view(session)
    if found is None:
        return hidden(session)
    text = in_project.document(session, number).text
    known = labels.get(session.workspace, session.project_id)
    pair = (found.base, found.other)
    both = [Traced(run, _trace(session, run, text[:MOST_CHARACTERS])) for run in pair]
    session.memory[MEMORY] = tuple(both)
    gold = predicted.compared_documents(session.workspace, session.project_id, pair, ids=[number])
    values: list[Any] = [
        gr.update(visible=True),
        gr.update(
            visible=len(text) > MOST_CHARACTERS,
            value=session.ngettext(
                "The first {limit} of {count} character.",
                "The first {limit} of {count} characters.",
                count=len(text),
                limit=MOST_CHARACTERS,
            ),
        ),
        session._("{run} (base)", run=code_span(found.base)),
        code_span(found.other),
        *(_sentence(session, one.trace, gold[0].gold if gold else None, known) for one in both),
    ]
    for part in PARTS:
        values += _drawn(session, part, both, known)
    for one in both:
        heads = heads_by_layer(one.trace)
        none = gr.skip(), gr.skip()
        values += layer_and_head(heads, len(heads) - 1, MEAN, session.language) if heads else none
    return tuple(values)


def choose(session: Session, place: int, layer: Any, head: Any) -> tuple[Any, ...]:
    """Another layer or head of the run on side ``place``.

    Outputs: layer, head, the figure.
    """
    both = _in_view(session)
    heads = heads_by_layer(both[place].trace) if place < len(both) else ()
    if not heads:
        return gr.skip(), gr.skip(), gr.skip()
    layer, head = existing_head(heads, layer, head, default=-1)
    shown = attention_map(both[place].trace, layer, head)
    return *layer_and_head(heads, layer, head, session.language), attention_heatmap(shown, session.language)


def lattice_attention(session: Session, payload: dict[str, Any]) -> dict[str, Any]:
    """The weights of another layer or head, for the lattice of either run; see `answer_attention`."""
    return answer_attention({mark_of(one.run, one.trace): one.trace for one in _in_view(session)}, payload)


def _in_view(session: Session) -> tuple[Traced, ...]:
    kept = session.memory.get(MEMORY)
    return kept if isinstance(kept, tuple) else ()


def hidden(session: Session) -> tuple[Any, ...]:
    """The section closed, as long as nobody asks. Outputs: those of the view."""
    return gr.update(visible=False), *(gr.skip() for _ in range(OUTPUTS - 1))


def _trace(session: Session, run: str, text: str) -> Trace:
    with session.workbench.serving.tagger(session.project_id, run) as tagger:
        return tagger.trace(tagger.collate([Document("compared", text)]).to(tagger.device))[0]


def _sentence(session: Session, trace: Trace, gold: Any, known: LabelSet) -> dict[str, Any]:
    """Predicted spans under the gold ones, if any."""
    rows = [sentence_row(trace.text, trace.spans, id="compared")]
    if gold is not None:
        inside = [span for span in gold if span.end <= len(trace.text)]
        note = session._("gold")
        rows.insert(0, sentence_row(trace.text, inside, source="person", id="compared", note=note))
    return sentences_value(rows, known)


def _drawn(session: Session, part: str, both: list[Traced], known: LabelSet) -> list[Any]:
    """Of one part: the column, then picture, holder and absence of both halves."""
    has = [_has(part, one.trace) for one in both]
    values: list[Any] = [gr.update(visible=any(has))]
    for one, there in zip(both, has, strict=True):
        absent = session._("{run} has none.", run=code_span(one.run))
        values += [
            _picture(part, one, session, known) if there else gr.skip(),
            gr.update(visible=there),
            gr.update(visible=not there, value=absent),
        ]
    return values


def wire(view: TracesView, frame: Frame, button: gr.Button, document: gr.Dropdown) -> None:
    """Draw when ``button`` is pressed for the document in hand."""
    waiting: dict[str, Any] = {"show_progress": "minimal", "show_progress_on": [document]}
    frame.on([button.click], draw, [document], view.outputs, **waiting)
    _, halves = view.parts["attention"]
    for place, (pickers, half) in enumerate(zip(view.pickers, halves, strict=True)):
        frame.on(
            [picker.input for picker in pickers], _chosen_in(place), list(pickers), [*pickers, half.picture]
        )


def _chosen_in(place: int) -> Callable[..., tuple[Any, ...]]:
    def chosen(session: Session, layer: Any, head: Any) -> tuple[Any, ...]:
        return choose(session, place, layer, head)

    return chosen
