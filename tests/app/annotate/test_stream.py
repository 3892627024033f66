"""What the stream reads ahead: the documents of the queue that have suggestions."""

import pytest

from app.annotate import stream
from app.services.session import Sessions
from core.store.annotation import annotations
from core.store.document import documents
from core.store.label import labels
from core.store.project import assignments, members, projects
from core.store.queue import bulk
from core.store.run import predictions, runs
from core.text import Document, LabelSet, Span
from tests.app.asking import Asking
from tests.store.by_hand import add_words

SCORES = (0.9, 0.2, 0.6, 0.4)


@pytest.fixture(autouse=True)
def patient(monkeypatch):
    """A busy machine must not make a reply end early."""
    monkeypatch.setattr(stream, "SECONDS", 600)


@pytest.fixture
def session(workbench):
    workspace, project = workbench.workspace, workbench.first_project()
    projects.rename(workspace, project, "news")
    labels.put(workspace, project, LabelSet().extended(["NAME", "ORG"]))
    return Sessions(lambda token: workbench).open("lin", "en")


@pytest.fixture
def ask(session):
    """The page of lin; ``session`` is hers."""
    sessions = Sessions(lambda token: session.workbench)
    opened = sessions.open("lin", "en")
    return Asking(sessions, opened.token)


@pytest.fixture
def numbers(session):
    """Four documents with one suggestion of the active run each, and one without any."""
    workspace, project = session.workspace, session.project_id
    texts = [f"林晓在第{number}篇。" for number in range(5)]
    ids = documents.add(workspace, project, [Document(text, text) for text in texts]).ids
    run = runs.create(workspace, project, "flat").name
    for number, score in zip(ids, SCORES, strict=False):
        predictions.put_one(workspace, run, number, [Span(0, 2, "NAME", score)])
    projects.set_active(workspace, project, run)
    return list(ids)


def read(ask, **query):
    reply = ask.told("read_stream", **query)
    return [state["document"]["id"] for state in reply["documents"]], reply["after"]


def test_only_documents_with_suggestions_come_and_the_end_is_told(ask, numbers):
    assert read(ask) == (numbers[:4], None)
    (state, *_) = ask.told("read_stream")["documents"]
    assert state["suggestions"] == [{"start": 0, "end": 2, "label": "NAME", "source": "tagger", "score": 0.9}]
    assert state["document"]["revision"] == 0
    assert state["active_run"]["answered"] is True


def test_the_order_and_the_filters_are_those_of_the_queue(ask, numbers):
    assert read(ask, order="least_confident")[0] == [numbers[at] for at in (1, 3, 2, 0)]
    assert read(ask, filter={"search": "第2篇"})[0] == [numbers[2]]


def test_documents_that_are_done_or_ignored_are_left_out_unless_they_are_asked_for(ask, session, numbers):
    annotations.save(session.workspace, numbers[0], 0, [], user="lin", status="done")
    annotations.set_status(session.workspace, numbers[1], "ignored", user="lin")
    assert read(ask)[0] == numbers[2:4]
    assert read(ask, filter={"status": "done"})[0] == [numbers[0]]


def test_it_is_read_piece_by_piece_and_loses_nothing_that_is_answered_meanwhile(
    ask, session, numbers, monkeypatch
):
    monkeypatch.setattr(stream, "MOST_DOCUMENTS", 2)
    first, after = read(ask, filter={"status": "preannotated"})
    assert (first, after) == (numbers[:2], numbers[1])
    for number in first:
        annotations.save(session.workspace, number, 0, [Span(0, 2, "NAME")], user="lin", action="accept")
    assert read(ask, filter={"status": "preannotated"}, after=after) == (numbers[2:4], numbers[3])
    monkeypatch.setattr(stream, "SECONDS", -1.0)
    assert read(ask) == (numbers[:1], numbers[0])


def test_few_suggestions_among_many_documents_are_looked_for_in_several_steps(ask, numbers, monkeypatch):
    monkeypatch.setattr(stream, "LOOKED_THROUGH", 2)
    assert read(ask, after=numbers[3]) == ([], None)
    assert read(ask, after=numbers[1]) == (numbers[2:4], numbers[3])


def test_suggestions_of_the_dictionary_come_without_a_tagger(ask, session):
    add_words(session.workspace, session.project_id, {"青禾大学": "ORG"}, user="mei")
    ids = documents.add(session.workspace, session.project_id, [Document("a", "在青禾大学。")]).ids
    assert read(ask) == (list(ids), None)


def test_somebody_is_asked_about_the_documents_assigned_to_them_only(ask, session, numbers):
    workspace, project = session.workspace, session.project_id
    members.put(workspace, project, "mei", "manager", by="mei")
    members.put(workspace, project, "lin", "annotator", by="mei")
    assignments.set_plan(workspace, project, "separate", 1, by="mei")
    bulk.apply(workspace, project, [numbers[2]], bulk.Order("assign", "lin"), user="mei")
    assert read(ask)[0] == [numbers[2]]


def test_what_is_no_document_is_refused(ask, numbers):
    assert ask.refused("read_stream", after="../etc")[0] == "invalid"
    assert ask.refused("read_stream", order="by magic")[0] == "invalid"
    assert read(ask, after=10**9) == ([], None)
