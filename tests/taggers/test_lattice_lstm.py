"""Lattice LSTM as a tagger: what it reads, what a word does to it, what it says about words."""

import numpy as np
import pytest
import torch

from core.lexicon import Lattice, Lexicon
from core.text import Document
from tests.layers.lattice_lstm.lattice_lstm_oracle import states
from tests.taggers.small_flat import DOCUMENTS, LEXICON, train
from tests.taggers.small_taggers import small_tagger

SENTENCE = Document("s", "昨天林晚晴在清河大学教书")


@pytest.fixture(scope="module")
def learned():
    return train(small_tagger("lattice_lstm"), DOCUMENTS, 60)


def test_emissions_are_those_of_the_equations_over_the_matched_words():
    tagger = small_tagger("lattice_lstm").double().eval()
    batch = tagger.collate([DOCUMENTS[1], SENTENCE])
    emissions = tagger.emissions(batch)
    for row, document in enumerate(batch.documents):
        words = Lattice.of(document.text, LEXICON).words
        assert words
        rows = torch.tensor(tagger.words.vocabulary.rows([word.word for word in words]))
        x = tagger.input_vectors(batch)[row, : len(document.text)]
        places = [(word.head, word.tail) for word in words]
        hidden, _ = states(tagger.lstm, x, places, tagger.words(rows))
        torch.testing.assert_close(emissions[row, : len(document.text)], tagger.emission(hidden))


def test_a_word_added_to_the_lexicon_acts_at_once(learned):
    before = learned.emissions(learned.collate([SENTENCE]))[0]
    learned.lexicon = LEXICON.with_words(["晚晴"])
    try:
        after = learned.emissions(learned.collate([SENTENCE]))[0]
        assert learned.trace(learned.collate([SENTENCE]))[0].word_shares.shape == (6, 2)
    finally:
        learned.lexicon = LEXICON
    # Forward it reaches its last character and what follows, backward its first and what comes before.
    assert bool(((before - after).abs().amax(1) > 1e-6).all())
    assert torch.equal(learned.emissions(learned.collate([SENTENCE]))[0], before)


def test_without_a_lexicon_it_is_an_lstm_over_characters():
    tagger = small_tagger("lattice_lstm", use_lexicon=False)
    batch = tagger.collate(DOCUMENTS)
    assert batch.words.shape == (0,)
    emptied = small_tagger("lattice_lstm", lexicon=Lexicon())
    emptied.load_state_dict(tagger.state_dict())
    given = emptied.eval().emissions(emptied.collate(DOCUMENTS))
    assert torch.equal(given, tagger.eval().emissions(batch))


def test_the_trace_has_the_lattice_and_a_share_for_each_word(learned):
    traces = learned.trace(learned.collate([*DOCUMENTS, SENTENCE]))
    for document, trace in zip([*DOCUMENTS, SENTENCE], traces, strict=True):
        lattice = Lattice.of(document.text, LEXICON)
        assert trace.lattice.nodes == lattice.nodes
        assert trace.word_shares.shape == (len(lattice.words), 2)
        assert ((trace.word_shares > 0) & (trace.word_shares < 1)).all()
    (alone,) = learned.trace(learned.collate([SENTENCE]))
    np.testing.assert_allclose(alone.word_shares, traces[-1].word_shares, atol=1e-5)
    assert alone.word_shares.tolist() != [[0.5, 0.5]] * len(alone.word_shares)


def test_a_long_word_can_be_left_out():
    tagger = small_tagger("lattice_lstm", longest_word=2)
    assert "清河大学" not in tagger.trace(tagger.collate([SENTENCE]))[0].lattice.nodes
    assert len(tagger.collate([SENTENCE]).words) == 4
