"""What the Annotate page answers about sources, patterns and annotated regions, hostile payloads included."""

from threading import Event
from typing import get_args

import pytest

from app.annotate import suggestions as annotation_suggestions
from app.annotate.suggestions import LatticeWords
from app.services.session import Sessions
from app.ui.annotation.saving import Action
from core.store.annotation import annotations, regions, touched
from core.store.document import documents
from core.store.label import labels
from core.store.project import members, projects, settings
from core.store.suggest import patterns
from core.store.suggest.earlier import EarlierDecisions
from core.text import Document, LabelSet, Span
from tests.app.asking import Asking
from tests.store.by_hand import add_words

TEXT = "林晓在青禾大学。合同HT-2041由林晓签。"
NAME = Span(0, 2, "NAME")


@pytest.fixture
def bench(workbench):
    projects.rename(workbench.workspace, workbench.first_project(), "news")
    labels.put(workbench.workspace, workbench.first_project(), LabelSet().extended(["NAME", "ORG", "ID"]))
    return workbench


@pytest.fixture
def sessions(bench):
    return Sessions(lambda token: bench)


@pytest.fixture
def session(sessions):
    return sessions.open("lin", "en")


@pytest.fixture
def call(sessions, session):
    """A server function as the browser calls it."""
    return Asking(sessions, session.token)


@pytest.fixture
def document(session):
    return documents.add(session.workspace, session.project_id, [Document("a", TEXT)]).ids[0]


def another(session, text, *spans, rejected=()):
    """A document in which somebody said this."""
    (id_,) = documents.add(session.workspace, session.project_id, [Document(f"x-{text}", text)]).ids
    annotations.save(session.workspace, id_, 0, spans, rejected, user="lin", action="label")
    return id_


def suggested(reply, source):
    return [
        (TEXT[s["start"] : s["end"]], s["label"], s["score"])
        for s in reply["suggestions"]
        if s["source"] == source
    ]


def test_what_people_labelled_elsewhere_is_suggested_with_its_confidence(call, session, document):
    another(session, "林晓来了", NAME)
    another(session, "林晓走了", NAME)
    reply = call("open_document", document=document)
    assert suggested(reply, "earlier") == [("林晓", "NAME", 2 / 3), ("林晓", "NAME", 2 / 3)]
    assert not reply["pending"]


def test_decisions_that_are_still_being_read_are_asked_for_again(call, session, document, monkeypatch):
    another(session, "林晓来了", NAME)
    call("find_suggestions", document=document)
    another(session, "林晓走了", NAME)
    gate, update = Event(), EarlierDecisions.update

    def slow_update(index):
        gate.wait()
        return update(index)

    monkeypatch.setattr(EarlierDecisions, "update", slow_update)
    session.workbench.earlier._gold._entries[session.project_id].took = 0.0  # it does not rest
    assert call("open_document", document=document)["pending"]
    gate.set()
    reply = call("find_suggestions", document=document)
    assert suggested(reply, "earlier") == [("林晓", "NAME", 2 / 3), ("林晓", "NAME", 2 / 3)]


