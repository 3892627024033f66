"""What is done with many documents, as the browser asks for it."""

import pytest

from app.data import bulk
from app.data.bulk import BULK, BulkOrder, UndoStep
from app.services.errors import AppError
from app.ui.filter_fields import FilterFields
from core.store.annotation import annotations
from core.store.db.errors import NotFound
from core.store.document import documents
from core.store.label import labels
from core.store.project import members, projects
from core.store.project.members import NotAllowed
from core.store.queue import queue
from core.store.queue.filter import Filter
from core.store.run import predictions, runs
from core.text import Document, LabelSet, Span


@pytest.fixture
def filled(session):
    """Ten documents, half of them news, and a run that suggests a span in each."""
    workspace, project = session.workspace, session.project_id
    labels.put(workspace, project, LabelSet().extended(["ORG"]))
    given = [
        Document(f"d{at}", f"{at}青禾市医院", meta={"genre": "blog" if at % 2 else "news"})
        for at in range(10)
    ]
    ids = documents.add(workspace, project, given).ids
    run = runs.create(workspace, project, "flat").name
    projects.set_active(workspace, project, run)
    for number in ids:
        predictions.put_one(workspace, run, number, [Span(1, 6, "ORG", 0.9)])
    return session, ids, run


def carried_out(session, started):
    """The state after the task has ended."""
    assert started["number"]
    assert BULK.of(session).wait(60)
    return bulk.bulk_state(session)


def order(session, change, to="", **more):
    return carried_out(session, bulk.start_bulk(session, BulkOrder(change=change, to=to, **more)))


def found(session, **which):
    return [row.id for row in queue.page(session.workspace, session.project_id, Filter(**which)).rows]


def test_all_that_match_the_filter_are_changed_and_changed_back(filled):
    session, ids, _ = filled
    news = FilterFields(meta=[["genre", "news"]])
    done = order(session, "status", "ignored", filter=news, reason="old")
    assert (done["documents"], done["change"], done["to"], done["error"]) == (5, "status", "ignored", "")
    assert found(session, status="ignored") == list(ids[::2])
    offered = bulk.list_bulk(session)["undo"]
    assert (offered["step"], offered["documents"]) == (done["step"], 5)
    undone = carried_out(session, bulk.undo_bulk(session, UndoStep(step=done["step"])))
    assert (undone["kind"], undone["documents"]) == ("undo", 5)
    assert found(session, status="ignored") == []
    assert bulk.list_bulk(session)["undo"] is None


def test_suggestions_are_previewed_and_accepted(filled):
    session, ids, run = filled
    asked = BulkOrder(change="accept", to=run, ids=list(ids[:4]), threshold=0.5)
    preview = bulk.preview_accept(session, asked)
    assert (preview["spans"], preview["documents"], len(preview["examples"])) == (4, 4, 4)
    one = preview["examples"][0]
    assert (one["before"], one["surface"], one["after"], one["label"]) == ("0", "青禾市医院", "", "ORG")
    assert order(session, "accept", run, ids=list(ids[:4]))["documents"] == 4
    assert annotations.current(session.workspace, ids[0]).document.spans[0].label == "ORG"


def test_nothing_selected_and_runs_of_others_are_refused(filled):
    session, ids, _ = filled
    with pytest.raises(AppError, match="Select"):
        bulk.start_bulk(session, BulkOrder(change="trash", ids=[]))
    for change in ("accept", "tag"):
        with pytest.raises(NotFound):
            bulk.start_bulk(session, BulkOrder(change=change, to="flat-9", ids=[ids[0]]))
    assert found(session) == list(ids)


def test_a_person_is_offered_what_their_role_may_do(filled):
    session, ids, run = filled
    assert bulk.list_bulk(session)["actions"] == ["status", "split", "tag", "accept", "trash"]
    assert bulk.list_bulk(session)["active"] == run
    workspace, project = session.workspace, session.project_id
    for user, role in (("mia", "manager"), (session.user, "reviewer")):
        members.put(workspace, project, user, role, by="mia")
    assert bulk.list_bulk(session)["actions"] == ["status", "accept"]
    members.put(workspace, project, session.user, "annotator", by="mia")
    assert bulk.list_bulk(session)["actions"] == []
    for change, to in (("status", "done"), ("split", "dev"), ("trash", ""), ("tag", run), ("accept", run)):
        with pytest.raises(NotAllowed):
            bulk.start_bulk(session, BulkOrder(change=change, to=to, ids=list(ids)))
