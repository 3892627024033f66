"""The Probing tab: what each layer of a tagger encodes, and how F1 grows with the training documents."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import gradio as gr

from app.i18n import _
from app.inspect.corpus import learning_curve
from app.inspect.corpus.learning_curve import refuse_in_demo
from app.inspect.corpus.probes import probe_runs
from app.inspect.figures.layer_titles import layer_title
from app.inspect.figures.probing import COLUMN_NAMES as FIGURE_NAMES
from app.inspect.figures.probing import MEASURE_NAMES, TASKS, probe_curves
from app.services.errors import AppError
from app.services.session import Session
from app.ui.frame import Frame
from app.ui.headings import panel_heading
from app.ui.numbers import percent
from app.ui.runs.naming import run_choices
from app.ui.widgets.figure_view import FigureView, figure_view
from app.ui.widgets.plain_table import plain_table, table_value
from app.ui.work import Following, WorkView, on_work, work_view
from core.store.run import runs

NAME = "probing"
FIRST = "accuracy"
CHARACTERS = (2000, 6000, 20000)
COLUMN_NAMES = {**FIGURE_NAMES, "held_out": _("scored on")}
COLUMNS = ("run", "layer", "task", "accuracy", "macro_f1", "baseline", "control", "selectivity", "held_out")
SHARES = ("accuracy", "macro_f1", "baseline", "control", "selectivity")
ROWS = "probing-rows"  # where a session remembers the rows that came


@dataclass
class ProbingView:
    """The components of the tab, from top to bottom; ``curve`` is the section below the probes."""

    empty: gr.Markdown
    board: gr.Column
    other: gr.Dropdown
    characters: gr.Radio
    start: gr.Button
    work: WorkView
    measure: gr.Radio
    result: gr.Column
    figure: FigureView
    table: gr.Dataframe
    curve: learning_curve.LearningCurveView

    @property
    def shown(self) -> list[Any]:
        """The outputs of `view_of`."""
        return [self.result, self.figure.plot, self.table]


def layout(frame: Frame) -> ProbingView:
    texts = frame.texts
    empty = texts.bind(
        gr.Markdown(visible=False, elem_classes="ll-empty"),
        value=_("No tagger of this project can be opened yet. Train one first."),
    )
    with gr.Column(visible=False, elem_id="inspect-probing") as board:
        panel_heading(texts, _("What each layer encodes"))
        texts.hint(
            _(
                "What each layer encodes: parts of speech (by jieba), entity labels and senses; a high "
                "score means that the layer encodes it, not that the tagger uses it."
            )
        )
        with gr.Row(elem_classes="ll-fields"):
            other = texts.bind(
                gr.Dropdown(choices=[], elem_id="inspect-probing-other"), label=_("Compare with")
            )
            characters = texts.bind(
                gr.Radio(
                    [(f"{count:,}", count) for count in CHARACTERS],
                    value=CHARACTERS[1],
                    elem_id="inspect-probing-characters",
                ),
                label=_("Characters to learn from"),
            )
        with gr.Row(elem_classes="ll-buttons"):
            start = texts.button(
                _("Probe all layers"),
                variant="primary",
                elem_id="inspect-probing-start",
                elem_classes="ll-long",
            )
        work = work_view(frame, "inspect-probing-work")
        with gr.Column(visible=False) as result:
            measure = texts.bind(
                gr.Radio(elem_id="inspect-probing-measure"),
                label=_("Show"),
                choices=[(title, name) for name, title in MEASURE_NAMES.items()],
                chosen=FIRST,
            )
            figure = figure_view("inspect-probing-plot")
            texts.hint(
                _(
                    "Labels are predicted by a linear probe, senses by the nearest mean, on held-out "
                    "characters or forms; the baseline is the most frequent label or sense, and selectivity "
                    "is accuracy minus that on a control task with random labels."
                )
            )
            table = plain_table("inspect-probing-table")
        curve = learning_curve.layout(frame)
    return ProbingView(empty, board, other, characters, start, work, measure, result, figure, table, curve)


def show(session: Session, run: str | None, measure: str) -> dict[str, Any]:
    """List the runs and show the current probing."""
    names = [other.name for other in runs.all_runs(session.workspace, session.project_id, "finished")]
    others = [(session._("no other run"), "")]
    others += [choice for choice in run_choices(session, names) if choice[1] != run]
    return {
        "empty": gr.update(visible=run not in names),
        "board": gr.update(visible=run in names),
        "other": gr.update(choices=others, value=""),
        **view_of(session, measure),
    }


def show_again(session: Session, run: str | None, measure: str, opened: bool) -> dict[str, Any]:
    """`show` if the tab has been opened."""
    return show(session, run, measure) if opened else {}


def probe(
    session: Session, report: Following, run: str | None, other: str | None, characters: int, measure: str
) -> dict[str, Any]:
    """Probe the run, optionally beside another; a row of the work for every layer and task.

    Raises:
        AppError: no run, this is the demo, too few documents, or a run has no hidden states.
    """
    if not run:
        raise AppError("No tagger of this project can be opened yet. Train one first.")
    refuse_in_demo(session)
    chosen = [run, *([other] if other and other != run else [])]
    session.memory[ROWS] = rows = report.task.rows
    probe_runs(session, report.task, chosen, characters if characters in CHARACTERS else CHARACTERS[0])
    return results_of(session, rows, measure)


def came(session: Session, rows: list[dict[str, Any]], *inputs: Any) -> dict[str, Any]:
    """The rows that have come while the work goes on; the measure is the last of its inputs."""
    return results_of(session, rows, inputs[-1])


def view_of(session: Session, measure: str) -> dict[str, Any]:
    """The rows of the session's last probing, as many as have come."""
    return results_of(session, _rows(session), measure)


