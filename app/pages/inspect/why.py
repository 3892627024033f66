"""Why this span: what the prediction becomes without each dictionary word."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import gradio as gr

from app.frame import Frame
from app.pages.inspect.panel import Look, PanelView, heading
from app.session import Session

if TYPE_CHECKING:
    from core.inspection.word_ablation import WordAblation
    from core.taggers.trace import Trace

NAME = "why"
FOLLOWS_FOCUS = True


def has(trace: Trace) -> bool:
    return True


def layout(frame: Frame) -> PanelView:
    with gr.Column(visible=False, elem_id="inspect-why-group") as group:
        heading(frame, NAME)
        table = gr.Dataframe(
            headers=["", "", "", ""],
            datatype="str",
            interactive=False,
            show_label=False,
            wrap=True,
            max_height=320,
            elem_id="inspect-why",
        )
    return PanelView(group, (), (table,))


def draw(session: Session, look: Look) -> tuple[Any, ...]:
    """Rows of (span, word left out, what the prediction becomes, change in confidence)."""
    from core.inspection.word_ablation import ablate_words

    trace = look.trace
    with session.workbench.serving.tagger(session.project_id, look.run) as tagger:
        ablations = ablate_words(tagger, trace.text, trace.spans) if tagger.uses_lexicon else None
    return (_table(session, trace, ablations),)


def wire(view: PanelView, frame: Frame) -> None:
    """Nothing to choose."""


def _table(session: Session, trace: Trace, ablations: Sequence[WordAblation] | None) -> dict[str, Any]:
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
