"""Curves of runs, and F1 by label."""

from app.ui.figures.scores import label_scores
from app.ui.figures.training_curves import training_curves


def epoch(number, loss, f1=None):
    dev = None if f1 is None else {"precision": f1, "recall": f1, "f1": f1}
    return {"event": "epoch", "epoch": number, "epochs": 4, "loss": loss, "dev": dev}


def step(number, fraction, loss):
    return {"event": "step", "epoch": number, "epochs": 4, "fraction": fraction, "loss": loss}


def points(figure, index):
    return list(zip(figure.data[index].x, figure.data[index].y, strict=True))


def test_each_run_has_a_line_of_loss_and_one_of_f1_in_percent():
    figure = training_curves({"a": [epoch(1, 3.0, 0.5), epoch(2, 2.0, 0.75)], "b": [epoch(1, 4.0, 0.25)]})
    assert [trace.name for trace in figure.data] == ["a", "a", "b", "b"]
    assert points(figure, 0) == [(1, 3.0), (2, 2.0)]
    assert points(figure, 1) == [(1, 50.0), (2, 75.0)]
    assert figure.layout.showlegend


def test_runs_differ_by_more_than_colour():
    figure = training_curves({name: [epoch(1, 1.0, 0.1)] for name in "abc"})
    assert len({figure.data[index].line.dash for index in (0, 2, 4)}) == 3


def test_epochs_repeated_by_a_resumed_run_count_once():
    figure = training_curves({"a": [epoch(1, 3.0), epoch(2, 2.5), epoch(2, 2.0), epoch(3, 1.0)]})
    assert points(figure, 0) == [(1, 3.0), (2, 2.0), (3, 1.0)]


def test_the_open_epoch_shows_its_latest_step():
    figure = training_curves({"a": [epoch(1, 3.0), step(2, 0.3, 2.9), step(2, 0.45, 2.5)]})
    assert points(figure, 0) == [(1, 3.0), (1.8, 2.5)]


def test_a_step_of_a_closed_epoch_is_not_drawn_twice():
    assert points(training_curves({"a": [step(1, 0.25, 9.0), epoch(1, 3.0)]}), 0) == [(1, 3.0)]


def test_a_run_without_events_beside_one_with_is_an_empty_line():
    figure = training_curves({"a": [epoch(1, 3.0, 0.5)], "b": []})
    assert [len(trace.x) for trace in figure.data] == [1, 1, 0, 0]


def test_without_dev_scores_there_is_no_second_panel():
    figure = training_curves({"a": [epoch(1, 3.0)]})
    assert len(figure.data) == 1
    assert "yaxis2" not in figure.to_plotly_json()["layout"]


def of_round(number, event, share=None):
    return {**event, "round": number, "share": share}


def test_rounds_stand_one_after_the_other_and_are_marked():
    events = [
        of_round(1, epoch(1, 3.0, 0.5)), of_round(1, epoch(2, 2.0, 0.6)),
        of_round(2, epoch(1, 2.8, 0.25)), of_round(2, epoch(2, 1.5, 0.7)),
        of_round(3, step(1, 0.9, 2.7), share=0.125),
    ]  # fmt: skip
    figure = training_curves({"a": events, "b": [epoch(1, 4.0, 0.25)]})
    assert points(figure, 0) == [(1, 3.0), (2, 2.0), (2, None), (3, 2.8), (4, 1.5), (4, None), (4.5, 2.7)]
    assert points(figure, 1) == [(1, 50.0), (2, 60.0), (2, None), (3, 25.0), (4, 70.0), (4, None)]
    assert [(line.x0, line.xref) for line in figure.layout.shapes] == [
        (2, "x"),
        (2, "x2"),
        (4, "x"),
        (4, "x2"),
    ]
    assert [title.text for title in figure.layout.annotations] == ["round 1"] * 2 + ["round 2"] * 2
    assert training_curves({"a": events}, "zh").layout.annotations[0].text == "第 1 轮"


def test_of_trainings_that_only_prepare_nothing_stays():
    events = [of_round(1, step(4, 0.3, 9.0), share=0.9), of_round(2, epoch(1, 3.0, 0.5))]
    figure = training_curves({"a": events})
    assert points(figure, 0) == [(1, 3.0)]
    assert not figure.layout.shapes


def test_before_the_first_step_a_sentence_stands_for_the_curves():
    figure = training_curves({"a": [{"event": "started", "device": "cpu"}]}, "zh")
    assert not figure.data
    assert figure.layout.annotations[0].text
    assert figure.layout.xaxis.visible is False


def test_axes_are_named_in_the_language_asked_for():
    figure = training_curves({"a": [epoch(1, 3.0, 0.5)]}, "zh")
    assert (figure.layout.xaxis.title.text, figure.layout.yaxis2.title.text) == ("轮次", "验证集 F1，%")


def test_bars_compare_runs_label_by_label_and_leave_gaps_where_a_run_has_none():
    scores = {
        "new": {"per_label": {"PER": {"f1": 0.5, "gold": 4}, "LOC": {"f1": 1.0, "gold": 2}}},
        "old": {"per_label": {"PER": {"f1": 0.25, "gold": 4}}},
    }
    figure = label_scores(scores)
    assert [trace.name for trace in figure.data] == ["new", "old"]
    assert list(figure.data[0].x) == ["LOC", "PER"]
    assert list(figure.data[0].y) == [100.0, 50.0]
    assert list(figure.data[1].y) == [None, 25.0]