def results_of(session: Session, rows: list[dict[str, Any]], measure: str) -> dict[str, Any]:
    """Figure and table of these rows."""
    return {
        "result": gr.update(visible=bool(rows)),
        "figure": probe_curves(rows, _measure(measure), session.language) if rows else None,
        "table": table_of(session, rows) if rows else None,
    }


def redraw(session: Session, measure: str) -> Any:
    """The figure with another measure."""
    rows = _rows(session)
    return probe_curves(rows, _measure(measure), session.language) if rows else None


def table_of(session: Session, rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Every row as text, shares in percent."""
    cells = [[_cell(session, row, name) for name in COLUMNS] for row in rows]
    return table_value(session, (COLUMN_NAMES[name] for name in COLUMNS), cells)


def wire(view: ProbingView, frame: Frame, tab: gr.Tab, run: gr.Dropdown) -> None:
    filled = [view.empty, view.board, view.other, *view.shown]
    opened = gr.State(False)
    selected = frame.on([tab.select], show, [run, view.measure], filled)
    frame.then(selected, lambda session: True, [], [opened])
    frame.on([run.change], show_again, [run, view.measure, opened], filled)
    frame.on_show("inspect", show_again, filled, [run, view.measure, opened])
    asked = [run, view.other, view.characters, view.measure]
    on_work(
        frame, view.work, [view.start.click], probe, asked, view.shown,
        doing=_("probing layers"), done=_("layers probed"), kept=True, rows=came,
    )  # fmt: skip
    frame.on([view.measure.input], redraw, [view.measure], [view.figure.plot])
    learning_curve.wire(view.curve, frame, tab, run, opened)


def _rows(session: Session) -> list[dict[str, Any]]:
    rows = session.memory.get(ROWS)
    return list(rows) if isinstance(rows, list) else []


def _measure(name: str) -> str:
    return name if name in MEASURE_NAMES else FIRST


def _cell(session: Session, row: dict[str, Any], name: str) -> str:
    value = row[name]
    if name == "layer":
        return layer_title(value, session.language)
    if name == "task":
        return session._(TASKS[value])
    if name in SHARES:
        return percent(value)
    return str(value)
