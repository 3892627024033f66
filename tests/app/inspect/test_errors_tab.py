"""The Errors tab of the Inspect page: what it counts, what a click lists, what it says of nothing."""

import math
from types import SimpleNamespace

import gradio as gr
import pytest

from app.inspect import opening
from app.inspect import page as inspect_page
from app.inspect.corpus import errors
from app.inspect.corpus.error_analysis import analysis_of
from app.inspect.corpus.errors_list import FINDERS
from app.services.errors import AppError
from app.ui.window.navigation import AskedDocument
from core.inspection.sentence.span_prediction import MOST_CHARACTERS
from core.store.annotation import annotations
from core.store.document import documents
from core.store.label import labels
from core.store.project import projects
from core.store.run import predictions, runs
from core.store.run.predicted import predicted_documents
from core.text import Document, LabelSet, Span
from tests.store.by_hand import add_words

RUN = "flat-0001"
HOSTILE = "<img src=x onerror=alert(1)>"
# split, text, what people said, what the run said
STORY = [
    ("train", "陈禾在岭南市工作。", [(0, 2, "PER"), (3, 6, "LOC")], [(0, 2, "PER", 0.9), (3, 6, "LOC", 0.8)]),
    ("train", "陈禾在岭南市工作！", [(0, 2, "PER")], [(0, 2, "PER", 0.9), (3, 6, "LOC", 0.97)]),
    ("none", "周敏来了", [(0, 2, "PER")], None),
    ("dev", "周敏到岭南开会", [(0, 2, "PER"), (3, 5, "LOC")], [(0, 3, "PER", 0.6), (3, 5, "PER", 0.7)]),
    ("dev", "青禾医院在岭南市", [(0, 4, "LOC")], [(0, 4, "LOC", None), (5, 8, "LOC", 0.95)]),
    ("test", f"陈禾说{HOSTILE}", [(0, 2, "PER")], []),
    ("test", "岭南市", [(0, 3, "LOC")], None),
]


@pytest.fixture
def project(session):
    """A project of the story above, with the FLAT of the fixtures as its run."""
    workspace = session.workspace
    made = projects.create(workspace, "story")
    labels.put(workspace, made.id, LabelSet().extended(["PER", "LOC"]))
    corpus = [
        Document(str(at), text, tuple(Span(*span) for span in spans), {"split": split})
        for at, (split, text, spans, _) in enumerate(STORY)
    ]
    numbers = documents.add(workspace, made.id, corpus).ids
    folder = runs.get(workspace, RUN).folder
    runs.register(workspace, made.id, "flat-0009", "flat", folder, {})
    said = [
        document.with_spans(Span(*span) for span in answer)
        for document, (*_, answer) in zip(corpus, STORY, strict=True)
        if answer is not None
    ]
    predictions.put(workspace, "flat-0009", said)
    session.turn_to(made.id)
    return SimpleNamespace(id=made.id, run="flat-0009", numbers=numbers)


@pytest.fixture(scope="module")
def view(frame):
    return errors.layout(frame)


def shown(session, view, project, parts=("dev", "test"), window=4, threshold=0.9, hide=False):
    return errors.show(session, project.run, list(parts), hide, window, threshold)


def event(**fields):
    return SimpleNamespace(**fields)


def sentences(value):
    return [row["sentences"][0]["text"] for row in value["rows"]]


def test_scores_and_mistakes_are_said_with_what_was_counted(session, view, project):
    found = shown(session, view, project)
    # people: 4 spans in 3 answered documents; the run: 4, one of them the same.
    assert found["scores"]["value"] == (
        "**F1 25.0** · precision 25.0 · recall 25.0, in percent of exact spans: 3 documents, "
        "4 spans by people, 4 by the run, 1 the same. "
        "4 mistakes: 1 missed, 1 spurious, 1 boundary, 1 label. "
        "1 more labelled document has no prediction of this run and is not counted."
    )
    assert not found["notice"]["visible"]
    assert found["answer"]["visible"]
    assert "(1)" in found["answer"]["value"]


