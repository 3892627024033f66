"""Linear probes: labels, scores and the control task against counts by hand."""

from __future__ import annotations

import numpy as np
import pytest

from core.inspection.representations.probing import (
    control_labels,
    entity_labels,
    macro_f1,
    parts_of_speech,
    probe,
)
from core.text import Document, Span

DOCUMENTS = [
    Document("1", "苏青在云州大学教书", (Span(0, 2, "PER"), Span(3, 7, "ORG"), Span(3, 5, "LOC"))),
    Document("2", ""),
    Document("3", "下雨"),
]


def test_every_character_has_the_label_of_the_outermost_span():
    assert entity_labels(DOCUMENTS) == ["PER"] * 2 + ["O"] + ["ORG"] * 4 + ["O"] * 4


def test_every_character_has_the_part_of_speech_of_its_word():
    found = parts_of_speech([Document("1", "他在大学里教书。\r\n good😀"), Document("2", "")])
    assert found == ["r", "p", "n", "n", "f", "n", "n", "x", "x", "x", "x", *["eng"] * 4, "x"]


def test_macro_f1_is_the_mean_of_what_is_counted_by_hand():
    gold = np.array(["a", "a", "a", "b", "c"])
    said = np.array(["a", "a", "b", "b", "d"])
    # a: 2 right, 3 gold, 2 said; b: 1 right, 1 gold, 2 said; c: never found.
    assert macro_f1(gold, said) == pytest.approx((2 * 2 / 5 + 2 * 1 / 3 + 0) / 3)


def test_a_probe_reads_what_lies_on_a_line_and_nothing_else():
    random = np.random.default_rng(0)
    states = random.normal(size=(400, 5)).astype(np.float32) * [1, 1, 100, 1, 1]
    line = np.where(states[:, 1] - states[:, 3] > 0, "p", "q")
    ring = np.where((states[:, :2] ** 2).sum(1) > 1.4, "p", "q")
    on_line = probe(states[:300], line[:300], states[300:], line[300:])
    assert on_line.accuracy > 0.95
    assert on_line.macro_f1 > 0.95
    assert probe(states[:300], ring[:300], states[300:], ring[300:]).accuracy < 0.75
    counted = max("pq", key=list(line[:300]).count)
    assert on_line.majority == pytest.approx(list(line[300:]).count(counted) / 100)


def test_a_class_that_training_lacks_is_an_error_and_one_class_alone_is_no_fit():
    states = np.zeros((4, 2), dtype=np.float32)
    score = probe(states, ["a"] * 4, states, ["a", "a", "a", "b"])
    assert (score.accuracy, score.majority) == (0.75, 0.75)
    with pytest.raises(ValueError, match="characters to be scored"):
        probe(states, ["a"] * 4, states[:0], [])


def test_the_control_task_gives_a_type_one_label_wherever_it_stands():
    characters = list("苏青在云州在苏") * 40
    labels = ["A", "A", "A", "B", "A", "A", "B"] * 40
    first, second = control_labels(characters, labels, list("在云新"), seed=4)
    of_type = dict(zip(characters, first, strict=True))
    assert [of_type[character] for character in characters] == first
    assert second[:2] == [of_type["在"], of_type["云"]]
    assert set(first) <= {"A", "B"}
    assert control_labels(characters, labels, list("在云新"), seed=4) == (first, second)
    drawn = [control_labels(["字"], labels, [], seed=seed)[0][0] for seed in range(700)]
    assert drawn.count("B") == pytest.approx(700 * 2 / 7, rel=0.2), "drawn as often as the labels occur"
