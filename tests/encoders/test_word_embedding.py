"""Word vectors: how words find their rows, files of vectors, and words seen once."""

import pytest
import torch

from core.encoders.vocabulary import UNKNOWN, fold, folded_rows
from core.encoders.word_embedding import WordEmbedding
from core.encoders.word_vectors import VectorsError


def rows_of(table, words):
    return folded_rows(table.vocabulary, words)


def test_case_and_digits_are_folded():
    table = WordEmbedding.learn(["Paris", "paris", "1,999"], 4)
    assert rows_of(table, ["PARIS", "Paris"]) == [rows_of(table, ["paris"])[0]] * 2
    assert rows_of(table, ["2,001"]) == rows_of(table, ["1,999"]) != [UNKNOWN]
    assert rows_of(table, ["London"]) == [UNKNOWN]
    assert fold("X٣9") == "x00"


def test_words_seen_once_are_at_times_unknown_in_training_only():
    torch.manual_seed(0)
    table = WordEmbedding.learn(["a", "a", "b"], 3, unknown_rate=0.5)
    often, once = rows_of(table, ["a", "b"])
    rows = torch.tensor([often, once]).repeat(400, 1)
    unknown = table.table.weight[UNKNOWN]
    replaced = (table.train()(rows) == unknown).all(-1).float().mean(0)
    assert replaced[0] == 0.0
    assert replaced[1] == pytest.approx(0.5, abs=0.1)
    assert torch.equal(table.eval()(rows), table.table.weight[rows])


def test_vectors_of_a_file_come_as_they_are_written_or_in_lower_case(tmp_path):
    file = tmp_path / "glove.txt"
    file.write_text("Paris 1 0\nberlin 0 2\nrome 3 3\n", encoding="utf-8")
    table = WordEmbedding.learn(["Paris", "Berlin", "Oslo"], 50, source=str(file), unknown_rate=0.5)
    assert table.dimension == 2, "the file's width counts"
    paris, berlin, rome, oslo = table.table.weight[rows_of(table, ["Paris", "BERLIN", "Rome", "Oslo"])]
    # All are scaled together, to unit length on average.
    mean = (1 + 2 + 18**0.5) / 3
    torch.testing.assert_close(paris, torch.tensor([1.0, 0.0]) / mean)
    torch.testing.assert_close(berlin, torch.tensor([0.0, 2.0]) / mean)
    torch.testing.assert_close(rome, torch.tensor([3.0, 3.0]) / mean)
    assert oslo.norm() > 0
    # Only the word without a vector is at times unknown.
    rates = table.rates[rows_of(table, ["Paris", "Berlin", "Rome", "Oslo"])]
    assert rates.tolist() == [0.0, 0.0, 0.0, 0.5]


def test_half_a_file_is_refused_by_name(tmp_path):
    file = tmp_path / "half.vec"
    file.write_text("2 3\nParis 1 0 1\nBerlin 1", encoding="utf-8")
    with pytest.raises(VectorsError, match=r"half\.vec, line 3"):
        WordEmbedding.learn(["Paris"], 3, source=str(file))
