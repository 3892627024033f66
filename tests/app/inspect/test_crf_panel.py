"""The crf panel of the Inspect page."""

from dataclasses import replace

import numpy as np
import pytest

from app.inspect.panel import Look
from app.inspect.sentence import crf
from app.ui.why.margin import verdict
from core.inspection.sentence.crf_paths import crf_paths
from core.taggers.base.trace import Trace
from core.text import Span
from tests.inspection.sentence.test_crf_paths import trace_of

TEXT = "林知远到"


def scored(readings, labels=("PER",), **kept):
    """A trace whose only scores are emissions: those given on its path, 0 for O and -10 for all else."""
    scores = trace_of(labels=labels)
    row = {tag: number for number, tag in enumerate(scores.tags)}
    emissions = np.full((len(TEXT), len(row)), -10.0)
    emissions[:, 0] = 0.0
    for place, (tag, value) in enumerate(readings):
        emissions[place, row[tag]] = value
    nothing = np.zeros_like
    return replace(
        scores,
        emissions=emissions,
        transitions=nothing(scores.transitions),
        start=nothing(scores.start),
        end=nothing(scores.end),
        marginals=np.full((len(TEXT), len(row)), 1 / len(row)),
        path=np.array([row[tag] for tag, _ in readings]),
        **kept,
    )


WHO = Span(0, 3, "PER", 0.9)
PERSON = [("B-PER", 1.0), ("M-PER", 0.5), ("E-PER", 2.5), ("O", 3.0)]


def look_at(scores, focus=WHO, spans=(WHO,)):
    return Look("run", Trace(TEXT, tuple(TEXT), spans, "flat", crf=scores), focus=focus)


def drawn(session, look, panel="emissions", matter=True):
    return crf.draw(session, look, panel, matter)


@pytest.mark.parametrize("panel", ["emissions", "marginals", "transitions"])
def test_every_picture_of_the_crf_can_be_chosen_and_says_how_to_read_it(session, look, panel):
    look()
    shown = crf.draw_scores(session, panel, True)
    assert shown["table"]["visible"]
    assert shown["figure"].data
    assert shown["note"] == session._(crf.HOW[panel])


def test_a_narrow_margin_has_two_decimals(session):
    narrow = [("B-PER", 0.01), ("M-PER", 0.01), ("E-PER", 0.02), ("O", 3.0)]
    assert "is 0.04 ahead of" in drawn(session, look_at(scored(narrow)))["verdict"]


def test_the_span_in_focus_is_weighed_against_the_best_path_without_it(session):
    shown = drawn(session, look_at(scored(PERSON)))
    # Without the person all is O: 4.0 less, of which E-PER at 远 is 2.5.
    assert shown["verdict"] == (
        "PER 林知远 is 4.0 ahead of the path without an entity there (O O O); it "
        "mostly depends on the emission of "
        "E-PER over O at 远 (+2.5)."
    )
    assert shown["decision"]["visible"]
    assert sum(sum(bar.x) for bar in shown["decided"].data) == pytest.approx(4.0)


def test_the_sentence_names_the_spans_of_the_other_path(session):
    scores = scored(PERSON)
    row = {tag: number for number, tag in enumerate(scores.tags)}
    scores.emissions[1, row["E-PER"]] = 2.0
    said = drawn(session, look_at(scores))["verdict"]
    # B-PER is on both; M-PER and E-PER bring 3.0, E-PER and O would have brought 2.0.
    assert said == (
        "PER 林知远 is 1.0 ahead of the path with 林知 PER; the strongest evidence "
        "for it is the emission of E-PER over "
        "O at 远 (+2.5)."
    )


def test_no_single_score_is_called_most_of_it_where_it_is_less_than_half():
    even = [("B-PER", 1.0), ("M-PER", 1.4), ("E-PER", 1.0), ("O", 3.0)]
    look = look_at(scored(even))
    said = verdict(crf_paths(look.trace.crf, look.focus).margin, look.trace, "en")
    assert "the strongest evidence for it is the emission of M-PER over O at 知 (+1.4)" in said


def test_a_span_off_the_best_path_is_behind_it():
    look = look_at(scored(PERSON), focus=Span(3, 4, "PER"))
    said = verdict(crf_paths(look.trace.crf, look.focus).margin, look.trace, "en")
    assert said.startswith(
        "PER 到 is 13.0 behind the path without an entity there (O); the strongest evidence against it is"
    )


