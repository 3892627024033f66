"""Words from the segments of an HM-LSTM against a count by hand, text by text."""

from collections import Counter

import pytest
import torch

from core.learning.segment_words import SegmentCounts, segments
from core.lexicon.discovery import Thresholds
from core.text import Document
from core.text.units import characters, words_of
from tests.taggers.sequence.test_segments import uneven
from tests.taggers.small_taggers import small_tagger

TEXTS = ["区块链的账本", "他在区块链公司工作", "New York的区块链", "，区块。链", "", "区"]


def by_hand(tagger):
    """How often each piece of text lies between two boundaries of a layer, at most once at a place."""
    counts = Counter()
    for text in filter(None, TEXTS):
        (trace,) = tagger.trace(tagger.collate([Document("", text)]))
        places = set()
        for row in trace.segments.ends:
            begun = 0
            for at in range(len(text)):
                if row[at]:
                    places.add((begun, at + 1))
                    begun = at + 1
        counts.update(text[start:end] for start, end in places)
    return counts


def test_segments_are_counted_once_a_place_whatever_the_batch():
    tagger = uneven(small_tagger("bilstm_crf", cell="hm_lstm", layers=3))
    expected = {
        surface: count
        for surface, count in by_hand(tagger).items()
        if count >= 2
        and 2 <= len(surface) <= 3
        and not set(surface) & set("，。 NewYork")
        and surface != "账本"
    }
    assert expected, "nothing to compare"
    together, apart = SegmentCounts(), SegmentCounts()
    documents = [Document(str(number), text) for number, text in enumerate(TEXTS)]
    together.read(tagger, documents)
    for document in documents:
        apart.read(tagger, [document])
    for counts in (together, apart):
        found = counts.words(Thresholds(count=2, longest=3), {"账本"})
        assert {word.surface: word.count for word in found} == expected
        assert [word.count for word in found] == sorted((word.count for word in found), reverse=True)
    nothing = SegmentCounts()
    nothing.read(small_tagger("bilstm_crf").eval(), documents)
    assert nothing.words(Thresholds(count=2)) == []


@pytest.mark.parametrize(
    ("text", "ends", "expected"),
    [
        ("区块链", [1, 1, 1], []),  # single characters are no candidates
        ("区块链", [0, 1, 1], ["区块"]),
        ("party区块", [0, 0, 0, 0, 1, 0, 1], ["party", "区块"]),
        ("party区块", [0, 1, 0, 0, 0, 0, 1], []),  # both would cut a word
    ],
)
def test_no_segment_cuts_a_word_of_an_alphabet(text, ends, expected):
    assert list(segments(text, characters(text), torch.tensor(ends)[:, None])) == expected


def test_words_as_units_are_counted_in_the_text():
    text = "in New York City"
    ends = torch.tensor([1, 0, 1, 1])[:, None]
    assert list(segments(text, words_of(Document("", text)), ends)) == ["in", "New York", "City"]


def test_punctuation_and_single_words_are_no_candidates():
    counts = SegmentCounts()
    counts._counts.update(
        {"人民，": 5, "，人民": 5, "人，民": 5, "人民": 5, "York": 5, "2024年": 5, "New York": 5}
    )
    found = {word.surface for word in counts.words(Thresholds(count=5, longest=6))}
    assert found == {"人民", "2024年", "New York"}
    assert counts.words(Thresholds(count=6)) == []
