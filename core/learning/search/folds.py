"""The documents that trials learn from and are scored on."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from core.corpus.snapshot import Snapshot
from core.runtime.message import Message, _, ngettext
from core.text import Document
from core.training.run.errors import TrainingError

LEAST_DEV_SPANS = 200  # an F1 of 80 on fewer has a 95% interval wider than ±5 points
FOLDS, FOLDS_OF_MANY = 5, 3
MANY_SPANS = 1500  # with so many, three folds score settings as surely as five


@dataclass(frozen=True, slots=True)
class Fold:
    """One split.

    Args:
        train: to learn from. dev: chooses the epoch and is scored.
    """

    train: tuple[Document, ...]
    dev: tuple[Document, ...]


@dataclass(frozen=True, slots=True)
class SearchCorpus:
    """What a search reads of a project, never its test documents.

    Args:
        folds: one with the given dev documents, or several of a cross-validation.
        notes: what a person should know about them.
    """

    folds: tuple[Fold, ...]
    notes: tuple[Message, ...]

    @property
    def crossed(self) -> bool:
        """Whether it is a cross-validation."""
        return len(self.folds) > 1

    @property
    def documents(self) -> list[Document]:
        """Training and dev documents, each once."""
        first = self.folds[0]
        return [*first.train, *first.dev]


def search_corpus(snapshot: Snapshot, seed: int) -> SearchCorpus:
    """The folds for these training and dev documents; a dev set with too few spans joins the training ones.

    Raises:
        TrainingError: fewer than two different texts have a labelled span, so nothing can be scored.
    """
    train, dev = snapshot["train"], snapshot["dev"]
    dev_spans = sum(len(document.spans) for document in dev)
    whole = [*train, *dev]
    labelled = {document.text for document in whole if document.spans}
    if not any(document.spans for document in train) or len(labelled) < 2:
        raise TrainingError(
            "the search needs training documents with labelled spans in at least two different texts, and "
            "has {count}: it learns from one part and scores on the other. Label more first",
            count=len(labelled),
        )
    notes = _rare_labels(whole)
    if dev_spans >= LEAST_DEV_SPANS:
        return SearchCorpus((Fold(train, dev),), tuple(notes))
    folds = _folds(whole, seed)
    why = (
        _("Dev has {spans} spans, too few to tell settings apart.", spans=dev_spans)
        if dev
        else _("There are no dev documents.")
    )
    notes.insert(
        0,
        _(
            "{why} Every trial is a {folds}-fold cross-validation over {documents} documents.",
            why=why,
            folds=len(folds),
            documents=len(whole),
        ),
    )
    return SearchCorpus(folds, tuple(notes))


def _folds(documents: Sequence[Document], seed: int) -> tuple[Fold, ...]:
    """Folds that share no text, with the texts with spans spread evenly."""
    by_text: dict[str, list[Document]] = {}
    for document in documents:
        by_text.setdefault(document.text, []).append(document)
    groups = list(by_text.values())
    # Seeding by text is defined by hashing, so the folds are the same on every platform and version.
    random.Random(f"folds {seed}").shuffle(groups)  # noqa: S311
    groups.sort(key=lambda group: not any(document.spans for document in group))  # stable
    labelled = sum(any(document.spans for document in group) for group in groups)
    spans = sum(len(document.spans) for document in documents)
    count = min(FOLDS_OF_MANY if spans >= MANY_SPANS else FOLDS, labelled)
    folds = []
    for held in range(count):
        dev = [document for at, group in enumerate(groups) if at % count == held for document in group]
        train = [document for at, group in enumerate(groups) if at % count != held for document in group]
        folds.append(Fold(tuple(train), tuple(dev)))
    return tuple(folds)


def _rare_labels(documents: Sequence[Document]) -> list[Message]:
    counts = Counter(span.label for document in documents for span in document.spans)
    once = sorted(label for label, count in counts.items() if count == 1)
    if not once:
        return []
    note = ngettext(
        "{count} label has one span only, which cannot be both learned and scored: {names}.",
        "{count} labels have one span only, which cannot be both learned and scored: {names}.",
        names=once,
    )
    return [note.with_values(count=len(once))]
