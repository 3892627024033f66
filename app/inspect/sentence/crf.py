"""The CRF panel: what decided the span in focus, the best paths, and the scores."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import gradio as gr

from app.i18n import Language, text
from app.inspect.figures.span_decision import edges_of, span_decision
from app.inspect.panel import Look, PanelView, heading, look_of
from app.inspect.widgets.crf_paths import crf_paths, paths_value
from app.services.session import Session
from app.ui.figures.axes import signed
from app.ui.figures.crf import emission_heatmap, marginal_heatmap, transition_heatmap
from app.ui.frame import Frame
from app.ui.widgets.figure_view import figure_view
from app.ui.widgets.plain_line import plain_line
from core.inspection.sentence.crf_scores import crf_scores
from core.store.label import labels

if TYPE_CHECKING:
    from core.inspection.sentence.crf_paths import CrfPaths, PathMargin, Term
    from core.inspection.sentence.crf_scores import CrfScores
    from core.taggers.base.trace import Trace

NAME = "crf"
FOLLOWS_FOCUS = True
PATHS = 5
MANY_TAGS = 16  # up to here a heatmap of all tags can be read
MOST_TAGS = 8  # written out of a path without entities


@dataclass
class CrfPanel(PanelView):
    """The panel's own components."""

    panel: gr.Radio | None = None
    matter: gr.Checkbox | None = None


def has(trace: Trace) -> bool:
    return trace.crf is not None


def layout(frame: Frame) -> CrfPanel:
    with gr.Column(visible=False, elem_id="inspect-crf") as group:
        heading(frame, NAME)
        said = plain_line("inspect-crf-verdict")
        with gr.Column(visible=False, elem_id="inspect-crf-decision") as decision:
            decided = figure_view("inspect-crf-decision-plot")
            frame.texts.bind(gr.Markdown(elem_classes="ll-how"), value="inspect_crf.decided_how")
        paths = crf_paths("inspect-crf-paths")
        frame.texts.bind(gr.Markdown(elem_classes="ll-how"), value="inspect_crf.paths_how")
        panel, matter = _pickers(frame)
        with gr.Column() as table:
            figure = figure_view("inspect-crf-plot")
        note = gr.Markdown(elem_classes="ll-how")
    drawn = (said, decision, decided.plot, paths, matter, table, figure.plot, note)
    return CrfPanel(group, (panel, matter), drawn, panel, matter)


def _pickers(frame: Frame) -> tuple[gr.Radio, gr.Checkbox]:
    panel = frame.texts.bind(
        gr.Radio(value="emissions", elem_id="inspect-crf-panel"),
        label="inspect.crf_panel",
        choices=[
            ("inspect.emissions", "emissions"),
            ("inspect.marginals", "marginals"),
            ("inspect.transitions", "transitions"),
        ],
    )
    matter = frame.texts.bind(
        gr.Checkbox(value=True, visible=False, elem_id="inspect-crf-matter"),
        label="inspect_crf.matter",
        info="inspect_crf.matter_info",
    )
    return panel, matter


def draw(session: Session, look: Look, panel: str, matter: bool) -> tuple[Any, ...]:
    from core.inspection.sentence.crf_paths import crf_paths  # loads torch

    crf = look.trace.crf
    assert crf is not None
    scores = _scores(look.trace, matter)
    paths = crf_paths(crf, look.focus, PATHS)
    known = labels.get(session.workspace, session.project_id)
    colours = {label.name: label.colour for label in known}
    return (
        *_decision(session, look, paths),
        paths_value(paths.best, look.trace.text, crf.tags, colours, session.language, look.focus),
        *_picture(session, panel, look.trace, scores),
    )


def draw_scores(session: Session, panel: str, matter: bool) -> tuple[Any, Any, Any, str]:
    """Other scores of the sentence in view; see `_picture`."""
    look = look_of(session)
    if look is None or look.trace.crf is None:
        return gr.skip(), gr.skip(), gr.skip(), ""
    return _picture(session, panel, look.trace, _scores(look.trace, matter))


