"""Choices of links: the last one counts, apart from the verdict on the span; invalid ones are refused."""

import pytest

from core.store.db.errors import PayloadError
from core.store.label import changes as label_changes
from core.store.project.members import NotAllowed
from core.store.review import adjudications, decisions, link_choices
from core.store.review.span_history import history
from core.text import EntityLink, Span, UnknownLabelError
from tests.store.by_hand import save_own

BERLIN, MILLS = EntityLink("Q64", "Berlin", "places"), EntityLink("Q82")
PER = (0, 3, "PER")


def choose(team, *spans, by="rui"):
    link_choices.choose(team.workspace, team.ids[0], spans, by=by)


def chosen(team):
    found = link_choices.current(team.workspace, team.ids[0], by="mia")
    return {key: (one.span.link, one.user) for key, one in found.items()}


def test_the_last_choice_counts_and_none_is_a_choice_until_it_is_taken_back(team):
    choose(team, Span(*PER, link=BERLIN))
    choose(team, Span(*PER, link=MILLS), by="mia")
    assert chosen(team) == {PER: (MILLS, "mia")}
    choose(team, Span(*PER))
    assert chosen(team) == {PER: (None, "rui")}
    decisions.decide(team.workspace, team.ids[0], [], [Span(*PER)], by="rui")
    assert chosen(team) == {PER: (None, "rui")}
    link_choices.withdraw(team.workspace, team.ids[0], [PER], by="rui")
    assert chosen(team) == {}


def test_a_choice_follows_its_label_and_is_told_in_the_history_of_the_span(team):
    choose(team, Span(*PER, link=BERLIN))
    label_changes.rename(team.workspace, team.project, "PER", "PERSON", user="mia")
    assert chosen(team) == {(0, 3, "PERSON"): (BERLIN, "rui")}
    told = history(team.workspace, team.ids[0], Span(0, 3, "PERSON"), user="mia")
    assert [(one.kind, one.user, one.span.link) for one in told] == [("linked", "rui", BERLIN)]


def test_what_everybody_agrees_on_is_not_merged_over_a_choice(team):
    for user in ("ana", "bo"):
        save_own(team.workspace, team.ids[0], 0, [Span(*PER)], user=user, status="done")
    (ready,) = adjudications.unanimous(team.workspace, team.project, by="rui")
    assert ready.document_id == team.ids[0]
    choose(team, Span(*PER, link=BERLIN))
    assert adjudications.unanimous(team.workspace, team.project, by="rui") == []


@pytest.mark.parametrize(
    ("span", "error"),
    [
        (Span(0, 999, "PER"), PayloadError),
        (Span(0, 2, "KING"), UnknownLabelError),
        ({"start": 0, "end": 3, "label": "PER", "link": {"id": ""}}, PayloadError),
        ({"start": 0, "end": 3, "label": "PER", "link": "Q64"}, PayloadError),
    ],
)
def test_what_cannot_be_is_refused_and_nothing_kept(team, span, error):
    with pytest.raises(error):
        choose(team, span)
    assert chosen(team) == {}


def test_annotators_neither_choose_nor_read_choices(team):
    for call in (
        lambda: choose(team, Span(*PER), by="ana"),
        lambda: link_choices.withdraw(team.workspace, team.ids[0], [PER], by="ana"),
        lambda: link_choices.current(team.workspace, team.ids[0], by="ana"),
    ):
        with pytest.raises(NotAllowed):
            call()
