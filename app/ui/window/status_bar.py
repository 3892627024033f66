"""The status bar: device, active tagger, running job, last save."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import gradio as gr

from app.i18n import _, ngettext
from app.services.background import work as works
from app.services.device import describe
from app.services.rights import needs
from app.services.session import Session
from app.ui.frame import Frame
from app.ui.numbers import percent
from app.ui.payload import Count, Payload, TextOrEmpty
from app.ui.progress import time_left
from app.ui.server_function import Reply
from app.ui.widgets.page_code import page_widget
from core.store.annotation.annotations import last_saved
from core.store.db.errors import NotFound
from core.store.project import members, projects
from core.store.run import runs
from core.training.run.run_folder import RunFolder
from core.training.run.run_state import RunState

JOBS_ENDED = {
    "finished": _("✓ {run} finished"),
    "failed": _("✗ {run} failed"),
    "interrupted": _("✗ {run} was interrupted"),
}

# Loading torch takes seconds of CPU time: draw the page first.
UNDISTURBED_SECONDS = 3.0

TEMPLATE = """
<div class="ll-status" role="status">
  <span class="ll-status-device"></span>
  <span class="ll-status-active"></span>
  <span class="ll-status-job">
    <span class="ll-status-job-name"></span>
    <span class="ll-status-track" aria-hidden="true"><span class="ll-status-fill"></span></span>
    <span class="ll-status-job-text"></span>
    <button type="button" class="ll-status-cancel" hidden></button>
  </span>
  <span class="ll-status-saved"></span>
</div>
"""


@dataclass
class StatusBar:
    """The bar's component, which polls the app every 1.5 s."""

    bar: gr.HTML


def layout(frame: Frame) -> StatusBar:
    """Build the bar."""
    bar = page_widget(
        "widgets/status_bar.js",
        TEMPLATE,
        functions=[frame.server(status), frame.server(cancel)],
        value="",
        apply_default_css=False,
        elem_id="ll-status",
    )
    return StatusBar(bar)


class Running(Payload):
    """What goes on: the name of a job's run, or the number of work of this session."""

    run: TextOrEmpty = ""
    work: Count = 0


def status(session: Session) -> Reply:
    """The contents of the bar as JSON, in the session's language."""
    workbench = session.workbench
    is_open = members.is_open(session.workspace, session.project_id, session.user)
    if time.monotonic() - session.opened > UNDISTURBED_SECONDS:
        workbench.device.start()
        # Not in a demo: its visitors share the weights, which stay loaded as long as one of them asks.
        if is_open and not workbench.limits.demo:
            workbench.taggers.read_ahead(session.project_id)
    running = workbench.jobs.running()
    device, why = describe(workbench.device.info, session.language)
    return {
        "device": device,
        "why": why,
        "active_run": active_line(session),
        "active_note": active_note(session),
        "job": job_line(running, session) or work_line(session),
        "ended": [*_ended_job(running, session), *_ended_work(session)],
        "waits": _waits(session),
        "idle": session._("nothing running"),
        "offline": session._("The app does not respond. Is it still running?"),
        "saved_at": last_saved(session.workspace, session.project_id) if is_open else None,
        "saved": session._("saved {time}", time="{time}"),
        "not_saved": session._("nothing to save yet"),
    }


def cancel(session: Session, asked: Running) -> Reply:
    """Ask the running job, or work of this session, to stop.

    Raises:
        NotAllowed: the user may not train in the job's project.
    """
    if asked.work:
        works.cancel(session, asked.work)
    else:
        _cancel_job(session, asked.run)
    return {"message": session._("stopping")}


@needs("train")
def _cancel_job(session: Session, run: str) -> None:
    state = session.workbench.jobs.running()
    if state is not None and run == state.run:
        project = _project_of(session, state.run)
        members.check(session.workspace, project, session.user, "train")
        session.workbench.jobs.cancel(state.run)


def active_line(session: Session) -> str:
    """The active tagger with its dev (else test) F1 in percent; nothing for closed projects."""
    if not members.is_open(session.workspace, session.project_id, session.user):
        return session._("not accessible")
    try:
        name = projects.get(session.workspace, session.project_id).active_run
        if name is None:
            return session._("no tagger yet")
        run = runs.get(session.workspace, name)
    except NotFound:
        return session._("no tagger yet")
    f1 = headline_f1(run.scores)
    if f1 is None:
        return session._("active: {run}", run=run.title)
    return session._("active: {run} (F1 {f1})", run=run.title, f1=percent(f1))


