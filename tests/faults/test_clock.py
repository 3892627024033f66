"""A clock that jumps: order is that of the revisions, and nothing that counts time goes wrong."""

import time

import pytest

from core.store import Workspace
from core.store.annotation import annotations
from core.store.annotation.events import at_revision
from core.store.document import documents, trash
from core.store.label import changes as label_changes
from core.store.project import event_log, journal
from core.store.queue import queue
from core.store.review import activity, pace
from core.text import Document
from tests.faults.changes import fill, numbers_of, save_of, sound

YEAR = 365 * 86_400 * 10**9
JUMPS = (0, -YEAR, YEAR, -10 * YEAR, 1, -1, 5 * YEAR)


@pytest.mark.exhaustive
def test_edits_under_a_clock_that_jumps_stay_in_order_and_can_be_undone(tmp_path, monkeypatch):
    project = fill(tmp_path)
    started, jump = time.time_ns(), [0]
    monkeypatch.setattr(time, "time_ns", lambda: started + jump[0])
    with Workspace.open(tmp_path) as workspace:
        number, other = numbers_of(workspace, "own-")[:2]
        for at, jump[0] in enumerate(JUMPS, start=1):
            assert save_of(workspace, number, at, "lin") == at + 1
            documents.add(workspace, project, [Document(f"came-{at}", f"第{at}篇")])
            label_changes.merge(workspace, project, "LOC", "ORG", user="mia")
            (change, *_) = label_changes.history(workspace, project, 1)
            journal.undo(workspace, project, change.id, user="mia")
            trash.trash_documents(workspace, project, [other])
            trash.restore_documents(workspace, project, [other])
        events = annotations.history(workspace, number)
        assert [event.revision for event in events] == list(range(1, len(JUMPS) + 2))
        current = annotations.current(workspace, number)
        assert set(at_revision(events, len(events))[0]) == set(current.document.spans)
        annotations.revert(workspace, number, 1, user="lin", base_revision=len(events))
        assert annotations.current(workspace, number).document.spans == at_revision(events, 1)[0]
        assert len(queue.page(workspace, project, limit=500).rows) == 24 + len(JUMPS)
        sound(workspace)
        paced = pace.pace(activity.saves(workspace, project))
        assert 0 <= paced.hours < 1
        assert sum(sum(day.values()) for day in activity.labelled_by_day(workspace, project).values()) >= 1
        numbers = [event.id for event in event_log.since(workspace, project, 0)]
        assert numbers == sorted(numbers)