def test_the_figures_hold_the_counts(session, view, project):
    found = shown(session, view, project)
    assert found["confusion"].data[0].z == ([1, 0, 1], [1, 1, 0], [0, 1, 0])
    right, wrong = found["boundaries"].data
    assert sum(right.x) == 1
    assert right.x[3] == 1  # the right side too long
    assert sum(wrong.x) == 0
    assert list(found["novelty"].data[0].y) == pytest.approx([50.0, None, 0.0], nan_ok=True)
    assert found["ece"].startswith("Expected calibration error **")
    assert found["ece"].endswith("3 spans. 1 span has no confidence and is left out.")


def test_the_diagonal_can_be_hidden(session, view, project):
    assert shown(session, view, project, hide=True)["confusion"].data[0].z[0][0] is None
    figure = errors.show_diagonal(session, project.run, ["dev", "test"], False)
    assert figure.data[0].z[1][1] == 1


def test_training_documents_can_be_looked_at_too(session, view, project):
    found = shown(session, view, project, parts=["train"])
    assert "2 documents, 3 spans by people, 4 by the run, 3 the same" in found["scores"]["value"]
    assert found["predict_training"]["visible"]
    assert found["against_notice"]["value"].startswith("1 of 3 labelled training documents")


def test_every_mistake_is_listed_first(session, view, project):
    value = shown(session, view, project)["rows"]
    assert value["title"] == "All mistakes: 4"
    assert [row["kind"] for row in value["rows"]] == ["boundary", "label", "spurious", "missed"]
    assert HOSTILE in sentences(value)[-1]
    marks = value["rows"][0]["sentences"][0]["marks"]
    assert [(m["start"], m["end"], m["label"], m["source"]) for m in marks] == [
        (0, 2, "PER", "person"),
        (0, 3, "PER", "tagger"),
    ]
    assert marks[1]["score"] == 0.6


@pytest.mark.parametrize(
    ("figure", "point", "title", "kinds"),
    [
        ("confusion", {"x": 0, "y": 1, "trace": 0}, "LOC → PER: 1", ["label"]),
        ("confusion", {"x": 2, "y": 0, "trace": 0}, "PER → nothing (missed): 1", ["missed"]),
        ("confusion", {"x": 1, "y": 2, "trace": 0}, "nothing (spurious) → LOC: 1", ["spurious"]),
        ("confusion", {"x": 1, "y": 1, "trace": 0}, "LOC → LOC: 1, 0 of them mistakes", ["correct"]),
        ("boundaries", {"x": 1, "y": 3, "trace": 0}, "right too long: 1", ["boundary"]),
        ("length", {"x": 1, "y": 0.0, "trace": 0}, "By length, 2 · recall: 3",
         ["boundary", "label", "missed"]),
        ("length", {"x": 2, "y": 0.0, "trace": 1}, "By length, 3 · precision: 2", ["boundary", "spurious"]),
        ("length", {"x": 3, "y": 100, "trace": 2}, "By length, 4: 1, 0 of them mistakes", ["correct"]),
        ("frequency", {"x": 0, "trace": 0}, "By frequency in training, 0 · recall: 2, 1 of them mistakes",
         ["label", "correct"]),
        ("lexicon", {"x": 0, "trace": 0}, "In the dictionary or not, in the dictionary · recall: 1",
         ["label"]),
        ("calibration", {"customdata": 9, "trace": 1}, "Confidence 0.9 to 1.0: 1", ["spurious"]),
    ],
)  # fmt: skip
def test_a_click_lists_the_sentences_behind_a_point(session, view, project, figure, point, title, kinds):
    shown(session, view, project)
    value = errors.pick(figure)(session, event(**point), project.run, ["dev", "test"])["rows"]
    assert value["title"] == title
    assert [row["kind"] for row in value["rows"]] == kinds


def test_a_list_that_was_asked_for_is_brought_into_view_and_one_that_was_not_is_not(session, view, project):
    assert shown(session, view, project)["rows"]["call"] == 0
    first = errors.list_all(session, project.run, ["dev", "test"])["rows"]["call"]
    assert first
    assert errors.list_all(session, project.run, ["dev", "test"])["rows"]["call"] != first


