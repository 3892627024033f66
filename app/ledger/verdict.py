"""The verdict on a run, and the decision whether to activate it."""

from __future__ import annotations

from typing import Any

import gradio as gr

from app.i18n import _, counted, ngettext
from app.services import in_project
from app.services.errors import AppError
from app.services.rights import needs
from app.services.session import Session
from app.ui.code_span import code_span
from app.ui.numbers import date
from app.ui.runs import changes as run_changes
from app.ui.work import Report
from core.store.db.errors import NotFound
from core.store.project import projects
from core.store.project.projects import Project
from core.store.run import ledger, runs
from core.store.run.ledger import FIXED, HOLDS, NEWLY_BROKEN, STILL_WRONG, UNKNOWN, Verdict

PART_NAMES = {
    "F": _("{count} fixed"),
    "W": _("{count} still wrong"),
    "B": _("{count} newly broken"),
    "·": ngettext("{count} holds", "{count} hold"),
    "?": _("{count} not predicted"),
    "separator": _(", "),
}


def show(session: Session, judged: str | None) -> dict[str, Any]:
    """Show the verdict and the possible decisions.

    Raises:
        NotFound: the project has no such run.
    """
    project = projects.get(session.workspace, session.project_id)
    active = active_line(session, project)
    can_roll_back = gr.update(interactive=project.previous_run is not None)
    if judged is None:
        off = gr.update(interactive=False)
        hidden = gr.update(visible=False)
        return {
            "summary": "",
            "active": active,
            "activate": off,
            "keep": off,
            "roll_back": can_roll_back,
            "answer": hidden,
            "changes": "",
        }
    in_project.run(session, judged)
    other = ledger.baseline_of(session.workspace, judged)
    verdict = ledger.verdict(session.workspace, judged, other)
    against = session._(
        _("{run}, compared with {other}.") if other else _("{run}; nothing to compare it with yet."),
        run=code_span(in_project.run_title(session, judged)),
        other=code_span(in_project.run_title(session, other or "")),
    )
    missing = len(ledger.unpredicted(session.workspace, judged))
    undecided = gr.update(interactive=judged != project.active_run)
    return {
        "summary": f"**{summary_line(session, verdict)}**",
        "active": session.paragraph(against, active, _declined_line(session, judged)),
        "activate": undecided,
        "keep": undecided if project.active_run else gr.update(interactive=False),
        "roll_back": can_roll_back,
        "answer": gr.update(
            visible=missing > 0,
            value=session._(
                "Predict the missing documents with {run} ({count})",
                run=in_project.run_title(session, judged),
                count=missing,
            ),
        ),
        "changes": run_changes.promotion(session, project.active_run, judged),
    }


def _declined_line(session: Session, judged: str) -> str:
    """When the run was declined; empty if it was not."""
    try:
        run = in_project.run(session, judged)
    except NotFound:  # a run may be gone whose predictions are still compared
        return ""
    if run.declined is None:
        return ""
    return session._("{run} was declined on {date}.", run=code_span(run.title), date=date(run.declined))


def summary_line(session: Session, verdict: Verdict) -> str:
    """As "31 corrections: 24 fixed, 5 still wrong, 2 newly broken", then what holds or has no answer."""
    counts = {
        FIXED: verdict.fixed, STILL_WRONG: verdict.still_wrong, NEWLY_BROKEN: verdict.newly_broken,
        HOLDS: verdict.holds, UNKNOWN: verdict.unknown,
    }  # fmt: skip
    parts = [
        session._(PART_NAMES[state], count=count)
        for state, count in counts.items()
        if count or state in (FIXED, STILL_WRONG, NEWLY_BROKEN)
    ]
    joined = session._(", ").join(parts)
    return session._(
        "{corrections}: {parts}",
        corrections=counted.corrections(verdict.total, verdict.confirmed),
        parts=joined,
    )


def active_line(session: Session, project: Project) -> str:
    """Which run is active."""
    if project.active_run is None:
        return session._("This project has no active run yet.")
    title = in_project.run_title(session, project.active_run)
    return session._("{run} is the active run of this project.", run=code_span(title))


@needs("promote")
def activate(session: Session, judged: str | None) -> dict[str, Any]:
    """Make the candidate the active run."""
    run = in_project.run(session, _judged(judged))
    projects.set_active(session.workspace, session.project_id, run.name)
    return {
        "message": session._("{run} is the active run now.", run=code_span(run.title)),
        "candidate": run.name,
    }


@needs("promote")
def keep(session: Session, judged: str | None) -> dict[str, Any]:
    """Decline the candidate and keep the active run."""
    declined = runs.decline(session.workspace, in_project.run(session, _judged(judged)).name)
    run = projects.get(session.workspace, session.project_id).active_run
    said = session._(
        "{run} stays the active run; {other} is marked as declined.",
        run=code_span(in_project.run_title(session, run) if run else session._("no tagger")),
        other=code_span(declined.title),
    )
    return {"message": said, "candidate": run or declined.name}


@needs("promote")
def roll_back(session: Session) -> dict[str, Any]:
    """Make the previous run the active one again."""
    run = projects.roll_back(session.workspace, session.project_id).active_run
    name = in_project.run_title(session, run) if run else session._("no tagger")
    return {
        "message": session._("Rolled back: {run} is the active run again.", run=code_span(name)),
        "candidate": run,
    }


@needs("train")
def answer(session: Session, report: Report, judged: str | None) -> str:
    """Predict the missing documents of the ledger with the candidate."""
    run = in_project.run(session, _judged(judged))
    missing = ledger.unpredicted(session.workspace, run.name)
    session.workbench.taggers.predict(session.project_id, run.name, missing, report)
    return session._("Predicted with {run}: {count}.", run=code_span(run.title), count=len(missing))


def _judged(judged: str | None) -> str:
    if judged is None:
        raise AppError("Choose a candidate first.")
    return judged
