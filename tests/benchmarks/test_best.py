"""The table of the search against the defaults."""

import json

import pytest

from benchmarks.best import DEMO, Row, demo_parts, parts_of, render


def test_a_row_is_above_only_if_it_is_above_every_default():
    above = Row("demo", "1", "flat", 20.1, 31, 0.62, {"flat": 0.6, "span": 0.61})
    level = Row("demo", "2", "span", 20.0, 30, 0.61, {"flat": 0.6, "span": 0.61})
    table = render([above, level], "a machine").splitlines()
    assert "| demo | 1 | 20 | 31 | flat | **62.0** | 60.0 | 61.0 |" in table
    assert table[-1] == "Above every default in 1 of 2 searches."


def test_the_demo_is_cut_into_the_parts_its_documents_name(tmp_path):
    parts = demo_parts(tmp_path / "demo")
    sizes = [len(path.read_text(encoding="utf-8").splitlines()) for path in parts.values()]
    assert sum(sizes) == len(DEMO.read_text(encoding="utf-8").splitlines())
    assert json.loads(parts["dev"].read_text(encoding="utf-8").splitlines()[0])["meta"]["split"] == "dev"
    assert parts_of(tmp_path / "demo") == parts
    parts["test"].unlink()
    with pytest.raises(SystemExit, match=r"no file test\.\*"):
        parts_of(tmp_path / "demo")
