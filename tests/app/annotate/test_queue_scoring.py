"""Scoring the queue in the background over a real store and real, small taggers."""

import threading

import pytest

from app.annotate import queue_scoring
from app.annotate.queue_scoring import NEED_NAMES, SCORING, missing_need
from app.services.errors import AppError
from core.learning.active_learning import mnlp
from core.learning.active_learning.acquisition import Pool
from core.learning.active_learning.catalogue import ORDERS
from core.learning.active_learning.mnlp import Mnlp
from core.store.annotation import annotations
from core.store.document import documents
from core.store.project import projects
from core.store.queue import queue
from core.store.queue import scores as queue_scores
from core.store.run import predictions, runs
from core.taggers.base.model_folder import load_tagger
from core.text import Document, Span
from tests.store.by_hand import add_words
from tests.taggers.small_taggers import small_tagger


def add_run(session, tagger="bilstm_crf", seed=0, activate=True):
    """A finished run with a small tagger in its folder."""
    run = runs.create(session.workspace, session.project_id, tagger)
    small_tagger(tagger, seed).save(run.folder / "model")
    runs.set_status(session.workspace, run.name, "finished")
    if activate:
        projects.set_active(session.workspace, session.project_id, run.name)
    return run.name


@pytest.fixture
def texts(session):
    """Six documents nobody has labelled, and one that is done."""
    known = [Document(f"t{n}", text) for n, text in enumerate(
        ["林晚晴在清河大学教书", "清河", "昨天清河下雨", "林晚晴没去大学", "教书", "今天天气好", "已经完成的"]
    )]  # fmt: skip
    ids = documents.add(session.workspace, session.project_id, known).ids
    annotations.save(session.workspace, ids[6], 0, [Span(0, 2, "PER")], user="lin", status="done")
    return ids


def score(session, name):
    queue_scoring.start(session, name)
    assert SCORING.of(session).wait(60)
    return queue_scoring.state(session, name)


@pytest.mark.parametrize("name", ["mnlp", "viterbi_gap", "boundary", "rare_label", "textrank", "k_centre",
                                  "uncertainty_diversity"])  # fmt: skip
def test_an_order_is_scored_and_the_queue_follows(session, texts, name):
    run = add_run(session)
    before = queue_scoring.state(session, name)
    assert (before.state, before.scored, before.waiting, before.need) == ("missing", 0, 6, "")
    after = score(session, name)
    assert (after.state, after.scored, after.waiting, after.error) == ("ready", 6, 0, "")
    assert after.made_for == after.now == ("texts" if name == "textrank" else run)
    found = queue_scores.of_documents(session.workspace, session.project_id, name, texts)
    sign = -1 if ORDERS[name].highest_first else 1
    order = "highest score" if ORDERS[name].highest_first else "lowest score"
    rows = queue.page(session.workspace, session.project_id, order=order, acquisition=name).rows
    assert [row.id for row in rows] == [*sorted(found, key=lambda id_: (sign * found[id_], id_)), texts[6]]


def test_the_scores_are_those_of_the_strategy(session, texts):
    run = add_run(session)
    score(session, "mnlp")
    waiting = dict(queue_scores.to_score(session.workspace, session.project_id))
    tagger = load_tagger(runs.get(session.workspace, run).model_folder)
    wanted = Mnlp().score(Pool(list(waiting.values()), tagger=tagger), lambda share: None)
    found = queue_scores.of_documents(session.workspace, session.project_id, "mnlp", waiting)
    assert list(found.values()) == pytest.approx(wanted)
    assert queue_scoring.state(session, "in_order").state == "ready"


def test_scores_of_another_run_are_stale_until_scored_again(session, texts):
    first = add_run(session)
    score(session, "mnlp")
    second = add_run(session, seed=1)
    state = queue_scoring.state(session, "mnlp")
    assert (state.state, state.made_for, state.now) == ("stale", first, second)
    assert score(session, "mnlp").state == "ready"


def test_least_confident_predicts_missing_documents(session, texts):
    run = add_run(session)
    predictions.put_one(session.workspace, run, texts[0], [Span(0, 3, "PER", 0.25)])
    assert queue_scoring.state(session, "least_confident").waiting == 5
    assert score(session, "least_confident").waiting == 0
    said = predictions.of_documents(session.workspace, run, range(10_000))
    assert set(said) == set(texts[:6])
    assert said[texts[0]] == (Span(0, 3, "PER", 0.25),), "what was answered is not asked again"


