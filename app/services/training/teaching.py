"""The teacher of a training run: an earlier run of the project, or a source of suggestions."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from app.services.errors import AppError
from core.sources import ASKED_FOR, SourceSettings
from core.store import Workspace
from core.store.label import labels
from core.store.run import runs, snapshot
from core.store.run.runs import Run
from core.store.suggest import sources
from core.store.suggest.sources import StoredSource


def teaching(
    workspace: Workspace, project_id: int, tagger: str, teacher: Mapping[str, Any]
) -> tuple[int | None, dict[str, Any]]:
    """The source that teaches, by number, or None where a run does; and the teacher as in the request.

    Args:
        tagger: registered name of the student. teacher: ``model``, the model folder of a run, or
            ``source``, a source's name; ``share`` and ``temperature``.

    Raises:
        AppError: the teacher is gone, the run does not know a label of the project, or the source has not
            said anything to learn from. TrainingError: the tagger cannot learn from a teacher, or a value
            does not fit. ModelFolderError: the model of the run is damaged.
    """
    from core.taggers.base.registry import by_name
    from core.training.distillation.preparation import check_student

    check_student(by_name(tagger))
    if teacher.get("model"):
        return None, _run_teaching(workspace, project_id, teacher)
    return _source_teaching(workspace, project_id, teacher)


def can_teach(workspace: Workspace, project_id: int) -> list[Run]:
    """The finished runs of the project that have a model, the newest first."""
    from core.taggers.base.model_folder import HEADER

    finished = runs.all_runs(workspace, project_id, "finished")
    return [run for run in reversed(finished) if (run.model_folder / HEADER).is_file()]


def _run_teaching(workspace: Workspace, project_id: int, teacher: Mapping[str, Any]) -> dict[str, Any]:
    from core.taggers.base.model_folder import read_header
    from core.training.distillation.settings import DistillationSettings

    folder = Path(teacher["model"])
    taught_by = next((run for run in can_teach(workspace, project_id) if run.model_folder == folder), None)
    if taught_by is None:
        raise AppError("The run from which this one would learn is gone. Choose another teacher, or none.")
    known = read_header(folder).labels
    counts = labels.span_counts(workspace, project_id)
    unknown = [name for name, count in counts.items() if count and name not in known]
    if unknown:
        raise AppError(
            "{run} does not know the labels {labels}, so it cannot teach them. Choose a run that was trained "
            "with them, or no teacher.",
            run=taught_by.title,
            labels=unknown,
        )
    return DistillationSettings.from_values(teacher).to_json()


def _source_teaching(
    workspace: Workspace, project_id: int, teacher: Mapping[str, Any]
) -> tuple[int, dict[str, Any]]:
    """What a source can find are the labels of the project that it was asked for, or else those that it gave
    at least once: to find out what else it knows it would have to be loaded."""
    from core.training.distillation.settings import DistillationSettings

    stored = _named(workspace, project_id, str(teacher["source"]))
    settings = SourceSettings.from_json(stored.settings)
    if not snapshot.count_taught(workspace, project_id, stored.id):
        raise AppError(
            "{name} has not been run on any raw document outside dev and test yet. Run it on the raw "
            "documents first, or choose no teacher.",
            name=settings.name,
        )
    names = labels.get(workspace, project_id).names
    given = (
        set(names)
        if settings.kind in ASKED_FOR
        else {
            span.label
            for _id, document in sources.of_source(workspace, project_id, stored.id)
            for span in document.spans
        }
    )
    can_find = [name for name in names if name in given]
    if not can_find:
        raise AppError(
            "{name} found nothing in the raw documents, so there is nothing to learn from it. Try it on a "
            "sentence on the Settings page.",
            name=settings.name,
        )
    values = {**teacher, "source": settings.name, "labels": "\n".join(can_find)}
    return stored.id, DistillationSettings.from_values(values).to_json()


def _named(workspace: Workspace, project_id: int, name: str) -> StoredSource:
    """The source of this name; of several the newest."""
    for stored in reversed(sources.of(workspace, project_id)):
        if stored.settings.get("name") == name:
            return stored
    raise AppError(
        "The source {name}, from which this run would learn, is gone. Add it again on the Settings page, or "
        "start a run without it.",
        name=name,
    )
