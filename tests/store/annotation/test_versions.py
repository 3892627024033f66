"""Copies: the promises of annotations, once per person, and nobody else's eyes on them."""

import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.store import Workspace
from core.store.annotation import annotations, working
from core.store.annotation.annotations import StaleRevision
from core.store.annotation.events import at_revision
from core.store.db.errors import LabelInUse, NotFound, PayloadError
from core.store.document import documents
from core.store.label import changes as label_changes
from core.store.label import labels
from core.store.project import projects
from core.store.project.members import NotAllowed
from core.store.queue import queue
from core.store.review import versions
from core.text import LabelSet, Span
from core.text.labels import UnknownLabelError
from tests.store.by_hand import revert_own, save_own
from tests.store.separate import separate
from tests.workspaces import new_workspace

PER, ORG = Span(0, 3, "PER"), Span(7, 11, "ORG")


def save(team, user, spans, base=0, document=0, **options):
    return save_own(team.workspace, team.ids[document], base, spans, user=user, **options)


def spans(team, user, document=0):
    return annotations.current(team.workspace, team.ids[document], user).document.spans


def test_two_annotators_have_two_versions_and_gold_stays(team):
    save(team, "ana", [PER])
    save(team, "bo", [ORG])
    assert (spans(team, "ana"), spans(team, "bo")) == ((PER,), (ORG,))
    assert annotations.current(team.workspace, team.ids[0]).document.spans == ()
    assert annotations.history(team.workspace, team.ids[0]) == []


def test_versions_start_from_the_import_and_not_from_gold(team):
    annotations.save(team.workspace, team.ids[1], 1, [Span(3, 7, "ORG")], user="rui")
    assert spans(team, "ana", 1) == (Span(0, 2, "PER"),)
    save(team, "ana", [], document=1)
    revert_own(team.workspace, team.ids[1], 0, base_revision=1, user="ana")
    assert spans(team, "ana", 1) == (Span(0, 2, "PER"),)


def test_the_same_edit_twice_is_applied_once_for_each_person(team):
    first = save(team, "ana", [PER], client_edit="e-1")
    assert save(team, "ana", [PER], client_edit="e-1") == first
    assert save(team, "bo", [ORG], client_edit="e-1").revision == 1
    assert [event.revision for event in annotations.history(team.workspace, team.ids[0], "ana")] == [1]
    assert spans(team, "bo") == (ORG,)


def test_an_overtaken_edit_is_refused_with_ones_own_other_version(team):
    save(team, "ana", [PER])
    save(team, "bo", [ORG])
    with pytest.raises(StaleRevision) as refused:
        save(team, "ana", [ORG], base=0)
    assert refused.value.current.document.spans == (PER,)


def test_the_status_is_ones_own(team):
    save(team, "ana", [PER])
    save(team, "ana", [PER], base=1, status="done")
    rows = queue.page(team.workspace, team.project, queue.Filter(worker="ana")).rows
    assert [row.status for row in rows] == ["done", "imported", "new"]
    assert queue.page(team.workspace, team.project, queue.Filter(worker="bo")).rows[0].status == "new"
    assert documents.count(team.workspace, team.project)["done"] == 0


def test_what_changes_nothing_makes_no_event(team):
    save(team, "ana", [PER])
    assert save(team, "ana", [Span(0, 3, "PER", 0.5)], base=1).revision == 1
    assert len(annotations.history(team.workspace, team.ids[0], "ana")) == 1


@pytest.mark.parametrize("user", ["rui", "mia", "stranger"])
def test_who_was_not_handed_a_document_has_no_copy_of_it(team, user):
    with pytest.raises(NotAllowed):
        annotations.current(team.workspace, team.ids[0], user)
    with pytest.raises(NotAllowed):
        save(team, user, [PER])
    with pytest.raises(NotAllowed):
        annotations.history(team.workspace, team.ids[0], user)
    with pytest.raises(NotAllowed):
        revert_own(team.workspace, team.ids[0], 0, base_revision=0, user=user)


def test_annotators_never_read_each_others_versions(team):
    save(team, "ana", [PER], status="done")
    with pytest.raises(NotAllowed):
        versions.versions(team.workspace, team.ids[0], by="bo")
    (only,) = versions.versions(team.workspace, team.ids[0], by="rui")
    assert (only.user, only.spans) == ("ana", (PER,))
    save(team, "bo", [ORG])
    both = versions.versions(team.workspace, team.ids[0], by="rui", finished_only=False)
    assert [(one.user, one.status) for one in both] == [("ana", "done"), ("bo", "in_progress")]


