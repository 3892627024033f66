"""What a distilled training needs besides an ordinary one: labels, documents and the teacher's answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import torch

from core.runtime.message import ngettext
from core.taggers.base.model_folder import load_tagger, read_header
from core.taggers.base.tagger import Tagger
from core.taggers.sequence.tagger import SequenceTagger
from core.text import Document
from core.text.annotated_regions import REGIONS
from core.training.distillation.lesson import Lesson, labels_of, read_answers, teach, write_answers
from core.training.distillation.settings import DistillationSettings
from core.training.distillation.teacher import Teacher, check_labels, table_of_spans
from core.training.processes import Processes
from core.training.run.errors import TrainingError
from core.training.run.run_folder import RunFolder
from core.training.settings import TrainingSettings


def check_student(kind: type[Tagger]) -> None:
    """Refuse a tagger that cannot learn from a teacher.

    Raises:
        TrainingError: it has no tag per unit.
    """
    if not issubclass(kind, SequenceTagger):
        raise TrainingError(
            "{title} cannot learn from a teacher, because it gives no tag to each unit; choose bilstm_crf, "
            "flat or another tagger that does",
            title=kind.title,
        )


def check_taught(teacher: Mapping[str, Any], documents: Sequence[Document]) -> None:
    """Refuse training documents with a label that the teacher does not know.

    Args:
        teacher: as in the request.

    Raises:
        TrainingError: naming the labels. ModelFolderError: the teacher cannot be read.
    """
    settings = DistillationSettings.from_values(teacher)
    if settings.source:
        return  # it may know some of the labels only
    learned = sorted({span.label for document in documents for span in document.spans})
    check_labels(read_header(Path(settings.model)).labels, learned)


def taught_labels(
    folder: RunFolder, kind: type[Tagger], learned: Sequence[str], teacher: Mapping[str, Any]
) -> tuple[str, ...]:
    """The labels of the student: those of the teacher, in its order, or of the training spans and then of
    the source.

    Args:
        kind: of the student. learned: labels of the training spans. teacher: as in the request.

    Raises:
        TrainingError: the student gives no tags, a value of ``teacher`` does not fit, or the teacher lacks
            one of ``learned``. ModelFolderError: the teacher cannot be read.
    """
    check_student(kind)
    settings = DistillationSettings.from_values(teacher)
    if settings.source:
        return tuple(dict.fromkeys((*learned, *settings.source_labels)))
    labels = labels_of(folder.teacher_file, settings)
    check_labels(labels, learned)
    return labels


def taught_documents(labelled: Sequence[Document], raw: Sequence[Document]) -> tuple[Document, ...]:
    """The labelled documents, then the raw texts without labels, on which the teacher alone is followed."""
    texts = (Document(text.id, text.text, (), {**text.meta, REGIONS: []}) for text in raw)
    return (*labelled, *texts)


def _lesson_of_source(
    student: SequenceTagger,
    documents: Sequence[Document],
    answers: Sequence[Document],
    settings: DistillationSettings,
    report: Callable[[Mapping[str, Any]], None],
) -> Lesson:
    """What a source said of raw texts; of the labelled documents it was not asked."""
    message = ngettext(
        "Learning from the answers of {source} on {count} raw text.",
        "Learning from the answers of {source} on {count} raw texts.", count=len(answers),
        source=settings.source,
    )  # fmt: skip
    report({"event": "log", "message": message.to_json()})
    labels, tags = settings.source_labels, student.decoder.tags
    spans = {answer.text: [span for span in answer.spans if span.label in labels] for answer in answers}
    tables = [
        table_of_spans(student, document, spans[document.text])
        if document.text in spans
        else torch.zeros(len(student.units(document)), len(tags))
        for document in documents
    ]
    unknown = [row for row, tag in enumerate(tags) if row and tag.partition("-")[2] not in labels]
    return Lesson(documents, tables, settings, unknown)


def prepare_lesson(
    folder: RunFolder,
    student: SequenceTagger,
    documents: Sequence[Document],
    answers: Sequence[Document],
    teacher: Mapping[str, Any],
    training: TrainingSettings,
    device: torch.device,
    report: Callable[[Mapping[str, Any]], None],
    should_stop: Callable[[], bool],
    processes: Processes,
) -> Lesson:
    """The teacher's answers on the documents, computed once by the main process and kept in the run folder.

    Args:
        answers: of a source, raw texts with what it said as their spans; no tagger is asked then.

    Raises:
        Stopped: on request, before the answers are kept. TrainingError: those kept are damaged, or the
            teacher does not fit. ModelFolderError: the teacher cannot be read.
    """
    settings = DistillationSettings.from_values(teacher)
    if settings.source:
        return _lesson_of_source(
            student, documents, answers, settings, report if processes.main else lambda event: None
        )
    if processes.main and not folder.teacher_file.exists():
        message = ngettext(
            "The teacher reads {count} text.", "The teacher reads {count} texts.", count=len(documents)
        )
        report({"event": "log", "message": message.to_json()})
        tagger = load_tagger(Path(settings.model)).to(device)
        tables = teach(Teacher(tagger, student), documents, training, should_stop)
        write_answers(folder.teacher_file, tables, tagger.labels)
    processes.wait()
    return Lesson(documents, read_answers(folder.teacher_file, documents, student), settings)
