"""The Python side of the annotator: what it gives the browser, and what it answers."""

import json
import re

import gradio as gr
import pytest

from app.annotate.annotator import page_update
from app.ui.widgets.page_code import modules, read
from app.ui.widgets.sentence import sentence_row, sentence_value, sentence_view, sentences_value
from app.ui.window.navigation import AskedDocument
from core.text import LabelSet, Span
from tests.browser.annotator_backend import Server, backend_of

LABELS = LabelSet().extended(["NAME", "ORG"])
HOSTILE = "<img src=x onerror=alert(1)> ${alert(2)} {{alert}} `x`"


@pytest.fixture
def backend():
    return backend_of("沈知微在青岛。", Span(0, 3, "NAME"))


@pytest.fixture
def widget(backend):
    server = Server(backend)
    return next(block for block in server.demo.blocks.values() if block.elem_id == "annotator")


def edit(**changes):
    return {
        "token": "a-token",
        "document": 1,
        "base_revision": 0,
        "client_edit": "edit-0001",
        "action": "label",
        "spans": [],
        "rejected": [],
    } | changes


def test_it_is_a_plain_html_component(widget):
    # A subclass of gr.HTML would write a stub file beside its module.
    assert type(widget) is gr.HTML
    assert type(sentence_view()) is gr.HTML


def test_no_text_reaches_a_template():
    view = sentence_view(sentence_value(HOSTILE, [Span(0, 4, "NAME")], LABELS))
    assert "${" not in view.html_template
    assert "{{" not in view.html_template
    assert HOSTILE not in view.html_template + view.css_template + view.js_on_load


def test_the_style_sheet_survives_being_a_template():
    style = read("annotator.css")
    assert not re.search(r"[\\`]|\$\{|\{\{|@keyframes", style)
    assert style.count("{") == style.count("}")


def test_no_prop_is_quoted_where_gradio_looks_for_events(widget):
    # Gradio takes any quoted name in js_on_load for an event and would shadow the prop of that name.
    assert re.findall(r"['\"`](\w+)['\"`]", widget.js_on_load) == ["leave"]


def test_every_message_the_scripts_name_exists():
    files = ("annotator/messages.js", "annotator/link_messages.js")
    sources = b"".join(code for name, code in modules().items() if name not in files).decode()
    said = set(re.findall(r"[\"'`](annotate\.[a-z_.]+[a-z_])[\"'`]", sources))
    messages = "\n".join(modules()[name].decode() for name in files)
    assert len(said) > 60
    assert said - set(re.findall(r'^  "([^"]+)": ', messages, re.MULTILINE)) == set()


def test_the_browser_may_call_these_functions_and_no_others(widget):
    names = {function.__name__ for function in widget.server_fns}
    wanted = """
        add_comment add_pattern change_pattern explain_span find_entries find_neighbour
        find_occurrences find_similar find_suggestions give_back_apart label_occurrences
        list_comments list_filters list_key_sentences list_labelled list_patterns list_queue
        list_words list_words_between measure_sources open_document read_annotated_regions
        read_guideline read_history read_order read_span_history read_steps read_stream remove_set
        rename_set replace_labels restore_revision save_edit save_set score_order
        set_annotated_regions set_apart set_comment set_suggestion_view stop_scoring suggest_spans
        suggest_with_lac tag_from try_pattern turn_batch
    """
    assert names == set(wanted.split())


def test_an_accepted_edit_is_acknowledged_with_its_revision_and_never_with_the_value(widget):
    answer = widget.save_edit(edit())
    assert answer["ok"] is True
    assert set(answer) == {"ok", "revision", "at"}


def test_a_refused_edit_is_told_in_plain_words_and_its_field_logged(widget, backend, caplog):
    answer = widget.save_edit(edit(spans=[{"start": 3, "end": 1, "label": "X"}]))
    assert (answer["ok"], answer["code"]) == (False, "invalid")
    assert answer["message"].startswith("The app could not read what the page sent.")
    assert "spans[0]" in caplog.text
    assert backend.saves == []


def test_a_conflict_carries_the_current_state(widget):
    answer = widget.save_edit(edit(base_revision=9))
    assert (answer["ok"], answer["code"]) == (False, "conflict")
    assert answer["current"]["spans"] == [{"start": 0, "end": 3, "label": "NAME"}]


@pytest.mark.parametrize(
    "name",
    [
        "open_document",
        "list_words",
        "save_edit",
        "list_queue",
        "find_neighbour",
        "suggest_spans",
        "read_history",
        "restore_revision",
    ],
)
def test_no_function_accepts_hostile_payloads(widget, name, caplog):
    for payload in (None, [], "x", 3, {}, {"token": 3}, {"token": "forged", "document": None}):
        answer = getattr(widget, name)(payload)
        assert (answer["ok"], answer["code"]) == (False, "session")
    field = "offset" if name == "list_queue" else "document"
    answer = getattr(widget, name)({"token": "a-token", field: "../../etc"})
    assert (answer["ok"], answer["code"]) == (False, "invalid")
    assert f"refused: {field}" in caplog.text


def test_pointing_the_widget_at_a_session_changes_one_prop():
    update = page_update("zh", project=2, asked=AskedDocument(5), visit=1)
    page = {"language": "zh", "project": 2, "document": 5, "filter": None, "visit": 1}
    assert update["page"] == page
    update = page_update("zh", project=2, asked=AskedDocument(5, imported_at=7), visit=1)
    assert update["page"] == page | {"filter": {"imported_at": 7}}
    assert "value" not in update


def test_a_sentence_is_plain_json_with_scores_and_sources():
    value = sentence_value("沈知微", [Span(0, 3, "NAME", 0.62)], LABELS, id="7", note="n")
    assert json.loads(json.dumps(value)) == value
    (row,) = value["sentences"]
    assert row["spans"] == [{"start": 0, "end": 3, "label": "NAME", "score": 0.62, "source": "tagger"}]
    assert (row["id"], row["note"], [label["name"] for label in value["labels"]]) == (
        "7",
        "n",
        ["NAME", "ORG"],
    )


def test_several_sentences_share_their_labels():
    rows = [sentence_row("一", []), sentence_row("二", [Span(0, 1, "ORG")], source="person")]
    value = sentences_value(rows, LABELS, empty="nothing yet")
    assert [row["text"] for row in value["sentences"]] == ["一", "二"]
    assert value["empty"] == "nothing yet"