def test_of_many_earlier_decisions_the_next_ones_come_once_the_first_are_decided(call, session, monkeypatch):
    monkeypatch.setattr(annotation_suggestions, "MOST_EARLIER", 3)
    another(session, "林晓来了", NAME)
    (long,) = documents.add(session.workspace, session.project_id, [Document("long", "林晓。" * 8)]).ids

    def given(name="open_document", **options):
        reply = call.told(name, document=long, **options)
        return [s["start"] // 3 for s in reply["suggestions"] if s["source"] == "earlier"], reply["more"]

    assert given() == given("find_suggestions") == ([0, 1, 2], 5)
    accepted = [Span(3 * number, 3 * number + 2, "NAME") for number in range(2)]
    annotations.save(session.workspace, long, 0, accepted, [Span(6, 8, "NAME")], user="lin")
    assert given() == ([0, 1, 2, 3, 4, 5], 2)
    annotations.save(session.workspace, long, 1, accepted, user="lin")
    assert given() == ([0, 1, 2, 3, 4], 3)
    view = call.told("open_document", document=long)["view"]
    call.told("set_suggestion_view", view=view | {"earlier": {"on": True, "threshold": 0.55}})
    assert given()[1] == 0, "what is not shown does not wait"


def test_the_documents_own_decisions_are_no_suggestions_for_it(call, session, document):
    annotations.save(session.workspace, document, 0, [NAME], user="lin")
    assert suggested(call("open_document", document=document), "earlier") == []


def test_a_pattern_suggests_its_group_and_a_switched_off_one_nothing(call, session, document):
    added = call("add_pattern", pattern=r"合同(HT-\d+)", label="ID")["patterns"]
    assert [(p["pattern"], p["label"], p["enabled"]) for p in added] == [(r"合同(HT-\d+)", "ID", True)]
    assert suggested(call("open_document", document=document), "pattern") == [("HT-2041", "ID", 1.0)]
    call("change_pattern", pattern=added[0]["id"], change="disable")
    assert suggested(call("open_document", document=document), "pattern") == []
    call("change_pattern", pattern=added[0]["id"], change="enable")
    assert len(suggested(call("open_document", document=document), "pattern")) == 1
    gone = call("change_pattern", pattern=added[0]["id"], change="trash")
    assert gone["patterns"] == []
    assert len(gone["deleted"]) == 1
    assert suggested(call("open_document", document=document), "pattern") == []
    assert call("change_pattern", pattern=added[0]["id"], change="restore")["deleted"] == []


def test_rules_fade_for_a_surface_that_was_rejected_and_for_no_other(call, session, document):
    add_words(session.workspace, session.project_id, {"青禾大学": "ORG"}, user="lin")
    call("add_pattern", pattern="林晓|青禾", label="NAME")
    another(session, "青禾大学很大", rejected=[Span(0, 4, "ORG")])
    another(session, "青禾大学很小", rejected=[Span(0, 4, "ORG"), Span(0, 2, "NAME")])
    reply = call("open_document", document=document)
    assert suggested(reply, "dictionary") == [("青禾大学", "ORG", pytest.approx(1 / 3))]
    assert suggested(reply, "pattern") == [
        ("林晓", "NAME", 1.0),
        ("青禾", "NAME", 1 / 2),
        ("林晓", "NAME", 1.0),
    ]
    assert reply["view"]["dictionary"]["threshold"] == 0.5, "so the word is no longer shown"


def test_tagging_keeps_the_suggestions_of_rules(call, session, document, monkeypatch):
    monkeypatch.setattr(session.workbench.taggers, "run_of", lambda project: "flat-0001")
    monkeypatch.setattr(
        "app.annotate.document.tagger_spans", lambda *given: ([NAME], LatticeWords([], read=True))
    )
    monkeypatch.setattr("app.annotate.document.predictions.put_one", lambda *given: None)
    patterns.add(session.workspace, session.project_id, "HT", "ID", user="lin")
    sources = [s["source"] for s in call.told("suggest_spans", document=document, without=[])["suggestions"]]
    assert sources == ["tagger", "pattern"]


def test_the_choice_of_sources_is_remembered_for_the_project(call, session, document):
    view = call("open_document", document=document)["view"]
    assert view == {
        "tagger": {"on": True, "threshold": 0.0},
        "earlier": {"on": True, "threshold": 0.5},
        "dictionary": {"on": True, "threshold": 0.5},
        "pattern": {"on": True, "threshold": 0.5},
    }
    view["earlier"] = {"on": False, "threshold": 0.9}
    assert call("set_suggestion_view", view=view)["ok"]
    assert call("open_document", document=document)["view"] == view


@pytest.mark.parametrize(
    "change",
    [None, [], {"tagger": {"on": True, "threshold": 0}}, {"pattern": {"on": 1, "threshold": 0.5}},
     {"pattern": {"on": True, "threshold": 1.5}}, {"pattern": {"on": True, "threshold": "0"}},
     {"pattern": {"on": True, "threshold": True}}, {"pattern": {"on": True, "threshold": 0, "more": 1}},
     {"pattern": {"on": True, "threshold": float("nan")}}, {"magic": {"on": True, "threshold": 0.5}}],
)  # fmt: skip
def test_a_choice_of_another_form_is_refused(call, session, document, change):
    view = call("open_document", document=document)["view"]
    sent = (
        {**view, **change}
        if isinstance(change, dict) and len(change) == 1 and "tagger" not in change
        else change
    )
    reply = call("set_suggestion_view", view=sent)
    assert (reply["ok"], reply["code"]) == (False, "invalid")
    assert settings.read(session.workspace, session.project_id, annotation_suggestions.SETTING) is None


def test_a_pattern_is_tried_on_the_document_and_kept_nowhere(call, session, document):
    reply = call("try_pattern", document=document, pattern="林晓")
    assert reply["count"] == 2
    assert reply["hits"][1] == {"before": "学。合同HT-2041由", "surface": "林晓", "after": "签。"}
    assert (reply["cut"], reply["stopped"]) == (False, False)
    assert patterns.all_patterns(session.workspace, session.project_id) == []


def test_a_bad_pattern_is_a_sentence_with_the_place_in_both_languages(call, session, document):
    for name in ("try_pattern", "add_pattern"):
        reply = call(name, document=document, pattern="合同(HT", label="ID")
        assert reply["problem"] == "Invalid pattern: a closing bracket ) is missing, at character 6."
        assert reply["position"] == 5
    session.language = "zh"
    assert (
        call("try_pattern", document=document, pattern="合同(HT")["problem"]
        == "表达式有误：第 6 个字符处，缺少右括号 )。"
    )
    assert "nothing" not in call("try_pattern", document=document, pattern="")["problem"]
    assert patterns.all_patterns(session.workspace, session.project_id) == []


@pytest.mark.parametrize(
    ("name", "payload"),
    [
        ("try_pattern", {"pattern": 5}), ("try_pattern", {"pattern": "a" * 2001}), ("try_pattern", {}),
        ("add_pattern", {"pattern": "a", "label": "NOPE"}), ("add_pattern", {"pattern": "a"}),
        ("change_pattern", {"pattern": 99, "change": "trash"}),
        ("change_pattern", {"pattern": 1, "change": "drop"}),
        ("change_pattern", {"pattern": "1", "change": "trash"}),
        ("set_annotated_regions", {"changes": [{"start": 0, "end": 99, "annotated": True}]}),
        ("set_annotated_regions", {"changes": [{"start": 5, "end": 5, "annotated": True}]}),
        ("set_annotated_regions", {"changes": [{"start": -1, "end": 5, "annotated": True}]}),
        ("set_annotated_regions", {"changes": [{"start": 0, "end": 5, "annotated": "yes"}]}),
        ("set_annotated_regions", {"changes": [{"start": 0, "end": 5}]}),
        ("set_annotated_regions", {"changes": []}),
        ("set_annotated_regions", {"changes": [{"start": 0, "end": 5, "annotated": True}] * 1001}),
        ("set_annotated_regions", {}),
        ("set_annotated_regions", {"changes": [{"start": 0, "end": 5, "annotated": True}], "way": "up"}),
        ("find_suggestions", {"document": 404}),
        ("read_annotated_regions", {"document": "1; DROP TABLE annotated_regions"}),
    ],
)  # fmt: skip
def test_what_no_page_sends_is_refused(call, document, name, payload):
    reply = call(name, **{"document": document, **payload})
    assert (reply["ok"], reply["code"]) == (False, "invalid")


def test_a_pattern_that_takes_too_long_is_named_and_does_not_hold_up_the_document(call, session, monkeypatch):
    text = "a " * 3000 + "HT-1!"
    (slow,) = documents.add(session.workspace, session.project_id, [Document("s", text)]).ids
    patterns.add(session.workspace, session.project_id, r"(\w+\s?)*$", "NAME", user="lin")
    patterns.add(session.workspace, session.project_id, r"HT-\d", "ID", user="lin")
    assert call("open_document", document=slow)["pending"]
    reply = call("find_suggestions", document=slow)
    assert reply["stopped"] == [r"(\w+\s?)*$"]
    assert [s["label"] for s in reply["suggestions"] if s["label"] == "ID"] == ["ID"]


def test_truncated_matches_are_reported(call, session):
    (many,) = documents.add(session.workspace, session.project_id, [Document("m", "字" * 1500)]).ids
    patterns.add(session.workspace, session.project_id, "字", "NAME", user="lin")
    assert call("find_suggestions", document=many)["cut"] == ["字"]


def test_regions_open_with_the_document_and_change_by_marking(call, session, document):
    assert call("open_document", document=document)["annotated"] == {
        "own": False, "whole": False, "regions": [], "marked": [],
    }  # fmt: skip
    marked = call(
        "set_annotated_regions", document=document, changes=[{"start": 0, "end": 8, "annotated": True}]
    )["annotated"]
    assert marked == {"own": False, "whole": False, "regions": [[0, 8]], "marked": [[0, 8]]}
    assert regions.get(session.workspace, document).marked == ((0, 8),)
    annotations.save(session.workspace, document, 0, [Span(17, 19, "NAME")], user="lin", action="label")
    assert call("read_annotated_regions", document=document)["annotated"]["whole"]
    taken = {"changes": [{"start": 0, "end": 8, "annotated": False}], "way": "undo"}
    back = call("set_annotated_regions", document=document, **taken)["annotated"]
    assert back["regions"] == [[8, len(TEXT)]]


def test_a_reader_of_the_dictionary_may_not_change_patterns(call, session, document):
    members.put(session.workspace, session.project_id, "mei", "manager", by="mei")
    members.put(session.workspace, session.project_id, "lin", "annotator", by="mei")
    reply = call("add_pattern", pattern="a", label="ID")
    assert not reply["ok"]
    assert patterns.all_patterns(session.workspace, session.project_id) == []
    assert call("list_patterns")["ok"]


def test_every_action_declares_whether_it_shows_a_sentence():
    undecided = set(get_args(Action)) - touched.ON_SCREEN - touched.UNSEEN
    assert not undecided, "core/store/annotation/touched.py must know these actions"
    assert not touched.ON_SCREEN & touched.UNSEEN
