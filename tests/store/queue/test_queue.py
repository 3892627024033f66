"""The queue against a plain list: every filter, order, page and neighbour."""

import random
from itertools import product

import pytest

from core.store import Filter
from core.store.annotation import annotations, comments
from core.store.db.errors import PayloadError
from core.store.document import documents, splits, trash
from core.store.project import projects
from core.store.queue import filter as queue_filter
from core.store.queue import order as queue_order
from core.store.queue import queue
from core.store.queue import scores as queue_scores
from core.store.run import predictions, runs
from core.store.suggest import sources
from core.text import Document, Span
from tests.store.by_hand import save_own

PARTS = ["青", "禾", "大学", "医院", "A", "b", "雨"]


@pytest.fixture
def filled(workspace, project):
    """60 documents in every state; returns what a plain list would know of them."""
    dice = random.Random(5)
    texts = ["".join(dice.choices(PARTS, k=6)) for _ in range(60)]
    numbers = documents.add(
        workspace, project.id, [Document(str(i), text) for i, text in enumerate(texts)]
    ).ids
    run = runs.create(workspace, project.id, "flat").name
    projects.set_active(workspace, project.id, run)
    known = []
    for number, text in zip(numbers, texts, strict=True):
        row = {"id": number, "text": text, "status": "new", "split": "none", "labels": set(), "score": None}
        if dice.random() < 0.5:
            row["labels"] = {dice.choice(["PER", "ORG"])}
            row["status"] = dice.choice(["in_progress", "done"])
            spans = [Span(0, 2, label) for label in row["labels"]]
            annotations.save(workspace, number, 0, spans, user="lin", status=row["status"])
        if dice.random() < 0.6:
            row["split"] = dice.choice(["train", "dev", "test"])
            splits.set_split(workspace, project.id, [number], row["split"])
        row["asked"] = dice.random() < 0.7
        if row["asked"]:
            scores = [dice.randrange(100) / 100 for _ in range(dice.randrange(3))]
            row["score"] = min(scores, default=None)
            predictions.put_one(
                workspace, run, number, [Span(i, i + 1, "PER", s) for i, s in enumerate(scores)]
            )
        if row["status"] == "new" and row["score"] is not None:
            row["status"] = "preannotated"
        row["trashed"] = dice.random() < 0.1
        if row["trashed"]:
            trash.trash_documents(workspace, project.id, [number])
        known.append(row)
    return known


def passes(row, which: Filter) -> bool:
    return (
        row["trashed"] == which.trashed
        and which.status in (None, row["status"])
        and which.split in (None, row["split"])
        and (which.label is None or which.label in row["labels"])
        and which.predicted in (None, row["asked"])
        and which.search.lower() in row["text"].lower()
    )


def confidence(row):
    return (row["score"] is None, row["score"] or 0, not row["asked"], row["id"])


FILTERS = [
    Filter(status=status, split=split, label=label, predicted=predicted, search=search)
    for status, split, label, predicted, search in product(
        (None, "new", "preannotated", "done"),
        (None, "dev"),
        (None, "ORG"),
        (None, True, False),
        ("", "大", "a"),
    )
] + [Filter(trashed=True)]


def test_every_filter_lets_through_what_a_plain_list_would(workspace, project, filled):
    for which in FILTERS:
        wanted = [row["id"] for row in filled if passes(row, which)]
        found = queue.page(workspace, project.id, which, limit=100)
        assert [row.id for row in found.rows] == wanted, which
        assert found.total == len(wanted)


def test_least_confident_sorts_as_a_plain_list_would(workspace, project, filled):
    for which in FILTERS:
        wanted = [row["id"] for row in sorted(filled, key=confidence) if passes(row, which)]
        found = queue.page(workspace, project.id, which, order="least confident", limit=100)
        assert [row.id for row in found.rows] == wanted, which


@pytest.mark.parametrize("order", list(queue_order.ORDERS))
def test_pages_put_together_are_the_queue(workspace, project, filled, order):
    whole = [row.id for row in queue.page(workspace, project.id, order=order, limit=100).rows]
    pages = [
        queue.page(workspace, project.id, order=order, offset=at, limit=7).rows for at in range(0, 60, 7)
    ]
    assert [row.id for rows in pages for row in rows] == whole
    assert len(whole) == len(set(whole))


SCORED = {
    "in order": lambda row: row["id"],
    "least confident": confidence,
    "lowest score": lambda row: (row["id"] % 5 == 0, row["id"] % 7 if row["id"] % 5 else 0, row["id"]),
    "highest score": lambda row: (row["id"] % 5 == 0, -(row["id"] % 7) if row["id"] % 5 else 0, row["id"]),
}


