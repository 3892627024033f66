"""Intervals and p-values against every resample and every swap, written out."""

import itertools

import numpy as np
import pytest

from core.inspection.corpus.significance import CountTable, bootstrap, measure, randomisation_test, ratios
from core.text.scoring import Score

# Of each document: correct, predicted and gold spans of two runs.
DOCUMENTS = [
    ((2, 3, 2), (2, 2, 2)),
    ((0, 1, 1), (1, 1, 1)),
    ((1, 1, 3), (1, 2, 3)),
    ((0, 0, 2), (2, 2, 2)),
    ((3, 3, 3), (2, 3, 3)),
]
R = 20_000


def table(documents=DOCUMENTS, times=None):
    rows = [[number for run in document for number in run] for document in documents]
    return CountTable.of(rows, times or [1] * len(rows), len(documents[0]))


def scores_of(documents, run):
    """Precision, recall and F1 the way the scorer of the project computes them."""
    correct, predicted, gold = (sum(document[run][place] for document in documents) for place in range(3))
    score = Score(gold, predicted, correct)
    return np.array([score.precision, score.recall, score.f1])


def every_resample():
    for drawn in itertools.product(DOCUMENTS, repeat=len(DOCUMENTS)):
        yield scores_of(drawn, 0), scores_of(drawn, 1)


def every_swap(documents):
    """Differences of all 2 ** D ways to swap whole documents."""
    for swaps in itertools.product((False, True), repeat=len(documents)):
        swapped = [pair[::-1] if swap else pair for pair, swap in zip(documents, swaps, strict=True)]
        yield scores_of(swapped, 1) - scores_of(swapped, 0)


def test_ratios_are_those_of_the_scorer_also_where_nothing_was_said():
    for document in [*DOCUMENTS, ((0, 0, 0), (0, 0, 0))]:
        for run in (0, 1):
            np.testing.assert_allclose(ratios(np.array(document[run])), scores_of([document], run))


def test_the_interval_of_a_run_is_that_of_all_resamples():
    drawn = bootstrap(table(), R)
    enumerated = np.array(list(every_resample()))  # [5 ** 5, 2, 3]
    assert len(enumerated) == 3125
    expected = np.moveaxis(np.quantile(enumerated, [0.025, 0.975], axis=0), 0, -1)
    np.testing.assert_allclose(drawn.scores, expected, atol=0.02)


def test_the_interval_of_the_difference_pairs_the_runs_on_the_same_resamples():
    drawn = bootstrap(table(), R)
    differences = np.array([other - base for base, other in every_resample()])
    expected = np.quantile(differences, [0.025, 0.975], axis=0).T
    np.testing.assert_allclose(drawn.differences[1], expected, atol=0.025)
    assert (drawn.differences[0] == 0).all()
    unpaired = drawn.scores[1, 2, 1] - drawn.scores[0, 2, 0]
    assert drawn.differences[1, 2, 1] < unpaired - 0.05, "pairing must tell"


def test_the_p_value_is_the_share_of_swaps_that_reach_the_difference():
    observed = np.abs(scores_of(DOCUMENTS, 1) - scores_of(DOCUMENTS, 0))
    swaps = np.abs(np.array(list(every_swap(DOCUMENTS))))
    exact = (swaps >= observed - 1e-12).mean(axis=0)
    assert 0.05 < exact[2] < 1, "a case that can tell"
    np.testing.assert_allclose(randomisation_test(table(), resamples=R), exact, atol=0.015)


def test_documents_with_equal_counts_may_share_a_row():
    apart = [DOCUMENTS[0]] * 2 + [DOCUMENTS[3]] * 4
    shared = table([DOCUMENTS[0], DOCUMENTS[3]], [2, 4])
    assert (shared.documents, shared.totals.tolist()) == (6, table(apart).totals.tolist())
    swaps = np.abs(np.array(list(every_swap(apart))))
    observed = np.abs(scores_of(apart, 1) - scores_of(apart, 0))
    exact = (swaps >= observed - 1e-12).mean(axis=0)
    np.testing.assert_allclose(randomisation_test(shared, resamples=R), exact, atol=0.015)
    np.testing.assert_allclose(bootstrap(shared, R).scores, bootstrap(table(apart), R).scores, atol=0.02)


def test_runs_that_say_the_same_differ_by_chance_alone():
    same = table([(base, base) for base, _ in DOCUMENTS])
    assert randomisation_test(same, resamples=99).tolist() == [1.0, 1.0, 1.0]
    assert (bootstrap(same, 99).differences == 0).all()


def test_a_p_value_is_never_zero():
    clear = table([((0, 1, 1), (1, 1, 1))] * 40)
    assert randomisation_test(clear, resamples=99).tolist() == [0.01, 0.01, 0.01]


def test_the_same_seed_draws_the_same():
    assert (bootstrap(table(), 200, seed=3).scores == bootstrap(table(), 200, seed=3).scores).all()
    assert (randomisation_test(table(), seed=3) == randomisation_test(table(), seed=3)).all()


def test_memory_limits_change_only_how_many_are_drawn_at_once(monkeypatch):
    whole = randomisation_test(table(), resamples=R)
    monkeypatch.setattr("core.inspection.corpus.significance.MOST_DRAWN", 7)
    assert bootstrap(table(), 50).scores.shape == (2, 3, 2)
    np.testing.assert_allclose(randomisation_test(table(), resamples=R), whole, atol=0.02)


def test_without_documents_there_is_nothing_to_resample():
    with pytest.raises(ValueError, match="no documents"):
        bootstrap(CountTable.of([], [], 2))


def test_a_measurement_sets_every_run_against_the_first():
    third = [(base, other, base) for base, other in DOCUMENTS]
    found = measure(table(third), resamples=500)
    np.testing.assert_allclose(found.scores[1], scores_of(DOCUMENTS, 1))
    np.testing.assert_allclose(found.differences[1], scores_of(DOCUMENTS, 1) - scores_of(DOCUMENTS, 0))
    assert (found.p_values[0] == 1).all()
    assert (found.p_values[2] == 1).all(), "the third says what the first says"
    assert (found.p_values[1] < 1).any()
    assert (found.differences[2] == 0).all()
    assert found.documents == 5
