"""What the annotator's page sends is checked field by field; what does not fit is refused by name."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.annotate import bulk, orders, similar, span_history, suggesting, windows
from app.annotate.bulk import MAX_COMMENT, MAX_PLACES, MAX_SURFACES, LabelPlaces, NewComment, ReplaceLabels
from app.annotate.queue import QueueQuery
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
        (Edit, EDIT, {"document": "3"}, "document must be a whole number"),
        (Edit, EDIT, {"document": True}, "document must be a whole number"),
        (Edit, EDIT, {"document": -1}, "document must be 0 or more"),
        (Edit, EDIT, {"document": 2**70}, "document must be 9007199254740992 or less"),
        (Edit, EDIT, {"base_revision": 1.5}, "base_revision must be a whole number"),
        (Edit, EDIT, {"client_edit": "short"}, "client_edit is too short: 8"),
        (Edit, EDIT, {"client_edit": "x" * 65}, "client_edit is too long: at most 64"),
        (Edit, EDIT, {"client_edit": None}, "client_edit must be a text"),
        (Edit, EDIT, {"action": "drop table"}, "action must be one of 'label'"),
        (Edit, EDIT, {"action": ["label"]}, "action must be one of"),
        (Edit, EDIT, {"spans": "all"}, "spans must be a list"),
        (Edit, EDIT, {"spans": None}, "spans must be a list"),
        (Edit, EDIT, {"spans": [7]}, r"spans\[0\] must be an object"),
        (Edit, EDIT, {"spans": [{"start": 2, "end": 2, "label": "X"}]}, r"spans\[0\]: a span needs"),
        (Edit, EDIT, {"spans": [{"start": 0, "end": 2, "label": ""}]}, r"spans\[0\].label is too short"),
        (Edit, EDIT, {"spans": [{"start": 0, "end": 2, "label": "x" * 201}]}, "at most 200 characters"),
        (Edit, EDIT, {"spans": [{"start": 0, "end": 2}]}, r"spans\[0\].label is missing"),
        (Edit, EDIT, {"spans": [{"start": "0", "end": 2, "label": "X"}]}, r"spans\[0\].start must be"),
        (Edit, EDIT, {"rejected": {}}, "rejected must be a list"),
        (Edit, EDIT, {"status": "finished"}, "status must be one of 'new', 'in_progress', 'to_check'"),
        (Edit, EDIT, {"reason": "x" * 501}, "reason is too long"),
        (Edit, EDIT, {"status": {}}, "status must be one of"),
        (Edit, EDIT, {"run": 7}, "run must be a text"),
        (QueueQuery, {}, {"order": "best"}, "order must be one of position, "),
        (QueueQuery, {}, {"offset": -1}, "offset must be 0 or more"),
        (FilterFields, {}, {"search": "x" * 1001}, "search is too long"),
        (FilterFields, {}, {"status": 1}, "status must be one of"),
        (FilterFields, {}, {"label": []}, "label must be a text"),
        (FilterFields, {}, {"meta": [["genre"]]}, r"meta\[0\] must have 2 or more items"),
        (FilterFields, {}, {"meta": [["a", "b"]] * 9}, "meta must have at most 8 items"),
        (FilterFields, {}, {"confidence_from": 1.5}, "confidence_from must be 1.0 or less"),
        (QueueQuery, {}, {"filter": {"split": "validation"}}, "filter.split must be one of"),
        (QueueQuery, {}, {"filter": "all"}, "filter must be an object"),
        (NewComment, COMMENT, {"text": "长" * (MAX_COMMENT + 1)}, "text is too long: at most 4000"),
        (NewComment, COMMENT, {"text": ["a"]}, "text must be a text"),
        (NewComment, COMMENT, {"start": -1}, "start must be 0 or more"),
        (NewComment, COMMENT, {"start": 1.5}, "start must be a whole number"),
        (NewComment, COMMENT, {"document": True}, "document must be a whole number"),
        (NewComment, COMMENT, {"label": "x" * 201}, "label is too long"),
        (NewComment, COMMENT, {"client_edit": "short"}, "client_edit is too short"),
        (bulk.CommentChange, CHANGE, {"state": "gone"}, "state must be one of"),
        (bulk.CommentChange, CHANGE, {"state": ["open"]}, "state must be one of"),
        (bulk.PlaceQuery, {"but": 1}, {"surface": ""}, "surface is too short"),
        (bulk.PlaceQuery, {"but": 1}, {"surface": "长" * 201}, "surface is too long"),
        (bulk.PlaceQuery, {"surface": "青岛"}, {"but": None}, "but must be a whole number"),
        (LabelPlaces, PLACES, {"places": []}, "places must have 1 or more items"),
        (LabelPlaces, PLACES, {"places": [PLACE] * (MAX_PLACES + 1)}, "places must have at most 5000"),
        (LabelPlaces, PLACES, {"places": {"0": PLACE}}, "places must be a list"),
        (LabelPlaces, PLACES, {"places": [PLACE, 7]}, r"places\[1\] must be an object"),
        (LabelPlaces, PLACES, {"places": [PLACE | {"start": "0"}]}, r"places\[0\].start must be"),
        (LabelPlaces, PLACES, {"places": [PLACE | {"surface": None}]}, r"places\[0\].surface must be"),
        (LabelPlaces, PLACES, {"label": ""}, "label is too short"),
        (ReplaceLabels, REPLACE, {"surfaces": []}, "surfaces must have 1 or more items"),
        (ReplaceLabels, REPLACE, {"surfaces": "青岛"}, "surfaces must be a list"),
        (ReplaceLabels, REPLACE, {"surfaces": ["a"] * (MAX_SURFACES + 1)}, "surfaces must have at most"),
        (ReplaceLabels, REPLACE, {"surfaces": [""]}, r"surfaces\[0\] is too short"),
        (ReplaceLabels, REPLACE, {"new": 7}, "new must be a text"),
        (bulk.TurnBatch, TURN, {"way": "sideways"}, "way must be one of 'undo' or 'redo'"),
        (bulk.TurnBatch, TURN, {"way": None}, "way must be one of 'undo' or 'redo'"),
        (bulk.TurnBatch, TURN, {"batch": "b"}, "batch is too short"),
        (windows.Part, {"document": 1, "start": 0}, {"without": "高工"}, "without must be a list"),
        (windows.Part, {"document": 1, "start": 0}, {"without": None}, "without must be a list"),
        (windows.Part, {"document": 1, "start": 0}, {"without": ["x"] * 501}, "without must have at most"),
        (windows.Part, {"document": 1, "start": 0}, {"without": [3]}, r"without\[0\] must be a text"),
        (windows.Part, {"document": 1, "start": 0}, {"without": ["x" * 201]}, r"without\[0\] is too long"),
        (suggesting.RegionChanges, REGIONS, {"changes": []}, "changes must have 1 or more"),
        (suggesting.RegionChanges, REGIONS, {"changes": [{"start": 0, "end": 1, "annotated": 1}]}, "true or"),
        (suggesting.RegionChanges, REGIONS, {"way": "back"}, "way must be one of"),
        (suggesting.PatternChange, {"pattern": 1}, {"change": "drop"}, "change must be one of"),
        (orders.Share, {}, {"percent": 51}, "percent must be 50 or less"),
        (similar.Place, {"document": 1}, {"at": "0"}, "at must be a whole number"),
        (span_history.SpanQuery, {"document": 1, "start": 0, "label": "X"}, {"end": None}, "end must be"),
    ],
)  # fmt: skip
def test_a_field_that_does_not_fit_is_named(kind, message, change, said):
    with pytest.raises(InvalidPayload, match=said):
        read_payload(kind, message | change)


def test_too_many_spans_are_refused():
    spans = [{"start": at, "end": at + 1, "label": "X"} for at in range(MAX_SPANS + 1)]
    with pytest.raises(InvalidPayload, match="spans must have at most 20000 items"):
        read_payload(Edit, EDIT | {"spans": spans})


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
