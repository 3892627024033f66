"""The recipe's page: choices in, rows as they come, stopped when asked."""

from __future__ import annotations

import sys

import gradio as gr
import pytest

from app.i18n.binding import Texts
from app.services.errors import AppError
from app.services.hosting import Limits
from app.services.session import Sessions
from app.train import recipe as page
from app.train import recipe_process
from app.train.recipe_process import RecipeProcess
from app.ui.frame import Frame

ROWS = [
    {"learning_rate": 0.01, "warm_up": 0, "initialisation": "own", "depth": 6, "batch": 16, "error": None,
     "seconds": 1.5},
    {"learning_rate": 0.01, "warm_up": 60, "initialisation": "own", "depth": 6, "batch": 16,
     "error": 0.01234567, "seconds": 0.5},
]  # fmt: skip


@pytest.fixture
def played(monkeypatch):
    """The processes that were begun; each says ``ROWS`` and trains nothing."""
    begun = []

    class Played(RecipeProcess):
        def __init__(self, choices, steps) -> None:
            self.choices, self.steps, self.stopped = choices, steps, False
            begun.append(self)

        def rows(self):
            for row in ROWS:
                if self.stopped:
                    return
                yield row

        def stop(self) -> None:
            self.stopped = True

    monkeypatch.setattr(page, "RecipeProcess", Played)
    return begun


CHOSEN = ([0.01], [0, 60], ["own"], [6], [16])


def test_rows_are_shown_as_they_come(filled, played):
    views = list(page.train_all(filled, 100, *CHOSEN))
    assert [view[0]["interactive"] for view in views] == [False, False, False, True]
    assert [view[1]["visible"] for view in views] == [True, True, True, False]
    assert "0 of 2 trained" in views[0][2]
    assert "1 of 2 trained" in views[1][2]
    assert "2 s" in views[1][2], "what is left is told from what it took so far"
    assert "All 2 trained" in views[3][2]
    assert not views[0][3]["visible"]
    assert [row[5] for row in views[3][4]["value"]["data"]] == ["0.01235", "∞"], "the best first"
    assert played[0].choices["warm_ups"] == [0, 60]
    assert played[0].stopped


def test_stopping_keeps_what_came(filled, played):
    views = page.train_all(filled, 100, *CHOSEN)
    next(views)
    next(views)
    page.stop(filled)
    last = list(views)[-1]
    assert played[0].stopped
    assert "Stopped after 1 of 2" in last[2]
    assert len(last[4]["value"]["data"]) == 1


def test_starting_anew_ends_the_experiment_before(filled, played):
    first = page.train_all(filled, 100, *CHOSEN)
    next(first)
    second = page.train_all(filled, 100, *CHOSEN)
    next(second)
    assert played[0].stopped
    assert not played[1].stopped


def test_what_came_is_shown_again_in_another_language(filled, played):
    assert page.show(filled)[2] == "", "nothing was begun"
    list(page.train_all(filled, 100, *CHOSEN))
    filled.language = "zh"
    shown = page.show(filled)
    assert "2 个已全部训练" in shown[2]
    assert shown[4]["value"]["headers"][0] == "学习率"


def test_another_project_ends_the_experiment(filled, played):
    views = page.train_all(filled, 100, *CHOSEN)
    next(views)
    filled.turn_to(filled.project_id)
    last = list(views)[-1]
    assert played[0].stopped
    assert last[3] == gr.update(visible=False)


def test_an_empty_list_and_the_demo_are_refused(filled, played, monkeypatch):
    with pytest.raises(AppError, match="at least one value"):
        next(page.train_all(filled, 100, [], *CHOSEN[1:]))
    monkeypatch.setattr(filled.workbench, "limits", Limits())
    with pytest.raises(AppError, match="minutes of a whole core"):
        next(page.train_all(filled, 100, *CHOSEN))
    assert not played


def test_the_first_choices_are_among_those_to_choose_from():
    for values, first in page.CHOICES.values():
        assert set(first) <= set(values)


def test_the_page_is_built_and_wired(workbench):
    frame = Frame(Texts(), Sessions(lambda token: workbench))
    with gr.Blocks(analytics_enabled=False) as demo:
        frame.token = gr.Textbox()
        with gr.Tab("train") as frame.tab["train"]:
            components = page.layout(frame)
        page.wire(components, frame)
    assert len(components.choices) == len(page.CHOICES)
    assert len(demo.fns) == 3
    assert [filling.page for filling in frame.fillings] == ["train"]


def test_a_real_process_trains_row_by_row():
    process = RecipeProcess(
        {
            "learning_rates": [0.01],
            "warm_ups": [0, 5],
            "initialisations": ["own"],
            "depths": [1],
            "batches": [4],
        },
        steps=2,
    )
    rows = list(process.rows())
    assert [row["warm_up"] for row in rows] == [0, 5]
    assert all(row["error"] > 0 for row in rows)


def test_a_process_that_fails_says_its_last_line(monkeypatch):
    with pytest.raises(AppError, match=r"--depths.*each 1 to 24"):
        list(RecipeProcess({"depths": [99]}, steps=2).rows())


def test_a_stopped_process_ends_without_an_error(monkeypatch, tmp_path):
    sleeper = tmp_path / "core.py"
    sleeper.write_text("import time\nprint('{}', flush=True)\ntime.sleep(600)\n")
    monkeypatch.setattr(recipe_process, "ROOT", tmp_path)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    process = RecipeProcess({}, steps=2)
    rows = process.rows()
    assert next(rows) == {}
    process.stop()
    assert list(rows) == []
