"""A trace carries the vectors behind its attention, cut to the pieces of its own sentence."""

import numpy as np
import pytest

from core.text import Document
from tests.taggers.small_taggers import small_tagger


@pytest.mark.parametrize("options", [{}, {"encoder_window": 16}])
def test_the_vectors_of_a_trace_make_its_attention(options):
    tagger = small_tagger("bert", **options).eval()
    long = Document("long", "林晚晴在清河大学教书。" * 3)
    for trace in tagger.trace(tagger.collate([Document("short", "林晚晴"), long])):
        found = trace.query_key
        for query, key, weights in zip(found.queries, found.keys, trace.attention, strict=True):
            assert query.shape == key.shape == (2, len(trace.pieces.pieces), query.shape[2])
            scores = np.exp(query @ key.swapaxes(1, 2) / np.sqrt(query.shape[2]))
            np.testing.assert_allclose(scores / scores.sum(-1, keepdims=True), weights, atol=1e-5)


def test_relative_attention_has_no_such_vectors():
    flat = small_tagger("flat").eval()
    (trace,) = flat.trace(flat.collate([Document("a", "林晚晴在清河")]))
    assert trace.attention
    assert trace.query_key is None