def test_a_deciding_transition_is_named_with_both_its_ends():
    scores = scored([("O", 0.0)] * 4)
    row = {tag: number for number, tag in enumerate(scores.tags)}
    scores.transitions[row["B-PER"], row["E-PER"]] = 30.0
    scores.emissions[3, row["E-PER"]] += 0.5
    look = look_at(scores, focus=Span(0, 2, "PER"))
    # On both paths 远到 is the other person; 30 of the transition, less 10 of each emission, are left.
    assert verdict(crf_paths(look.trace.crf, look.focus).margin, look.trace, "en") == (
        "PER 林知 is 10.0 ahead of the path without an entity there (O O); the "
        "strongest evidence for it is the transition "
        "B-PER → E-PER over O → O at 林知 (+30.0)."
    )


def test_the_sentence_exists_in_chinese(session):
    session.language = "zh"
    said = drawn(session, look_at(scored(PERSON)))["verdict"]
    assert (
        said
        == "PER 林知远 比此处无实体的路径（O O O）高 4.0 分；主要取决于“远”处 E-PER 相对 O 的发射分（+2.5）。"
    )


def test_where_nothing_is_in_focus_it_says_so_and_still_shows_the_paths(session):
    shown = drawn(session, look_at(scored([("O", 3.0)] * 4), focus=None, spans=()))
    assert shown["verdict"] == session._(
        "The tagger found no entity here, so there is nothing to explain. The paths below are its next best "
        "predictions."
    )
    assert not shown["decision"]["visible"]
    assert len(shown["paths"]["rows"]) == 5
    assert shown["paths"]["rows"][0]["kept"] == []


def test_the_paths_say_how_far_below_they_are_and_what_each_changes(session):
    first, second, *_ = drawn(session, look_at(scored(PERSON)))["paths"]["rows"]
    assert first["gap"] is None
    assert [(chip["label"], chip["surface"], chip["focus"]) for chip in first["kept"]] == [
        ("PER", "林知远", True)
    ]
    assert second["gap"] == "−4.00"
    assert [chip["surface"] for chip in second["lost"]] == ["林知远"]
    assert second["gained"] == []
    # All but these two paths are far behind: one of the two is taken.
    assert first["probability"] == pytest.approx(1 / (1 + np.exp(-4.0)), abs=1e-3)
    assert second["probability"] == pytest.approx(1 / (1 + np.exp(4.0)), abs=1e-3)


def test_paths_that_spell_the_same_entities_say_which_tags_differ(session):
    scores = scored([("O", 3.0)] * 4, allowed=None)
    row = {tag: number for number, tag in enumerate(scores.tags)}
    scores.emissions[1, row["M-PER"]] = 2.9
    second = drawn(session, look_at(scores, focus=None, spans=()))["paths"]["rows"][1]
    assert (second["lost"], second["gained"]) == ([], [])
    assert second["note"] == "same entities, other tags: 知 O → M-PER"


def test_a_softmax_head_has_no_transitions_to_draw(session):
    look = look_at(scored(PERSON, learned=False))
    shown = drawn(session, look, "transitions")
    assert not shown["table"]["visible"]
    assert shown["note"].startswith("Softmax has no transitions")
    assert drawn(session, look, "emissions")["table"]["visible"]


def test_of_many_tags_only_those_that_matter_are_drawn_until_all_are_asked_for(session):
    scores = scored(PERSON, labels=("PER", "ORG", "LOC", "TITLE"))
    marginals = np.zeros_like(scores.marginals)
    marginals[:, 0] = 1.0
    look = look_at(replace(scores, marginals=marginals))
    few = drawn(session, look)
    assert few["matter"]["visible"]
    assert list(few["figure"].layout.yaxis.ticktext) == ["O", "B-PER", "M-PER", "E-PER"]
    every = drawn(session, look, matter=False)
    assert len(every["figure"].layout.yaxis.ticktext) == 17
    across = drawn(session, look, "transitions")["figure"].layout.xaxis.ticktext
    assert list(across) == ["O", "B-PER", "M-PER", "E-PER", "END"]


def test_few_tags_are_all_drawn_and_nobody_is_asked(session):
    shown = drawn(session, look_at(scored(PERSON)))
    assert not shown["matter"]["visible"]
    assert len(shown["figure"].layout.yaxis.ticktext) == 5
