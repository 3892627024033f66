"""The log tells programs what happened, in the order of the commits, and nothing of other projects."""

import pytest

from core.store.annotation import annotations
from core.store.db.errors import PayloadError
from core.store.document import documents, trash
from core.store.label import labels
from core.store.project import event_log, members, projects
from core.store.run import runs
from core.text import Document, LabelSet, Span
from tests.store.separate import separate


@pytest.fixture
def project(workspace):
    made = projects.create(workspace, "news")
    labels.put(workspace, made.id, LabelSet().extended(["PER"]))
    return made


def told(workspace, project_id, **options):
    events = event_log.since(workspace, project_id, **options)
    return [(event.kind, event.user, event.document_id, event.revision, event.run) for event in events]


def test_what_happens_to_a_document_is_told_in_order(workspace, project):
    (id_,) = documents.add(workspace, project.id, [Document("a", "张三在北京")], user="lin").ids
    annotations.save(workspace, id_, 0, [Span(0, 2, "PER")], user="mia")
    annotations.set_status(workspace, id_, "done", user="mia")
    annotations.save(workspace, id_, 2, [], user="ana", status="done")
    annotations.save(workspace, id_, 3, [], user="ana", status="done")  # changes nothing
    assert told(workspace, project.id) == [
        ("documents.imported", "lin", None, None, None),
        ("document.saved", "mia", id_, 1, None),
        ("document.saved", "mia", id_, 2, None),
        ("document.done", "mia", id_, 2, None),
        ("document.saved", "ana", id_, 3, None),
    ]
    assert event_log.since(workspace, project.id)[0].count == 1


def test_a_refused_save_and_a_repeated_import_tell_nothing(workspace, project):
    (id_,) = documents.add(workspace, project.id, [Document("a", "张三")]).ids
    last = event_log.latest(workspace, project.id)
    with pytest.raises(PayloadError):
        annotations.save(workspace, id_, 0, [{"start": 0, "end": 9, "label": "PER"}], user="mia")
    documents.add(workspace, project.id, [Document("a", "张三")])
    assert event_log.latest(workspace, project.id) == last


def test_runs_are_told_once_when_they_finish_and_whenever_another_is_active(workspace, project):
    names = [runs.create(workspace, project.id, "flat").name for _ in range(2)]
    for status in ("running", "finished", "finished"):
        runs.set_status(workspace, names[0], status)
    projects.set_active(workspace, project.id, names[0])
    projects.set_active(workspace, project.id, names[0])
    projects.set_active(workspace, project.id, names[1])
    projects.roll_back(workspace, project.id)
    assert [(kind, run) for kind, _, _, _, run in told(workspace, project.id)] == [
        ("run.finished", names[0]),
        ("run.active", names[0]),
        ("run.active", names[1]),
        ("run.active", names[0]),
    ]


def test_whose_version_was_saved_is_told(workspace, project):
    separate(workspace, project)
    user = next(member.user for member in members.of(workspace, project.id) if member.role == "annotator")
    with workspace.reading() as db:
        row = db.execute("SELECT document_id FROM assignments WHERE user = ?", (user,)).fetchone()
    before = event_log.latest(workspace, project.id)
    annotations.save(workspace, row[0], 0, [], user=user, annotator=user, status="done")
    events = event_log.since(workspace, project.id, before)
    assert [(event.kind, event.annotator) for event in events] == [
        ("document.saved", user),
        ("document.done", user),
    ]


def test_pages_join_without_a_gap_and_numbers_are_never_used_again(workspace, project):
    other = projects.create(workspace, "other")
    for number in range(5):
        documents.add(workspace, project.id, [Document(str(number), f"text {number}")])
        documents.add(workspace, other.id, [Document(str(number), f"text {number}")])
    whole = event_log.since(workspace, project.id)
    read, after = [], 0
    while page := event_log.since(workspace, project.id, after, limit=2):
        read += page
        after = page[-1].id
    assert read == whole
    last = event_log.latest(workspace, other.id)
    trash.trash_project(workspace, other.id)
    trash.empty_project(workspace, other.id)
    documents.add(workspace, project.id, [Document("new", "new")])
    assert event_log.latest(workspace, project.id) > last


@pytest.mark.parametrize("options", [{"after": -1}, {"after": 2**63}, {"limit": 0}, {"limit": 1001}])
def test_numbers_out_of_range_are_refused(workspace, project, options):
    with pytest.raises(PayloadError, match="number 0 on"):
        event_log.since(workspace, project.id, **options)


def test_an_unknown_kind_is_refused_and_known_ones_are_chosen(workspace, project):
    documents.add(workspace, project.id, [Document("a", "text")])
    assert told(workspace, project.id, kinds=["run.finished"]) == []
    with pytest.raises(PayloadError, match=r"documents\.imported"):
        event_log.since(workspace, project.id, kinds=["document.read"])
