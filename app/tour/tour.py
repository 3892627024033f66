"""The guided tour of the demo project: correct three errors of the tagger, retrain, and decide on the run.

The card and its six steps are `assets/scripts/tour`. Nothing of the tour is stored: how far a person is is
read from their corrections and runs, so that it survives a reload, and what they do by themselves counts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import gradio as gr

from app.services.errors import AppError
from app.services.rights import may, needs
from app.services.session import Session
from app.services.training.training_runs import plan_from_form, start, state_of
from app.ui.frame import Frame
from app.ui.payload import Count, Payload
from app.ui.server_function import Reply
from app.ui.widgets.page_code import ASSETS, page_widget
from core.store.annotation import annotations as store_annotations
from core.store.db.clock import now
from core.store.db.errors import StoreError
from core.store.demo_history import FOLDERS, TaggerError, active_errors
from core.store.label import labels
from core.store.project import projects
from core.store.run import ledger, runs
from core.store.run.ledger import FIXED, UNKNOWN
from core.store.run.runs import Run
from core.text import Document, Span

NEEDED = ("annotate", "see_documents", "train", "promote")
# A small tagger: it is trained on the demo corpus in about a minute on two cores.
TAGGER = "bilstm_crf"
VALUES = {
    "hidden": 64,
    "char_dim": 40,
    "bigram_dim": 24,
    "embedding_dropout": 0.3,
    "epochs": 4,
    "batch_size": 8,
    "learning_rate": 0.005,
}
MOST_CORRECTIONS = 1_000


@dataclass
class Tour:
    """The card, which is closed."""

    card: gr.HTML


def layout(frame: Frame) -> Tour:
    """Build the card."""
    card = page_widget(
        "tour/tour.js",
        '<div class="ll-tour"></div>',
        functions=[frame.server(fn) for fn in (tour_state, tour_train)],
        styles=("tour",),
        apply_default_css=False,
        elem_id="ll-tour",
    )
    return Tour(card)


class Since(Payload):
    """When the person began the tour, in UTC ms."""

    since: Count


def tour_state(session: Session, asked: Since) -> Reply:
    """How far the person is since they began.

    ``offered``: whether this project has the tour and the person may do all of it. ``now``: the server's
    time, in UTC ms. ``errors``: objects with ``document``, ``label``, ``key``, the ``right`` surface,
    ``wrong`` (``surface`` and ``label``, or None) and ``done``. ``corrected``: number of their corrections.
    ``run``: the run they trained, with ``title``, ``status``, ``fraction``, ``fixed`` of how many corrections
    it was ``asked``, and ``decided`` (active, kept or ""); or None.
    """
    try:
        errors = _errors(session) if all(may(session, right) for right in NEEDED) else []
    except StoreError:  # a damaged file: the demo is there without its history
        errors = []
    if not errors:
        return {"offered": False}
    keys = {label.name: label.hotkey for label in labels.get(session.workspace, session.project_id)}
    run = _run_since(session, asked.since)
    states = _states(session, asked.since, run)
    return {
        "offered": True,
        "now": now(),
        "errors": [_error_object(session, error, keys) for error in errors],
        "corrected": len(states),
        "run": run and _run_object(session, run, states),
    }


@needs("train")
def tour_train(session: Session) -> Reply:
    """Train a small tagger on the project as it stands; ``run`` is its name.

    Raises:
        AppError: nothing is labelled, or the demo is full.
    """
    if not _errors(session):
        raise AppError("The tour belongs to the demo project. Open it first.")
    plan = plan_from_form(TAGGER, VALUES, "auto")
    return {"run": start(session, plan).name}


def _errors(session: Session) -> list[TaggerError]:
    """The errors to correct; none in another project."""
    return active_errors(session.workspace, session.project_id, ASSETS)


def _error_object(session: Session, error: TaggerError, keys: Mapping[str, str]) -> dict[str, Any]:
    document = store_annotations.current(session.workspace, error.document_id).document
    return {
        "document": error.document_id,
        "label": error.after.label,
        "key": keys.get(error.after.label, ""),
        "right": _surface(document, error.after),
        "wrong": error.before and {"surface": _surface(document, error.before), "label": error.before.label},
        "done": error.after.key in {span.key for span in document.spans},
    }


def _surface(document: Document, span: Span) -> str:
    return document.text[span.start : span.end]


def _run_since(session: Session, since: int) -> Run | None:
    """The newest run that was begun on the tour."""
    own = [run for run in runs.all_runs(session.workspace, session.project_id) if run.created >= since]
    return next((run for run in reversed(own) if run.name not in FOLDERS), None)


def _states(session: Session, since: int, run: Run | None) -> list[str]:
    """The states of the person's corrections since they began, under ``run``."""
    shown = [run.name] if run is not None else []
    page = ledger.page(session.workspace, session.project_id, runs=shown, limit=MOST_CORRECTIONS)
    return [
        row.correction.states.get(run.name, UNKNOWN) if run is not None else UNKNOWN
        for row in page.rows
        if row.correction.user == session.user
        and row.correction.at >= since
        and row.correction.claim.kind != "confirmed"
    ]


def _run_object(session: Session, run: Run, states: list[str]) -> dict[str, Any]:
    state = state_of(session, run)
    project = projects.get(session.workspace, session.project_id)
    decided = "active" if project.active_run == run.name else "kept" if run.declined is not None else ""
    return {
        "name": run.name,
        "title": run.title,
        "status": state.status,
        "fraction": state.fraction,
        "fixed": states.count(FIXED),
        "asked": len(states) - states.count(UNKNOWN),
        "decided": decided,
    }
