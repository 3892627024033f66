"""The report: everybody and every pair, every label, intervals, reasons, versions joined by id."""

import json

import numpy as np
import pytest

from core.agreement import AnnotatedDocument, ReliabilityData, VersionsDiffer, agreement, from_versions
from core.agreement.gamma import gamma, is_installed
from core.agreement.span_f1 import SpanMatches, span_f1
from core.agreement.tallies import Resampling
from core.text import Document, Span
from tests.agreement.annotations import of_values, one_document


def corpus(seed: int = 0, documents: int = 60) -> ReliabilityData:
    """Two careful people on all documents, a careless third on every second one."""
    draw = np.random.default_rng(seed)
    found = []
    for number in range(documents):
        truth = [(at, at + 3, draw.choice(["PER", "ORG"])) for at in range(0, 40, 8)]
        versions = {}
        for name, care in (("ann", 0.9), ("bao", 0.9), ("chen", 0.4)):
            if name == "chen" and number % 2:
                continue
            versions[name] = tuple(Span(a, b, str(label)) for a, b, label in truth if draw.random() < care)
        found.append(AnnotatedDocument(str(number), 48, versions))
    return ReliabilityData(tuple(found))


def test_pairs_and_labels_are_all_there_and_missing_versions_are_left_out():
    report = agreement(corpus(), resamples=50)
    assert report.annotators == ("ann", "bao", "chen")
    assert report.documents == 60
    pairs = {row.annotators: row.documents for row in report.rows if len(row.annotators) == 2}
    assert pairs == {("ann", "bao"): 60, ("ann", "chen"): 30, ("bao", "chen"): 30}
    careful = report.result("alpha", ("ann", "bao"))
    careless = report.result("alpha", ("ann", "chen"))
    assert careful.value > careless.value
    assert careful.interval[0] <= careful.value <= careful.interval[1]
    assert {row.label for row in report.rows} == {None, "PER", "ORG"}
    json.dumps([row.to_json() for row in report.rows])


def test_an_interval_holds_what_resampling_documents_one_by_one_gives():
    data = corpus(1, 40)
    tallies = span_f1(SpanMatches.of(data), [0])
    low, high = Resampling(len(data.shared), 2000, 3).intervals([tallies])[0]
    draw = np.random.default_rng(9)
    values = []
    for _ in range(2000):
        picked = [data.shared[at] for at in draw.integers(0, len(data.shared), len(data.shared))]
        both = [(set(one.versions["ann"]), set(one.versions["bao"])) for one in picked]
        matched = sum(len(one & other) for one, other in both)
        values.append(2 * matched / sum(len(one) + len(other) for one, other in both))
    assert (low, high) == pytest.approx(np.quantile(values, [0.025, 0.975]), abs=0.006)


def test_the_same_seed_gives_the_same_intervals_and_portions_change_nothing(monkeypatch):
    whole = agreement(corpus(), resamples=40, seed=5).rows
    assert agreement(corpus(), resamples=40, seed=5).rows == whole
    monkeypatch.setattr("core.agreement.tallies.MOST_DRAWN", 7 * 60)
    portions = agreement(corpus(), resamples=40, seed=5).rows
    for one, other in zip(whole, portions, strict=True):
        assert one.result.value == other.result.value
        if one.result.interval is not None:
            assert one.result.interval == pytest.approx(other.result.interval)


def test_one_person_is_no_agreement_and_the_reason_says_so():
    report = agreement(one_document(5, {"a": [(0, 2, "X")]}))
    assert {row.result.reason.code for row in report.rows} == {"one_annotator"}
    assert report.rows[0].result.to_json()["why"].startswith("Only one person")


def test_people_who_share_no_document_are_told_so_by_pair():
    data = of_values({"a": ["x", "y", None], "b": ["x", "x", None], "c": [None, None, "x"]})
    report = agreement(data, resamples=0)
    assert report.result("cohen_kappa", ("a", "c")).reason.code == "nothing_shared"
    assert report.result("span_f1", ("b", "c")).reason.code == "nothing_shared"
    assert report.result("span_f1", ("a", "b")).value == pytest.approx(0.5)


def test_nothing_at_all_is_no_error():
    report = agreement(ReliabilityData(()))
    assert report.documents == 0
    assert all(row.result.value is None for row in report.rows)


def test_versions_are_joined_by_id_and_other_texts_are_refused():
    data = from_versions(
        {
            "a": [Document("1", "天地人", (Span(0, 1, "X"),)), Document("2", "山")],
            "b": [Document("1", "天地人")],
        }
    )
    assert [len(one.versions) for one in data.documents] == [2, 1]
    with pytest.raises(VersionsDiffer, match="document '1' has another text with b than with a"):
        from_versions({"a": [Document("1", "天")], "b": [Document("1", "地")]})


def test_a_span_beyond_the_text_is_refused_by_name():
    with pytest.raises(ValueError, match="document 'd': a marked X 0-9 in a text of 3 characters"):
        AnnotatedDocument("d", 3, {"a": (Span(0, 9, "X"),)})


def test_gamma_says_when_its_package_is_missing(monkeypatch):
    monkeypatch.setattr("core.runtime.optional_packages.find_spec", lambda name: None)
    report = agreement(corpus(0, 4), resamples=0, with_gamma=True)
    result = report.result("gamma")
    assert result.reason.code == "not_installed"
    assert "pip install pygamma-agreement" in str(result.reason)


@pytest.mark.skipif(not is_installed(), reason="the optional package pygamma-agreement is not installed")
def test_gamma_is_one_for_the_same_and_less_for_moved_and_renamed_spans():
    keys = [(0, 3, "X"), (5, 9, "Y"), (12, 14, "X"), (20, 25, "Y")]
    assert gamma(one_document(30, {"a": keys, "b": keys})).value == pytest.approx(1.0)
    moved = one_document(30, {"a": keys, "b": [(0, 3, "X"), (5, 8, "Y"), (12, 14, "Y"), (20, 25, "Y")]})
    value = gamma(moved).value
    assert 0 < value < 1
    assert gamma(moved).value == value  # seeded
    assert gamma(one_document(30, {"a": keys, "b": []})).reason.code == "no_units"
