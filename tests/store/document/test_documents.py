"""Documents come in once, are found by any substring, dealt into splits, thrown away and brought back."""

from __future__ import annotations

import pytest

from core.store import Filter, NotFound, PayloadError
from core.store.annotation import annotations
from core.store.document import documents, splits, trash
from core.store.label import labels
from core.store.project import projects
from core.store.queue import queue
from core.store.run import predictions
from core.text import Document, Span
from tests.store.by_hand import number_of

TEXTS = ["青禾大学在城西", "林知远到了", "Dr. Hale left Norwich", "大雨将至", "无人机到货"]


@pytest.fixture
def five(workspace, project):
    return documents.add(workspace, project.id, [Document(str(i), text) for i, text in enumerate(TEXTS)]).ids


def ids(found: queue.Page) -> list[int]:
    return [row.id for row in found.rows]


def test_importing_twice_adds_nothing_and_says_so(workspace, project):
    batch = [Document("a", "青禾", (Span(0, 2, "LOC"),)), Document("b", "禾青")]
    first, second = documents.add(workspace, project.id, batch), documents.add(workspace, project.id, batch)
    assert (first.added, first.duplicates) == (2, 0)
    assert (second.added, second.duplicates, second.ids) == (0, 2, first.ids)
    assert documents.count(workspace, project.id)["all"] == 2


def test_one_text_under_two_ids_is_two_documents(workspace, project):
    assert documents.add(workspace, project.id, [Document("a", "青禾"), Document("b", "青禾")]).added == 2


def test_a_taken_id_gets_a_number(workspace, project):
    found = documents.add(
        workspace, project.id, [Document("1", "青"), Document("1", "禾"), Document("1", "市")]
    )
    assert [documents.get(workspace, number).id for number in found.ids] == ["1", "1-2", "1-3"]
    assert number_of(workspace, project.id, "1-2") == found.ids[1]
    more = documents.add(workspace, project.id, [Document("1-2", "镇"), Document("1", "乡")])
    assert [documents.get(workspace, number).id for number in more.ids] == ["1-2-2", "1-4"]


def test_a_document_is_found_by_its_id_within_its_project(workspace, project):
    (number,) = documents.add(workspace, project.id, [Document("a", "青禾")]).ids
    assert documents.number_named(workspace, project.id, "a") == number
    for where, name in ((project.id, "b"), (project.id + 1, "a")):
        with pytest.raises(NotFound, match=f"'{name}'"):
            documents.number_named(workspace, where, name)


def test_everything_a_document_carries_comes_back(workspace, project):
    came = Document(
        "x", "𠮷野家😀开业", (Span(0, 3, "ORG", 0.5), Span(0, 1, "LOC")), {"style": "news", "n": [1]}
    )
    (number,) = documents.add(workspace, project.id, [came], split="dev").ids
    back = documents.get(workspace, number)
    assert (back.id, back.text, back.spans) == (came.id, came.text, came.spans)
    assert dict(back.meta) == {"style": "news", "n": [1], "split": "dev"}


def test_unknown_labels_are_added_to_the_project_with_free_keys(workspace, project):
    done = documents.add(workspace, project.id, [Document("a", "青禾", (Span(0, 2, "CROP"),))])
    assert done.new_labels == ("CROP",)
    assert labels.get(workspace, project.id)["CROP"].hotkey == "5"


def test_the_split_comes_from_the_call_else_from_meta(workspace, project):
    batch = [Document("a", "一", (), {"split": "test"}), Document("b", "二", (), {"split": "<b>"})]
    documents.add(workspace, project.id, batch)
    documents.add(workspace, project.id, [Document("c", "三", (), {"split": "test"})], split="train")
    counts = documents.count(workspace, project.id)
    assert (counts["test"], counts["none"], counts["train"]) == (1, 1, 1)


def test_a_document_that_came_with_labels_counts_as_brought_until_somebody_opens_it(workspace, project):
    labelled = Document("a", "青禾大学", (Span(0, 4, "ORG"),))
    (a, _) = documents.add(workspace, project.id, [labelled, Document("b", "大雨")]).ids
    counts = documents.count(workspace, project.id)
    assert (counts["new"], counts["labelled"], counts["brought"]) == (2, 1, 1)
    annotations.set_status(workspace, a, "done", user="mei")
    counts = documents.count(workspace, project.id)
    assert (counts["new"], counts["labelled"], counts["brought"]) == (1, 1, 0)


