"""The benchmark of word boundaries: the sentences cut by hand, and what scores them."""

import pytest

from benchmarks.segmentation import CORPUS, WORDS, Cut, boundaries, chance, read_words, score
from core.corpus.document_json import read_documents


def test_two_hundred_sentences_outside_training_are_cut_by_hand():
    documents = {document.id: document for document in read_documents(CORPUS)}
    cuts = read_words(WORDS, {name: document.text for name, document in documents.items()})
    assert len({cut.text for cut in cuts}) == 200
    names = [line.split("\t")[0] for line in WORDS.read_text(encoding="utf-8").splitlines()]
    assert not any(documents[name].meta["split"] == "train" for name in names)


def test_a_line_that_is_not_the_sentence_is_refused(tmp_path):
    file = tmp_path / "words.tsv"
    file.write_text("a\t我们 来\n", encoding="utf-8")
    with pytest.raises(ValueError, match="a is '我们来' there, and '我们来了'"):
        read_words(file, {"a": "我们来了"})


def test_boundaries_beside_punctuation_do_not_count():
    cut = Cut("我们来，他", frozenset(boundaries([2, 1, 1, 1])))
    assert cut.places == [1, 2]
    assert score([cut], [{1, 2, 3, 4}]) == (50.0, 100.0, pytest.approx(200 / 3))
    assert score([cut], [set()]) == (0.0, 0.0, 0.0)
    assert score([cut], [{2}]) == (100.0, 100.0, 100.0)
    precision, recall, f1 = chance([cut], 1)
    assert precision == recall == pytest.approx(f1)
    assert 35 < f1 < 65, "one place of two"