def _has_many_tags(trace: Trace) -> bool:
    return trace.crf is not None and len(trace.crf.tags) > MANY_TAGS


def _scores(trace: Trace, matter: bool) -> CrfScores:
    return crf_scores(trace, only_likely=matter and _has_many_tags(trace))


def _picture(session: Session, panel: str, trace: Trace, scores: CrfScores) -> tuple[Any, Any, Any, str]:
    """The chosen scores: whether tags can be left out, whether there is a figure, itself, how to read it."""
    if panel == "transitions" and not scores.learned:
        hidden = gr.update(visible=False)
        return hidden, hidden, gr.skip(), session.text("inspect_crf.softmax")
    if panel == "transitions":
        figure = transition_heatmap(scores, session.language)
    elif panel == "marginals":
        figure = marginal_heatmap(scores, session.language)
    else:
        panel, figure = "emissions", emission_heatmap(scores, session.language)
    how = session.text(f"inspect_crf.{panel}_how")
    return gr.update(visible=_has_many_tags(trace)), gr.update(visible=True), figure, how


def _decision(session: Session, look: Look, paths: CrfPaths) -> tuple[str, Any, Any]:
    """The sentence on the span in focus, whether there is a figure under it, and the figure."""
    if look.focus is None:
        return session.text("inspect_crf.nobody"), gr.update(visible=False), gr.skip()
    margin = paths.margin
    if margin is None or not margin.terms:
        return session.text("inspect_crf.verdict_sure"), gr.update(visible=False), gr.skip()
    figure = span_decision(margin, look.trace.tokens, session.language)
    return verdict(margin, look.trace, session.language), gr.update(visible=True), figure


def verdict(margin: PathMargin, trace: Trace, language: Language) -> str:
    """E.g. ``PER 林知远 is 4.2 ahead of reading no entity there (O O O); most of it comes from …``."""
    span, ahead = margin.span, margin.margin
    digits = 1 if abs(ahead) >= 1 else 2  # nobody is "0.0 ahead"
    named = {
        "label": span.label,
        "surface": trace.text[span.start : span.end],
        "gap": f"{abs(ahead):.{digits}f}",
        "other": _without(margin, trace, language),
        "term": _term(margin.leading, trace, language),
        "value": signed(margin.leading.value, digits),
    }
    if ahead < 0:
        return text("inspect_crf.verdict_behind", language, **named)
    share = "most" if margin.leads_alone else "largest"
    return text("inspect_crf.verdict", language, share=text(f"inspect_crf.{share}", language), **named)


def _without(margin: PathMargin, trace: Trace, language: Language) -> str:
    """What the path without the span says where it differs: its own spans, or no entity and the tags."""
    if margin.other.gained:
        gained = margin.other.gained
        spans = ", ".join(f"{trace.text[span.start : span.end]} {span.label}" for span in gained)
        return text("inspect_crf.reading", language, spans=spans)
    assert trace.crf is not None
    span = margin.span
    tags = [trace.crf.tags[tag] for tag in margin.other.tags[span.start : span.end]]
    cut = [*tags[: MOST_TAGS - 1], "…"] if len(tags) > MOST_TAGS else tags
    return text("inspect_crf.no_entity", language, tags=" ".join(cut))


def _term(term: Term, trace: Trace, language: Language) -> str:
    key = "emission" if term.kind == "emission" else "transition"
    taken, other = (" → ".join(tags) for tags in (edges_of(term, term.held), edges_of(term, term.other)))
    before = trace.tokens[term.position - 1] if term.kind == "transition" else ""
    place = before + trace.tokens[term.position]
    return text(f"inspect_crf.{key}", language, taken=taken, other=other, place=place)


def wire(view: CrfPanel, frame: Frame) -> None:
    assert view.panel is not None
    assert view.matter is not None
    frame.on(
        [view.panel.input, view.matter.input],
        draw_scores,
        [view.panel, view.matter],
        list(view.outputs[-4:]),
    )
