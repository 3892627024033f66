"""The Inspect page: choose a run and a sentence; the panels explain the prediction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import gradio as gr

from app.i18n import _
from app.inspect import warm_up
from app.inspect.corpus import embeddings, errors, probing
from app.inspect.panel import (
    ASKED,
    HEADINGS,
    CorpusTab,
    Look,
    Panel,
    PanelView,
    choices_of,
    draw_all,
    look_of,
    outputs_of,
)
from app.inspect.sentence import attention, crf, distances, lattice, layers, mrc, pu, why
from app.inspect.what_if import panel as what_if
from app.inspect.widgets.panel_links import panel_links
from app.services import in_project
from app.services.errors import AppError
from app.services.session import Session
from app.ui.frame import Frame
from app.ui.runs.naming import run_choices
from app.ui.widgets.lazy_plot import plotly_loader
from app.ui.widgets.sentence import sentence_value, sentence_view
from app.ui.widgets.shifting_choice import ShiftingDropdown
from core.store.label import labels
from core.store.project import projects
from core.store.queue import queue
from core.store.run import runs
from core.text import Document, Span
from core.text.segmentation import windows

TAB_NAMES = {
    "sentence": _("One sentence"),
    "embeddings": _("Embeddings"),
    "probing": _("Probing"),
    "errors": _("Errors"),
}


# One trace holds layers x heads x nodes^2 weights; a browser's heatmap stays smooth up to about here.
MOST_CHARACTERS = 300
MOST_DOCUMENTS = 200
EXCERPT = 40

# From top to bottom: the explanation, the details, then what-if.
PANELS: tuple[Panel, ...] = (why, lattice, crf, mrc, pu, attention, layers, distances, what_if)
# Beside the tab of one sentence: the whole corpus through the same tagger.
CORPUS_TABS: tuple[CorpusTab, ...] = (errors, embeddings, probing)


@dataclass
class InspectComponents:
    """The components of the Inspect page, from top to bottom."""

    run: gr.Dropdown
    empty: gr.Group
    to_train: gr.Button
    document: gr.Dropdown
    sentence: gr.Textbox
    look: gr.Button
    notice: gr.Markdown
    board: gr.Column
    view: gr.HTML
    links: gr.HTML
    panels: list[tuple[Panel, PanelView]]
    corpus: list[tuple[CorpusTab, gr.Tab, Any]]
    tab: gr.Tab


def layout(frame: Frame) -> InspectComponents:
    """Build the page inside its tab."""
    texts = frame.texts
    plotly_loader()
    texts.bind(
        gr.Markdown(elem_classes="ll-purpose"),
        value=_("See why: the words the tagger matched, what it attended to and how the CRF chose."),
    )
    with gr.Group(visible=False, elem_classes="ll-empty", elem_id="inspect-empty") as empty:
        texts.bind(gr.Markdown(), value=_("No tagger of this project can be opened yet. Train one first."))
        to_train = texts.bind(gr.Button(variant="primary"), value=_("Train a tagger"))
    run = texts.bind(ShiftingDropdown(choices=[], elem_id="inspect-run"), label=_("Run"))
    corpus: list[tuple[CorpusTab, gr.Tab, Any]] = []
    with gr.Tabs(elem_id="inspect-tabs"):
        sentence_tab = texts.bind(
            gr.Tab(id="sentence", elem_id="inspect-tab-sentence"), label=_("One sentence")
        )
        with sentence_tab:
            asked = _question(frame)
            with gr.Column(visible=False, elem_id="inspect-panels") as board:
                texts.bind(
                    gr.Markdown(elem_classes="ll-how"),
                    value=_("Click an entity to explain it; the figures below show the details."),
                )
                view = sentence_view(elem_id="inspect-view-sentence")
                links = panel_links("inspect-links")
                panels = [(panel, panel.layout(frame)) for panel in PANELS]
        for lens in CORPUS_TABS:
            name = TAB_NAMES[lens.NAME]
            with texts.bind(gr.Tab(id=lens.NAME, elem_id=f"inspect-tab-{lens.NAME}"), label=name) as tab:
                corpus.append((lens, tab, lens.layout(frame)))
    return InspectComponents(run, empty, to_train, *asked, board, view, links, panels, corpus, sentence_tab)


def _question(frame: Frame) -> tuple[gr.Dropdown, gr.Textbox, gr.Button, gr.Markdown]:
    texts = frame.texts
    document = texts.bind(
        gr.Dropdown(choices=[], value=None, elem_id="inspect-document"), label=_("Document")
    )
    with gr.Row(equal_height=True):
        sentence = texts.bind(
            gr.Textbox(lines=2, max_lines=4, elem_id="inspect-sentence", scale=5),
            label=_("Sentence"),
            placeholder=_("Paste a sentence, or choose a document"),
        )
        # Until the page is filled no run is chosen, and an early click would report that there is none.
        look = texts.bind(
            gr.Button(variant="primary", interactive=False, elem_id="inspect-look", scale=1, min_width=180),
            value=_("Inspect sentence"),
        )
    notice = gr.Markdown(visible=False, elem_classes="ll-notice")
    return document, sentence, look, notice


def show(session: Session, run: str | None) -> dict[str, Any]:
    """Fill the pickers when the page comes to the front."""
    names = [item.name for item in runs.all_runs(session.workspace, session.project_id, "finished")]
    active = projects.get(session.workspace, session.project_id).active_run
    chosen = next((name for name in (run, active, *reversed(names)) if name in names), None)
    return {
        "run": gr.update(choices=run_choices(session, names), value=chosen),
        "document": gr.update(choices=_document_choices(session), value=None),
        "empty": gr.update(visible=not names),
        "look": gr.update(interactive=bool(names)),
    }


def _document_choices(session: Session) -> list[tuple[str, int]]:
    rows = queue.page(session.workspace, session.project_id, limit=MOST_DOCUMENTS).rows
    return [(_excerpt(row.excerpt), row.id) for row in rows]


def choose(session: Session, document: int | None) -> str | dict[str, Any]:
    """Put the chosen document's text into the sentence box."""
    if document is None:
        return gr.skip()
    return in_project.document(session, document).text


