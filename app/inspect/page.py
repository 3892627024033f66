"""The Inspect page: choose a run and a sentence; the panels explain the prediction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import Any

import gradio as gr

from app.i18n import _
from app.inspect import opening
from app.inspect.corpus import embeddings, errors, probing
from app.inspect.correcting import SOURCE
from app.inspect.drawing import address_of, drawn
from app.inspect.looking import focused, take
from app.inspect.panel import CorpusTab, Panel, PanelView, choices_of, draw_all, look_of, outputs_of
from app.inspect.sentence import (
    attention,
    crf,
    distances,
    lattice,
    layers,
    mrc,
    pu,
    segments,
    span_scores,
    why,
)
from app.inspect.what_if import panel as what_if
from app.inspect.widgets.panel_links import panel_links
from app.services import in_project
from app.services.session import Session
from app.ui.annotation.correcting import server_functions
from app.ui.frame import Frame
from app.ui.runs.naming import run_choices
from app.ui.widgets.lazy_plot import plotly_loader
from app.ui.widgets.sentence import sentence_view
from app.ui.widgets.shifting_choice import ShiftingDropdown
from core.store.project import projects
from core.store.queue import queue
from core.store.run import runs

TAB_NAMES = {
    "sentence": _("One sentence"),
    "embeddings": _("Embeddings"),
    "probing": _("Probing"),
    "errors": _("Errors"),
}

MOST_DOCUMENTS = 200
EXCERPT = 40
_openings = count(1)

# From top to bottom: the explanation, the details, then what-if.
PANELS: tuple[Panel, ...] = (
    why, lattice, crf, segments, mrc, span_scores, pu, attention, layers, distances, what_if,
)  # fmt: skip
# Beside the tab of one sentence: the whole corpus through the same tagger.
CORPUS_TABS: tuple[CorpusTab, ...] = (errors, embeddings, probing)


@dataclass
class InspectComponents:
    """The components of the Inspect page, from top to bottom.

    Args:
        at_document, at_sentence, at_span: what the address names, besides the run.
        opening: changes when the page is to look into a sentence by itself.
    """

    at_document: gr.Textbox
    at_sentence: gr.Textbox
    at_span: gr.Textbox
    opening: gr.Textbox
    run: gr.Dropdown
    empty: gr.Group
    to_train: gr.Button
    document: gr.Dropdown
    sentence: gr.Textbox
    look: gr.Button
    notice: gr.Markdown
    board: gr.Column
    how: gr.Markdown
    view: gr.HTML
    links: gr.HTML
    panels: list[tuple[Panel, PanelView]]
    corpus: list[tuple[CorpusTab, gr.Tab, Any]]
    tab: gr.Tab
    inner: gr.Tabs


def layout(frame: Frame) -> InspectComponents:
    """Build the page inside its tab."""
    texts = frame.texts
    plotly_loader()
    texts.purpose(_("See why: the words the tagger matched, what it attended to and how the CRF chose."))
    with gr.Group(visible=False, elem_classes="ll-empty", elem_id="inspect-empty") as empty:
        texts.bind(gr.Markdown(), value=_("No tagger of this project can be opened yet. Train one first."))
        to_train = texts.button(_("Train a tagger"), variant="primary")
    run = texts.bind(ShiftingDropdown(choices=[], elem_id="inspect-run"), label=_("Run"))
    at_document, at_sentence, at_span, begin = (gr.Textbox(visible="hidden") for _hidden in range(4))
    corpus: list[tuple[CorpusTab, gr.Tab, Any]] = []
    with gr.Tabs(elem_id="inspect-tabs") as inner:
        sentence_tab = texts.bind(
            gr.Tab(id="sentence", elem_id="inspect-tab-sentence"), label=_("One sentence")
        )
        with sentence_tab:
            asked = _question(frame)
            with gr.Column(visible=False, elem_id="inspect-panels") as board:
                how = gr.Markdown(elem_classes="ll-how", elem_id="inspect-how")
                view = sentence_view(elem_id="inspect-view-sentence", correct=server_functions(frame, SOURCE))
                links = panel_links("inspect-links")
                panels = [(panel, panel.layout(frame)) for panel in PANELS]
        for lens in CORPUS_TABS:
            name = TAB_NAMES[lens.NAME]
            with texts.bind(gr.Tab(id=lens.NAME, elem_id=f"inspect-tab-{lens.NAME}"), label=name) as tab:
                corpus.append((lens, tab, lens.layout(frame)))
    return InspectComponents(
        at_document,
        at_sentence,
        at_span,
        begin,
        run,
        empty,
        to_train,
        *asked,
        board,
        how,
        view,
        links,
        panels,
        corpus,
        sentence_tab,
        inner,
    )


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
        look = texts.button(
            _("Inspect sentence"),
            variant="primary",
            interactive=False,
            elem_id="inspect-look",
            scale=1,
            min_width=180,
        )
    notice = gr.Markdown(visible=False, elem_classes="ll-notice")
    return document, sentence, look, notice


def show(
    session: Session,
    run: str | None,
    document: str = "",
    sentence: str = "",
    span: str = "",
    written: str | None = "",
) -> dict[str, Any]:
    """Fill the pickers when the page comes to the front, and see to it that a sentence is looked into.

    That is what the address names, unless it is in view already. Where it names nothing and nothing is
    written, it is the least certain sentence of the project.

    Args:
        run, document, sentence, span: of the address. written: into the box for the sentence.
    """
    names = [item.name for item in runs.all_runs(session.workspace, session.project_id, "finished")]
    active = projects.get(session.workspace, session.project_id).active_run
    chosen = next((name for name in (run, active, *reversed(names)) if name in names), None)
    look = look_of(session) if (written or "").strip() else None
    filled = {
        "run": gr.update(choices=run_choices(session, names), value=chosen),
        "document": _document_picker(session, look.document if look else None),
        "empty": gr.update(visible=not names),
        "look": gr.update(interactive=bool(names)),
    }
    if chosen is None:
        return filled
    named = opening.by_address(session, chosen, document, sentence, span)
    if named is not None and not named.is_of(look, chosen):
        return {**filled, **_begin(session, named), "inner": gr.update(selected="sentence")}
    first = None if named or (written or "").strip() else opening.at_first(session, chosen)
    if first is None:
        return filled
    session.memory[opening.MEMORY] = replace(first, yields=True)
    return {**filled, "opening": str(next(_openings))}


def _begin(session: Session, asked: opening.Asked) -> dict[str, Any]:
    """Show the sentence; then the page asks for the rest by itself."""
    session.memory[opening.MEMORY] = replace(asked, is_shown=True)
    picker = _document_picker(session, asked.document)
    return {"document": picker, "sentence": asked.sentence, "opening": str(next(_openings))}


def _document_picker(session: Session, document: int | None) -> dict[str, Any]:
    """The first documents of the project and ``document``, which is chosen."""
    offered = _document_choices(session)
    if document is not None and all(number != document for _, number in offered):
        offered.append((_excerpt(in_project.document(session, document).text), document))
    return gr.update(choices=offered, value=document)


def _document_choices(session: Session) -> list[tuple[str, int]]:
    rows = queue.page(session.workspace, session.project_id, limit=MOST_DOCUMENTS).rows
    return [(_excerpt(row.excerpt), row.id) for row in rows]


def choose(session: Session, document: int | None) -> str | dict[str, Any]:
    """Put the chosen document's text into the sentence box."""
    if document is None:
        return gr.skip()
    return in_project.document(session, document).text


