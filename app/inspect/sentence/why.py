"""The panel that explains a predicted span by one of three methods."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import gradio as gr

from app.i18n import _, ngettext
from app.inspect.figures.attribution import attribution_bars
from app.inspect.panel import Look, PanelView, heading, look_of
from app.inspect.widgets.reasons import Reason, Tinted, reasons_value, reasons_view
from app.services.session import Session
from app.ui.figures.axes import signed
from app.ui.frame import Frame
from app.ui.widgets.figure_view import FigureView, figure_view
from app.ui.widgets.shifting_choice import ShiftingRadio
from core.inspection.sentence.evidence import METHODS, Evidence, Item, find_evidence, is_slow, methods_of
from core.text import Span

if TYPE_CHECKING:
    from core.inspection.sentence.intervention import Outcome
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


NAME = "why"
FOLLOWS_FOCUS = True
WORDS = METHODS[0]
# Session memory key of the method whose result is pending.
PENDING = "inspect-why-pending"


@dataclass
class WhyPanel(PanelView):
    """The panel's own components."""

    method: gr.Radio | None = None
    ask: gr.Button | None = None
    reasons: gr.HTML | None = None
    figure: FigureView | None = None


def has(trace: Trace) -> bool:
    return True


def layout(frame: Frame) -> WhyPanel:
    texts = frame.texts
    with gr.Column(visible=False, elem_id="inspect-why-group") as group:
        heading(frame, NAME)
        names = [(texts(METHOD_NAMES[name]), name) for name in METHODS]
        method = texts.bind(
            ShiftingRadio(choices=names, value=WORDS, elem_id="inspect-why-method"),
            label=_("Query by"),
        )
        reasons = reasons_view("inspect-why")
        ask = texts.bind(gr.Button(visible=False, elem_id="inspect-why-ask", size="sm"), value=_("Compute"))
        figure = figure_view("inspect-why-plot")
    outputs = {"method": method, "reasons": reasons, "ask": ask, "figure": figure.plot}
    return WhyPanel(group, (method,), outputs, method, ask, reasons, figure)


def draw(session: Session, look: Look, method: str | None) -> dict[str, Any]:
    """List the methods and draw the chosen one's result if it is fast."""
    with session.workbench.taggers.tagger(session.project_id, look.run) as tagger:
        methods = methods_of(tagger)
        chosen = method if method in methods else methods[0] if methods else WORDS
        names = [(session._(METHOD_NAMES[name]), name) for name in methods]
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
        question = _question(look.trace.text, look.focus)
        note = session._(
            _("This tagger is large: on this machine it may take a minute.") if slow else _("Computing …")
        )
        waiting = reasons_value(question, note=note, pending=not slow)
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
    assert view.method is not None
    assert view.ask is not None
    assert view.reasons is not None
    slow = {name: each for name, each in view.outputs.items() if name != "method"}
    for asked in (view.method.input, view.ask.click):
        frame.on([asked], ask_by, [view.method], slow, show_progress="minimal")
    # The list requests it itself: an event after every look would cost a round trip each time.
    frame.on(view.reasons.waiting, fill, [], slow)


def _shown(session: Session, tagger: Tagger, evidence: Evidence) -> dict[str, Any]:
    """Evidence for reasons, ask and figure."""
    figure = None
    if evidence.characters is not None or evidence.words:
        unit = session._(AXIS_NAMES[evidence.method])
        figure = attribution_bars(evidence, unit, session.language)
    value = evidence_value(session, evidence, tagger.has_span_probabilities)
    return {"reasons": value, "ask": gr.update(visible=False), "figure": gr.update(value=figure)}


def evidence_value(session: Session, evidence: Evidence, has_probabilities: bool) -> dict[str, Any]:
    """Evidence as the list of reasons draws it.

    Args:
        has_probabilities: whether spans have a probability; else the tagger matches words.
    """
    by_gradients = evidence.method == "gradients"
    return reasons_value(
        _question(evidence.text, evidence.span),
        [_row(session, evidence, item) for item in evidence.items],
        note=_note(session, evidence, has_probabilities),
        sentence=evidence.text,
        span=evidence.span,
        worth=evidence.shading.tolist(),
        words=[Tinted(word.word, word.value) for word in evidence.words] if by_gradients else (),
        words_name=session._("Dictionary words") if by_gradients else "",
    )