def take(session: Session, run: str | None, sentence: str | None, document: int | None) -> Look:
    """Trace the sentence and make it the current one.

    Raises:
        AppError: no sentence, or no run.
    """
    if not sentence or not sentence.strip():
        raise AppError("Enter or choose a sentence first.")
    if not run:
        raise AppError("No tagger of this project can be opened yet. Train one first.")
    text = sentence[:MOST_CHARACTERS]
    with session.workbench.taggers.tagger(session.project_id, run) as tagger:
        trace = tagger.trace(tagger.collate([Document("sentence", text)]).to(tagger.device))[0]
    same = document is not None and in_project.document(session, document).text == sentence
    look = Look(run, trace, document if same else None, least_sure(trace.spans))
    session.memory["inspect"] = look
    return look


def least_sure(spans: Sequence[Span]) -> Span | None:
    """The span with the lowest confidence; the first if none has one."""
    return min(spans, key=lambda span: 1.0 if span.score is None else span.score, default=None)


def focused(session: Session, event: gr.SelectData) -> Look | None:
    """The look with the clicked span in focus; None if the click hit no predicted span."""
    look, picked = look_of(session), event.value
    if look is None or not isinstance(picked, dict):
        return None
    start, end = picked.get("start"), picked.get("end")
    hit = [span for span in look.trace.spans if span.start == start and span.end == end]
    if picked.get("kind") == "character" and isinstance(start, int):
        hit = [span for span in look.trace.spans if span.start <= start < span.end]
    chosen = next((span for span in hit if span.label == picked.get("label")), next(iter(hit), None))
    if chosen is None or chosen == look.focus:
        return None
    fresh = replace(look, focus=chosen)
    session.memory["inspect"] = fresh
    return fresh


def look_at(
    session: Session,
    panels: Sequence[tuple[Panel, PanelView]],
    run: str | None,
    sentence: str | None,
    document: int | None,
    *choices: Any,
) -> dict[str, Any]:
    """Trace the sentence and draw every panel the tagger has."""
    seen = take(session, run, sentence, document)
    return {
        "notice": _too_long(session, sentence or ""),
        "board": gr.update(visible=True),
        "view": _sentence(session, seen),
        "links": _links(session, seen, panels),
        **draw_all(panels, session, seen, *choices),
    }


def focus_on(
    session: Session, panels: Sequence[tuple[Panel, PanelView]], event: gr.SelectData, *choices: Any
) -> dict[str, Any]:
    """Focus on the clicked span and redraw the panels that depend on it."""
    seen = focused(session, event)
    if seen is None:
        return {}
    return draw_all(panels, session, seen, *choices)


