"""What the annotator's page sends is checked field by field; what does not fit is refused and logged."""

import re
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.annotate import bulk, orders, similar, span_history, suggesting, windows
from app.annotate.bulk import MAX_COMMENT, MAX_PLACES, MAX_SURFACES, LabelPlaces, NewComment, ReplaceLabels
from app.annotate.queue import QueueQuery
from app.annotate.work_sets import NewSet
from app.services.errors import sentence
from app.ui.annotation.saving import Edit
from app.ui.filter_fields import FilterFields
from app.ui.payload import MAX_SPANS, InvalidPayload, Payload, read_payload
from app.ui.server_function import payload_of
from core.store.queue.filter import Filter
from core.text import Span
from tests.app.asking import FUNCTIONS

ID = "0b6e2f0e-0000-4000-8000-000000000000"
EDIT = {
    "token": "a-token",
    "document": 3,
    "base_revision": 0,
    "client_edit": ID,
    "action": "label",
    "spans": [{"start": 0, "end": 2, "label": "NAME"}],
    "rejected": [],
    "status": "in_progress",
    "run": "flat-0001",
}
COMMENT = {"document": 3, "start": 0, "end": 2, "label": "NAME", "text": "全名？", "client_edit": ID}
PLACE = {"document": 3, "start": 0, "end": 2, "surface": "青岛"}
PLACES = {"label": "LOC", "places": [PLACE], "client_edit": ID}
REPLACE = {"label": "LOC", "new": "ORG", "surfaces": ["青岛"], "but": 3, "client_edit": ID}
TURN = {"batch": ID, "way": "undo", "but": 3, "client_edit": ID}
CHANGE = {"document": 3, "comment": 7, "state": "open"}
REGIONS = {"document": 3, "changes": [{"start": 0, "end": 2, "annotated": True}]}
SOMETHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


def test_a_whole_edit_is_read():
    edit = read_payload(Edit, EDIT)
    assert (edit.document, edit.base_revision, edit.action, edit.run) == (3, 0, "label", "flat-0001")
    assert edit.spans == (Span(0, 2, "NAME"),)
    open_ = read_payload(Edit, EDIT | {"status": None, "run": None})
    assert (open_.status, open_.run) == (None, "")


def test_a_score_from_the_browser_is_not_believed():
    spans = [{"start": 0, "end": 2, "label": "X", "score": 1.0}]
    assert read_payload(Edit, EDIT | {"spans": spans}).spans[0].score is None


def test_whole_messages_are_read():
    comment = read_payload(NewComment, COMMENT | {"start": None, "end": None, "label": None})
    assert (comment.start, comment.end, comment.label) == (None, None, "")
    query = read_payload(bulk.PlaceQuery, {"surface": "青岛", "but": 3})
    assert (query.document, query.start) == (0, 0)
    everything = read_payload(ReplaceLabels, REPLACE | {"new": None, "surfaces": None})
    assert (everything.new, everything.surfaces) == ("", None)
    queue = read_payload(QueueQuery, {"filter": {"status": "", "label": None, "meta": [["a", "b"]]}})
    assert queue == QueueQuery(order="position", filter=FilterFields(meta=[["a", "b"]]), offset=0, batch=0)
    assert queue.filter.filter() == Filter(meta=(("a", "b"),))


