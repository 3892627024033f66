"""Scores for the orders of the queue, computed in the background and kept in the store."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any

from app.annotate.suggestions import dictionary_spans
from app.i18n import _
from app.services import bulk_tagging
from app.services.background.project_tasks import ProjectTask
from app.services.background.tasks import Task
from app.services.errors import AppError, sentence
from app.services.session import Session
from app.ui.progress import time_left
from core.learning.active_learning.catalogue import ORDERS, Order
from core.store.lexicon import changes as lexicon_changes
from core.store.project import projects
from core.store.queue import scores as queue_scores
from core.store.run import predictions, runs
from core.text import Document, Span

if TYPE_CHECKING:
    from core.taggers.base.tagger import Tagger

NEED_NAMES = {
    "tagger": _("This order needs an active tagger: train one on the Train page."),
    "chain": _(
        "The active tagger does not score tag sequences (no CRF or softmax over tags). Choose another order."
    ),
    "second": _("This order needs two finished runs, and there is only one. Train another."),
    "dictionary": _("This order needs words with a type: add some on the Dictionary page."),
    "labelled": _("This order needs labelled documents. Label some first."),
}

PORTION = 2000  # documents whose texts and predictions are in memory
TEXTS = "texts"  # ``made_for`` of scores that depend on no tagger
SCORING: ProjectTask[None] = ProjectTask(
    "queue scores", _("Another order is being scored. Wait for it to finish, or stop it.")
)
# The store sorts by these without scores of their own.
UNSCORED = ("in_order", "random")


@dataclass(frozen=True, slots=True)
class OrderState:
    """The state of an order in a project.

    Args:
        state: ``ready``, ``stale`` (made by other runs or words than the current), ``missing`` (no scores),
            ``running`` or ``failed``.
        scored, waiting: numbers of candidate documents with and without a score.
        made_for, now: what the scores were computed from, and what new ones would be; empty for nothing.
        need: a sentence on what is missing, or empty. fraction: share of the work done.
        left: the time left in words.
        error: a sentence, if it failed.
    """

    state: str
    scored: int = 0
    waiting: int = 0
    made_for: str = ""
    now: str = ""
    need: str = ""
    fraction: float = 0.0
    left: str = ""
    error: str = ""

    def to_json(self) -> dict[str, Any]:
        """Plain JSON values under the field names."""
        return {name: getattr(self, name) for name in self.__slots__}


def state(session: Session, name: str) -> OrderState:
    """The state of this order."""
    order = ORDERS[name]
    if name in UNSCORED:
        return OrderState("ready")
    task = SCORING.of(session)
    if task is not None and task.kind != name:
        task = None
    if task is not None and task.running:
        return OrderState("running", fraction=task.fraction, left=time_left(task.remaining, session.language))
    missing = missing_need(session, order)
    need = session._(NEED_NAMES[missing]) if missing else ""
    made_for, scored, waiting = _scored(session, name)
    now = "" if need else _made_for(session, order)
    if task is not None and task.error is not None:
        return OrderState(
            "failed", scored, waiting, made_for, now, need, error=_error_sentence(task.error, session)
        )
    how = "missing" if not scored else "ready" if made_for == now else "stale"
    return OrderState(how, scored, waiting, made_for, now, need)


def start(session: Session, name: str) -> None:
    """Score all documents again, unless that is already running.

    Raises:
        AppError: another order is being scored, or something is missing.
    """
    order = ORDERS[name]
    missing = missing_need(session, order)
    if missing:
        raise AppError(NEED_NAMES[missing])
    task = SCORING.of(session)
    if task is None or not task.running or task.kind != name:
        SCORING.start(session, partial(_score, session, order), name)


def missing_need(session: Session, order: Order) -> str:
    """What the order needs and the project lacks; empty if nothing."""
    project = projects.get(session.workspace, session.project_id)
    if "tagger" in order.needs and project.active_run is None:
        return "tagger"
    if "second" in order.needs and _second(session) is None:
        return "second"
    if "dictionary" in order.needs and not _typed_words(session):
        return "dictionary"
    if "labelled" in order.needs and "tagger" in order.needs:
        # Only k-centre can start without labels.
        return "" if queue_scores.is_labelled(session.workspace, session.project_id) else "labelled"
    return ""


def _error_sentence(error: Exception, session: Session) -> str:
    need = getattr(error, "need", "")
    return session._(NEED_NAMES[need]) if need else sentence(error, session.language)


def _scored(session: Session, name: str) -> tuple[str, int, int]:
    """What the scores were computed from, how many there are, and how many documents have none."""
    workspace, project_id = session.workspace, session.project_id
    if name == "least_confident":
        run = projects.get(workspace, project_id).active_run
        scores = queue_scores.prediction_state(workspace, project_id, run or "")
    else:
        scores = queue_scores.state(workspace, project_id, name)
    return scores.made_for, scores.scored, scores.waiting


def _made_for(session: Session, order: Order) -> str:
    """What new scores would depend on: runs, and the words of the dictionary."""
    project = projects.get(session.workspace, session.project_id)
    parts = [project.active_run or TEXTS] if _reads_tagger(order) else [TEXTS]
    if "second" in order.needs:
        parts.append(_second(session) or "")
    if "dictionary" in order.needs:
        typed = json.dumps(sorted(_typed_words(session).items()), ensure_ascii=False)
        parts.append(hashlib.sha256(typed.encode("utf-8", "surrogatepass")).hexdigest()[:8])
    return " + ".join(parts)


def _reads_tagger(order: Order) -> bool:
    return "tagger" in order.needs or order.name == "k_centre"


def _second(session: Session) -> str | None:
    """The newest finished run other than the active one."""
    active = projects.get(session.workspace, session.project_id).active_run
    all_runs = runs.all_runs(session.workspace, session.project_id)
    return next((r.name for r in reversed(all_runs) if r.status == "finished" and r.name != active), None)


def _typed_words(session: Session) -> Mapping[str, str]:
    changes = lexicon_changes.current(session.workspace, session.project_id)
    return {word: kind for word, kind in changes.added.items() if kind}


def _score(session: Session, order: Order, task: Task[None]) -> None:
    """Read the documents, compute the scores, write them; in portions where each has its own score."""
    workspace, project_id = session.workspace, session.project_id
    run = projects.get(workspace, project_id).active_run
    made_for = _made_for(session, order)
    second = _second(session) if "second" in order.needs else None
    if order.group == "disagreement" or order.name == "least_confident":
        assert run is not None  # guaranteed by missing_need
        _tag_many(session, [each for each in (run, second) if each], task)
    readers = {
        name: _own_tagger(session, name)
        for name in (run if _reads_tagger(order) else None, second)
        if name is not None
    }
    labelled: Sequence[Document] = ()
    if "labelled" in order.needs:
        labelled = queue_scores.labelled_documents(workspace, project_id)
    total = max(1, queue_scores.count_to_score(workspace, project_id))
    scores: dict[int, float | None] = {}
    waiting = queue_scores.to_score(workspace, project_id)
    while portion := dict(islice(waiting, None if order.together else PORTION)):
        done = len(scores)

        def progress(share: float, done: int = done, size: int = len(portion)) -> None:
            task.progress("", min(1.0, (done + share * size) / total))

        scores |= _scores_of(session, order, portion, run, second, readers, labelled, progress)
    if order.name != "least_confident":
        task.progress("", 1.0)
        queue_scores.put(workspace, project_id, order.name, scores, made_for)


def _scores_of(
    session: Session,
    order: Order,
    portion: Mapping[int, Document],
    run: str | None,
    second: str | None,
    readers: Mapping[str, Tagger],
    labelled: Sequence[Document],
    progress: Callable[[float], None],
) -> dict[int, float | None]:
    """The scores of some documents; of the least confident the predictions, which are stored, are all."""
    from core.learning.active_learning.acquisition import Pool

    ids, texts = list(portion), list(portion.values())
    predicted = others = words = None
    if run is not None and (order.group == "disagreement" or order.name == "least_confident"):
        predicted = _predictions(session, run, readers[run], ids, texts, lambda share: progress(share / 2))
    if second is not None:
        reader = readers[second]
        others = _predictions(session, second, reader, ids, texts, lambda share: progress(0.5 + share / 2))
    if "dictionary" in order.needs:
        words = [dictionary_spans(session, document.text) for document in texts]
    if order.name == "least_confident":
        return dict.fromkeys(ids)
    tagger = readers.get(run or "")
    pool = Pool(texts, labelled, tagger, predicted, others, words)
    return dict(zip(ids, order.make().score(pool, progress), strict=True))


def _tag_many(session: Session, needed: Sequence[str], task: Task[None]) -> None:
    """Where many documents lack predictions of these runs, have several processes make them."""
    if not (bulk_tagging.installed() and bulk_tagging.would_help(session.workbench)):
        return
    if session.workbench.limits.demo:
        return
    for run in needed:
        missing = predictions.missing(session.workspace, run)
        if len(missing) >= bulk_tagging.MANY:
            bulk_tagging.tag(
                session, run, missing, bulk_tagging.choices()[-1],
                lambda done, total: task.progress("", done / max(1, total)),
            )  # fmt: skip


def _own_tagger(session: Session, run: str) -> Tagger:
    """A separate instance of the run's tagger, so that the active one stays free."""
    from core.taggers.base.model_folder import load_tagger

    taggers = session.workbench.taggers
    tagger = load_tagger(taggers.model_folder(run))
    lexicon = getattr(tagger, "lexicon", None)
    if lexicon is not None:
        tagger.lexicon = taggers.laid_over(lexicon, session.project_id)
    return tagger


def _predictions(
    session: Session, run: str, tagger: Any, ids: Sequence[int], texts: Sequence[Document], progress: Any
) -> list[Sequence[Span]]:
    """The predictions of ``run``; missing ones are computed and stored."""
    from core.taggers.base.tagging import tag

    spans: dict[int, Sequence[Span]] = dict(predictions.of_documents(session.workspace, run, ids))
    missing = [place for place, id_ in enumerate(ids) if id_ not in spans]
    predicted = tag(
        tagger, [texts[place] for place in missing], progress=lambda done, total: progress(done / total)
    )
    predictions.put(session.workspace, run, predicted)
    for place, document in zip(missing, predicted, strict=True):
        spans[ids[place]] = document.spans
    return [spans[id_] for id_ in ids]
