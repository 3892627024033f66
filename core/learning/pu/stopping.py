"""Chooses the best epoch from positives and raw text alone, without labelled documents."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from core.taggers.base.tagger import Tagger
from core.taggers.base.tagging import tag
from core.text import Document
from core.text.annotated_regions import annotated_regions

Judge = Callable[[Tagger], float]
MOST_TEXTS = 400  # tagged after every epoch; more could take longer than the epoch


def lee_liu(recall: float, positive_share: float) -> float:
    """``r^2 / Pr[f(x) = 1]``: large if both recall and precision are.

    Lee and Liu, "Learning with Positive and Unlabeled Examples Using Weighted Logistic Regression", ICML
    2003, section 4. As precision is ``r Pr[y = 1] / Pr[f(x) = 1]``, it is recall times precision divided by
    the unknown constant ``Pr[y = 1]``, so it orders classifiers like their geometric mean; 0 if nothing is
    predicted.
    """
    return recall * recall / positive_share if positive_share > 0 else 0.0


def zero_one_risk(prior: float, recall: float, positive_share: float) -> float:
    """The error rate, from positives and unlabelled: ``2 pi (1 - r) + Pr[f(x) = 1] - pi``.

    The unbiased risk of du Plessis et al. (NIPS 2014, eq. 3) with the zero-one loss: misses are
    ``pi (1 - r)``, false positives ``Pr[f(x) = 1] - pi r``.

    Args:
        recall: r, share of positives found. positive_share: ``Pr[f(x) = 1]``.
    """
    return prior * (1 - recall) + positive_share - prior * recall


@dataclass(frozen=True, slots=True)
class HeldOut:
    """Texts with held-out positives.

    Args:
        documents: the texts; their spans are the positives.
    """

    documents: tuple[Document, ...]

    def rates(self, tagger: Tagger) -> dict[str, tuple[float, float]]:
        """By type: recall on the positives' characters, and the share of all characters predicted."""
        total = sum(len(document.text) for document in self.documents)
        answers = tag(tagger, [document.with_spans(()) for document in self.documents])
        positive: dict[str, int] = {}
        hit: dict[str, int] = {}
        every: dict[str, int] = {}
        for document, answer in zip(self.documents, answers, strict=True):
            said = {at: span.label for span in answer.spans for at in range(span.start, span.end)}
            for label in said.values():
                every[label] = every.get(label, 0) + 1
            for span in document.spans:
                positive[span.label] = positive.get(span.label, 0) + len(span)
                right = sum(said.get(at) == span.label for at in range(span.start, span.end))
                hit[span.label] = hit.get(span.label, 0) + right
        return {label: (hit[label] / count, every.get(label, 0) / total) for label, count in positive.items()}


def by_held_out_words(held: HeldOut) -> Judge:
    """Mean of `lee_liu` over the types, on words removed from the training labels.

    Held-out *occurrences* of learned words would say nothing, as these are memorised. Recall is over the
    characters of the held-out words. Types are weighted by that number of characters, in place of the unknown
    ``Pr[y = 1]``; otherwise the rarest would dominate.
    """
    weights: dict[str, int] = {}
    for document in held.documents:
        for span in document.spans:
            weights[span.label] = weights.get(span.label, 0) + len(span)
    total = sum(len(document.text) for document in held.documents)

    def judge(tagger: Tagger) -> float:
        rates = held.rates(tagger)
        marks = [weights[label] / total * lee_liu(*shares) for label, shares in rates.items()]
        return sum(marks) / len(marks) if marks else 0.0

    return judge


def by_risk(held: HeldOut, priors: Mapping[str, float]) -> Judge:
    """Minus the mean of `zero_one_risk` over the types, on texts removed from the training."""

    def judge(tagger: Tagger) -> float:
        rates = held.rates(tagger)
        risks = [zero_one_risk(priors[label], *shares) for label, shares in rates.items() if label in priors]
        return -sum(risks) / len(risks) if risks else 0.0

    return judge


def choose_words(documents: Sequence[Document], share: float, seed: int) -> frozenset[tuple[str, str]]:
    """A random ``share``, for each type, of the words labelled outside annotated regions, with their types.

    Types with fewer than five words are left out.
    """
    words: dict[str, set[str]] = {}
    for document in documents:
        if annotated_regions(document) is not None:
            for span in document.spans:
                words.setdefault(span.label, set()).add(document.text[span.start : span.end])
    chance = random.Random(f"held-out words {seed}")  # noqa: S311 - a sample, not a secret
    chosen = set()
    for label in sorted(words):
        of_label = sorted(words[label])
        if len(of_label) >= 5:
            chosen |= {
                (word, label) for word in chance.sample(of_label, max(1, round(share * len(of_label))))
            }
    return frozenset(chosen)


def texts_with(
    documents: Sequence[Document], surfaces: frozenset[tuple[str, str]], seed: int
) -> tuple[Document, ...]:
    """A sample of the texts with only those words as spans; up to half of it are texts with any."""
    marked = [
        document.with_spans(
            span for span in document.spans if (document.text[span.start : span.end], span.label) in surfaces
        )
        for document in documents
    ]
    chance = random.Random(f"held-out texts {seed}")  # noqa: S311 - a sample, not a secret
    chosen = [
        chance.sample(group, min(len(group), MOST_TEXTS // 2))
        for group in ([d for d in marked if d.spans], [d for d in marked if not d.spans])
    ]
    return tuple(chosen[0] + chosen[1])