@pytest.mark.parametrize(
    ("kind", "message", "change", "said"),
    [
        (Edit, EDIT, {"document": "3"}, "document"),
        (Edit, EDIT, {"document": True}, "document"),
        (Edit, EDIT, {"document": -1}, "document"),
        (Edit, EDIT, {"document": 2**70}, "document"),
        (Edit, EDIT, {"base_revision": 1.5}, "base_revision"),
        (Edit, EDIT, {"client_edit": "short"}, "client_edit"),
        (Edit, EDIT, {"client_edit": "x" * 65}, "client_edit"),
        (Edit, EDIT, {"client_edit": None}, "client_edit"),
        (Edit, EDIT, {"action": "drop table"}, "action"),
        (Edit, EDIT, {"action": ["label"]}, "action"),
        (Edit, EDIT, {"spans": "all"}, "spans"),
        (Edit, EDIT, {"spans": None}, "spans"),
        (Edit, EDIT, {"spans": [7]}, r"spans\[0\]"),
        (Edit, EDIT, {"spans": [{"start": 2, "end": 2, "label": "X"}]}, r"spans\[0\]"),
        (Edit, EDIT, {"spans": [{"start": 0, "end": 2, "label": ""}]}, r"spans\[0\].label"),
        (Edit, EDIT, {"spans": [{"start": 0, "end": 2, "label": "x" * 201}]}, r"spans\[0\].label"),
        (Edit, EDIT, {"spans": [{"start": 0, "end": 2}]}, r"spans\[0\].label"),
        (Edit, EDIT, {"spans": [{"start": "0", "end": 2, "label": "X"}]}, r"spans\[0\].start"),
        (Edit, EDIT, {"rejected": {}}, "rejected"),
        (Edit, EDIT, {"status": "finished"}, "status"),
        (Edit, EDIT, {"reason": "x" * 501}, "reason"),
        (Edit, EDIT, {"status": {}}, "status"),
        (Edit, EDIT, {"run": 7}, "run"),
        (QueueQuery, {}, {"order": "best"}, "order"),
        (QueueQuery, {}, {"offset": -1}, "offset"),
        (FilterFields, {}, {"search": "x" * 1001}, "search"),
        (FilterFields, {}, {"status": 1}, "status"),
        (FilterFields, {}, {"label": []}, "label"),
        (FilterFields, {}, {"meta": [["genre"]]}, r"meta\[0\]"),
        (FilterFields, {}, {"meta": [["a", "b"]] * 9}, "meta"),
        (FilterFields, {}, {"confidence_from": 1.5}, "confidence_from"),
        (QueueQuery, {}, {"filter": {"split": "validation"}}, "filter.split"),
        (QueueQuery, {}, {"filter": "all"}, "filter"),
        (NewComment, COMMENT, {"text": "长" * (MAX_COMMENT + 1)}, "text"),
        (NewComment, COMMENT, {"text": ["a"]}, "text"),
        (NewComment, COMMENT, {"start": -1}, "start"),
        (NewComment, COMMENT, {"start": 1.5}, "start"),
        (NewComment, COMMENT, {"document": True}, "document"),
        (NewComment, COMMENT, {"label": "x" * 201}, "label"),
        (NewComment, COMMENT, {"client_edit": "short"}, "client_edit"),
        (bulk.CommentChange, CHANGE, {"state": "gone"}, "state"),
        (bulk.CommentChange, CHANGE, {"state": ["open"]}, "state"),
        (bulk.PlaceQuery, {"but": 1}, {"surface": ""}, "surface"),
        (bulk.PlaceQuery, {"but": 1}, {"surface": "长" * 201}, "surface"),
        (bulk.PlaceQuery, {"surface": "青岛"}, {"but": None}, "but"),
        (LabelPlaces, PLACES, {"places": []}, "places"),
        (LabelPlaces, PLACES, {"places": [PLACE] * (MAX_PLACES + 1)}, "places"),
        (LabelPlaces, PLACES, {"places": {"0": PLACE}}, "places"),
        (LabelPlaces, PLACES, {"places": [PLACE, 7]}, r"places\[1\]"),
        (LabelPlaces, PLACES, {"places": [PLACE | {"start": "0"}]}, r"places\[0\].start"),
        (LabelPlaces, PLACES, {"places": [PLACE | {"surface": None}]}, r"places\[0\].surface"),
        (LabelPlaces, PLACES, {"label": ""}, "label"),
        (ReplaceLabels, REPLACE, {"surfaces": []}, "surfaces"),
        (ReplaceLabels, REPLACE, {"surfaces": "青岛"}, "surfaces"),
        (ReplaceLabels, REPLACE, {"surfaces": ["a"] * (MAX_SURFACES + 1)}, "surfaces"),
        (ReplaceLabels, REPLACE, {"surfaces": [""]}, r"surfaces\[0\]"),
        (ReplaceLabels, REPLACE, {"new": 7}, "new"),
        (bulk.TurnBatch, TURN, {"way": "sideways"}, "way"),
        (bulk.TurnBatch, TURN, {"way": None}, "way"),
        (bulk.TurnBatch, TURN, {"batch": "b"}, "batch"),
        (windows.Part, {"document": 1, "start": 0}, {"without": "高工"}, "without"),
        (windows.Part, {"document": 1, "start": 0}, {"without": None}, "without"),
        (windows.Part, {"document": 1, "start": 0}, {"without": ["x"] * 501}, "without"),
        (windows.Part, {"document": 1, "start": 0}, {"without": [3]}, r"without\[0\]"),
        (windows.Part, {"document": 1, "start": 0}, {"without": ["x" * 201]}, r"without\[0\]"),
        (suggesting.RegionChanges, REGIONS, {"changes": []}, "changes"),
        (
            suggesting.RegionChanges, REGIONS,
            {"changes": [{"start": 0, "end": 1, "annotated": 1}]}, r"changes\[0\].annotated",
        ),
        (suggesting.RegionChanges, REGIONS, {"way": "back"}, "way"),
        (suggesting.PatternChange, {"pattern": 1}, {"change": "drop"}, "change"),
        (orders.Share, {}, {"percent": 51}, "percent"),
        (similar.Place, {"document": 1}, {"at": "0"}, "at"),
        (span_history.SpanQuery, {"document": 1, "start": 0, "label": "X"}, {"end": None}, "end"),
    ],
)  # fmt: skip
def test_a_field_that_does_not_fit_is_named(kind, message, change, said):
    with pytest.raises(InvalidPayload) as refused:
        read_payload(kind, message | change)
    assert re.match(rf"{said}: ", refused.value.detail)


