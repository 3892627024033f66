"""Whatever a browser sends is either a set of legal spans or refused by name."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.store import PayloadError
from core.store.db.payload import checked_action, checked_client_edit, checked_spans, checked_user
from core.store.db.span_json import dump_span, dump_spans, load_keys, load_span, load_spans
from core.text import LabelSet, Span, UnknownLabelError, sort_spans

LABELS = LabelSet().extended(["PER", "人"])
TEXT = "林知远在青禾😀"
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=5)
    | st.sampled_from(["PER", "人"])
)
ITEMS = st.dictionaries(st.sampled_from(["start", "end", "label", "score", "x"]), SCALARS) | SCALARS
ANYTHING = st.lists(ITEMS, max_size=5) | ITEMS


@given(ANYTHING)
def test_any_json_is_checked_or_refused_and_never_half_taken(payload):
    try:
        spans = checked_spans(payload, TEXT, LABELS)
    except (PayloadError, UnknownLabelError):
        return
    assert len({span.key for span in spans}) == len(spans) == len(payload)
    for span in spans:
        assert 0 <= span.start < span.end <= len(TEXT)
        assert span.label in LABELS


@given(st.sets(st.tuples(st.integers(0, 3), st.integers(4, 7), st.sampled_from(["PER", "人"])), max_size=8))
def test_legal_spans_pass_unchanged_as_objects_and_as_json(keys):
    spans = tuple(Span(*key) for key in sorted(keys))
    plain = [{"start": span.start, "end": span.end, "label": span.label} for span in spans]
    assert checked_spans(spans, TEXT, LABELS) == checked_spans(plain, TEXT, LABELS) == spans


def test_the_refusal_names_the_item_and_what_it_held():
    good = {"start": 0, "end": 3, "label": "PER"}
    with pytest.raises(PayloadError, match=r"rejected\[1\]\.end must be a whole number, got 'three'"):
        checked_spans([good, good | {"end": "three"}], TEXT, LABELS, "rejected")


@pytest.mark.parametrize("value", ["", "Edit", "a b", "x" * 33, "edit\n", None, 3, ["edit"]])
def test_an_action_is_one_lower_case_word(value):
    with pytest.raises(PayloadError, match="no known action"):
        checked_action(value)


@pytest.mark.parametrize("value", ["", "x" * 65, "a b", "é", "a\n", 3, b"a"])
def test_a_client_edit_is_a_short_plain_word(value):
    with pytest.raises(PayloadError, match="the edit's number"):
        checked_client_edit(value)
    assert checked_client_edit(None) is None


@pytest.mark.parametrize("value", ["", "\t", None, 3, "x" * 101])
def test_a_user_has_a_name(value):
    with pytest.raises(PayloadError, match="a person's name has 1 to"):
        checked_user(value)


FINITE = st.none() | st.floats(0, 1)
STORED = st.builds(
    lambda start, length, label, score: Span(start, start + length, label, score),
    st.integers(0, 10**6),
    st.integers(1, 99),
    st.text(st.characters(exclude_categories=["C", "Z"]) | st.just(" "), min_size=1),
    FINITE,
)


@given(st.lists(STORED))
def test_spans_survive_their_column(spans):
    ids = {name: at for at, name in enumerate(dict.fromkeys(span.label for span in spans), start=7)}
    names = {at: name for name, at in ids.items()}
    back = load_spans(dump_spans(spans, ids), names)
    wanted = {}
    for span in spans:  # of two alike the surer stays
        wanted[span.key] = max(wanted.get(span.key, span), span, key=lambda one: one.score or 0)
    assert back == sort_spans(wanted.values())
    some = names | {7: None} if names else names  # a deleted label
    assert load_keys(dump_spans(spans, ids), some) == {
        span.key for span in load_spans(dump_spans(spans, ids), some)
    }


def test_a_single_span_column_drops_the_score_and_knows_none():
    stored = dump_span(Span(0, 3, "人", 0.5), {"人": 4})
    assert load_span(stored, {4: "人物"}) == Span(0, 3, "人物"), "by the name of now"
    assert load_span(stored, {4: None}) is None, "its label was deleted"
    assert load_span(dump_span(None, {}), {}) is None
