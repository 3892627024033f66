"""The recipe's page: choices in, rows as they come, stopped when asked."""

from __future__ import annotations

import os
import threading
from queue import Queue

import gradio as gr
import pytest

from app.i18n.binding import Texts
from app.services.background.tasks import Task
from app.services.errors import AppError
from app.services.hosting import Limits
from app.services.session import Sessions
from app.train import recipe as page
from app.train import recipe_process
from app.ui.frame import Frame

ROWS = [
    {"learning_rate": 0.01, "warm_up": 0, "initialisation": "own", "depth": 6, "batch": 16, "error": None,
     "seconds": 1.5},
    {"learning_rate": 0.01, "warm_up": 60, "initialisation": "own", "depth": 6, "batch": 16,
     "error": 0.01234567, "seconds": 0.5},
]  # fmt: skip


class Played:
    """Stands for the process: makes a row of ``ROWS`` whenever a test says ``go``."""

    def __init__(self, task, choices) -> None:
        self.task, self.choices = task, choices
        self.go = threading.Semaphore(0)

    def run(self) -> None:
        for row in ROWS:
            assert self.go.acquire(timeout=30)
            self.task.pause()
            self.task.add(row)


@pytest.fixture
def played(monkeypatch):
    """The experiments in the order they begin."""
    begun = Queue()

    def train(task, choices, steps):
        played = Played(task, choices)
        task.when_stopped(played.go.release)
        begun.put(played)
        played.run()

    monkeypatch.setattr(page, "train_recipes", train)
    return begun


CHOSEN = ([0.01], [0, 60], ["own"], [6], [16])


def until(views, line):
    """The first view whose bar says ``line``."""
    return next(view for view in views if line in view["progress"])


def test_rows_are_shown_as_they_come(filled, played):
    views = page.train_all(filled, 100, *CHOSEN)
    first = until(views, "0 of 2 trained")
    assert (first["start"]["interactive"], first["stop"]["visible"]) == (False, True)
    assert first["figure"]["visible"] is False
    experiment = played.get(timeout=30)
    experiment.go.release()
    second = until(views, "1 of 2 trained")
    assert (second["start"]["interactive"], second["stop"]["visible"]) == (False, True)
    assert "2 s" in second["progress"], "what is left is told from what it took so far"
    experiment.go.release()
    *_, last = views
    assert (last["start"]["interactive"], last["stop"]["visible"]) == (True, False)
    assert "All 2 trained" in last["progress"]
    assert [row[5] for row in last["table"]["value"]["data"]] == ["0.01235", "∞"], "the best first"
    assert experiment.choices["warm_ups"] == [0, 60]


def test_stopping_keeps_what_came(filled, played):
    views = page.train_all(filled, 100, *CHOSEN)
    next(views)
    experiment = played.get(timeout=30)
    experiment.go.release()
    until(views, "1 of 2 trained")
    page.stop(filled)
    *_, last = views
    assert "Stopped after" in last["progress"]
    assert experiment.task.stopped
    assert len(last["table"]["value"]["data"]) == 1


def test_starting_anew_ends_the_experiment_before_and_leaving_the_page_ends_it_too(filled, played):
    views = page.train_all(filled, 100, *CHOSEN)
    next(views)
    first = played.get(timeout=30).task
    views = page.train_all(filled, 100, *CHOSEN)
    next(views)
    second = played.get(timeout=30).task
    assert first.wait(30)
    assert (first.stopped, second.running) == (True, True)
    views.close()
    assert second.wait(30)


def test_what_came_is_shown_again_in_another_language(filled, played):
    assert page.show(filled)["progress"] == "", "nothing was begun"
    views = page.train_all(filled, 100, *CHOSEN)
    next(views)
    played.get(timeout=30).go.release(2)
    list(views)
    filled.language = "zh"
    shown = page.show(filled)
    assert "2 个已全部训练" in shown["progress"]
    assert shown["table"]["value"]["headers"][0] == "学习率"


def test_a_process_that_fails_is_told_and_leaves_the_page_ready(filled, monkeypatch):
    def fail(task, choices, steps):
        raise AppError(
            "The experiment ended early: {reason}. Start it again with fewer values.", reason="no core"
        )

    monkeypatch.setattr(page, "train_recipes", fail)
    views = page.train_all(filled, 100, *CHOSEN)
    shown = []
    with pytest.raises(AppError, match="no core"):
        shown.extend(views)
    assert shown[-1]["start"]["interactive"] is True


def test_another_project_ends_the_experiment(filled, played):
    views = page.train_all(filled, 100, *CHOSEN)
    next(views)
    experiment = played.get(timeout=30)
    filled.turn_to(filled.project_id)
    experiment.go.release()
    *_, last = views
    assert experiment.task.wait(30)
    assert last["figure"] == gr.update(visible=False)


def test_an_empty_list_and_the_demo_are_refused(filled, played, monkeypatch):
    with pytest.raises(AppError, match="at least one value"):
        next(page.train_all(filled, 100, [], *CHOSEN[1:]))
    monkeypatch.setattr(filled.workbench, "limits", Limits())
    with pytest.raises(AppError, match="minutes of CPU time"):
        next(page.train_all(filled, 100, *CHOSEN))
    assert played.empty()


def test_the_first_choices_are_among_those_to_choose_from():
    for values, first in page.CHOICES.values():
        assert set(first) <= set(values)


def test_the_page_is_built_and_wired(workbench):
    frame = Frame(Texts(), Sessions(lambda token: workbench))
    with gr.Blocks(analytics_enabled=False) as demo:
        frame.token = gr.Textbox()
        with gr.Tab("train") as frame.tab["train"]:
            components = page.layout(frame)
        frame.name(components)
        page.wire(components, frame)
    assert len(components.choices) == len(page.CHOICES)
    assert len(demo.fns) == 2
    assert [filling.page for filling in frame.fillings] == ["train"]


def train(choices):
    task = Task(lambda task: recipe_process.train_recipes(task, choices, steps=2))
    task.run()
    return task


@pytest.mark.exhaustive
def test_a_real_process_trains_row_by_row():
    task = train(
        {
            "learning_rates": [0.01],
            "warm_ups": [0, 5],
            "initialisations": ["own"],
            "depths": [1],
            "batches": [4],
        }
    )
    assert task.error is None
    assert [row["warm_up"] for row in task.rows] == [0, 5]
    assert all(row["error"] > 0 for row in task.rows)


def test_a_process_that_fails_says_its_last_line():
    task = train({"depths": [99]})
    assert "--depths" in str(task.error)
    assert "each 1 to 24" in str(task.error)


def test_a_stopped_process_ends_without_an_error_and_leaves_no_zombie(monkeypatch, tmp_path):
    sleeper = tmp_path / "core.py"
    sleeper.write_text("import os, time\nprint('{\"pid\": %d}' % os.getpid(), flush=True)\ntime.sleep(600)\n")
    monkeypatch.setattr(recipe_process, "ROOT", tmp_path)
    task = Task(lambda task: recipe_process.train_recipes(task, {}, steps=2))
    thread = threading.Thread(target=task.run)
    thread.start()
    next(None for _ in task.changes() if task.rows)
    task.stop()
    thread.join(30)
    assert task.stopped
    assert task.error is None
    with pytest.raises(ProcessLookupError):  # which a zombie would still be found by
        os.kill(task.rows[0]["pid"], 0)
