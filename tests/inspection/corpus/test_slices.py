"""Scores by a property of the spans, against filtering both sides by hand."""

import random

import pytest

from core.inspection.corpus.errors import cases_of
from core.inspection.corpus.slices import (
    FREQUENCIES,
    LENGTHS,
    LEXICON,
    NOVELTIES,
    SliceColumns,
    TrainingSurfaces,
    by_frequency,
    by_length,
    by_lexicon,
    by_novelty,
)
from core.text import Document, Span
from core.text.scoring import score_documents

WORDS = ["岭南", "青禾市", "林知远", "海", "气象局长", "人民医院附属楼", "周敏"]


def sliced(cases, documents, of, bins):
    columns = SliceColumns(of, bins)
    for case in cases:
        columns.append(documents[case.document], case.gold, case.predicted, case.is_correct)
    return columns.slices()


def corpus(seed):
    dice = random.Random(seed)
    documents, answers = [], []
    for number in range(30):
        text, gold, said = "", [], []
        for word in dice.choices(WORDS, k=4):
            start, text = len(text), text + word + "，"
            gold.append(Span(start, start + len(word), dice.choice("AB")))
            if dice.random() < 0.8:
                cut = dice.random() < 0.2 and len(word) > 1
                said.append(Span(start, start + len(word) - cut, dice.choice("AB")))
        documents.append(Document(str(number), text, tuple(gold)))
        answers.append(tuple(said))
    return documents, answers


@pytest.fixture(scope="module")
def training():
    return TrainingSurfaces([Document("t", "岭南岭南岭南青禾市周敏", (
        Span(0, 2, "A"), Span(2, 4, "A"), Span(4, 6, "B"), Span(6, 9, "A"),
    ))])  # fmt: skip


def test_training_is_counted_by_surface_and_label(training):
    assert [training.count(word) for word in ("岭南", "青禾市", "周敏")] == [3, 1, 0]
    assert training.labels("岭南") == {"A", "B"}
    assert training.labels("周敏") == frozenset()


def in_lengths(surface, label, training):
    return {1: 0, 2: 1, 3: 2, 4: 3, 6: 4, 7: 5}[len(surface)]


def in_frequencies(surface, label, training):
    return {0: 0, 1: 1, 3: 2}[training.count(surface)]


def in_novelties(surface, label, training):
    known = training.labels(surface)
    return NOVELTIES.index("unseen" if not known else "seen" if label in known else "other_label")


def in_lexicon(surface, label, training):
    return LEXICON.index("hit" if surface in ("岭南", "海") else "miss")


@pytest.mark.parametrize(
    ("expected", "bins", "make"),
    [
        (in_lengths, len(LENGTHS), lambda training: by_length()),
        (in_frequencies, len(FREQUENCIES), by_frequency),
        (in_novelties, len(NOVELTIES), by_novelty),
        (in_lexicon, len(LEXICON), lambda training: by_lexicon({"岭南", "海"})),
    ],
)
def test_a_bins_score_is_that_of_its_spans_alone(training, expected, bins, make):
    documents, answers = corpus(seed=bins)
    cases = cases_of(documents, answers)
    found = sliced(cases, documents, make(training), bins)
    for place in range(bins):

        def only(document, spans, place=place):
            return document.with_spans(
                s for s in spans if expected(document.surface(s), s.label, training) == place
            )

        wanted = score_documents(
            [only(document, document.spans) for document in documents],
            [only(document, said) for document, said in zip(documents, answers, strict=True)],
        ).micro
        assert found.scores[place] == wanted
        gold, predicted = found.cases(place)
        assert (len(gold), len(predicted)) == (wanted.gold, wanted.predicted)


def test_every_span_falls_into_one_bin_on_its_own_side(training):
    documents, answers = corpus(seed=1)
    cases = cases_of(documents, answers)
    found = sliced(cases, documents, by_length(), len(LENGTHS))
    assert (found.gold >= 0).tolist() == [case.gold is not None for case in cases]
    assert (found.predicted >= 0).tolist() == [case.predicted is not None for case in cases]


@pytest.mark.parametrize(
    ("count", "place"), [(0, 0), (1, 1), (2, 2), (5, 2), (6, 3), (20, 3), (21, 4), (999, 4)]
)
def test_the_bins_of_frequency_meet_without_a_gap(count, place):
    documents = [Document(str(n), "海", (Span(0, 1, "A"),)) for n in range(count)]
    assert by_frequency(TrainingSurfaces(documents))("海", Span(0, 1, "A")) == place
