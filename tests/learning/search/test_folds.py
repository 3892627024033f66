"""The documents of a search: given dev documents if they can tell settings apart, else folds."""

import pytest

from core.corpus.snapshot import Snapshot
from core.learning.search.folds import LEAST_DEV_SPANS, search_corpus
from core.text import Document, Span


def labelled(count, first=0, label="PER"):
    return tuple(
        Document(
            f"d{first + n}", f"{first + n}林晓", (Span(len(str(first + n)), len(str(first + n)) + 2, label),)
        )
        for n in range(count)
    )


def test_dev_documents_with_enough_spans_are_used_as_they_are():
    train, dev = labelled(10), labelled(LEAST_DEV_SPANS, 10)
    corpus = search_corpus(Snapshot({"train": train, "dev": dev, "test": labelled(9, 900)}), 1)
    assert not corpus.crossed
    assert (corpus.folds[0].train, corpus.folds[0].dev) == (train, dev)
    assert corpus.notes == ()


@pytest.mark.parametrize("dev", [(), labelled(LEAST_DEV_SPANS - 1, 10), (Document("n", "今天下雨"),)])
def test_else_every_document_is_held_out_once(dev):
    train = labelled(10)
    corpus = search_corpus(Snapshot({"train": train, "dev": dev, "test": labelled(9, 900)}), 1)
    assert len(corpus.folds) == 5
    held = [document.id for fold in corpus.folds for document in fold.dev]
    assert sorted(held) == sorted(document.id for document in (*train, *dev))
    for fold in corpus.folds:
        assert not {document.id for document in fold.train} & {document.id for document in fold.dev}
    assert "5-fold" in str(corpus.notes[0])


def test_a_text_that_occurs_twice_is_never_learned_and_scored():
    twins = tuple(Document(f"t{n}", f"{n % 7}林晓来了", (Span(1, 3, "PER"),)) for n in range(30))
    for fold in search_corpus(Snapshot({"train": twins}), 1).folds:
        assert not {document.text for document in fold.train} & {document.text for document in fold.dev}


def test_every_fold_has_spans_if_there_are_as_many_texts_with_spans():
    blank = tuple(Document(f"b{n}", f"今天下雨{n}") for n in range(50))
    corpus = search_corpus(Snapshot({"train": (*blank, *labelled(3))}), 1)
    assert len(corpus.folds) == 3
    assert all(any(document.spans for document in fold.dev) for fold in corpus.folds)


def test_labels_that_occur_once_are_named():
    documents = (*labelled(5), *labelled(1, 50, "RARE"))
    assert "RARE" in str(search_corpus(Snapshot({"train": documents}), 1).notes[-1])


def test_the_folds_are_those_of_the_seed():
    snapshot = Snapshot({"train": labelled(30)})
    assert search_corpus(snapshot, 1) == search_corpus(snapshot, 1)
    assert search_corpus(snapshot, 1) != search_corpus(snapshot, 2)
