"""The demo project, from the files that ship with the program."""

from pathlib import Path

import pytest

from core.store.db.errors import StoreError
from core.store.db.workspace import Workspace
from core.store.demo import load_demo
from core.store.document import documents
from core.store.label import labels
from core.store.queue import queue
from core.store.run import snapshot

ASSETS = Path(__file__).resolve().parents[2] / "assets"


@pytest.fixture
def workspace(tmp_path):
    with Workspace.open(tmp_path / "workspace") as opened:
        yield opened


def test_unlabelled_sentences_head_the_queue_and_the_labelled_corpus_follows(workspace):
    project = load_demo(workspace, ASSETS)
    raw = len((ASSETS / "demo" / "raw.txt").read_text(encoding="utf-8").split("\n")) - 1
    corpus = len((ASSETS / "demo" / "corpus.jsonl").read_text(encoding="utf-8").splitlines())
    page = queue.page(workspace, project.id, limit=raw + 1)
    assert page.total == raw + corpus
    assert [row.spans for row in page.rows[:raw]] == [0] * raw
    assert page.rows[0].name == "raw-01"
    assert page.rows[raw].spans > 0
    assert len(labels.get(workspace, project.id)) >= 6


def test_sentences_without_entities_are_learned_from_and_raw_ones_are_not(workspace):
    project = load_demo(workspace, ASSETS)
    every = list(documents.iterate(workspace, project.id))
    labelled = [item for item in every if not item.id.startswith("raw-")]
    counted = snapshot.counts(workspace, project.id)
    learned = sum(counted[part].documents for part in ("train", "dev", "test"))
    assert learned == len(labelled)
    assert any(not item.spans for item in labelled)


def test_loading_twice_adds_nothing(workspace):
    first = load_demo(workspace, ASSETS)
    before = queue.page(workspace, first.id).total
    assert load_demo(workspace, ASSETS).id == first.id
    assert queue.page(workspace, first.id).total == before


def test_a_damaged_corpus_is_named(workspace, tmp_path):
    with pytest.raises(StoreError, match="demo corpus"):
        load_demo(workspace, tmp_path)
