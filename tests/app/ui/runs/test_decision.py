"""The decision view of a run: what it says, what it hides, what it escapes."""

import re

import numpy as np
import pytest

from app.services.evaluation import decision as decisions
from app.services.evaluation.decision import Cost, Decision
from app.ui.runs import decision as view
from app.ui.runs import decision_facts as facts
from core.inspection.corpus.significance import CountTable, measure
from core.store.project import members, projects
from core.store.run import predictions, runs
from core.store.run.ledger import Verdict
from core.text import Span
from tests.store.by_hand import number_of


def measured(*rows, times=20):
    """Counts (correct, predicted, gold) of two runs by document, repeated."""
    return measure(CountTable(np.array(rows), np.full(len(rows), times)), resamples=200)


BETTER = measured([[1, 2, 2], [2, 2, 2]])
SAME = measured([[1, 2, 2], [1, 2, 2]])


def decision(whole=BETTER, **fields):
    values = {
        "runs": ("flat-0001", "flat-0002"), "documents": 20, "whole": whole, "by_label": {"PER": whole},
        "shared": 30, "changed": 2, "spans": 3,
        "kinds": {"new": 1, "lost": 1, "boundary": 1, "label": 0}, "examples": (),
        "costs": (Cost(41.0, 12_300_000, 210.4), Cost(None, None, 4.26)),
    }  # fmt: skip
    return Decision(**{**values, **fields})


@pytest.fixture
def pair(filled):
    """Two finished runs on the documents of `filled`, the first active; one correction of the first."""
    filled.workbench.supervisor.stop()
    names = [runs.create(filled.workspace, filled.project_id, "flat").name for _ in range(2)]
    number = number_of(filled.workspace, filled.project_id, "d-3")
    for name, spans in zip(names, ([Span(0, 2, "PER")], [Span(0, 2, "PER"), Span(3, 5, "LOC")]), strict=True):
        predictions.put_one(filled.workspace, name, number, spans)
        runs.set_status(filled.workspace, name, "finished")
    projects.set_active(filled.workspace, filled.project_id, names[0])
    return names


def settled(session, run):
    row = runs.get(session.workspace, run)
    assert decisions.of(session, row).wait(60)
    return view.show(session, row)


def plain(html):
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", html)).strip()


@pytest.mark.parametrize(
    ("whole", "kind"), [(BETTER, "better"), (measured([[2, 2, 2], [1, 2, 2]]), "worse"), (SAME, "same")]
)
def test_a_difference_is_read_by_its_interval(session, whole, kind):
    assert facts.reading(whole) == kind
    said = facts.score_html(session, decision(whole))
    assert f'class="ll-decision-{kind}"' in said
    assert "On 20 documents that both runs held out" in plain(said)


def test_the_score_stands_beside_the_difference_with_its_interval(session):
    said = plain(facts.score_html(session, decision()))
    assert said.startswith("F1 100.0 +50.0 [+50.0, +50.0] flat-0001: F1 50.0 Better:")


def test_without_held_out_documents_it_says_what_to_do(session):
    assert "Data page" in facts.score_html(session, decision(None, documents=0, by_label={}))


def test_one_table_has_f1_by_label_and_the_cost(session):
    text = plain(facts.table_html(session, decision()))
    assert "F1, all labels (40) 50.0 100.0 +50.0" in text
    assert "PER (40) 50.0 100.0" in text
    assert "Training time 0:41 –" in text
    assert "Model size 12.3 MB –" in text
    assert "Sentences per second, here 210 4.3" in text


def test_many_labels_are_unfolded(session):
    many = {f"L{number}": SAME for number in range(14)}
    html = facts.table_html(session, decision(by_label=many))
    assert html.index("L0 (") < html.index("<details>") < html.index("4 further labels")


def test_what_no_run_knows_is_left_out(session):
    text = plain(facts.table_html(session, decision(costs=(Cost(None, None, None),) * 2)))
    assert "Training time" not in text
    assert "a second" not in text


