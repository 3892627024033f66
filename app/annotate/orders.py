"""The annotator's answers about the order of the queue: how it stands, scoring it, the slice set apart."""

from __future__ import annotations

import json
import math
from abc import ABC, abstractmethod
from contextlib import AbstractContextManager
from functools import lru_cache
from typing import Any

from app.annotate import queue_scoring
from app.annotate.widget.annotator import Reply
from app.services import rights
from app.services.session import Session
from app.ui.widgets.page_code import ASSETS
from core.learning.active_learning.catalogue import ORDERS
from core.store.queue import scores as queue_scores
from core.store.queue.queue import Page
from core.store.queue.scores import APART

PLAIN = {"position": "in order", "least_confident": "least confident", "random": "random"}
SAVINGS = ASSETS / "order_savings.json"


class OrderAnswers(ABC):
    """Answers the annotator from the store of the session behind the token. See `OrderBackend`."""

    @abstractmethod
    def _session(self, token: str) -> AbstractContextManager[Session]:
        """The session of ``token`` for the block; every error in it becomes an `AnnotatorError`."""

    def order(self, token: str, name: str) -> Reply:
        with self._session(token) as session:
            return self._order(session, name)

    def score_order(self, token: str, name: str) -> Reply:
        with self._session(token) as session:
            if name in ORDERS:
                queue_scoring.start(session, name)
            return self._order(session, name)

    def stop_scoring(self, token: str, name: str) -> Reply:
        with self._session(token) as session:
            queue_scoring.SCORING.stop(session)
            return self._order(session, name)

    def set_apart(self, token: str, percent: int) -> Reply:
        with self._session(token) as session:
            rights.check(session, "manage")
            queue_scores.set_apart(session.workspace, session.project_id, share=percent / 100)
            return self._order(session, APART)

    def give_back(self, token: str) -> Reply:
        with self._session(token) as session:
            rights.check(session, "manage")
            queue_scores.give_back(session.workspace, session.project_id)
            return self._order(session, APART)

    def _order(self, session: Session, name: str) -> Reply:
        count, done = queue_scores.apart(session.workspace, session.project_id)
        reply = {"order": name, "apart": {"count": count, "done": done}, "saving": saving(name)}
        if name in ORDERS:
            return queue_scoring.state(session, name).to_json() | reply
        return {"state": "missing" if name == APART and not count else "ready"} | reply


def sorted_by(name: str) -> dict[str, str]:
    """What ``core.store.queue.queue.page`` is to be told for an order of the page."""
    if name in PLAIN:
        return {"order": PLAIN[name]}
    if name == APART:
        return {"order": "lowest score", "acquisition": APART}
    return {"order": "highest score" if ORDERS[name].highest_first else "lowest score", "acquisition": name}


def scores_of(session: Session, name: str, page: Page) -> dict[int, dict[str, Any]]:
    """For each row of a page what its order says of it, and whether it is set apart."""
    ids = [row.id for row in page.rows]
    apart = queue_scores.of_documents(session.workspace, session.project_id, APART, ids)
    acquisition = sorted_by(name).get("acquisition", "")
    known = (
        queue_scores.of_documents(session.workspace, session.project_id, acquisition, ids)
        if acquisition not in ("", APART)
        else {}
    )
    return {id_: {"apart": id_ in apart, "score": shown(name, known.get(id_))} for id_ in ids}


def shown(name: str, score: float | None) -> float | None:
    """A score as the page says it: MNLP as a probability, the Viterbi gap as a ratio; else as it is."""
    if score is None:
        return None
    if name in ("mnlp", "viterbi_gap"):
        return min(math.exp(min(score, 700.0)), 1e6)
    return score


@lru_cache(maxsize=1)
def _savings() -> dict[str, Any]:
    """What the simulation reached, as ``benchmarks/simulate.py`` wrote it; empty where nobody has run it."""
    try:
        found = json.loads(SAVINGS.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def saving(name: str) -> Reply | None:
    """What this order reached in the simulation, or None where it was not simulated."""
    found = _savings()
    order = {"position": "in_order"}.get(name, name)
    own = found.get("orders", {}).get(order)
    return own and {"corpus": found["corpus"], "share": found["share"], **own}
