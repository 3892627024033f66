"""Words, types and rows: what a biLM reads and what it must predict."""

import numpy as np
import pytest
import torch

from core.encoders.elmo.tokens import token_row
from core.learning.bilm.config import SoftmaxConfig
from core.learning.bilm.corpus import BilmCorpus, document_sentences
from core.learning.bilm.preparation import hold_out
from core.learning.bilm.stream import BilmStream
from core.learning.bilm.vocabulary import BEGIN, END, UNKNOWN, BilmVocabulary, TokenTypes, classes_of
from core.text import Document
from tests.learning.bilm.small_bilm import DEV, DOCUMENTS, ENCODER


def test_words_stand_by_falling_frequency_after_the_reserved_ones():
    vocabulary = BilmVocabulary.of([["a", "b", "b"], ["c", "b", "a"], ["d"]], 2, 100)
    assert vocabulary.words == ("b", "a")
    assert vocabulary.rows == {"b": 3, "a": 4}
    assert vocabulary.counts == (3, 3, 2, 3, 2), "sentences begun and ended, unknown words, words"
    assert len(vocabulary) == 5
    assert BilmVocabulary.of([["a", "b", "b"]], 1, 1).words == ("b",)


@pytest.mark.parametrize(
    ("words", "counts"),
    [(["a", "a"], [1] * 5), (["a", ""], [1] * 5), (["a"], [1] * 3), (["a"], [1, 1, 1, -1])],
)
def test_a_vocabulary_that_is_none_is_refused(words, counts):
    with pytest.raises(ValueError, match="must be"):
        BilmVocabulary(words, counts)


def test_unknown_words_are_types_of_their_own_but_one_class():
    types = TokenTypes(BilmVocabulary(["b", "a"], [1] * 5), 50, 2)
    assert types.numbers(["a", "x", "b", "y", "x"]) == [4, 5, 3, 6, 5]
    assert classes_of(torch.tensor([4, 5, 3, 6, 0, 1]), 5).tolist() == [4, UNKNOWN, 3, UNKNOWN, 0, 1]
    rows = types.characters()
    assert rows[6, :3].tolist() == token_row("y", 50)
    assert rows[BEGIN, :3].tolist() == [258, 256, 259]
    assert rows[END, :3].tolist() == [258, 257, 259]
    assert rows[UNKNOWN, : len("<UNK>") + 2].tolist() == token_row("<UNK>", 50)


def test_a_document_is_cut_into_sentences_of_tokens():
    document = Document("1", " 你好。\n\n She left. ")
    assert document_sentences(document, "character") == [list("你好。"), list("She left.")]
    assert document_sentences(document, "word") == [["你", "好", "。"], ["She", "left", "."]]
    assert document_sentences(Document("2", " \n "), "character") == []


def rows_of(values, lengths):
    return [row[:length].tolist() for row, length in zip(values, lengths, strict=True)]


def test_one_row_reads_sentences_between_boundaries_in_both_directions():
    stream = BilmStream.of([[[3, 4]], [[5]]], rows=1, unroll=2)
    assert rows_of(stream.read, stream.lengths) == [[BEGIN, 3, 4, BEGIN, 5]]
    assert rows_of(stream.expected, stream.lengths) == [[3, 4, END, 5, END]]
    batches = list(stream.batches(100))
    assert len(batches) == 1
    assert batches[0].read[1].tolist() == [[END, 5, END, 4, 3]]
    assert batches[0].expected[1].tolist() == [[5, BEGIN, 4, 3, BEGIN]]


@pytest.mark.parametrize(("rows", "unroll"), [(1, 1), (3, 4), (4, 3), (100, 5), (2, 100)])
def test_every_token_is_predicted_once_in_each_direction(rows, unroll):
    corpus = BilmCorpus.of(DOCUMENTS, DEV, ENCODER.options(), SoftmaxConfig(least_count=1))
    stream = corpus.stream(rows, unroll, 1, 0)
    assert stream.lengths.max() - stream.lengths.min() <= 1
    seen = [[], []]
    for batch in stream.batches(unroll):
        assert batch.read.shape[2] <= unroll
        for direction in range(2):
            seen[direction] += batch.expected[direction][batch.mask].tolist()
    sentences = [sentence for document in corpus.documents for sentence in document]
    forward = sorted(number for sentence in sentences for number in [*sentence, END])
    backward = sorted(number for sentence in sentences for number in [*sentence, BEGIN])
    assert [sorted(part) for part in seen] == [forward, backward]
    assert stream.tokens == len(forward)


