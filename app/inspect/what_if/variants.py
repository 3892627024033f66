"""The one-click variants of the sentence in view, and how many of them keep the entity in focus."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from app.i18n import _
from app.inspect.panel import Look
from app.inspect.what_if.trial import Trial, known_labels, name_of
from app.inspect.widgets.variant_rows import variants_value
from app.services.session import Session
from core.runtime.optional_packages import is_installed
from core.store.annotation.surfaces import surfaces
from core.text import Span

if TYPE_CHECKING:
    from core.inspection.what_if.variants import Subject, Variant

WHY_NOT_NAMES = {
    "swapped": _("no other {label} is annotated in this project"),
    "traditional": _("nothing to turn to traditional"),
    "simplified": _("nothing to turn to simplified"),
    "spaced": _("no room for a space inside it"),
    "emoji": _("no position for an emoji"),
    "full_width": _("no half-width letters or digits"),
    "half_width": _("no full-width letters or digits"),
    "unpunctuated": _("no final punctuation to delete"),
}
CONVERTED = ("traditional", "simplified")
NO_CONVERTER = _("turning the text to traditional or simplified characters needs “pip install opencc”")

# Copy of `core.inspection.what_if.variants.VARIANTS`, to avoid loading torch; a test compares the two.
VARIANTS = (
    "swapped",
    "traditional",
    "simplified",
    "spaced",
    "emoji",
    "full_width",
    "half_width",
    "unpunctuated",
)


def subject_of(session: Session, look: Look, trial: Trial) -> Subject | None:
    """The entity in focus with other surfaces of its label in the project; None without focus."""
    from core.inspection.what_if.variants import Subject

    if look.focus is None:
        return None
    names = surfaces(session.workspace, session.project_id, look.focus.label)
    return Subject(look.trace.text, look.focus, [surface for surface, _ in names], trial.turn)


def possible(session: Session, look: Look, trial: Trial) -> list[Variant]:
    """The variants that change the current sentence."""
    from core.inspection.what_if.variants import make_variants

    subject = subject_of(session, look, trial)
    return [] if subject is None else make_variants(subject)


def untried(session: Session, look: Look, variants: Sequence[Variant]) -> dict[str, Any]:
    """The table before the variants are tried: how many there are, and why others are missing."""
    label_set = known_labels(session, look.trace.spans)
    if look.focus is None:
        return variants_value(
            session._(
                "No entity is in focus. Variants need one: choose a sentence in which the "
                "tagger finds something."
            ),
            "",
            label_set,
            session.language,
        )
    name = name_of(look.trace.text, look.focus)
    line = session.ngettext(
        "Not tried yet: {count} variant applies to {name}.",
        "Not tried yet: {count} variants apply to {name}.",
        count=len(variants),
        name=name,
    )
    return variants_value(line, reasons(session, look.focus, variants), label_set, session.language)


def try_all(session: Session, look: Look, trial: Trial) -> dict[str, Any]:
    """Tag all variants in one batch, under the words and queries of the trial."""
    from core.inspection.what_if.counterfactual import tag_under
    from core.inspection.what_if.variants import outcome

    variants = possible(session, look, trial)
    if look.focus is None or not variants:
        return untried(session, look, variants)
    with session.workbench.taggers.tagger(session.project_id, look.run) as tagger:
        predicted = tag_under(tagger, [variant.text for variant in variants], trial.conditions)
    tried = list(zip(variants, predicted, strict=True))
    kept = sum(outcome(variant, spans).kind == "kept" for variant, spans in tried)
    name = name_of(look.trace.text, look.focus)
    return variants_value(
        session.ngettext(
            "{kept} of {count} variant kept {name}.",
            "{kept} of {count} variants kept {name}.",
            kept=kept,
            count=len(variants),
            name=name,
        ),
        reasons(session, look.focus, variants),
        known_labels(session, [span for spans in predicted for span in spans]),
        session.language,
        tried,
        look.focus.score,
    )


def reasons(session: Session, focus: Span, variants: Sequence[Variant]) -> str:
    """Why variants are missing; empty if none is."""
    there = {variant.name for variant in variants}
    why_not = {
        **WHY_NOT_NAMES,
        **(dict.fromkeys(CONVERTED, NO_CONVERTER) if not is_installed("opencc") else {}),
    }
    missing = [
        session._(why, **({"label": focus.label} if name == "swapped" else {}))
        for name, why in why_not.items()
        if name not in there
    ]
    missing = list(dict.fromkeys(missing))  # what two of them lack is said once
    joined = session._("; ").join(missing)
    return session._("Not applicable: {reasons}.", reasons=joined) if missing else ""
