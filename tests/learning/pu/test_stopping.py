"""Criteria that need no labelled documents order classifiers as the truth does."""

from types import SimpleNamespace

import numpy as np
import pytest

from core.learning.pu import stopping
from core.learning.pu.stopping import (
    HeldOut,
    by_held_out_words,
    by_risk,
    choose_words,
    lee_liu,
    texts_with,
    zero_one_risk,
)
from core.text import Document, Span


def open_(name, text, *spans):
    return Document(name, text, spans, {"annotated_regions": []})


def population(chance, count=200_000, prior=0.3):
    positive = chance.random(count) < prior
    return positive, np.where(positive, 1.0, -1.0) + chance.normal(0, 1, count)


def test_lee_and_lius_criterion_is_precision_times_recall_up_to_a_constant():
    chance = np.random.default_rng(0)
    positive, x = population(chance)
    known = positive & (chance.random(len(x)) < 0.1)
    ratios = []
    for threshold in (-1.0, 0.0, 0.5, 1.5):
        found = x > threshold
        precision, recall = positive[found].mean(), found[positive].mean()
        ratios.append(lee_liu(found[known].mean(), found.mean()) / (precision * recall))
    assert ratios == pytest.approx([1 / 0.3] * 4, rel=0.05)


def test_nothing_found_is_worth_nothing():
    assert lee_liu(0.0, 0.0) == 0.0


def test_the_risk_from_positives_and_unlabelled_is_the_share_of_wrong_answers():
    chance = np.random.default_rng(1)
    positive, x = population(chance)
    known = positive & (chance.random(len(x)) < 0.1)
    for threshold in (-1.0, 0.0, 0.5, 1.5):
        found = x > threshold
        wrong = (found != positive).mean()
        assert zero_one_risk(0.3, found[known].mean(), found.mean()) == pytest.approx(wrong, abs=0.012)


TEXTS = (
    open_("1", "林晓平来了", Span(0, 3, "PER")),
    open_("2", "周一鸣走了", Span(0, 3, "PER")),
    open_("3", "今天下雨了"),
)


def answering(monkeypatch, spans):
    """A tagger that says these spans of every document, by id."""
    monkeypatch.setattr(
        stopping, "tag", lambda tagger, documents: [d.with_spans(spans.get(d.id, ())) for d in documents]
    )
    return SimpleNamespace()


@pytest.mark.parametrize(
    ("spans", "recall", "share"),
    [
        ({}, 0.0, 0.0),
        ({"1": [Span(0, 3, "PER")], "2": [Span(0, 3, "PER")]}, 1.0, 6 / 15),
        ({"1": [Span(0, 3, "PER")]}, 0.5, 3 / 15),
        ({"1": [Span(0, 5, "PER")], "2": [Span(0, 5, "PER")], "3": [Span(0, 5, "PER")]}, 1.0, 1.0),
    ],
)
def test_held_out_words_are_judged_by_their_characters(monkeypatch, spans, recall, share):
    tagger = answering(monkeypatch, spans)
    judge = by_held_out_words(HeldOut(TEXTS))
    assert judge(tagger) == pytest.approx(6 / 15 * lee_liu(recall, share))
    risk = by_risk(HeldOut(TEXTS), {"PER": 0.4})
    assert -risk(tagger) == pytest.approx(zero_one_risk(0.4, recall, share))


def test_the_right_answer_beats_finding_nothing_and_finding_everything(monkeypatch):
    right = {"1": [Span(0, 3, "PER")], "2": [Span(0, 3, "PER")]}
    all_ = {document.id: [Span(0, 5, "PER")] for document in TEXTS}
    for judge in (by_held_out_words(HeldOut(TEXTS)), by_risk(HeldOut(TEXTS), {"PER": 0.4})):
        marks = [judge(answering(monkeypatch, spans)) for spans in (right, {}, all_)]
        assert marks[0] == max(marks)
        assert marks[0] > max(marks[1:])


def test_words_are_held_out_of_every_type_that_can_spare_some():
    names = [f"林{c}" for c in "甲乙丙丁戊己庚辛壬癸"]
    documents = [open_(name, name + "来", Span(0, 2, "PER")) for name in names]
    documents += [open_("x", "青岛", Span(0, 2, "LOC"))]
    held = choose_words(documents, 0.2, seed=1)
    assert len(held) == 2
    assert {label for _, label in held} == {"PER"}
    assert held == choose_words(list(reversed(documents)), 0.2, seed=1)
    assert held != choose_words(documents, 0.2, seed=2)


def test_fully_annotated_documents_are_not_held_out():
    assert (
        choose_words([Document(str(n), f"林{n}", (Span(0, 2, "PER"),)) for n in range(9)], 0.5, 1)
        == frozenset()
    )


def test_judged_texts_keep_the_held_out_words_alone():
    texts = texts_with(TEXTS, frozenset({("林晓平", "PER")}), seed=1)
    assert {document.id: [s.key for s in document.spans] for document in texts} == {
        "1": [(0, 3, "PER")], "2": [], "3": [],
    }  # fmt: skip


def test_a_type_that_is_missed_costs_its_share(monkeypatch):
    """Both types found, each with the false alarms of the other case, beats one type found alone."""
    texts = (*TEXTS, open_("4", "我去青岛了", Span(2, 4, "LOC")))
    judge = by_held_out_words(HeldOut(texts))
    names = {"1": [Span(0, 3, "PER")], "2": [Span(0, 3, "PER")]}
    both = names | {"4": [Span(2, 4, "LOC")], "3": [Span(0, 2, "LOC")]}
    assert judge(answering(monkeypatch, both)) > judge(answering(monkeypatch, names))
