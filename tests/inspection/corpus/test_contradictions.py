"""Contradictions of the data, against a comparison of every two places."""

import random

import pytest

from core.inspection.corpus.contradictions import confident_against, contradictions
from core.inspection.corpus.errors import cases_of
from core.text import Document, Span


def document(text, *spans, name="d"):
    return Document(name, text, tuple(Span(*span) for span in spans))


def said(found):
    return [
        (one.surface, [(r.labels, [(p.document, p.start) for p in r.places]) for r in one.readings])
        for one in found
    ]


def test_the_same_words_in_the_same_context_with_two_labels():
    corpus = [
        document("昨日青禾医院宣布开诊。", (2, 6, "ORG")),
        document("昨日青禾医院宣布扩建。", (2, 6, "LOC")),
        document("昨日青禾医院宣布搬迁。", (2, 6, "ORG")),
    ]
    assert said(contradictions(corpus, window=2)) == [
        ("青禾医院", [(("ORG",), [(0, 2), (2, 2)]), (("LOC",), [(1, 2)])])
    ]


def test_labelled_here_and_not_there():
    corpus = [document("昨日周敏到岗。", (2, 4, "PER")), document("昨日周敏到岗。")]
    assert said(contradictions(corpus)) == [("周敏", [((), [(1, 2)]), (("PER",), [(0, 2)])])]


def test_unannotated_text_contradicts_nothing():
    labelled = document("昨日周敏到岗。", (2, 4, "PER"))
    for regions, found in (([], 0), ([[0, 3]], 0), ([[2, 4]], 1)):
        open_ = Document("d", "昨日周敏到岗。", (), {"annotated_regions": regions})
        assert len(contradictions([labelled, open_])) == found
    relabelled = Document("d", "昨日周敏到岗。", (Span(2, 4, "ORG"),), {"annotated_regions": []})
    assert len(contradictions([labelled, relabelled])) == 1, "a span is somebody's word wherever it stands"


def test_another_context_is_no_contradiction():
    corpus = [document("昨日周敏到岗。", (2, 4, "PER")), document("今晨周敏到岗。")]
    assert contradictions(corpus, window=2) == []
    assert len(contradictions([document("昨日周敏到", (2, 4, "PER")), document("今日周敏到")], window=1)) == 1


def test_the_ends_of_a_text_are_part_of_the_context():
    corpus = [document("周敏到岗", (0, 2, "PER")), document("，周敏到岗")]
    assert contradictions(corpus, window=1) == []
    assert len(contradictions([document("周敏到岗", (0, 2, "PER")), document("周敏到站")], window=1)) == 1


def test_the_same_two_labels_everywhere_agree():
    spans = ((2, 4, "PER"), (2, 4, "ORG"))
    assert (
        contradictions([document("昨日周敏到岗。", *spans), document("昨日周敏到岗。", *spans[::-1])]) == []
    )


def test_within_one_document_too():
    found = contradictions([document("问周敏答，问周敏答", (1, 3, "PER"))], window=1)
    assert said(found) == [("周敏", [((), [(0, 6)]), (("PER",), [(0, 1)])])]


def test_half_a_surrogate_pair_is_no_crash():
    corpus = [document("\ud83d周敏", (1, 3, "PER")), document("\ud83d周敏")]
    assert len(contradictions(corpus)) == 1


def test_no_labels_no_contradictions_and_no_window_no_context():
    assert contradictions([document("昨日")]) == []
    with pytest.raises(ValueError, match="at least 1 character"):
        contradictions([], window=0)


def naive(corpus, window):
    """All (surface, context) with their label sets, looking at every stretch of every text."""
    padded = ["\0" * window + d.text + "\0" * window for d in corpus]
    labels = [{} for _ in corpus]
    for at, one in enumerate(corpus):
        for span in one.spans:
            labels[at].setdefault((span.start, span.end), set()).add(span.label)
    wanted = {
        padded[at][start : end + 2 * window] for at, extents in enumerate(labels) for start, end in extents
    }
    seen = {}
    for at, text in enumerate(padded):
        for start in range(len(corpus[at].text)):
            for end in range(start + 1, len(corpus[at].text) + 1):
                context = text[start : end + 2 * window]
                if context in wanted:
                    reading = tuple(sorted(labels[at].get((start, end), ())))
                    seen.setdefault(context, {}).setdefault(reading, []).append((at, start))
    return sorted(
        (context[window:-window], sorted(readings.items()))
        for context, readings in seen.items()
        if len(readings) > 1
    )


@pytest.mark.parametrize("seed", range(6))
def test_against_a_look_at_every_stretch(seed):
    dice = random.Random(seed)
    corpus = []
    for number in range(60):
        text = "".join(dice.choices("甲乙丙", k=dice.randint(1, 14)))
        spans = []
        for _ in range(dice.randint(0, 4)):
            start = dice.randrange(len(text))
            spans.append((start, min(len(text), start + dice.randint(1, 3)), dice.choice("AB")))
        corpus.append(document(text, *dict.fromkeys(spans), name=str(number)))
    found = contradictions(corpus, window=2)
    assert found
    assert sorted((surface, sorted(readings)) for surface, readings in said(found)) == naive(corpus, 2)
    assert [one.places for one in found] == sorted((one.places for one in found), reverse=True)


def test_a_sure_tagger_against_people_the_surest_first():
    corpus = [document("甲乙丙丁戊己", (0, 2, "A"), (2, 3, "A"), name="1")]
    answers = [[Span(0, 2, "A", 1.0), Span(2, 4, "B", 0.9), Span(4, 5, "A", 0.95), Span(5, 6, "A", None)]]
    cases = cases_of(corpus, answers)
    against = [cases[at].predicted.key for at in confident_against(cases, 0.9)]
    assert against == [(4, 5, "A"), (2, 4, "B")]
    assert [cases[at].predicted.key for at in confident_against(cases, 0.91)] == [(4, 5, "A")]
