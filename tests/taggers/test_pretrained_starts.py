"""Taggers start from what was pretrained, and need none of it once they are saved."""

import shutil
from dataclasses import replace

import numpy as np
import pytest
import torch

from core.encoders.word_vectors import read_vectors
from core.learning.vectors.config import VectorsConfig
from core.learning.vectors.training import train_vectors
from core.lexicon import Lexicon
from core.taggers.base.model_folder import load_tagger, read_header
from core.taggers.base.registry import by_name
from core.taggers.base.tagger import Resources
from core.taggers.base.tagging import tag
from core.text import Document
from tests.learning.mlm.small_mlm import CONFIG, small_mlm
from tests.learning.mlm.small_mlm import DOCUMENTS as RAW
from tests.taggers.small_flat import DOCUMENTS, LABELS

LEXICON = Lexicon(["清河", "清河大学", "大学", "教书", "书店", "小孩"])
VECTORS = VectorsConfig(
    model="fasttext", dimension=6, epochs=1, least_count=2, shortest_part=2, longest_part=3
)


def build(name, **values):
    kind = by_name(name)
    torch.manual_seed(0)
    return kind.build(kind.Config(**values), LABELS, Resources(DOCUMENTS, LEXICON)).eval()


def moved(tagger, folder, source):
    """The tagger saved, what it started from deleted, and loaded again."""
    tagger.save(folder)
    shutil.rmtree(source)
    return load_tagger(folder)


@pytest.mark.parametrize("name", ["flat", "soft_lexicon", "lattice_lstm", "bilstm_crf"])
def test_a_tagger_starts_from_vectors_and_is_saved_with_them(tmp_path, name):
    source = tmp_path / "vectors"
    train_vectors(
        RAW, VECTORS, folder=source, report=lambda event: None, should_stop=lambda: False, lexicon=LEXICON
    )
    fields = {"char_vectors": "characters", "bigram_vectors": "bigrams"}
    if name != "bilstm_crf":
        fields["word_vectors"] = "words"
    given = {field: str(source / f"{unit}.vec") for field, unit in fields.items()}
    tagger, scratch = build(name, **given), build(name, char_dim=6)
    rows = tagger.characters.vocabulary.rows(["清", "河"])
    own = tagger.characters.table.weight[rows]
    assert not torch.equal(
        own, scratch.characters.table.weight[scratch.characters.vocabulary.rows(["清", "河"])]
    )
    if name != "bilstm_crf":
        # 清河大学 is in no raw text; its first part is, in 清河.
        assert "清河大学" not in (source / "words.vec").read_text(encoding="utf-8")
        assert tagger.words.dimension == 6
    again = moved(tagger, tmp_path / "model", source)
    assert [d.spans for d in tag(again, DOCUMENTS)] == [d.spans for d in tag(tagger, DOCUMENTS)]


CHINESE = DOCUMENTS
ENGLISH = [Document("a", "Ada works in Paris."), Document("b", "Bo lives in Rome.")]


@pytest.mark.parametrize("name", ["flat", "soft_lexicon", "lattice_lstm", "lr_cnn", "bilstm_crf"])
def test_characters_start_from_jiebas_vectors_where_the_text_is_chinese(tmp_path, name):
    kind, resources = by_name(name), Resources(CHINESE, LEXICON)
    jieba = read_vectors("jieba", lambda token: token in "清河")
    tagger = kind.build(kind.Config(), LABELS, resources)
    own = tagger.characters.table.weight[tagger.characters.vocabulary.rows(jieba.tokens)]
    assert torch.allclose(own, own.norm() * torch.from_numpy(jieba.values / np.linalg.norm(jieba.values)))
    assert (tagger.config.char_vectors, tagger.given["char_vectors"]) == ("jieba", "auto")
    tagger.save(tmp_path)
    assert read_header(tmp_path).changed().get("char_vectors", "auto") == "auto", "as it was given"

    for values, documents in (
        ({}, ENGLISH), ({"char_dim": 30}, CHINESE), ({"char_vectors": ""}, CHINESE),
    ):  # fmt: skip
        plain = kind.build(kind.Config(**values), LABELS, Resources(documents, LEXICON))
        assert plain.config.char_vectors == ""
        assert plain.characters.dimension == plain.config.char_dim


def test_the_encoder_inside_another_tagger_starts_from_them_too():
    for name in ("pu", "span"):
        kind = by_name(name)
        given = {"prior": "0.2"} if name == "pu" else {}
        tagger = kind.build(kind.Config(**given), LABELS, Resources(CHINESE, LEXICON))
        assert tagger.encoder.config.char_vectors == "jieba"


@pytest.mark.parametrize("name", ["bert", "flat"])
def test_a_tagger_starts_from_a_masked_language_model_and_is_saved_with_it(tmp_path, name):
    model, _ = small_mlm(config=replace(CONFIG, epochs=1))
    source = tmp_path / "encoder"
    model.write(source)
    tagger = build(name, encoder=str(source))
    again = moved(tagger, tmp_path / "model", source)
    assert [d.spans for d in tag(again, DOCUMENTS)] == [d.spans for d in tag(tagger, DOCUMENTS)]


def test_an_unseen_word_of_the_lexicon_starts_from_its_parts(tmp_path):
    train_vectors(
        [*RAW, Document("x", "清河大桥" * 3)], VECTORS, folder=tmp_path, report=lambda event: None,
        should_stop=lambda: False, lexicon=Lexicon(["清河大桥"]),
    )  # fmt: skip
    path = str(tmp_path / "words.vec")
    tables = [build("flat", word_vectors=path, char_dim=5).words for _ in range(2)]
    (row,) = tables[0].vocabulary.rows(["清河大学"])
    assert row > 1
    scratch = build("flat", word_dim=6, char_dim=5).words
    (other,) = scratch.vocabulary.rows(["清河大学"])
    assert torch.equal(tables[0].table.weight[row], tables[1].table.weight[row])
    assert not torch.equal(tables[0].table.weight[row], scratch.table.weight[other])
