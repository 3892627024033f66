"""The Inspect page: one sentence through one tagger, and everything it weighed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import gradio as gr

from app.errors import AppError
from app.figures.attention import MEAN, attention_heatmap
from app.figures.crf import emission_heatmap, marginal_heatmap, transition_heatmap
from app.figures.distances import distance_heatmaps
from app.frame import Frame
from app.session import Session
from app.widgets.bertviz_frame import bertviz_frame, bertviz_page
from app.widgets.lattice import lattice_value, lattice_view
from core.store import documents, labels, projects, queue, runs
from core.text import Document

if TYPE_CHECKING:
    from core.inspection import WordAblation
    from core.taggers.trace import Trace

# One trace holds layers x heads x nodes^2 weights; a browser's heatmap stays smooth up to about here.
MOST_CHARACTERS = 300
MOST_DOCUMENTS = 200
EXCERPT = 40


@dataclass
class InspectComponents:
    """What the Inspect page shows, from top to bottom."""

    run: gr.Dropdown
    document: gr.Dropdown
    sentence: gr.Textbox
    look: gr.Button
    notice: gr.Markdown
    empty: gr.Group
    to_train: gr.Button
    panels: gr.Column
    why: gr.Dataframe
    lattice: gr.HTML
    distances: gr.Plot
    attention: gr.Group
    view: gr.Radio
    layer: gr.Dropdown
    head: gr.Dropdown
    heatmap: gr.Plot
    bertviz: gr.HTML
    crf: gr.Group
    crf_panel: gr.Radio
    crf_plot: gr.Plot


def layout(frame: Frame) -> InspectComponents:
    """Build the page inside its tab."""
    texts = frame.texts
    texts.bind(gr.Markdown(elem_classes="ll-purpose"), value="inspect.purpose")
    with gr.Group(visible=False, elem_classes="ll-empty") as empty:
        texts.bind(gr.Markdown(), value="inspect.empty")
        to_train = texts.bind(gr.Button(variant="primary"), value="inspect.to_train")
    with gr.Row():
        run = texts.bind(gr.Dropdown(choices=[], elem_id="inspect-run", scale=1), label="inspect.run")
        document = texts.bind(
            gr.Dropdown(choices=[], value=None, elem_id="inspect-document", scale=3), label="inspect.document"
        )
    with gr.Row(equal_height=True):
        sentence = texts.bind(
            gr.Textbox(lines=2, max_lines=4, elem_id="inspect-sentence", scale=5),
            label="inspect.sentence",
            placeholder="inspect.sentence_hint",
        )
        look = texts.bind(
            gr.Button(variant="primary", elem_id="inspect-look", scale=1, min_width=120), value="inspect.look"
        )
    notice = gr.Markdown(visible=False, elem_classes="ll-notice")
    with gr.Column(visible=False, elem_id="inspect-panels") as panels:
        why = _why(frame)
        _heading(frame, "lattice")
        lattice = lattice_view("lattice")
        with gr.Row(equal_height=False):
            attention, view, layer, head, heatmap, bertviz = _attention(frame)
            crf, crf_panel, crf_plot = _crf(frame)
        _heading(frame, "distances")
        distances = gr.Plot(show_label=False, container=False, elem_id="inspect-distances")
    return InspectComponents(
        run=run,
        document=document,
        sentence=sentence,
        look=look,
        notice=notice,
        empty=empty,
        to_train=to_train,
        panels=panels,
        why=why,
        lattice=lattice,
        distances=distances,
        attention=attention,
        view=view,
        layer=layer,
        head=head,
        heatmap=heatmap,
        bertviz=bertviz,
        crf=crf,
        crf_panel=crf_panel,
        crf_plot=crf_plot,
    )


def _heading(frame: Frame, panel: str) -> None:
    """The panel's name and the sentence that says how to read it."""
    frame.texts.bind(gr.Markdown(elem_classes="ll-panel-name"), value=f"inspect.{panel}")
    frame.texts.bind(gr.Markdown(elem_classes="ll-how"), value=f"inspect.{panel}_how")


def _why(frame: Frame) -> gr.Dataframe:
    _heading(frame, "why")
    return gr.Dataframe(
        headers=["", "", "", ""],
        datatype="str",
        interactive=False,
        show_label=False,
        wrap=True,
        max_height=320,
        elem_id="inspect-why",
    )


def _attention(
    frame: Frame,
) -> tuple[gr.Group, gr.Radio, gr.Dropdown, gr.Dropdown, gr.Plot, gr.HTML]:
    texts = frame.texts
    with gr.Column(elem_id="inspect-attention", min_width=480) as group:
        _heading(frame, "attention")
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


def _crf(frame: Frame) -> tuple[gr.Group, gr.Radio, gr.Plot]:
    with gr.Column(elem_id="inspect-crf", min_width=480) as group:
        _heading(frame, "crf")
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


def show(session: Session, run: str | None) -> tuple[Any, ...]:
    """Fill the pickers when the page comes to the front.

    Outputs: run, document, empty, look.
    """
    names = [known.name for known in runs.all_runs(session.workspace, session.project_id, "finished")]
    serving = projects.get(session.workspace, session.project_id).serving_run
    chosen = next((name for name in (run, serving, *reversed(names)) if name in names), None)
    rows = queue.page(session.workspace, session.project_id, limit=MOST_DOCUMENTS).rows
    return (
        gr.update(choices=names, value=chosen),
        gr.update(choices=[(_excerpt(row.excerpt), row.id) for row in rows], value=None),
        gr.update(visible=not names),
        gr.update(interactive=bool(names)),
    )