def take_up(
    session: Session, panels: Sequence[tuple[Panel, PanelView]], run: str | None, *choices: Any
) -> dict[str, Any]:
    """Trace the document requested by another tab, if any."""
    asked = session.memory.pop(ASKED, None)
    if not isinstance(asked, tuple):
        return {}
    document, at = asked
    whole = in_project.document(session, document).text
    cuts = windows(whole, MOST_CHARACTERS)
    text = next((whole[start:end] for start, end in cuts if at < end), whole)
    offered = _document_choices(session)
    added = [] if any(number == document for _, number in offered) else [(_excerpt(whole), document)]
    picker = gr.update(choices=[*offered, *added], value=document)
    return {"document": picker, "sentence": text, **look_at(session, panels, run, text, document, *choices)}


def wire(components: InspectComponents, frame: Frame) -> None:
    """Connect the page's events."""
    c, panels = components, components.panels
    following = [(panel, view) for panel, view in panels if panel.FOLLOWS_FOCUS]
    looked = {
        "notice": c.notice, "board": c.board, "view": c.view, "links": c.links, **outputs_of(panels),
    }  # fmt: skip

    def look(session: Session, *values: Any) -> dict[str, Any]:
        return look_at(session, panels, *values)

    def look_again(session: Session, run: str | None, sentence: str | None, *values: Any) -> dict[str, Any]:
        if not (sentence or "").strip():
            return {}
        return look_at(session, panels, run, sentence, *values)

    def asked_about(session: Session, *values: Any) -> dict[str, Any]:
        return take_up(session, panels, *values)

    def focus(session: Session, event: gr.SelectData, *choices: Any) -> dict[str, Any]:
        return focus_on(session, following, event, *choices)

    def shown(session: Session, run: str | None) -> dict[str, Any]:
        filled = show(session, run)
        chosen = filled["run"]["value"]
        if chosen is not None:
            warm_up.begin(session, panels, chosen)
        return filled

    frame.address("inspect", run=c.run)
    frame.on_show("inspect", shown, [c.run, c.document, c.empty, c.look], [c.run])
    frame.on([c.document.input], choose, [c.document], [c.sentence])
    given = [c.run, c.sentence, c.document, *choices_of(panels)]
    # One component says that the page works; telling each of ninety takes the browser longer than the look.
    waiting: dict[str, Any] = {"show_progress": "minimal", "show_progress_on": [c.sentence]}
    looking = frame.on([c.look.click, c.sentence.submit], look, given, looked, **waiting)
    frame.reveal(looking, "inspect-view-sentence")
    asked = [c.run, *choices_of(panels)]
    filled = {"document": c.document, "sentence": c.sentence, **looked}
    frame.on([c.tab.select], asked_about, asked, filled, **waiting)
    frame.on([c.run.input], look_again, given, looked, **waiting)
    frame.on(c.view.select, focus, choices_of(following), outputs_of(following))
    frame.on([c.to_train.click], to_train_page, [], [frame.tabs])
    for panel, view in panels:
        panel.wire(view, frame)
    for lens, tab, made in c.corpus:
        lens.wire(made, frame, tab, c.run)


def to_train_page(session: Session) -> dict[str, Any]:
    """Open the Train page."""
    return gr.update(selected="train")


def _sentence(session: Session, look: Look) -> dict[str, Any]:
    label_set = labels.get(session.workspace, session.project_id)
    return sentence_value(look.trace.text, look.trace.spans, label_set)


def _links(
    session: Session, look: Look, panels: Sequence[tuple[Panel, PanelView]]
) -> list[dict[str, str | None]]:
    """Links to the panels this tagger has."""
    return [
        {"name": session._(HEADINGS[panel.NAME][0]), "target": view.group.elem_id}
        for panel, view in panels
        if panel.has(look.trace)
    ]


def _too_long(session: Session, sentence: str) -> dict[str, Any]:
    notice = session.ngettext(
        "This text has {count} character; the page draws the first {limit}. Choose a "
        "shorter sentence to see all.",
        "This text has {count} characters; the page draws the first {limit}. Choose a "
        "shorter sentence to see all.",
        count=len(sentence),
        limit=MOST_CHARACTERS,
    )
    return gr.update(value=notice, visible=len(sentence) > MOST_CHARACTERS)


def _excerpt(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= EXCERPT else line[:EXCERPT] + "…"
