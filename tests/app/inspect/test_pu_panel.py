"""The panel of answers by type."""

import numpy as np
import pytest

from app.inspect.panel import Look
from app.inspect.sentence import attention, crf, distances, lattice, layers, pu
from core.taggers.base.trace import PuTrace, Trace
from core.text import Document
from tests.taggers.pu.test_encoder_choice import small_pu

TEXT = "林晓去了"
ANSWERS = PuTrace(
    ("PER", "LOC"), np.full((2, 4), 0.7), np.array([0, 0, 1, 2]), np.array([0.125, 0.01]), bound=0.5
)


def test_it_is_drawn_for_taggers_with_a_classifier_for_each_type():
    assert not pu.has(Trace(TEXT, tuple(TEXT), (), "flat"))
    assert pu.has(Trace(TEXT, tuple(TEXT), (), "pu", pu=ANSWERS))


def test_the_decision_and_the_priors_are_told_in_both_languages(session):
    look = Look("pu-0001", Trace(TEXT, tuple(TEXT), (), "pu", pu=ANSWERS))
    shown = pu.draw(session, look)
    told = shown["decision"]
    assert len(shown["figure"].data[0].z) == 2
    assert "above 50%" in told
    assert "PER 13%, LOC 1%" in told
    session.language = "zh"
    assert "超过 50%" in pu.draw(session, look)["decision"]


@pytest.mark.parametrize(
    ("over", "panels"),
    [
        ("auto", {pu}),
        ("flat", {pu, lattice, attention, distances}),
        ("soft_lexicon", {pu, lattice}),
        ("lattice_lstm", {pu, lattice}),
        ("lr_cnn", {pu, lattice, layers}),
        ("bert", {pu, attention}),
        ("elmo_crf", {pu, layers}),
    ],
)
def test_over_another_tagger_its_panels_stand_beside_it(session, over, panels):
    tagger = small_pu(over).eval()
    (trace,) = tagger.trace(tagger.collate([Document("x", "林晚晴在清河大学教书")]))
    assert {panel for panel in (pu, lattice, attention, distances, layers, crf) if panel.has(trace)} == panels
    look = Look("pu-0001", trace)
    assert len(pu.draw(session, look)["figure"].data[0].z) == len(tagger.labels)
    if lattice in panels:
        assert "清河大学" in str(lattice.draw(session, look))
