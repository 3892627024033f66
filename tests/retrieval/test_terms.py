"""What texts are compared by: words between blanks, pairs of characters where there are none."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.retrieval.terms import Term, bigrams, shared


def spelt(text):
    return [term.text for term in bigrams(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("清河大学", ["清河", "河大", "大学"]),
        ("清", ["清"]),
        ("清，河", ["清", "河"]),
        ("在Qinghe大学 teaches", ["在", "qinghe", "大学", "teaches"]),
        ("Straße ПОЛЕ", ["strasse", "поле"]),
        ("1956年3月", ["1956", "年", "3", "月"]),
        ("𠮷野家", ["𠮷野", "野家"]),
        ("かな", ["かな"]),
        ("", []),
        ("，。！ \n\t_—", []),
        ("😀👨‍👩‍👧🇨🇳", []),
    ],
)
def test_terms_of_a_text(text, expected):
    assert spelt(text) == expected


@given(st.text(max_size=60))
def test_every_term_stands_where_it_says_and_they_come_in_order(text):
    terms = bigrams(text)
    for term in terms:
        assert 0 <= term.start < term.end <= len(text)
        piece = text[term.start : term.end]
        assert term.text in (piece, piece.casefold())
    assert [term.start for term in terms] == sorted(term.start for term in terms)


def test_shared_terms_are_joined_where_they_touch():
    found = shared(bigrams("清河大学教书"), bigrams("在清河大学，教书"))
    assert found == [(1, 5), (6, 8)]
    assert shared(bigrams("清河"), bigrams("大学")) == []
    assert shared([], [Term("a", 0, 1)]) == []


@given(st.text(alphabet="清河大学，a ", max_size=30), st.text(alphabet="清河大学，a ", max_size=30))
def test_shared_characters_are_those_of_shared_terms(one, other):
    known = {term.text for term in bigrams(one)}
    expected = {at for term in bigrams(other) if term.text in known for at in range(term.start, term.end)}
    assert {at for start, end in shared(bigrams(one), bigrams(other)) for at in range(start, end)} == expected