def look_at(
    session: Session,
    panels: Sequence[tuple[Panel, PanelView]],
    run: str | None,
    sentence: str | None,
    document: int | None,
    *choices: Any,
) -> dict[str, Any]:
    """Trace the sentence and draw every panel the tagger has."""
    return drawn(session, panels, take(session, run, sentence, document), sentence or "", *choices)


def focus_on(
    session: Session, panels: Sequence[tuple[Panel, PanelView]], event: gr.SelectData, *choices: Any
) -> dict[str, Any]:
    """Focus on the clicked span and redraw the panels that depend on it."""
    seen = focused(session, event)
    if seen is None:
        return {}
    return {"at_span": seen.extent, **draw_all(panels, session, seen, *choices)}


def adopted(session: Session) -> dict[str, Any]:
    """The address and the picker after the sentence in view has become a document, or is none any more."""
    look = look_of(session)
    if look is None:
        return {}
    return {**address_of(look), "document": _document_picker(session, look.document)}


def take_up(
    session: Session,
    panels: Sequence[tuple[Panel, PanelView]],
    run: str | None,
    written: str | None,
    *choices: Any,
) -> dict[str, Any]:
    """Look into the sentence that waits, unless the person has ``written`` another one since."""
    asked = session.memory.get(opening.MEMORY)
    # The tab tells of being selected also before what is to be looked into stands in it.
    if not isinstance(asked, opening.Asked) or (asked.is_shown and written != asked.sentence):
        return {}
    if asked.yields and (run is None or (written or "").strip()):
        return {}
    if session.memory.pop(opening.MEMORY, None) is not asked:
        return {}
    seen = take(session, run, asked.sentence, asked.document, asked)
    shown = (
        {}
        if asked.is_shown or seen is None
        else {"document": _document_picker(session, asked.document), "sentence": asked.sentence}
    )
    return {**shown, **drawn(session, panels, seen, asked.sentence, *choices)}


