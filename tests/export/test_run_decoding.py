"""Runs of words or characters by numpy alone are those of the PU tagger in torch."""

from __future__ import annotations

import json

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from core.export.run_decoding import RunDecoder
from core.layers.unit_mean import unit_mean, unit_shares
from core.lexicon.segmentation import word_numbers
from core.taggers.base.calibration import Calibration, Scaling
from core.taggers.pu.type_runs import read_runs

LABELS = ("ORG", "PER")
SCALINGS = [(1.5, 0.25), (0.5, -1.0)]
CALIBRATION = Calibration(own={label: Scaling(*pair) for label, pair in zip(LABELS, SCALINGS, strict=True)})
TEXT = "林晚晴没去 New York，她在清河大学教书"


def by_torch(scores, text, unit):
    numbers = word_numbers(text) if unit == "words" else list(range(len(text)))
    units = torch.tensor([numbers], dtype=torch.long).view(1, len(text))
    means = unit_mean(torch.from_numpy(scores)[None], units)
    return CALIBRATION.scaled(read_runs(means[0], LABELS, unit_shares(units)[0]))


@given(
    st.integers(0, 10_000),
    st.lists(st.integers(0, len(TEXT)), min_size=1, max_size=4),
    st.sampled_from(["words", "characters"]),
    st.sampled_from([0.5, 3.0, 300.0]),
)
def test_spans_and_scores_are_those_of_the_tagger(seed, lengths, unit, size):
    texts = [TEXT[:length] for length in lengths]
    scores = np.random.default_rng(seed).normal(size=(len(texts), len(TEXT), 2)).astype(np.float32) * size
    for spans, row, text in zip(
        RunDecoder(LABELS, SCALINGS, unit)(scores, texts), scores, texts, strict=True
    ):
        wanted = by_torch(row[: len(text)], text, unit)
        assert [span.key for span in spans] == [span.key for span in wanted]
        assert [span.score for span in spans] == pytest.approx([span.score for span in wanted], abs=1e-4)


def test_a_decoder_comes_back_from_json():
    decoder = RunDecoder(LABELS, SCALINGS, "words")
    again = RunDecoder.from_json(json.loads(json.dumps(decoder.to_json())))
    assert again.to_json() == decoder.to_json()


@pytest.mark.parametrize(
    "value",
    [
        {"labels": []},
        {"labels": ["A"]},
        {"labels": [1, 2]},
        {"scalings": [[1, 0], ["", 0]]},
        {"scalings": [[1, 0], [0, 0]]},
        {"scalings": [[1, 0], [1, float("nan")]]},
        {"scalings": [[1, 0], [1]]},
        {"unit": "letters"},
        {"unit": None},
    ],
)
def test_a_malformed_decoder_is_refused(value):
    with pytest.raises(ValueError, match=r"."):
        RunDecoder.from_json({**RunDecoder(LABELS, SCALINGS, "words").to_json(), **value})
