"""The Inspect page: one sentence through one tagger, and everything it weighed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import gradio as gr

from app.errors import AppError
from app.frame import Frame
from app.pages import inspect_panels
from app.session import Session
from core.store import documents, projects, queue, runs
from core.text import Document

if TYPE_CHECKING:
    from core.inspection import WordAblation
    from core.taggers.trace import Trace

# One trace holds layers x heads x nodes^2 weights; a browser's heatmap stays smooth up to about here.
MOST_CHARACTERS = 300
MOST_DOCUMENTS = 200
EXCERPT = 40
LOOKED = 19  # outputs of ``look``


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
    drawings: inspect_panels.PanelComponents


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
        drawings = inspect_panels.layout(frame)
    return InspectComponents(run, document, sentence, look, notice, empty, to_train, panels, why, drawings)


def _why(frame: Frame) -> gr.Dataframe:
    inspect_panels.heading(frame, "why")
    return gr.Dataframe(
        headers=["", "", "", ""],
        datatype="str",
        interactive=False,
        show_label=False,
        wrap=True,
        max_height=320,
        elem_id="inspect-why",
    )


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

    Outputs: notice, panels, why, and what `inspect_panels.draw` fills.
    """
    if not sentence or not sentence.strip():
        raise AppError("inspect.no_sentence")
    if not run:
        raise AppError("inspect.empty")
    text = sentence[:MOST_CHARACTERS]
    trace, ablations = _trace_and_ablate(session, run, text)
    notice = session.text("inspect.too_long", length=len(sentence), limit=MOST_CHARACTERS)
    return (
        gr.update(value=notice, visible=len(sentence) > len(text)),
        gr.update(visible=True),
        _why_table(session, trace, ablations),
        *inspect_panels.draw(session, trace, view, layer, head, panel),
    )


def look_again(session: Session, run: str | None, sentence: str | None, *choices: Any) -> tuple[Any, ...]:
    """The same sentence through another run; before there is one, nothing."""
    if not sentence or not sentence.strip():
        return tuple(gr.skip() for _ in range(LOOKED))
    return look(session, run, sentence, *choices)


def wire(components: InspectComponents, frame: Frame) -> None:
    """Connect the page's events."""
    c = components
    frame.on_show("inspect", show, [c.run, c.document, c.empty, c.look], [c.run])
    frame.on([c.document.input], choose, [c.document], [c.sentence])
    given = [c.run, c.sentence, *c.drawings.choices]
    looked = [c.notice, c.panels, c.why, *c.drawings.drawn]
    frame.on([c.look.click, c.sentence.submit], look, given, looked, show_progress="minimal")
    frame.on([c.run.input], look_again, given, looked, show_progress="minimal")
    inspect_panels.wire(c.drawings, frame)


def _trace_and_ablate(session: Session, run: str, text: str) -> tuple[Trace, Sequence[WordAblation] | None]:
    """What the run weighed for the text, and what becomes of each span without each word.

    The second is None where the tagger reads no dictionary.
    """
    from core.inspection import ablate_words

    with session.workbench.serving.tagger(session.project_id, run) as tagger:
        trace = tagger.trace(tagger.collate([Document("sentence", text)]))[0]
        return trace, ablate_words(tagger, text, trace.spans) if tagger.uses_lexicon else None


def _why_table(session: Session, trace: Trace, ablations: Sequence[WordAblation] | None) -> dict[str, Any]:
    """Rows of (span, word left out, what the prediction becomes, change in confidence)."""
    keys = ("inspect.span", "inspect.without", "inspect.becomes", "inspect.change")
    rows = []
    for span in trace.spans:
        name = f"{trace.text[span.start : span.end]} {span.label}{_score(span.score)}"
        own = [row for row in ablations or () if row.span == span]
        if not own:
            nothing = "inspect.no_dictionary" if ablations is None else "inspect.no_words"
            rows.append([name, session.text(nothing), "", ""])
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


def _excerpt(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= EXCERPT else line[:EXCERPT] + "…"
