"""Reading what the Errors tab shows: long work over a large project, with a bar and a way to cancel it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from typing import Any

import gradio as gr

from app.inspect.corpus.error_analysis import read
from app.inspect.corpus.errors_view import WINDOWS
from app.services.errors import AppError
from app.services.session import Session
from app.ui.work import Report
from core.store.run import runs

CALLS = count(1)  # values that no component has had


def asked_of(
    session: Session, front: bool, run: str | None, parts: Sequence[str], *_drawn: Any
) -> tuple[str | None, tuple[str, ...]] | None:
    """What is to be analysed; None while the tab is not in front."""
    return (project_run(session, run), tuple(sorted(parts))) if front else None


def read_all(
    session: Session,
    report: Report,
    front: bool,
    run: str | None,
    parts: Sequence[str],
    hide: bool,
    window: int,
    threshold: float,
) -> None:
    """Read what the tab shows, so that drawing it takes little."""
    chosen = project_run(session, run)
    if chosen and parts:
        read(session, chosen, parts, one_of(window, WINDOWS), report)


def unanswered(session: Session, ended: bool) -> dict[str, Any]:
    """Hide the former analysis until there is another; offer to begin again if none will come."""
    off = gr.update(visible=False)
    return {"again": gr.update(visible=ended), "notice": off, "answer": off, "board": off, "scores": off}


def open_tab(session: Session) -> dict[str, Any]:
    """The tab comes to the front, and is filled."""
    return {"front": True, "request": str(next(CALLS))}


def ask_again(session: Session, front: bool) -> dict[str, Any]:
    """Fill the tab anew, if it is in front."""
    return {"request": str(next(CALLS))} if front else {}


def project_run(session: Session, run: str | None) -> str | None:
    """``run`` if it is one of this project's; a picker may still hold another project's."""
    names = [item.name for item in runs.all_runs(session.workspace, session.project_id, "finished")]
    return run if run in names else None


def one_of(value: Any, choices: Sequence[Any]) -> Any:
    """``value`` if it is one of the choices; a browser may send anything."""
    if value not in choices:
        raise AppError("There is nothing left to predict; choose the run again.")
    return value
