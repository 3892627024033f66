"""What the drawer is answered: part by part, for documents and for pasted text, to whom it is open."""

import time

import pytest

from app.services.session import Session
from app.ui.why import drawer
from core.inspection.sentence import evidence
from core.store.annotation import annotations
from core.store.db.errors import NotFound
from core.store.document import documents
from core.store.project import assignments, members, projects
from core.store.project.members import NotAllowed
from core.store.run import predictions, runs
from core.text import Document, Span
from tests.app.asking import asked
from tests.app.inspect.conftest import TEXT, flat_folder

__all__ = ["flat_folder"]  # a fixture

PLACE = {"start": 3, "end": 6, "label": "LOC"}


@pytest.fixture
def served(session, flat_folder):
    """The session on a document, with a tiny FLAT that knows it by heart as the active run."""
    runs.register(session.workspace, session.project_id, "flat-0001", "flat", flat_folder, {})
    projects.set_active(session.workspace, session.project_id, "flat-0001")
    session.document = documents.add(session.workspace, session.project_id, [Document("a", TEXT)]).ids[0]
    return session


def answered(session: Session, **fields):
    """All parts of the answer by title, and its first reply."""
    first = reply = asked(drawer.explain_span, session, fields)
    parts = list(reply["parts"])
    until = time.monotonic() + 60
    while reply["running"]:
        assert time.monotonic() < until
        again = {**fields, "task": reply["task"], "given": len(parts)}
        reply = asked(drawer.explain_span, session, again)
        parts += reply["parts"]
    assert reply["trouble"] == ""
    return {part["title"]: part for part in parts}, first


def test_a_predicted_span_is_explained_by_all_that_the_tagger_has(served):
    parts, first = answered(served, document=served.document, **PLACE)
    assert list(parts) == [
        "The tagger", "How often it is right", "Best rivals", "Without a dictionary word",
        "With characters covered", "Similar labelled sentences",
    ]  # fmt: skip
    (line,) = parts["The tagger"]["lines"]
    assert line.startswith("flat-0001 predicts this span with confidence 1.00.")
    assert "LOC 岭南市 is" in parts["Best rivals"]["lines"][0]
    gaps = [row["gap"] for row in parts["Best rivals"]["value"]["rows"]]
    assert all(gap.startswith("−") for gap in gaps)
    words = {row["what"] for row in parts["Without a dictionary word"]["value"]["rows"]}
    assert words == {f"without the word {word}" for word in ("岭南", "岭南市", "工作")}
    assert first["inspect"] == {"run": "flat-0001", "document": str(served.document), "span": "3-6"}


def test_of_a_span_it_does_not_predict_it_is_told_what_stands_there_and_how_likely_it_is(served):
    parts, _ = answered(served, document=served.document, start=3, end=5, label="LOC")
    first, instead = parts["The tagger"]["lines"]
    assert first.startswith("flat-0001 does not predict this span; its probability is ")
    assert instead.startswith("Instead it predicts 岭南市 LOC 1.00.")
    assert "How often it is right" not in parts
    assert "behind the path with 岭南市 LOC" in parts["Best rivals"]["lines"][0]
    outcomes = [row["outcome"] for row in parts["Without a dictionary word"]["value"]["rows"]]
    assert not any("lost" in outcome for outcome in outcomes)


def test_a_label_that_the_tagger_never_learned_is_named(served):
    parts, _ = answered(served, document=served.document, start=0, end=2, label="PER")
    assert "does not know the label PER" in parts["The tagger"]["lines"][0]
    assert list(parts) == ["The tagger", "Similar labelled sentences"]


def test_spans_this_sure_are_counted_on_held_out_documents(served):
    made = [Document(f"d{n}", f"{TEXT}{n}", (), {"split": "test"}) for n in range(6)]
    for id_ in documents.add(served.workspace, served.project_id, made).ids:
        annotations.save(served.workspace, id_, 0, [Span(3, 6, "LOC")], user="lin", status="done")
        predictions.put_one(served.workspace, "flat-0001", id_, [Span(3, 6, "LOC", 0.999)])
    parts, _ = answered(served, document=served.document, **PLACE)
    (line,) = parts["How often it is right"]["lines"]
    assert line == "Of 6 spans this sure (0.9–1.0), 100% were right on held-out documents."


def test_similar_labelled_sentences_come_with_their_spans(served):
    (id_,) = documents.add(served.workspace, served.project_id, [Document("b", "周敏在岭南市工作多年")]).ids
    annotations.save(served.workspace, id_, 0, [Span(3, 6, "LOC")], user="lin", status="done")
    parts, _ = answered(served, document=served.document, **PLACE)
    (row,) = parts["Similar labelled sentences"]["rows"]
    assert (row["document"], row["spans"]) == (id_, [{"start": 3, "end": 6, "label": "LOC"}])


