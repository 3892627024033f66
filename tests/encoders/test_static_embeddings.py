"""Embedding tables: what gets a row, where its first value comes from, and how the unknown is trained."""

import numpy as np
import pytest
import torch

from core.encoders.static_embeddings import StaticEmbedding
from core.encoders.vocabulary import PADDING, UNKNOWN, Vocabulary, bigrams
from core.encoders.word_vectors import VectorsError, WordVectors, jieba_characters, read_vec


def vec(tmp_path, content):
    path = tmp_path / "some.vec"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


class TestVocabulary:
    def test_unlisted_tokens_share_the_unknown_row(self):
        vocabulary = Vocabulary(["北", "京"])
        assert vocabulary.rows("北上京") == [2, UNKNOWN, 3]
        assert len(vocabulary) == 4

    @pytest.mark.parametrize("value", [None, "北京", ["北", 3], ["北", "北"], [""], {"北": 1}])
    def test_a_malformed_vocabulary_is_refused(self, value):
        with pytest.raises(ValueError, match="vocabulary"):
            Vocabulary.from_json(value)

    def test_it_comes_back_from_json(self):
        assert Vocabulary.from_json(Vocabulary("北京").to_json()).rows("京北") == [3, 2]


class TestTable:
    def test_one_corpus_gives_one_table_whatever_its_order(self):
        assert StaticEmbedding.build("京北北", 4).vocabulary.tokens == ("京", "北")
        assert StaticEmbedding.build("北京北", 4).vocabulary.tokens == ("京", "北")

    def test_rare_tokens_get_no_row(self):
        assert StaticEmbedding.build("北北京", 4, least=2).vocabulary.tokens == ("北",)

    def test_padding_is_zero_and_learns_nothing(self):
        table = StaticEmbedding.build("北京", 4)
        vectors = table(torch.tensor([[2, PADDING]]))
        vectors.sum().backward()
        assert vectors[0, 1].abs().sum() == 0
        assert table.table.weight.grad[PADDING].abs().sum() == 0
        assert table.table.weight.grad[2].abs().sum() > 0

    def test_fresh_vectors_have_about_unit_length(self):
        torch.manual_seed(0)
        lengths = StaticEmbedding(Vocabulary(map(str, range(500))), 50).table.weight[1:].norm(dim=1)
        assert lengths.mean().item() == pytest.approx(1.0, abs=0.02)

    def test_tokens_read_as_unknown_train_the_unknown_vector_but_never_padding(self):
        torch.manual_seed(0)
        table = StaticEmbedding(Vocabulary("北"), 4, unknown_rate=0.3)
        rows = torch.tensor([2] * 900 + [PADDING] * 100)
        vectors = table(rows)
        unknown = (vectors == table.table.weight[UNKNOWN]).all(1)
        assert 0.25 < unknown[:900].float().mean() < 0.35
        assert not unknown[900:].any()

    def test_nothing_is_read_as_unknown_in_evaluation(self):
        table = StaticEmbedding(Vocabulary("北"), 4, unknown_rate=0.5).eval()
        rows = torch.full((50,), 2)
        assert torch.equal(table(rows), table.table.weight[rows])

    def test_given_vectors_keep_direction_and_relative_length(self):
        table = StaticEmbedding(Vocabulary("北京"), 2)
        table.initialise_from(WordVectors(("京", "沪", "北"), np.array([[0, 3], [9, 9], [1, 0]], np.float32)))
        assert torch.allclose(table.table.weight[2:], torch.tensor([[0.5, 0.0], [0.0, 1.5]]))

    def test_vectors_of_another_width_are_refused(self):
        with pytest.raises(ValueError, match="2 dimensions, the table has 3"):
            StaticEmbedding(Vocabulary("北"), 3).initialise_from(
                WordVectors(("北",), np.zeros((1, 2), np.float32))
            )

    def test_a_source_brings_its_width_and_the_tokens_asked_for(self, tmp_path):
        path = vec(tmp_path, "北 1 2 3\n京 4 5 6\n沪 7 8 9\n")
        table = StaticEmbedding.build("北北", 50, source=str(path), keep=lambda token: token == "沪")
        assert table.dimension == 3
        assert table.vocabulary.tokens == ("北", "沪")

    def test_bigrams_pair_each_character_with_the_next(self):
        assert bigrams("北京市") == ["北京", "京市", "市"]
        assert bigrams("") == []


