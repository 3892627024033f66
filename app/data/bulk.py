"""Server functions for what is done with many documents of the table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field

from app.i18n import _
from app.services import in_project
from app.services.background.project_tasks import ProjectTask
from app.services.background.tasks import Task
from app.services.errors import AppError
from app.services.rights import check, may, needs
from app.services.session import Session
from app.ui.filter_fields import FilterFields, Share
from app.ui.payload import Count, Payload, TextOrEmpty
from app.ui.runs.naming import run_choices
from app.ui.server_function import Reply
from core.store.db.payload import LONGEST_REASON
from core.store.document import documents
from core.store.project import assignments, journal, members, projects
from core.store.queue import bulk, queue
from core.store.queue.bulk import BulkStep, Order
from core.store.run import accepting, predictions, runs
from core.store.run.accepting import Example

MOST_TICKED = 5_000
PART = 32  # documents between two reports while tagging
ACTIONS = ("status", "split", "assign", "tag", "accept", "trash")
NEEDS: dict[str, str] = {**bulk.NEEDS, "tag": "train"}


class Selected(Payload):
    """Documents: those ticked, or all that match a filter with the errors and confidences of ``run``."""

    ids: Annotated[list[Count], Field(max_length=MOST_TICKED)] | None = None
    filter: FilterFields | None = None
    run: TextOrEmpty = ""


class BulkOrder(Selected):
    """What to do with them; see `core.store.queue.bulk.Order`."""

    change: Literal["status", "split", "assign", "tag", "accept", "trash"]
    to: TextOrEmpty = ""
    reason: Annotated[str, Field(max_length=LONGEST_REASON)] = ""
    threshold: Share = 0.0


class UndoStep(Payload):
    """A step of the journal."""

    step: Count


@dataclass(frozen=True, slots=True)
class Did:
    """What a task did: number of documents, the change, and its step of the journal, if it can be undone."""

    documents: int
    change: str
    to: str = ""
    step: int | None = None


Work = Callable[[Task[Did]], Did]
BULK: ProjectTask[Did] = ProjectTask(
    "bulk",
    _("Many documents of this project are already being changed. Wait until that has finished, or stop it."),
)


def list_bulk(session: Session) -> Reply:
    """Return the person's ``actions``, ``people``, ``runs`` (``[title, name]``) with the ``active`` one,
    and the step they can ``undo``."""
    workspace, project = session.workspace, session.project_id
    people = [one.user for one in members.of(workspace, project)] if _assigns(session) else []
    run_names = [run.name for run in reversed(runs.all_runs(workspace, project))]
    actions = [name for name in ACTIONS if may(session, NEEDS[name])]
    if not people:
        actions = [name for name in actions if name != "assign"]
    if not run_names:
        actions = [name for name in actions if name not in ("tag", "accept")]
    last = bulk.latest(workspace, project, session.user)
    return {
        "actions": actions,
        "people": people,
        "runs": run_choices(session, run_names),
        "active": projects.get(workspace, project).active_run,
        "undo": last and _reply(_did(last)),
    }


@needs("review")
def preview_accept(session: Session, order: BulkOrder) -> Reply:
    """Return ``spans`` and ``documents`` that accepting would change, and ``examples``."""
    run = in_project.run(session, order.to).name
    found = accepting.preview(
        session.workspace, session.project_id, run, _ids(session, order), order.threshold
    )
    return {
        "spans": found.spans,
        "documents": found.documents,
        "examples": [_example(example) for example in found.examples],
    }


def start_bulk(session: Session, order: BulkOrder) -> Reply:
    """Carry out an order in the background; return its state.

    Raises:
        AppError: nothing is selected, or another order is being carried out. NotAllowed: the person's role
            lacks the right.
    """
    check(session, NEEDS[order.change])
    ids = _ids(session, order)
    if not ids:
        raise AppError("Select at least one document.")
    if order.change in ("tag", "accept"):
        in_project.run(session, order.to)
    if order.change == "tag":
        return _start(session, "tag", _tagging(session, order.to, ids))
    done = Order(order.change, order.to, order.reason, order.threshold)
    workspace, project, user = session.workspace, session.project_id, session.user

    def work(task: Task[Did]) -> Did:
        def progress(number: int) -> None:
            task.progress("change", number / len(ids))

        return _did(bulk.apply(workspace, project, ids, done, user=user, progress=progress))

    return _start(session, "change", work)


def undo_bulk(session: Session, asked: UndoStep) -> Reply:
    """Undo a step in the background; return its state."""
    workspace, project, user = session.workspace, session.project_id, session.user
    last = bulk.latest(workspace, project, user)
    total = last.documents if last is not None and last.id == asked.step else 0

    def work(task: Task[Did]) -> Did:
        def progress(number: int) -> None:
            task.progress("undo", number / max(number, total))

        restored = journal.undo(
            workspace, project, asked.step, user=user, kinds=[bulk.KIND], progress=progress
        )
        return Did(restored, "undo")

    return _start(session, "undo", work)


def bulk_state(session: Session) -> Reply:
    """Return the state of the project's latest order, with what it did once it has ended."""
    task = BULK.of(session)
    return {} if task is None else _state(session, task)


def stop_bulk(session: Session) -> Reply:
    """Stop the order that is being carried out; what it changed is undone."""
    task = BULK.of(session)
    if task is not None and task.running:
        check(session, "train" if task.kind == "tag" else "review")
        task.stop()
    return {}


FUNCTIONS = (list_bulk, preview_accept, start_bulk, undo_bulk, bulk_state, stop_bulk)


def _assigns(session: Session) -> bool:
    workspace, project = session.workspace, session.project_id
    return may(session, "manage") and assignments.plan(workspace, project).workflow == "separate"


def _ids(session: Session, selected: Selected) -> list[int]:
    if selected.filter is None:
        return selected.ids or []
    return queue.matching(
        session.workspace, session.project_id, selected.filter.filter(), run=selected.run or None
    )


def _start(session: Session, kind: str, work: Work) -> Reply:
    return _state(session, BULK.start(session, work, kind))


def _tagging(session: Session, run: str, ids: Sequence[int]) -> Work:
    """The work of tagging these documents anew; what is finished when it is stopped is kept."""
    taggers, workspace, project = session.workbench.taggers, session.workspace, session.project_id

    def work(task: Task[Did]) -> Did:
        done = 0
        for at in range(0, len(ids), PART):
            chunk = [one.with_spans(()) for one in documents.several(workspace, ids[at : at + PART])]
            for _part, ready in taggers.tag_by_parts(project, chunk, run):
                if ready:
                    predictions.put(workspace, run, ready)
                    done += len(ready)
                task.progress("tag", done / len(ids))
        return Did(done, "tag", run)

    return work


def _state(session: Session, task: Task[Did]) -> Reply:
    state = task.state(session.language)
    return state | (_reply(task.result) if task.result is not None and not state["running"] else {})


def _did(step: BulkStep) -> Did:
    return Did(step.documents, step.order.change, step.order.to, step.id if step.documents else None)


def _reply(did: Did) -> Reply:
    return {"documents": did.documents, "change": did.change, "to": did.to, "step": did.step}


def _example(example: Example) -> Reply:
    text = example.text
    return {
        "name": example.name, "label": example.label, "score": example.score, "before": text[: example.start],
        "surface": text[example.start : example.end], "after": text[example.end :],
    }  # fmt: skip
