"""The threshold of the span tagger is the one with the best F1 on documents that were not trained on."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core.export.decoder_of import span_decoder_of
from core.taggers.base.calibration import Calibration, log_odds
from core.taggers.base.model_folder import load_tagger
from core.taggers.base.tagging import tag
from core.taggers.span.decoding import Candidate, nested
from core.taggers.span.threshold import THRESHOLDS, HeldOut, best_threshold
from core.text.annotated_regions import REGIONS
from core.text.scoring import score_documents
from tests.taggers.small_flat import WITH_TEXT, train
from tests.taggers.small_taggers import small_tagger

HELD_OUT = [replace(document, id=f"{number} {document.id}") for number in range(40) for document in WITH_TEXT]


def f1(tagger):
    return score_documents(HELD_OUT, tag(tagger, [each.with_spans(()) for each in HELD_OUT])).micro.f1


@pytest.mark.parametrize("decoding", ["nested", "learned", "flat"])
def test_no_other_threshold_has_a_better_f1(decoding):
    tagger = train(small_tagger("span", decoding=decoding), WITH_TEXT, 30)  # it still gets much wrong
    tagger.calibrate([tagger.collate(HELD_OUT[:50]), tagger.collate(HELD_OUT[50:])])
    assert tagger.threshold in THRESHOLDS
    reached = f1(tagger)
    config = tagger.config
    others = {}
    for threshold in THRESHOLDS:
        tagger.config = replace(config, threshold=threshold)
        others[threshold] = f1(tagger)
    tagger.config = config
    assert reached == pytest.approx(max(others.values()), abs=1e-12)
    assert tagger.threshold == max(each for each, value in others.items() if value == reached)
    tagger.calibration = replace(tagger.calibration, threshold=0.0)
    assert reached > f1(tagger)  # than that of all scores above 0


def test_it_is_saved_exported_and_stays_behind_the_option(tmp_path):
    tagger = train(small_tagger("span"), WITH_TEXT, 30)
    tagger.calibration = Calibration(threshold=0.35)
    tagger.save(tmp_path / "model")
    loaded = load_tagger(tmp_path / "model")
    assert loaded.threshold == 0.35
    assert span_decoder_of(loaded).thresholds == pytest.approx((0.35,) * len(loaded.labels))
    loaded.config = replace(loaded.config, threshold=0.6)
    assert loaded.threshold == 0.6


@pytest.mark.parametrize(("spans", "chosen"), [(99, 0.0), (100, 0.4)])
def test_few_spans_choose_none(spans, chosen):
    """All gold spans have a probability of 0.42; one that is wrong 0.38."""
    right, wrong = Candidate(0, 1, 0, log_odds(0.42)), Candidate(1, 2, 0, log_odds(0.38))
    documents = [HeldOut([right, wrong], frozenset({(0, 1, 0)}))] * spans
    assert best_threshold(documents, Calibration(), ["PER"], nested) == chosen


def test_a_score_above_0_stays_the_rule_where_no_threshold_does_better():
    right, wrong = Candidate(0, 1, 0, 0.1), Candidate(1, 2, 0, -0.1)
    documents = [HeldOut([right, wrong], frozenset({(0, 1, 0)}))] * 100
    assert best_threshold(documents, Calibration(), ["PER"], nested) == 0.0


def test_what_nobody_has_judged_counts_neither_way():
    """Outside its annotated regions a document says nothing: the choice is that of the regions alone."""
    tagger = train(small_tagger("span"), WITH_TEXT, 30)
    none = [replace(document, spans=(), meta={REGIONS: []}) for document in HELD_OUT]
    tagger.calibrate([tagger.collate(HELD_OUT)])
    expected = tagger.threshold
    tagger.calibrate([tagger.collate(HELD_OUT), tagger.collate(none)])
    assert tagger.threshold == expected > 0
