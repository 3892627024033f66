"""What the demo project has been through, from the files that ship with the program."""

import json
import shutil
from collections import Counter
from pathlib import Path

import pytest

from core.store.annotation import comments
from core.store.db.errors import StoreError
from core.store.db.workspace import Workspace
from core.store.demo import load_demo
from core.store.demo_history import ACTIVE, BASELINE, FOLDERS, before_first_visit, load_history, load_runs
from core.store.document import documents
from core.store.lexicon import words
from core.store.lexicon.query import WordQuery
from core.store.project import projects
from core.store.queue import queue
from core.store.review import adjudications, versions
from core.store.run import ledger, predictions, runs, snapshot

ASSETS = Path(__file__).resolve().parents[2] / "assets"
COPIED = shutil.ignore_patterns("model.safetensors", "__pycache__")


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    with Workspace.open(tmp_path_factory.mktemp("demo")) as workspace:
        with before_first_visit():
            project = load_demo(workspace, ASSETS)
        assert load_runs(workspace, project, ASSETS)
        load_history(workspace, project, ASSETS)
        yield workspace, projects.get(workspace, project.id)


@pytest.fixture
def assets(tmp_path):
    return Path(shutil.copytree(ASSETS, tmp_path / "assets", ignore=COPIED))


def test_the_older_run_was_replaced_by_the_active_one(demo):
    workspace, project = demo
    assert [run.name for run in runs.all_runs(workspace, project.id)] == [BASELINE, ACTIVE]
    assert (project.active_run, project.previous_run) == (ACTIVE, BASELINE)
    assert ledger.baseline_of(workspace, ACTIVE) == BASELINE
    assert ledger.baseline_of(workspace, BASELINE) is None


def test_both_runs_have_predicted_every_document_with_scores(demo):
    workspace, project = demo
    total = documents.count(workspace, project.id)["all"]
    for run in FOLDERS:
        assert predictions.missing(workspace, run) == []
        told = predictions.of_documents(workspace, run, range(10_000))
        assert len(told) == total
        assert all(0 < (span.score or 0) <= 1 for spans in told.values() for span in spans)


def test_the_ledger_has_thirty_corrections_and_every_verdict(demo):
    workspace, project = demo
    page = ledger.page(workspace, project.id, limit=100)
    assert page.runs == (BASELINE, ACTIVE)
    assert page.total >= 30
    assert all(row.correction.run == BASELINE for row in page.rows)
    verdict = ledger.verdict(workspace, ACTIVE, BASELINE)
    assert verdict.total == page.total
    assert verdict.unknown == 0
    assert min(verdict.fixed, verdict.still_wrong, verdict.newly_broken, verdict.holds) > 0
    under_baseline = Counter(row.correction.states[BASELINE] for row in page.rows)
    assert set(under_baseline) == {ledger.STILL_WRONG, ledger.HOLDS}


def test_corrections_are_real_differences_of_the_baseline_from_the_corpus(demo):
    workspace, project = demo
    for row in ledger.page(workspace, project.id, limit=100).rows:
        claim, predicted = (
            row.correction.claim,
            predictions.get(workspace, BASELINE, row.correction.document_id),
        )
        told = {span.key for span in predicted or ()}
        assert claim.before is None or claim.before.key in told
        if claim.kind != "confirmed":
            assert claim.after is None or claim.after.key not in told
        assert claim.after is None or claim.after.key in {span.key for span in row.document.spans}


def test_typed_words_are_counted_in_the_texts_and_two_lists_disagree(demo):
    workspace, project = demo
    page = words.page(workspace, project.id, limit=500)
    assert page.total >= 60
    assert all(row.type for row in page.rows)
    texts = [document.text for document in documents.iterate(workspace, project.id)]
    assert all(row.documents == sum(row.word in text for text in texts) for row in page.rows)
    conflicts = words.page(workspace, project.id, WordQuery(state="conflict")).rows
    assert {row.word for row in conflicts} >= {"禾沐", "Korvane", "岩雀", "Velmo"}
    assert {row.type for row in conflicts if row.word == "禾沐"} == {"BRAND", "ORG"}


