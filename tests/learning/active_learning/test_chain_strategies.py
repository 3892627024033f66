"""Doubt under the CRF, against every path written out."""

import math
from concurrent.futures import CancelledError

import pytest

from core.learning.active_learning.acquisition import MissingForAcquisition, Pool
from core.learning.active_learning.boundary import BoundaryUncertainty
from core.learning.active_learning.least_confident import LeastConfident
from core.learning.active_learning.mnlp import Mnlp
from core.learning.active_learning.rare_label import RareLabel, rarity
from core.learning.active_learning.viterbi_gap import ViterbiGap
from core.text import Document, Span
from tests.learning.active_learning.chain_oracle import (
    DOCUMENTS,
    covering_probability,
    legal_paths,
    span_probability,
    steep_tagger,
)
from tests.taggers.small_taggers import small_tagger

SEEDS = [0, 1, 2, 3]
QUIET = lambda share: None  # noqa: E731


@pytest.mark.parametrize("seed", SEEDS)
def test_mnlp_is_the_log_probability_of_the_best_path_by_the_length(seed):
    tagger = steep_tagger(seed)
    found = Mnlp().score(Pool(DOCUMENTS, tagger=tagger), QUIET)
    for document, score in zip(DOCUMENTS[:3], found, strict=False):
        best = legal_paths(tagger, document)[0]
        assert score == pytest.approx(math.log(best.probability) / len(document.text), abs=1e-5)
    assert found[3] is None, "an empty text has nothing to doubt"


@pytest.mark.parametrize("seed", SEEDS)
def test_the_viterbi_gap_is_that_of_the_two_best_paths(seed):
    tagger = steep_tagger(seed)
    found = ViterbiGap().score(Pool(DOCUMENTS, tagger=tagger), QUIET)
    for document, score in zip(DOCUMENTS[:3], found, strict=False):
        first, second = legal_paths(tagger, document)[:2]
        assert score == pytest.approx(math.log(first.probability / second.probability), abs=1e-4)
    assert found[3] is None


@pytest.mark.parametrize("seed", SEEDS)
def test_least_confident_is_the_lowest_marginal_of_a_span_on_the_best_path(seed):
    tagger = steep_tagger(seed)
    found = LeastConfident().score(Pool(DOCUMENTS, tagger=tagger), QUIET)
    for document, score in zip(DOCUMENTS[:3], found, strict=False):
        paths = legal_paths(tagger, document)
        marginals = [span_probability(paths, Span(*span)) for span in paths[0].spans]
        assert score == pytest.approx(min(marginals, default=1.0), abs=1e-5)
    assert found[3] == 1.0


@pytest.mark.parametrize("seed", SEEDS)
def test_boundary_doubt_is_another_span_of_that_label_over_the_surest_character(seed):
    tagger = steep_tagger(seed)
    found = BoundaryUncertainty().score(Pool(DOCUMENTS, tagger=tagger), QUIET)
    for document, score in zip(DOCUMENTS[:3], found, strict=False):
        paths = legal_paths(tagger, document)
        doubts = [0.0]
        for start, end, label in paths[0].spans:
            sure = max(covering_probability(paths, place, label) for place in range(start, end))
            doubts.append(sure - span_probability(paths, Span(start, end, label)))
        assert score == pytest.approx(max(doubts), abs=1e-5)


def test_those_taggers_do_have_doubts_about_boundaries():
    found = [BoundaryUncertainty().score(Pool(DOCUMENTS, tagger=steep_tagger(seed)), QUIET) for seed in SEEDS]
    assert max(score for scores in found for score in scores[:3]) > 0.05


@pytest.mark.parametrize("seed", SEEDS)
def test_rare_label_weighs_the_chance_of_a_label_by_how_rare_it_is(seed):
    tagger = steep_tagger(seed)
    labelled = [Document("x", "甲乙丙丁", (Span(0, 1, "PER"), Span(1, 2, "PER"), Span(2, 3, "LOC")))]
    # N = 3: PER log(4 / 3), LOC log(4 / 2), ORG, which nobody has used, log(4 / 1)
    weights = {"PER": math.log(4 / 3), "LOC": math.log(2), "ORG": math.log(4)}
    found = RareLabel().score(Pool(DOCUMENTS, labelled, tagger), QUIET)
    for document, score in zip(DOCUMENTS[:3], found, strict=False):
        paths = legal_paths(tagger, document)
        likely = {
            label: max(covering_probability(paths, place, label) for place in range(len(document.text)))
            for label in weights
        }
        assert score == pytest.approx(sum(weights[label] * likely[label] for label in weights), abs=1e-4)
    assert found[3] == 0.0


def test_rare_label_reads_predicted_spans_of_a_tagger_without_a_chain():
    labelled = [Document("x", "甲乙", (Span(0, 1, "PER"),))]
    said = [[Span(0, 2, "ORG", 0.5), Span(3, 4, "ORG", 0.25), Span(2, 3, "PER", 0.5)], []]
    pool = Pool([Document("1", "甲乙丙丁"), Document("2", "戊")], labelled, predicted=said)
    found = RareLabel().score(pool, QUIET)
    assert found == [pytest.approx(0.5 * math.log(2 / 1)), 0.0]
    assert rarity("PER", {"PER": 1}) == 0.0


def test_long_texts_go_through_in_pieces_that_are_joined():
    tagger = steep_tagger()
    text = "林晚晴在清河大学教书。" * 60
    likely, gap = (
        strategy.score(Pool([Document("long", text)], tagger=tagger), QUIET)[0]
        for strategy in (Mnlp(), ViterbiGap())
    )
    assert likely < 0
    assert gap >= 0


def test_the_tagger_is_as_it_was_afterwards():
    tagger = steep_tagger().train()
    Mnlp().score(Pool(DOCUMENTS, tagger=tagger), QUIET)
    assert tagger.training
    assert all(parameter.grad is None for parameter in tagger.parameters())


@pytest.mark.parametrize("strategy", [Mnlp(), ViterbiGap(), BoundaryUncertainty()])
def test_without_a_chain_the_strategy_says_so(strategy):
    with pytest.raises(MissingForAcquisition, match="CRF or a softmax") as caught:
        strategy.score(Pool(DOCUMENTS, tagger=small_tagger("dictionary")), QUIET)
    assert caught.value.need == "chain"
    with pytest.raises(MissingForAcquisition, match="train one first"):
        strategy.score(Pool(DOCUMENTS), QUIET)


def test_rare_label_needs_something_labelled():
    with pytest.raises(MissingForAcquisition, match="label some first"):
        RareLabel().score(Pool(DOCUMENTS, tagger=steep_tagger()), QUIET)


def test_scoring_can_be_stopped_and_tells_how_far_it_is():
    told = []

    def stop(share):
        told.append(share)
        raise CancelledError

    with pytest.raises(CancelledError):
        Mnlp().score(Pool(DOCUMENTS, tagger=steep_tagger()), stop)
    assert len(told) == 1
    assert 0 < told[0] <= 1
