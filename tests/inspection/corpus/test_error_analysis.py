"""The error analysis of a small corpus, counted by hand."""

from types import SimpleNamespace

import numpy as np
import pytest

from core.inspection.corpus.error_analysis import SLICES, ErrorAnalysis, Judged
from core.inspection.corpus.errors import BOUNDARIES
from core.inspection.corpus.slices import TrainingSurfaces
from core.lexicon import Lexicon
from core.text import Document, Span

TEXT = "陈禾在岭南市工作"


def labelled(number, gold, predicted, split="dev"):
    document = Document(str(number), TEXT, tuple(gold))
    return SimpleNamespace(document_id=number, document=document, split=split, predicted=predicted)


PER, LOC = Span(0, 2, "PER"), Span(3, 6, "LOC")
CORPUS = (
    labelled(1, [PER, LOC], (Span(0, 2, "PER", 0.9), Span(3, 5, "LOC", 0.4))),
    labelled(2, [PER], (Span(0, 2, "LOC", 0.95), Span(6, 8, "LOC"))),
    labelled(3, [LOC], None),
    labelled(4, [PER], (Span(0, 2, "LOC", 0.97),), split="none"),
    labelled(5, [PER], (Span(0, 2, "PER", 0.5),), split="test"),
)


def analysis_of(*parts):
    seen = TrainingSurfaces([Document("t", TEXT, (PER,))])
    return ErrorAnalysis("flat-0001", parts, CORPUS, ("PER", "LOC"), seen, Lexicon(["岭南市"]))


def test_documents_in_view_are_those_of_the_parts_and_the_unread_ones_are_counted_apart():
    judged = analysis_of("dev").judged
    assert list(judged.ids) == [1, 2]
    assert (judged.unpredicted, judged.labelled) == ([3], 3)
    assert list(analysis_of("dev", "test").judged.ids) == [1, 2, 5]
    assert list(analysis_of("dev").training.ids) == [4]


def test_scores_mistakes_and_cells_are_those_of_the_cases():
    analysis = analysis_of("dev")
    kinds = [case.kind for case in analysis.judged.cases]
    assert kinds == ["correct", "boundary", "label", "spurious"]
    assert analysis.judged.mistakes == [1, 2, 3]
    assert (analysis.score.gold, analysis.score.predicted, analysis.score.correct) == (3, 4, 1)
    np.testing.assert_array_equal(analysis.confusion, [[1, 1, 0], [0, 1, 0], [0, 1, 0]])
    for row in range(3):
        for column in range(3):
            assert len(analysis.cell(row, column)) == analysis.confusion[row, column]
    assert analysis.cell(0, 1) == [2]


def test_boundary_errors_stand_by_what_is_wrong_and_whether_the_label_is_right():
    found = dict(zip(BOUNDARIES, analysis_of("dev").boundaries, strict=True))
    assert found.pop(("right", "short")) == ((1,), ())
    assert all(cases == ((), ()) for cases in found.values())


def test_the_scored_cases_are_in_the_order_of_their_bins():
    analysis = analysis_of("dev")
    assert analysis.scored.tolist() == [0, 1, 2]
    assert analysis.calibration.bins.tolist() == [8, 3, 9]
    assert np.nansum(analysis.calibration.accuracy) == 1.0


def test_every_slice_counts_every_span_of_either_side_once():
    analysis = analysis_of("dev")
    assert analysis.slices.keys() == SLICES.keys()
    for slices in analysis.slices.values():
        assert sum(score.gold for score in slices.scores) == 3
        assert sum(score.predicted for score in slices.scores) == 4
        assert sum(score.correct for score in slices.scores) == 1
    novelty = analysis.slices["novelty"].scores
    assert [score.gold for score in novelty] == [1, 0, 2]  # 岭南市 is unseen, 陈禾 was labelled so
    assert [score.gold for score in analysis.slices["lexicon"].scores] == [1, 2]


@pytest.mark.parametrize(("threshold", "found"), [(0.9, [0]), (0.98, [])])
def test_the_training_labels_a_run_is_sure_are_otherwise(threshold, found):
    assert analysis_of("dev").confident_against(threshold) == found


def test_contradictions_are_found_over_all_parts_and_kept_by_window():
    analysis = analysis_of("dev")
    assert analysis.contradictions(4) is analysis.contradictions(4)
    assert {item.surface for item in analysis.contradictions(2)} == {"岭南市", "陈禾"}


def test_nothing_to_judge_has_no_cases():
    judged = Judged.of([])
    assert (judged.labelled, len(judged.cases), judged.mistakes) == (0, 0, [])
