"""What a simulation becomes on the results page and in the app."""

import json
import xml.etree.ElementTree as ET

import pytest

from app.annotate import orders as annotate_orders
from benchmarks import simulate
from core.commands.simulate_pictures import write_svg
from core.learning.active_learning.savings import savings
from core.learning.active_learning.simulation import Point

REQUEST = {
    "tagger": "bilstm_crf", "config": {"hidden": 8}, "settings": {"epochs": 2}, "steps": 30,
    "sizes": [100, 300], "test": {"documents": 50},
    "train": {"documents": 1000, "characters": 9000, "spans": 900},
}  # fmt: skip
POINTS = [
    Point("full", 1, 1000, 9000, 900, 1.0, 1.0, 0.0),
    Point("random", 1, 100, 1000, 90, 0.8, 1.0, 0.0),
    Point("random", 1, 500, 5000, 450, 1.0, 1.0, 0.0),
    Point("mnlp", 1, 100, 1000, 90, 0.8, 1.0, 0.0),
    Point("mnlp", 1, 200, 3000, 200, 1.0, 1.0, 0.0),
    Point("boundary", 1, 100, 1000, 90, 0.8, 1.0, 0.0),
    Point("boundary", 1, 300, 3000, 250, 0.9, 1.0, 0.0),
    Point("textrank", 1, 100, 1000, 90, 0.8, 1.0, 0.0),
]


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "result.json").write_text(json.dumps({"request": REQUEST}), encoding="utf-8")
    lines = "".join(json.dumps(point.to_json()) + "\n" for point in POINTS)
    (tmp_path / "points.jsonl").write_text(lines, encoding="utf-8")
    return tmp_path


def test_the_table_says_what_each_order_needed_and_what_it_did_not_reach():
    text = simulate.render(REQUEST, POINTS, savings(POINTS, simulate.SHARES, 300))
    rows = {line.split()[0]: line.split()[1:] for line in text.splitlines() if line.strip()}
    assert rows["random"] == [
        "1",
        "300",
        "100",
        "%",
        "400",
        "100",
        "%",
        "4000",
        "100",
        "%",
        "360",
        "100",
        "%",
    ]
    assert rows["mnlp"] == ["1", "150", "50", "%", "175", "44", "%", "2500", "62", "%", "172", "48", "%"]
    assert rows["boundary"] == ["1", "300", "100", "%", ">", "300", ">", "3000", ">", "250"]
    assert rows["textrank"] == ["0", "…", "…", "…", "…"], "it broke off"
    assert "test F1 100.00 (mean of 1 seeds)" in text


def test_the_page_reads_what_the_benchmark_wrote(folder, monkeypatch, capsys):
    made = folder / "savings.json"
    assert simulate.main([str(folder), "--svg", str(folder / "x.svg"), "--note", str(made)]) == 0
    assert "mnlp" in capsys.readouterr().out
    ET.fromstring((folder / "x.svg").read_text(encoding="utf-8"))
    monkeypatch.setattr(annotate_orders, "SAVINGS", made)
    annotate_orders._savings.cache_clear()
    told = annotate_orders.saving("mnlp")
    assert (told["documents"], told["random"]) == (pytest.approx(175), pytest.approx(400))
    assert (told["characters"], told["random_characters"]) == (pytest.approx(2500), pytest.approx(4000))
    assert annotate_orders.saving("boundary")["documents"] is None
    assert annotate_orders.saving("boundary")["most"] == 300
    assert annotate_orders.saving("random") is None
    assert annotate_orders.saving("textrank") is None
    annotate_orders._savings.cache_clear()


def test_a_folder_without_a_simulation_is_refused(tmp_path, capsys):
    assert simulate.main([str(tmp_path)]) == 2
    assert "run python -m core simulate first" in capsys.readouterr().err


def test_what_is_shipped_has_the_form_that_the_page_reads():
    found = json.loads(simulate.NOTE.read_text(encoding="utf-8"))
    assert set(found) == {"corpus", "share", "orders"}
    for own in found["orders"].values():
        assert set(own) == {"documents", "random", "ratio", "characters", "random_characters", "most"}
    ET.fromstring(simulate.SVG.read_text(encoding="utf-8"))


def test_the_picture_has_a_line_for_each_order():
    root = ET.fromstring(write_svg(POINTS, 0.95))
    assert len(root.findall("{http://www.w3.org/2000/svg}polyline")) == 4