def test_each_direction_reads_what_it_expected_before():
    corpus = BilmCorpus.of(DOCUMENTS, DEV, ENCODER.options(), SoftmaxConfig(least_count=1))
    for batch in corpus.stream(2, 1, 1, 0).batches(1000):
        for direction, (first, last) in enumerate([(BEGIN, END), (END, BEGIN)]):
            for row in range(2):
                length = int(batch.mask[row].sum())
                read = batch.read[direction, row, :length]
                expected = batch.expected[direction, row, :length]
                for t in range(1, length):
                    if expected[t - 1] == last:
                        assert read[t] == first
                    else:
                        assert read[t] == expected[t - 1]


def test_batches_can_begin_in_the_middle():
    stream = BilmStream.of([[[3, 4, 5, 6, 7]]], rows=1, unroll=2)
    whole, rest = list(stream.batches(2)), list(stream.batches(2, first=1))
    assert len(whole) == stream.steps(2) == 3
    assert torch.equal(rest[0].read, whole[1].read)


def test_epochs_shuffle_documents_and_the_seed_decides_how():
    documents = tuple(Document(str(n), "甲乙丙丁戊己庚辛"[n]) for n in range(8))
    corpus = BilmCorpus.of(documents, (), ENCODER.options(), SoftmaxConfig(least_count=1))

    def order(seed, epoch):
        return corpus.stream(1, 1, seed, epoch).expected.tolist()

    assert order(1, 0) == order(1, 0)
    assert order(1, 0) != order(1, 1)
    assert order(1, 0) != order(2, 0)


def test_the_vocabulary_is_of_the_text_learned_from_alone():
    corpus = BilmCorpus.of(
        DOCUMENTS, (Document("dev", "鑫鑫"),), ENCODER.options(), SoftmaxConfig(least_count=2)
    )
    assert "鑫" not in corpus.vocabulary.words
    assert "她" not in corpus.vocabulary.words, "seen once"
    assert len(corpus.characters) > len(corpus.vocabulary)
    known = sum(sum(s.count(w) for w in corpus.vocabulary.words) for s in (d.text for d in DOCUMENTS))
    assert corpus.unknown_rate == pytest.approx(1 - known / corpus.tokens)


def test_the_digest_changes_with_any_token():
    def digest(documents, dev=DEV):
        return BilmCorpus.of(documents, dev, ENCODER.options(), SoftmaxConfig(least_count=1)).digest()

    assert digest(DOCUMENTS) == digest(DOCUMENTS)
    others = [
        digest(DOCUMENTS[:-1]),
        digest(DOCUMENTS[::-1]),
        digest(DOCUMENTS, ()),
        digest((*DOCUMENTS[:-1], Document("3", "河边的书店卖书，也卖小鸟。"))),
    ]
    assert digest(DOCUMENTS) not in others


@pytest.mark.parametrize(("count", "held"), [(0, 0), (1, 0), (2, 1), (39, 1), (60, 3)])
def test_some_documents_are_held_out(count, held):
    documents = [Document(str(n), "文") for n in range(count)]
    learned, dev = hold_out(documents, 7)
    assert len(dev) == held
    assert sorted([*learned, *dev], key=lambda d: int(d.id)) == documents
    assert [d.id for d in learned] == sorted((d.id for d in learned), key=int)
    if count == 60:
        assert hold_out(documents, 7)[1] == dev
        assert hold_out(documents, 8)[1] != dev


def test_rows_are_of_one_length_but_for_one_token():
    stream = BilmStream.of([[list(range(3, 13))]], rows=3, unroll=1)
    assert stream.lengths.tolist() == [4, 4, 3]
    assert np.array_equal(stream.read[2, 3:], [0])