def _note(session: Session, evidence: Evidence, has_probabilities: bool) -> str:
    """How to read the list."""
    if evidence.attribution is not None:
        attribution = evidence.attribution
        sums = session._(
            ngettext(
                "From {blank} with nothing written to {score} (log-probability); the shares "
                "add up to that difference within {error} ({count} step).",
                "From {blank} with nothing written to {score} (log-probability); the shares "
                "add up to that difference within {error} ({count} steps).",
            )
            if attribution.is_complete
            else ngettext(
                "From {blank} with nothing written to {score} (log-probability); after {count} "
                "step the shares still miss that difference by {error}: read them as rough.",
                "From {blank} with nothing written to {score} (log-probability); after {count} "
                "steps the shares still miss that difference by {error}: read them as rough.",
            ),
            blank=_minus(attribution.blank),
            score=_minus(attribution.score),
            error=f"{attribution.error:.1%}",
            count=attribution.steps,
        )
        note = session._(
            "Integrated gradients from a blank sentence to this one: blue raises the log-probability of "
            "this span, orange lowers it. They show what the score is sensitive to, not a cause; ablate a "
            "word to check."
        )
        return f"{note} {sums}"
    if evidence.method == "occlusion":
        return session._(
            "Each character and each pair is masked with 〓, which also removes the dictionary words over "
            "it. Blue: confidence falls without it. The tagger was not trained on masked sentences, so "
            "ignore small changes."
        )
    if not has_probabilities:
        span = evidence.span
        return session._(
            "This tagger looks surfaces up in a list. Here it matched {word}.",
            word=evidence.text[span.start : span.end],
        )
    return session._(
        _(
            "Each word is removed from the dictionary and the sentence is tagged again. A large fall means "
            "that the prediction depends on that word; no change does not mean that it is unused, as "
            "another word may replace it. Characters have the colour of their most important word: blue, "
            "confidence falls without it; orange, it rises."
        )
        if evidence.items
        else _("No dictionary word overlaps this span: choose another method.")
    )


def _row(session: Session, evidence: Evidence, item: Item) -> Reason:
    """A part of the sentence and its contribution; for ablation the outcome of the span."""
    if item.outcome is None:
        side = _("for it") if item.value >= 0 else _("against it")
        if item.is_word:
            what = session._("word {word}", word=item.surface)
        else:
            what = session._("character {character}", character=item.surface)
        return Reason(what, session._(side), _signed(item.value), item.value)
    outcome, change = item.outcome, item.outcome.change
    if item.is_word:
        what = session._("without the word {word}", word=item.surface)
    else:
        what = session._("with {characters} covered", characters=item.surface)
    written = "" if change is None else _signed(change)
    return Reason(what, outcome_text(session, evidence.text, outcome), written, item.value, not outcome.kept)


def outcome_text(session: Session, text: str, outcome: Outcome) -> str:
    """The outcome of the span in words, e.g. ``LOC 0.31 → lost``."""
    now, span = outcome.becomes, outcome.span
    if now is None:
        sentence = session._("lost")
    elif outcome.kept:
        return f"{session._('stays')} {_score(now.score)}".rstrip()
    else:
        surface = text[now.start : now.end]
        sentence = session._(
            "becomes {surface} {label} {score}", surface=surface, label=now.label, score=_score(now.score)
        ).rstrip()
    return (
        sentence
        if outcome.probability is None
        else f"{span.label} {_score(outcome.probability)} → {sentence}"
    )


def _question(text: str, span: Span) -> str:
    return f"{text[span.start : span.end]} {span.label} {_score(span.score)}".rstrip()


def _score(score: float | None) -> str:
    return "" if score is None else f"{score:.2f}"


def _signed(value: float) -> str:
    return "0.00" if abs(value) < 0.005 else signed(value, 2)


def _minus(value: float) -> str:
    return f"{value:.2f}".replace("-", "−")
