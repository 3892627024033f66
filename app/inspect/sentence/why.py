"""The panel that explains a predicted span by one of three methods."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import gradio as gr

from app.i18n import _
from app.inspect.figures.attribution import attribution_bars
from app.inspect.panel import Look, PanelView, heading, look_of
from app.services.session import Session
from app.ui.frame import Frame
from app.ui.why.evidence import evidence_value, question
from app.ui.widgets.figure_view import FigureView, figure_view
from app.ui.widgets.reasons import reasons_value, reasons_view
from app.ui.widgets.shifting_choice import ShiftingRadio
from core.inspection.sentence.evidence import METHODS, Evidence, find_evidence, is_slow, methods_of

if TYPE_CHECKING:
    from core.taggers.base.tagger import Tagger
    from core.taggers.base.trace import Trace

AXIS_NAMES = {
    "words": _("confidence lost without the word"),
    "gradients": _("share of the log-probability"),
    "occlusion": _("confidence lost when covered"),
}

METHOD_NAMES = {
    "words": _("leaving out a dictionary word"),
    "gradients": _("integrated gradients"),
    "occlusion": _("covering characters"),
}
COVERING_WORDS = _("covering words")

NAME = "why"
FOLLOWS_FOCUS = True
WORDS = METHODS[0]
# Session memory key of the method whose result is pending.
PENDING = "inspect-why-pending"


@dataclass(kw_only=True)
class WhyPanel(PanelView):
    """The panel's own components."""

    method: gr.Radio
    ask: gr.Button
    reasons: gr.HTML
    figure: FigureView


def has(trace: Trace) -> bool:
    return True


def layout(frame: Frame) -> WhyPanel:
    texts = frame.texts
    with gr.Column(visible=False, elem_id="inspect-why-group") as group:
        heading(frame, NAME)
        names = [(texts(METHOD_NAMES[name]), name) for name in METHODS]
        method = texts.bind(
            ShiftingRadio(choices=names, value=WORDS, elem_id="inspect-why-method"), label=_("Explain by")
        )
        reasons = reasons_view("inspect-why")
        ask = texts.button(_("Compute"), visible=False, elem_id="inspect-why-ask", size="sm")
        figure = figure_view("inspect-why-plot")
    outputs = {"method": method, "reasons": reasons, "ask": ask, "figure": figure.plot}
    return WhyPanel(group, (method,), outputs, method=method, ask=ask, reasons=reasons, figure=figure)


def draw(session: Session, look: Look, method: str | None) -> dict[str, Any]:
    """List the methods and draw the chosen one's result if it is fast."""
    with session.workbench.taggers.tagger(session.project_id, look.run) as tagger:
        methods = methods_of(tagger)
        chosen = method if method in methods else methods[0] if methods else WORDS
        told = METHOD_NAMES
        if look.trace.places.name == "word":
            told = {**METHOD_NAMES, "occlusion": COVERING_WORDS}
        names = [(session._(told[name]), name) for name in methods]
        picker = gr.update(choices=names, value=chosen, visible=len(methods) > 1)
        session.memory.pop(PENDING, None)
        if look.focus is None:
            nothing = reasons_value(
                "",
                note=session._(
                    "The tagger found no entity in this sentence, so there is nothing to explain. "
                    "Try another sentence."
                ),
            )
            return {
                "method": picker,
                "reasons": nothing,
                "ask": gr.update(visible=False),
                "figure": gr.update(value=None),
            }
        if chosen == WORDS:
            return {
                "method": picker,
                **_shown(session, tagger, find_evidence(tagger, look.trace, look.focus, WORDS)),
            }
        slow = is_slow(tagger, look.trace.text)
        if not slow:
            session.memory[PENDING] = chosen
        asked = question(look.trace.text, look.focus)
        note = session._(
            _("This tagger is large: on this machine it may take a minute.") if slow else _("Computing …")
        )
        waiting = reasons_value(asked, note=note, pending=not slow)
        return {
            "method": picker,
            "reasons": waiting,
            "ask": gr.update(visible=slow),
            "figure": gr.update(value=None),
        }


def fill(session: Session) -> dict[str, Any]:
    """Compute a slow result of ``draw`` once the other panels are drawn.

    The method is not read from the page: the picker may still list those of the previous run.
    """
    chosen = session.memory.pop(PENDING, None)
    return ask_by(session, chosen if isinstance(chosen, str) else None)


def ask_by(session: Session, method: Any) -> dict[str, Any]:
    """Compute the result of the chosen method."""
    look = look_of(session)
    if look is None or look.focus is None:
        return {}
    with session.workbench.taggers.tagger(session.project_id, look.run) as tagger:
        if method not in methods_of(tagger):
            return {}
        return _shown(session, tagger, find_evidence(tagger, look.trace, look.focus, method))


def wire(view: WhyPanel, frame: Frame) -> None:
    slow = {name: each for name, each in view.outputs.items() if name != "method"}
    for asked in (view.method.input, view.ask.click):
        frame.on([asked], ask_by, [view.method], slow, show_progress="minimal")
    # The list requests it itself: an event after every look would cost a round trip each time.
    frame.on(view.reasons.waiting, fill, [], slow)


def _shown(session: Session, tagger: Tagger, evidence: Evidence) -> dict[str, Any]:
    """Evidence for reasons, ask and figure."""
    figure = None
    if evidence.worth is not None or evidence.words:
        unit = session._(AXIS_NAMES[evidence.method])
        figure = attribution_bars(evidence, unit, session.language)
    value = evidence_value(session, evidence, tagger.has_span_probabilities)
    return {"reasons": value, "ask": gr.update(visible=False), "figure": gr.update(value=figure)}
