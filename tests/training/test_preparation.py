"""Preparation: what a tagger cannot learn is left out, counted and said."""

import pytest

from app.i18n import text
from core.text import Document, Span
from core.training.preparation import prepare, prepare_unlabelled, split_off_dev
from core.training.run.errors import TrainingError


def prepared(train, dev=(), **options):
    return prepare(train, dev, **{"nested": False, "longest": 500, "seed": 1, **options})


def test_without_dev_a_seeded_tenth_is_held_out_and_said(documents):
    result = prepared(documents)
    assert len(result.dev) == 4
    assert {d.id for d in result.train} | {d.id for d in result.dev} == {d.id for d in documents}
    assert not {d.id for d in result.train} & {d.id for d in result.dev}
    assert "4 of the 36" in str(result.notes[0])
    assert "36 篇" in text(result.notes[0], "zh")
    assert prepared(documents).dev == result.dev
    assert prepared(documents, seed=2).dev != result.dev


def test_a_single_document_is_learned_not_held_out(documents):
    train, dev, _ = split_off_dev(documents[:1], 1)
    assert (len(train), len(dev)) == (1, 0)


def test_inner_spans_are_left_out_for_a_flat_tagger_and_kept_for_a_nested_one():
    university = Document("1", "云南大学校长", (Span(0, 2, "LOC"), Span(0, 4, "ORG"), Span(4, 6, "TITLE")))
    result = prepared([university], [university])
    assert [span.label for span in result.train[0].spans] == ["ORG", "TITLE"]
    assert len(result.dev[0].spans) == 3, "the score must count what the tagger cannot say"
    assert "1 inner" in str(result.notes[0])
    # LOC has no span left to learn but stays a label of the project.
    assert result.labels == ("LOC", "ORG", "TITLE")
    assert prepared([university], [university], nested=True).train[0].spans == university.spans


def test_labels_keep_the_projects_order(documents):
    assert prepared(documents, labels=["PER", "GONE", "LOC"]).labels == ("PER", "LOC")
    assert prepared(documents, labels=["PER"]).labels == ("PER", "LOC")


def test_a_long_text_is_cut_at_sentence_ends_with_its_spans_in_place():
    sentence = "林晓到了青岛。"
    spans = tuple(
        span
        for start in range(0, 70, 7)
        for span in (Span(start, start + 2, "PER"), Span(start + 4, start + 6, "LOC"))
    )
    result = prepared([Document("long", sentence * 10, spans)], [Document("d", "林晓", ())], longest=16)
    assert "".join(part.text for part in result.train) == sentence * 10
    assert all(len(part.text) <= 16 for part in result.train)
    found = [part.surface(span) for part in result.train for span in part.spans]
    assert found == ["林晓", "青岛"] * 10
    assert "longer than 16" in str(result.notes[-1])


def test_spans_across_a_cut_are_counted():
    text = "很" * 40
    result = prepared([Document("x", text, (Span(0, 40, "A"), Span(1, 2, "B")))], [], longest=16, nested=True)
    assert "1 spans that lie across a cut" in str(result.notes[-1])


def test_empty_texts_teach_nothing_and_break_nothing(documents):
    result = prepared([Document("e", ""), *documents], documents)
    assert len(result.train) == len(documents)


def test_nothing_labelled_is_an_error_that_says_what_to_do():
    with pytest.raises(TrainingError, match="none of the 1 training documents has a labelled span"):
        prepared([Document("1", "没有标注")])


def test_dev_labels_that_cannot_be_learned_are_named(documents):
    dev = [Document("x", "周一", (Span(0, 2, "DATE"),))]
    assert "DATE" in str(prepared(documents, dev).notes[-1])


def test_unlabelled_texts_lose_their_spans_and_those_of_dev_and_test():
    texts = [
        Document("a", "林晓到了青岛", (Span(0, 2, "PER"),)),
        Document("b", "周平走了"),
        Document("c", ""),
    ]
    texts.append(Document("d", "第一句很长很长很长很长。" * 3))
    kept, notes = prepare_unlabelled(texts, [Document("other id", "周平走了")], longest=16)
    assert [document.id for document in kept] == ["a", "d#0", "d#1", "d#2"]
    assert all(document.spans == () for document in kept)
    assert "1 of the 4" in str(notes[0])
    assert prepare_unlabelled(texts, [], longest=500)[1] == ()
