"""What is no decoder of BERT-MRC is refused; that it decides as the tagger is tested with its graph."""

from __future__ import annotations

import json

import numpy as np
import pytest

from core.export.query_decoding import QueryDecoder

DECODER = QueryDecoder(("ORG", "PER"), [(1.5, 0.25), (1.0, 0.0)], 0.0, 2)


def test_a_decoder_comes_back_from_json():
    assert QueryDecoder.from_json(json.loads(json.dumps(DECODER.to_json()))).to_json() == DECODER.to_json()


def test_starts_meet_the_ends_at_or_after_them_within_the_longest_span():
    scores = np.full((2, 4, 2), -1.0, dtype=np.float32)
    scores[0, [0, 2], 0] = scores[0, :, 1] = 1.0
    scores[1, 3] = 1.0
    starts, ends = np.ones((2, 4), dtype=np.bool_), np.ones((2, 4), dtype=np.bool_)
    ends[0, 1] = False
    assert DECODER.candidates(scores, (starts, ends)).tolist() == [[0, 0, 0], [0, 2, 2], [0, 2, 3], [1, 3, 3]]


def test_a_span_is_kept_if_its_match_is_above_the_bound_with_the_product_of_its_probabilities():
    scores = np.log(np.array([[[3.0, 1.0], [1.0, 1.0]], [[9.0, 1.0], [1.0, 4.0]]], dtype=np.float32))
    pairs = np.array([[0, 0, 0], [1, 0, 1]])
    matches = np.log(np.array([0.5, 4.0], dtype=np.float32))
    ((span,),) = DECODER(scores, pairs, matches, 1)
    assert span.key == (0, 2, "PER")
    assert span.score == pytest.approx(0.9 * 0.8 * 0.8, abs=1e-6)


@pytest.mark.parametrize(
    "value",
    [
        {"labels": []},
        {"labels": ["A"]},
        {"labels": [1, 2]},
        {"scalings": [[1, 0], ["", 0]]},
        {"scalings": [[1, 0], [0, 0]]},
        {"scalings": [[1, 0], [1]]},
        {"bound": float("inf")},
        {"bound": "0"},
        {"longest": -1},
        {"longest": 0.5},
    ],
)
def test_a_malformed_decoder_is_refused(value):
    with pytest.raises(ValueError, match=r"."):
        QueryDecoder.from_json({**DECODER.to_json(), **value})
