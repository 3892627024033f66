"""Probes over the layers of a tagger, and F1 over the number of training documents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import plotly.graph_objects as go

from app.i18n import Language, _, counted, text
from app.inspect.figures.layer_titles import layer_title
from app.ui.figures.axes import visible
from app.ui.figures.sentence_alone import sentence_alone
from app.ui.figures.template import styled
from app.ui.numbers import percent

MEASURE_NAMES = {
    "accuracy": _("accuracy"),
    "gain": _("above the baseline"),
    "macro_f1": _("macro F1"),
    "selectivity": _("selectivity"),
}

TASKS = {
    "part_of_speech": _("part of speech"),
    "entity": _("entity label"),
    "character_sense": _("sense of a character"),
    "surface_sense": _("sense of an entity's text"),
}

COLUMN_NAMES = {
    "run": _("run"),
    "layer": _("layer"),
    "task": _("task"),
    "accuracy": _("accuracy"),
    "macro_f1": _("macro F1"),
    "baseline": _("baseline"),
    "control": _("control task"),
    "selectivity": _("selectivity"),
}

COLOURS = {
    "part_of_speech": "#0072B2",
    "entity": "#D55E00",
    "character_sense": "#009E73",
    "surface_sense": "#CC79A7",
}
MARKERS = {
    "part_of_speech": "circle",
    "entity": "square",
    "character_sense": "diamond",
    "surface_sense": "triangle-up",
}
RUN_COLOURS = ("#0072B2", "#D55E00")
DASHES = ("solid", "dash")
Row = Mapping[str, Any]


def probe_curves(rows: Sequence[Row], measure: str, language: Language = "en") -> go.Figure:
    """One line for each task and run over the layers, lowest left, in percent.

    Args:
        rows: as ``ProbeRow.to_json`` with ``run`` and ``place`` (of the layer).
        measure: one of ``MEASURE_NAMES``; ``gain`` is accuracy less baseline. A task without it is left out;
            where no task has it, the figure is a sentence.
    """
    if all(measured(row, measure) is None for row in rows):
        return sentence_alone(text(_("None of these probes was measured in this way."), language))
    figure = go.Figure()
    runs = list(dict.fromkeys(row["run"] for row in rows))
    for number, run in enumerate(runs):
        for task, colour in COLOURS.items():
            points = [row for row in rows if row["run"] == run and row["task"] == task]
            points = [row for row in points if measured(row, measure) is not None]
            if not points:
                continue
            name = text(TASKS[task], language)
            figure.add_scatter(
                x=[row["place"] for row in points],
                y=[100 * float(measured(row, measure) or 0.0) for row in points],
                name=f"{name} · {visible(run)}" if len(runs) > 1 else name,
                mode="lines+markers",
                line={"color": colour, "dash": DASHES[number % 2], "width": 2},
                marker={"size": 8, "symbol": MARKERS[task]},
                text=[_said(row, language) for row in points],
                hovertemplate="%{text}<extra>%{fullData.name}</extra>",
            )
    figure.update_xaxes(**_layer_axis(rows, runs, language))
    figure.update_yaxes(title_text=text(MEASURE_NAMES[measure], language), ticksuffix=" %")
    figure.update_layout(showlegend=True)
    return styled(figure, height=380)


def measured(row: Row, measure: str) -> float | None:
    """A row's number, 0 to 1; None where its task has no such measure."""
    if measure == "gain":
        return float(row["accuracy"]) - float(row["baseline"])
    value = row.get(measure)
    return None if value is None else float(value)


def learning_curves(points: Sequence[Row], language: Language = "en") -> go.Figure:
    """F1 in percent over the number of training documents, one line for each run.

    Args:
        points: ``subject``, ``documents``, ``spans`` and ``f1`` (0 to 1) of every training that has ended.
    """
    figure = go.Figure()
    for number, subject in enumerate(dict.fromkeys(point["subject"] for point in points)):
        curve = sorted(
            (point for point in points if point["subject"] == subject), key=lambda point: point["documents"]
        )
        figure.add_scatter(
            x=[point["documents"] for point in curve],
            y=[100 * point["f1"] for point in curve],
            name=visible(str(subject)),
            mode="lines+markers",
            line={"color": RUN_COLOURS[number % 2], "dash": DASHES[number % 2], "width": 2},
            marker={"size": 8, "symbol": ("circle", "square")[number % 2]},
            text=[
                text(
                    _("{documents}, {spans}: F1 {f1}"),
                    language,
                    documents=counted.documents(point["documents"]),
                    spans=counted.spans(point["spans"]),
                    f1=percent(point["f1"]),
                )
                for point in curve
            ],
            hovertemplate="%{text}<extra>%{fullData.name}</extra>",
        )
    figure.update_xaxes(title_text=text(_("training documents"), language), rangemode="tozero")
    figure.update_yaxes(
        title_text=text(_("F1 (%)"), language),
        minallowed=0,
        maxallowed=100,
        autorangeoptions={"include": [0, 10]},  # F1 near zero must look like it
    )
    figure.update_layout(showlegend=True)
    return styled(figure, height=360)


def _layer_axis(rows: Sequence[Row], runs: Sequence[str], language: Language) -> dict[str, Any]:
    """The layers' names where all runs have the same ones, else their numbers from the bottom."""
    names = [{row["place"]: row["layer"] for row in rows if row["run"] == run} for run in runs]
    same = all(layers.items() <= names[0].items() or names[0].items() <= layers.items() for layers in names)
    axis: dict[str, Any] = {"title_text": text(_("layer, lowest first"), language), "tickmode": "array"}
    every = {place: layer for layers in names for place, layer in layers.items()}
    axis["tickvals"] = sorted(every)
    axis["ticktext"] = [
        visible(layer_title(every[place], language)) if same else str(place) for place in sorted(every)
    ]
    return axis


def _said(row: Row, language: Language) -> str:
    lines = [visible(layer_title(str(row["layer"]), language))]
    for measure in ("accuracy", "macro_f1", "baseline", "control"):
        if row.get(measure) is not None:
            name = text(COLUMN_NAMES[measure], language)
            lines.append(f"{name}: {percent(row[measure])}%")
    return "<br>".join(lines)
