"""Annotated regions follow from edits and marks; a snapshot has those of partially annotated documents."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.corpus.document_json import read_documents
from core.store import Workspace
from core.store.annotation import annotations, regions
from core.store.annotation.regions import MarkEvent, Stretch
from core.store.annotation.touched import ON_SCREEN
from core.store.db.errors import NotFound, PayloadError
from core.store.document import documents, raw_documents, splits
from core.store.project import assignments, members, projects
from core.store.project.members import NotAllowed
from core.store.queue import queue
from core.store.review import versions
from core.store.run import runs, snapshot
from core.text import Document, Span
from tests.store.by_hand import mark, mark_own, save_own, unmark
from tests.workspaces import new_workspace

FIRST, SECOND, THIRD = "林知远来了。", "赵一鸣走了。", "孙悦在青禾市。"
TEXT = FIRST + SECOND + THIRD
ENDS = [0, 6, 12, 19]
PERSON = Span(0, 3, "PER")
SECOND_PERSON = Span(6, 9, "PER")


@pytest.fixture
def document_id(workspace, project):
    return documents.add(workspace, project.id, [Document("a", TEXT)]).ids[0]


def save(workspace, document_id, spans=(), rejected=(), action="label", **options):
    revision = annotations.current(workspace, document_id).revision
    return annotations.save(
        workspace, document_id, revision, spans, rejected, user="lin", action=action, **options
    )


def snapshot_of(workspace, project, part="train"):
    folder = runs.create(workspace, project.id, "flat").folder
    snapshot.write(workspace, project.id, folder)
    return {x.id: x for x in read_documents(folder / "snapshot" / f"{part}.jsonl")}


def test_an_untouched_document_has_no_annotated_regions(workspace, document_id):
    assert regions.get(workspace, document_id) == regions.Annotated(False, (), ())


@pytest.mark.parametrize("action", sorted(ON_SCREEN))
def test_the_sentence_of_a_span_is_annotated(workspace, document_id, action):
    save(workspace, document_id, [SECOND_PERSON], action=action)
    assert regions.get(workspace, document_id).regions == ((6, 12),)


def test_a_rejected_and_a_deleted_span_show_their_sentence_too(workspace, document_id):
    save(workspace, document_id, [], [Span(16, 19, "LOC")], action="reject")
    assert regions.get(workspace, document_id).regions == ((12, 19),)
    save(workspace, document_id, [PERSON], [Span(16, 19, "LOC")])
    save(workspace, document_id, [], [Span(16, 19, "LOC")], action="delete")
    assert regions.get(workspace, document_id).regions == ((0, 6), (12, 19))


def test_what_was_undone_annotates_nothing_until_it_is_done_again(workspace, document_id):
    def touched():
        return regions.get(workspace, document_id).regions

    save(workspace, document_id, [PERSON])
    save(workspace, document_id, [PERSON, SECOND_PERSON])
    save(workspace, document_id, [PERSON], action="undo")
    assert touched() == ((0, 6),)
    save(workspace, document_id, [], action="undo")
    assert touched() == ()
    save(workspace, document_id, [PERSON, SECOND_PERSON], action="redo")
    assert touched() == ((0, 12),), "two steps repeated in one save"


@pytest.mark.parametrize("action", ["label_others", "replace_labels"])
def test_what_was_done_to_many_documents_at_once_showed_nobody_the_sentence(workspace, document_id, action):
    save(workspace, document_id, [PERSON], action=action)
    assert regions.get(workspace, document_id).regions == ()


def test_a_span_across_two_sentences_shows_both(workspace, document_id):
    save(workspace, document_id, [Span(4, 8, "PER")])
    assert regions.get(workspace, document_id).regions == ((0, 12),)


def test_a_document_is_fully_annotated_while_it_is_done(workspace, document_id):
    save(workspace, document_id, [PERSON])
    annotations.set_status(workspace, document_id, "done", user="lin")
    assert regions.get(workspace, document_id).whole
    annotations.set_status(workspace, document_id, "in_progress", user="lin")
    assert regions.get(workspace, document_id).regions == ((0, 6),)


def test_a_document_imported_with_spans_is_fully_annotated(workspace, project):
    (id_,) = documents.add(workspace, project.id, [Document("b", TEXT, (PERSON,))]).ids
    assert regions.get(workspace, id_).whole


def test_an_imported_document_may_be_partially_annotated(workspace, project):
    given = Document("b", TEXT, (PERSON,), {"annotated_regions": [[0, 6]]})
    (id_,) = documents.add(workspace, project.id, [given]).ids
    assert regions.get(workspace, id_).regions == ((0, 6),)
    save(workspace, id_, [PERSON, SECOND_PERSON])
    assert regions.get(workspace, id_).regions == ((0, 12),)


@pytest.mark.parametrize("nonsense", ["yes", [[0, 999]], 3])
def test_an_imported_word_on_it_that_makes_no_sense_is_not_read(workspace, project, nonsense):
    given = Document("b", TEXT, (PERSON,), {"annotated_regions": nonsense})
    (id_,) = documents.add(workspace, project.id, [given]).ids
    assert regions.get(workspace, id_).whole
    assert "annotated_regions" not in snapshot_of(workspace, project)["b"].meta


def test_what_is_marked_joins_and_can_be_taken_back(workspace, document_id):
    mark(workspace, document_id, 0, 6, user="lin")
    found = mark(workspace, document_id, 4, 12, user="zhao")
    assert found == regions.get(workspace, document_id) == regions.Annotated(False, ((0, 12),), ((0, 12),))
    found = unmark(workspace, document_id, 6, 12, user="lin")
    assert found.marked == ((0, 6),)
    assert unmark(workspace, document_id, 0, 19, user="lin").regions == ()


def test_taking_a_mark_back_leaves_the_sentences_in_which_something_was_said(workspace, document_id):
    save(workspace, document_id, [PERSON])
    mark(workspace, document_id, 0, 12, user="lin")
    found = unmark(workspace, document_id, 0, 19, user="lin")
    assert (found.regions, found.marked) == (((0, 6),), ())


def test_marking_all_of_it_is_looking_at_the_whole(workspace, document_id):
    assert mark(workspace, document_id, 0, len(TEXT), user="lin").whole


@pytest.mark.parametrize("stretch", [(-1, 3), (3, 3), (5, 2), (0, 99), (True, 3), ("0", 3), (None, 2)])
def test_what_is_no_stretch_of_the_text_is_refused(workspace, document_id, stretch):
    with pytest.raises(PayloadError):
        mark(workspace, document_id, *stretch, user="lin")
    assert regions.get(workspace, document_id).marked == ()


def test_a_document_that_is_not_there_is_refused(workspace):
    with pytest.raises(NotFound):
        mark(workspace, 99, 0, 1, user="lin")


def test_a_snapshot_has_the_regions_of_partially_annotated_documents(workspace, project, document_id):
    save(workspace, document_id, [SECOND_PERSON])
    whole = documents.add(workspace, project.id, [Document("w", TEXT + "。", (PERSON,))]).ids[0]
    found = snapshot_of(workspace, project)
    assert found["a"].meta == {"annotated_regions": [[6, 12]]}
    assert found["w"].meta == {}
    save(workspace, whole, [PERSON, SECOND_PERSON])
    annotations.set_status(workspace, document_id, "done", user="lin")
    assert all(not document.meta for document in snapshot_of(workspace, project).values())


def test_a_document_held_out_is_scored_where_something_is_decided(workspace, project, document_id):
    splits.set_split(workspace, project.id, [document_id], "test")
    save(workspace, document_id, [SECOND_PERSON], [PERSON])
    mark(workspace, document_id, 12, 19, user="lin")
    assert snapshot_of(workspace, project, "test")["a"].meta == {
        "annotated_regions": [[0, 3], [12, 19]],
        "split": "test",
    }


def test_a_marked_region_without_spans_is_learned_as_no_entity(workspace, project, document_id):
    assert "a" in snapshot_of(workspace, project, "unlabelled")
    mark(workspace, document_id, 0, 6, user="lin")
    folder = runs.create(workspace, project.id, "flat").folder
    snapshot.write(workspace, project.id, folder)
    lines = (folder / "snapshot" / "train.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["meta"] for line in lines] == [{"annotated_regions": [[0, 6]]}]
    assert not (folder / "snapshot" / "unlabelled.jsonl").exists()


def test_the_documents_metadata_in_the_store_is_left_alone(workspace, project, document_id):
    mark(workspace, document_id, 0, 6, user="lin")
    assert documents.get(workspace, document_id).meta == {}


def test_what_goes_into_a_file_says_it_and_means_the_same_when_it_comes_back(workspace, project, document_id):
    save(workspace, document_id, [SECOND_PERSON])
    stale = Document("s", TEXT + "！", (PERSON,), {"annotated_regions": [[0, 6]]})
    (stale_id, _) = documents.add(workspace, project.id, [stale, Document("raw", "没人看过。")]).ids
    annotations.set_status(workspace, stale_id, "done", user="lin")
    found = {
        x.id: x for x in regions.with_updated(workspace, project.id, documents.iterate(workspace, project.id))
    }
    assert {name: dict(x.meta) for name, x in found.items()} == {
        "a": {"annotated_regions": [[6, 12]]},
        "s": {},
        "raw": {},
    }
    other = projects.create(workspace, "other").id
    (again,) = documents.add(workspace, other, [found["a"]]).ids
    assert regions.get(workspace, again).regions == ((6, 12),)


def test_marks_leave_a_history_of_what_came_and_went_at_which_revision(workspace, document_id):
    mark(workspace, document_id, 0, 6, user="lin")
    mark(workspace, document_id, 0, 6, user="mei")  # nothing new
    save(workspace, document_id, [PERSON])
    mark(workspace, document_id, 3, 12, user="mei")
    regions.mark(workspace, document_id, [Stretch(6, 12, False)], user="mei", way="undo")
    regions.mark(workspace, document_id, [Stretch(0, 2, False), Stretch(4, 6, False)], user="lin")
    assert regions.mark_history(workspace, document_id) == [
        MarkEvent(0, "lin", "mark", ((0, 6),), ()),
        MarkEvent(1, "mei", "mark", ((6, 12),), ()),
        MarkEvent(1, "mei", "undo", (), ((6, 12),)),
        MarkEvent(1, "lin", "mark", (), ((0, 2), (4, 6))),
    ]


def test_several_stretches_are_marked_all_or_none(workspace, document_id):
    wrong = [Stretch(0, 3, True), Stretch(5, 99, True)]
    for stretches, way in (
        (wrong, "mark"),
        ([], "mark"),
        (wrong[:1] * 1001, "mark"),
        (wrong[:1], "sideways"),
    ):
        with pytest.raises(PayloadError):
            regions.mark(workspace, document_id, stretches, user="lin", way=way)
    assert regions.get(workspace, document_id) == regions.Annotated(False, (), ())


@given(st.lists(st.tuples(st.integers(0, 18), st.integers(1, 8), st.booleans()), max_size=12))
def test_the_history_folds_to_the_characters_that_are_marked(tmp_path_factory, changes):
    with Workspace.open(new_workspace(tmp_path_factory.mktemp("marks"))) as workspace:
        project = projects.create(workspace, "p")
        (id_,) = documents.add(workspace, project.id, [Document("a", TEXT)]).ids
        marked = set()
        for start, length, is_annotated in changes:
            end = min(len(TEXT), start + length)
            place = range(start, end)
            marked = marked | set(place) if is_annotated else marked - set(place)
            change = mark if is_annotated else unmark
            found = change(workspace, id_, start, end, user="lin")
            assert {at for a, b in found.marked for at in range(a, b)} == marked
        folded = set()
        for event in regions.mark_history(workspace, id_):
            came = {at for a, b in event.came for at in range(a, b)}
            gone = {at for a, b in event.gone for at in range(a, b)}
            assert not came & folded
            assert gone <= folded
            folded = (folded | came) - gone
        assert folded == marked


# ---------------------------------------------------------------------- copies


def copy_save(team, user, spans=(), action="label", at=0, **more):
    revision = annotations.current(team.workspace, team.ids[at], user).revision
    save_own(team.workspace, team.ids[at], revision, spans, user=user, action=action, **more)


def test_a_copy_has_marks_and_sentences_of_its_owner_alone(team):
    document = team.ids[0]
    copy_save(team, "ana", [Span(0, 3, "PER")])
    mark_own(team.workspace, team.ids[2], [Stretch(0, 2, True)], user="ana")
    length = len(documents.get(team.workspace, document).text)
    assert regions.get(team.workspace, document, "ana").regions == ((0, length),)
    assert regions.get(team.workspace, team.ids[2], "ana").marked == ((0, 2),)
    for at in (0, 2):
        assert regions.get(team.workspace, team.ids[at], "bo") == regions.Annotated(False, (), ())
        assert regions.get(team.workspace, team.ids[at]).marked == ()
    with pytest.raises(NotAllowed):
        mark_own(team.workspace, document, [Stretch(0, 2, True)], user="rui")


def test_imported_spans_do_not_annotate_a_version(team):
    assert regions.get(team.workspace, team.ids[1]).whole
    assert not regions.get(team.workspace, team.ids[1], "ana").whole
    copy_save(team, "ana", [Span(0, 2, "PER")], action="done", at=1, status="done")
    assert regions.get(team.workspace, team.ids[1], "ana").whole


def test_a_reviewer_sees_the_annotated_share_of_an_unfinished_version(team):
    document = team.ids[2]
    copy_save(team, "ana", at=2, action="done", status="done")
    copy_save(team, "bo", [Span(0, 2, "ORG")], action="label_others", at=2)
    mark_own(team.workspace, document, [Stretch(2, 4, True)], user="bo")
    seen = {
        one.user: one.annotated
        for one in versions.versions(team.workspace, document, by="rui", finished_only=False)
    }
    assert seen == {"ana": None, "bo": ((2, 4),)}


def test_marking_a_copy_is_beginning_it(team):
    (fresh,) = documents.add(team.workspace, team.project, [Document("new", "新来的一篇。")]).ids
    raw = raw_documents.count(team.workspace, team.project)
    assignments.hand_out(team.workspace, team.project, ["ana", "bo"], by="mia")
    mark_own(team.workspace, fresh, [Stretch(0, 2, True)], user="ana")
    assert raw_documents.count(team.workspace, team.project) == raw - 1, "a person has begun it"
    members.put(team.workspace, team.project, "cai", "annotator", by="mia")
    people = ["ana", "bo", "cai"]
    for seed in range(6):
        assignments.hand_out(team.workspace, team.project, people, by="mia", again=True, seed=seed)
        rows = queue.page(team.workspace, team.project, queue.Filter(worker="ana")).rows
        assert {row.id: row.status for row in rows}[fresh] == "new"