@pytest.mark.parametrize("order", list(SCORED))
def test_every_page_of_every_filter_in_every_order_is_that_of_a_plain_list(workspace, project, filled, order):
    scores = {row["id"]: row["id"] % 7 for row in filled if row["id"] % 5}
    queue_scores.put(workspace, project.id, "made", scores, "now")
    for which in FILTERS:
        wanted = [row["id"] for row in sorted(filled, key=SCORED[order]) if passes(row, which)]
        for offset in range(0, len(wanted) + 5, 4):
            found = queue.page(
                workspace, project.id, which, order=order, acquisition="made", offset=offset, limit=4
            )
            assert [row.id for row in found.rows] == wanted[offset : offset + 4], (which, offset)
            assert found.total == len(wanted)


@pytest.mark.parametrize("order", list(SCORED))
def test_the_neighbours_of_every_document_are_those_of_a_plain_list_of_which_it_need_not_be(
    workspace, project, filled, order
):
    scores = {row["id"]: row["id"] % 7 for row in filled if row["id"] % 5}
    queue_scores.put(workspace, project.id, "made", scores, "now")
    in_order = sorted(filled, key=SCORED[order])
    for which in FILTERS[::5]:
        for at, row in enumerate(in_order):
            before = [other["id"] for other in in_order[:at] if passes(other, which)]
            after = [other["id"] for other in in_order[at + 1 :] if passes(other, which)]
            found = [
                queue.neighbour(
                    workspace, project.id, row["id"], which,
                    backwards=backwards, order=order, acquisition="made",
                )
                for backwards in (True, False)
            ]  # fmt: skip
            assert found == [before[-1] if before else None, after[0] if after else None], (which, row["id"])


def test_neighbours_walk_through_the_random_order(workspace, project, filled):
    rows = [row.id for row in queue.page(workspace, project.id, order="random", limit=100).rows]
    walked = [queue.neighbour(workspace, project.id, id_, order="random") for id_ in rows]
    assert walked == [*rows[1:], None]


@pytest.mark.parametrize("order", list(SCORED))
def test_what_follows_a_document_is_the_rest_of_a_plain_list_also_of_one_outside_it(
    workspace, project, filled, order
):
    scores = {row["id"]: row["id"] % 7 for row in filled if row["id"] % 5}
    queue_scores.put(workspace, project.id, "made", scores, "now")
    in_order = sorted(filled, key=SCORED[order])

    def following(document, which, limit=100):
        return queue.following(
            workspace, project.id, document, which, limit=limit, order=order, acquisition="made"
        )

    for which in FILTERS[::7]:
        assert following(None, which) == [row["id"] for row in in_order if passes(row, which)]
        for at, row in enumerate(in_order[::9]):
            after = [other["id"] for other in in_order[9 * at + 1 :] if passes(other, which)]
            assert following(row["id"], which) == after
            assert following(row["id"], which, 3) == after[:3]


def test_metadata_is_counted_like_a_plain_list_with_and_without_the_trash(workspace, project):
    made = [
        Document(f"m{at}", f"第{at}篇", (), {"genre": "news" if at % 2 else "blog", "year": 2000 + at % 3})
        for at in range(40)
    ]
    numbers = documents.add(workspace, project.id, made).ids
    known = list(zip(numbers, made, strict=True))
    trash.trash_documents(workspace, project.id, numbers[::5])
    annotations.set_status(workspace, numbers[1], "done", user="lin")
    for meta in ((("genre", "news"),), (("genre", "news"), ("year", "2001")), (("genre", "law"),)):
        for trashed, status in ((False, None), (True, None), (False, "done")):
            expected = [
                number
                for at, (number, document) in enumerate(known)
                if all(str(document.meta[field]) == value for field, value in meta)
                and (at % 5 == 0) == trashed
                and (status is None or number == numbers[1])
            ]
            page = queue.page(
                workspace, project.id, Filter(meta=meta, trashed=trashed, status=status), limit=100
            )
            assert ([row.id for row in page.rows], page.total) == (expected, len(expected)), (meta, trashed)


def test_documents_that_are_done_are_left_out_unless_they_are_asked_for(workspace, project, filled):
    done = {row["id"] for row in filled if row["status"] == "done" and not row["trashed"]}
    everything = {row["id"] for row in filled if not row["trashed"]}
    assert done
    assert set(queue.matching(workspace, project.id, Filter(done=False))) == everything - done
    assert set(queue.matching(workspace, project.id, Filter(done=False, status="done"))) == done


def test_a_document_of_another_project_has_no_neighbours_here(workspace, project, filled):
    other = projects.create(workspace, "other")
    documents.add(workspace, other.id, [Document("x", "青")])
    assert queue.neighbour(workspace, other.id, filled[0]["id"]) is None
    assert queue.following(workspace, other.id, filled[0]["id"], limit=9) == []


