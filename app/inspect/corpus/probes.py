"""Probes of one or two runs over a project's labelled documents, in the background."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from app.i18n import _
from app.services import in_project
from app.services.background.tasks import Progress, Task
from app.services.errors import AppError
from app.services.session import Session
from core.store.db.payload import HELD_OUT
from core.store.document import documents
from core.text import Document

if TYPE_CHECKING:
    import numpy as np

    from core.inspection.representations.layer_probes import ProbeSample

STEPS = {"reading": _("{run}: reading states"), "probing": _("{run}: probing")}
READ_AT_ONCE = 64  # documents per turn of the shared tagger
READING = 0.3  # rough share of the time spent on reading states
SEED = 0


def probe_runs(session: Session, task: Task[Any], runs: Sequence[str], characters: int) -> None:
    """Add the rows of these runs to ``task``: those of `ProbeRow` with their ``run``.

    Args:
        characters: maximum for training; half as many for scoring.

    Raises:
        AppError: too few labelled documents, or a run without hidden states.
    """
    project_id = session.project_id
    sample = sample_of_project(session, characters)
    for place, run in enumerate(runs):
        progress = _share_of(session, task, run, place, len(runs))
        for row in _rows_of(session, project_id, run, sample, progress):
            task.add({"run": run, **row})


def sample_of_project(session: Session, characters: int) -> ProbeSample:
    """The documents of a probe: dev and test are held out, else a fifth.

    Raises:
        AppError: too few labelled documents.
    """
    from core.inspection.representations.layer_probes import sample_of

    train: list[Document] = []
    held_out: list[Document] = []
    for document in documents.iterate(session.workspace, session.project_id, labelled=True):
        (held_out if document.meta.get("split") in HELD_OUT else train).append(document)
    if not train:
        train, held_out = held_out, []
    sample = sample_of(
        train, held_out, train_characters=characters, held_out_characters=characters // 2, seed=SEED
    )
    if not sample.train or not sample.held_out:
        raise AppError(
            "A probe is trained on labelled documents and scored on others. Label at least two on the "
            "Annotate page."
        )
    return sample


def _rows_of(
    session: Session, project_id: int, run: str, sample: ProbeSample, progress: Progress
) -> Iterator[dict[str, Any]]:
    from core.inspection.representations.layer_probes import LayerProbes

    total, read_so_far = len(sample.train) + len(sample.held_out), 0

    def read(given: Sequence[Document], _device: Any) -> Mapping[str, np.ndarray]:
        nonlocal read_so_far
        parts = []
        for states in _states(session, project_id, run, given):
            progress("reading", READING * read_so_far / total)
            read_so_far = min(total, read_so_far + READ_AT_ONCE)
            parts.append(states)
        return _joined(parts)

    probes = LayerProbes.of(sample, read, seed=SEED)
    if not probes.train:
        raise AppError("{run} is a dictionary and has no hidden states. Choose a trained run above.", run=run)
    layers = list(probes.train)
    progress("probing", READING)
    for number, row in enumerate(probes.rows(), start=1):
        yield {"place": layers.index(row.layer), **row.to_json()}
        progress("probing", READING + (1 - READING) * number / probes.count)


def _states(
    session: Session, project_id: int, run: str, given: Sequence[Document]
) -> Iterator[Mapping[str, np.ndarray]]:
    """The states of all characters; the tagger is released after every few documents."""
    from core.inspection.representations.states import character_states

    for at in range(0, len(given), READ_AT_ONCE):
        with session.workbench.taggers.tagger(project_id, run) as tagger:
            states = character_states(tagger, given[at : at + READ_AT_ONCE])
        yield states


def _joined(parts: Sequence[Mapping[str, np.ndarray]]) -> dict[str, np.ndarray]:
    import numpy as np

    names = list(parts[0]) if parts else []
    return {name: np.concatenate([part[name] for part in parts]) for name in names}


def _share_of(session: Session, task: Task[Any], run: str, place: int, count: int) -> Progress:
    """``task.progress`` for one run of several: its name in what is done, its share of the whole bar."""
    title = in_project.run_title(session, run)

    def progress(doing: str, fraction: float) -> None:
        task.progress(session._(STEPS[doing], run=title), (place + fraction) / count)

    return progress