def test_half_a_surrogate_pair_is_refused_by_document(workspace, project):
    with pytest.raises(PayloadError, match="document 'x'"):
        documents.add(workspace, project.id, [Document("x", "a\ud800b")])


def test_meta_that_is_no_json_is_refused_by_document(workspace, project):
    with pytest.raises(PayloadError, match="the metadata of document 'x'"):
        documents.add(workspace, project.id, [Document("x", "a", (), {"when": {1, 2}})])


def test_an_import_reports_progress_and_lets_saves_in_between(workspace, project, document_id):
    seen = []

    def progress(done):
        seen.append(done)
        base = annotations.current(workspace, document_id).revision
        annotations.save(workspace, document_id, base, [Span(0, len(seen), "PER")], user="lin")

    documents.add(
        workspace, project.id, (Document(str(i), f"第{i}篇") for i in range(4_200)), progress=progress
    )
    assert seen == [2_000, 4_000, 4_200]
    assert annotations.current(workspace, document_id).revision == len(seen)


def test_an_import_that_is_stopped_keeps_its_chunks_and_can_be_repeated(workspace, project):
    batch = [Document(str(i), f"第{i}篇") for i in range(2_500)]

    def stop(done):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        documents.add(workspace, project.id, batch, progress=stop)
    assert documents.count(workspace, project.id)["all"] == 2_000
    again = documents.add(workspace, project.id, batch)
    assert (again.added, again.duplicates) == (500, 2_000)


def test_iterating_gives_every_document_in_order_across_chunks(workspace, project):
    documents.add(workspace, project.id, (Document(str(i), f"第{i}篇") for i in range(1_101)))
    assert [document.id for document in documents.iterate(workspace, project.id)] == [
        str(i) for i in range(1_101)
    ]


def test_iterating_labelled_documents_leaves_untouched_ones_out(workspace, project, five):
    annotations.save(workspace, five[2], 0, [Span(4, 8, "PER")], user="lin")
    annotations.set_status(workspace, five[3], "done", user="lin")
    assert [document.id for document in documents.iterate(workspace, project.id, labelled=True)] == ["2", "3"]


@pytest.mark.parametrize(
    ("search", "hits"),
    [("大", [0, 3]), ("大学", [0]), ("到", [1, 4]), ("norwich", [2]), ("HALE", [2]), ("%", []), ("'", [])],
)
def test_search_finds_any_substring_even_one_chinese_character(workspace, project, five, search, hits):
    found = queue.page(workspace, project.id, Filter(search=search))
    assert ids(found) == [five[hit] for hit in hits]
    assert found.total == len(hits)


def test_the_queue_is_filtered_by_status_split_label_and_prediction(workspace, project, five, answered):
    annotations.save(workspace, five[0], 0, [Span(0, 4, "ORG")], user="lin", status="done")
    splits.set_split(workspace, project.id, five[:2], "test")
    run = answered("flat", five[1], (0, 3, "PER")).name
    assert ids(queue.page(workspace, project.id, Filter(status="done"))) == [five[0]]
    assert ids(queue.page(workspace, project.id, Filter(split="test"))) == list(five[:2])
    assert ids(queue.page(workspace, project.id, Filter(label="ORG"))) == [five[0]]
    assert ids(queue.page(workspace, project.id, Filter(label="PER"))) == []
    assert ids(queue.page(workspace, project.id, Filter(predicted=True), run=run)) == [five[1]]
    assert queue.page(workspace, project.id, Filter(predicted=False), run=run).total == 4
    with pytest.raises(PayloadError, match="status must be one of"):
        queue.page(workspace, project.id, Filter(status="finished"))


def test_least_confident_comes_first_and_unasked_documents_last(workspace, project, five, answered):
    run = answered("flat", five[1], (0, 3, "PER"))
    predictions.put_one(workspace, run.name, five[3], [Span(0, 1, "LOC", 0.9), Span(0, 2, "LOC", 0.2)])
    answered("flat", five[4], run=run)
    projects.set_active(workspace, project.id, run.name)
    found = queue.page(workspace, project.id, order="least confident")
    assert ids(found) == [five[3], five[1], five[4], five[0], five[2]]
    assert [row.least_score for row in found.rows] == [0.2, 0.5, None, None, None]


@pytest.mark.parametrize("order", ["in order", "least confident", "random"])
def test_pages_put_together_hold_every_document_once(workspace, project, five, order):
    pages = [ids(queue.page(workspace, project.id, order=order, offset=at, limit=2)) for at in (0, 2, 4)]
    walk = [number for part in pages for number in part]
    assert sorted(walk) == sorted(five)


