"""Lists of a large project: the same documents as when every one is looked at."""

import random
from collections import Counter

import pytest

from core.store import Filter, Workspace
from core.store.annotation import annotations, judged_documents
from core.store.doctor import counts as doctor_counts
from core.store.document import documents, raw_documents, trash
from core.store.label import changes as label_changes
from core.store.label import labels
from core.store.project import projects
from core.store.queue import condition, queue, scores
from core.store.queue import filter as queue_filter
from core.store.queue.order import ORDERS
from core.store.run import predictions, runs, snapshot
from core.text import Document, LabelSet, Span
from tests.store.by_hand import mark

NUMBER = 160
SPLITS = ("train", "dev", "test", "none")
FILTERS = (
    Filter(), Filter(search="京"), Filter(search="大学"), Filter(label="ORG"), Filter(label="PER"),
    Filter(meta=(("source", "a"),)), Filter(meta=(("source", "b"), ("year", "1"))), Filter(split="train"),
    Filter(split="none"), Filter(status="done"), Filter(status="in_progress"), Filter(status="new"),
    Filter(status="imported"), Filter(status="preannotated"), Filter(done=False), Filter(ignored=False),
    Filter(predicted=True), Filter(predicted=False), Filter(confidence_from=0.4, confidence_to=0.8),
    Filter(confidence_to=0.5), Filter(annotator="me"), Filter(commented=True), Filter(trashed=True),
    Filter(search="京", label="ORG", meta=(("source", "a"),)), Filter(search="学", trashed=True),
    Filter(search="大学", split="train", done=False), Filter(label="ORG", confidence_from=0.3),
    Filter(search="大学", split="train"), Filter(search="的", label="ORG", split="dev"), Filter(label="GPE"),
    Filter(status="to_check", split="test"), Filter(search="公", meta=(("year", "1"), ("source", "b"))),
)  # fmt: skip


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Two projects filled at random; the workspace, the second of them, and its run."""
    dice = random.Random(7)
    with Workspace.open(tmp_path_factory.mktemp("large")) as workspace:
        other = projects.create(workspace, "other").id
        project = projects.create(workspace, "large").id
        for number in (other, project):
            labels.put(workspace, number, LabelSet().extended(["ORG", "PER", "GPE", "GONE"]))
            documents.add(workspace, number, [_document(dice, at) for at in range(NUMBER)])
        ids = queue.matching(workspace, project)
        run = runs.create(workspace, project, "flat").name
        projects.set_active(workspace, project, run)
        for id_ in dice.sample(ids, 100):
            spans = [Span(0, 2, "ORG", dice.choice((0.2, 0.5, 0.7, 0.9)))] if dice.random() < 0.8 else []
            predictions.put_one(workspace, run, id_, spans)
        predictions.put_one(workspace, run, id_, [])  # once more, without a score
        predictions.drop(workspace, run, dice.sample(ids, 5))
        for id_ in dice.sample(ids, 50):
            revision = annotations.current(workspace, id_).revision
            annotations.save(workspace, id_, revision, [Span(1, 3, "PER")], user="me", run=run)
        for id_ in dice.sample(ids, 10):
            mark(workspace, id_, 0, 6, user="me")
        label_changes.merge(workspace, project, "GPE", "ORG", user="me")
        label_changes.delete(workspace, project, "GONE", user="me")
        for id_ in dice.sample(ids, 40):
            annotations.set_status(workspace, id_, dice.choice(("done", "ignored", "to_check")), user="me")
        trash.trash_documents(workspace, project, dice.sample(ids, 20))
        scores.put(workspace, project, "margin", {id_: dice.random() for id_ in dice.sample(ids, 90)}, run)
        yield workspace, project, run


def _document(dice, at):
    text = "".join(dice.choice("北京大学的公司") for _ in range(12))
    offered = (Span(0, 2, "ORG"), Span(0, 2, "GPE"), Span(0, 4, "GPE"), Span(3, 5, "GONE"))
    spans = dice.sample(offered, dice.randint(0, 3)) if dice.random() < 0.4 else ()
    meta = {"source": dice.choice("ab"), "year": dice.choice((1, 2)), "split": dice.choice(SPLITS)}
    return Document(f"d{at}", text, spans, meta)


def _pages(workspace, project, which, order, size=7):
    found = []
    while True:
        page = queue.page(
            workspace, project, which, order=order, offset=len(found), limit=size, acquisition="margin"
        )
        found += [row.id for row in page.rows]
        if not page.rows:
            return found, page


@pytest.mark.parametrize("order", ORDERS)
def test_indexes_give_the_documents_that_looking_at_each_gives(made, monkeypatch, order):
    workspace, project, _ = made
    for which in FILTERS:
        monkeypatch.setattr(condition.Lead, "few", lambda *_: None)
        monkeypatch.setattr(queue_filter, "_in_order", lambda _: [])
        plain = _pages(workspace, project, which, order)[0]
        monkeypatch.undo()
        for few in (10_000, 3, 0):  # the list of every condition, of the rare ones, and of none
            monkeypatch.setattr(condition, "FEW", few)
            monkeypatch.setattr(condition, "MANY", few + 20)
            monkeypatch.setattr(condition, "WINDOW", 25)
            monkeypatch.setattr(queue_filter, "FEW", few)
            found, last = _pages(workspace, project, which, order)
            assert (found, last.total, last.more) == (plain, len(plain), False), (which, few)
            assert queue.matching(workspace, project, which) == sorted(plain)
            if not which.ignored:
                near = [
                    queue.neighbour(workspace, project, one, which, order=order, acquisition="margin")
                    for one in plain
                ]
                assert near == [*plain[1:], None], few


def test_of_a_large_project_not_all_are_counted_and_all_are_reached(made, monkeypatch):
    workspace, project, _ = made
    which = Filter(label="ORG")
    everything, _ = _pages(workspace, project, which, "in order")
    monkeypatch.setattr(queue, "LARGE", 0)
    monkeypatch.setattr(queue, "MOST_COUNTED", 5)
    first = queue.page(workspace, project, which, limit=3)
    assert (len(first.rows), first.total, first.more) == (3, len(everything), False)  # few are counted anyway
    monkeypatch.setattr(condition, "FEW", 2)
    first = queue.page(workspace, project, which, limit=3)
    assert (len(first.rows), first.total, first.more) == (3, 5, True)
    assert _pages(workspace, project, which, "in order")[0] == everything
    assert queue.page(workspace, project, Filter(split="train"), limit=1).more is False  # the counts know it
    monkeypatch.setattr(queue, "MOST_COUNTED", 2)
    for both in (each for each in FILTERS if each.search or each.meta):
        number = len(queue.matching(workspace, project, both))
        page = queue.page(workspace, project, both, limit=1)
        assert page.total == (min(number, 2) if page.more else number), both
        assert not page.more or number > 2, both


def test_counts_are_those_of_the_documents(made):
    workspace, project, run = made
    with workspace.reading() as db:
        rows = db.execute("SELECT * FROM documents WHERE project_id = ?", (project,)).fetchall()
        columns = ("trashed", "status", "split", "revision", "labels", "number")
        kept = db.execute(
            f"SELECT {', '.join(columns)} FROM document_counts WHERE project_id = ?", (project,)
        )
        counts = {tuple(row)[:-1]: row["number"] for row in kept if row["number"]}
        predicted = {
            row[0] for row in db.execute("SELECT document_id FROM predictions WHERE run = ?", (run,))
        }
        scored = {row[0] for row in db.execute("SELECT document_id FROM queue_scores")}
        found = list(doctor_counts.counts(db))
    assert found == [], "all that triggers keep"
    assert counts == Counter(
        (
            int(row["trashed"] is not None),
            row["status"],
            row["split"],
            int(row["revision"] > 0),
            row["labels"][:1],
        )
        for row in rows
    )
    standing = [row for row in rows if row["trashed"] is None]
    assert documents.count(workspace, project)["all"] == len(standing)
    wanted = {
        row["id"] for row in standing
        if row["status"] not in ("done", "ignored") and row["split"] not in ("dev", "test")
    }  # fmt: skip
    alive = {row["id"] for row in standing}
    assert {id_ for id_, _ in scores.to_score(workspace, project)} == wanted
    assert scores.count_to_score(workspace, project) == len(wanted)
    state = scores.state(workspace, project, "margin")
    assert (state.scored, state.waiting) == (len(scored & alive), len(wanted - scored))
    state = scores.prediction_state(workspace, project, run)
    assert (state.scored, state.waiting) == (len(predicted & alive), len(wanted - predicted))
    assert predictions.missing(workspace, run) == sorted(alive - predicted)
    assert raw_documents.count(workspace, project) == sum(1 for _ in raw_documents.each(workspace, project))
    judged = sum(1 for _ in judged_documents.iterate(workspace, project))
    assert judged_documents.count(workspace, project) == (judged, len(standing))
    spans = Counter(
        span.label for document in documents.iterate(workspace, project) for span in document.spans
    )
    assert labels.span_counts(workspace, project) == {"ORG": spans["ORG"], "PER": spans["PER"]}


def test_a_snapshot_has_the_sizes_that_were_counted(made, tmp_path):
    workspace, project, _ = made
    manifest = snapshot.write(workspace, project, tmp_path)
    counted = snapshot.counts(workspace, project)
    assert {part: manifest.parts[part] for part in counted} == counted
    assert counted["train"].documents > 20
