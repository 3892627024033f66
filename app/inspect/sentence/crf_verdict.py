"""What decided a span, in one sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.i18n import Language, _, text
from app.ui.figures.axes import signed

if TYPE_CHECKING:
    from core.inspection.sentence.crf_reading import Contest, Term
    from core.taggers.base.trace import Trace

MOST_TAGS = 8


def verdict(contest: Contest, trace: Trace, language: Language) -> str:
    """E.g. ``PER 林知远 is 4.2 ahead of reading no entity there (O O O); most of it comes from …``."""
    span, gap = contest.span, contest.gap
    ahead = gap >= 0
    term = max(contest.terms, key=lambda term: term.value if ahead else -term.value)
    digits = 1 if abs(gap) >= 1 else 2  # nobody is "0.0 ahead"
    named = {
        "label": span.label,
        "surface": trace.text[span.start : span.end],
        "gap": f"{abs(gap):.{digits}f}",
        "other": other_reading(contest, trace, language),
        "term": _named(term, trace, language),
        "value": signed(term.value, digits),
    }
    if not ahead:
        return text(
            _("{label} {surface} is {gap} behind {other}; what speaks most against it is {term} ({value})."),
            language,
            **named,
        )
    # One score can be more than the whole gap, where others speak against the span.
    share = _("most of it comes from") if gap / 2 <= term.value <= gap else _("what speaks most for it is")
    return text(
        _("{label} {surface} is {gap} ahead of {other}; {share} {term} ({value})."),
        language,
        share=share,
        **named,
    )


def other_reading(contest: Contest, trace: Trace, language: Language) -> str:
    """What the path without the span says where it differs: its own spans, or no entity and the tags."""
    fresh = [span for span in contest.other.spans if span not in contest.held.spans]
    if fresh:
        spans = ", ".join(f"{trace.text[span.start : span.end]} {span.label}" for span in fresh)
        return text(_("reading {spans}"), language, spans=spans)
    assert trace.crf is not None
    span = contest.span
    tags = [trace.crf.tags[tag] for tag in contest.other.tags[span.start : span.end]]
    cut = [*tags[: MOST_TAGS - 1], "…"] if len(tags) > MOST_TAGS else tags
    return text(_("reading no entity there ({tags})"), language, tags=" ".join(cut))


def _named(term: Term, trace: Trace, language: Language) -> str:
    message = (
        _("the emission of {taken} over {other} at {place}")
        if term.kind == "emission"
        else _("the transition {taken} over {other} at {place}")
    )
    edges = {"start": ("START", ""), "end": ("", "END")}.get(term.kind, ("", ""))
    taken, other = (
        " → ".join(part for part in (edges[0], *tags, edges[1]) if part) for tags in (term.taken, term.other)
    )
    before = trace.tokens[term.position - 1] if term.kind == "transition" else ""
    place = before + trace.tokens[term.position]
    return text(message, language, taken=taken, other=other, place=place)
