"""The MRC panel: predictions under one query for each label, and under edited queries."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import gradio as gr

from app.i18n import _
from app.inspect.figures.mrc import boundary_heatmaps, match_heatmap
from app.inspect.panel import Look, PanelView, heading, look_of
from app.inspect.widgets.effect_rows import effect_rows, effects_value
from app.services.session import Session
from app.ui.frame import Frame
from app.ui.widgets.figure_view import FigureView, figure_view
from core.inspection.sentence.mrc_view import boundaries_view, match_view

if TYPE_CHECKING:
    from core.taggers.base.trace import MrcTrace, Trace

INSPECT_MRC_NAMES = {
    "query": _("Query of {label}"),
    "put_back": _("Reset queries"),
    "choose": _("Choose a label above to edit its query."),
    "hint": _(
        "This changes the query in this view only, not the tagger. Training uses the label's guideline on "
        "the Settings page as its query: if another wording works better here, write it there and train "
        "again."
    ),
    "stage": _("Probabilities"),
    "before": _("as trained"),
    "after": _("another query"),
    "difference": _("difference"),
    "probability_change": _("change of probability"),
    "no_effect": _("With this query, the spans and their confidence stay the same."),
}

NAME = "mrc"
FOLLOWS_FOCUS = False
STARTS_AND_ENDS = -1
MEMORY = "mrc"
LONGEST = 1000  # as `core.taggers.mrc.queries.LONGEST`, which loads torch
STAGES = ("difference", "after", "before")


@dataclass(frozen=True)
class Asked:
    """Edited queries, kept in the session.

    Args:
        original: the trace under the tagger's own queries. otherwise: that under these.
        queries: by label, those that are not the tagger's own.
    """

    original: Trace
    otherwise: Trace
    queries: dict[str, str] = field(default_factory=dict)


@dataclass(kw_only=True)
class MrcPanel(PanelView):
    """The panel's own components."""

    query: gr.Dropdown
    asked: gr.Textbox
    hint: gr.Markdown
    put_back: gr.Button
    stage: gr.Radio
    effects: gr.HTML
    figure: FigureView


def has(trace: Trace) -> bool:
    return trace.mrc is not None


def layout(frame: Frame) -> MrcPanel:
    texts = frame.texts
    with gr.Column(visible=False, elem_id="inspect-mrc") as group:
        heading(frame, NAME)
        query = texts.bind(gr.Dropdown(choices=[], elem_id="inspect-mrc-panel"), label=_("Show"))
        hint = texts.hint(_("Choose a label above to edit its query."))
        asked = gr.Textbox(visible=False, max_lines=4, max_length=LONGEST, elem_id="inspect-mrc-query")
        effects = effect_rows("inspect-mrc-effects")
        with gr.Row(elem_classes="ll-buttons"):
            put_back = texts.button(
                _("Reset queries"), size="sm", visible=False, elem_id="inspect-mrc-put-back"
            )
        stage = texts.bind(
            gr.Radio(visible=False, elem_id="inspect-mrc-stage"),
            label=_("Probabilities"),
            chosen=STAGES[0],
            choices=[(INSPECT_MRC_NAMES[name], name) for name in STAGES],
        )
        figure = figure_view("inspect-mrc-plot")
        texts.hint(
            _(
                "This changes the query in this view only, not the tagger. Training uses the label's "
                "guideline on the Settings page as its query: if another wording works better here, write "
                "it there and train again."
            )
        )
    outputs = {
        "query": query, "hint": hint, "asked": asked, "put_back": put_back, "stage": stage,
        "effects": effects, "figure": figure.plot,
    }  # fmt: skip
    return MrcPanel(
        group,
        (),
        outputs,
        query=query,
        asked=asked,
        hint=hint,
        put_back=put_back,
        stage=stage,
        effects=effects,
        figure=figure,
    )


def draw(session: Session, look: Look) -> dict[str, Any]:
    """Draw the tagger's own queries."""
    assert look.trace.mrc is not None
    names = look.trace.mrc.labels
    choices = [(session._("starts and ends"), STARTS_AND_ENDS), *zip(names, range(len(names)), strict=True)]
    session.memory[MEMORY] = begun = Asked(look.trace, look.trace)
    return {
        "query": gr.update(choices=choices, value=STARTS_AND_ENDS),
        **_editor(session, begun, STARTS_AND_ENDS),
        **_answers(session, begun, STARTS_AND_ENDS, STAGES[0]),
    }


def choose(session: Session, query: int | None, stage: str) -> dict[str, Any]:
    """Draw another picture."""
    asked = _current(session)
    if asked is None:
        return {}
    return {**_editor(session, asked, query), "figure": _figure(session, asked, query, stage)}


