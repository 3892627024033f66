"""Any number of documents of any length go through, and come back in order with ids and texts untouched."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.taggers.base.tagging import tag
from core.text import Document, Span
from tests.taggers.small_flat import DOCUMENTS, small_flat

TAGGER = small_flat().eval()
TEXTS = st.lists(st.text("林晚晴在清河大学。！\n a😀", max_size=40), max_size=8)


@given(TEXTS, st.integers(1, 60), st.integers(1, 200))
@settings(deadline=None, max_examples=40)
def test_documents_out_are_documents_in(texts, window, budget):
    documents = [Document(str(number), text, meta={"n": number}) for number, text in enumerate(texts)]
    tagged = tag(TAGGER, documents, window=window, budget=budget)
    assert [(d.id, d.text, d.meta) for d in tagged] == [(d.id, d.text, d.meta) for d in documents]
    assert all(span.score is not None and span.end <= len(d.text) for d in tagged for span in d.spans)


def keys(documents):
    return [[span.key for span in document.spans] for document in documents]


def test_neither_the_budget_nor_the_order_changes_a_prediction():
    documents = list(DOCUMENTS) * 3
    alone = keys(tag(TAGGER, documents, budget=1))
    assert keys(tag(TAGGER, documents)) == alone
    assert keys(tag(TAGGER, documents[::-1]))[::-1] == alone


def test_a_long_text_is_tagged_as_its_sentences_are():
    sentence = "林晚晴在清河大学教书。"
    (one,) = tag(TAGGER, [Document("x", sentence)])
    (many,) = tag(TAGGER, [Document("x", sentence * 50)], window=len(sentence))
    expected = [
        (span.start + k * len(sentence), span.end + k * len(sentence), span.label)
        for k in range(50)
        for span in one.spans
    ]
    assert keys([many]) == [expected]
    assert all(many.surface(span) for span in many.spans)


def test_old_spans_give_way_to_the_predicted():
    document = Document("x", "教", (Span(0, 1, "OLD"),))
    assert all(span.label != "OLD" for span in tag(TAGGER, [document])[0].spans)


def test_progress_ends_at_all_pieces():
    seen = []
    tag(TAGGER, DOCUMENTS, budget=20, progress=lambda done, total: seen.append((done, total)))
    assert [total for _, total in seen] == [4] * len(seen)  # the empty text needs no piece
    assert [done for done, _ in seen] == sorted({done for done, _ in seen})
    assert seen[-1] == (4, 4)


def test_no_documents_give_none():
    assert tag(TAGGER, []) == []


@pytest.mark.parametrize("option", ["budget", "window"])
def test_a_limit_below_one_is_refused(option):
    with pytest.raises(ValueError, match="at least 1"):
        tag(TAGGER, DOCUMENTS, **{option: 0})


def test_a_tagger_in_training_stays_so_and_predicts_without_dropout():
    tagger = small_flat().train()
    assert tag(tagger, DOCUMENTS) == tag(tagger, DOCUMENTS)
    assert tagger.training
    assert all(parameter.grad is None for parameter in tagger.parameters())
