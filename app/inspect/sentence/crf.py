"""The CRF panel: margin of the span in focus, best paths, and scores."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import gradio as gr

from app.i18n import _
from app.inspect.figures.span_decision import span_decision
from app.inspect.panel import Look, PanelView, heading, look_of
from app.services.session import Session
from app.ui.figures.crf import emission_heatmap, marginal_heatmap, transition_heatmap
from app.ui.frame import Frame
from app.ui.why.margin import verdict
from app.ui.widgets.crf_paths import crf_paths, paths_value
from app.ui.widgets.figure_view import figure_view
from app.ui.widgets.plain_line import plain_line
from core.inspection.sentence.crf_scores import crf_scores
from core.store.label import labels

if TYPE_CHECKING:
    from core.inspection.sentence.crf_paths import CrfPaths
    from core.inspection.sentence.crf_scores import CrfScores
    from core.taggers.base.trace import Trace

HOW = {
    "decided": _(
        "The entity in focus compared with the best path without it: each bar is a score in "
        "which the two paths differ, bars to the left oppose the entity, and all sum to the gap."
    ),
    "paths": _(
        "The prediction and the next best paths: score difference, probability, and entities removed (−) or"
        " added (+)."
    ),
    "emissions": _(
        "Blue favours the tag at that character or word, red opposes it, and rings mark the chosen path; "
        "a high emission alone does not decide."
    ),
    "marginals": _(
        "Marginal probability of each tag at each character or word, each column summing to 1; an "
        "entity's probability is that of its whole tag sequence."
    ),
    "transitions": _(
        "Rows: from tag; columns: to tag, the same for every sentence; crosses are transitions "
        "forbidden in decoding, and a click on a name in the legend hides its marks."
    ),
}

NAME = "crf"
FOLLOWS_FOCUS = True
PATHS = 5
MANY_TAGS = 16  # up to here a heatmap of all tags can be read


@dataclass(kw_only=True)
class CrfPanel(PanelView):
    """The panel's own components."""

    panel: gr.Radio
    matter: gr.Checkbox
    picture: Mapping[str, Any]


def has(trace: Trace) -> bool:
    return trace.crf is not None


def layout(frame: Frame) -> CrfPanel:
    with gr.Column(visible=False, elem_id="inspect-crf") as group:
        heading(frame, NAME)
        verdict_line = plain_line("inspect-crf-verdict")
        with gr.Column(visible=False, elem_id="inspect-crf-decision") as decision:
            decided = figure_view("inspect-crf-decision-plot")
            frame.texts.hint(
                _(
                    "The entity in focus compared with the best path without it: each bar is a score in "
                    "which the two paths differ, bars to the left oppose the entity, and all sum to the gap."
                )
            )
        paths = crf_paths("inspect-crf-paths")
        frame.texts.hint(
            _(
                "The prediction and the next best paths: score difference, probability, and entities "
                "removed (−) or added (+)."
            )
        )
        panel, matter = _pickers(frame)
        with gr.Column() as table:
            figure = figure_view("inspect-crf-plot")
        note = gr.Markdown(elem_classes="ll-how")
    picture = {"matter": matter, "table": table, "figure": figure.plot, "note": note}
    drawn = {
        "verdict": verdict_line,
        "decision": decision,
        "decided": decided.plot,
        "paths": paths,
        **picture,
    }
    return CrfPanel(group, (panel, matter), drawn, panel=panel, matter=matter, picture=picture)


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
        info=_("Those with a probability of at least 1% somewhere, those on the chosen path, and O."),
    )
    return panel, matter


def draw(session: Session, look: Look, panel: str, matter: bool) -> dict[str, Any]:
    from core.inspection.sentence.crf_paths import crf_paths  # loads torch

    crf = look.trace.crf
    assert crf is not None
    scores = _scores(look.trace, matter)
    paths = crf_paths(crf, look.focus, PATHS, look.trace.units)
    label_set = labels.get(session.workspace, session.project_id)
    colours = {label.name: label.colour for label in label_set}
    return {
        **_decision(session, look, paths),
        "paths": paths_value(paths.best, look.trace, colours, session.language, look.focus),
        **_picture(session, panel, look.trace, scores),
    }


def draw_scores(session: Session, panel: str, matter: bool) -> dict[str, Any]:
    """Other scores of the sentence in view; see `_picture`."""
    look = look_of(session)
    if look is None or look.trace.crf is None:
        return {"note": ""}
    return _picture(session, panel, look.trace, _scores(look.trace, matter))


def _has_many_tags(trace: Trace) -> bool:
    return trace.crf is not None and len(trace.crf.tags) > MANY_TAGS


def _scores(trace: Trace, matter: bool) -> CrfScores:
    return crf_scores(trace, only_likely=matter and _has_many_tags(trace))


def _picture(session: Session, panel: str, trace: Trace, scores: CrfScores) -> dict[str, Any]:
    """The chosen scores: whether tags can be left out, whether there is a figure, itself, how to read it."""
    if panel == "transitions" and not scores.learned:
        hidden = gr.update(visible=False)
        return {
            "matter": hidden,
            "table": hidden,
            "note": session._(
                "Softmax has no transitions: every character or word is tagged by its own scores, and "
                "decoding only enforces valid tag sequences."
            ),
        }
    if panel == "transitions":
        figure = transition_heatmap(scores, session.language)
    elif panel == "marginals":
        figure = marginal_heatmap(scores, session.language)
    else:
        panel, figure = "emissions", emission_heatmap(scores, session.language)
    how = session._(HOW[panel])
    return {
        "matter": gr.update(visible=_has_many_tags(trace)),
        "table": gr.update(visible=True),
        "figure": figure,
        "note": how,
    }


def _decision(session: Session, look: Look, paths: CrfPaths) -> dict[str, Any]:
    """The sentence on the span in focus, whether there is a figure under it, and the figure."""
    if look.focus is None:
        return {
            "verdict": session._(
                "The tagger found no entity here, so there is nothing to explain. The paths below are "
                "its next best predictions."
            ),
            "decision": gr.update(visible=False),
        }
    margin = paths.margin
    if margin is None or not margin.terms:
        return {
            "verdict": session._("No other tag sequence is possible here."),
            "decision": gr.update(visible=False),
        }
    figure = span_decision(margin, look.trace.tokens, session.language, look.trace.places.name)
    return {
        "verdict": verdict(margin, look.trace, session.language),
        "decision": gr.update(visible=True),
        "decided": figure,
    }


def wire(view: CrfPanel, frame: Frame) -> None:
    frame.on([view.panel.input, view.matter.input], draw_scores, [view.panel, view.matter], view.picture)