def test_two_runs_are_compared(session, texts):
    other, active = add_run(session, seed=1), add_run(session, seed=0)
    state = score(session, "disagreement")
    assert (state.state, state.made_for) == ("ready", f"{active} + {other}")
    found = queue_scores.of_documents(session.workspace, session.project_id, "disagreement", texts)
    assert all(0.0 <= value <= 1.0 for value in found.values())
    assert set(predictions.of_documents(session.workspace, other, range(10_000))) == set(texts[:6])


def test_the_dictionary_is_compared_and_new_words_make_the_scores_stale(session, texts):
    run = add_run(session)
    for id_ in texts[:6]:
        predictions.put_one(session.workspace, run, id_, [])
    add_words(session.workspace, session.project_id, {"清河": "LOC"}, user="lin")
    score(session, "against_dictionary")
    found = queue_scores.of_documents(session.workspace, session.project_id, "against_dictionary", texts)
    assert [found[id_] for id_ in texts[:6]] == [1.0, 1.0, 1.0, 0.0, 0.0, 0.0]
    add_words(session.workspace, session.project_id, {"大学": "ORG"}, user="lin")
    assert queue_scoring.state(session, "against_dictionary").state == "stale"


@pytest.mark.parametrize(
    ("name", "need"),
    [("mnlp", "tagger"), ("least_confident", "tagger"), ("disagreement", "tagger"), ("rare_label", "tagger")],
)
def test_without_a_tagger_the_order_says_what_it_needs(session, texts, name, need):
    assert queue_scoring.state(session, name).need == str(NEED_NAMES[need])
    with pytest.raises(AppError, match="Train page"):
        queue_scoring.start(session, name)


def test_other_missing_needs_are_named(session):
    documents.add(session.workspace, session.project_id, [Document("a", "清河")])
    add_run(session)
    assert missing_need(session, ORDERS["disagreement"]) == "second"
    assert missing_need(session, ORDERS["against_dictionary"]) == "dictionary"
    assert missing_need(session, ORDERS["rare_label"]) == "labelled"
    assert missing_need(session, ORDERS["k_centre"]) == "", "it can begin from nothing"
    assert set(NEED_NAMES) == {"tagger", "chain", "second", "dictionary", "labelled"}


def test_a_tagger_without_a_chain_fails_in_words(session, texts):
    add_run(session, "dictionary")
    state = score(session, "mnlp")
    assert state.state == "failed"
    assert "Choose another order" in state.error
    assert queue_scores.state(session.workspace, session.project_id, "mnlp").scored == 0


def test_a_model_that_cannot_be_loaded_is_reported(session, texts):
    run = add_run(session)
    (runs.get(session.workspace, run).model_folder / "model.safetensors").unlink()
    state = score(session, "mnlp")
    assert state.state == "failed"
    assert "model.safetensors" in state.error


def test_a_scoring_that_was_stopped_leaves_the_scores_there_were(session, texts, monkeypatch):
    add_run(session)
    score(session, "mnlp")
    before = queue_scores.of_documents(session.workspace, session.project_id, "mnlp", texts)
    add_run(session, seed=2)
    at_work, go_on = threading.Event(), threading.Event()
    original = mnlp.Mnlp.measure

    def slow(self, chains):
        at_work.set()
        go_on.wait(60)
        return original(self, chains)

    monkeypatch.setattr(mnlp.Mnlp, "measure", slow)
    queue_scoring.start(session, "mnlp")
    assert at_work.wait(60)
    assert queue_scoring.state(session, "mnlp").state == "running"
    queue_scoring.start(session, "mnlp")  # asked twice: one work
    with pytest.raises(AppError, match="Another order"):
        queue_scoring.start(session, "boundary")
    SCORING.stop(session)
    go_on.set()
    assert SCORING.of(session).wait(60)
    assert queue_scoring.state(session, "mnlp").state == "stale"
    assert queue_scores.of_documents(session.workspace, session.project_id, "mnlp", texts) == before
