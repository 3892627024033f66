"""α_U on the worked examples of its papers, and against the sums written out."""

from itertools import permutations

import pytest
from hypothesis import given

from core.agreement.unitized_alpha import Units, unitized_alpha
from tests.agreement.annotations import PEOPLE, corpora, one_document

# Krippendorff (2004), p. 254: two observers on a continuum from 150 to 450, here from 0.
EXAMPLE_2004 = {
    "i": [(75, 145, "c"), (220, 250, "c"), (30, 90, "k"), (150, 200, "k")],
    "j": [(70, 150, "c"), (205, 225, "c"), (250, 270, "c"), (30, 90, "k"), (150, 200, "k")],
}
# Krippendorff (1995), p. 57, on 24 places; C halved, as its table of lengths has it.
BERTHA_AND_BILL = {"Bertha": [(2, 10, "x"), (14, 20, "x")], "Bill": [(4, 8, "x"), (15, 17, "x")]}
GERRET_AND_GILL = {
    "Gerret": [(1, 4, "x"), (5, 6, "x"), (7, 9, "x"), (10, 11, "x")],
    "Gill": [(0, 1, "x"), (2, 4, "x"), (5, 7, "x"), (8, 9, "x"), (10, 11, "x")],
}


def value(data, label=None, annotators=None):
    return unitized_alpha(Units.of(data), label, annotators).result().value


def test_the_example_of_krippendorff_2004():
    data = one_document(300, EXAMPLE_2004)
    assert value(data, "c") == pytest.approx(0.7286, abs=0.0001)
    assert value(data, "k") == 1.0
    assert value(data) == pytest.approx(0.8591, abs=0.0005)  # printed from rounded disagreements


def test_the_examples_of_krippendorff_1995():
    # D_o = 0.02777, D_e = 0.05494: the paper's α of 0.494.
    assert value(one_document(12, GERRET_AND_GILL)) == pytest.approx(1 - 0.02777 / 0.05494, abs=0.0003)
    units = Units.of(one_document(24, BERTHA_AND_BILL))
    assert 2 * units.apart[:, 4].sum() / (2 * 24**2) == pytest.approx(0.03125)


def naive(data, label, names):
    """D_oc and D_ec with every sum as it is printed; sections are units and gaps in order."""
    documents = [
        (
            one.length,
            {name: sections(one.versions[name], label, one.length) for name in names if name in one.versions},
        )
        for one in data.shared
    ]
    documents = [(length, people) for length, people in documents if len(people) > 1]
    whole = sum(length for length, _ in documents)
    sections_length = sum(length * len(people) for length, people in documents)
    observed = 0.0
    for _, people in documents:
        m = len(people)
        for one, other in permutations(people, 2):
            observed += sum(apart(g, h) for g in people[one] for h in people[other]) / (m * (m - 1))
    every = [section for _, people in documents for found in people.values() for section in found]
    units = [length for _, length, is_unit in every if is_unit]
    gaps = [length for _, length, is_unit in every if not is_unit]
    total = 0.0
    for length in units:
        total += (len(units) - 1) / 3 * (2 * length**3 - 3 * length**2 + length)
        total += length**2 * sum(gap - length + 1 for gap in gaps if gap >= length)
    pairs = sections_length * (sections_length - 1) - sum(length * (length - 1) for length in units)
    if not whole or not pairs:
        return 0.0, 0.0
    return observed / whole**2, 2 / whole * total / pairs


def sections(spans, label, length):
    covered = sorted((span.start, span.end) for span in spans if span.label == label)
    found, at = [], 0
    for start, end in covered:
        if start > at:
            found.append((at, start - at, False))
        found.append((start, end - start, True))
        at = end
    return [*found, (at, length - at, False)] if length > at else found


def apart(g, h):
    (b_g, l_g, unit_g), (b_h, l_h, unit_h) = g, h
    if unit_g and unit_h and -l_g < b_g - b_h < l_h:
        return (b_g - b_h) ** 2 + (b_g + l_g - b_h - l_h) ** 2
    if unit_g and not unit_h and l_h - l_g >= b_g - b_h >= 0:
        return l_g**2
    if not unit_g and unit_h and l_h - l_g <= b_g - b_h <= 0:
        return l_h**2
    return 0


@given(corpora(nested=False))
def test_it_is_what_the_printed_sums_give(data):
    found = Units.of(data)
    for annotators in (None, (0, 1)):
        names = PEOPLE if annotators is None else [PEOPLE[place] for place in annotators]
        each = [naive(data, label, names) for label in data.labels]
        for label, (observed, expected) in zip(data.labels, each, strict=True):
            result = unitized_alpha(found, label, annotators).result()
            if expected:
                assert result.value == pytest.approx(1 - observed / expected, abs=1e-9)
            else:
                assert result.reason is not None
        whole = unitized_alpha(found, None, annotators).result()
        expected = sum(one[1] for one in each)
        if expected:
            assert whole.value == pytest.approx(1 - sum(one[0] for one in each) / expected, abs=1e-9)
        else:
            assert whole.reason is not None


def test_overlapping_spans_of_one_label_are_one_unit_and_touching_ones_two():
    whole = one_document(9, {"a": [(0, 4, "X"), (2, 6, "X")], "b": [(0, 6, "X")]})
    assert value(whole) == 1.0
    touching = one_document(9, {"a": [(0, 3, "X"), (3, 6, "X")], "b": [(0, 6, "X")]})
    assert value(touching) < 1.0


@pytest.mark.parametrize(
    ("length", "people", "code"),
    [
        (5, {"a": [], "b": []}, "no_units"),
        (0, {"a": [], "b": []}, "no_characters"),
        (5, {"a": [(0, 1, "X")]}, "nothing_shared"),
        (1, {"a": [(0, 1, "X")], "b": [(0, 1, "X")]}, "no_variation"),
    ],
)
def test_what_makes_it_undefined_is_said(length, people, code):
    data = one_document(length, people)
    assert unitized_alpha(Units.of(data)).result().reason.code == code
