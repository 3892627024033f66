"""Tasks of a project: found by everybody who has it open, their last result kept over a restart."""

import pytest

from app.i18n import _
from app.services.background.project_tasks import ProjectTask
from app.services.background.tasks import Tasks
from app.services.errors import AppError
from app.services.session import Session
from core.store.project import projects
from core.store.project import settings as project_settings

BUSY = _(
    "New words are already being searched for in this project. Wait until that has finished, or stop it."
)
KEPT = ProjectTask("words_found", BUSY, dump=lambda result: [result], load=lambda stored: stored[0])


def test_everybody_in_the_project_finds_its_task(session, hand):
    session.workbench.tasks = Tasks(hand)
    task = KEPT.start(session, lambda task: "found")
    other = Session("other", "ana", session.workbench, session.project_id)
    assert KEPT.of(other) is task
    with pytest.raises(AppError, match="already being searched for"):
        KEPT.start(other, lambda task: None)
    other.turn_to(projects.create(session.workspace, "letters").id)
    assert KEPT.of(other) is None
    KEPT.stop(session)
    hand.run()
    assert task.stopped
    assert KEPT.last(session) is None


def test_the_last_result_outlasts_failures_and_the_app(session, hand):
    def fail(task):
        raise AppError(BUSY)

    session.workbench.tasks = Tasks(hand)
    for work in (lambda task: "first", lambda task: "second", fail):
        KEPT.start(session, work)
        hand.run()
    assert KEPT.last(session) == "second"
    session.workbench.tasks = Tasks(hand)  # as after a restart
    assert KEPT.last(session) == "second"
    assert KEPT.of(session) is None


def test_what_another_version_kept_is_no_result_and_what_finds_no_room_lasts_as_long_as_the_app(
    session, hand, monkeypatch
):
    project_settings.write(session.workspace, session.project_id, "words_found", 7)
    assert KEPT.last(session) is None
    session.workbench.tasks = Tasks(hand)
    monkeypatch.setattr("app.services.background.project_tasks.LONGEST", 3)
    KEPT.start(session, lambda task: "too long")
    hand.run()
    assert KEPT.last(session) == "too long"
    session.workbench.tasks = Tasks(hand)
    assert KEPT.last(session) is None
