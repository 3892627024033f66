"""``core curve``: a point for every part, and one line where it cannot."""

import pytest


def test_a_point_for_every_part_and_none_twice(core, training, tmp_path):
    run = tmp_path / "run"
    assert core(*training(out=run, epochs=1)).status == 0
    curve = ("curve", "--run", run, "--out", tmp_path / "curve", "--device", "cpu")
    answer = core(*curve, "--shares", "0.5,1")
    assert answer.status == 0, answer.err
    assert [(point["subject"], point["documents"], point["part"]) for point in answer.lines] == [
        ("run", 10, "test"),
        ("run", 21, "test"),
    ]
    assert "holds a run already" in core(*curve).reason
    begun = core("curve", "--run", run, "--out", tmp_path / "other", "--shares", "0")
    assert "above 0" in begun.reason
    assert not (tmp_path / "other").exists(), "nothing is written before all is checked"


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ([], "--run DIR is needed"),
        (["--resume"], "no curve to resume"),
        (["--run", "no such run"], "does not exist"),
    ],
)
def test_what_is_missing_is_one_line(core, tmp_path, arguments, expected):
    assert expected in core("curve", "--out", tmp_path / "curve", *arguments).reason


def test_shares_that_are_no_numbers_are_one_line(core, trained, tmp_path):
    reason = core("curve", "--run", trained, "--out", tmp_path / "curve", "--shares", "half").reason
    assert "expected numbers" in reason