def test_confidences_of_a_run_of_another_project_bring_no_document_of_it(workspace, project, filled):
    other = projects.create(workspace, "other")
    numbers = documents.add(workspace, other.id, [Document("x", "青")]).ids
    run = runs.create(workspace, other.id, "flat").name
    predictions.put_one(workspace, run, numbers[0], [Span(0, 1, "PER", 0.1)])
    found = queue.page(workspace, project.id, order="least confident", run=run, limit=100)
    assert [row.id for row in found.rows] == [row["id"] for row in filled if not row["trashed"]]


def test_random_is_another_order_and_the_same_at_every_look(workspace, project, filled):
    first, second = (queue.page(workspace, project.id, order="random", limit=100) for _ in range(2))
    assert first == second
    assert [row.id for row in first.rows] != sorted(row.id for row in first.rows)


def test_a_row_tells_what_the_document_is(workspace, project, filled):
    for row in queue.page(workspace, project.id, limit=100).rows:
        known = filled[row.id - filled[0]["id"]]
        assert (row.status, row.split, row.spans) == (known["status"], known["split"], len(known["labels"]))
        assert (row.least_score, row.length, row.excerpt) == (
            known["score"],
            len(known["text"]),
            known["text"],
        )


def test_the_excerpt_starts_shortly_before_the_hit(workspace, project):
    documents.add(workspace, project.id, [Document("long", "青" * 500 + "禾" + "青" * 500)])
    (row,) = queue.page(workspace, project.id, Filter(search="禾")).rows
    assert row.excerpt == "青" * 10 + "禾" + "青" * 109


def test_a_search_is_taken_letter_by_letter(workspace, project):
    texts = ["100%", "100分", "a_b", "axb", "c\\d", "cd", "北京大学", "𠮷野家", "ÄRGER", "ärger"]
    documents.add(workspace, project.id, [Document(str(i), text) for i, text in enumerate(texts)])
    for search in ["%", "_", "\\", "00%", "京", "京大", "𠮷", "A_B", "C\\D", "Ä", "不在"]:
        wanted = [text for text in texts if ascii_lower(search) in ascii_lower(text)]
        found = queue.page(workspace, project.id, Filter(search=search))
        assert [row.excerpt for row in found.rows] == wanted, search
        assert found.total == len(wanted)


def ascii_lower(text):
    return "".join(char.lower() if char.isascii() else char for char in text)


def test_a_search_of_a_whole_novel_is_refused(workspace, project):
    with pytest.raises(PayloadError, match="1000 characters, got 1001"):
        queue.page(workspace, project.id, Filter(search="字" * 1001))


def test_documents_are_found_by_who_changed_them_by_confidence_error_and_comment(workspace, project):
    numbers = documents.add(workspace, project.id, [Document(str(i), "青禾市医院") for i in range(6)]).ids
    run = runs.create(workspace, project.id, "flat").name
    projects.set_active(workspace, project.id, run)
    for number, score in zip(numbers, (0.1, 0.4, 0.4, 0.9, None), strict=False):
        spans = [] if score is None else [Span(0, 3, "ORG", score)]
        predictions.put_one(workspace, run, number, spans)
    annotations.save(workspace, numbers[0], 0, [Span(0, 3, "ORG")], user="lin", run=run)
    annotations.save(workspace, numbers[1], 0, [Span(0, 2, "ORG")], user="wu", run=run)
    annotations.save(workspace, numbers[4], 0, [Span(3, 5, "ORG")], user="wu", run=run)
    comments.add(workspace, numbers[2], "此处存疑", user="lin")

    def ids(**fields):
        found = queue.page(workspace, project.id, Filter(**fields))
        assert queue.matching(workspace, project.id, Filter(**fields)) == [row.id for row in found.rows]
        return [numbers.index(row.id) for row in found.rows]

    assert ids(annotator="lin") == [0]
    assert ids(annotator="wu") == [1, 4]
    assert ids(annotator="' OR 1=1 --") == []
    assert ids(confidence_to=0.4) == [0, 1, 2]
    assert ids(confidence_from=0.4, confidence_to=0.4) == [1, 2]
    assert ids(confidence_from=0.5) == [3]
    assert ids(error="boundary") == [1]
    assert ids(error="missed") == [4]
    assert ids(error="any") == [1, 4]
    assert ids(commented=True) == [2]
    assert ids(commented=False, annotator="wu", status="in_progress") == [1, 4]
    with pytest.raises(PayloadError, match="error"):
        ids(error="confirmed")


