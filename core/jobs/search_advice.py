"""Whether more labels would bring more than more search."""

from __future__ import annotations

from collections.abc import Sequence

from core.inspection.corpus.power_law import PowerLaw, fit
from core.jobs.curve_points import CurvePoint
from core.learning.search.trials import Trial, recent_gain
from core.runtime.message import Message, _


def advice(trials: Sequence[Trial], seconds: float, curve: Sequence[CurvePoint]) -> Message | None:
    """What the second half of the search brought beside what a learning curve promises for twice the labels.

    None while nothing was finished in the first half of the search.

    Args:
        seconds: of the search so far. curve: points of a learning curve of the same corpus, if there is one.
    """
    searched = recent_gain(trials, seconds)
    if searched is None:
        return None
    so_far = _("The second half of the search raised dev F1 by {points:.1f} points.", points=100 * searched)
    promise = _promise(curve)
    if promise is None:
        return _(
            "{so_far} A learning curve would tell whether more labels help: it needs three sizes or more.",
            so_far=so_far,
        )
    law, documents = promise
    if not law.rises:
        return _("{so_far} The learning curve does not show that more labels help.", so_far=so_far)
    labelled = law.f1(2 * documents)[0] - law.f1(documents)[0]
    promised = {"twice": 2 * documents, "documents": documents, "points": 100 * labelled}
    if labelled > searched:
        return _(
            "{so_far} More labels promise more than a longer search: by the learning curve, {twice} "
            "documents instead of {documents} would add {points:.1f} points.",
            so_far=so_far,
            **promised,
        )
    return _(
        "{so_far} A longer search may still bring more than more labels: by the learning curve, "
        "{twice} documents instead of {documents} would add {points:.1f} points.",
        so_far=so_far,
        **promised,
    )


def _promise(curve: Sequence[CurvePoint]) -> tuple[PowerLaw, int] | None:
    """The power law of the subject that is best with all documents, and their number."""
    laws = []
    for subject in {point.subject for point in curve}:
        points = [point for point in curve if point.subject == subject]
        law = fit([point.documents for point in points], [point.f1 for point in points])
        if law is not None:
            most = max(point.documents for point in points)
            laws.append((law.f1(most)[0], most, law))
    if not laws:
        return None
    _f1, documents, law = max(laws, key=lambda item: item[:2])
    return law, documents
