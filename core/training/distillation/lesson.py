"""What a student learns from its teacher: tag probabilities of texts, computed once and kept with the run."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import load, save
from torch import Tensor

from core.corpus.atomic import write_bytes
from core.taggers.base.model_folder import read_header
from core.taggers.base.tagger import Batch
from core.taggers.sequence.tagger import SequenceTagger
from core.text import Document
from core.text.tokens import TOKENS
from core.training.batches import split_batch
from core.training.distillation.settings import DistillationSettings
from core.training.distillation.teacher import Teacher
from core.training.run.errors import TrainingError
from core.training.settings import TrainingSettings
from core.training.stopping import Stopped

LABELS = "labels"  # the teacher's, in the file of its answers


class Lesson:
    """The teacher's tag probabilities on the documents of a training.

    Args:
        documents: those that are learned, raw ones too. tables: of each, ``[T, K]``; 0 where the teacher
            was not asked, so that nothing is learned from it there.
        settings: how the teacher is listened to.
        unknown: the tags, by number, of labels that the teacher does not know: to it they are no span.
    """

    def __init__(
        self,
        documents: Sequence[Document],
        tables: Sequence[Tensor],
        settings: DistillationSettings,
        unknown: Sequence[int] = (),
    ) -> None:
        self.share, self.temperature = settings.share, settings.temperature
        self.unknown = tuple(unknown)
        # Tables belong to texts: a batch may be made of any of the documents.
        self._tables = {_key(document): table for document, table in zip(documents, tables, strict=True)}
        digest = hashlib.sha256()
        for table in tables:
            digest.update(table.contiguous().numpy().tobytes())
        self._digest = digest.hexdigest()

    def of(self, batch: Batch, length: int) -> Tensor:
        """The probabilities at the units of a batch, ``[B, length, K]``, 0 at padding and where the teacher
        was not asked.

        Raises:
            KeyError: a text is not one of the training.
        """
        tables = [self._tables[_key(document)] for document in batch.documents]
        padded = torch.zeros(len(tables), length, tables[0].shape[1])
        for row, table in zip(padded, tables, strict=True):
            row[: len(table)] = table
        return padded

    def plan(self) -> dict[str, object]:
        """What must not change when the training is resumed, as JSON."""
        plan = {"share": self.share, "temperature": self.temperature, "teacher": self._digest}
        return {**plan, "unknown": list(self.unknown)} if self.unknown else plan


def teach(
    teacher: Teacher,
    documents: Sequence[Document],
    training: TrainingSettings,
    should_stop: Callable[[], bool],
) -> list[Tensor]:
    """The teacher's answers, ``[T, K]`` each, in the order of the documents.

    Raises:
        Stopped: on request.
    """
    costs = [teacher.tagger.cost(document) for document in documents]
    answers: dict[int, Tensor] = {}
    for batch in split_batch(
        range(len(documents)), costs, size=training.batch_size, area=training.batch_area
    ):
        if should_stop():
            raise Stopped
        tables = teacher.marginals([documents[index] for index in batch])
        answers.update(zip(batch, tables, strict=True))
    return [answers[index] for index in range(len(documents))]


def labels_of(path: Path, settings: DistillationSettings) -> tuple[str, ...]:
    """The labels of the teacher: those kept with its answers, or else those of its model folder.

    Args:
        path: where its answers are, or will be, kept.

    Raises:
        TrainingError: the answers are damaged. ModelFolderError: the teacher cannot be read.
    """
    if not path.exists():
        return read_header(Path(settings.model)).labels
    try:
        with safe_open(path, framework="pt") as file:
            return tuple(json.loads(file.metadata()[LABELS]))
    except (SafetensorError, OSError, KeyError, TypeError, ValueError) as error:
        raise _damaged(path) from error


def write_answers(path: Path, tables: Sequence[Tensor], labels: Sequence[str]) -> None:
    """Keep the answers of ``teach``, whole or not at all, with the labels of the teacher.

    Raises:
        DiskFullError: nothing was written.
    """
    lengths = torch.tensor([len(table) for table in tables], dtype=torch.int64)
    answers = {"lengths": lengths, "marginals": torch.cat(list(tables)).contiguous()}
    write_bytes(path, [save(answers, {LABELS: json.dumps(list(labels))})])


def read_answers(path: Path, documents: Sequence[Document], student: SequenceTagger) -> list[Tensor]:
    """What ``write_answers`` kept.

    Raises:
        TrainingError: the file is damaged, or of other documents.
    """
    try:
        kept: Mapping[str, Tensor] = load(path.read_bytes())
        lengths, marginals = kept["lengths"].tolist(), kept["marginals"]
    except (SafetensorError, OSError, KeyError) as error:
        raise _damaged(path) from error
    expected = [len(student.units(document)) for document in documents]
    if lengths != expected or marginals.shape != (sum(expected), len(student.decoder.tags)):
        raise _damaged(path)
    return list(marginals.split(lengths))


def _damaged(path: Path) -> TrainingError:
    return TrainingError(
        "{path} does not hold the teacher's answers on these documents; delete it and resume the run, which "
        "asks the teacher again",
        path=path,
    )


def _key(document: Document) -> tuple[str, str]:
    # Tokens of an import may cut equal texts into other words.
    return document.text, repr(document.meta.get(TOKENS))
