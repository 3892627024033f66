"""What a span rests on, asked of its tagger in one of three ways, in words and numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from app.i18n import _, ngettext
from app.inspect.figures.attribution import WordWorth, attribution_bars
from app.inspect.panel import Look
from app.inspect.widgets.reasons import Reason, Tinted, reasons_value
from app.services.session import Session
from core.text import Span

if TYPE_CHECKING:
    from core.inspection.sentence.attribution import Attribution
    from core.inspection.sentence.intervention import Outcome
    from core.inspection.sentence.occlusion import Occlusion
    from core.taggers.base.tagger import Tagger

AXIS_NAMES = {
    "words": _("confidence lost without the word"),
    "gradients": _("share of the log-probability"),
    "occlusion": _("confidence lost when covered"),
}


WORDS, GRADIENTS, OCCLUSION = "words", "gradients", "occlusion"
METHODS = (WORDS, GRADIENTS, OCCLUSION)
MOST_ROWS = 8
# A pair of characters is listed where it takes this much more confidence than the better of its two.
PAIR_GAIN = 0.05
# Multiplications of weights by characters from which an answer takes long on a CPU.
HEAVY = 5e8


@dataclass(frozen=True, slots=True)
class Answer:
    """What the panel shows.

    Args:
        value: of the list. figure: the same along the sentence, None where there is nothing to draw.
    """

    value: dict[str, Any]
    figure: Any = None


def methods_of(tagger: Tagger) -> tuple[str, ...]:
    """The ways in which this tagger can be asked."""
    reads_words = tagger.uses_lexicon and tagger.lexicon is not None
    return tuple(m for m in METHODS if (reads_words if m == WORDS else tagger.weighs_spans))


def is_heavy(tagger: Tagger, text: str) -> bool:
    """Whether anything but leaving words out takes long enough to ask for it first."""
    from torch import nn

    if tagger.device.type != "cpu":
        return False
    tables = {id(m.weight) for m in tagger.modules() if isinstance(m, nn.Embedding)}
    weights = sum(p.numel() for p in tagger.parameters() if id(p) not in tables)
    return weights * len(text) > HEAVY


def answered(session: Session, tagger: Tagger, look: Look, method: str) -> Answer:
    """The answer of this method about the span in focus."""
    assert look.focus is not None
    if method == GRADIENTS:
        from core.inspection.sentence.attribution import integrated_gradients

        found = integrated_gradients(tagger, look.trace.text, look.focus)
        return gradients_answer(session, look, look.focus, found)
    if method == OCCLUSION:
        from core.inspection.sentence.occlusion import occlude

        return occlusion_answer(session, look, look.focus, occlude(tagger, look.trace.text, look.focus))
    return words_answer(session, tagger, look, look.focus)


def words_answer(session: Session, tagger: Tagger, look: Look, span: Span) -> Answer:
    """Every dictionary word at the span, and what the prediction becomes without it."""
    from core.inspection.sentence.word_ablation import ablate_words

    text = look.trace.text
    rows = ablate_words(tagger, text, [span])
    note = (
        session._(
            "Each word is taken out of the dictionary, everywhere in the sentence, and the "
            "sentence is tagged again. A large fall means the prediction leans on that "
            "word; none does not mean it was not read: another word may stand in for it. A "
            "character has the colour of the word over it that counts most: blue, "
            "confidence falls without it; orange, it rises."
        )
        if rows
        else session._("No dictionary word touches this span: ask in another way.")
    )
    if not tagger.weighs_spans:
        note = session._(
            "This tagger tags what is spelt like a word it knows. Here the word is {word}.",
            word=text[span.start : span.end],
        )
    reasons = [_row(session, text, row, session._("without the word {word}", word=row.word)) for row in rows]
    lost = {row.word: -row.change for row in rows if row.change is not None}
    places = _word_places(look)
    words = [WordWorth(word, head, tail, lost[word]) for word, head, tail in places if word in lost]
    worth = [_strongest(words, at) for at in range(len(text))] if words else []
    value = reasons_value(_question(text, span), reasons, note=note, sentence=text, span=span, worth=worth)
    return Answer(value, _figure(session, look, span, None, words, WORDS))


def gradients_answer(session: Session, look: Look, span: Span, found: Attribution) -> Answer:
    """The characters and words with the greatest shares of the span's log-probability."""
    text = look.trace.text
    places = _word_places(look)
    words = [
        WordWorth(*place, float(worth)) for place, worth in zip(places, found.words.tolist(), strict=False)
    ]
    named = [
        (session._("character {character}", character=character), worth)
        for character, worth in zip(text, found.characters.tolist(), strict=True)
    ] + [(session._("word {word}", word=word.word), word.worth) for word in words]
    top = sorted(named, key=lambda row: -abs(row[1]))[:MOST_ROWS]
    side = {True: _("speaks for it"), False: _("speaks against it")}
    rows = [Reason(name, session._(side[worth >= 0]), _signed(worth), worth) for name, worth in top]
    key = (
        ngettext(
            "From {blank} with nothing written to {score} (log-probability); the shares "
            "add up to that difference within {error} ({count} step).",
            "From {blank} with nothing written to {score} (log-probability); the shares "
            "add up to that difference within {error} ({count} steps).",
        )
        if found.is_complete
        else ngettext(
            "From {blank} with nothing written to {score} (log-probability); after {count} "
            "step the shares still miss that difference by {error}: read them as rough.",
            "From {blank} with nothing written to {score} (log-probability); after {count} "
            "steps the shares still miss that difference by {error}: read them as rough.",
        )
    )
    sums = session._(
        key,
        blank=_minus(found.blank),
        score=_minus(found.score),
        error=f"{found.error:.1%}",
        count=found.steps,
    )
    value = reasons_value(
        _question(text, span),
        rows,
        note=session._(
            "Blue raises the log-probability of this span, orange lowers it, summed along "
            "a path from a blank sentence to this one. It says what the score is sensitive "
            "to, not what a person would call the reason; leaving a word out is the check."
        )
        + " "
        + sums,
        sentence=text,
        span=span,
        worth=found.characters.tolist(),
        words=[Tinted(word.word, word.worth) for word in words],
        words_name=session._("Dictionary words"),
    )
    return Answer(value, _figure(session, look, span, found.characters.tolist(), words, GRADIENTS))


