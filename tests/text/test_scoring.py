"""The scorer against sets counted by hand."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.text import Document, Span
from core.text.scoring import Score, score_documents

KEYS = st.sets(st.tuples(st.integers(0, 3), st.integers(4, 6), st.sampled_from("XY")), max_size=6)


def document(number, keys, score=None):
    return Document(str(number), "abcdef", tuple(Span(*key, score) for key in sorted(keys)))


@given(st.lists(st.tuples(KEYS, KEYS), max_size=4))
def test_scores_are_those_of_counting_sets(pairs):
    gold = [document(number, keys) for number, (keys, _) in enumerate(pairs)]
    predicted = [document(number, keys, 0.5) for number, (_, keys) in enumerate(pairs)]
    scores = score_documents(gold, predicted)
    assert scores.documents == len(pairs)
    for label in (None, "X", "Y"):
        wanted = {(n, k) for n, (keys, _) in enumerate(pairs) for k in keys if label in (None, k[2])}
        given_ = {(n, k) for n, (_, keys) in enumerate(pairs) for k in keys if label in (None, k[2])}
        both = len(wanted & given_)
        score = scores.micro if label is None else scores.per_label.get(label, Score(0, 0, 0))
        assert (score.gold, score.predicted, score.correct) == (len(wanted), len(given_), both)
        assert score.precision == (both / len(given_) if given_ else 0.0)
        assert score.recall == (both / len(wanted) if wanted else 0.0)
        harmonic = 2 * score.precision * score.recall / (score.precision + score.recall) if both else 0.0
        assert score.f1 == pytest.approx(harmonic)


def test_a_span_given_twice_counts_once():
    twice = Document("1", "abc", (Span(0, 1, "X"), Span(0, 1, "X", 0.9)))
    assert score_documents([twice], [twice]).micro == Score(1, 1, 1)


@pytest.mark.parametrize(
    ("predicted", "reason"),
    [
        ([], "1 gold documents but 0 predicted"),
        ([Document("2", "abc")], "document '1' has another id or text: '2'"),
        ([Document("1", "abd")], "another id or text"),
    ],
)
def test_documents_in_must_be_documents_out(predicted, reason):
    with pytest.raises(ValueError, match=reason):
        score_documents([Document("1", "abc")], predicted)


def test_the_json_names_what_the_command_line_prints():
    scores = score_documents(
        [document(1, {(0, 4, "X")})], [document(1, {(0, 4, "X"), (1, 4, "X")})], "repair"
    )
    half = {
        "precision": 0.5,
        "recall": 1.0,
        "f1": pytest.approx(2 / 3),
        "gold": 1,
        "predicted": 2,
        "correct": 1,
    }
    assert scores.to_json() == {
        "micro": half,
        "per_label": {"X": half},
        "documents": 1,
        "gold": 1,
        "predicted": 2,
        "malformed": "repair",
    }
