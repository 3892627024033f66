"""All agreement measures: over all annotators, by pair, by label."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from core.agreement.alpha import nominal_alpha
from core.agreement.characters import characters
from core.agreement.gamma import gamma
from core.agreement.kappa import cohen_kappa, fleiss_kappa
from core.agreement.links import has_links, link_agreement
from core.agreement.reliability_data import ReliabilityData
from core.agreement.result import ONE_ANNOTATOR, Result
from core.agreement.span_f1 import SpanMatches, span_f1
from core.agreement.tallies import RESAMPLES, Resampling, Tallies
from core.agreement.unitized_alpha import Units, unitized_alpha

MEASURES = (
    "span_f1", "span_f1_relaxed", "cohen_kappa", "fleiss_kappa", "alpha", "alpha_u", "links", "gamma",
)  # fmt: skip
Pair = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Row:
    """One coefficient.

    Args:
        measure: of `MEASURES`. annotators: those compared. label: None for all labels together.
        documents: number of documents annotated by at least two of them.
    """

    measure: str
    annotators: tuple[str, ...]
    label: str | None
    documents: int
    result: Result

    def to_json(self) -> dict[str, object]:
        """One flat object."""
        about = {
            "measure": self.measure,
            "annotators": list(self.annotators),
            "label": self.label,
            "documents": self.documents,
        }
        return about | self.result.to_json()


@dataclass(frozen=True)
class AgreementReport:
    """All coefficients, first of all annotators, then by pair; all labels together before each label.

    Args:
        annotators, labels: as in the data. documents: number annotated by at least two people.
    """

    annotators: tuple[str, ...]
    labels: tuple[str, ...]
    documents: int
    rows: tuple[Row, ...]
    resamples: int = RESAMPLES
    seed: int = 0
    _index: dict[tuple[str, tuple[str, ...], str | None], Result] = field(
        default_factory=dict, init=False, repr=False
    )

    def __post_init__(self) -> None:
        self._index.update({(row.measure, row.annotators, row.label): row.result for row in self.rows})

    def result(
        self, measure: str, annotators: Sequence[str] | None = None, label: str | None = None
    ) -> Result | None:
        """One coefficient, of all annotators if ``annotators`` is None; None if it was not computed."""
        return self._index.get((measure, tuple(self.annotators if annotators is None else annotators), label))


def agreement(
    data: ReliabilityData,
    *,
    resamples: int = RESAMPLES,
    seed: int = 0,
    with_gamma: bool = False,
    progress: Callable[[int], None] = lambda done: None,
) -> AgreementReport:
    """The report on ``data``; intervals are bootstrapped over documents (0 resamples: none).

    Args:
        with_gamma: also compute γ over all annotators, for all labels and by label; it can take minutes.
        progress: called with the number of resamples done; what it raises ends the work.
    """
    planned = list(_planned(data))
    drawn = Resampling(len(data.shared), resamples, seed).intervals(
        [plan.tallies for plan in planned], progress
    )
    rows = [plan.row(data, interval) for plan, interval in zip(planned, drawn, strict=True)]
    if with_gamma:
        for label in (None, *data.labels):
            result = _with_annotator_reason(data, gamma(data, label, seed=seed))
            rows.append(Row("gamma", data.annotators, label, len(data.shared), result))
    return AgreementReport(data.annotators, data.labels, len(data.shared), tuple(rows), resamples, seed)


@dataclass(frozen=True, slots=True)
class _Planned:
    """A coefficient before its interval is computed; ``pair`` is None for all annotators."""

    measure: str
    pair: Pair | None
    label: str | None
    tallies: Tallies

    def row(self, data: ReliabilityData, interval: tuple[float, float] | None) -> Row:
        everybody = self.pair is None
        names = data.annotators if everybody else tuple(data.annotators[place] for place in self.pair or ())
        documents = len(data.shared) if self.pair is None else data.shared_by(*self.pair)
        result = _with_annotator_reason(data, self.tallies.result(interval))
        return Row(self.measure, names, self.label, documents, result)


def _planned(data: ReliabilityData) -> Iterator[_Planned]:
    matches, categories, units = SpanMatches.of(data), characters(data), Units.of(data)
    everything, linked = range(len(data.pairs)), has_links(data)
    for label in (None, *data.labels):
        yield _Planned("span_f1", None, label, span_f1(matches, everything, label))
        yield _Planned("span_f1_relaxed", None, label, span_f1(matches, everything, label, relaxed=True))
        yield _Planned("fleiss_kappa", None, label, fleiss_kappa(categories, label))
        yield _Planned("alpha", None, label, nominal_alpha(categories, label))
        yield _Planned("alpha_u", None, label, unitized_alpha(units, label))
        if linked:
            yield _Planned("links", None, label, link_agreement(data, everything, label))
    for place, pair in enumerate(data.pairs):
        for label in (None, *data.labels):
            yield _Planned("cohen_kappa", pair, label, cohen_kappa(categories, *pair, label))
            if len(data.annotators) == 2:
                continue  # the only pair is all annotators
            yield _Planned("span_f1", pair, label, span_f1(matches, [place], label))
            yield _Planned("span_f1_relaxed", pair, label, span_f1(matches, [place], label, relaxed=True))
            yield _Planned("alpha", pair, label, nominal_alpha(categories, label, pair))
            yield _Planned("alpha_u", pair, label, unitized_alpha(units, label, pair))
            if linked:
                yield _Planned("links", pair, label, link_agreement(data, [place], label))


def _with_annotator_reason(data: ReliabilityData, result: Result) -> Result:
    """The result, with too few annotators as the reason in preference to others."""
    return Result(None, ONE_ANNOTATOR) if len(data.annotators) < 2 and result.value is None else result
