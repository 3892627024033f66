"""What a tagger says about one span, predicted or not."""

import pytest
import torch

from core.inspection.sentence.span_prediction import predict_span, window_around
from core.text import Document, Span
from core.text.overlap import reading_windows
from tests.sweep import sweep
from tests.taggers.small_flat import DOCUMENTS
from tests.taggers.small_taggers import OPTIONS, learned_tagger

TEXT = DOCUMENTS[0].text


@pytest.mark.parametrize("name", sweep(sorted(OPTIONS), ["dictionary", "flat", "mrc"]))
def test_a_predicted_span_has_the_score_of_the_prediction(name):
    tagger = learned_tagger(name)
    with torch.inference_mode():
        spans = tagger.decode(tagger.collate([Document("x", TEXT)]))[0]
    found = predict_span(tagger, TEXT, Span(*spans[0].key))
    assert found.is_predicted
    assert found.is_known
    assert found.span.score == pytest.approx(spans[0].score, abs=1e-5)
    assert found.instead == ()


@pytest.mark.parametrize("name", sweep(sorted(OPTIONS), ["dictionary", "flat", "mrc"]))
def test_of_another_span_it_says_how_likely_it_is_and_what_stands_there(name):
    tagger = learned_tagger(name)
    with torch.inference_mode():
        predicted = tagger.decode(tagger.collate([Document("x", TEXT)]))[0]
    first = predicted[0]
    span = Span(first.start, first.end + 1, first.label)
    assert span.key not in {other.key for other in predicted}
    found = predict_span(tagger, TEXT, span)
    assert not found.is_predicted
    assert first.key in {other.key for other in found.instead}
    if not tagger.has_span_probabilities:
        assert found.span.score is None
        return
    with torch.inference_mode():
        expected = tagger.span_log_probability(tagger.collate([Document("x", TEXT)]), span).exp().item()
    assert found.span.score == pytest.approx(expected, abs=1e-5)
    assert expected < (first.score or 0)


def test_a_label_that_it_never_learned_has_no_probability():
    found = predict_span(learned_tagger("flat"), TEXT, Span(0, 2, "PLANET"))
    assert not found.is_known
    assert found.span.score is None


def test_a_span_beyond_the_text_is_refused():
    with pytest.raises(ValueError, match="leaves a text"):
        predict_span(learned_tagger("flat"), TEXT, Span(0, len(TEXT) + 1, "PER"))


def test_the_window_holds_the_span_in_whole_sentences():
    text = "甲在乙。" * 100
    left, right = window_around(text, 201, 203, 40)
    assert left <= 201
    assert right >= 203
    assert right - left <= 40
    assert text[left:right].startswith("甲")
    assert text[left:right].endswith("。")
    assert window_around("甲在乙。", 0, 1, 40) == (0, 4)


def test_the_window_is_what_the_tagger_reads_at_once():
    text = "甲在乙。" * 30
    windows = [(window.start, window.end) for window in reading_windows(text, usual=9)]
    assert len(windows) == 15
    for start in range(len(text) - 1):
        held = [(left, right) for left, right in windows if left <= start and start + 2 <= right]
        assert not held or window_around(text, start, start + 2, usual=9) == held[0]
    assert window_around(text[:16], 1, 2, usual=9) == (0, 16), "twice as much is read at once"


@pytest.mark.parametrize("start", [0, 5, 33, 47, 95])
def test_the_window_of_a_span_across_a_cut_holds_it_all_the_same(start):
    text = "无标点的长句" * 20
    left, right = window_around(text, start, start + 25, 30)
    assert 0 <= left <= start
    assert start + 25 <= right <= len(text)
    assert right - left <= 30


def test_a_span_longer_than_the_window_is_refused():
    with pytest.raises(ValueError, match="too long, at most 30"):
        window_around("字" * 100, 10, 50, 30)
    with pytest.raises(ValueError, match="leaves a text"):
        window_around("字", 0, 2)
