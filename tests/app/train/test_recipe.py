"""The recipe's page: choices in, rows as they come, stopped when asked."""

import os
import threading

import gradio as gr
import pytest

from app.i18n.binding import Texts
from app.services.background.tasks import Task
from app.services.errors import AppError
from app.services.limits.table import Limits
from app.services.session import Sessions
from app.train import recipe as page
from app.train import recipe_process
from app.ui.frame import Frame
from app.ui.work import Following

ROWS = [
    {"learning_rate": 0.01, "warm_up": 0, "initialisation": "own", "depth": 6, "batch": 16, "error": None,
     "seconds": 1.5},
    {"learning_rate": 0.01, "warm_up": 60, "initialisation": "own", "depth": 6, "batch": 16,
     "error": 0.01234567, "seconds": 0.5},
]  # fmt: skip


CHOSEN = ("vectors", [0.01], [0, 60], ["own"], [6], [16])


@pytest.fixture
def played(monkeypatch):
    """The process makes ``ROWS``; what it was asked for."""
    asked = []

    def train(work, choices, steps, task):
        asked.append({**choices, "task": task})
        for row in ROWS:
            work.add(row)

    monkeypatch.setattr(page, "train_recipes", train)
    return asked


def test_every_row_is_shown_the_best_first(filled, played):
    task = Task(lambda task: page.train_all(filled, Following(task), 100, *CHOSEN))
    task.run()
    assert task.error is None
    assert [row[5] for row in task.result["table"]["value"]["data"]] == ["0.01235", "∞"]
    assert (played[0]["task"], played[0]["warm_ups"]) == ("vectors", [0, 60])
    first = page.results_of(filled, ROWS[:1], 100, *CHOSEN)
    assert len(first["table"]["value"]["data"]) == 1, "as they come"


def test_what_came_is_shown_again_in_another_language(filled, played):
    assert page.show(filled)["figure"]["visible"] is False, "nothing was begun"
    Task(lambda task: page.train_all(filled, Following(task), 100, *CHOSEN)).run()
    filled.language = "zh"
    shown = page.show(filled)
    assert shown["figure"]["visible"]
    assert shown["table"]["value"]["headers"][0] == "学习率"


def test_an_empty_list_and_the_demo_are_refused(filled, played, monkeypatch):
    report = Following(Task(lambda task: None))
    with pytest.raises(AppError, match="at least one value"):
        page.train_all(filled, report, 100, CHOSEN[0], [], *CHOSEN[2:])
    monkeypatch.setattr(filled.workbench, "limits", Limits())
    with pytest.raises(AppError, match="minutes of CPU time"):
        page.train_all(filled, report, 100, *CHOSEN)
    assert not played


def test_the_first_choices_are_among_those_to_choose_from():
    for values, first in page.CHOICES.values():
        assert set(first) <= set(values)


def test_the_page_is_built_and_wired(workbench):
    frame = Frame(Texts(), Sessions(lambda token: workbench))
    with gr.Blocks(analytics_enabled=False) as demo:
        frame.token, frame.moved = gr.Textbox(), gr.Textbox()
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
    assert (task.done, task.total) == (2, 2)
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
    thread.join(60)
    assert task.stopped
    assert task.error is None
    with pytest.raises(ProcessLookupError):  # which a zombie would still be found by
        os.kill(task.rows[0]["pid"], 0)