def test_what_a_browser_makes_up_lists_nothing(session, view, project):
    shown(session, view, project)
    for figure in FINDERS:
        for value in (-1, 999, 0.5, "0", None, True, [0], {"x": 0}):
            made_up = event(x=value, y=value, trace=value, customdata=value)
            assert errors.pick(figure)(session, made_up, project.run, ["dev"]) == {}
        assert errors.pick(figure)(session, event(), project.run, ["dev"]) == {}


def test_contradictions_show_one_sentence_of_each_reading(session, view, project):
    found = shown(session, view, project, window=2)
    assert found["show_contradictions"]["value"] == "Show 1 contradiction"
    value = errors.list_contradictions(session, project.run, ["dev"], 2)["rows"]
    (row,) = value["rows"]
    assert row["said"] == [{"label": "", "surface": "岭南市"}]
    notes = {one["note"]: [mark["source"] for mark in one["marks"]] for one in row["sentences"]}
    assert notes == {"LOC, 1 of 2": ["person"], "not labelled, 1 of 2": ["place"]}
    assert shown(session, view, project, window=8)["show_contradictions"]["interactive"] is False


def test_a_training_label_against_a_sure_run(session, view, project):
    assert shown(session, view, project)["show_against"]["value"] == "Show 1 span"
    value = errors.list_against(session, project.run, ["dev"], 0.95)["rows"]
    assert [row["kind"] for row in value["rows"]] == ["spurious"]
    assert sentences(value) == ["陈禾在岭南市工作！"]
    assert errors.show_data(session, project.run, ["dev"], 4, 0.99)["show_against"]["interactive"] is False
    with pytest.raises(AppError):
        errors.list_against(session, project.run, ["dev"], 0.123)


def test_lists_are_paged_by_twenty(session, view, project):
    corpus = [Document(f"n{at}", f"第{at}周敏", (Span(0, 1, "LOC"),), {"split": "dev"}) for at in range(45)]
    documents.add(session.workspace, project.id, corpus)
    predictions.put(session.workspace, project.run, [document.with_spans(()) for document in corpus])
    found = shown(session, view, project)
    assert (len(found["rows"]["rows"]), found["range"], found["offset"]) == (20, "1–20 of 49", 0)
    assert (found["previous"]["interactive"], found["next"]["interactive"]) == (False, True)
    found = errors.step_on(session, 20)
    assert (len(found["rows"]["rows"]), found["range"], found["offset"]) == (9, "41–49 of 49", 40)
    assert (found["previous"]["interactive"], found["next"]["interactive"]) == (True, False)
    assert errors.step_on(session, 40)["offset"] == 40  # there is no page after the last
    assert errors.step_back(session, 0)["offset"] == 0


def test_no_labelled_documents_no_parts_and_no_run_say_what_to_do(session, view, project):
    empty = projects.create(session.workspace, "empty").id
    assert "answer them" not in shown(session, view, project, parts=["dev"])["scores"]["value"]
    assert (
        shown(session, view, project, parts=[])["notice"]["value"] == "Choose at least one kind of documents."
    )
    session.turn_to(empty)
    found = shown(session, view, project)
    assert found["notice"]["value"].startswith("No tagger of this project")
    assert not found["board"]["visible"]


def test_a_run_that_was_never_asked_offers_to_answer(session, view, project):
    runs.register(
        session.workspace, project.id, "flat-0010", "flat", runs.get(session.workspace, RUN).folder, {}
    )
    project.run = "flat-0010"
    found = shown(session, view, project)
    assert found["notice"]["value"].startswith("`flat-0010` has no predictions for 4 documents")
    assert found["answer"]["visible"]
    assert not found["board"]["visible"]
    errors.answer(session, lambda *done, **said: None, "flat-0010", ["dev", "test"])
    assert shown(session, view, project)["board"]["visible"]
    asked = [
        one.predicted is not None for one in predicted_documents(session.workspace, project.id, "flat-0010")
    ]
    assert asked == [False, False, False, True, True, True, True]
    errors.predict_training(session, lambda *done, **said: None, "flat-0010")
    assert all(
        one.predicted is not None for one in predicted_documents(session.workspace, project.id, "flat-0010")
    )


def test_documents_without_labels_are_not_looked_at(session, view):
    found = shown(session, view, SimpleNamespace(run=RUN))
    assert found["notice"]["value"].startswith("No labelled documents here")


