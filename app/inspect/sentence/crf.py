"""What the CRF weighed, what it nearly said, and what decided the span in focus."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import gradio as gr

from app.i18n import _
from app.inspect.figures.span_decision import span_decision
from app.inspect.panel import Look, PanelView, heading, look_of
from app.inspect.sentence.crf_verdict import verdict
from app.inspect.widgets.crf_paths import crf_paths, paths_value
from app.services.session import Session
from app.ui.figures.crf import emission_heatmap, marginal_heatmap, transition_heatmap
from app.ui.frame import Frame
from app.ui.widgets.figure_view import figure_view
from app.ui.widgets.plain_line import plain_line
from core.store.label import labels

if TYPE_CHECKING:
    from core.taggers.base.trace import CrfTrace, Trace

HOW = {
    "decided": _(
        "The entity in focus against the best path without it: each bar is one score "
        "in which the two paths differ, and all sum to the gap. Bars to the left speak "
        "against the entity."
    ),
    "paths": _(
        "What the tagger said, and what it would have said next: how far below in "
        "score, how likely, and which entities go (−) or come (+)."
    ),
    "emissions": _(
        "Blue speaks for a tag at that character, red against it; rings mark the "
        "chosen path. A high emission is no decision yet."
    ),
    "marginals": _(
        "How likely each tag is at each character, over all paths; each column sums to "
        "1. An entity's own probability is that of its whole stretch of tags."
    ),
    "transitions": _(
        "Rows: the tag before; columns: the tag after. They are the same for every "
        "sentence. Crosses are steps that decoding forbids whatever their score; click "
        "a name in the legend to hide its marks."
    ),
}


NAME = "crf"
FOLLOWS_FOCUS = True
PATHS = 5
MANY_TAGS = 16  # up to here a heatmap of all tags can be read


@dataclass
class CrfView(PanelView):
    """The panel's own components."""

    panel: gr.Radio | None = None
    matter: gr.Checkbox | None = None


def has(trace: Trace) -> bool:
    return trace.crf is not None


def layout(frame: Frame) -> CrfView:
    with gr.Column(visible=False, elem_id="inspect-crf") as group:
        heading(frame, NAME)
        said = plain_line("inspect-crf-verdict")
        with gr.Column(visible=False, elem_id="inspect-crf-decision") as decision:
            decided = figure_view("inspect-crf-decision-plot")
            frame.texts.bind(
                gr.Markdown(elem_classes="ll-how"),
                value=_(
                    "The entity in focus against the best path without it: each bar is one score "
                    "in which the two paths differ, and all sum to the gap. Bars to the left speak "
                    "against the entity."
                ),
            )
        paths = crf_paths("inspect-crf-paths")
        frame.texts.bind(
            gr.Markdown(elem_classes="ll-how"),
            value=_(
                "What the tagger said, and what it would have said next: how far below in "
                "score, how likely, and which entities go (−) or come (+)."
            ),
        )
        panel, matter = _pickers(frame)
        with gr.Column() as table:
            figure = figure_view("inspect-crf-plot")
        note = gr.Markdown(elem_classes="ll-how")
    drawn = (said, decision, decided.plot, paths, matter, table, figure.plot, note)
    return CrfView(group, (panel, matter), drawn, panel, matter)


def _pickers(frame: Frame) -> tuple[gr.Radio, gr.Checkbox]:
    panel = frame.texts.bind(
        gr.Radio(value="emissions", elem_id="inspect-crf-panel"),
        label=_("Show"),
        choices=[
            (_("emissions"), "emissions"),
            (_("marginals"), "marginals"),
            (_("transitions"), "transitions"),
        ],
    )
    matter = frame.texts.bind(
        gr.Checkbox(value=True, visible=False, elem_id="inspect-crf-matter"),
        label=_("Only tags that matter here"),
        info=_(
            "Those with a probability of at least 1 % at some character, those on the chosen path, and O."
        ),
    )
    return panel, matter


def draw(session: Session, look: Look, panel: str, matter: bool) -> tuple[Any, ...]:
    return (*_decision(session, look), _paths(session, look), *draw_panel(session, panel, matter, look))


def _decision(session: Session, look: Look) -> tuple[str, Any, Any]:
    """The sentence on the span in focus, whether there is a figure under it, and the figure."""
    from core.inspection.sentence.crf_reading import contest

    assert look.trace.crf is not None
    if look.focus is None:
        return (
            session._(
                "The tagger found no entity here, so there is none to ask about. The paths "
                "below show what it nearly said."
            ),
            gr.update(visible=False),
            gr.skip(),
        )
    found = contest(look.trace.crf, look.focus)
    if found is None or not found.terms:
        return (
            session._("No other reading of these characters is possible."),
            gr.update(visible=False),
            gr.skip(),
        )
    figure = span_decision(found, look.trace.tokens, session.language)
    return verdict(found, look.trace, session.language), gr.update(visible=True), figure


def _paths(session: Session, look: Look) -> dict[str, Any]:
    from core.inspection.sentence.crf_reading import best_readings

    crf = look.trace.crf
    assert crf is not None
    known = labels.get(session.workspace, session.project_id)
    colours = {label.name: label.colour for label in known}
    readings = best_readings(crf, PATHS)
    return paths_value(readings, look.trace.text, crf.tags, colours, session.language, look.focus)


def draw_panel(
    session: Session, panel: str, matter: bool, look: Look | None = None
) -> tuple[Any, Any, Any, str]:
    """The chosen scores: whether tags can be left out, whether there is a figure, itself, how to read it."""
    look = look or look_of(session)
    if look is None or look.trace.crf is None:
        return gr.skip(), gr.skip(), gr.skip(), ""
    crf, tokens, language = look.trace.crf, look.trace.tokens, session.language
    many = len(crf.tags) > MANY_TAGS
    choice = gr.update(visible=many)
    if panel == "transitions" and not crf.learned:
        return (
            gr.update(visible=False),
            gr.update(visible=False),
            gr.skip(),
            session._(
                "Softmax: no transitions. Every character is decided by its own scores; "
                "decoding only keeps tags in a legal order."
            ),
        )
    shown = _tags_shown(crf, many and matter)
    if panel == "transitions":
        figure = transition_heatmap(crf, language, shown)
    elif panel == "marginals":
        figure = marginal_heatmap(crf, tokens, language, shown)
    else:
        panel, figure = "emissions", emission_heatmap(crf, tokens, language, shown)
    return choice, gr.update(visible=True), figure, session._(HOW[panel])


def _tags_shown(crf: CrfTrace, matter: bool) -> Sequence[int] | None:
    from core.inspection.sentence.crf_reading import tags_that_matter

    return tags_that_matter(crf) if matter else None


def wire(view: CrfView, frame: Frame) -> None:
    assert view.panel is not None
    assert view.matter is not None
    frame.on(
        [view.panel.input, view.matter.input],
        draw_panel,
        [view.panel, view.matter],
        list(view.outputs[-4:]),
    )
