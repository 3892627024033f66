"""Orders that compare spans, worked out by hand."""

import pytest

from core.learning.active_learning.acquisition import MissingForAcquisition, Pool, ordered
from core.learning.active_learning.against_dictionary import AgainstDictionary, contradicted, longest_disjoint
from core.learning.active_learning.disagreement import Disagreement, f_complement
from core.learning.active_learning.least_confident import LeastConfident
from core.learning.active_learning.plain import InOrder, Random
from core.text import Document, Span

TEXTS = [Document("1", "林晚晴在清河大学教书"), Document("2", "清河"), Document("3", "昨天下雨")]
QUIET = lambda share: None  # noqa: E731


def test_disagreement_is_one_minus_the_span_f1():
    first = [[Span(0, 3, "PER"), Span(4, 8, "ORG")], [Span(0, 2, "LOC")], []]
    second = [[Span(0, 3, "PER"), Span(4, 6, "LOC"), Span(6, 8, "ORG")], [], []]
    found = Disagreement().score(Pool(TEXTS, predicted=first, second=second), QUIET)
    # one span in common of two and three: F1 = 2 * 1 / 5; one against none: 0; none against none: agreed
    assert found == [pytest.approx(1 - 2 / 5), 1.0, 0.0]


def test_disagreement_is_the_same_from_both_sides():
    document = TEXTS[0]
    one, other = (
        document.with_spans([Span(0, 3, "PER")]),
        document.with_spans([Span(0, 3, "PER"), Span(4, 6, "LOC")]),
    )
    assert f_complement(document, one, other) == f_complement(document, other, one) == pytest.approx(1 / 3)


def test_the_tagger_contradicts_a_word_that_no_span_of_it_holds():
    word = Span(4, 6, "LOC")
    assert contradicted([word], []) == [word], "nothing is marked there"
    assert contradicted([word], [Span(4, 6, "ORG")]) == [word], "another label"
    assert contradicted([word], [Span(5, 8, "ORG")]) == [word], "it crosses the word"
    assert contradicted([word], [Span(4, 6, "LOC")]) == []
    assert contradicted([word], [Span(4, 8, "ORG")]) == [], "names hold names"


def test_of_overlapping_words_the_longest_counts_then_the_leftmost():
    words = [Span(4, 6, "LOC"), Span(4, 8, "ORG"), Span(6, 8, "ORG"), Span(7, 10, "PER")]
    assert longest_disjoint(words) == [Span(4, 8, "ORG")]
    assert longest_disjoint([Span(1, 3, "A"), Span(0, 2, "B")]) == [Span(0, 2, "B")]


def test_against_the_dictionary_counts_contradicted_words():
    words = [[Span(0, 3, "PER"), Span(4, 8, "ORG")], [Span(0, 2, "LOC")], []]
    said = [[Span(0, 2, "PER")], [Span(0, 2, "LOC")], [Span(0, 2, "DATE")]]
    assert AgainstDictionary().score(Pool(TEXTS, predicted=said, dictionary=words), QUIET) == [2.0, 0.0, 0.0]


def test_the_least_confident_span_counts_and_no_span_is_no_doubt():
    said = [[Span(0, 3, "PER", 0.9), Span(4, 8, "ORG", 0.4)], [], [Span(0, 2, "DATE", 0.7)]]
    assert LeastConfident().score(Pool(TEXTS, predicted=said), QUIET) == [0.4, 1.0, 0.7]


@pytest.mark.parametrize(
    ("strategy", "need"),
    [(Disagreement(), "second"), (AgainstDictionary(), "dictionary"), (LeastConfident(), "tagger")],
)
def test_what_is_missing_is_named(strategy, need):
    with pytest.raises(MissingForAcquisition) as caught:
        strategy.score(Pool(TEXTS), QUIET)
    assert caught.value.need == need
    assert ";" in str(caught.value), "and what to do about it"


def test_chance_is_seeded():
    scores = [Random().score(Pool(TEXTS, seed=seed), QUIET) for seed in (1, 1, 2)]
    assert scores[0] == scores[1] != scores[2]
    assert InOrder().score(Pool(TEXTS), QUIET) == [0.0, 1.0, 2.0]


def test_documents_without_a_score_come_last_and_ties_stay_in_order():
    scores = [None, 0.5, 0.1, 0.5, None]
    assert ordered(scores, highest_first=False) == [2, 1, 3, 0, 4]
    assert ordered(scores, highest_first=True) == [1, 3, 2, 0, 4]
