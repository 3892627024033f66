"""Why this span: what its confidence rests on, asked in one of three ways."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import gradio as gr

from app.i18n import _
from app.inspect.panel import Look, PanelView, heading, look_of
from app.inspect.sentence.why_answers import METHODS, WORDS, Answer, answered, is_heavy, methods_of
from app.inspect.widgets.reasons import reasons_value, reasons_view
from app.services.session import Session
from app.ui.frame import Frame
from app.ui.widgets.figure_view import FigureView, figure_view
from app.ui.widgets.shifting_choice import ShiftingRadio

if TYPE_CHECKING:
    from core.taggers.base.tagger import Tagger
    from core.taggers.base.trace import Trace

METHOD_NAMES = {
    "words": _("leaving out a dictionary word"),
    "gradients": _("integrated gradients"),
    "occlusion": _("covering characters"),
}


NAME = "why"
FOLLOWS_FOCUS = True
# Where the method whose answer is still to come waits in the session's memory.
PENDING = "inspect-why-pending"


@dataclass
class WhyView(PanelView):
    """The panel's own components."""

    method: gr.Radio | None = None
    ask: gr.Button | None = None
    reasons: gr.HTML | None = None
    figure: FigureView | None = None


def has(trace: Trace) -> bool:
    return True


def layout(frame: Frame) -> WhyView:
    texts = frame.texts
    with gr.Column(visible=False, elem_id="inspect-why-group") as group:
        heading(frame, NAME)
        names = [(texts(METHOD_NAMES[name]), name) for name in METHODS]
        method = texts.bind(
            ShiftingRadio(choices=names, value=WORDS, elem_id="inspect-why-method"),
            label=_("Ask by"),
        )
        reasons = reasons_view("inspect-why")
        ask = texts.bind(
            gr.Button(visible=False, elem_id="inspect-why-ask", size="sm"), value=_("Work it out")
        )
        figure = figure_view("inspect-why-plot")
    outputs = (method, reasons, ask, figure.plot)
    return WhyView(group, (method,), outputs, method, ask, reasons, figure)


def draw(session: Session, look: Look, method: str | None) -> tuple[Any, ...]:
    """Which ways there are, and the answer of the chosen one where that costs little.

    Outputs: method, reasons, ask, figure.
    """
    with session.workbench.serving.tagger(session.project_id, look.run) as tagger:
        ways = methods_of(tagger)
        chosen = method if method in ways else ways[0] if ways else WORDS
        names = [(session._(METHOD_NAMES[name]), name) for name in ways]
        picker = gr.update(choices=names, value=chosen, visible=len(ways) > 1)
        session.memory.pop(PENDING, None)
        if look.focus is None:
            return picker, *_shown(
                Answer(
                    reasons_value(
                        "",
                        note=session._(
                            "The tagger found no entity in this sentence, so there is nothing to explain. "
                            "Try another sentence."
                        ),
                    )
                )
            )
        if chosen == WORDS:
            return picker, *_shown(answered(session, tagger, look, chosen))
        if not is_heavy(tagger, look.trace.text):
            session.memory[PENDING] = chosen
        return picker, *_waiting(session, tagger, look)


def fill(session: Session) -> tuple[Any, ...]:
    """What ``draw`` left for later, once all the rest is on the screen.

    The method is not read from the page: the picker may still offer those of the run before.

    Outputs: reasons, ask, figure.
    """
    chosen = session.memory.pop(PENDING, None)
    return ask_by(session, chosen if isinstance(chosen, str) else None)


def ask_by(session: Session, method: str | None) -> tuple[Any, ...]:
    """The answer of the chosen method, however long it takes.

    Outputs: reasons, ask, figure.
    """
    look = look_of(session)
    if look is None or look.focus is None:
        return gr.skip(), gr.skip(), gr.skip()
    with session.workbench.serving.tagger(session.project_id, look.run) as tagger:
        if method not in methods_of(tagger):
            return gr.skip(), gr.skip(), gr.skip()
        return _shown(answered(session, tagger, look, str(method)))


def wire(view: WhyView, frame: Frame) -> None:
    assert view.method is not None
    assert view.ask is not None
    assert view.reasons is not None
    slow = view.outputs[1:]
    for asked in (view.method.input, view.ask.click):
        frame.on([asked], ask_by, [view.method], slow, show_progress="minimal")
    # The list asks by itself: an event after every look would cost each of them a round trip.
    frame.on(view.reasons.waiting, fill, [], slow)


def _shown(answer: Answer) -> tuple[Any, ...]:
    """An answer for reasons, ask and figure."""
    return answer.value, gr.update(visible=False), gr.update(value=answer.figure)


def _waiting(session: Session, tagger: Tagger, look: Look) -> tuple[Any, ...]:
    """What stands there until the answer comes, or until somebody asks a large tagger for it."""
    assert look.focus is not None
    heavy = is_heavy(tagger, look.trace.text)
    span = look.focus
    question = f"{look.trace.text[span.start : span.end]} {span.label}"
    note = session._(
        _("This tagger is large: on this machine the answer may take a minute.")
        if heavy
        else _("Working it out …")
    )
    value = reasons_value(question, note=note, pending=not heavy)
    return value, gr.update(visible=heavy), gr.update(value=None)
