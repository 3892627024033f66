"""The tags that a trained tagger gives each unit of a text, as probabilities."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch
from torch import Tensor

from core.taggers.base.tagger import Batch, Tagger
from core.taggers.base.tagging import tag
from core.taggers.ensemble.batch import EnsembleBatch
from core.taggers.ensemble.mean_tags import MeanTags
from core.taggers.ensemble.tagger import Ensemble
from core.taggers.sequence.tagger import SequenceTagger
from core.text import Document, Span
from core.text.tag_schemes import SCHEMES
from core.text.units import in_units
from core.training.run.errors import TrainingError


def check_labels(teacher: Sequence[str], learned: Sequence[str]) -> None:
    """Check that a teacher with these labels knows those of the training documents.

    Raises:
        TrainingError: naming the labels it does not know.
    """
    unknown = [label for label in learned if label not in teacher]
    if unknown:
        raise TrainingError(
            "the teacher does not know the labels {labels} of the training documents; train it on documents "
            "that have them, or choose another teacher",
            labels=unknown,
        )


class Teacher:
    """Gives tag probabilities in the units and tags of a student.

    A tagger with one tag per unit, or an ensemble of such, gives the marginals of its tags, if it cuts the
    text into the student's units; their tag schemes may differ. Any other gives those of its prediction: in
    a predicted span of probability p, each unit has the span's tag with p and no span with 1 - p.

    Args:
        tagger: trained, on its device. student: what is to learn from it.

    Raises:
        TrainingError: it lacks a label of the student.
    """

    def __init__(self, tagger: Tagger, student: SequenceTagger) -> None:
        check_labels(tagger.labels, student.labels)
        self.tagger, self.student = tagger.eval(), student
        # The teacher's tags as the student spells them: all schemes list the same roles in the same order.
        spelt = SCHEMES[student.decoder.scheme].tags(tagger.labels)
        self._columns = [spelt.index(name) for name in student.decoder.tags]

    @torch.no_grad()
    def marginals(self, documents: Sequence[Document]) -> list[Tensor]:
        """The probability of every tag of the student at every unit, of each document ``[T, K]`` on the CPU.

        Rows sum to 1. What the teacher gives to labels that the student lacks counts as no span.

        Args:
            documents: short enough for one batch.
        """
        own = [self.student.units(document) for document in documents]
        theirs = [self.tagger.units(document) for document in documents]
        same = [
            (list(a.starts), list(a.ends)) == (list(b.starts), list(b.ends))
            for a, b in zip(own, theirs, strict=True)
        ]
        read = _reader(self.tagger)
        if read is None or not all(same):
            return self._of_spans(documents)
        batch = self.tagger.collate([document.with_spans(()) for document in documents])
        tables = read(batch.to(self.tagger.device))[..., self._columns].float().cpu()
        tables[..., 0] += 1 - tables.sum(-1)
        return [table[: len(units)].clamp(min=0.0) for table, units in zip(tables, own, strict=True)]

    def _of_spans(self, documents: Sequence[Document]) -> list[Tensor]:
        found = tag(self.tagger, [document.with_spans(()) for document in documents])
        return [
            table_of_spans(self.student, document, answered.spans)
            for document, answered in zip(documents, found, strict=True)
        ]


def table_of_spans(student: SequenceTagger, document: Document, spans: Sequence[Span]) -> Tensor:
    """Probabilities of the student's tags from spans with or without a confidence, ``[T, K]``.

    A unit in a span of confidence p has the span's tag with p and no span with 1 - p: a soft label, which
    counts as much as the teacher is sure. A span without a confidence has p = 1, a hard label. Of spans that
    overlap the outermost counts.
    """
    decoder, units = student.decoder, student.units(document)
    table = torch.zeros(len(units), len(decoder.tags))
    table[:, 0] = 1.0
    for span in in_units(units, spans)[0]:
        if span.label in student.labels:
            chance = 1.0 if span.score is None else span.score
            rows = torch.arange(span.start, span.end)
            tags = decoder.encode([span], len(units))[span.start : span.end]
            table[rows, 0] = 1 - chance
            table[rows, torch.tensor(tags)] = chance
    return table


def _reader(tagger: Tagger) -> Callable[[Batch], Tensor] | None:
    """What reads tag marginals ``[B, T, K]`` off a batch; None for a tagger without tags."""
    if isinstance(tagger, SequenceTagger):

        def read(batch: Batch) -> Tensor:
            checked = tagger.check_batch(batch)
            return tagger.crf.marginals(tagger.emissions(checked), checked.mask, tagger.decoder.constraints)

        return read
    average = tagger.average if isinstance(tagger, Ensemble) else None
    if isinstance(average, MeanTags):

        def read_mean(batch: Batch) -> Tensor:
            assert isinstance(batch, EnsembleBatch)
            return average.marginals(batch.members)

        return read_mean
    return None
