"""Annotation replayed on a corpus so small that every step can be looked at."""

import pytest

from core.learning.active_learning.simulation import FULL, Plan, Simulation
from core.text import Document, Span
from core.training.stopping import Stopped

QUIET = lambda event: None  # noqa: E731
NEVER = lambda: False  # noqa: E731
SMALL = {"char_dim": 4, "hidden": 4, "bigram_dim": 0}


def corpus(count):
    """Sentences in which a place is always named after 在."""
    places = ["清河", "青岛", "海州"]
    return [
        Document(str(n), f"第{n}天在{places[n % 3]}", (Span(3 + len(str(n)), 5 + len(str(n)), "LOC"),))
        for n in range(count)
    ]


def replay(sizes=(4, 6, 9), stop=NEVER, train=None, **plan):
    made = Plan("bilstm_crf", sizes, SMALL, {"epochs": 1, "batch_size": 4}, steps=2, **plan)
    return Simulation(made, train or corpus(12), corpus(6), QUIET, stop)


def test_every_point_labels_more_and_nothing_twice():
    points = list(replay().points("random", 1, 2.0, []))
    assert [point.documents for point in points] == [4, 6, 9]
    chosen = [index for point in points for index in point.chosen]
    assert len(chosen) == len(set(chosen)) == 9
    assert points[-1].characters == sum(len(corpus(12)[index].text) for index in chosen)
    assert points[-1].spans == 9
    assert all(0.0 <= point.f1 <= 1.0 for point in points)


@pytest.mark.parametrize("name", ["least_confident", "mnlp", "viterbi_gap", "boundary", "rare_label",
                                  "textrank", "k_centre", "uncertainty_diversity", "in_order"])  # fmt: skip
def test_all_strategies_begin_with_the_same_seed_set_and_go_their_own_ways(name):
    own = list(replay().points(name, 1, 2.0, []))
    chance = list(replay().points("random", 1, 2.0, []))
    assert own[0].chosen == chance[0].chosen
    assert own[0].f1 == chance[0].f1, "the same documents and the same seed make the same tagger"
    assert [point.documents for point in own] == [4, 6, 9]


def test_another_seed_begins_elsewhere():
    sets = {next(iter(replay().points("random", seed, 2.0, []))).chosen for seed in range(5)}
    assert len(sets) > 1


def test_it_ends_where_the_target_is_reached():
    points = list(replay().points("random", 1, 0.0, []))
    assert [point.documents for point in points] == [4]
    assert list(replay().points("random", 1, 0.0, points)) == []


def test_a_replay_that_goes_on_makes_the_points_it_would_have_made():
    whole = list(replay().points("mnlp", 1, 2.0, []))
    rest = list(replay().points("mnlp", 1, 2.0, whole[:1]))
    assert [point.chosen for point in rest] == [point.chosen for point in whole[1:]]
    assert [point.f1 for point in rest] == [point.f1 for point in whole[1:]]
    assert list(replay().points("mnlp", 1, 2.0, whole)) == []


def test_the_full_training_reads_everything():
    point = replay().full(1)
    assert (point.strategy, point.documents, point.spans) == (FULL, 12, 12)


def test_a_seed_set_has_a_span_where_there_is_one():
    train = [Document(str(n), "没有名字") for n in range(40)] + [
        Document("x", "在清河", (Span(1, 3, "LOC"),))
    ]
    for seed in range(3):
        first = next(iter(replay((2, 4), train=train).points("random", seed, 2.0, [])))
        assert first.spans == 1


def test_few_documents_are_passed_over_often_enough():
    plan = Plan("bilstm_crf", (4,), settings={"epochs": 3, "batch_size": 8}, steps=100)
    assert plan.training(4, 1).epochs == 100
    assert plan.training(80, 1).epochs == 10
    assert plan.training(8000, 1).epochs == 3
    assert plan.training(1, 7).seed == 7


def test_it_stops_when_asked():
    with pytest.raises(Stopped):
        next(replay(stop=lambda: True).points("random", 1, 2.0, []))