def active_note(session: Session) -> str:
    """The note of the active run, if the project is open to the person."""
    if not members.is_open(session.workspace, session.project_id, session.user):
        return ""
    try:
        name = projects.get(session.workspace, session.project_id).active_run
        return runs.get(session.workspace, name).note if name else ""
    except NotFound:
        return ""


def headline_f1(scores: Any) -> float | None:
    """Micro F1 on test, else on dev, or None where nothing was held out."""
    for part in ("test", "dev"):
        part_scores = scores.get(part) if isinstance(scores, dict) else None
        if isinstance(part_scores, dict) and isinstance(part_scores.get("micro"), dict):
            return float(part_scores["micro"].get("f1", 0.0))
    return None


def job_line(state: RunState | None, session: Session) -> dict[str, Any] | None:
    """The running job, or None; without details for closed projects."""
    if state is None:
        return None
    key = _("training {run}")
    if not members.is_open(session.workspace, _project_of(session, state.run), session.user):
        return {
            "run": "",
            "work": 0,
            "name": session._("a training of another project"),
            "fraction": state.fraction,
            "left": time_left(state.remaining_seconds, session.language),
            "cancel": "",
        }
    if state.status == "queued":
        key = _("{run} is waiting")
    elif _is_tagging(session, state.run):
        key = _("tagging with {run}")
    return {
        "run": state.run,
        "work": 0,
        "name": session._(key, run=_title(session, state.run)),
        "fraction": state.fraction,
        "left": time_left(state.remaining_seconds, session.language),
        "cancel": session._("Cancel"),
    }


def work_line(session: Session) -> dict[str, Any] | None:
    """The oldest work of this session that goes on, as a job is told; None without any."""
    work = next(iter(works.going_on(session)), None)
    if work is None:
        return None
    return {
        "run": "",
        "work": work.id,
        "name": session._(work.doing),
        "fraction": work.task.fraction,
        "left": time_left(work.task.remaining, session.language),
        "cancel": session._("Cancel"),
    }


def _waits(session: Session) -> str:
    """That a question of the person to a tagger waits for others'; empty if none does."""
    count = session.workbench.taggers.ahead()
    if not count:
        return ""
    return session._(ngettext("Waiting for {count} other…", "Waiting for {count} others…", count=count))


def _ended_job(running: RunState | None, session: Session) -> list[Reply]:
    """The job this session has seen running, once it has ended: what it came to, and in how many seconds."""
    before, now = session.job, running.run if running else None
    session.change(job=now)
    if before is None or before == now:
        return []
    state = session.workbench.jobs.state(before)
    if state.active or not members.is_open(session.workspace, _project_of(session, before), session.user):
        return []
    key = JOBS_ENDED.get(state.status)
    if key is None:
        return []  # whoever cancels it knows
    seconds = (state.updated_at or 0) - (state.started_at or state.updated_at or 0)
    return [{"text": session._(key, run=_title(session, before)), "seconds": seconds}]


def _ended_work(session: Session) -> list[Reply]:
    """The work of this session that has ended since the last look, but for what was cancelled."""
    return [
        {
            "text": session._(
                _("✗ {what} failed") if work.task.error else _("✓ {what}"),
                what=session._(work.doing if work.task.error else work.done),
            ),
            "seconds": work.task.seconds,
        }
        for work in works.ended(session)
        if not work.task.stopped
    ]


def _project_of(session: Session, run: str) -> int:
    """The job's project, from its request; else the session's."""
    try:
        project = RunFolder(session.workspace.runs_folder / run).read_request().project
    except Exception:
        project = None  # a damaged request, which the Train page reports
    return project if isinstance(project, int) else session.project_id


def _title(session: Session, run: str) -> str:
    """What the job's run is called; a job that is none of the store's runs has its name alone."""
    try:
        return runs.get(session.workspace, run).title
    except NotFound:
        return run


def _is_tagging(session: Session, run: str) -> bool:
    folder = RunFolder(session.workspace.runs_folder / run)
    try:
        return folder.read_request().kind == "tag"
    except Exception:
        # The bar must not fail because one run's request is damaged: the Train page reports that.
        return False