def test_documents_with_imported_labels_are_neither_new_nor_annotated_by_anybody(workspace, project):
    texts = ("带标注", "没有标注", "改过")
    given = [Document(text, text, () if text == "没有标注" else (Span(0, 1, "PER"),)) for text in texts]
    numbers = documents.add(workspace, project.id, given, user="lin").ids
    annotations.save(workspace, numbers[2], 1, [Span(0, 2, "PER")], user="wu")
    rows = queue.page(workspace, project.id).rows
    assert [row.status for row in rows] == ["imported", "new", "in_progress"]
    for number, status in zip(numbers, ("imported", "new", "in_progress"), strict=True):
        assert queue.matching(workspace, project.id, Filter(status=status)) == [number]
    assert queue.matching(workspace, project.id, Filter(annotator="lin")) == []
    assert queue_filter.people(workspace, project.id) == ["wu"]
    assert documents.count(workspace, project.id)["brought"] == 1


def test_annotating_begins_with_the_first_document_that_nobody_has_annotated(workspace, project):
    assert queue.first_to_annotate(workspace, project.id) is None
    given = [
        Document("0", "带标注", (Span(0, 1, "PER"),)),
        *(Document(str(n), f"第{n}篇") for n in (1, 2, 3)),
    ]
    numbers = documents.add(workspace, project.id, given, at=1).ids
    run = runs.create(workspace, project.id, "flat").name
    projects.set_active(workspace, project.id, run)
    predictions.put_one(workspace, run, numbers[1], [Span(0, 1, "PER", 0.5)])
    assert queue.first_to_annotate(workspace, project.id) == numbers[1]
    annotations.save(workspace, numbers[1], 0, [], user="lin", status="done")
    assert queue.first_to_annotate(workspace, project.id) == numbers[2]
    for number in numbers[2:]:
        annotations.save(workspace, number, 0, [], user="lin", status="in_progress")
    assert queue.first_to_annotate(workspace, project.id) == numbers[0]
    assert queue.first_to_annotate(workspace, project.id, Filter(imported_at=2)) is None


def test_imported_labels_wait_in_an_annotators_own_queue_until_they_save(workspace, project):
    from tests.store.separate import separate

    team = separate(workspace, project)
    for who in ("ana", "bo"):
        rows = queue.page(workspace, project.id, Filter(worker=who)).rows
        assert [row.status for row in rows] == ["new", "imported", "new"]
    save_own(workspace, team.ids[1], 0, [], user="ana", status="in_progress")
    for who, imported in (("ana", []), ("bo", [team.ids[1]])):
        assert queue.matching(workspace, project.id, Filter(worker=who, status="imported")) == imported
        assert queue.matching(workspace, project.id, Filter(worker=who, status="new")) == [
            team.ids[0],
            team.ids[2],
        ]


def test_a_workers_queue_has_their_documents_with_their_own_status_and_labels(workspace, project):
    from tests.store.separate import separate

    team = separate(workspace, project)
    save_own(workspace, team.ids[0], 0, [Span(0, 3, "PER")], user="ana", status="done")
    rows = queue.page(workspace, project.id, queue.Filter(worker="ana")).rows
    assert [(row.status, row.spans, row.revision) for row in rows] == [
        ("done", 1, 1),
        ("imported", 0, 0),
        ("new", 0, 0),
    ]
    for asked, expected in (
        (queue.Filter(worker="ana", status="done"), [team.ids[0]]),
        (queue.Filter(worker="bo", status="done"), []),
        (queue.Filter(worker="ana", label="PER"), [team.ids[0]]),
        (queue.Filter(worker="bo", label="PER"), []),
        (queue.Filter(worker="mia"), []),
    ):
        for order in queue_order.ORDERS:
            found = queue.page(workspace, project.id, asked, order=order)
            assert ([row.id for row in found.rows], found.total) == (expected, len(expected))


def test_what_a_source_suggests_makes_a_raw_document_pre_annotated_until_the_source_is_deleted(
    workspace, project
):
    said, silent, unasked = documents.add(
        workspace, project.id, [Document(name, "林晓在清河") for name in ("said", "silent", "unasked")]
    ).ids
    source = sources.add(workspace, project.id, {"kind": "lac"}, user="lin").id
    sources.put(workspace, project.id, source, [(said, [Span(0, 2, "PER")]), (silent, [])])

    def ids(status):
        return [row.id for row in queue.page(workspace, project.id, Filter(status=status), limit=9).rows]

    assert (ids("preannotated"), ids("new")) == ([said], [silent, unasked])
    sources.delete(workspace, project.id, source, user="lin")
    assert (ids("preannotated"), ids("new")) == ([], [said, silent, unasked])