def test_what_is_not_well_formed_is_refused_and_nothing_kept(team):
    with pytest.raises(PayloadError):
        save(team, "ana", [Span(0, 999, "PER")])
    with pytest.raises(UnknownLabelError):
        save(team, "ana", [Span(0, 2, "KING")])
    with pytest.raises(PayloadError):
        save(team, "ana", [PER], base=True)
    with pytest.raises(PayloadError):
        save(team, "ana", [PER], client_edit="no spaces")
    with pytest.raises(NotFound):
        save(team, "ana", [PER], run="flat-0001")
    with pytest.raises(PayloadError, match="revisions 0 to 0"):
        revert_own(team.workspace, team.ids[0], 4, base_revision=0, user="ana")
    assert annotations.current(team.workspace, team.ids[0], "ana").revision == 0


def test_a_label_is_renamed_in_versions_and_their_events(team):
    save(team, "ana", [PER])
    save(team, "ana", [ORG], base=1, rejected=[PER])
    label_changes.rename(team.workspace, team.project, "PER", "PERSON", user="mei")
    stands = annotations.current(team.workspace, team.ids[0], "ana")
    assert stands.rejected == (Span(0, 3, "PERSON"),)
    revert_own(team.workspace, team.ids[0], 1, base_revision=2, user="ana")
    assert spans(team, "ana") == (Span(0, 3, "PERSON"),)


def test_a_label_on_somebodys_copy_is_not_dropped(team):
    save(team, "ana", [PER])
    with pytest.raises(LabelInUse):
        labels.put(team.workspace, team.project, LabelSet().extended(["ORG", "LOC", "TITLE"]))


def test_the_working_copy_is_ones_own_where_handed_and_the_agreed_one_for_reviewers(team):
    working.save(team.workspace, team.ids[0], 0, [PER], user="ana")
    assert working.current(team.workspace, team.ids[0], "ana").document.spans == (PER,)
    assert working.current(team.workspace, team.ids[0], "rui").document.spans == ()
    assert working.history(team.workspace, team.ids[0], "rui") == []
    with pytest.raises(NotAllowed):
        working.current(team.workspace, team.ids[0], "stranger")


def test_without_members_everybody_works_on_gold(workspace, document_id):
    working.save(workspace, document_id, 0, [PER], user="anybody")
    working.revert(workspace, document_id, 0, base_revision=1, user="else")
    assert [event.user for event in annotations.history(workspace, document_id)] == ["anybody", "else"]


some_spans = st.sets(st.sampled_from([PER, ORG, Span(4, 6, "LOC")]))


@given(edits=st.lists(st.tuples(st.sampled_from(["ana", "bo"]), some_spans), max_size=12))
def test_folding_an_annotators_events_gives_their_version(tmp_path_factory, edits):
    with Workspace.open(new_workspace(tmp_path_factory.mktemp("fold"))) as workspace:
        project = projects.create(workspace, "news")
        labels.put(workspace, project.id, LabelSet().extended(["PER", "ORG", "LOC"]))
        team = separate(workspace, project)
        for user, wanted in edits:
            base = annotations.current(workspace, team.ids[0], user).revision
            save(team, user, sorted(wanted, key=lambda one: one.key), base=base)
        for user in ("ana", "bo"):
            stands = annotations.current(workspace, team.ids[0], user)
            events = annotations.history(workspace, team.ids[0], user)
            folded, _ = at_revision(events, stands.revision)
            assert folded == stands.document.spans
            assert stands.document.spans == tuple(
                sorted(
                    next((w for u, w in reversed(edits) if u == user), ()),
                    key=lambda s: (s.start, -s.end, s.label),
                )
            )


def test_people_who_save_at_once_lose_nothing_and_do_not_meet(team):
    errors = []

    def work(user, span):
        try:
            for turn in range(40):
                save(team, user, [span] if turn % 2 == 0 else [], base=turn, client_edit=f"{user}-{turn}")
        except Exception as error:  # told by the assertion below, in the thread of the test
            errors.append(error)

    threads = [threading.Thread(target=work, args=one) for one in (("ana", PER), ("bo", ORG))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    for user in ("ana", "bo"):
        events = annotations.history(team.workspace, team.ids[0], user)
        assert [event.revision for event in events] == list(range(1, 41))
        assert {event.user for event in events} == {user}