def test_no_mistakes_at_all_is_said(session, view, project):
    for number, (split, *_) in zip(project.numbers, STORY, strict=True):
        if split in ("dev", "test"):
            document = documents.get(session.workspace, number)
            predictions.put_one(session.workspace, project.run, number, document.spans)
    found = shown(session, view, project)
    assert "No mistakes: the predictions equal the gold annotation" in found["scores"]["value"]
    assert found["rows"]["rows"] == []
    assert found["rows"]["empty"] == "Nothing here."
    assert found["calibration"] is None  # people's spans have no confidence
    assert found["ece"].startswith("The spans of this run have no confidence")


def test_the_analysis_is_kept_until_labels_answers_or_words_change(session, project):
    first = analysis_of(session, project.run, ["dev"])
    assert analysis_of(session, project.run, ["dev"]) is first
    other = analysis_of(session, project.run, ["dev", "test"])
    assert other.trained_on is first.trained_on
    add_words(session.workspace, project.id, ["青禾医院"], user="me")
    fresh = analysis_of(session, project.run, ["dev"])
    assert [score.gold for score in first.slices["lexicon"].scores] == [1, 2]
    assert [score.gold for score in fresh.slices["lexicon"].scores] == [2, 1]
    current = annotations.current(session.workspace, project.numbers[3])
    annotations.save(session.workspace, project.numbers[3], current.revision, (), user="me")
    assert analysis_of(session, project.run, ["dev"]).score.gold == fresh.score.gold - 2


def test_what_a_run_was_trained_on_is_its_snapshot(session, project):
    folder = runs.get(session.workspace, project.run).folder
    before = analysis_of(session, project.run, ["dev"]).trained_on
    assert before.count("岭南") == 0
    (folder / "snapshot").mkdir()
    line = '{"id": "s", "text": "岭南", "spans": [{"start": 0, "end": 2, "label": "LOC"}]}\n'
    try:
        (folder / "snapshot" / "train.jsonl").write_text(line, encoding="utf-8")
        session.memory.clear()
        assert analysis_of(session, project.run, ["dev"]).trained_on.count("岭南") == 1
    finally:
        (folder / "snapshot" / "train.jsonl").unlink()
        (folder / "snapshot").rmdir()


def test_a_sentence_opens_in_annotate_or_is_looked_into(session, page, project):
    number = project.numbers[4]
    assert errors.open_in_annotate(session, event(document=number, at=0))["selected"] == "annotate"
    assert session.memory["annotate"] == AskedDocument(number)
    assert errors.look_inside(session, event(document=number, at=5))["selected"] == "sentence"
    choices = [component.value for _, shown in page.panels for component in shown.choices]
    taken = inspect_page.take_up(session, page.panels, project.run, "", *choices)
    assert (taken["document"]["value"], taken["sentence"]) == (number, STORY[4][1])
    assert session.memory["inspect"].document == number
    assert inspect_page.take_up(session, page.panels, project.run, "", *choices) == {}


def test_the_part_of_a_long_text_that_holds_the_span_is_looked_into(session, page, project):
    text = "岭南市下雨。" * 100 + "周敏来了。"
    (number,) = documents.add(session.workspace, project.id, [Document("long", text)]).ids
    opening.ask_about(session, number, len(text) - 4)
    choices = [component.value for _, shown in page.panels for component in shown.choices]
    shown_text = inspect_page.take_up(session, page.panels, project.run, "", *choices)["sentence"]
    assert "周敏" in shown_text
    assert len(shown_text) <= MOST_CHARACTERS


@pytest.mark.parametrize("number", [None, True, "1", 1.0])
def test_a_made_up_document_opens_nothing(session, project, number):
    assert errors.open_in_annotate(session, event(document=number)) == gr.skip()
    assert errors.look_inside(session, event(document=number)) == gr.skip()


def test_nothing_on_the_page_is_no_number(session, view, project):
    found = shown(session, view, project)
    for name in ("length", "frequency", "novelty", "lexicon"):
        for trace in found[name].data:
            assert not any(isinstance(y, float) and math.isnan(y) for y in trace.y)