class TestVecFiles:
    @pytest.mark.parametrize("header", ["", "2 3\n"])
    def test_the_header_line_may_be_there_or_not(self, tmp_path, header):
        vectors = read_vec(vec(tmp_path, header + "北 1 2 3\n京 4 5 6 \r\n"))
        assert vectors.tokens == ("北", "京")
        assert vectors.values.tolist() == [[1, 2, 3], [4, 5, 6]]

    def test_a_token_may_hold_blanks_and_the_first_of_two_counts(self, tmp_path):
        vectors = read_vec(vec(tmp_path, "北 1 2\nNew York 3 4\n北 5 6\n"))
        assert vectors.tokens == ("北", "New York")
        assert vectors.values.tolist() == [[1, 2], [3, 4]]

    def test_the_header_says_where_a_first_token_with_blanks_ends(self, tmp_path):
        vectors = read_vec(vec(tmp_path, "2 2\nNew York 1 2\n北 3 4\n"))
        assert vectors.tokens == ("New York", "北")
        assert vectors.values.tolist() == [[1, 2], [3, 4]]

    @pytest.mark.parametrize(
        ("content", "reason"),
        [
            ("2 3\n北 1 2\n京 1 2\n", "line 2"),
            ("2 0\n北 1 2\n", "line 1"),
            ("2 99999999999\n北 1 2\n", "line 1"),
            ("2 3\n", "holds no vectors"),
            ("北 1 2\n京 1\n", "line 2"),
            ("北 1 2\n京 1 x\n", "line 2"),
            ("2 2\n北 1 2\n京 nan 2\n", "line 3"),
            ("北 1e39 2\n", "line 1"),
            ("北\n", "line 1"),
            ("", "holds no vectors"),
            ("5 50\n", "holds no vectors"),
            (b"\x80\x02\xff", "not UTF-8"),
        ],
    )
    def test_a_bad_file_is_refused_at_its_line(self, tmp_path, content, reason):
        with pytest.raises(VectorsError, match=f"some.vec.*{reason}"):
            read_vec(vec(tmp_path, content))

    def test_a_missing_file_is_refused(self, tmp_path):
        with pytest.raises(VectorsError, match="there is no such file"):
            read_vec(tmp_path / "none.vec")


class TestJiebaCharacters:
    def test_they_are_128_wide_and_each_one_character(self):
        vectors = jieba_characters()
        assert vectors.dimension == 128
        assert len(vectors.tokens) > 15_000
        assert {len(token) for token in vectors.tokens} == {1}
        assert np.isfinite(vectors.values).all()

    def test_rows_stand_at_their_place_behind_the_header(self):
        # Row 0 of the table is the character "a": its first four bytes follow the 29-byte header.
        (value,) = jieba_characters(lambda token: token == "a").values[:, 0]
        assert value == np.frombuffer(bytes.fromhex("c7f38ebe"), "<f4")[0]

    def test_characters_of_like_use_lie_near_each_other(self):
        vectors = jieba_characters()
        row = {
            token: vectors.values[i] / np.linalg.norm(vectors.values[i])
            for i, token in enumerate(vectors.tokens)
        }
        assert row["京"] @ row["沪"] > row["京"] @ row["吃"]

    def test_a_table_of_another_size_is_refused(self, tmp_path, monkeypatch):
        (tmp_path / "lac_small" / "model_baseline").mkdir(parents=True)
        (tmp_path / "lac_small" / "model_baseline" / "word_emb").write_bytes(b"short")
        (tmp_path / "lac_small" / "word.dic").write_text("0\ta\n")
        monkeypatch.setattr("core.encoders.word_vectors.package_folder", lambda: tmp_path)
        with pytest.raises(VectorsError, match="5 bytes"):
            jieba_characters()