def occlusion_answer(session: Session, look: Look, span: Span, found: list[Occlusion]) -> Answer:
    """The characters, and pairs worth more than either of them, without which confidence falls most."""
    text = look.trace.text
    lost = {(row.start, row.end): -(row.change or 0.0) for row in found}
    single = [lost[at, at + 1] for at in range(len(text))]
    telling = [
        row
        for row in found
        if row.end - row.start == 1 or lost[row.start, row.end] > max(single[row.start : row.end]) + PAIR_GAIN
    ]
    top = sorted(telling, key=lambda row: -abs(lost[row.start, row.end]))[:MOST_ROWS]
    rows = [
        _row(
            session,
            text,
            row,
            session._("with {characters} covered", characters=text[row.start : row.end]),
        )
        for row in top
    ]
    value = reasons_value(
        _question(text, span),
        rows,
        note=session._(
            "Each character, and each pair, is covered with 〓; dictionary words over it "
            "vanish too. Blue: confidence falls without it. The tagger was never trained "
            "on covered sentences, so small changes say little."
        ),
        sentence=text,
        span=span,
        worth=single,
    )
    return Answer(value, _figure(session, look, span, single, [], OCCLUSION))


def _row(session: Session, text: str, row: Outcome, what: str) -> Reason:
    """A row about something taken away: what becomes of the span, and how far its confidence moves."""
    now = row.becomes
    if now is None:
        outcome = session._("lost")
    elif row.kept:
        outcome = f"{session._('stays')} {_score(now.score)}".rstrip()
    else:
        surface = text[now.start : now.end]
        outcome = session._(
            "becomes {surface} {label} {score}", surface=surface, label=now.label, score=_score(now.score)
        ).rstrip()
    if row.probability is not None and not row.kept:
        own = row.span
        outcome = f"{own.label} {_score(row.probability)} → {outcome}"
    change = row.change
    written = "" if change is None else _signed(change)
    return Reason(what, outcome, written, 0.0 if change is None else -change, not row.kept)


def _figure(
    session: Session, look: Look, span: Span, worth: list[float] | None, words: list[WordWorth], method: str
) -> Any:
    if worth is None and not words:
        return None
    import numpy as np

    unit = session._(AXIS_NAMES[method])
    values = None if worth is None else np.array(worth)
    return attribution_bars(look.trace.text, values, words, span, unit, session.language)


def _strongest(words: list[WordWorth], at: int) -> float:
    """Worth of the word over a character that counts most, 0 where there is none."""
    over = [word.worth for word in words if word.head <= at <= word.tail]
    return max(over, key=abs, default=0.0)


def _word_places(look: Look) -> list[tuple[str, int, int]]:
    """Every word of the lattice: surface, first and last character."""
    lattice = look.trace.lattice
    if lattice is None:
        return []
    own = slice(lattice.characters, None)
    return list(zip(lattice.nodes[own], lattice.head[own].tolist(), lattice.tail[own].tolist(), strict=True))


def _question(text: str, span: Span) -> str:
    return f"{text[span.start : span.end]} {span.label} {_score(span.score)}".rstrip()


def _score(score: float | None) -> str:
    return "" if score is None else f"{score:.2f}"


def _signed(value: float) -> str:
    return "0.00" if abs(value) < 0.005 else f"{value:+.2f}".replace("-", "−")


def _minus(value: float) -> str:
    return f"{value:.2f}".replace("-", "−")
