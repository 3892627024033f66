"""The segmentations of a sentence, beside those of jieba and of a dictionary."""

import numpy as np

from core.inspection.sentence.segments_view import segments_view
from core.lexicon import Lexicon
from core.lexicon.segmentation import word_lengths
from core.taggers.base.trace import SegmentTrace, Trace
from core.text import Document
from core.text.units import words_of

TEXT = "我们研究生命"


def rows_of(ends, text=TEXT, lexicon=(), **more):
    trace = Trace(
        text, tuple(text), (), "bilstm_crf", segments=SegmentTrace(np.array(ends, dtype=bool)), **more
    )
    return segments_view(trace, Lexicon(lexicon)).rows


def test_each_row_cuts_the_sentence_where_its_boundaries_are():
    assert word_lengths(TEXT) == (2, 2, 2)
    rows = rows_of([[0, 1, 0, 0, 1, 1], [0, 0, 0, 1, 0, 1]], lexicon=["研究生"])
    assert [(row.source, row.layer) for row in rows] == [
        ("forwards", 1), ("backwards", 1), ("jieba", 0), ("dictionary", 0),
    ]  # fmt: skip
    assert [row.segments for row in rows] == [
        [(0, 2), (2, 5), (5, 6)],
        [(0, 4), (4, 6)],
        [(0, 2), (2, 4), (4, 6)],
        [(0, 1), (1, 2), (2, 5), (5, 6)],
    ]
    assert [(row.boundaries, row.shared) for row in rows] == [(2, 1), (1, 1), (2, 2), (3, 1)]


def test_words_end_at_the_unit_before_a_blank():
    text = "in New York"
    units = words_of(Document("", text))
    trace = Trace(
        text, units.surfaces(text), (), "bilstm_crf",
        units=units, segments=SegmentTrace(np.array([[0, 0, 1], [1, 0, 1]], dtype=bool)),
    )  # fmt: skip
    forwards, _backwards, jieba, dictionary = segments_view(trace, Lexicon(["New York"])).rows
    assert forwards.segments == [(0, 3)]
    assert jieba.segments == [(0, 1), (1, 2), (2, 3)]
    assert dictionary.segments == [(0, 1), (1, 3)]


def test_a_sentence_of_one_character_has_no_boundary_inside():
    assert [(row.segments, row.boundaries) for row in rows_of([[1], [1]], "我")] == [([(0, 1)], 0)] * 4
