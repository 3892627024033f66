"""The segments of taggers that read with an HM-LSTM, and of no others."""

import numpy as np
import pytest
import torch

from core.layers.recurrent.bidirectional import Bidirectional
from core.taggers.sequence.segments import has_segments
from core.text import Document
from tests.taggers.small_flat import WITH_TEXT
from tests.taggers.small_taggers import SMALL_TOP, small_tagger

MULTISCALE = [
    ("bilstm_crf", {"cell": "hm_lstm", "layers": 3}),
    ("bilstm_crf", {"cell": "hm_lstm", "layers": 3, "unit": "word"}),
    ("bert", {"top": "hm_lstm", "top_layers": 3, **SMALL_TOP}),
    ("span", {"over_options": '{"hidden": 24, "cell": "hm_lstm", "layers": 3}'}),
]


def uneven(tagger):
    """Weights so far from 0 that boundaries differ from unit to unit."""
    torch.manual_seed(3)
    with torch.no_grad():
        for module in tagger.modules():
            if isinstance(module, Bidirectional):
                for parameter in module.parameters():
                    parameter.normal_(0, 1.0)
    return tagger.eval()


@pytest.mark.parametrize(("name", "options"), MULTISCALE)
def test_a_trace_has_the_segments_of_every_layer_in_both_directions(name, options):
    tagger = uneven(small_tagger(name, **options))
    assert has_segments(tagger)
    together = tagger.trace(tagger.collate(WITH_TEXT))
    for document, trace in zip(WITH_TEXT, together, strict=True):
        assert trace.segments.ends.shape == (4, len(trace.tokens))
        assert trace.segments.ends[:, -1].all()
        (alone,) = tagger.trace(tagger.collate([document]))
        np.testing.assert_array_equal(alone.segments.ends, trace.segments.ends)
    assert len({row.tobytes() for trace in together for row in trace.segments.ends}) > 4
    halves = together[0].segments
    assert np.array_equal(np.concatenate([halves.forwards, halves.backwards]), halves.ends)


@pytest.mark.parametrize(
    ("name", "options"),
    [("bilstm_crf", {}), ("bilstm_crf", {"cell": "grid_lstm"}), ("flat", {}), ("span", {})],
)
def test_others_have_none(name, options):
    tagger = small_tagger(name, **options).eval()
    assert not has_segments(tagger)
    assert tagger.trace(tagger.collate([Document("", "北京")]))[0].segments is None


def test_an_empty_text_has_no_segments():
    tagger = uneven(small_tagger("bilstm_crf", cell="hm_lstm", layers=2))
    assert tagger.trace(tagger.collate([Document("", "")]))[0].segments is None
