"""What there is to know before a run becomes the active one, computed in the background.

The scores are those of the Compare page: the same held-out documents, the same intervals.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice, zip_longest
from typing import TypeAlias

from app.services import in_project
from app.services.background.tasks import Task
from app.services.errors import AppError
from app.services.evaluation.held_out import documents_held
from app.services.loaded_taggers import LoadedTaggers
from app.services.session import Session
from core.inspection.corpus.comparison import count_tables, outcome
from core.inspection.corpus.significance import Measurement, measure
from core.inspection.corpus.span_changes import count_by_kind, grouped
from core.store.db.errors import StoreError
from core.store.db.payload import HELD_OUT
from core.store.db.workspace import Workspace
from core.store.project import projects
from core.store.run import predicted, runs
from core.store.run.predicted import ComparedDocument
from core.store.run.runs import Run
from core.text import Document
from core.text.segmentation import sentences

TASK = "decision"
EXAMPLES = 10
TIMED = 100  # sentences tagged to measure the speed of a run
# Documents that differ, by whether they were held out and who is right.
Kinds: TypeAlias = dict[tuple[bool, str], list[ComparedDocument]]
# Shares of the work after which a step is done.
READ, SCORED = 0.2, 0.7


@dataclass(frozen=True)
class Cost:
    """What a run costs; None where it is not known.

    Args:
        seconds: of its training. size: of its model, in bytes. speed: sentences tagged in a second, here.
    """

    seconds: float | None
    size: int | None
    speed: float | None


@dataclass(frozen=True)
class Decision:
    """A finished run beside the one it could replace.

    Args:
        runs: names: the active run, if there is another, then the one to decide on.
        documents: number of documents that all of them held out and predicted, and that have gold spans.
        whole, by_label: scores on these, compared with the first of ``runs``; None and empty without any.
        shared, changed: number of documents that both have predicted, and of those that differ.
        spans: changed spans in all of these. kinds: the same by kind of change.
        examples: of the documents that differ; predictions in the order of ``runs``.
        costs: in the order of ``runs``.
    """

    runs: tuple[str, ...]
    documents: int
    whole: Measurement | None
    by_label: dict[str, Measurement]
    shared: int
    changed: int
    spans: int
    kinds: dict[str, int]
    examples: tuple[ComparedDocument, ...]
    costs: tuple[Cost, ...]


def rival(session: Session, run: str) -> str | None:
    """The run that ``run`` is compared with: the active one, or for that one the run it replaced.

    None if there is none, or if it is gone.
    """
    project = projects.get(session.workspace, session.project_id)
    other = project.previous_run if project.active_run == run else project.active_run
    return other if other in runs.titles(session.workspace, session.project_id) else None


def of(session: Session, run: Run, *, again: bool = False) -> Task[Decision]:
    """The comparison of a finished run, begun unless it is there or on its way.

    It is computed anew once a person has annotated or a run has predicted more documents.

    Args:
        again: whether to repeat one that was cancelled or failed.
    """
    other = rival(session, run.name)
    compared = [run] if other is None else [in_project.run(session, other), run]
    stamp = "|".join(
        f"{each.name} {predicted.stamp(session.workspace, session.project_id, each.name)}"
        for each in compared
    )
    tasks, project_id = session.workbench.tasks, session.project_id
    before = latest(session, run.name)
    if before is not None and before.kind == stamp and (before.running or before.result or not again):
        return before
    workspace, taggers = session.workspace, session.workbench.taggers
    return tasks.start(
        (TASK, project_id, run.name),
        lambda task: decide(task, workspace, taggers, project_id, compared),
        stamp,
    )


def latest(session: Session, run: str) -> Task[Decision] | None:
    """The latest comparison of the run, running or ended."""
    return session.workbench.tasks.latest((TASK, session.project_id, run))


def decide(
    task: Task[Decision],
    workspace: Workspace,
    taggers: LoadedTaggers,
    project_id: int,
    compared: Sequence[Run],
) -> Decision:
    """Compute the comparison; the last of ``compared`` is the run to decide on.

    Raises:
        Stopped: somebody cancelled it.
    """
    names = [run.name for run in compared]
    task.progress("reading", 0.0)
    held = frozenset(documents_held(workspace, project_id, [run.folder for run in compared], HELD_OUT))
    documents = predicted.compared_documents(workspace, project_id, names, ids=held)
    shared, differing = 0, predicted.compared_documents(workspace, project_id, names, ids=())
    if len(names) > 1:
        shared, differing = predicted.differing(workspace, project_id, names[0], names[1])
    table, tables = count_tables(replace(documents, progress=_reading(task, 0)), len(names))
    kinds: Kinds = {}
    changes = grouped(_kept(replace(differing, progress=_reading(task, 1)), held, kinds))
    task.progress("scoring", READ)
    by_label: dict[str, Measurement] = {}
    whole = measure(table) if table.documents else None
    for number, (label, counts) in enumerate(tables.items(), start=1):
        task.progress("scoring", READ + (SCORED - READ) * number / (len(tables) + 1))
        by_label[label] = measure(counts)
    texts = _sentences(document.document for document in chain(documents, differing))
    costs = []
    for number, run in enumerate(compared):
        task.progress("timing", SCORED + (1 - SCORED) * number / len(compared))
        costs.append(Cost(_seconds(run), _size(run), _speed(taggers, project_id, run.name, texts)))
    return Decision(
        tuple(names),
        table.documents,
        whole,
        by_label,
        shared,
        len(differing.ids),
        sum(group.count for group in changes),
        dict(count_by_kind(changes)),
        tuple(_telling(kinds)),
        tuple(costs),
    )


def _reading(task: Task[Decision], half: int) -> Callable[[int, int], None]:
    """Reports, of the documents that all have predicted or of those that differ, how many are read."""
    return lambda done, total: task.progress("reading", READ * (half + done / max(1, total)) / 2)


def _kept(
    differing: Iterable[ComparedDocument], held: frozenset[int], kinds: Kinds
) -> Iterator[ComparedDocument]:
    """The documents, of which the first of each kind are put into ``kinds``."""
    for document in differing:
        of_kind = kinds.setdefault((document.document_id in held, outcome(document)), [])
        if len(of_kind) < EXAMPLES:
            of_kind.append(document)
        yield document


def _telling(kinds: Kinds) -> list[ComparedDocument]:
    """The examples: broken, fixed and both wrong by turns, held-out documents before others."""
    chosen: list[ComparedDocument] = []
    for is_held in (True, False):
        groups = [kinds.get((is_held, kind), []) for kind in ("base_right", "other_right", "both_wrong")]
        turns = chain.from_iterable(zip_longest(*groups))
        chosen += [document for document in turns if document is not None]
    chosen += [*kinds.get((True, "no_gold"), []), *kinds.get((False, "no_gold"), [])]
    return chosen[:EXAMPLES]


def _seconds(run: Run) -> float | None:
    seconds = run.scores.get("seconds")
    return float(seconds) if isinstance(seconds, (int, float)) and not isinstance(seconds, bool) else None


def _size(run: Run) -> int | None:
    """Bytes of the model's files."""
    try:
        return sum(path.stat().st_size for path in run.model_folder.rglob("*") if path.is_file()) or None
    except OSError:
        return None


def _sentences(documents: Iterator[Document]) -> list[Document]:
    found = (
        Document("", document.text[start:end])
        for document in documents
        for start, end in sentences(document.text)
    )
    return list(islice(found, TIMED))


def _speed(taggers: LoadedTaggers, project_id: int, run: str, texts: Sequence[Document]) -> float | None:
    """Sentences a second; None if there are none, or if the run's tagger cannot be loaded."""
    from core.taggers.base.tagger import ModelFolderError

    if not texts:
        return None
    try:
        taggers.tag(project_id, texts[:1], run)  # loads it
        began = time.perf_counter()
        taggers.tag(project_id, texts, run)
    except (AppError, StoreError, ModelFolderError, OSError):
        return None
    return len(texts) / max(1e-6, time.perf_counter() - began)