@pytest.mark.parametrize(
    ("kind", "message", "change", "told", "in_chinese"),
    [
        (FilterFields, {}, {"search": "x" * 1001}, "The text is too long: at most 1000", "文本太长"),
        (FilterFields, {}, {"confidence_from": 1.5}, "1.5 is too much: at most 1.0", "1.5"),
        (FilterFields, {}, {"search": "\ud800"}, "The text contains an incomplete character", "不完整的字符"),
        (NewSet, {"filter": {}}, {"name": "x" * 101}, "The text is too long: at most 100", "文本太长"),
        (Edit, EDIT, {"document": "3"}, "The app could not read what the page sent", "刷新页面"),
        (QueueQuery, {}, {"order": "best"}, "The app could not read what the page sent", "刷新页面"),
    ],
)
def test_a_person_reads_the_words_of_the_page_and_the_log_has_the_field(
    kind, message, change, told, in_chinese, caplog
):
    with pytest.raises(InvalidPayload) as refused:
        read_payload(kind, message | change)
    (field,) = change
    said = sentence(refused.value)
    assert said.startswith(told)
    assert in_chinese in sentence(refused.value, "zh")
    assert field not in said
    assert field not in sentence(refused.value, "zh")
    assert field in caplog.text


def test_too_many_spans_are_refused():
    spans = [{"start": at, "end": at + 1, "label": "X"} for at in range(MAX_SPANS + 1)]
    with pytest.raises(InvalidPayload, match="Too many at once: at most 20000") as refused:
        read_payload(Edit, EDIT | {"spans": spans})
    assert refused.value.detail.startswith("spans: ")


KINDS: list[type[Payload]] = sorted(
    {kind for fn in FUNCTIONS.values() if (kind := payload_of(fn))}, key=lambda kind: kind.__name__
)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("payload", [None, 7, "text", [], [{}], True])
def test_a_payload_that_is_no_object_is_refused(kind, payload):
    with pytest.raises(InvalidPayload):
        read_payload(kind, payload)


@given(kind=st.sampled_from(KINDS), payload=SOMETHING)
def test_whatever_arrives_is_read_or_refused(kind, payload):
    with suppress(InvalidPayload):
        assert type(read_payload(kind, payload)) is kind


@given(change=st.dictionaries(st.sampled_from([*EDIT, *COMMENT, *REPLACE, *PLACES]), SOMETHING, max_size=4))
def test_damaged_messages_are_read_or_refused(change):
    for kind, message in (
        (Edit, EDIT),
        (NewComment, COMMENT),
        (LabelPlaces, PLACES),
        (ReplaceLabels, REPLACE),
    ):
        with suppress(InvalidPayload):
            found = read_payload(kind, message | change)
            assert len(found.client_edit) >= 8
            if isinstance(found, Edit):
                assert all(type(span.start) is int and 0 <= span.start < span.end for span in found.spans)