def test_an_unknown_order_is_refused(workspace, project, five):
    with pytest.raises(PayloadError, match="order must be one of"):
        queue.page(workspace, project.id, order="id; DROP TABLE documents")


def test_splits_are_dealt_by_seed_over_labelled_documents_only(workspace, project):
    batch = [Document(str(i), f"青禾{i}", (Span(0, 2, "LOC"),)) for i in range(50)]
    documents.add(workspace, project.id, [*batch, Document("raw", "无标注")])
    assert splits.assign_splits(workspace, project.id, seed=3) == {"train": 40, "dev": 5, "test": 5}
    dealt = {d.id: d.meta.get("split") for d in documents.iterate(workspace, project.id)}
    assert dealt["raw"] is None
    splits.assign_splits(workspace, project.id, seed=4)
    assert {d.id: d.meta.get("split") for d in documents.iterate(workspace, project.id)} != dealt
    splits.assign_splits(workspace, project.id, seed=3)
    assert {d.id: d.meta.get("split") for d in documents.iterate(workspace, project.id)} == dealt


def test_dealing_only_the_unassigned_leaves_the_others(workspace, project):
    batch = [Document(str(i), f"青禾{i}", (Span(0, 2, "LOC"),)) for i in range(20)]
    first = documents.add(workspace, project.id, batch).ids
    splits.set_split(workspace, project.id, first[:10], "test")
    assert splits.assign_splits(workspace, project.id, only_unassigned=True) == {
        "train": 8,
        "dev": 1,
        "test": 1,
    }
    assert documents.count(workspace, project.id)["test"] == 11


@pytest.mark.parametrize(("dev", "test"), [(-0.1, 0), (0.5, 0.5), (1, 0), (float("nan"), 0)])
def test_shares_that_leave_nothing_to_train_are_refused(workspace, project, dev, test):
    with pytest.raises(PayloadError, match="leave some to train"):
        splits.assign_splits(workspace, project.id, dev=dev, test=test)


def test_the_trash_gives_documents_back_whole(workspace, project, five):
    annotations.save(workspace, five[0], 0, [Span(0, 4, "ORG")], user="lin")
    assert trash.trash_documents(workspace, project.id, [five[0], five[0], 99]) == 1
    assert documents.count(workspace, project.id)["all"] == 4
    assert ids(queue.page(workspace, project.id, Filter(trashed=True))) == [five[0]]
    assert trash.restore_documents(workspace, project.id, [five[0]]) == 1
    assert documents.get(workspace, five[0]).spans == (Span(0, 4, "ORG"),)


def test_importing_a_document_that_lies_in_the_trash_brings_it_back(workspace, project, five):
    trash.trash_documents(workspace, project.id, [five[1]])
    assert documents.add(workspace, project.id, [Document("1", TEXTS[1])]).restored == 1
    assert documents.get(workspace, five[1]).text == TEXTS[1]


def test_the_documents_of_an_import_are_found_by_its_moment(workspace, project, five):
    trash.trash_documents(workspace, project.id, [five[1]])
    given = [Document("1", TEXTS[1]), Document("2", TEXTS[2]), Document("new", "新来的")]
    added = documents.add(workspace, project.id, given)
    assert (added.came, added.duplicates) == (2, 1)
    which = Filter(imported_at=added.at)
    assert queue.matching(workspace, project.id, which) == [five[1], added.ids[2]]
    more = documents.add(workspace, project.id, [Document("later", "又一篇")], at=added.at)
    assert more.ids[0] in queue.matching(workspace, project.id, which)
    trash.trash_documents(workspace, project.id, [five[1]])
    assert five[1] not in queue.matching(workspace, project.id, which)


def test_the_number_of_a_purged_document_is_never_given_again(workspace, project, five):
    trash.trash_documents(workspace, project.id, [five[-1]])
    assert trash.empty(workspace, project.id) == 1
    (fresh,) = documents.add(workspace, project.id, [Document("new", "新来的")]).ids
    assert fresh == five[-1] + 1
    with pytest.raises(NotFound):
        documents.get(workspace, five[-1])


def test_one_project_cannot_touch_the_documents_of_another(workspace, project, five):
    other = projects.create(workspace, "other")
    assert trash.trash_documents(workspace, other.id, five) == 0
    assert splits.set_split(workspace, other.id, five, "test") == 0
    assert queue.page(workspace, other.id).total == 0
    assert documents.count(workspace, project.id)["none"] == 5
