"""The panel of an HM-LSTM's segments."""

import numpy as np

from app.inspect.panel import Look
from app.inspect.sentence import segments
from core.taggers.base.trace import SegmentTrace, Trace

TEXT = "我们研究<b>"
ENDS = np.array([[0, 1, 0, 1, 0, 0, 1], [0, 0, 1, 0, 0, 0, 1]], dtype=bool)


def test_it_draws_a_strip_for_every_layer_and_for_the_words(session):
    trace = Trace(TEXT, tuple(TEXT), (), "bilstm_crf", segments=SegmentTrace(ENDS))
    assert segments.has(trace)
    assert not segments.has(Trace(TEXT, tuple(TEXT), (), "flat"))
    shown = segments.draw(session, Look("bilstm-0001", trace))
    strips = shown["figure"].data
    assert len(strips) == 4
    assert list(strips[0].customdata) == ["我们", "研究", "&lt;b&gt;"]
    assert (list(strips[0].base), list(strips[0].x)) == ([-0.5, 1.5, 3.5], [2, 2, 3])
    assert shown["figure"].layout.yaxis.ticktext[0] == "forwards, layer 1"
    assert "forwards, layer 1: 2, of which 2 are where a word of jieba ends" in shown["shared"]
    session.language = "zh"
    assert "jieba" in segments.draw(session, Look("bilstm-0001", trace))["shared"]
