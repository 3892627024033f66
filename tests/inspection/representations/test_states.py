"""States of documents, against one document at a time and a mean by hand."""

from __future__ import annotations

import numpy as np
import pytest

from core.inspection.representations.states import character_states, layer_names, piece_states, span_vectors
from core.text import Document
from core.text.overlap import WINDOW, overlapping_windows
from tests.taggers.small_flat import DOCUMENTS
from tests.taggers.small_taggers import small_tagger

LONG = Document("long", "林晚晴在清河大学教书。" * 50)
ALL = (*DOCUMENTS, LONG)


@pytest.fixture(scope="module")
def flat():
    return small_tagger("flat")


def alone(tagger, document, layer):
    """The states of one document read by itself, ``[characters, D]``."""
    found = dict(tagger.layer_states(tagger.collate([document])))
    return found[layer][0, : len(document.text)].numpy()


def test_the_layers_of_a_tagger_have_names(flat):
    assert layer_names(flat) == ["embeddings", "layer 1", "layer 2"]
    assert layer_names(small_tagger("dictionary")) == []


def test_characters_stand_in_the_order_of_the_documents(flat):
    states = character_states(flat, DOCUMENTS)
    at = 0
    for document in DOCUMENTS:
        if document.text:
            for name, rows in states.items():
                own = alone(flat, document, name)
                np.testing.assert_allclose(rows[at : at + len(own)], own, atol=1e-5)
        at += len(document.text)
    assert {len(rows) for rows in states.values()} == {at}


def test_a_long_document_is_read_in_windows_that_are_told_of(flat):
    told = []
    pieces = list(piece_states(flat, ALL, layers=["layer 1"], progress=lambda *done: told.append(done)))
    long = [piece for piece in pieces if piece.document == len(ALL) - 1]
    assert sum(piece.length for piece in long) == len(LONG.text) > WINDOW
    assert len(long) > 1
    assert all(list(piece.layers) == ["layer 1"] for piece in pieces)
    assert told[-1] == (len(pieces), len(pieces))


def test_the_vector_of_a_span_is_the_mean_over_its_characters(flat):
    extents = [[(span.start, span.end) for span in document.spans] for document in DOCUMENTS]
    vectors = span_vectors(flat, DOCUMENTS, extents, "layer 1")
    expected = [
        np.mean([alone(flat, document, "layer 1")[at] for at in range(start, end)], axis=0)
        for document, own in zip(DOCUMENTS, extents, strict=True)
        for start, end in own
    ]
    np.testing.assert_allclose(vectors, expected, atol=1e-5)


def test_a_span_over_the_cut_of_two_windows_has_the_mean_of_both(flat):
    cut = next(piece.start for piece in piece_states(flat, [LONG]) if piece.start)
    vector = span_vectors(flat, [LONG], [[(cut - 1, cut + 2)]], "layer 2")[0]
    states = character_states(flat, [LONG])["layer 2"]
    np.testing.assert_allclose(vector, states[cut - 1 : cut + 2].mean(0), atol=1e-6)


def test_characters_at_a_cut_have_the_states_of_a_window_that_reads_on_beyond_it(flat):
    first, second = overlapping_windows(LONG.text)[:2]
    states = character_states(flat, [LONG])["layer 2"]
    for window, at in ((first, first.last - 1), (second, second.first)):
        assert window.start < at < window.end - 1
        own = alone(flat, Document("w", LONG.text[window.start : window.end]), "layer 2")
        np.testing.assert_allclose(states[at], own[at - window.start], atol=1e-5)


def test_a_layer_that_is_not_there_is_refused(flat):
    with pytest.raises(KeyError, match="layer 9"):
        span_vectors(flat, DOCUMENTS, [[] for _ in DOCUMENTS], "layer 9")


def test_nothing_to_read_gives_no_vectors(flat):
    assert span_vectors(flat, [Document("e", "")], [[]], "layer 1").shape == (0, 0)
