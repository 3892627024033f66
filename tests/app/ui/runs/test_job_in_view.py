"""A section follows one job: a tick says what is new of it, and nothing of one that went out of view."""

from types import SimpleNamespace

import pytest

from app.ui.runs.job_in_view import JobInView
from core.training.run.run_state import RunState

VIEW, OTHER = JobInView("train", "one"), JobInView("train", "other")


@pytest.fixture
def session():
    return SimpleNamespace(page="train", memory={})


def test_a_tick_asks_for_news_of_the_job_in_view_on_its_page_alone(session):
    asked = []
    news = lambda job: {"asked": asked.append(job) or job}  # noqa: E731
    assert VIEW.tick(session, "a", news) == {}
    VIEW.turn_to(session, "a")
    assert VIEW.tick(session, "a", news) == {"asked": "a"}
    assert VIEW.tick(session, "b", news) == {}
    assert VIEW.tick(session, None, news) == {}
    assert OTHER.tick(session, "a", news) == {}
    session.page = "tag"
    assert VIEW.tick(session, "a", news) == {}
    assert asked == ["a"]


def test_what_comes_after_another_job_or_project_is_in_view_is_dropped(session):
    def turning(job):
        VIEW.turn_to(session, "b")
        return {"drawn": job}

    def leaving(job):
        session.memory = {}  # as `turn_to` of the session has it
        return {"drawn": job}

    for meanwhile in (turning, leaving):
        VIEW.turn_to(session, "a")
        assert VIEW.tick(session, "a", meanwhile) == {}


def test_only_what_has_changed_is_new_until_the_job_is_drawn_anew(session):
    VIEW.turn_to(session, "a")
    state = RunState("a", status="running", fraction=0.5)
    assert VIEW.has_moved(session, state, 1)
    assert not VIEW.has_moved(session, state, 1)
    assert VIEW.has_moved(session, state, 2)
    assert VIEW.has_moved(session, RunState("a", status="running", fraction=0.6), 2)
    assert VIEW.is_new(session, "board", None)
    assert not VIEW.is_new(session, "board", None)
    VIEW.turn_to(session, "a")
    assert VIEW.is_new(session, "board", None)
    assert VIEW.has_moved(session, RunState("a", status="running", fraction=0.6), 2)
