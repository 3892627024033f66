"""Earlier decisions of one person: their own copies alone, current after every edit."""

import random
from collections import Counter

import pytest

from core.store.annotation import annotations, regions
from core.store.annotation.regions import Stretch
from core.store.document import documents, trash
from core.store.label import changes as label_changes
from core.store.project import assignments, members
from core.store.suggest.decision_counts import Decisions
from core.store.suggest.earlier import EarlierDecisions
from core.text import Document, Span
from tests.store.by_hand import mark_own, save_own

PER, ORG = Span(0, 3, "PER"), Span(7, 11, "ORG")  # 林知远, 青禾大学 in the first text


@pytest.fixture
def ana(team):
    return EarlierDecisions(team.workspace, team.project, "ana")


def say(team, id_, user, spans=(), rejected=(), **options):
    stands = annotations.current(team.workspace, id_, user)
    save_own(team.workspace, id_, stands.revision, spans, rejected, user=user, action="label", **options)


def mark(team, id_, user, start, end, annotated=True):
    mark_own(team.workspace, id_, [Stretch(start, end, annotated)], user=user)


def found(earlier, text, **options):
    earlier.update()
    return {(text[s.start : s.end], s.label): s.score for s in earlier.find(text, **options)}


def test_a_person_is_offered_what_they_decided_and_nobody_else(team, ana):
    say(team, team.ids[0], "ana", [PER])
    say(team, team.ids[0], "bo", [ORG])
    bo = EarlierDecisions(team.workspace, team.project, "bo")
    text = "林知远在青禾大学"
    assert found(ana, text) == {("林知远", "PER"): 1 / 2}
    assert found(bo, text) == {("青禾大学", "ORG"): 1 / 2}
    assert found(ana, text, but=team.ids[0]) == {}, "a copy is not its own witness"
    assert found(EarlierDecisions(team.workspace, team.project, "rui"), text) == {}


def test_what_the_project_agreed_on_is_not_theirs_and_theirs_is_not_agreed(team, ana):
    stands = annotations.current(team.workspace, team.ids[2])
    annotations.save(team.workspace, team.ids[2], stands.revision, [Span(0, 2, "ORG")], user="rui")
    say(team, team.ids[0], "ana", [PER])
    assert found(ana, "会议 林知远") == {("林知远", "PER"): 1 / 2}
    assert ("林知远", "PER") not in found(EarlierDecisions(team.workspace, team.project), "会议 林知远")


def test_what_a_document_was_imported_with_counts_once_they_have_saved_it(team, ana):
    assert found(ana, "周敏") == {}
    say(team, team.ids[1], "ana", [Span(0, 2, "PER")], status="done")
    assert found(ana, "周敏") == {("周敏", "PER"): 1 / 2}


def test_rejections_and_what_was_left_in_text_they_read_count_against_it(team, ana):
    say(team, team.ids[0], "ana", [ORG])
    assert found(ana, "青禾大学") == {("青禾大学", "ORG"): 1 / 2}
    mark(team, team.ids[1], "bo", 0, 10)
    assert found(ana, "青禾大学") == {("青禾大学", "ORG"): 1 / 2}, "what bo has read is bo's"
    mark(team, team.ids[1], "ana", 0, 10)  # 周敏在青禾大学任教。, no copy saved yet
    assert found(ana, "青禾大学") == {}
    assert ana.of("青禾大学", "ORG") == Decisions(1, 0, 0, 1)
    mark(team, team.ids[1], "ana", 0, 10, annotated=False)
    assert found(ana, "青禾大学") == {("青禾大学", "ORG"): 1 / 2}
    say(team, team.ids[1], "ana", [Span(0, 2, "PER")], [Span(3, 7, "ORG")])
    ana.update()
    assert ana.of("青禾大学", "ORG") == Decisions(1, 0, 1, 0)


def test_a_hand_the_trash_and_a_renamed_label_are_followed(team, ana):
    say(team, team.ids[0], "ana", [PER])
    assert found(ana, "林知远") == {("林知远", "PER"): 1 / 2}
    label_changes.rename(team.workspace, team.project, "PER", "NAME", user="mia")
    assert found(ana, "林知远") == {("林知远", "NAME"): 1 / 2}
    trash.trash_documents(team.workspace, team.project, [team.ids[0]])
    assert found(ana, "林知远") == {}
    trash.restore_documents(team.workspace, team.project, [team.ids[0]])
    assert found(ana, "林知远") == {("林知远", "NAME"): 1 / 2}
    assert ana.update() == 0
    members.put(team.workspace, team.project, "cy", "annotator", by="mia")
    assignments.hand_out(team.workspace, team.project, ["bo", "cy"], by="mia")
    assert found(ana, "林知远") == {}, "a document that is in other hands now"


def test_it_agrees_with_counting_all_own_copies_anew(team, ana):
    """A seeded walk of two people's edits and marks against a count by loops over one's copies."""
    chance = random.Random(7)
    text = "青禾林知远来到云州。青禾知远"
    extra = [Document(f"more-{at}", text + str(at)) for at in range(8)]
    ids = documents.add(team.workspace, team.project, extra).ids
    assignments.hand_out(team.workspace, team.project, ["ana", "bo"], by="mia")
    places = [(0, 2), (2, 5), (7, 9), (10, 12), (3, 5)]
    saved = set()
    for _ in range(50):
        id_, user = chance.choice(ids), chance.choice(["ana", "bo"])
        if chance.random() < 0.6:
            choose = [Span(*place, chance.choice(["PER", "ORG"])) for place in chance.sample(places, 3)]
            say(team, id_, user, choose[:2], choose[2:], status=chance.choice([None, None, "done"]))
            saved |= {id_} if user == "ana" else set()
        else:
            mark(team, id_, user, *chance.choice([(0, 4), (2, 12), (10, 14)]), chance.random() < 0.7)
        if chance.random() < 0.4:
            ana.update()
    ana.update()
    standing, refused, left = Counter(), Counter(), Counter()
    own = {id_: annotations.current(team.workspace, id_, "ana") for id_ in ids}
    for id_ in saved:
        standing.update((own[id_].document.surface(span), span.label) for span in own[id_].document.spans)
        refused.update((own[id_].document.surface(span), span.label) for span in own[id_].rejected)
    for id_ in ids:
        annotated = regions.get(team.workspace, id_, "ana").regions
        seen = {at for start, end in annotated for at in range(start, end)}
        seen -= {at for span in own[id_].document.spans for at in range(span.start, span.end)}
        refused_here = {(span.start, span.end) for span in own[id_].rejected}
        for surface in {surface for surface, _ in {*standing, *refused}}:
            for start in range(len(own[id_].document.text) - len(surface) + 1):
                place = (start, start + len(surface))
                here = own[id_].document.text.startswith(surface, start)
                if here and seen.issuperset(range(*place)) and place not in refused_here:
                    left[surface] += 1
    assert left
    assert standing
    for surface, label in {*standing, *refused}:
        other = sum(count for (s, name), count in standing.items() if s == surface and name != label)
        expected = Decisions(standing[surface, label], other, refused[surface, label], left[surface])
        assert ana.of(surface, label) == expected
