"""The evidence for a span in words, as the list of reasons draws it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from app.i18n import _, ngettext
from app.services.session import Session
from app.ui.figures.axes import signed
from app.ui.numbers import share
from app.ui.widgets.reasons import Reason, Tinted, reasons_value
from core.inspection.sentence.evidence import Evidence, Item
from core.text import Span

if TYPE_CHECKING:
    from core.inspection.sentence.intervention import Outcome


def evidence_value(
    session: Session, evidence: Evidence, has_probabilities: bool, is_predicted: bool = True
) -> dict[str, Any]:
    """Evidence as the list of reasons draws it.

    Args:
        has_probabilities: whether spans have a probability; else the tagger matches words.
        is_predicted: whether the tagger predicts the span from the whole sentence and dictionary.
    """
    by_gradients = evidence.method == "gradients"
    return reasons_value(
        question(evidence.text, evidence.span),
        [evidence_row(session, evidence, item, is_predicted) for item in evidence.items],
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
                "Log-probability: {blank} for a blank sentence, {score} for this one; the shares add "
                "up to the difference within {error} ({count} step).",
                "Log-probability: {blank} for a blank sentence, {score} for this one; the shares add "
                "up to the difference within {error} ({count} steps).",
            )
            if attribution.is_complete
            else ngettext(
                "Log-probability: {blank} for a blank sentence, {score} for this one; after {count} "
                "step the shares still miss the difference by {error}, so they are only rough.",
                "Log-probability: {blank} for a blank sentence, {score} for this one; after {count} "
                "steps the shares still miss the difference by {error}, so they are only rough.",
            ),
            blank=_minus(attribution.blank),
            score=_minus(attribution.score),
            error=share(attribution.error),
            count=attribution.steps,
        )
        note = session._(
            "Integrated gradients from a blank sentence to this one: blue raises the log-probability "
            "of this span, orange lowers it; they show what the score is sensitive to, not a cause."
        )
        return session.paragraph(note, sums)
    if evidence.method == "occlusion" and evidence.places.name == "word":
        return session._(
            "Each word and each pair is replaced by one that the tagger does not know; blue means that "
            "confidence falls without it, and small changes mean little, since the tagger was not trained on "
            "masked sentences."
        )
    if evidence.method == "occlusion":
        return session._(
            "Each character and each pair is masked with 〓, which also removes the dictionary words "
            "over it; blue means that confidence falls without it, and small changes mean little, "
            "since the tagger was not trained on masked sentences."
        )
    if not has_probabilities:
        span = evidence.span
        return session._(
            "This tagger looks texts up in a word list. Here it matched {word}.",
            word=evidence.text[span.start : span.end],
        )
    return session._(
        _(
            "Each word is removed from the dictionary and the sentence is tagged again; characters "
            "have the colour of their most important word (blue: confidence falls without it, "
            "orange: it rises), and no change does not mean that a word is unused, as another may "
            "replace it."
        )
        if evidence.items
        else _("No dictionary word overlaps this span; choose another method.")
    )


def evidence_row(session: Session, evidence: Evidence, item: Item, is_predicted: bool = True) -> Reason:
    """A part of the sentence and its contribution; for ablation the outcome of the span."""
    if item.outcome is None:
        side = _("for it") if item.value >= 0 else _("against it")
        if item.is_word or evidence.places.name == "word":
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
    told = outcome_text if is_predicted else _outcome_of_unpredicted
    broken = is_predicted and not outcome.kept
    return Reason(what, told(session, evidence.text, outcome), written, item.value, broken)


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


def _outcome_of_unpredicted(session: Session, text: str, outcome: Outcome) -> str:
    """E.g. ``LOC 0.31``, or ``LOC 0.62 → predicted``."""
    said = f"{outcome.span.label} {_score(outcome.probability)}".rstrip()
    return f"{said} → {session._('predicted')}" if outcome.kept else said


def question(text: str, span: Span) -> str:
    """The span in question, its label and its confidence."""
    return f"{text[span.start : span.end]} {span.label} {_score(span.score)}".rstrip()


def _score(score: float | None) -> str:
    return "" if score is None else f"{score:.2f}"


def _signed(value: float) -> str:
    return "0.00" if abs(value) < 0.005 else signed(value, 2)


def _minus(value: float) -> str:
    return f"{value:.2f}".replace("-", "−")
