"""The training recipe: an experiment on what makes deep models trainable."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import prod
from typing import Any

import gradio as gr

from app.i18n import _
from app.services.errors import AppError
from app.services.rights import needs
from app.services.session import Session
from app.services.tasks import Task
from app.train.figures.recipe import recipe_errors
from app.train.recipe_process import train_recipes
from app.ui.frame import Frame
from app.ui.progress import bar
from core.training.strategies.settings import INITIALISATIONS

CHOICE_NAMES = {
    "learning_rates": _("learning rate"),
    "warm_ups": _("warm-up, in steps"),
    "initialisations": _("first weights"),
    "depths": _("layers"),
    "batches": _("batch size"),
}


COLUMN_NAMES = {
    "learning_rate": _("learning rate"),
    "warm_up": _("warm-up"),
    "initialisation": _("first weights"),
    "depth": _("layers"),
    "batch": _("batch"),
    "error": _("error"),
    "seconds": _("seconds"),
}


# Every list with the values to choose from and those chosen at first.
CHOICES: dict[str, tuple[tuple[Any, ...], tuple[Any, ...]]] = {
    "learning_rates": ((0.0003, 0.001, 0.003, 0.01, 0.03), (0.003, 0.01)),
    "warm_ups": ((0, 20, 60, 120), (0, 60)),
    "initialisations": (INITIALISATIONS, ("own", "xavier_uniform", "normal")),
    "depths": ((1, 2, 4, 6, 12), (2, 6)),
    "batches": ((4, 16, 64, 256), (16, 64)),
}
COLUMNS = ("learning_rate", "warm_up", "initialisation", "depth", "batch", "error", "seconds")
SHOWN = "recipe"  # where a session remembers its experiment


@dataclass
class Experiment:
    """A session's experiment: the task, whose rows are the trained recipes, and their total number."""

    task: Task[None]
    count: int


@dataclass
class RecipeComponents:
    """The choices, the buttons, and the results."""

    choices: list[gr.CheckboxGroup]
    steps: gr.Slider
    start: gr.Button
    stop: gr.Button
    progress: gr.HTML
    figure: gr.Plot
    table: gr.Dataframe


def layout(frame: Frame) -> RecipeComponents:
    """Build the page where it is called: inside a tab or an accordion."""
    texts = frame.texts
    texts.bind(
        gr.Markdown(elem_classes="ll-purpose"),
        value=_(
            "Learning rate, warm-up and depth: a small Transformer learns (a + 1)² + b once for each "
            "combination of the values below."
        ),
    )
    choices = []
    with gr.Row(elem_classes="ll-fields"):
        for name, (values, first) in CHOICES.items():
            group = gr.CheckboxGroup(
                [(str(value), value) for value in values], value=list(first), elem_id=f"recipe-{name}"
            )
            choices.append(texts.bind(group, label=CHOICE_NAMES[name]))
        steps = texts.bind(
            gr.Slider(50, 1000, value=200, step=50, elem_id="recipe-steps"),
            label=_("Steps of every training"),
        )
    with gr.Row(elem_classes="ll-buttons"):
        start = texts.bind(
            gr.Button(variant="primary", elem_id="recipe-start"), value=_("Train all combinations")
        )
        stop = texts.bind(gr.Button(visible=False, elem_id="recipe-stop"), value=_("Stop"))
    progress = gr.HTML(elem_id="recipe-progress", min_height=36)
    figure = gr.Plot(show_label=False, visible=False, elem_id="recipe-figure", elem_classes="ll-figure")
    texts.bind(
        gr.Markdown(elem_classes="ll-how"),
        value=_(
            "Each cell is the error on held-out pairs relative to their variance: 1 is no better "
            "than predicting the mean, and ∞ means divergence."
        ),
    )
    table = gr.Dataframe(
        datatype="str", interactive=False, show_label=False, visible=False, max_height=420, buttons=[],
        elem_id="recipe-table",
    )  # fmt: skip
    return RecipeComponents(choices, steps, start, stop, progress, figure, table)


@needs("train")
def train_all(session: Session, steps: int, *chosen: list[Any]) -> Iterator[dict[str, Any]]:
    """Train every combination and show each result as it comes.

    Raises:
        AppError: a list has no value, this is the demo, or the process failed.
    """
    if session.workbench.limits is not None:
        raise AppError(
            "The demo does not run this experiment, which takes minutes of CPU time. Run LatticeLens on "
            "your own machine for it."
        )
    if not all(chosen):
        raise AppError("Choose at least one value for each.")
    stop(session)
    choices = dict(zip(CHOICES, chosen, strict=True))
    task = session.workbench.tasks.start(
        None, lambda task: train_recipes(task, choices, int(steps)), "recipe"
    )
    session.memory[SHOWN] = experiment = Experiment(task, prod(map(len, chosen)))
    try:
        for _ in task.changes():
            if session.memory.get(SHOWN) is not experiment:
                break  # superseded, or the project changed
            yield show(session)
    finally:
        if task.running:
            task.stop()  # the session is gone
    if task.error is not None:
        raise task.error
    yield show(session)


@needs("train")
def stop(session: Session) -> None:
    """Stop the session's experiment; its results stay."""
    experiment = session.memory.get(SHOWN)
    if isinstance(experiment, Experiment):
        experiment.task.stop()


def show(session: Session) -> dict[str, Any]:
    """The current state of the session's experiment."""
    experiment = session.memory.get(SHOWN)
    if not isinstance(experiment, Experiment):
        hidden = gr.update(visible=False)
        return {
            "start": gr.update(interactive=True),
            "stop": hidden,
            "progress": "",
            "figure": hidden,
            "table": hidden,
        }
    task, count = experiment.task, experiment.count
    running, rows = task.running, list(task.rows)
    done = len(rows)
    left = ""
    if running and done:
        left = f"{sum(row['seconds'] for row in rows) / done * (count - done):.0f} s"
    message = (
        _("{done} of {count} trained")
        if running
        else _("All {count} trained in {seconds} s.")
        if done == count
        else _("Stopped after {done} of {count}.")
    )
    line = session._(message, done=done, count=count, seconds=f"{task.seconds:.0f}")
    return {
        "start": gr.update(interactive=not running),
        "stop": gr.update(visible=running),
        "progress": bar(done / count, line, left),
        "figure": gr.update(
            value=recipe_errors(rows, session.language) if rows else None, visible=bool(rows)
        ),
        "table": gr.update(value=table_of(session, rows), visible=bool(rows)),
    }


def table_of(session: Session, rows: list[dict[str, Any]]) -> dict[str, Any]:
    """The rows as a table, by increasing error, diverged ones last."""
    best_first = sorted(rows, key=lambda row: (row["error"] is None, row["error"]))
    return {
        "headers": [session._(COLUMN_NAMES[name]) for name in COLUMNS],
        "data": [[_shown(row[name]) for name in COLUMNS] for row in best_first],
    }


def _shown(value: Any) -> str:
    if value is None:
        return "∞"
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def wire(components: RecipeComponents, frame: Frame) -> None:
    """Connect the page's events."""
    c = components
    shown = [c.start, c.stop, c.progress, c.figure, c.table]
    frame.on([c.start.click], train_all, [c.steps, *c.choices], shown, concurrency_limit=2)
    frame.on([c.stop.click], stop, [], [])
    frame.on_show("train", show, shown)
