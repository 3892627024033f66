"""``core recipe``: one JSON object a line, and one line where a list does not fit."""

import pytest

QUICK = ("--learning-rates", "0.01", "--warm-ups", "0,2", "--initialisations", "own", "--depths", "1",
         "--batches", "4", "--steps", "2")  # fmt: skip


def test_a_row_for_every_combination(core):
    answer = core("recipe", *QUICK)
    assert answer.status == 0
    assert [row["warm_up"] for row in answer.lines] == [0, 2]
    assert {row["batch"] for row in answer.lines} == {4}
    assert [row["error"] for row in answer.lines] == [row["error"] for row in core("recipe", *QUICK).lines]
    assert core("recipe", *QUICK, "--seed", 2).lines[0]["error"] != answer.lines[0]["error"]


def test_vectors_and_initialisations_with_a_scale(core):
    answer = core("recipe", *QUICK, "--task", "vectors", "--initialisations", "normal:0.1,uniform:0.01")
    assert {row["initialisation"] for row in answer.lines} == {"normal:0.1", "uniform:0.01"}
    assert {row["task"] for row in answer.lines} == {"vectors"}
    assert len({row["error"] for row in answer.lines}) == 4


@pytest.mark.parametrize(
    ("flag", "value", "expected"),
    [
        ("--learning-rates", "0", "above 0"),
        ("--learning-rates", "0.1,nan", "above 0"),
        ("--warm-ups", "-1", "0 or more"),
        ("--warm-ups", "1.5", "0 or more"),
        ("--initialisations", "own,best", "each one of own"),
        ("--initialisations", "normal:wide", "scale after a colon"),
        ("--initialisations", "own:0.1", "scale after a colon"),
        ("--initialisations", "normal:0", "scale after a colon"),
        ("--depths", "", "each 1 to 24"),
        ("--depths", "25", "each 1 to 24"),
        ("--batches", "0", "each 1 to 4096"),
        ("--steps", "0", "1 to 100000"),
    ],
)
def test_a_value_that_does_not_fit_is_one_line(core, flag, value, expected):
    reason = core("recipe", *QUICK, f"{flag}={value}").reason
    assert flag in reason
    assert expected in reason
