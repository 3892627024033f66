"""The training recipe: an experiment on what makes deep models trainable."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import gradio as gr

from app.i18n import _
from app.services.errors import AppError
from app.services.rights import needs
from app.services.session import Session
from app.train.figures.recipe import recipe_errors
from app.train.recipe_process import train_recipes
from app.ui.frame import Frame
from app.ui.widgets.lazy_plot import LazyPlot, lazy_plot
from app.ui.widgets.plain_table import plain_table, table_value
from app.ui.work import Following, WorkView, on_work, work_view
from core.training.strategies.settings import INITIALISATIONS

CHOICE_NAMES = {
    "learning_rates": _("learning rate"),
    "warm_ups": _("warm-up, in steps"),
    "initialisations": _("initial weights"),
    "depths": _("layers"),
    "batches": _("batch size"),
}

COLUMN_NAMES = {
    "learning_rate": _("learning rate"),
    "warm_up": _("warm-up"),
    "initialisation": _("initial weights"),
    "depth": _("layers"),
    "batch": _("batch"),
    "error": _("error"),
    "seconds": _("seconds"),
}

# Initialisations with another scale than their own.
SCALED = ("normal:0.002", "normal:0.1", "uniform:0.001", "uniform:0.01", "uniform:0.05")
TASK_NAMES = {
    "numbers": _("two numbers"),
    "vectors": _("ten vectors of 256 numbers (takes far longer)"),
}
# Every list with the values to choose from and those chosen at first.
CHOICES: dict[str, tuple[tuple[Any, ...], tuple[Any, ...]]] = {
    "learning_rates": ((0.0003, 0.001, 0.003, 0.01, 0.03), (0.003, 0.01)),
    "warm_ups": ((0, 20, 60, 120), (0, 60)),
    "initialisations": ((*INITIALISATIONS, *SCALED), ("own", "xavier_uniform", "normal")),
    "depths": ((1, 2, 4, 6, 12), (2, 6)),
    "batches": ((4, 16, 64, 256), (16, 64)),
}
SHOWN = "recipe"  # where a session remembers the rows of its experiment


@dataclass
class RecipeComponents:
    """The choices, the button, and the results."""

    task: gr.Radio
    choices: list[gr.CheckboxGroup]
    steps: gr.Slider
    start: gr.Button
    work: WorkView
    figure: LazyPlot
    table: gr.Dataframe


def layout(frame: Frame) -> RecipeComponents:
    """Build the page where it is called: inside a tab or an accordion."""
    texts = frame.texts
    texts.purpose(
        _(
            "Learning rate, warm-up and depth: a small Transformer learns (a + 1)² + b once for each "
            "combination of the values below."
        )
    )
    task = texts.bind(
        gr.Radio(elem_id="recipe-task"),
        label=_("a and b are"),
        choices=[(name, key) for key, name in TASK_NAMES.items()],
        chosen="numbers",
    )
    choices = []
    with gr.Row(elem_classes="ll-fields"):
        for name, (values, first) in CHOICES.items():
            group = gr.CheckboxGroup(
                [(str(value), value) for value in values], value=list(first), elem_id=f"recipe-{name}"
            )
            choices.append(texts.bind(group, label=CHOICE_NAMES[name]))
        steps = texts.bind(
            gr.Slider(50, 1000, value=200, step=50, elem_id="recipe-steps"), label=_("Steps per training")
        )
    with gr.Row(elem_classes="ll-buttons"):
        start = texts.button(
            _("Train all combinations"), variant="primary", elem_id="recipe-start", elem_classes="ll-long"
        )
    work = work_view(frame, "recipe-work")
    figure = lazy_plot("recipe-figure", visible=False)
    texts.hint(
        _(
            "Each cell is the error on held-out pairs relative to their variance: 1 is no better "
            "than predicting the mean, and ∞ means divergence."
        )
    )
    table = plain_table("recipe-table", visible=False)
    return RecipeComponents(task, choices, steps, start, work, figure, table)


@needs("train")
def train_all(
    session: Session, report: Following, steps: int, task: str, *chosen: list[Any]
) -> dict[str, Any]:
    """Train every combination, a row of the work for each.

    Raises:
        AppError: a list has no value, this is the demo, or the process failed.
    """
    if session.workbench.limits.demo:
        raise AppError(
            "The demo does not run this experiment, which takes minutes of CPU time. Run LatticeLens on "
            "your own machine for it."
        )
    if not all(chosen):
        raise AppError("Choose at least one value for each.")
    memory = session.memory
    memory[SHOWN] = rows = report.task.rows
    train_recipes(report.task, dict(zip(CHOICES, chosen, strict=True)), int(steps), task)
    return results_of(session, rows)


def show(session: Session) -> dict[str, Any]:
    """What the session's last experiment has come to so far."""
    rows = session.memory.get(SHOWN)
    return results_of(session, list(rows) if isinstance(rows, list) else [])


def results_of(session: Session, rows: list[dict[str, Any]], *_inputs: Any) -> dict[str, Any]:
    """Figure and table of the recipes that are trained."""
    return {
        "figure": gr.update(
            value=recipe_errors(rows, session.language) if rows else None, visible=bool(rows)
        ),
        "table": gr.update(value=table_of(session, rows), visible=bool(rows)),
    }


def table_of(session: Session, rows: list[dict[str, Any]]) -> dict[str, Any]:
    """The rows as a table, by increasing error, diverged ones last."""
    best_first = sorted(rows, key=lambda row: (row["error"] is None, row["error"]))
    cells = [[_shown(row[name]) for name in COLUMN_NAMES] for row in best_first]
    return table_value(session, COLUMN_NAMES.values(), cells)


def _shown(value: Any) -> str:
    if value is None:
        return "∞"
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def wire(components: RecipeComponents, frame: Frame) -> None:
    """Connect the page's events."""
    c = components
    shown = [c.figure, c.table]
    on_work(
        frame, c.work, [c.start.click], train_all, [c.steps, c.task, *c.choices], shown,
        doing=_("training recipes"), done=_("recipes trained"), kept=True, rows=results_of,
    )  # fmt: skip
    frame.on_show("train", show, shown)
