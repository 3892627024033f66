"""SoftLexicon against the paper's definitions read literally, and what a changed lexicon does at once."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from core.inspection.sentence.word_ablation import ablate_words
from core.lexicon import Entry, Lexicon
from core.taggers.base.config_fields import ConfigError
from core.taggers.base.model_folder import load_tagger
from core.taggers.base.tagger import ModelFolderError, Resources
from core.taggers.base.tagging import tag
from core.taggers.soft_lexicon.config import SoftLexiconConfig
from core.text import Document
from tests.taggers.small_flat import DOCUMENTS, LABELS, LEXICON, train
from tests.taggers.small_taggers import small_tagger

ROAD = Lexicon(["中山", "中山西路", "山西", "西路", "路", "西"])
TEXTS = ("他在中山西路", "山西的路", "西", "", "中山中山")
SETS = "BMES"


def road_tagger(**options):
    """A SoftLexicon in double precision, built for the texts above."""
    documents = tuple(Document(str(index), text) for index, text in enumerate(TEXTS))
    tagger = small_tagger("soft_lexicon", lexicon=ROAD, documents=documents, **options)
    return tagger.double().eval(), documents


def places(text, words):
    """Every occurrence of every word: (word, first, last character)."""
    return [
        (text[i : j + 1], i, j)
        for i in range(len(text))
        for j in range(i, len(text))
        if text[i : j + 1] in words
    ]


def word_sets(text, words):
    """The sets B, M, E and S of every character, as section "Incorporating Lexicon Information" defines."""
    found = [{letter: [] for letter in SETS} for _ in text]
    for word, first, last in places(text, words):
        for i in range(len(text)):
            if i == first == last:
                found[i]["S"].append(word)
            elif i == first:
                found[i]["B"].append(word)
            elif i == last:
                found[i]["E"].append(word)
            elif first < i < last:
                found[i]["M"].append(word)
    return found


def naive_counts(texts, words):
    counts = {}
    for text in texts:
        found = places(text, words)
        for word, i, j in found:
            covered = any((a, b) != (i, j) and a <= i and j <= b for _, a, b in found)
            counts[word] = counts.get(word, 0) + (not covered)
    return counts


def naive_vectors(tagger, text, words, counts):
    """What the lexicon adds to every character, ``[T, 4 D]``."""
    table = tagger.words.table.weight.detach().numpy()
    none = tagger.pooling.none.detach().numpy()
    rows = []
    for sets in word_sets(text, words):
        members = {
            letter: [
                (counts.get(word, 1), table[tagger.words.vocabulary.rows([word])[0]]) for word in sets[letter]
            ]
            or [(1, none)]
            for letter in SETS
        }
        total = sum(z for found in members.values() for z, _ in found)
        rows.append(
            np.concatenate([4 / total * sum(z * vector for z, vector in members[letter]) for letter in SETS])
        )
    return np.array(rows)


def added_vectors(tagger, documents):
    with torch.no_grad():
        return tagger.lexicon_vectors(tagger.collate(documents)).numpy()


def test_counts_are_the_papers():
    tagger, _ = road_tagger()
    words = {entry.word for entry in ROAD}
    expected = naive_counts(TEXTS, words)
    found = dict(zip(tagger.words.vocabulary.tokens, tagger.word_counts[2:].tolist(), strict=True))
    assert found == expected
    assert (expected["中山西路"], expected["中山"], expected["西路"], expected["西"]) == (1, 2, 0, 1)
    assert tagger.word_counts[:2].tolist() == [1, 1]


def test_unlabelled_texts_are_counted_too():
    documents = (Document("1", "在中山西路"),)
    more = (Document("2", "西路很长"), Document("3", "西路"))
    config = SoftLexiconConfig(char_dim=4, bigram_dim=0, word_dim=3, hidden=4)
    tagger = type(road_tagger()[0]).build(config, LABELS, Resources(documents, ROAD, unlabelled=more))
    found = dict(zip(tagger.words.vocabulary.tokens, tagger.word_counts[2:].tolist(), strict=True))
    assert found["西路"] == 2
    assert set(found) == set(naive_counts(["在中山西路"], {entry.word for entry in ROAD}))


def test_the_added_vectors_are_the_papers():
    tagger, documents = road_tagger()
    words = {entry.word for entry in ROAD}
    counts = naive_counts(TEXTS, words)
    found = added_vectors(tagger, documents)
    for row, text in enumerate(TEXTS):
        if text:
            np.testing.assert_allclose(
                found[row, : len(text)], naive_vectors(tagger, text, words, counts), atol=1e-12
            )


@given(st.lists(st.text("中山西路在", max_size=9), min_size=1, max_size=4))
def test_so_they_are_for_any_text(texts):
    words = {entry.word for entry in ROAD}
    found = added_vectors(TAGGER, [Document("x", text) for text in texts])
    counts = naive_counts(TEXTS, words)
    for row, text in enumerate(texts):
        if text:
            np.testing.assert_allclose(
                found[row, : len(text)], naive_vectors(TAGGER, text, words, counts), atol=1e-12
            )


TAGGER, _ = road_tagger()


def test_a_word_added_after_training_counts_once_and_acts_at_once():
    tagger, _ = road_tagger()
    document = Document("x", "去中山")
    words = {entry.word for entry in ROAD} | {"去中山"}
    counts = naive_counts(TEXTS, {entry.word for entry in ROAD})
    before = added_vectors(tagger, [document])
    tagger.lexicon = tagger.lexicon.with_words([Entry("去中山", 99, "LOC")])
    after = added_vectors(tagger, [document])
    assert not np.allclose(before, after)
    np.testing.assert_allclose(after[0], naive_vectors(tagger, "去中山", words, counts), atol=1e-12)


def test_a_word_taken_out_leaves_no_trace():
    tagger, documents = road_tagger()
    tagger.lexicon = tagger.lexicon.without_words(["中山西路"])
    words = {entry.word for entry in ROAD} - {"中山西路"}
    counts = naive_counts(TEXTS, {entry.word for entry in ROAD})
    np.testing.assert_allclose(
        added_vectors(tagger, documents)[0], naive_vectors(tagger, TEXTS[0], words, counts), atol=1e-12
    )


def test_words_explain_a_prediction():
    tagger = train(small_tagger("soft_lexicon"), DOCUMENTS[:4], 60)
    text = DOCUMENTS[0].text
    spans = tag(tagger, [Document("x", text)])[0].spans
    rows = ablate_words(tagger, text, spans)
    assert {row.word for row in rows} & {"清河", "清河大学", "大学"}
    assert any(row.change or not row.kept for row in rows)


def test_exsoftword_says_every_place_a_character_takes():
    tagger, documents = road_tagger(lexicon_features="exsoftword")
    found = added_vectors(tagger, documents)
    words = {entry.word for entry in ROAD}
    for row, text in enumerate(TEXTS):
        for at, sets in enumerate(word_sets(text, words)):
            seen = [float(bool(sets[letter])) for letter in SETS]
            assert found[row, at].tolist() == [*seen, float(not any(seen))]


def test_softword_embeds_the_tag_of_one_segmentation():
    tagger, documents = road_tagger(lexicon_features="softword")
    batch = tagger.collate(documents)
    tags = ["".join(SETS[tag] for tag in row) for row in batch.segments.tolist()]
    assert [tags[row][: len(text)] for row, text in enumerate(TEXTS)] == ["SSBMME", "BESS", "S", "", "BEBE"]
    vectors = added_vectors(tagger, documents)
    expected = tagger.segment_vectors.weight.detach().numpy()
    np.testing.assert_array_equal(vectors[0, 2], expected[0])
    np.testing.assert_array_equal(vectors[0, 5], expected[2])


def test_softword_follows_the_lexicon():
    tagger, _ = road_tagger(lexicon_features="softword")
    tagger.lexicon = tagger.lexicon.with_words(["他在"])
    assert tagger.collate([Document("x", "他在中山")]).segments.tolist() == [[0, 2, 0, 2]]


@pytest.mark.parametrize("features", ["exsoftword", "softword"])
def test_tags_need_no_vectors_of_words(features):
    tagger = small_tagger("soft_lexicon", lexicon_features=features)
    assert len(tagger.words.vocabulary) == 2
    assert not any(parameter.requires_grad for parameter in tagger.words.parameters())
    given_out = {id(p) for group in tagger.parameter_groups() for p in group["params"] if p.requires_grad}
    assert given_out == {id(p) for p in tagger.parameters() if p.requires_grad}


def test_without_a_lexicon_every_set_is_empty():
    tagger = small_tagger("soft_lexicon", use_lexicon=False)
    batch = tagger.collate(DOCUMENTS)
    assert tagger.lexicon is None
    assert len(batch.words) == 0
    assert tagger.decode(batch)[4] == []


def test_long_words_can_be_left_out():
    tagger = small_tagger("soft_lexicon", longest_word=3)
    assert "清河大学" not in tagger.words.vocabulary
    assert "清河" in tagger.words.vocabulary


def test_a_trace_names_the_words_of_every_character():
    tagger, documents = road_tagger()
    tagger = tagger.float()
    trace = tagger.trace(tagger.collate(documents))[0]
    found = trace.word_sets
    words = {entry.word for entry in ROAD}
    seen = {
        (int(at), SETS[which], word)
        for at, which, word in zip(found.character, found.sets, found.words, strict=True)
    }
    expected = {
        (at, letter, word)
        for at, sets in enumerate(word_sets(TEXTS[0], words))
        for letter in SETS
        for word in sets[letter]
    }
    assert seen == expected
    counts = naive_counts(TEXTS, words)
    total = sum(counts[word] for word in ("西路", "中山西路", "山西", "西"))  # the sets of 西, none empty
    here = [i for i, at in enumerate(found.character) if at == 4 and found.words[i] == "中山西路"]
    assert found.weights[here].tolist() == pytest.approx([4 * counts["中山西路"] / total])
    assert trace.lattice.nodes == (*TEXTS[0], "中山", "中山西路", "山西", "西路")


def test_the_transformers_attention_lies_on_the_lattice():
    tagger = small_tagger("soft_lexicon", sequence_layer="transformer", heads=2, layers=2)
    for trace in tagger.trace(tagger.collate(DOCUMENTS)):
        length, nodes = len(trace.text), len(trace.lattice.nodes)
        assert [weights.shape for weights in trace.attention] == [(2, length, nodes)] * 2
        for weights in trace.attention:
            np.testing.assert_allclose(weights.sum(-1), 1.0, atol=1e-5)
            assert not weights[:, :, length:].any()


def test_counts_of_another_model_are_refused(tmp_path):
    tagger = small_tagger("soft_lexicon")
    tagger.word_counts = tagger.word_counts[:-1]
    tagger.save(tmp_path)
    with pytest.raises(ModelFolderError, match=r"word_counts has shape"):
        load_tagger(tmp_path)


@pytest.mark.parametrize(
    ("options", "field"),
    [
        ({"sequence_layer": "transformer", "hidden": 10, "heads": 4}, "hidden"),
        ({"kernel": 2}, "kernel"),
        ({"lexicon_features": "softword", "word_vectors": "words.vec"}, "word_vectors"),
    ],
)
def test_options_that_do_not_fit_are_refused(options, field):
    with pytest.raises(ConfigError, match=field):
        replace(SoftLexiconConfig(), **options)


def test_a_word_of_two_texts_is_where_it_is_in_each():
    tagger = small_tagger("soft_lexicon")
    batch = tagger.collate([Document("a", "清河"), Document("b", "我清河大学")])
    known = tagger.words.vocabulary.rows(["清河"])[0]
    assert sorted((batch.slots[batch.words == known]).tolist()) == [0, 6, 24, 30]
    assert LEXICON.match_characters("清河") == []
