"""Curves over layers and over documents, tested on their data."""

import pytest

from app.inspect.figures.probing import learning_curves, measured, probe_curves


def row(run="flat-0001", layer="layer 1", place=1, task="entity", accuracy=0.75, control=0.5):
    return {
        "run": run, "layer": layer, "place": place, "task": task, "accuracy": accuracy, "macro_f1": 0.6,
        "baseline": 0.7, "control": control, "selectivity": None if control is None else accuracy - control,
    }  # fmt: skip


ROWS = [
    row(layer="embeddings", place=0, accuracy=0.5),
    row(layer="embeddings", place=0, task="character_sense", control=None),
    row(),
]


def test_a_line_for_each_task_over_the_layers():
    entity, sense = probe_curves(ROWS, "accuracy").data
    assert (entity.name, list(entity.x), list(entity.y)) == ("entity label", [0, 1], [50.0, 75.0])
    assert (sense.name, list(sense.y)) == ("sense of a character", [75.0])
    assert entity.marker.symbol != sense.marker.symbol, "no colour alone"
    axis = probe_curves(ROWS, "accuracy").layout.xaxis
    assert (list(axis.tickvals), list(axis.ticktext)) == ([0, 1], ["embeddings", "layer 1"])
    assert "baseline: 70.0%" in entity.text[1]


@pytest.mark.parametrize(
    ("measure", "expected"), [("accuracy", 0.75), ("gain", 0.05), ("macro_f1", 0.6), ("selectivity", 0.25)]
)
def test_every_measure_is_what_the_row_says(measure, expected):
    assert measured(row(), measure) == pytest.approx(expected)


def test_a_task_without_the_measure_has_no_line():
    assert [trace.name for trace in probe_curves(ROWS, "selectivity").data] == ["entity label"]


def test_two_runs_differ_by_dash_and_other_layers_are_numbered():
    other = [row("bert-0001", f"encoder {n}", n) for n in range(3)]
    figure = probe_curves([*ROWS[:1], *other], "accuracy", "zh")
    assert [trace.line.dash for trace in figure.data] == ["solid", "dash"]
    assert figure.data[1].name == "实体标签 · bert-0001"
    assert list(figure.layout.xaxis.ticktext) == ["0", "1", "2"]


def test_a_point_for_each_training_in_order_of_its_documents():
    points = [
        {"subject": "b", "documents": 40, "spans": 9, "f1": 0.5},
        {"subject": "<i>a", "documents": 80, "spans": 20, "f1": 0.75},
        {"subject": "b", "documents": 10, "spans": 2, "f1": 0.25},
    ]
    first, second = learning_curves(points).data
    assert (first.name, list(first.x), list(first.y)) == ("b", [10, 40], [25.0, 50.0])
    assert second.name == "&lt;i&gt;a"
    assert first.line.dash != second.line.dash
    assert "10 documents, 2 spans: F1 25.0" in first.text[0]