def choose_stage(session: Session, query: int | None, stage: str) -> Any:
    """Draw the figure before, after, or the difference."""
    asked = _current(session)
    return gr.skip() if asked is None else _figure(session, asked, query, stage)


def ask(session: Session, query: int | None, written: str | None, stage: str) -> dict[str, Any]:
    """Predict with the edited query."""
    asked = _current(session)
    number = None if asked is None else _number(asked, query)
    if asked is None or number is None:
        return {}
    original = _mrc(asked.original)
    label, given = original.labels[number], (written or "")[:LONGEST]
    queries = {name: other for name, other in asked.queries.items() if name != label}
    if given.strip() and given != original.queries[number]:
        queries[label] = given
    if queries == asked.queries:
        return {}
    return _answers(session, _ask(session, asked, queries), query, stage)


def put_back(session: Session, query: int | None, stage: str) -> dict[str, Any]:
    """Restore the tagger's own queries."""
    asked = _current(session)
    if asked is None:
        return {}
    session.memory[MEMORY] = begun = Asked(asked.original, asked.original)
    return {**_editor(session, begun, query), **_answers(session, begun, query, stage)}


def _current(session: Session) -> Asked | None:
    """The current queries of the look; None without queries."""
    look = look_of(session)
    if look is None or look.trace.mrc is None:
        return None
    asked = session.memory.get(MEMORY)
    if not isinstance(asked, Asked) or asked.original is not look.trace:
        session.memory[MEMORY] = asked = Asked(look.trace, look.trace)
    return asked


def _ask(session: Session, asked: Asked, queries: dict[str, str]) -> Asked:
    from core.inspection.what_if.counterfactual import Conditions, trace_under

    look = look_of(session)
    assert look is not None
    otherwise = asked.original
    if queries:
        with session.workbench.taggers.tagger(session.project_id, look.run) as tagger:
            otherwise = trace_under(tagger, look.trace.text, Conditions(queries=queries))
    session.memory[MEMORY] = fresh = Asked(asked.original, otherwise, queries)
    return fresh


def _editor(session: Session, asked: Asked, query: int | None) -> dict[str, Any]:
    """Values for the hint and for the box of the chosen label's query."""
    number = _number(asked, query)
    if number is None:
        return {"hint": gr.update(visible=True), "asked": gr.update(visible=False)}
    original = _mrc(asked.original)
    label = original.labels[number]
    name = session._("Query of {label}", label=label)
    shown = asked.queries.get(label, original.queries[number])
    return {"hint": gr.update(visible=False), "asked": gr.update(visible=True, label=name, value=shown)}


def _answers(session: Session, asked: Asked, query: int | None, stage: str) -> dict[str, Any]:
    """The effects of the edited queries."""
    from core.inspection.what_if.edit_effects import effects

    is_edited, text = bool(asked.queries), asked.original.text
    changes = effects(asked.original.spans, asked.otherwise.spans) if is_edited else []
    empty = session._("With this query, the spans and their confidence stay the same.") if is_edited else ""
    return {
        "put_back": gr.update(visible=is_edited),
        "stage": gr.update(visible=is_edited),
        "effects": effects_value(changes, text, text, session.language, empty=empty),
        "figure": _figure(session, asked, query, stage),
    }


def _figure(session: Session, asked: Asked, query: int | None, stage: str) -> Any:
    """Starts and ends of all queries, or the match of one: before, after, or the difference."""
    is_change = bool(asked.queries) and stage == "difference"
    shown = asked.otherwise if is_change or stage == "after" else asked.original
    minus = asked.original if is_change else None
    number = _number(asked, query)
    if number is None:
        return boundary_heatmaps(boundaries_view(shown, minus), session.language)
    return match_heatmap(match_view(shown, number, minus), session.language)


def _number(asked: Asked, query: int | None) -> int | None:
    """Index of the chosen query; None for all of them, or for an invalid value."""
    return query if query in range(len(_mrc(asked.original).queries)) else None


def _mrc(trace: Trace) -> MrcTrace:
    assert trace.mrc is not None
    return trace.mrc


def wire(view: MrcPanel, frame: Frame) -> None:
    v = view
    answers = [v.put_back, v.stage, v.effects, v.figure.plot]
    frame.on([v.query.input], choose, [v.query, v.stage], [v.hint, v.asked, v.figure.plot])
    frame.on([v.stage.input], choose_stage, [v.query, v.stage], [v.figure.plot])
    # `input` does not fire for composed, pasted or deleted text.
    frame.on([v.asked.change], ask, [v.query, v.asked, v.stage], answers)
    frame.on([v.put_back.click], put_back, [v.query, v.stage], [v.hint, v.asked, *answers])
