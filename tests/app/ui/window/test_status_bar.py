"""What the bar at the bottom says."""

import pytest

from app.services.device import DeviceProbe
from app.services.limits.table import ALONE, Limits
from app.ui import progress
from app.ui.window import status_bar
from core.store.annotation import annotations as stored
from core.store.project import projects
from core.store.run import runs
from core.text import Span
from core.training.run.run_state import RunState
from tests.app.asking import asked
from tests.store.by_hand import number_of


def test_an_idle_app_says_so(session):
    status = asked(status_bar.status, session)
    assert (status["device"], status["why"]) == ("cpu", "no GPU here")
    assert (status["active_run"], status["job"], status["saved_at"]) == ("no tagger yet", None, None)
    session.language = "zh"
    assert asked(status_bar.status, session)["active_run"] == "还没有标注模型"


def test_an_unknown_device_is_not_guessed(session):
    session.workbench.device = DeviceProbe("auto")
    assert asked(status_bar.status, session)["device"] == "…"


@pytest.mark.parametrize("hosted", [False, True])
def test_the_active_tagger_is_read_ahead_once_the_page_is_there_but_not_for_visitors_of_a_demo(
    session, monkeypatch, hosted
):
    ahead = []
    monkeypatch.setattr(session.workbench.taggers, "read_ahead", ahead.append)
    session.workbench.limits = Limits() if hosted else ALONE
    asked(status_bar.status, session)
    assert ahead == [], "first what the page itself asks for"
    session.opened -= status_bar.UNDISTURBED_SECONDS
    asked(status_bar.status, session)
    assert ahead == ([] if hosted else [session.project_id])


@pytest.mark.parametrize(
    ("scores", "line"),
    [
        ({"test": {"micro": {"f1": 0.946}}, "dev": {"micro": {"f1": 0.5}}}, "active: demo (F1 94.6)"),
        ({"test": None, "dev": {"micro": {"f1": 0.5}}}, "active: demo (F1 50.0)"),
        ({}, "active: demo"),
    ],
)
def test_the_active_tagger_is_named_with_its_score(session, tmp_path, scores, line):
    runs.register(session.workspace, session.project_id, "demo", "flat", tmp_path, scores)
    projects.set_active(session.workspace, session.project_id, "demo")
    assert status_bar.active_line(session) == line
    runs.describe(session.workspace, "demo", title="Baseline", note="dropout 0.3")
    told = asked(status_bar.status, session)
    assert (told["active_run"], told["active_note"]) == (line.replace("demo", "Baseline"), "dropout 0.3")


def test_the_last_save_is_shown(filled):
    document = number_of(filled.workspace, filled.project_id, "raw")
    saved = stored.save(filled.workspace, document, 0, [Span(0, 2, "PER")], user="lin")
    assert asked(status_bar.status, filled)["saved_at"] == saved.at


@pytest.mark.parametrize(
    ("state", "name", "left"),
    [
        (RunState("flat-0001", "running", remaining_seconds=21.4), "training flat-0001", "0:21 left"),
        (RunState("flat-0001", "queued"), "flat-0001 is waiting", ""),
    ],
)
def test_a_job_says_what_it_does_and_how_long(session, state, name, left):
    line = status_bar.job_line(state, session)
    assert (line["name"], line["left"]) == (name, left)


@pytest.mark.parametrize(
    ("status", "text"),
    [("finished", "✓ Baseline finished"), ("failed", "✗ Baseline failed"), ("cancelled", None)],
)
def test_the_end_of_a_job_is_told_once_with_its_seconds(session, monkeypatch, status, text):
    run = runs.create(session.workspace, session.project_id, "flat").name
    runs.describe(session.workspace, run, title="Baseline", note="")
    jobs = session.workbench.jobs
    states = {
        True: RunState(run, "running"),
        False: RunState(run, status, started_at=100.0, updated_at=145.0),
    }
    monkeypatch.setattr(jobs, "running", lambda: states[True] if going else None)
    monkeypatch.setattr(jobs, "state", lambda name: states[going])
    going = True
    assert asked(status_bar.status, session)["ended"] == []
    going = False
    expected = [] if text is None else [{"text": text, "seconds": 45.0}]
    assert asked(status_bar.status, session)["ended"] == expected
    assert asked(status_bar.status, session)["ended"] == []


@pytest.mark.parametrize(
    ("seconds", "shown"), [(0, "0:00"), (59.6, "1:00"), (61, "1:01"), (3723, "1:02:03"), (-5, "0:00")]
)
def test_a_time_reads_like_a_clock(seconds, shown):
    assert progress.clock(seconds) == shown


def test_only_the_running_job_can_be_cancelled(session, monkeypatch):
    cancelled = []
    monkeypatch.setattr(session.workbench.jobs, "running", lambda: RunState("flat-0001", "running"))
    monkeypatch.setattr(session.workbench.jobs, "cancel", cancelled.append)
    for run in ("../../etc", "flat-0002"):
        asked(status_bar.cancel, session, {"run": run})
    assert cancelled == []
    assert asked(status_bar.cancel, session, {"run": "flat-0001"})["message"] == "stopping"
    assert cancelled == ["flat-0001"]
