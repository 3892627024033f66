"""κ and α on published worked examples, and against loops over every character."""

import math
from collections import Counter
from itertools import permutations

import pytest
from hypothesis import given

from core.agreement.alpha import nominal_alpha
from core.agreement.characters import characters
from core.agreement.kappa import cohen_kappa, fleiss_kappa
from tests.agreement.annotations import corpora, of_counts, of_values, one_document

# Fleiss (1971), table 1: six psychiatrists, thirty patients, five diagnoses; κ = 0.430.
FLEISS_1971 = """00060 03003 01401 00006 03030 20400 00402 20310 20040 00006 10050 11040 03300 10050 02031
00501 30012 51000 02040 10203 00006 01050 02013 20040 10041 05010 40002 02040 10500 00006"""
# The worked example of most textbooks: fourteen raters, ten subjects; κ = 0.210.
TEN_SUBJECTS = [
    (0, 0, 0, 0, 14), (0, 2, 6, 4, 2), (0, 0, 3, 5, 6), (0, 3, 9, 2, 0), (2, 2, 8, 1, 1),
    (7, 7, 0, 0, 0), (3, 2, 6, 3, 0), (2, 5, 3, 2, 2), (6, 5, 2, 1, 0), (0, 2, 2, 3, 7),
]  # fmt: skip
# Krippendorff (1995), example A: Bertha and Bill on 24 places; κ = 0.385, α = 0.329.
BERTHA = [(2, 10, "x"), (14, 20, "x")]
BILL = [(4, 8, "x"), (15, 17, "x")]


def value_of(tallies):
    return tallies.result().value


def test_fleiss_kappa_of_the_table_in_fleiss_1971():
    table = [[int(digit) for digit in row] for row in FLEISS_1971.split()]
    assert [sum(column) for column in zip(*table, strict=True)] == [26, 26, 30, 55, 43]
    assert value_of(fleiss_kappa(characters(of_counts(table)))) == pytest.approx(0.430, abs=0.0005)


def test_fleiss_kappa_of_the_textbook_example():
    assert value_of(fleiss_kappa(characters(of_counts(TEN_SUBJECTS)))) == pytest.approx(0.210, abs=0.0005)


def test_cohen_kappa_of_the_table_in_cohen_1960():
    # Table 2: proportions of 200 diagnoses; p_o = .70, p_c = .41, κ = .492.
    table = [(0.44, 0.07, 0.09), (0.05, 0.20, 0.05), (0.01, 0.03, 0.06)]
    pairs = [(i, j) for i in range(3) for j in range(3) for _ in range(round(200 * table[i][j]))]
    data = of_values({"A": [str(i) for i, _ in pairs], "B": [str(j) for _, j in pairs]})
    assert len(pairs) == 200
    assert value_of(cohen_kappa(characters(data), 0, 1)) == pytest.approx(0.492, abs=0.0005)


@pytest.mark.parametrize(
    ("observers", "alpha"),
    [
        # Section A: two observers, binary data without gaps.
        (("0100000010", "1110010000"), 0.095),
        # Section B: two observers, five categories.
        (("aabbdcccedda", "babbbcccedd d".replace(" ", "")), 0.692),
        # Section C: four observers, some values missing.
        (("123321412...", "1233224125.3", ".33323422" + "51.", "123324412" + "51."), 0.743),
    ],
)
def test_nominal_alpha_of_the_examples_in_krippendorff_2011(observers, alpha):
    values = {
        str(place): [None if value == "." else value for value in row] for place, row in enumerate(observers)
    }
    assert value_of(nominal_alpha(characters(of_values(values)))) == pytest.approx(alpha, abs=0.0005)


def test_kappa_and_alpha_of_the_first_example_in_krippendorff_1995():
    found = characters(one_document(24, {"Bertha": BERTHA, "Bill": BILL}))
    assert value_of(cohen_kappa(found, 0, 1)) == pytest.approx(0.385, abs=0.0005)
    assert value_of(nominal_alpha(found)) == pytest.approx(0.329, abs=0.0005)


