"""The margin of a span over the best path without it, as a sentence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from app.i18n import Language, _, text
from app.ui.figures.axes import signed
from core.inspection.sentence.crf_scores import END, START
from core.text.units import UnitName

if TYPE_CHECKING:
    from core.inspection.sentence.crf_paths import PathMargin, Term
    from core.taggers.base.trace import Trace

MOST_TAGS = 8  # written out of a path without entities


def verdict(margin: PathMargin, trace: Trace, language: Language) -> str:
    """E.g. ``PER 林知远 is 4.2 ahead of reading no entity there (O O O); most of it comes from …``."""
    span, ahead = margin.span, margin.margin
    digits = 1 if abs(ahead) >= 1 else 2  # never "0.0 ahead"
    named = {
        "label": span.label,
        "surface": trace.text[span.start : span.end],
        "gap": f"{abs(ahead):.{digits}f}",
        "other": _without(margin, trace, language),
        "term": _term(margin.leading, trace, language),
        "value": signed(margin.leading.value, digits),
    }
    if ahead < 0:
        return text(
            _(
                "{label} {surface} is {gap} behind {other}; the strongest evidence against it is {term} "
                "({value})."
            ),
            language,
            **named,
        )
    share = _("it mostly depends on") if margin.is_decisive else _("the strongest evidence for it is")
    return text(
        _("{label} {surface} is {gap} ahead of {other}; {share} {term} ({value})."),
        language,
        share=share,
        **named,
    )


def _without(margin: PathMargin, trace: Trace, language: Language) -> str:
    """Describe where the path without the span differs: its spans, or the tags without an entity."""
    if margin.other.gained:
        gained = margin.other.gained
        spans = ", ".join(f"{trace.text[span.start : span.end]} {span.label}" for span in gained)
        return text(_("the path with {spans}"), language, spans=spans)
    assert trace.crf is not None
    units = trace.places.touched(margin.span)
    assert units is not None
    tags = [trace.crf.tags[tag] for tag in margin.other.tags[units.start : units.end]]
    cut = [*tags[: MOST_TAGS - 1], "…"] if len(tags) > MOST_TAGS else tags
    return text(_("the path without an entity there ({tags})"), language, tags=" ".join(cut))


def _term(term: Term, trace: Trace, language: Language) -> str:
    message = (
        _("the emission of {taken} over {other} at {place}")
        if term.kind == "emission"
        else _("the transition {taken} over {other} at {place}")
    )
    taken, other = (" → ".join(tags) for tags in (edges_of(term, term.held), edges_of(term, term.other)))
    place = place_of(term, trace.tokens, trace.places.name)
    return text(message, language, taken=taken, other=other, place=place)


def place_of(term: Term, tokens: Sequence[str], unit: UnitName) -> str:
    """The unit at which a term stands, of a transition both; words with a blank between."""
    first = term.position - 1 if term.kind == "transition" else term.position
    return ("" if unit == "character" else " ").join(tokens[first : term.position + 1])


def edges_of(term: Term, tags: tuple[str, ...]) -> tuple[str, ...]:
    """The tags on both sides of the term, START and END where it stands at an edge of the sentence."""
    return {"start": (START, *tags), "end": (*tags, END)}.get(term.kind, tags)
