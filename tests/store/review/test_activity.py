"""What people did: saves by person, hours without pauses, labels by day, finished copies."""

import numpy as np
import pytest

from core.store.annotation import annotations
from core.store.document import documents, trash
from core.store.label.ids import label_ids
from core.store.review import activity
from core.store.review.pace import PAUSE, pace, times
from core.text import Document, Span

MINUTE = 60_000


@pytest.fixture
def busy(workspace, project):
    """Ann saves at minutes 0, 1, 3 and 60; Bo at 0 and 4; one document came in labelled."""
    ids = documents.add(
        workspace,
        project.id,
        [Document(str(n), f"{n}林知远出任院长", (Span(1, 4, "PER"),) * (n == 3)) for n in range(4)],
    ).ids
    plan = [
        ("ann", 0, 0, [Span(1, 4, "PER")], None),
        ("ann", 1, 0, [Span(1, 4, "PER"), Span(6, 8, "TITLE")], "done"),
        ("ann", 3, 1, [Span(1, 4, "ORG")], None),
        ("ann", 60, 1, [], "done"),
        ("bo", 0, 2, [Span(1, 4, "PER")], None),
        ("bo", 4, 2, [Span(1, 4, "PER")], "done"),
    ]
    for user, minute, place, spans, status in plan:
        at = annotations.current(workspace, ids[place]).revision
        annotations.save(workspace, ids[place], at, spans, user=user, status=status)
        with workspace.writing() as db:
            db.execute(
                "UPDATE events SET at = ? WHERE document_id = ? AND revision = ?",
                (minute * MINUTE, ids[place], at + 1),
            )
    return workspace, project.id, ids


def test_saves_are_by_person_and_time_and_an_import_is_nobodys(busy):
    found = activity.saves(busy[0], busy[1])
    assert found.users == ("ann", "bo")
    assert found.user.tolist() == [0, 0, 0, 0, 1, 1]
    assert (found.at // MINUTE).tolist() == [0, 1, 3, 60, 0, 4]
    assert found.added.tolist() == [1, 1, 1, 0, 1, 0]
    assert found.removed.tolist() == [0, 0, 0, 1, 0, 0]
    assert found.finished.tolist() == [False, True, False, True, False, True]


def test_a_pause_is_no_work_and_the_first_save_after_it_counts_as_the_mean(busy):
    found = activity.saves(busy[0], busy[1])
    # Ann: gaps of 1 and 2 minutes, so 1.5 for each of the two first saves; Bo: one gap of 4, so 4 more.
    assert (times(found) / MINUTE).tolist() == [1.5, 1, 2, 1.5, 4, 4]
    whole = pace(found)
    assert whole.hours == pytest.approx(14 / 60)
    assert (whole.documents, whole.finished, whole.spans) == (3, 3, 4)
    assert whole.documents_per_hour == pytest.approx(3 / (14 / 60))
    ann = pace(found, found.user == 0)
    assert (ann.documents, ann.spans_per_hour) == (2, pytest.approx(3 / 0.1))


def test_too_little_work_has_no_speed(workspace, project, document_id):
    empty = activity.saves(workspace, project.id)
    assert pace(empty).documents_per_hour is None
    annotations.save(workspace, document_id, 0, [Span(0, 3, "PER")], user="ann")
    once = activity.saves(workspace, project.id)
    assert times(once).tolist() == [0]
    assert pace(once).spans_per_hour is None


def test_a_save_exactly_five_minutes_later_is_work_and_a_moment_more_is_a_pause():
    def of(gap):
        at = np.array([0, gap])
        zeros = np.zeros(2, dtype=int)
        return activity.Saves(("a",), zeros, at, zeros, zeros, zeros, zeros.astype(bool))

    assert times(of(PAUSE)).sum() == 2 * PAUSE
    assert times(of(PAUSE + 1)).sum() == 0


def test_labels_are_counted_by_the_day_people_set_them(busy):
    assert activity.labelled_by_day(busy[0], busy[1]) == {0: {"PER": 2, "TITLE": 1, "ORG": 1}}
    moved = activity.labelled_by_day(busy[0], busy[1], utc_offset=-3600)
    assert set(moved) == {-1 + 1}  # SQLite's division rounds towards zero: nothing was saved before 1970


def test_the_trash_counts_for_nothing_and_the_stamp_tells(busy):
    workspace, project, ids = busy
    before = activity.stamp(workspace, project)
    assert activity.stamp(workspace, project) == before
    trash.trash_documents(workspace, project, [ids[2]])
    assert activity.stamp(workspace, project) != before
    assert activity.saves(workspace, project).users == ("ann",)


def test_finished_versions_of_two_people_are_found(workspace, project, document_id):
    with workspace.writing() as db:
        per = label_ids(db, project.id).listed["PER"]
        for user, status, at in (("ann", "done", 5), ("bo", "done", 9), ("chen", "in_progress", 20)):
            db.execute("INSERT INTO versions VALUES (?, ?, 1, '[]', ?, ?)", (document_id, user, status, at))
            db.execute("INSERT INTO spans VALUES (?, ?, 0, 3, ?, NULL, 1, NULL)", (document_id, user, per))
    (found,) = activity.finished_versions(workspace, project.id)
    assert set(found.versions) == {"ann", "bo"}
    assert (found.at, found.length) == (9, 18)
