"""Server functions for the queue's orders: their state, scoring, and documents set apart for evaluation."""

from __future__ import annotations

import json
import math
from functools import lru_cache
from typing import Annotated, Any

from pydantic import AfterValidator, Field

from app.annotate import queue_scoring
from app.services.rights import needs
from app.services.session import Session
from app.ui.payload import UNREADABLE, InvalidPayload, Payload, quoted
from app.ui.server_function import Reply
from app.ui.widgets.page_code import ASSETS
from core.learning.active_learning.catalogue import ORDERS
from core.store.queue import scores as queue_scores
from core.store.queue.queue import Page
from core.store.queue.scores import APART

PLAIN = {"position": "in order", "least_confident": "least confident", "random": "random"}
SAVINGS = ASSETS / "order_savings.json"

# Orders of the store, orders scored by strategies, and the documents set apart for evaluation.
ORDER_NAMES = ("position", *(name for name in ORDERS if name != "in_order"), APART)


def _known(name: str) -> str:
    if name not in ORDER_NAMES:
        raise InvalidPayload(UNREADABLE, f"order: {quoted(name)} is none of {', '.join(ORDER_NAMES)}")
    return name


Order = Annotated[str, AfterValidator(_known)]


class OneOrder(Payload):
    """An order of the queue."""

    order: Order


class Share(Payload):
    """The share of documents to set apart."""

    percent: Annotated[int, Field(ge=1, le=50)]


@needs("annotate")
def read_order(session: Session, asked: OneOrder) -> Reply:
    """State of an order: ``order``, ``state``, ``scored``, ``waiting``, ``made_for``, ``now``, ``need``,
    ``fraction``, ``left``, ``error``, ``apart`` and ``saving``."""
    return _order(session, asked.order)


@needs("annotate")
def score_order(session: Session, asked: OneOrder) -> Reply:
    """Start scoring; return as `read_order`."""
    if asked.order in ORDERS:
        queue_scoring.start(session, asked.order)
    return _order(session, asked.order)


@needs("annotate")
def stop_scoring(session: Session, asked: OneOrder) -> Reply:
    """Ask the scoring to stop; return as `read_order`."""
    queue_scoring.SCORING.stop(session)
    return _order(session, asked.order)


@needs("manage")
def set_apart(session: Session, asked: Share) -> Reply:
    """Set a share of the documents apart; return as `read_order` of ``apart``."""
    queue_scores.set_apart(session.workspace, session.project_id, share=asked.percent / 100)
    return _order(session, APART)


@needs("manage")
def give_back_apart(session: Session) -> Reply:
    """Return the unlabelled ones to the queue; return as `read_order` of ``apart``."""
    queue_scores.undo_set_apart(session.workspace, session.project_id)
    return _order(session, APART)


FUNCTIONS = (read_order, score_order, stop_scoring, set_apart, give_back_apart)


def _order(session: Session, name: str) -> Reply:
    count, done = queue_scores.count_apart(session.workspace, session.project_id)
    reply = {"order": name, "apart": {"count": count, "done": done}, "saving": saving(name)}
    if name in ORDERS:
        return queue_scoring.state(session, name).to_json() | reply
    return {"state": "missing" if name == APART and not count else "ready"} | reply


def sorted_by(name: str) -> dict[str, str]:
    """The arguments of ``core.store.queue.queue.page`` for an order of the page."""
    if name in PLAIN:
        return {"order": PLAIN[name]}
    if name == APART:
        return {"order": "lowest score", "acquisition": APART}
    return {"order": "highest score" if ORDERS[name].highest_first else "lowest score", "acquisition": name}


def scores_of(session: Session, name: str, page: Page) -> dict[int, dict[str, Any]]:
    """For each row its score in this order, and whether it is set apart."""
    ids = [row.id for row in page.rows]
    apart = queue_scores.of_documents(session.workspace, session.project_id, APART, ids)
    acquisition = sorted_by(name).get("acquisition", "")
    scores = (
        queue_scores.of_documents(session.workspace, session.project_id, acquisition, ids)
        if acquisition not in ("", APART)
        else {}
    )
    return {id_: {"apart": id_ in apart, "score": shown(name, scores.get(id_))} for id_ in ids}


def shown(name: str, score: float | None) -> float | None:
    """A score as displayed: MNLP as a probability, the Viterbi gap as a ratio, others unchanged."""
    if score is None:
        return None
    if name in ("mnlp", "viterbi_gap"):
        return min(math.exp(min(score, 700.0)), 1e6)
    return score


@lru_cache(maxsize=1)
def _savings() -> dict[str, Any]:
    """Results of the simulation written by ``benchmarks/simulate.py``; empty if it has not been run."""
    try:
        savings = json.loads(SAVINGS.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return savings if isinstance(savings, dict) else {}


def saving(name: str) -> Reply | None:
    """This order's result in the simulation, or None."""
    savings = _savings()
    order = {"position": "in_order"}.get(name, name)
    reached = savings.get("orders", {}).get(order)
    return reached and {"corpus": savings["corpus"], "share": savings["share"], **reached}