def choose(session: Session, document: int | None) -> str | dict[str, Any]:
    """Put the chosen document's text into the sentence box."""
    if document is None:
        return gr.skip()
    return documents.get(session.workspace, document).text


def look(
    session: Session,
    run: str | None,
    sentence: str | None,
    view: str,
    layer: int | None,
    head: int | None,
    panel: str,
) -> tuple[Any, ...]:
    """Trace the sentence and draw every panel the tagger has.

    Outputs: notice, panels, why, lattice, distances, attention, layer, head, heatmap, bertviz, crf, crf_plot.
    """
    if not sentence or not sentence.strip():
        raise AppError("inspect.no_sentence")
    if not run:
        raise AppError("inspect.empty")
    text = sentence[:MOST_CHARACTERS]
    trace, ablations = _trace_and_ablate(session, run, text)
    session.memory["inspect"] = trace
    colours = {label.name: label.colour for label in labels.get(session.workspace, session.project_id)}
    language = session.language
    layers = list(range(len(trace.attention)))
    heads = len(trace.attention[0]) if layers else 0
    layer = layer if layer in layers else 0
    head = head if head in range(heads) else MEAN
    head_choices = [(session.text("inspect.mean"), MEAN), *((str(h), h) for h in range(heads))]
    shortened = len(sentence) > len(text)
    notice = session.text("inspect.too_long", length=len(sentence), limit=MOST_CHARACTERS)
    return (
        gr.update(value=notice, visible=shortened),
        gr.update(visible=True),
        _why_table(session, trace, ablations),
        lattice_value(trace, colours, language) if trace.lattice else {},
        distance_heatmaps(trace.lattice, language) if trace.lattice else None,
        gr.update(visible=bool(layers)),
        gr.update(choices=[(str(n), n) for n in layers], value=layer),
        gr.update(choices=head_choices, value=head),
        *draw_attention(session, view, layer, head),
        gr.update(visible=trace.crf is not None),
        draw_crf(session, panel),
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
    nodes = len(trace.lattice.nodes if trace.lattice else trace.tokens)
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


def wire(components: InspectComponents, frame: Frame) -> None:
    """Connect the page's events."""
    c = components
    frame.on_show("inspect", show, [c.run, c.document, c.empty, c.look], [c.run])
    frame.on([c.document.input], choose, [c.document], [c.sentence])
    frame.on(
        [c.look.click, c.sentence.submit, c.run.input],
        look,
        [c.run, c.sentence, c.view, c.layer, c.head, c.crf_panel],
        [
            c.notice,
            c.panels,
            c.why,
            c.lattice,
            c.distances,
            c.attention,
            c.layer,
            c.head,
            c.heatmap,
            c.bertviz,
            c.crf,
            c.crf_plot,
        ],
        show_progress="minimal",
    )
    frame.on(
        [c.view.input, c.layer.input, c.head.input],
        draw_attention,
        [c.view, c.layer, c.head],
        [c.heatmap, c.bertviz],
    )
    frame.on([c.crf_panel.input], draw_crf, [c.crf_panel], [c.crf_plot])


def _trace_and_ablate(session: Session, run: str, text: str) -> tuple[Trace, Sequence[WordAblation]]:
    """What the run weighed for the text, and what becomes of each span without each word."""
    from core.inspection import ablate_words
    from core.taggers.lexicon_tagger import LexiconTagger

    with session.workbench.serving.tagger(session.project_id, run) as tagger:
        trace = tagger.trace(tagger.collate([Document("sentence", text)]))[0]
        if isinstance(tagger, LexiconTagger):
            return trace, ablate_words(tagger, text, trace.spans)
        return trace, ()


def _why_table(session: Session, trace: Trace, ablations: Sequence[WordAblation]) -> dict[str, Any]:
    """Rows of (span, word left out, what the prediction becomes, change in confidence)."""
    keys = ("inspect.span", "inspect.without", "inspect.becomes", "inspect.change")
    rows = []
    for span in trace.spans:
        name = f"{trace.text[span.start : span.end]} {span.label}{_score(span.score)}"
        own = [row for row in ablations if row.span == span]
        if not own:
            rows.append([name, session.text("inspect.no_words"), "", ""])
        for row in own:
            becomes = session.text("inspect.lost")
            if row.becomes is not None:
                surface = trace.text[row.becomes.start : row.becomes.end]
                becomes = f"{surface} {row.becomes.label}{_score(row.becomes.score)}"
            change = "" if row.change is None else f"{row.change:+.2f}".replace("-0.00", "+0.00")
            rows.append([name, row.word, becomes, change])
    if not rows:
        rows = [[session.text("inspect.why_none"), "", "", ""]]
    return gr.update(headers=[session.text(key) for key in keys], value=rows)


def _score(score: float | None) -> str:
    return "" if score is None else f" {score:.2f}"


def _trace(session: Session) -> Trace | None:
    return session.memory.get("inspect")  # type: ignore[return-value]


def _excerpt(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= EXCERPT else line[:EXCERPT] + "…"
