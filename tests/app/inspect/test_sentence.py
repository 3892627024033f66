"""The Inspect page's first tab: every panel from one sentence."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from app.inspect import opening
from app.inspect import page as inspect_page
from app.inspect.panel import draw_all
from app.services.errors import AppError
from core.inspection.sentence.span_prediction import MOST_CHARACTERS
from core.store.project import projects
from core.taggers.base.trace import MixTrace, MrcTrace, Trace
from core.text import Span
from tests.store.by_hand import add_words, number_of

TEXT = "陈禾在岭南市工作"


def test_nothing_can_be_looked_at_before_the_page_knows_its_runs(session, frame):
    assert not inspect_page.layout(frame).look.interactive
    assert inspect_page.show(session, None)["look"]["interactive"]


def test_the_pickers_offer_finished_runs_and_the_projects_documents(session):
    shown = inspect_page.show(session, None)
    assert shown["run"]["choices"] == [("flat-0001", "flat-0001")]
    assert shown["run"]["value"] == "flat-0001"
    assert shown["document"]["choices"][0][0] == TEXT
    assert not shown["empty"]["visible"]
    assert shown["look"]["interactive"]
    assert inspect_page.choose(session, shown["document"]["choices"][0][1]) == TEXT


def test_a_project_without_a_run_says_what_to_do(session):
    session.project_id = projects.create(session.workspace, "empty").id
    shown = inspect_page.show(session, None)
    assert shown["run"]["choices"] == []
    assert shown["empty"]["visible"]
    assert not shown["look"]["interactive"]
    assert inspect_page.to_train_page(session)["selected"] == "train"


def test_a_panel_stands_only_where_the_tagger_has_something_to_show(look):
    drawn = look()
    shown = {
        name: drawn[name]["group"]["visible"]
        for name in ("why", "lattice", "mrc", "attention", "crf", "mix", "distances")
    }
    assert shown == {
        "why": True, "lattice": True, "mrc": False, "attention": True, "crf": True, "mix": False,
        "distances": True,
    }  # fmt: skip
    assert not drawn["notice"]["visible"]
    assert drawn["board"]["visible"]
    assert drawn["view"]["sentences"][0]["text"] == TEXT


def test_a_tagger_that_reads_queries_shows_its_answers_and_no_lattice(session, page, look):
    look()
    start = np.full((2, len(TEXT)), 0.5)
    answers = MrcTrace(
        ("LOC", "PER"), ("哪里", "谁"), start, start, np.array([[0, 3, 5]]), np.array([0.7]), True
    )
    trace = Trace(TEXT, tuple(TEXT), (), "mrc", mixes=(MixTrace(np.array([0.4, 0.6])),), mrc=answers)
    panels = [(panel, view) for panel, view in page.panels if panel.NAME in ("lattice", "mrc", "crf")]
    seen = replace(session.memory["inspect"], trace=trace)
    choices = [component.value for _, view in panels for component in view.choices]
    drawn = draw_all(panels, session, seen, *choices)
    shown = {panel.NAME: drawn[panel.NAME]["visible"] for panel, _ in panels}
    assert shown == {"lattice": False, "mrc": True, "crf": False}


def test_the_words_of_the_project_act_on_the_lattice(session, look):
    add_words(session.workspace, session.project_id, ["在岭"], user="me")
    look()
    assert "在岭" in session.memory["inspect"].trace.lattice.nodes


def test_a_text_longer_than_the_page_draws_is_cut_and_said_so(session, look):
    drawn = look("岭南市" * 200)
    assert drawn["notice"]["visible"]
    assert str(MOST_CHARACTERS) in drawn["notice"]["value"]
    assert len(session.memory["inspect"].trace.tokens) == MOST_CHARACTERS


@pytest.mark.parametrize("sentence", [None, "", "  \n "])
def test_no_sentence_asks_for_one(look, sentence):
    with pytest.raises(AppError, match="sentence first"):
        look(sentence)


def test_hostile_and_odd_texts_are_drawn(session, look):
    for sentence in ("<img src=x onerror=alert(1)>${1}{{x}}`", "😀𠮷", "一"):
        look(sentence)
        assert session.memory["inspect"].trace.tokens == tuple(sentence)


def test_a_look_remembers_its_document_only_while_the_text_is_the_documents(session, page, look):
    document = number_of(session.workspace, session.project_id, "a")
    assert look(TEXT, document=document)
    assert session.memory["inspect"].document == document
    assert look(TEXT + "。", document=document)
    assert session.memory["inspect"].document is None


def test_the_page_builds_and_wires(frame):
    made = inspect_page.layout(frame)
    frame.name(made)
    inspect_page.wire(made, frame)


def test_a_click_on_a_span_puts_it_in_focus_and_draws_what_follows_it(session, page, look):
    look()
    following = [(panel, view) for panel, view in page.panels if panel.FOLLOWS_FOCUS]
    session.memory["inspect"] = replace(session.memory["inspect"], focus=None)
    choices = [component.value for _, view in following for component in view.choices]
    click = SimpleNamespace(value={"kind": "span", "start": 3, "end": 6, "label": "LOC"})
    drawn = inspect_page.focus_on(session, following, click, *choices)
    assert session.memory["inspect"].focus.key == (3, 6, "LOC")
    assert drawn["why"]["visible"]


@pytest.mark.parametrize("value", [None, "x", {}, {"kind": "span", "start": 0, "end": 1, "label": "LOC"}])
def test_a_click_beside_every_span_changes_nothing(session, page, look, value):
    look()
    before = session.memory["inspect"]
    inspect_page.focus_on(session, page.panels, SimpleNamespace(value=value))
    assert session.memory["inspect"] is before


def test_the_span_with_the_least_confidence_is_asked_about_first():
    spans = [Span(0, 2, "PER", 0.9), Span(3, 6, "LOC", 0.4), Span(6, 8, "ORG")]
    assert opening.least_sure(spans) == spans[1]
    assert opening.least_sure(spans[2:] + spans[:1]) == spans[0]
    assert opening.least_sure([spans[2], Span(0, 1, "PER")]) == spans[2]
    assert opening.least_sure([]) is None
