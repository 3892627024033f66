"""What the browser sends about comments and many documents is read field by field, or refused by name."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.annotate.widget.bulk_calls import bulk_functions
from app.annotate.widget.bulk_payload import (
    MAX_COMMENT,
    MAX_PLACES,
    MAX_SURFACES,
    LabelPlaces,
    NewComment,
    PlaceQuery,
    ReplaceLabels,
    read_comment,
    read_comment_state,
    read_label_places,
    read_place_query,
    read_replace_labels,
    read_way,
)
from app.ui.payload import InvalidPayload

ID = "0b6e2f0e-0000-4000-8000-000000000000"
COMMENT = {"document": 3, "start": 0, "end": 2, "label": "NAME", "text": "全名？", "client_edit": ID}
PLACE = {"document": 3, "start": 0, "end": 2, "surface": "青岛"}
PLACES = {"label": "LOC", "places": [PLACE], "client_edit": ID}
REPLACE = {"label": "LOC", "new": "ORG", "surfaces": ["青岛"], "but": 3, "client_edit": ID}
SOMETHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


def test_whole_messages_are_read():
    assert read_comment(COMMENT) == NewComment(3, 0, 2, "NAME", "全名？", ID)
    assert read_comment(COMMENT | {"start": None, "end": None, "label": None}).start is None
    assert read_place_query({"surface": "青岛", "but": 3}) == PlaceQuery("青岛", 3, 0, 0)
    assert read_label_places(PLACES) == LabelPlaces("LOC", ((3, 0, 2, "青岛"),), ID)
    assert read_replace_labels(REPLACE) == ReplaceLabels("LOC", "ORG", ("青岛",), 3, ID)
    everything = read_replace_labels(REPLACE | {"new": "", "surfaces": None})
    assert (everything.new, everything.surfaces) == (None, None)


@pytest.mark.parametrize(
    ("read", "message", "change", "said"),
    [
        (read_comment, COMMENT, {"text": ""}, "text must be a text of 1 to 4000"),
        (read_comment, COMMENT, {"text": " \n"}, "text must be a text"),
        (read_comment, COMMENT, {"text": "长" * (MAX_COMMENT + 1)}, "text must be a text"),
        (read_comment, COMMENT, {"text": ["a"]}, "text must be a text"),
        (read_comment, COMMENT, {"end": None}, "both start and end, or neither"),
        (read_comment, COMMENT, {"start": -1}, "start must be a whole number"),
        (read_comment, COMMENT, {"start": 1.5}, "start must be a whole number"),
        (read_comment, COMMENT, {"document": True}, "document must be a whole number"),
        (read_comment, COMMENT, {"label": "x" * 201}, "label must be a text"),
        (read_comment, COMMENT, {"client_edit": "short"}, "client_edit must have 8 to 64"),
        (read_comment_state, {}, {"state": "gone"}, "state must be one of"),
        (read_comment_state, {}, {"state": ["open"]}, "state must be one of"),
        (read_place_query, {"but": 1}, {"surface": ""}, "surface must be a text"),
        (read_place_query, {"but": 1}, {"surface": "长" * 201}, "surface must be a text"),
        (read_place_query, {"surface": "青岛"}, {"but": None}, "but must be a whole number"),
        (read_label_places, PLACES, {"places": []}, "places must be a list of 1 to"),
        (read_label_places, PLACES, {"places": [PLACE] * (MAX_PLACES + 1)}, "places must be a list"),
        (read_label_places, PLACES, {"places": {"0": PLACE}}, "places must be a list"),
        (read_label_places, PLACES, {"places": [PLACE, 7]}, r"places\[1\]: expected an object"),
        (read_label_places, PLACES, {"places": [PLACE | {"end": 0}]}, r"places\[0\]: 0-0 is no stretch"),
        (read_label_places, PLACES, {"places": [PLACE | {"start": "0"}]}, r"places\[0\]: start must be"),
        (read_label_places, PLACES, {"places": [PLACE | {"surface": None}]}, r"places\[0\]: surface must be"),
        (read_label_places, PLACES, {"label": ""}, "label must be a text"),
        (read_replace_labels, REPLACE, {"surfaces": []}, "surfaces must be a list of 1 to"),
        (read_replace_labels, REPLACE, {"surfaces": "青岛"}, "surfaces must be a list"),
        (read_replace_labels, REPLACE, {"surfaces": ["a"] * (MAX_SURFACES + 1)}, "surfaces must be a list"),
        (read_replace_labels, REPLACE, {"surfaces": [""]}, "surfaces must be a text"),
        (read_replace_labels, REPLACE, {"new": 7}, "new must be a text"),
        (read_way, {}, {"way": "sideways"}, "way must be undo or redo"),
        (read_way, {}, {"way": None}, "way must be undo or redo"),
    ],
)
def test_a_wrong_field_is_refused_by_name(read, message, change, said):
    with pytest.raises(InvalidPayload, match=said):
        read(message | change)


@pytest.mark.parametrize(
    "read",
    [read_comment, read_comment_state, read_place_query, read_label_places, read_replace_labels, read_way],
)
@pytest.mark.parametrize("payload", [None, 7, "text", [], [{}]])
def test_what_is_no_object_is_refused(read, payload):
    with pytest.raises(InvalidPayload):
        read(payload)


@given(payload=SOMETHING)
def test_whatever_arrives_is_read_or_refused_and_never_reaches_the_backend_unread(payload):
    class Backend:
        def __getattr__(self, name):
            def answered(*arguments):
                return {"asked": name}

            return answered

    for function in bulk_functions(Backend()):
        with suppress(InvalidPayload):
            assert function(payload)["asked"]


@given(change=st.dictionaries(st.sampled_from([*COMMENT, *REPLACE, *PLACES]), SOMETHING, max_size=4))
def test_damaged_messages_are_read_or_refused(change):
    for read, message in (
        (read_comment, COMMENT),
        (read_label_places, PLACES),
        (read_replace_labels, REPLACE),
    ):
        with suppress(InvalidPayload):
            assert (
                read(message | change).client_edit if read is read_comment else read(message | change).label
            )
