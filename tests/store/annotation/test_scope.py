"""An edit of many documents reaches what the person has in front of them, and nothing of anybody else's."""

import pytest

from core.store import NotFound
from core.store.annotation import annotations, batches
from core.store.annotation.batches import Done, Place
from core.store.annotation.scope import scope_from
from core.store.annotation.surfaces import labelled
from core.store.document import documents, trash
from core.store.project import assignments, members
from core.store.project.members import NotAllowed
from core.text import Document, Span

# In the first two: 林知远先生出任青禾大学附属医院院长。 周敏在青禾大学任教。
PLACES = ((0, 7, 11), (1, 3, 7))


def places(team, which=PLACES):
    return [Place(team.ids[at], start, end, "青禾大学") for at, start, end in which]


def label(team, user, batch="batch-01"):
    scope = scope_from(team.workspace, team.ids[2], user)
    return batches.label_places(team.workspace, scope, places(team), "ORG", batch=batch)


def copy(team, at, user):
    return [span.key for span in annotations.current(team.workspace, team.ids[at], user).document.spans]


def gold_spans(team, at):
    return [span.key for span in annotations.current(team.workspace, team.ids[at]).document.spans]


def test_from_a_version_the_scope_is_ones_own_versions_with_imported_spans(team):
    assert label(team, "ana") == Done(2, 2, 0)
    assert copy(team, 0, "ana") == [(7, 11, "ORG")]
    assert copy(team, 1, "ana") == [(0, 2, "PER"), (3, 7, "ORG")]
    assert (copy(team, 0, "bo"), copy(team, 1, "bo")) == ([], [(0, 2, "PER")])
    assert (gold_spans(team, 0), gold_spans(team, 1)) == ([], [(0, 2, "PER")])
    assert [event.client_edit for event in annotations.history(team.workspace, team.ids[0], "ana")] == [
        "batch-01"
    ]


def test_a_label_of_the_import_is_found_in_a_copy_nobody_has_saved_and_replaced_there_alone(team):
    scope = scope_from(team.workspace, team.ids[0], "ana")
    assert [(row.surface, row.times) for row in labelled(team.workspace, scope, "PER")] == [("周敏", 1)]
    made = batches.replace(team.workspace, scope, "PER", "ORG", batch="batch-01", but=team.ids[0])
    assert made == Done(1, 1, 1)
    assert (copy(team, 1, "ana"), copy(team, 1, "bo")) == ([(0, 2, "ORG")], [(0, 2, "PER")])
    batches.turn(team.workspace, scope, "batch-01", "undo")
    assert copy(team, 1, "ana") == [(0, 2, "PER")]


def test_two_people_with_a_batch_of_one_name_take_back_their_own(team):
    label(team, "ana")
    label(team, "bo")
    batches.turn(team.workspace, scope_from(team.workspace, team.ids[0], "bo"), "batch-01", "undo")
    assert copy(team, 0, "ana") == [(7, 11, "ORG")]
    assert copy(team, 0, "bo") == []


def test_a_hand_taken_away_in_between_leaves_that_document_out(team):
    label(team, "ana")
    with team.workspace.writing() as db:
        db.execute("DELETE FROM assignments WHERE user = 'ana' AND document_id = ?", (team.ids[0],))
    scope = scope_from(team.workspace, team.ids[1], "ana")
    assert batches.turn(team.workspace, scope, "batch-01", "undo") == Done(1, 0, 1)
    with pytest.raises(NotFound):
        batches.label_places(team.workspace, scope, places(team), "ORG", batch="batch-02")


def test_who_is_no_member_any_more_or_whose_way_of_working_changed_changes_nothing(team):
    scope = scope_from(team.workspace, team.ids[0], "ana")
    assignments.set_plan(team.workspace, team.project, "together", 1, by="mia")
    with pytest.raises(NotFound):
        batches.label_places(team.workspace, scope, places(team), "ORG", batch="batch-01")
    assert batches.replace(team.workspace, scope, "PER", "ORG", batch="batch-02") == Done()
    members.remove(team.workspace, team.project, "ana", by="mia")
    with pytest.raises(NotAllowed):
        batches.label_places(team.workspace, scope, places(team), "ORG", batch="batch-03")
    assert gold_spans(team, 1) == [(0, 2, "PER")]


def test_a_reviewers_scope_is_gold_without_adjudication_to_come(team):
    (free,) = documents.add(team.workspace, team.project, [Document("free", "青禾大学开学。")]).ids
    annotations.save(team.workspace, team.ids[1], 1, [Span(0, 2, "PER")], user="rui", status="done")
    scope = scope_from(team.workspace, team.ids[0], "rui")
    assert scope.kind == "gold"
    with team.workspace.reading() as db:
        assert scope.of(db, [*team.ids, free]) == [team.ids[1], free]
    wanted = [*places(team, [(1, 3, 7)]), Place(free, 0, 4, "青禾大学")]
    assert batches.label_places(team.workspace, scope, wanted, "ORG", batch="batch-01") == Done(2, 2, 0)
    assert gold_spans(team, 1) == [(0, 2, "PER"), (3, 7, "ORG")]
    assert copy(team, 1, "ana") == copy(team, 1, "bo") == [(0, 2, "PER")]
    with pytest.raises(NotFound):
        batches.label_places(team.workspace, scope, places(team), "ORG", batch="batch-02")
    trash.trash_documents(team.workspace, team.project, [free])
    assert batches.turn(team.workspace, scope, "batch-01", "undo") == Done(1, 0, 1)
    assert gold_spans(team, 1) == [(0, 2, "PER")]


def test_an_inaccessible_document_has_no_scope(team):
    (free,) = documents.add(team.workspace, team.project, [Document("free", "青禾大学开学。")]).ids
    with pytest.raises(NotAllowed):
        scope_from(team.workspace, free, "ana")
    with pytest.raises(NotAllowed):
        scope_from(team.workspace, free, "stranger")
