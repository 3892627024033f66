"""A source of suggestions as the teacher of a training run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from app.services.errors import AppError
from core.sources import ASKED_FOR, SourceSettings
from core.store import Workspace
from core.store.label import labels
from core.store.run import snapshot
from core.store.suggest import sources
from core.store.suggest.sources import StoredSource


def teaching(
    workspace: Workspace, project_id: int, tagger: str, teacher: Mapping[str, Any]
) -> tuple[int, dict[str, Any]]:
    """The source that teaches, by number, and the teacher as in the request of the run.

    What a source can find are the labels of the project that it was asked for, or else those that it gave at
    least once: to find out what else it knows it would have to be loaded.

    Args:
        tagger: registered name of the student. teacher: ``source``, its name, ``share`` and ``temperature``.

    Raises:
        AppError: the source is gone, or has not said anything to learn from. TrainingError: the tagger cannot
            learn from a teacher, or a value does not fit.
    """
    from core.taggers.base.registry import by_name
    from core.training.distillation.preparation import check_student
    from core.training.distillation.settings import DistillationSettings

    check_student(by_name(tagger))
    stored = _named(workspace, project_id, str(teacher["source"]))
    settings = SourceSettings.from_json(stored.settings)
    if not snapshot.count_taught(workspace, project_id, stored.id):
        raise AppError(
            "{name} has not answered on a raw document outside dev and test yet. Ask it about the raw "
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
