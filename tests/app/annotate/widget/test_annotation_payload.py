"""What the browser sends is taken apart field by field; what does not fit is refused by name."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.annotate.widget.annotation_payload import ACTIONS, MAX_SPANS, read_edit, read_queue_query
from app.ui.payload import (
    MAX_WORDS,
    InvalidPayload,
    read_count,
    read_text,
    read_words,
)
from core.text import Span

EDIT = {
    "session": "a-token",
    "document": 3,
    "base_revision": 0,
    "client_edit": "0b6e2f0e-0000-4000-8000-000000000000",
    "action": "label",
    "spans": [{"start": 0, "end": 2, "label": "NAME"}],
    "rejected": [],
    "status": "in_progress",
    "run": "flat-0001",
}
SOMETHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


def test_a_whole_edit_is_read():
    edit = read_edit(EDIT)
    assert (edit.document, edit.base_revision, edit.action, edit.run) == (3, 0, "label", "flat-0001")
    assert edit.spans == (Span(0, 2, "NAME"),)


def test_a_score_from_the_browser_is_not_believed():
    assert (
        read_edit(EDIT | {"spans": [{"start": 0, "end": 2, "label": "X", "score": 1.0}]}).spans[0].score
        is None
    )


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("document", "3", "document must be a whole number"),
        ("document", True, "document must be a whole number"),
        ("document", -1, "document must be a whole number"),
        ("document", 2**70, "document must be a whole number"),
        ("base_revision", 1.5, "base_revision must be a whole number"),
        ("client_edit", "short", "client_edit must have 8 to 64 characters"),
        ("client_edit", "x" * 65, "client_edit must have 8 to 64 characters"),
        ("client_edit", None, "client_edit must be a text"),
        ("action", "drop table", "is none of accept"),
        ("action", ["label"], "action must be a text"),
        ("spans", "all", "spans must be a list of spans"),
        ("spans", None, "spans must be a list of spans"),
        ("spans", [7], "expected an object, got int"),
        ("spans", [{"start": 2, "end": 2, "label": "X"}], "spans[0]: a span needs 0 <= start < end"),
        ("spans", [{"start": 0, "end": 2, "label": ""}], "label must be a text"),
        ("spans", [{"start": 0, "end": 2, "label": "x" * 201}], "at most 200 characters"),
        ("spans", [{"start": 0, "end": 2}], "label must be a text"),
        ("spans", [{"start": 0, "end": 2, "label": "X"}] * 2, "spans holds the same span twice"),
        ("rejected", {}, "rejected must be a list of spans"),
        ("status", "finished", "status must be one of new, in_progress, done"),
        ("status", {}, "status must be one of new, in_progress, done"),
        ("run", 7, "run must be a text"),
    ],
)
def test_a_field_that_does_not_fit_is_named(field, value, said):
    with pytest.raises(InvalidPayload) as refused:
        read_edit(EDIT | {field: value})
    assert said in str(refused.value)


def test_more_spans_than_a_document_keeps_are_refused():
    spans = [{"start": at, "end": at + 1, "label": "X"} for at in range(MAX_SPANS + 1)]
    with pytest.raises(InvalidPayload, match="at most 20000 are kept"):
        read_edit(EDIT | {"spans": spans})


@given(SOMETHING)
def test_nothing_but_an_object_with_the_right_fields_is_an_edit(payload):
    with pytest.raises(InvalidPayload):
        read_edit(payload)


@given(st.sampled_from(sorted(EDIT)), SOMETHING)
def test_any_value_in_any_field_is_read_or_refused_by_name(field, value):
    try:
        edit = read_edit(EDIT | {field: value})
    except InvalidPayload:
        edit = read_edit(EDIT)
    assert edit.action in ACTIONS
    assert all(type(span.start) is int and 0 <= span.start < span.end for span in edit.spans)


def test_an_edit_may_leave_status_and_run_open():
    edit = read_edit(EDIT | {"status": None, "run": None})
    assert (edit.status, edit.run) == (None, None)


def test_an_empty_question_shows_the_whole_queue_in_order():
    query = read_queue_query({})
    assert (query.order, query.status, query.label, query.search, query.offset) == (
        "position",
        None,
        "",
        "",
        0,
    )


@pytest.mark.parametrize(
    "question",
    [{"order": "best"}, {"offset": -1}, {"search": "x" * 201}, {"status": 1}, {"label": []}, "all", None],
)
def test_a_question_that_does_not_fit_is_refused(question):
    with pytest.raises(InvalidPayload):
        read_queue_query(question)


def test_words_are_a_short_list_of_short_words():
    assert read_words({"without": ["高工", "教授"]}, "without") == ("高工", "教授")
    for wrong in (None, "高工", ["x"] * (MAX_WORDS + 1), [3], ["x" * 201]):
        with pytest.raises(InvalidPayload, match="without must be"):
            read_words({"without": wrong}, "without")


def test_an_optional_field_may_be_missing_and_others_may_not():
    assert (read_text({}, "search", optional=True), read_count({}, "offset", optional=True)) == ("", 0)
    with pytest.raises(InvalidPayload, match="search must be a text"):
        read_text({}, "search")
    with pytest.raises(InvalidPayload, match="offset must be a whole number"):
        read_count({}, "offset")
