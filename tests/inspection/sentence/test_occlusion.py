"""Making characters illegible says what the prediction becomes without them."""

import pytest

from core.inspection.sentence.occlusion import UNKNOWN, occlude, unknown_character
from core.taggers.base.tagging import tag
from core.text import Document, Span
from tests.sweep import sweep
from tests.taggers.small_flat import DOCUMENTS, WITH_TEXT, train
from tests.taggers.small_taggers import OPTIONS, learned_tagger, small_tagger
from tests.taggers.tiny_bert import tiny_bert

TEXT = DOCUMENTS[0].text


@pytest.mark.parametrize("name", sweep(sorted(OPTIONS), ["flat", "bert"]))
def test_each_row_is_what_the_tagger_says_of_the_text_with_a_gap(name):
    tagger = learned_tagger(name)
    span = tag(tagger, [Document("x", TEXT)])[0].spans[0]
    rows, unknown = occlude(tagger, TEXT, span), unknown_character(tagger)
    places = [(start, start + width) for width in (1, 2) for start in range(len(TEXT) - width + 1)]
    assert [(row.start, row.end) for row in rows] == places
    assert any(not row.kept or abs(row.change) > 0.01 for row in rows), "it needs some of its characters"
    for row in rows[::3]:
        gap = TEXT[: row.start] + unknown * (row.end - row.start) + TEXT[row.end :]
        after = tag(tagger, [Document("x", gap)])[0].spans
        same = [other for other in after if other.key == span.key]
        assert row.kept == bool(same)
        assert (row.becomes is None) == (not any(other.overlaps(span) for other in after))
        if same:
            assert row.change == pytest.approx(same[0].score - span.score, abs=1e-4)
        elif tagger.has_span_probabilities:
            assert 0.0 <= row.probability <= 1.0


def test_a_nested_span_that_is_lost_does_not_become_one_that_was_predicted_beside_it_before():
    tagger = train(small_tagger("span", decoding="nested", embedding_dropout=0.0), WITH_TEXT, 120)
    before = tag(tagger, [Document("x", TEXT)])[0].spans
    outer = next(span for span in before if span.label == "ORG")
    beside = {span.key for span in before} - {outer.key}
    alone, rows = occlude(tagger, TEXT, outer), occlude(tagger, TEXT, outer, before=before)
    told = [row for row in alone if row.becomes is not None and row.becomes.key in beside]
    assert told, "the inner one is still predicted where the outer one is lost"
    for row, same in zip(alone, rows, strict=True):
        assert (row.kept, row.probability) == (same.kept, same.probability)
        assert same.becomes is None or same.becomes.key not in beside


def test_wider_gaps_can_be_asked_for_and_a_short_text_has_none():
    tagger = train(small_tagger("bilstm_crf"), WITH_TEXT, 10)
    assert [(r.start, r.end) for r in occlude(tagger, "清河", Span(0, 2, "LOC", 0.5), widths=(2, 3))] == [
        (0, 2)
    ]


def test_the_sign_of_a_gap_is_none_of_the_characters_the_tagger_knows():
    documents = [Document("1", "〓清河")]
    assert unknown_character(small_tagger("bilstm_crf", documents=documents)) == UNKNOWN[1]
    assert unknown_character(small_tagger("bilstm_crf")) == UNKNOWN[0]
    assert unknown_character(small_tagger("dictionary")) == UNKNOWN[0]
    every = [Document("1", "".join(UNKNOWN))]
    assert unknown_character(small_tagger("bilstm_crf", documents=every)) == UNKNOWN[0]


@pytest.mark.parametrize("name", ["bert", "mrc", "flat"])
def test_nor_a_piece_of_its_transformer(name):
    """Chinese BERT's vocabulary holds the geta mark: what a model knows makes nothing illegible."""
    assert unknown_character(small_tagger(name, encoder=tiny_bert())) == UNKNOWN[0]
    assert unknown_character(small_tagger(name, encoder=tiny_bert(more="〓"))) == UNKNOWN[1]