def wire(components: InspectComponents, frame: Frame) -> None:
    """Connect the page's events."""
    c, panels = components, components.panels
    following = [(panel, view) for panel, view in panels if panel.FOLLOWS_FOCUS]
    looked = {
        "at_document": c.at_document, "at_sentence": c.at_sentence, "at_span": c.at_span,
        "notice": c.notice, "board": c.board, "how": c.how, "view": c.view, "links": c.links,
        **outputs_of(panels),
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

    frame.address("inspect", run=c.run, document=c.at_document, sentence=c.at_sentence, span=c.at_span)
    shown = [c.run, c.document, c.empty, c.look, c.sentence, c.opening, c.inner]
    frame.on_show("inspect", show, shown, [c.run, c.at_document, c.at_sentence, c.at_span, c.sentence])
    frame.on([c.document.input], choose, [c.document], [c.sentence])
    given = [c.run, c.sentence, c.document, *choices_of(panels)]
    # One component says that the page works; telling each of ninety takes the browser longer than the look.
    waiting: dict[str, Any] = {"show_progress": "minimal", "show_progress_on": [c.sentence]}
    looking = frame.on([c.look.click, c.sentence.submit], look, given, looked, **waiting)
    frame.reveal(looking, "inspect-view-sentence")
    asked = [c.run, c.sentence, *choices_of(panels)]
    filled = {"document": c.document, "sentence": c.sentence, **looked}
    frame.on([c.tab.select, c.opening.change], asked_about, asked, filled, **waiting)
    frame.on([c.run.input], look_again, given, looked, **waiting)
    focused_on = {"at_span": c.at_span, **outputs_of(following)}
    frame.on(c.view.select, focus, choices_of(following), focused_on)
    placed = {"at_document": c.at_document, "at_sentence": c.at_sentence, "document": c.document}
    frame.on(c.view.adopted, adopted, [], placed)
    frame.on([c.to_train.click], to_train_page, [], [frame.tabs])
    for panel, view in panels:
        panel.wire(view, frame)
    for lens, tab, made in c.corpus:
        lens.wire(made, frame, tab, c.run)


def to_train_page(session: Session) -> dict[str, Any]:
    """Open the Train page."""
    return gr.update(selected="train")


def _excerpt(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= EXCERPT else line[:EXCERPT] + "…"
