"""LR-CNN as a tagger: what it reads, what a word does to it, what it says about words."""

import numpy as np
import pytest
import torch

from core.lexicon import Lattice, Lexicon
from core.text import Document
from tests.layers.lexicon_cnn_oracle import naive
from tests.taggers.small_flat import DOCUMENTS, LEXICON, train
from tests.taggers.small_taggers import small_tagger

SENTENCE = Document("s", "昨天林晚晴在清河大学教书")


@pytest.fixture(scope="module")
def learned():
    return train(small_tagger("lr_cnn", layers=4), DOCUMENTS, 60)


def test_emissions_are_those_of_the_equations_over_the_matched_words():
    tagger = small_tagger("lr_cnn").double().eval()
    batch = tagger.collate([DOCUMENTS[1], SENTENCE])
    emissions = tagger.emissions(batch)
    for row, document in enumerate(batch.documents):
        words = [word for word in Lattice.of(document.text, LEXICON).words if len(word.word) <= 3]
        assert words
        rows = torch.tensor(tagger.words.vocabulary.rows([word.word for word in words]))
        x = tagger.input_vectors(batch)[row, : len(document.text)]
        places = [(word.head, word.tail) for word in words]
        hidden, _, _ = naive(tagger.cnn, x, places, tagger.words(rows))
        torch.testing.assert_close(emissions[row, : len(document.text)], tagger.emission(hidden))


def test_words_without_a_layer_are_left_out():
    tagger = small_tagger("lr_cnn", layers=3)
    trace = tagger.trace(tagger.collate([SENTENCE]))[0]
    assert "清河大学" in Lattice.of(SENTENCE.text, LEXICON).nodes
    assert "清河大学" not in trace.lattice.nodes
    assert "清河大学" not in tagger.words.vocabulary.tokens
    assert "清河大学" in small_tagger("lr_cnn", layers=4).words.vocabulary.tokens
    assert small_tagger("lr_cnn", layers=4, longest_word=2).lattice(SENTENCE) == Lattice.of(
        SENTENCE.text, LEXICON, 2
    )


def test_a_word_added_to_the_lexicon_acts_at_once(learned):
    before = learned.emissions(learned.collate([SENTENCE]))[0]
    learned.lexicon = LEXICON.with_words(["晚晴"])
    try:
        after = learned.emissions(learned.collate([SENTENCE]))[0]
    finally:
        learned.lexicon = LEXICON
    # Only the features where it begins and where it ends take it in: others are fixed widths away.
    assert ((before - after).abs().amax(1) > 1e-6).tolist() == [index in (3, 4) for index in range(12)]
    assert torch.equal(learned.emissions(learned.collate([SENTENCE]))[0], before)


def test_without_a_lexicon_it_is_a_cnn_over_characters():
    tagger = small_tagger("lr_cnn", use_lexicon=False)
    emptied = small_tagger("lr_cnn", lexicon=Lexicon())
    emptied.load_state_dict(tagger.state_dict())
    given = emptied.eval().emissions(emptied.collate(DOCUMENTS))
    assert torch.equal(given, tagger.eval().emissions(tagger.collate(DOCUMENTS)))


def test_the_trace_has_the_lattice_the_shares_of_words_and_the_weights_of_layers(learned):
    traces = learned.trace(learned.collate([*DOCUMENTS, SENTENCE]))
    for document, trace in zip([*DOCUMENTS, SENTENCE], traces, strict=True):
        lattice = Lattice.of(document.text, LEXICON)
        assert trace.lattice.nodes == lattice.nodes
        assert trace.word_shares.shape == (len(lattice.words), 2)
        assert ((trace.word_shares > 0) & (trace.word_shares < 1)).all()
        if document.text:
            assert trace.mixes[0].weights.shape == (len(document.text), 4)
            np.testing.assert_allclose(trace.mixes[0].weights.sum(1), 1.0, atol=1e-5)
    (alone,) = learned.trace(learned.collate([SENTENCE]))
    np.testing.assert_allclose(alone.word_shares, traces[-1].word_shares, atol=1e-5)
