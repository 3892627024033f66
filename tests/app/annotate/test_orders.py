"""The annotator's questions about the order of the queue, over a real store."""

import json
import re

import pytest

from app.annotate import orders as annotate_orders
from app.annotate.orders import ORDER_NAMES
from app.services.session import Sessions
from app.ui.widgets.page_code import modules
from core.learning.active_learning.catalogue import GROUPS, ORDERS
from core.store.document import documents, splits
from core.store.project import projects
from core.store.queue import scores as queue_scores
from core.store.run import predictions, runs
from core.text import Document, Span
from tests.app.asking import Asking


@pytest.fixture
def sessions(workbench):
    return Sessions(lambda token: workbench)


@pytest.fixture
def ask(sessions):
    return Asking(sessions, sessions.open("lin", "en").token)


@pytest.fixture
def thirty(workbench):
    project = workbench.first_project()
    return documents.add(workbench.workspace, project, [Document(str(n), f"第{n}篇") for n in range(30)]).ids


def rows(ask, order, **options):
    return ask.told("list_queue", order=order, **options)["rows"]


def test_the_menu_lists_every_order_in_its_group():
    source = modules()["annotator/panels/order_picker.js"].decode()
    listed = re.search(r"const ORDER_GROUPS = (\[.*?\n\]);", source, re.DOTALL)
    groups = json.loads(re.sub(r",(\s*\])", r"\1", listed[1]))
    named = {name: group for group, names in groups for name in names}
    assert set(named) == set(ORDER_NAMES)
    assert [group for group, _ in groups] == [*GROUPS, "evaluation"]
    for name, group in named.items():
        assert group == ("evaluation" if name == "apart" else ORDERS.get(name, ORDERS["in_order"]).group)


@pytest.mark.parametrize("name", ORDER_NAMES)
def test_every_order_has_a_name_a_line_and_words_for_its_score(name):
    keys = set(re.findall(r'^  "([^"]+)": ', modules()["annotator/messages.js"].decode(), re.MULTILINE))
    assert f"annotate_orders.name.{name}" in keys
    assert f"annotate_orders.about.{name}" in keys
    if name not in ("position", "random", "apart"):
        assert f"annotate_orders.row.{name}" in keys
        assert f"annotate_orders.said.{name}" in keys
    assert {f"annotate_orders.group.{group}" for group in (*GROUPS, "evaluation")} <= set(keys)


@pytest.mark.parametrize("name", ORDER_NAMES)
def test_the_queue_can_be_read_in_every_order(ask, thirty, name):
    found = rows(ask, name)
    assert {row["id"] for row in found} == set(thirty)
    assert all(row["score"] is None and row["apart"] is False for row in found)
    state = ask.told("read_order", order=name)
    assert state["order"] == name
    assert state["state"] in ("ready", "missing")


def test_a_row_has_the_score_of_its_order(ask, thirty, workbench):
    project = workbench.first_project()
    queue_scores.put(workbench.workspace, project, "mnlp", {thirty[3]: -0.5, thirty[4]: -0.1}, "run")
    queue_scores.put(workbench.workspace, project, "boundary", {thirty[5]: 0.75}, "run")
    first, second, third = rows(ask, "mnlp")[:3]
    assert (first["id"], first["score"]) == (thirty[3], pytest.approx(0.6065, abs=1e-4)), "exp(-0.5)"
    assert (second["id"], second["score"]) == (thirty[4], pytest.approx(0.9048, abs=1e-4))
    assert third["score"] is None
    assert rows(ask, "boundary")[0]["score"] == 0.75
    assert rows(ask, "position")[3]["score"] is None


def test_a_huge_viterbi_gap_is_a_number_the_page_can_show():
    assert annotate_orders.shown("viterbi_gap", 2.0) == pytest.approx(7.389, abs=1e-3)
    assert annotate_orders.shown("viterbi_gap", 5000.0) == 1e6


def test_documents_are_set_apart_marked_and_released(ask, thirty, workbench):
    state = ask.told("set_apart", percent=40)
    count = state["apart"]["count"]
    assert count > 3
    assert state["apart"]["done"] == 0
    first = rows(ask, "apart")
    assert all(row["apart"] for row in first[:count])
    assert not any(row["apart"] for row in first[count:])
    assert sum(row["apart"] for row in rows(ask, "position")) == count, "marked in every order"
    assert ask.told("read_order", order="mnlp")["waiting"] == 30 - count
    assert ask.told("give_back_apart")["apart"] == {"count": 0, "done": 0}
    assert ask.told("read_order", order="apart")["state"] == "missing"


def test_an_order_that_needs_a_tagger_is_refused_in_words(ask, thirty):
    code, message = ask.refused("score_order", order="mnlp")
    assert code == "failed"
    assert "Train page" in message
    assert ask.told("stop_scoring", order="mnlp")["state"] == "missing"


def test_least_confident_counts_stored_predictions(ask, thirty, workbench):
    project = workbench.first_project()
    run = runs.create(workbench.workspace, project, "bilstm_crf").name
    projects.set_active(workbench.workspace, project, run)
    predictions.put_one(workbench.workspace, run, thirty[8], [Span(0, 1, "PER", 0.3)])
    state = ask.told("read_order", order="least_confident")
    assert (state["scored"], state["waiting"], state["made_for"]) == (1, 29, run)
    splits.set_split(workbench.workspace, project, [thirty[9]], "test")
    assert ask.told("read_order", order="least_confident")["waiting"] == 28


def test_what_the_simulation_reached_is_read_from_its_file(ask, monkeypatch, tmp_path):
    file = tmp_path / "savings.json"
    monkeypatch.setattr(annotate_orders, "SAVINGS", file)
    annotate_orders._savings.cache_clear()
    assert annotate_orders.saving("mnlp") is None, "nobody has simulated"
    own = {
        "documents": 300.0,
        "random": 600.0,
        "ratio": 0.5,
        "characters": 9.0,
        "random_characters": 9.0,
        "most": 700,
    }
    file.write_text(
        json.dumps({"corpus": "Resume", "share": 0.95, "orders": {"mnlp": own}}), encoding="utf-8"
    )
    annotate_orders._savings.cache_clear()
    assert ask.told("read_order", order="mnlp")["saving"] == {"corpus": "Resume", "share": 0.95, **own}
    assert ask.told("read_order", order="boundary")["saving"] is None
    annotate_orders._savings.cache_clear()


# ---------------------------------------------------------------------- hostile calls


@pytest.mark.parametrize(
    "order", ["", "in_order", "nonsense", "mnlp'; DROP TABLE documents; --", 3, None, ["mnlp"]]
)
def test_an_order_that_does_not_exist_is_refused(ask, order):
    for name in ("read_order", "score_order", "stop_scoring", "list_queue"):
        assert ask.refused(name, order=order)[0] == "invalid"


@pytest.mark.parametrize("percent", [0, 51, -1, 1.5, "10", None, True])
def test_a_share_that_makes_no_sense_is_refused(ask, percent):
    assert ask.refused("set_apart", percent=percent)[0] == "invalid"