def naive_values(data, label):
    """Every character of the shared documents as the values of those who annotated it."""
    units = []
    for document in data.shared:
        for at in range(document.length):
            given_ = {}
            for name, spans in document.versions.items():
                labels = {span.label for span in spans if span.start <= at < span.end}
                given_[name] = frozenset(labels) if label is None else label in labels
            units.append(given_)
    return units


def naive_alpha(units):
    coincidences = Counter()
    for unit in units:
        for one, other in permutations(unit.values(), 2):
            coincidences[one, other] += 1 / (len(unit) - 1)
    margins = Counter()
    for (one, _), weight in coincidences.items():
        margins[one] += weight
    n = sum(margins.values())
    observed = sum(weight for (one, other), weight in coincidences.items() if one != other)
    expected = sum(margins[one] * margins[other] for one, other in permutations(margins, 2))
    return 1 - (n - 1) * observed / expected if expected else None


def naive_cohen(units, first, second):
    both = [(unit[first], unit[second]) for unit in units if first in unit and second in unit]
    if not both:
        return None
    agreed = sum(one == other for one, other in both) / len(both)
    ones, others = Counter(one for one, _ in both), Counter(other for _, other in both)
    chance = sum(ones[value] * others[value] for value in ones) / len(both) ** 2
    return (agreed - chance) / (1 - chance) if not math.isclose(chance, 1) else None


def naive_fleiss(units):
    if not units:
        return None
    ratings = Counter(value for unit in units for value in unit.values())
    chance = sum((times / sum(ratings.values())) ** 2 for times in ratings.values())
    agreed = 0.0
    for unit in units:
        pairs = list(permutations(unit.values(), 2))
        agreed += sum(one == other for one, other in pairs) / len(pairs)
    return (agreed / len(units) - chance) / (1 - chance) if not math.isclose(chance, 1) else None


def check(found, wanted):
    result = found.result()
    if wanted is None:
        assert result.value is None
        assert str(result.reason)
    else:
        assert result.value == pytest.approx(wanted, abs=1e-9)


@given(corpora())
def test_every_token_measure_is_what_a_loop_over_characters_gives(data):
    found = characters(data)
    for label in (None, "PER"):
        units = naive_values(data, label)
        check(nominal_alpha(found, label), naive_alpha(units))
        check(fleiss_kappa(found, label), naive_fleiss(units))
        check(cohen_kappa(found, 0, 1, label), naive_cohen(units, "ann", "bao"))
        pair = [{name: unit[name] for name in ("ann", "chen") if name in unit} for unit in units]
        check(nominal_alpha(found, label, (0, 2)), naive_alpha([unit for unit in pair if len(unit) > 1]))


def test_a_character_under_two_labels_has_both_as_its_category():
    found = characters(one_document(4, {"a": [(0, 4, "ORG"), (1, 3, "LOC")], "b": [(0, 4, "ORG")]}))
    joint, _ = found.of_label(None)
    names = [[set(found.categories[place]) for place in row] for row in joint]
    assert names == [[{"ORG"}, {"ORG"}], [{"ORG", "LOC"}, {"ORG"}], [{"ORG"}, {"ORG"}]]
    assert value_of(cohen_kappa(found, 0, 1, "LOC")) == 0.0
    assert cohen_kappa(found, 0, 1, "ORG").result().reason.code == "no_variation"


@pytest.mark.parametrize(
    ("people", "code"),
    [
        ({"a": [(0, 2, "X")], "b": [(0, 2, "X")]}, "no_variation"),
        ({"a": [], "b": []}, "no_variation"),
        ({"a": [(0, 1, "X")]}, "nothing_shared"),
    ],
)
def test_what_makes_a_token_measure_undefined_is_said(people, code):
    found = characters(one_document(2, people))
    for tallies in (fleiss_kappa(found), nominal_alpha(found)):
        assert tallies.result().reason.code == code


def test_documents_without_text_are_no_agreement():
    found = characters(one_document(0, {"a": [], "b": []}))
    assert cohen_kappa(found, 0, 1).result().reason.code == "no_characters"
    assert nominal_alpha(found).result().reason.code == "no_characters"
