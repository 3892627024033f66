"""Decisions of a reviewer: kept, outliving later annotations, taken back, refused where they cannot be."""

import pytest

from core.store.db.errors import PayloadError
from core.store.project.members import NotAllowed
from core.store.review import decisions
from core.text import Span
from core.text.labels import UnknownLabelError
from tests.store.by_hand import save_own

PER, ORG = Span(0, 3, "PER"), Span(7, 11, "ORG")


def decide(team, accepted, refused=(), **options):
    return decisions.decide(team.workspace, team.ids[0], accepted, refused, by="rui", **options)


def verdicts(found):
    return {one.span.key: one.verdict for one in found}


def test_a_decision_says_what_by_whom_and_why(team):
    _, refused = decide(team, [PER], [ORG], category="boundary", note="附属医院 belongs to it")
    assert (refused.verdict, refused.category, refused.user) == ("refused", "boundary", "rui")
    assert refused.note == "附属医院 belongs to it"
    assert verdicts(decisions.current(team.workspace, team.ids[0], by="mia")) == {
        PER.key: "accepted", ORG.key: "refused",
    }  # fmt: skip


def test_the_last_word_on_a_span_counts_and_taking_it_back_opens_it_again(team):
    decide(team, [PER])
    decide(team, [], [PER], category="spurious")
    assert verdicts(decide(team, [ORG])) == {PER.key: "refused", ORG.key: "accepted"}
    left = decisions.withdraw(team.workspace, team.ids[0], [PER.key], by="rui")
    assert verdicts(left) == {ORG.key: "accepted"}


def test_decisions_outlive_what_people_annotate_later(team):
    save_own(team.workspace, team.ids[0], 0, [PER], user="ana", status="done")
    before = decide(team, [PER])
    save_own(team.workspace, team.ids[0], 1, [ORG], user="ana")
    assert decisions.current(team.workspace, team.ids[0], by="rui") == before


def test_annotators_neither_decide_nor_read_decisions(team):
    for call in (
        lambda: decisions.decide(team.workspace, team.ids[0], [PER], by="ana"),
        lambda: decisions.withdraw(team.workspace, team.ids[0], [PER.key], by="ana"),
        lambda: decisions.current(team.workspace, team.ids[0], by="ana"),
    ):
        with pytest.raises(NotAllowed):
            call()


@pytest.mark.parametrize(
    ("accepted", "refused", "options", "error"),
    [
        ([Span(0, 999, "PER")], [], {}, PayloadError),
        ([Span(0, 2, "KING")], [], {}, UnknownLabelError),
        ([PER], [PER], {}, PayloadError),
        ([], [PER], {"category": ":majority"}, PayloadError),
        ([], [PER], {"note": "x" * 2001}, PayloadError),
        ([], [PER], {"category": 7}, PayloadError),
        ("ab", [], {}, PayloadError),
    ],
)
def test_what_cannot_be_is_refused_and_nothing_kept(team, accepted, refused, options, error):
    with pytest.raises(error):
        decide(team, accepted, refused, **options)
    assert decisions.current(team.workspace, team.ids[0], by="rui") == ()


def test_a_manager_edits_the_error_categories_and_none_brings_the_first_ones_back(team):
    assert decisions.categories(team.workspace, team.project) == decisions.CATEGORIES
    named = decisions.set_categories(team.workspace, team.project, [" 边界 ", "", "边界", "other"], by="mia")
    assert named == ("边界", "other") == decisions.categories(team.workspace, team.project)
    assert decisions.set_categories(team.workspace, team.project, [], by="mia") == decisions.CATEGORIES
    with pytest.raises(NotAllowed):
        decisions.set_categories(team.workspace, team.project, ["mine"], by="rui")
    for wrong in ([":x"], ["x" * 61], [str(at) for at in range(31)]):
        with pytest.raises(PayloadError):
            decisions.set_categories(team.workspace, team.project, wrong, by="mia")
