"""Vectors of unseen words from their parts, and tables that start from them."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from core.encoders.nearest_vectors import nearest
from core.encoders.static_embeddings import StaticEmbedding
from core.encoders.subword_vectors import SubwordVectors, bucket_of, read_subwords, subwords, subwords_file
from core.encoders.word_vectors import VectorsError


@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12), st.integers(1, 10**6))
def test_parts_and_their_rows_are_those_of_the_published_program(word, buckets):
    hashing = pytest.importorskip("gensim.models.fasttext_inner")
    own = [bucket_of(part, buckets) for part in subwords(word, 2, 5)]
    # gensim takes parts from left to right, and leaves out the marks standing alone
    marked = f"<{word}>"
    assert sorted(own) == sorted(
        hashing.ft_hash_bytes(marked[start : start + length].encode()) % buckets
        for length in range(2, 6)
        for start in range(len(marked) - length + 1)
    )


def test_the_parts_of_a_word_are_spelt_with_its_ends():
    assert subwords("教授级", 3, 4) == ["<教授", "教授级", "授级>", "<教授级", "教授级>"]
    assert subwords("水", 4, 6) == []


def make(words, dimension=4, buckets=50):
    rows = np.unique([bucket_of(part, buckets) for word in words for part in subwords(word, 3, 4)])
    values = np.random.default_rng(0).normal(size=(len(rows), dimension)).astype(np.float32)
    return SubwordVectors(rows, values, 3, 4, buckets)


def test_a_vector_is_the_mean_of_the_known_parts():
    known = make(["教授级"], buckets=10**6)
    place = dict(zip(known.rows.tolist(), known.values, strict=True))
    shared = [place[bucket_of(part, 10**6)] for part in ("<教授",)]
    assert known.vector("教授们") == pytest.approx(np.mean(shared, axis=0))
    assert known.vector("小鱼") is None


def test_what_was_written_is_read_back(tmp_path):
    known = make(["教授级", "小鱼"])
    path = subwords_file(tmp_path / "words.vec")
    known.write(path)
    back = read_subwords(path)
    assert path.name == "words.parts.safetensors"
    assert (back.values == known.values).all()
    assert (back.shortest, back.longest, back.buckets) == (3, 4, 50)


@pytest.mark.parametrize("damage", ["empty", "json", "widths", "nan", "rows"])
def test_a_damaged_file_says_which(tmp_path, damage):
    path = tmp_path / "words.parts.safetensors"
    known = make(["教授级"])
    if damage == "empty":
        path.write_bytes(b"")
    elif damage == "json":
        path.write_bytes(b"{" * 100)
    else:
        rows = (
            known.rows[::-1].copy()
            if damage == "rows"
            else known.rows[: len(known.rows) - (damage == "widths")]
        )
        values = known.values * (np.nan if damage == "nan" else 1)
        SubwordVectors(rows.copy(), values.astype(np.float32), 3, 4, 50).write(path)
    with pytest.raises(VectorsError, match="is damaged"):
        read_subwords(path)


@pytest.fixture
def files(tmp_path):
    path = tmp_path / "words.vec"
    path.write_text("3 2\n教授 1 0\n学者 1 0.1\n小鱼 -1 0.2\n", encoding="utf-8")
    rows = np.array(sorted({bucket_of("<教授", 1000), bucket_of("教授>", 1000)}))
    SubwordVectors(rows, np.array([[0, 2], [0, 4]], np.float32), 3, 3, 1000).write(subwords_file(path))
    return path


def test_a_table_has_unseen_words_from_their_parts(files):
    table = StaticEmbedding.build(["教授", "教授级", "书"], 7, source=str(files))
    rows = table.vocabulary.rows(["教授", "教授级"])
    seen, made = table.table.weight[rows]
    assert table.dimension == 2
    assert made[0] == 0
    assert made[1] > 0, "along the part that the two words share"
    fresh = StaticEmbedding.build(["教授", "教授级", "书"], 7)
    assert not torch.equal(made, fresh.table.weight[2, :2])
    assert seen[1] == 0


def test_parts_of_another_width_are_refused(files):
    SubwordVectors(np.array([1]), np.ones((1, 3), np.float32), 3, 3, 1000).write(subwords_file(files))
    with pytest.raises(VectorsError, match="not of one training"):
        StaticEmbedding.build(["教授级"], 7, source=str(files))


def test_neighbours_come_nearest_first_without_the_token_itself(files):
    found = nearest(files, "教授", 5)
    assert [neighbour.token for neighbour in found] == ["学者", "小鱼"]
    assert found[0].cosine == pytest.approx(1 / np.sqrt(1.01))
    assert found[1].cosine == pytest.approx(-1 / np.sqrt(1.04))


def test_neighbours_of_an_unseen_word_come_from_its_parts(files):
    assert [n.token for n in nearest(files, "教授级", 1)] == ["小鱼"]
    assert nearest(files, "河", 3) == []