@pytest.mark.parametrize(
    ("verdict", "line"),
    [
        (Verdict("b", "a"), "There are no corrections yet."),
        (Verdict("b", "a", 1, 2, 3, 4), "1 fixed, 2 still wrong, 3 newly broken, of 10 corrections"),
        (
            Verdict("b", "a", 1, unknown=2),
            "1 fixed, 0 still wrong, 0 newly broken, of 3 corrections (2 not predicted)",
        ),
        (
            Verdict("b", "a", 3, holds=3, confirmed=3),
            "3 fixed, 0 still wrong, 0 newly broken, of 3 corrections and 3 confirmations",
        ),
        (
            Verdict("b", "a", holds=1, confirmed=1),
            "0 fixed, 0 still wrong, 0 newly broken, of 1 confirmation",
        ),
    ],
)
def test_the_ledger_is_counted(session, verdict, line):
    assert facts.ledger_line(session, verdict) == line


def test_a_finished_run_is_compared_with_the_active_one(filled, pair):
    shown = settled(filled, pair[1])
    assert (shown["activate"]["visible"], shown["keep"]["visible"]) == (True, True)
    assert (shown["comparing"], shown["stop_comparing"]["visible"]) == ("", False)
    assert "1 span changed in 1 document of 1" in plain(shown["summary"])
    assert f"#compare?project={filled.project_id}&amp;runs={pair[0]}%2C{pair[1]}" in shown["summary"]
    assert f"#ledger?project={filled.project_id}&amp;run={pair[1]}" in shown["summary"]
    notes = [row["note"] for row in shown["examples"]["sentences"]]
    assert notes == ["d-3 · new span · LOC · 北京\ngold", pair[0], pair[1]]


def test_the_first_run_has_scores_of_its_own_and_one_button(filled, pair):
    projects.set_active(filled.workspace, filled.project_id, None)
    shown = settled(filled, pair[1])
    assert (shown["activate"]["visible"], shown["keep"]["visible"]) == (True, False)
    assert "95% interval" in plain(shown["summary"])
    assert "#compare" not in shown["summary"]
    assert shown["changed"]["visible"] is False


def test_an_active_run_has_no_buttons_and_can_be_rolled_back(filled, pair):
    shown = view.activate(filled, pair[1])
    assert shown["activate"]["visible"] is False
    assert shown["decided"].endswith("You can roll back on the Ledger page.")


def test_who_may_not_choose_sees_the_comparison_without_the_buttons(filled, pair):
    members.put(filled.workspace, filled.project_id, "mia", "manager", by=filled.user)
    members.put(filled.workspace, filled.project_id, filled.user, "reviewer", by="mia")
    shown = settled(filled, pair[1])
    assert shown["activate"]["visible"] is False
    assert "1 span changed" in plain(shown["summary"])


def test_a_hostile_name_is_text(filled, pair):
    runs.describe(filled.workspace, pair[0], title="<img src=x onerror=alert(1)>", note="")
    shown = settled(filled, pair[1])
    for html in (shown["summary"], shown["comparison"]):
        assert "<img" not in html
    assert "&lt;img" in shown["comparison"]


def test_a_cancelled_comparison_can_be_begun_again(filled, pair, monkeypatch):
    def wait(task, *_):
        task.progress("scoring", 0.5)
        task.pause(30)

    row = runs.get(filled.workspace, pair[1])
    with monkeypatch.context() as patched:
        patched.setattr(decisions, "decide", wait)
        shown = view.show(filled, row)
        assert shown["stop_comparing"]["visible"]
        shown = view.stop_comparing(filled, pair[1])
    assert "The comparison was cancelled." in shown["comparing"]
    assert (shown["stop_comparing"]["visible"], shown["compare_again"]["visible"]) == (False, True)
    view.compare_again(filled, pair[1])
    assert settled(filled, pair[1])["comparison"] != ""