def test_pasted_text_is_explained_through_the_run_that_tagged_it(served):
    parts, first = answered(served, text=TEXT, run="flat-0001", **PLACE)
    assert parts["The tagger"]["lines"][0].startswith("flat-0001 predicts this span")
    assert first["inspect"] == {"run": "flat-0001", "sentence": TEXT, "span": "3-6"}


@pytest.mark.exhaustive
def test_a_span_far_into_a_long_text_is_explained_in_its_sentences(served):
    text = "今天下雨。" * 200 + TEXT
    at = len(text) - len(TEXT) + 3
    parts, first = answered(served, text=text, start=at, end=at + 3, label="LOC")
    assert "岭南市" in parts["Best rivals"]["lines"][0]
    start, end = map(int, first["inspect"]["span"].split("-"))
    assert first["inspect"]["sentence"][start:end] == "岭南市"


def test_without_a_run_it_says_what_to_do(session):
    (id_,) = documents.add(session.workspace, session.project_id, [Document("a", TEXT)]).ids
    parts, first = answered(session, document=id_, **PLACE)
    assert "Train one" in parts["The tagger"]["lines"][0]
    assert parts["The tagger"]["go"] == "train"
    assert first["inspect"] is None


def test_a_large_tagger_covers_characters_only_if_asked(served, monkeypatch):
    monkeypatch.setattr(evidence, "SLOW", 10)
    parts, _ = answered(served, document=served.document, **PLACE)
    assert parts["With characters covered"]["kind"] == "offer"
    parts, _ = answered(served, document=served.document, thorough=True, **PLACE)
    assert parts["With characters covered"]["kind"] == "reasons"


def test_the_next_question_ends_the_one_before(served):
    first = asked(drawer.explain_span, served, {"document": served.document, **PLACE})
    task = served.workbench.tasks.latest((drawer.KEY, served.token))
    second = asked(
        drawer.explain_span, served, {"document": served.document, "start": 0, "end": 2, "label": "LOC"}
    )
    assert second["task"] == first["task"] + 1
    assert task.wait(60)
    late = asked(drawer.explain_span, served, {"document": served.document, "task": first["task"], **PLACE})
    assert (late["parts"], late["running"]) == ([], False)


def test_it_can_be_stopped(served):
    with served.workbench.taggers.tagger(served.project_id):  # nobody else can use it yet
        first = asked(drawer.explain_span, served, {"document": served.document, **PLACE})
        assert (first["parts"], first["running"]) == ([], True)
        stop = {"document": served.document, "task": first["task"], "stop": True, **PLACE}
        asked(drawer.explain_span, served, stop)
    task = served.workbench.tasks.latest((drawer.KEY, served.token))
    assert task.wait(60)
    assert task.stopped
    assert task.rows == []


def test_a_run_whose_folder_is_gone_is_reported_where_the_answer_would_stand(served, tmp_path):
    runs.register(served.workspace, served.project_id, "gone", "flat", tmp_path / "nowhere", {})
    reply = asked(drawer.explain_span, served, {"text": TEXT, "run": "gone", **PLACE})
    while reply["running"]:
        reply = asked(drawer.explain_span, served, {"text": TEXT, "task": reply["task"], **PLACE})
    assert "The folder of gone is gone" in reply["trouble"]


def test_what_is_closed_to_a_person_is_not_explained_to_them(served):
    other = projects.create(served.workspace, "closed")
    (hidden,) = documents.add(served.workspace, other.id, [Document("h", TEXT)]).ids
    with pytest.raises(NotFound):
        asked(drawer.explain_span, served, {"document": hidden, **PLACE})
    runs.register(served.workspace, other.id, "theirs", "flat", served.workspace.folder, {})
    with pytest.raises(NotFound):
        asked(drawer.explain_span, served, {"text": TEXT, "run": "theirs", **PLACE})
    members.put(served.workspace, served.project_id, "mia", "manager", by="mia")
    for fields in ({"document": served.document}, {"text": TEXT}):
        with pytest.raises(NotAllowed):
            asked(drawer.explain_span, served, {**fields, **PLACE})


def test_who_may_not_see_documents_gets_no_link_to_inspect_and_no_others_sentences(served):
    members.put(served.workspace, served.project_id, "mia", "manager", by="mia")
    members.put(served.workspace, served.project_id, "lin", "annotator", by="mia")
    assignments.set_plan(served.workspace, served.project_id, "separate", 1, by="mia")
    parts, first = answered(served, text=TEXT, **PLACE)
    assert first["inspect"] is None
    assert "Similar labelled sentences" not in parts


@pytest.mark.parametrize("extent", [(0, 99), (5, 5), (6, 3)])
def test_a_span_that_does_not_fit_the_text_is_refused(served, extent):
    with pytest.raises(Exception, match="has changed since"):
        asked(
            drawer.explain_span, served, {"text": TEXT, "start": extent[0], "end": extent[1], "label": "LOC"}
        )
