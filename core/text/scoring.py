"""The scorer: precision, recall and F1 over exact spans."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from core.runtime.message import ToldValueError
from core.text.annotated_regions import judged
from core.text.document import Document
from core.text.span import SpanKey


@dataclass(frozen=True, slots=True)
class Score:
    """Counts of exact ``(start, end, label)`` matches and the three ratios they give.

    A ratio whose denominator is zero is 0.0, as in conlleval.
    """

    gold: int
    predicted: int
    correct: int

    @property
    def precision(self) -> float:
        """The share of predicted spans that are correct."""
        return self.correct / self.predicted if self.predicted else 0.0

    @property
    def recall(self) -> float:
        """The share of gold spans that were predicted."""
        return self.correct / self.gold if self.gold else 0.0

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall."""
        total = self.gold + self.predicted
        return 2 * self.correct / total if total else 0.0

    def to_json(self) -> dict[str, float | int]:
        """Counts and ratios under the names that the command line prints."""
        return {
            "precision": self.precision,
            "recall": self.recall,
            "f1": self.f1,
            "gold": self.gold,
            "predicted": self.predicted,
            "correct": self.correct,
        }


@dataclass(frozen=True, slots=True)
class Scores:
    """Micro scores and one score per label, over a number of documents.

    ``malformed`` names how malformed tag sequences were read before scoring.
    """

    micro: Score
    per_label: dict[str, Score] = field(default_factory=dict)
    documents: int = 0
    malformed: str = "discard"

    def to_json(self) -> dict[str, object]:
        """``micro``, ``per_label``, ``documents``, ``gold``, ``predicted`` and ``malformed``."""
        return {
            "micro": self.micro.to_json(),
            "per_label": {label: score.to_json() for label, score in self.per_label.items()},
            "documents": self.documents,
            "gold": self.micro.gold,
            "predicted": self.micro.predicted,
            "malformed": self.malformed,
        }


def score_documents(
    gold: Sequence[Document], predicted: Sequence[Document], malformed: str = "discard"
) -> Scores:
    """Score predictions against gold, document by document.

    If a reference lists its annotated regions, predicted spans outside them do not count.

    Args:
        gold: the reference documents.
        predicted: the same documents in the same order, with predicted spans.
        malformed: how the predictions' tag sequences were read; reported, not applied.

    Raises:
        ValueError: the two differ in number, ids or texts.
        OffsetError: a reference's annotated regions are malformed.
    """
    if len(gold) != len(predicted):
        raise ToldValueError(
            "{gold} gold documents but {predicted} predicted ones", gold=len(gold), predicted=len(predicted)
        )
    in_gold: Counter[str] = Counter()
    in_predicted: Counter[str] = Counter()
    correct: Counter[str] = Counter()
    for reference, prediction in zip(gold, predicted, strict=True):
        if reference.id != prediction.id or reference.text != prediction.text:
            raise ToldValueError(
                "the prediction for document {document} has another id or text: {other}",
                document=repr(reference.id),
                other=repr(prediction.id),
            )
        gold_keys = {span.key for span in reference.spans}
        predicted_keys = {span.key for span in judged(reference, prediction.spans)}
        in_gold.update(_labels(gold_keys))
        in_predicted.update(_labels(predicted_keys))
        correct.update(_labels(gold_keys & predicted_keys))
    labels = sorted(set(in_gold) | set(in_predicted))
    per_label = {label: Score(in_gold[label], in_predicted[label], correct[label]) for label in labels}
    micro = Score(in_gold.total(), in_predicted.total(), correct.total())
    return Scores(micro, per_label, len(gold), malformed)


def _labels(keys: Iterable[SpanKey]) -> Iterable[str]:
    return (label for _, _, label in keys)
