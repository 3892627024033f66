"""γ: joint agreement on units and labels by the best alignment; needs the package pygamma-agreement."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from typing import Any

import numpy as np

from core.agreement.reliability_data import AnnotatedDocument, ReliabilityData, only_label
from core.agreement.result import NO_UNITS, NOT_INSTALLED, NOTHING_SHARED, Result
from core.runtime import optional_packages

MOST_DOCUMENTS = 30  # alignment is a search: a document of 40 spans by 3 people takes seconds
SAMPLES = 30  # random continua for the expected disorder; the package's own number
POSITION_WEIGHT, CATEGORY_WEIGHT = 3.0, 1.0  # α and β of the combined dissimilarity, as the authors' tool


def is_installed() -> bool:
    """Whether γ can be computed here."""
    return optional_packages.is_installed("pygamma_agreement")


def gamma(
    data: ReliabilityData,
    label: str | None = None,
    annotators: Sequence[int] | None = None,
    *,
    most: int = MOST_DOCUMENTS,
    seed: int = 0,
) -> Result:
    """``γ = 1 − δ(best alignment) / δ_e``, the mean over documents weighted by their units.

    Mathet, Widlöcher and Métivier, The unified and holistic method gamma (γ) for inter-annotator agreement
    measure and alignment, Computational Linguistics 41 (2015), equation 9 (section 4.5), as the package
    pygamma-agreement computes it (combined dissimilarity, α = 3, β = 1). γ is defined for one continuum; here
    each document is one, and at most ``most`` of them, evenly spaced, are aligned. Documents in which fewer
    than two people marked anything have no alignment and are left out.

    Args:
        label: restricts the spans. annotators: indices of those to include; None for all.
    """
    if not is_installed():
        return Result(None, NOT_INSTALLED)
    names = data.annotators if annotators is None else [data.annotators[place] for place in annotators]
    shared = [document for document in data.shared if sum(name in document.versions for name in names) > 1]
    if not shared:
        return Result(None, NOTHING_SHARED)
    usable = [versions for document in shared if (versions := _marked(document, names, label)) is not None]
    if not usable:
        return Result(None, NO_UNITS)
    step = max(1.0, len(usable) / most)
    chosen = [usable[int(at * step)] for at in range(min(most, len(usable)))]
    values, weights = [], []
    with _seeded(seed):
        for versions in chosen:
            values.append(_of_document(versions))
            weights.append(sum(len(spans) for spans in versions.values()))
    return Result(float(np.average(values, weights=weights)))


def _marked(
    document: AnnotatedDocument, names: Sequence[str], label: str | None
) -> dict[str, list[Any]] | None:
    """The spans of those who marked anything; None if fewer than two people did."""
    versions = {name: only_label(document.versions.get(name, ()), label) for name in names}
    marked = {name: spans for name, spans in versions.items() if spans}
    return marked if len(marked) > 1 else None


def _of_document(versions: dict[str, list[Any]]) -> float:
    package = import_module("pygamma_agreement")
    segment = import_module("pyannote.core").Segment
    continuum = package.Continuum()
    for name, spans in versions.items():
        for span in spans:
            continuum.add(name, segment(span.start, span.end), span.label)
    dissimilarity = package.CombinedCategoricalDissimilarity(alpha=POSITION_WEIGHT, beta=CATEGORY_WEIGHT)
    return float(continuum.compute_gamma(dissimilarity, n_samples=SAMPLES).gamma)


@contextmanager
def _seeded(seed: int) -> Iterator[None]:
    """Seed numpy's global generator, which the package uses, and silence its warnings on the root logger."""
    state, level = np.random.get_state(), logging.getLogger().level
    np.random.seed(seed)
    logging.getLogger().setLevel(logging.ERROR)
    try:
        yield
    finally:
        np.random.set_state(state)
        logging.getLogger().setLevel(level)
