"""Linear probes: what a linear classifier can read from a layer's states (Alain and Bengio, 2016).

A high accuracy only shows that a layer encodes something linearly, not that the tagger uses it. The control
task measures how much the probe memorises (Hewitt and Liang, EMNLP 2019): every character type gets a random
label, drawn with the frequencies of the real ones, and the same probe learns these. Selectivity is the
accuracy on the task minus that on its control.
"""

from __future__ import annotations

import random
import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from core.runtime.message import ToldValueError
from core.text import Document
from core.text.outermost import outermost

OUTSIDE = "O"
LATIN, NOT_A_WORD = "eng", "x"  # two of jieba's tags
MOST_STEPS = 200


@dataclass(frozen=True, slots=True)
class ProbeScore:
    """Scores of a probe on held-out characters.

    Args:
        accuracy: share of correct ones. macro_f1: mean F1 of the classes that occur there.
        majority: accuracy of the most frequent training class.
    """

    accuracy: float
    macro_f1: float
    majority: float


def entity_labels(documents: Sequence[Document]) -> list[str]:
    """The label of the outermost span over every character, ``O`` outside, documents in order."""
    labels: list[str] = []
    for document in documents:
        row = [OUTSIDE] * len(document.text)
        for span in outermost(document.spans)[0]:
            row[span.start : span.end] = [span.label] * len(span)
        labels += row
    return labels


def parts_of_speech(documents: Sequence[Document]) -> list[str]:
    """The part of speech, by jieba, of the word that each character is in.

    Only the main class, a tag's first letter (``n`` noun, ``v`` verb, ``a`` adjective, …), as the finer
    classes of names would be entity types. The tags are automatic, not hand-made.
    """
    import jieba
    import jieba.posseg

    jieba.setLogLevel(60)
    tags: list[str] = []
    for document in documents:
        row, at = [NOT_A_WORD] * len(document.text), 0
        for word, flag in jieba.posseg.cut(document.text):
            at = document.text.index(word, at)
            main = flag if flag == LATIN else flag[:1]
            row[at : at + len(word)] = [main] * len(word)
            at += len(word)
        tags += row
    return tags


def control_labels(
    characters: Sequence[str], labels: Sequence[str], others: Sequence[str], *, seed: int = 0
) -> tuple[list[str], list[str]]:
    """Control task labels of training and held-out characters: one random label for every type.

    Args:
        characters, labels: of training; random labels are drawn from these. others: held-out characters.
    """
    # Seeding by text is defined by hashing, so the draw is the same on every platform and version.
    draw = random.Random(f"control {seed}")  # noqa: S311 - an experiment, not a secret
    of_type = {character: draw.choice(labels) for character in sorted({*characters, *others})}
    return [of_type[character] for character in characters], [of_type[character] for character in others]


def probe(
    train: np.ndarray,
    labels: Sequence[str],
    held_out: np.ndarray,
    expected: Sequence[str],
    *,
    seed: int = 0,
) -> ProbeScore:
    """Fit multinomial logistic regression on standardised states and score it.

    Args:
        train, held_out: states, ``[N, D]`` and ``[M, D]``. labels, expected: their classes.

    Raises:
        ValueError: a side is empty.
    """
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.linear_model import LogisticRegression
    from sklearn.preprocessing import StandardScaler

    if not len(train) or not len(held_out):
        raise ToldValueError("a probe needs characters to learn from and characters to be scored on")
    gold = np.asarray(expected)
    values, counts = np.unique(labels, return_counts=True)
    most_frequent = values[counts.argmax()]
    if len(values) == 1:  # nothing to classify
        said = np.full(len(gold), most_frequent)
    else:
        scaler = StandardScaler().fit(train)
        model = LogisticRegression(max_iter=MOST_STEPS, tol=1e-3, random_state=seed)
        with warnings.catch_warnings():
            # Every layer gets the same number of steps, converged or not.
            warnings.simplefilter("ignore", ConvergenceWarning)
            model.fit(scaler.transform(train), np.asarray(labels))
        said = model.predict(scaler.transform(held_out))
    return ProbeScore(
        float((said == gold).mean()), macro_f1(gold, said), float((gold == most_frequent).mean())
    )


def macro_f1(gold: np.ndarray, said: np.ndarray) -> float:
    """Mean F1 over the classes of ``gold``; classes never predicted count 0."""
    scores = []
    for value in np.unique(gold):
        right = int(((gold == value) & (said == value)).sum())
        scores.append(2 * right / int((gold == value).sum() + (said == value).sum()))
    return float(np.mean(scores)) if scores else 0.0
