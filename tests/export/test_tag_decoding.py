"""Spans and probabilities by numpy alone are those of the CRF in torch."""

from __future__ import annotations

import json

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from core.export.tag_decoding import TagDecoder
from core.layers import CRF
from core.taggers.sequence.crf_decoding import CrfDecoder

LABELS = ("PER", "B-cell")


def decoders(scheme, constrained, seed, size=2.0):
    """The decoder of the taggers, its CRF, and the one under test."""
    torch.manual_seed(seed)
    expected = CrfDecoder(LABELS, scheme, constrained)
    crf = CRF(len(expected.tags))
    for parameter in crf.parameters():
        torch.nn.init.normal_(parameter, std=size)
    numbers = [
        p.detach().numpy().copy() for p in (crf.transitions, crf.start_transitions, crf.end_transitions)
    ]
    allowed = expected.allowed_steps()
    if allowed is not None:
        numbers[0][~allowed[1:, :-1]] = -np.inf
        numbers[1][~allowed[0, :-1]] = -np.inf
        numbers[2][~allowed[1:, -1]] = -np.inf
    return expected, crf, TagDecoder(expected.tags, *numbers)


@given(
    st.sampled_from(["BMES", "BIOES"]),
    st.booleans(),
    st.integers(0, 10_000),
    st.lists(st.integers(0, 9), min_size=1, max_size=5),
    st.sampled_from([0.5, 3.0, 300.0]),
)
def test_spans_and_scores_are_those_of_the_crf(scheme, constrained, seed, lengths, size):
    expected, crf, decoder = decoders(scheme, constrained, seed)
    emissions = size * torch.randn(len(lengths), max(lengths), len(expected.tags))
    mask = torch.arange(max(lengths)) < torch.tensor(lengths)[:, None]
    wanted = expected.decode(crf, emissions, mask) if max(lengths) else [[] for _ in lengths]
    found = decoder(emissions.numpy(), lengths)
    assert [[span[:3] for span in spans] for spans in found] == [[s.key for s in spans] for spans in wanted]
    for row, spans in zip(found, wanted, strict=True):
        assert [span.score for span in row] == pytest.approx([span.score for span in spans], abs=1e-4)


def test_a_decoder_comes_back_from_json():
    _, _, decoder = decoders("BMES", True, 1)
    decoder = TagDecoder(decoder.tags, decoder.transitions, decoder.start, decoder.end, {"PER": (2.0, -0.5)})
    again = TagDecoder.from_json(json.loads(json.dumps(decoder.to_json())))
    scores = np.random.default_rng(0).normal(size=(3, 8, len(decoder.tags))).astype(np.float32) * 3
    assert again(scores, [8, 5, 1]) == decoder(scores, [8, 5, 1])
    assert any(decoder(scores, [8, 5, 1]))


@pytest.mark.parametrize(
    "value",
    [
        None,
        {},
        {"tags": [], "transitions": [], "start": [], "end": [], "scalings": {}},
        {"tags": ["O"], "transitions": [[0.0, 1.0]], "start": [0], "end": [0], "scalings": {}},
        {"tags": ["O"], "transitions": [["x"]], "start": [0], "end": [0], "scalings": {}},
        {"tags": ["O"], "transitions": [[0]], "start": [float("nan")], "end": [0], "scalings": {}},
        {"tags": ["O"], "transitions": [[0]], "start": [0], "end": [0], "scalings": {"": [0, 1]}},
        {"tags": ["O"], "transitions": [[0], 3], "start": [0], "end": [0], "scalings": {}},
    ],
)
def test_a_malformed_decoder_is_refused(value):
    with pytest.raises(ValueError):
        TagDecoder.from_json(value)
