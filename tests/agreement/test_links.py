"""Agreement on links, counted by hand, and the link that a merge takes."""

import pytest

from core.agreement import AnnotatedDocument, ReliabilityData, agreement
from core.agreement.merging import Version, agreed_link
from core.text import EntityLink, Span
from core.text.entity_link import NIL

A, A_BARE, OTHER, B = EntityLink("1", "a", "W"), EntityLink("1"), EntityLink("1", "", "V"), EntityLink("2")
NOTHING, NOTHING_TOO = EntityLink(NIL), EntityLink(NIL, "", "W")


def _spans(*links: EntityLink | None) -> tuple[Span, ...]:
    return tuple(Span(at, at + 1, "X", link=link) for at, link in enumerate(links))


def _report(*versions: dict[str, tuple[Span, ...]]):
    documents = [AnnotatedDocument(str(at), 20, one) for at, one in enumerate(versions)]
    return agreement(ReliabilityData(tuple(documents)), resamples=0)


def test_equal_links_are_counted_among_spans_that_both_have() -> None:
    first = (*_spans(A, A, A, None, NOTHING, B), Span(9, 10, "X", link=A))
    second = _spans(A_BARE, OTHER, None, None, NOTHING_TOO, NOTHING)
    found = _report({"ann": first, "bo": second}).result("links")
    # Equal: 0 (one names no source) and 4 (both NIL). Compared: 0, 1, 2, 4, 5.
    assert found is not None
    assert found.value == pytest.approx(2 / 5)


def test_pairs_of_three_people_are_summed_and_labels_kept_apart() -> None:
    report = _report({"a": _spans(A), "b": _spans(A), "c": _spans(B)}, {"a": _spans(B), "b": _spans(A)})
    assert report.result("links").value == pytest.approx(1 / 4)
    assert report.result("links", ["a", "b"]).value == pytest.approx(1 / 2)
    assert report.result("links", label="X").value == pytest.approx(1 / 4)


def test_without_any_link_there_is_no_such_measure_and_without_a_shared_one_it_says_why() -> None:
    assert _report({"a": _spans(None), "b": _spans(None)}).result("links") is None
    told = _report({"a": _spans(A), "b": ()}).result("links")
    assert (told.value, told.reason.code) == (None, "no_links")


@pytest.mark.parametrize(
    ("links", "taken"),
    [
        ([A, A, B], A), ([A_BARE, A, B], A), ([A, B], None), ([A, None, None], A), ([None], None),
        ([NOTHING, NOTHING_TOO, A], NOTHING_TOO), ([A, B, B, A, A], A),
    ],
)  # fmt: skip
def test_a_merge_takes_the_link_that_most_gave_and_none_where_two_are_even(links, taken) -> None:
    versions = [Version(str(at), _spans(link)) for at, link in enumerate(links)]
    assert agreed_link(versions, (0, 1, "X")) == taken
