"""The scores a CRF figure shows, against the trace entry by entry."""

from dataclasses import replace

import numpy as np
import pytest

from core.inspection.sentence.crf_scores import crf_scores, likely_tags, step_scores
from core.taggers.base.trace import Trace
from tests.inspection.sentence.test_crf_paths import LENGTH, trace_of


def scores_of(crf, only_likely=False):
    tokens = tuple("一二三四五六"[: len(crf.emissions)])
    return crf_scores(Trace("".join(tokens), tokens, (), "flat", crf=crf), only_likely)


def with_marginals(**values):
    """A CRF of nine tags whose marginals are 0 but for ``t2_6=0.01``, tag 6 at character 2."""
    crf = trace_of(labels=("PER", "LOC"))
    marginals = np.zeros((LENGTH, 9))
    for place, value in values.items():
        character, tag = map(int, place[1:].split("_"))
        marginals[character, tag] = value
    return replace(crf, marginals=marginals, path=np.array([0, 4, 4, 8]))


def test_steps_hold_start_and_end_beside_the_transitions():
    crf = trace_of(length=1)
    steps = step_scores(crf)
    np.testing.assert_allclose(steps[0, :-1], crf.start)
    np.testing.assert_allclose(steps[1:, -1], crf.end)
    np.testing.assert_allclose(steps[1:, :-1], crf.transitions)
    assert np.isnan(steps[0, -1])


def test_the_likely_tags_are_likely_somewhere_or_on_the_path_or_o():
    assert likely_tags(with_marginals(t2_6=0.01, t3_7=0.0099)) == [0, 4, 6, 8]


@pytest.mark.parametrize("only_likely", [False, True])
def test_every_value_is_the_one_of_its_tag_and_its_step(only_likely):
    crf = with_marginals(t2_6=0.01)
    view = scores_of(crf, only_likely)
    shown = [0, 4, 6, 8] if only_likely else range(9)
    assert view.tags == tuple(crf.tags[tag] for tag in shown)
    steps = step_scores(crf)
    taken = {(0, 0), (1, 4), (5, 4), (5, 8), (9, 9)}
    for row, tag in enumerate(shown):
        np.testing.assert_array_equal(view.emissions[row], crf.emissions[:, tag])
        np.testing.assert_array_equal(view.marginals[row], crf.marginals[:, tag])
    for row, origin in enumerate([0, *(tag + 1 for tag in shown)]):
        for column, to in enumerate([*shown, 9]):
            np.testing.assert_equal(view.steps[row, column], steps[origin, to])
            is_step = (origin, to) != (0, 9)
            assert view.forbidden[row, column] == (is_step and not crf.allowed[origin, to])
            assert view.taken[row, column] == ((origin, to) in taken)
    assert view.path.tolist() == [list(shown).index(tag) for tag in crf.path]


def test_a_tag_of_the_path_that_is_not_shown_has_no_row():
    view = scores_of(with_marginals(), only_likely=True)
    assert view.tags == tuple(trace_of(labels=("PER", "LOC")).tags[tag] for tag in (0, 4, 8))
    assert view.path.tolist() == [0, 1, 1, 2]


def test_without_constraints_nothing_is_forbidden_and_without_text_nothing_is_taken():
    assert not scores_of(trace_of(constrained=False)).forbidden.any()
    assert not scores_of(trace_of(length=0)).taken.any()
