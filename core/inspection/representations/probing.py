"""Linear probes: what a linear classifier can read from a layer's states (Alain and Bengio, 2016).

A probe that does well only says that a layer holds something, in a form a linear model can read. Whether the
tagger uses it is another question. How much of it the probe learned by heart is what its control task tells
(Hewitt and Liang, EMNLP 2019): every character type is given a label at random, drawn as often as the real
labels occur, and the same probe learns those. Selectivity is the accuracy on the task less that on its
control.
"""

from __future__ import annotations

import random
import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from core.text import Document
from core.text.message import ToldValueError
from core.text.outermost import outermost

OUTSIDE = "O"
LATIN, NOT_A_WORD = "eng", "x"  # two of jieba's tags
MOST_STEPS = 200


@dataclass(frozen=True, slots=True)
class ProbeScore:
    """How well a probe did on held-out characters.

    Args:
        accuracy: share that is right. macro_f1: mean F1 of the classes that occur there.
        majority: accuracy of always saying what is most frequent in training.
    """

    accuracy: float
    macro_f1: float
    majority: float


def entity_labels(documents: Sequence[Document]) -> list[str]:
    """The label of the outermost span over every character, ``O`` outside, documents in order."""
    found: list[str] = []
    for document in documents:
        row = [OUTSIDE] * len(document.text)
        for span in outermost(document.spans)[0]:
            row[span.start : span.end] = [span.label] * len(span)
        found += row
    return found


def parts_of_speech(documents: Sequence[Document]) -> list[str]:
    """The part of speech of the word every character is in, as jieba tags the text.

    Only the main class, a tag's first letter (``n`` noun, ``v`` verb, ``a`` adjective, …): the finer classes
    of names would be entity types again. These are a program's tags, not a person's.
    """
    import jieba
    import jieba.posseg

    jieba.setLogLevel(60)
    found: list[str] = []
    for document in documents:
        row, at = [NOT_A_WORD] * len(document.text), 0
        for word, flag in jieba.posseg.cut(document.text):
            at = document.text.index(word, at)
            main = flag if flag == LATIN else flag[:1]
            row[at : at + len(word)] = [main] * len(word)
            at += len(word)
        found += row
    return found


def control_labels(
    characters: Sequence[str], labels: Sequence[str], others: Sequence[str], *, seed: int = 0
) -> tuple[list[str], list[str]]:
    """The control task's labels of training characters and of others: one at random for every type.

    Args:
        characters, labels: of training, from whose labels the random ones are drawn. others: held out.
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
        train, held_out: states, ``[N, D]`` and ``[M, D]``. labels, expected: what is to be told of them.

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
    if len(values) == 1:  # nothing to tell apart
        said = np.full(len(gold), most_frequent)
    else:
        scaler = StandardScaler().fit(train)
        model = LogisticRegression(max_iter=MOST_STEPS, tol=1e-3, random_state=seed)
        with warnings.catch_warnings():
            # What has not settled after so many steps is scored as it stands: every layer gets as many.
            warnings.simplefilter("ignore", ConvergenceWarning)
            model.fit(scaler.transform(train), np.asarray(labels))
        said = model.predict(scaler.transform(held_out))
    return ProbeScore(
        float((said == gold).mean()), macro_f1(gold, said), float((gold == most_frequent).mean())
    )


def macro_f1(gold: np.ndarray, said: np.ndarray) -> float:
    """Mean F1 over the classes of ``gold``; a class nobody finds counts 0."""
    scores = []
    for value in np.unique(gold):
        right = int(((gold == value) & (said == value)).sum())
        scores.append(2 * right / int((gold == value).sum() + (said == value).sum()))
    return float(np.mean(scores)) if scores else 0.0