def test_the_review_has_versions_that_differ_and_one_document_where_they_agree(demo):
    workspace, project = demo
    waiting = adjudications.waiting(workspace, project.id, by="me").rows
    assert [row.name for row in waiting] == ["raw-10", "raw-14", "raw-15", "raw-16", "raw-18"]
    assert [row.name for row in waiting if row.is_unanimous] == ["raw-16"]
    for row in waiting:
        told = versions.versions(workspace, row.document_id, by="me")
        assert [version.user for version in told] == ["Daniel Brandt", "林晓"]


def test_two_people_commented_also_on_spans(demo):
    workspace, project = demo
    said = [
        comment
        for row in queue.page(workspace, project.id, limit=10_000).rows
        for comment in comments.read_by(workspace, row.id, "me")
    ]
    assert {comment.user for comment in said} == {"林晓", "Daniel Brandt"}
    assert any(comment.label for comment in said)
    assert any(comment.start is None for comment in said)


def test_a_long_document_in_each_language_heads_nothing_and_is_not_learned_from(demo):
    workspace, project = demo
    rows = queue.page(workspace, project.id, limit=10_000).rows
    assert rows[0].name == "raw-01"
    articles = [row for row in rows if row.name.startswith("article-")]
    assert [row.name for row in articles] == ["article-zh", "article-en"]
    assert articles[0].length > 4000
    assert articles[1].length > 2500
    counted = snapshot.counts(workspace, project.id)
    learned = sum(counted[part].documents for part in ("train", "dev", "test"))
    assert learned == len((ASSETS / "demo" / "corpus.jsonl").read_text("utf-8").splitlines())


def test_events_lie_before_the_first_visit_in_order(demo):
    workspace, project = demo
    older, newer = runs.all_runs(workspace, project.id)
    times = [row.correction.at for row in ledger.page(workspace, project.id, limit=100).rows]
    assert project.created < older.created < min(times) <= max(times) < newer.created


def test_loading_twice_adds_nothing(demo):
    workspace, project = demo
    before = (documents.count(workspace, project.id), ledger.verdict(workspace, ACTIVE, BASELINE))
    load_history(workspace, project, ASSETS)
    assert (documents.count(workspace, project.id), ledger.verdict(workspace, ACTIVE, BASELINE)) == before


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("demo/history/history.json", "{", "a field name in double quotes"),
        ("demo/history/history.json", '{"corrected": []}', "words"),
        ("demo/history/history.json", '{"corrected": [], "words": [], "versions": [{}]}', "document"),
        ("demo/history/article-en.txt", None, "there is no such file"),
        ("demo_baseline/predictions.jsonl", "{}\n", "predictions.jsonl, line 1"),
    ],
)
def test_a_damaged_file_is_named_and_nothing_is_added(assets, tmp_path, name, content, said):
    if content is None:
        (assets / name).unlink()
    else:
        (assets / name).write_text(content, encoding="utf-8")
    with Workspace.open(tmp_path / "workspace") as workspace:
        project = load_demo(workspace, assets)
        load_runs(workspace, project, assets)
        before = documents.count(workspace, project.id)
        with pytest.raises(StoreError, match=f"history of the demo.*{said}"):
            load_history(workspace, project, assets)
        assert documents.count(workspace, project.id) == before


def test_a_history_of_another_corpus_adds_nothing(assets, tmp_path):
    path = assets / "demo" / "history" / "history.json"
    told = json.loads(path.read_text(encoding="utf-8"))
    told["corrected"].append(["zh-9999", "林晓"])
    path.write_text(json.dumps(told), encoding="utf-8")
    with Workspace.open(tmp_path / "workspace") as workspace:
        project = load_demo(workspace, assets)
        load_runs(workspace, project, assets)
        before = documents.count(workspace, project.id)
        with pytest.raises(StoreError, match="no document 'zh-9999'"):
            load_history(workspace, project, assets)
        assert documents.count(workspace, project.id) == before
        assert predictions.of_documents(workspace, ACTIVE, range(10_000)) == {}
