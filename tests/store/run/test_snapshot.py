"""A snapshot holds what teaches, says what it holds, and stays as it was written."""

import errno
import json
import os
from pathlib import Path

import pytest

from core.corpus.document_json import read_documents
from core.corpus.errors import DiskFullError
from core.store import StoreError, load_demo
from core.store.annotation import annotations
from core.store.document import documents, splits, trash
from core.store.label import labels
from core.store.lexicon import changes as lexicon_changes
from core.store.project import projects
from core.store.queue import queue
from core.store.run import runs, snapshot
from core.text import Document, Span
from tests.store.by_hand import add_words, number_of

REAL_ASSETS = Path(__file__).resolve().parents[3] / "assets"


@pytest.fixture
def filled(workspace, project, answered):
    """a: imported with spans; b: edited by a person; c: done and empty; d: raw; e: raw test, corrected."""
    batch = [Document(name, f"青禾市的第{name}篇") for name in "abcde"]
    batch[0] = batch[0].with_spans([Span(0, 3, "LOC", 0.5)])
    numbers = documents.add(workspace, project.id, batch).ids
    annotations.save(workspace, numbers[1], 0, [Span(0, 3, "LOC")], user="lin")
    annotations.set_status(workspace, numbers[2], "done", user="lin")
    splits.set_split(workspace, project.id, [numbers[4]], "test")
    run = answered("flat", numbers[4]).name
    annotations.save(workspace, numbers[4], 0, [Span(0, 3, "LOC")], user="lin", run=run)
    return runs.create(workspace, project.id, "flat").folder


def ids(folder, part):
    return [document.id for document in read_documents(folder / "snapshot" / f"{part}.jsonl")]


def test_only_labelled_documents_are_in_each_by_its_split(workspace, project, filled):
    counts = snapshot.write(workspace, project.id, filled).parts
    assert ids(filled, "train") == ["a", "b", "c"]
    assert ids(filled, "dev") == []
    assert ids(filled, "test") == ["e"]
    held = {part: (one.documents, one.spans) for part, one in counts.items() if part != "unlabelled"}
    assert held == {"train": (3, 2), "dev": (0, 0), "test": (1, 1), "corrections": (1, 1)}
    now = snapshot.counts(workspace, project.id)
    assert {**now, "unlabelled": counts["unlabelled"]} == counts


def test_unlabelled_texts_are_those_nobody_annotated_outside_dev_and_test(workspace, project, filled):
    raw = documents.add(workspace, project.id, [Document(x, f"第{x}篇未标注") for x in "xyz"]).ids
    splits.set_split(workspace, project.id, [raw[0]], "dev")
    splits.set_split(workspace, project.id, [raw[1]], "train")
    trash.trash_documents(workspace, project.id, [raw[2]])
    snapshot.write(workspace, project.id, filled)
    assert ids(filled, "unlabelled") == ["d", "y"]
    taught = {name for part in ("train", "dev", "test") for name in ids(filled, part)}
    assert not taught & {"d", "y"}


def test_without_unlabelled_texts_there_is_no_file_of_them(workspace, project, filled):
    annotations.set_status(workspace, 4, "done", user="lin")
    snapshot.write(workspace, project.id, filled)
    assert not (filled / "snapshot" / "unlabelled.jsonl").exists()


def test_documents_of_the_ledger_are_always_among_the_corrections(workspace, project, filled):
    snapshot.write(workspace, project.id, filled)
    assert ids(filled, "corrections") == ["e"]


def test_the_documents_come_back_whole(workspace, project, filled):
    snapshot.write(workspace, project.id, filled)
    first = next(iter(read_documents(filled / "snapshot" / "train.jsonl")))
    assert first == documents.get(workspace, 1)


def test_labels_and_words_travel_along(workspace, project, filled):
    add_words(workspace, project.id, {"青禾市": "LOC"}, user="lin")
    lexicon_changes.remove(workspace, project.id, ["市的"], user="lin")
    snapshot.write(workspace, project.id, filled)
    words = (filled / "snapshot" / "lexicon.tsv").read_text(encoding="utf-8")
    assert words == "added\t青禾市\tLOC\nremoved\t市的\t\n"
    known = json.loads((filled / "snapshot" / "labels.json").read_text(encoding="utf-8"))
    assert known == labels.get(workspace, project.id).to_json()


def test_later_edits_do_not_reach_a_snapshot(workspace, project, filled):
    snapshot.write(workspace, project.id, filled)
    before = (filled / "snapshot" / "train.jsonl").read_bytes()
    annotations.save(workspace, 2, 1, [], user="lin")
    assert (filled / "snapshot" / "train.jsonl").read_bytes() == before


def test_a_full_disk_leaves_no_manifest(workspace, project, filled, monkeypatch):
    def full(descriptor):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(DiskFullError, match="Free some space"):
        snapshot.write(workspace, project.id, filled)
    assert not (filled / "snapshot" / "manifest.json").exists()


@pytest.fixture
def assets(tmp_path):
    folder = tmp_path / "assets" / "demo"
    folder.mkdir(parents=True)
    (folder / "labels.json").write_text(
        json.dumps([{"name": "LOC", "description": "places", "description_zh": "地点"}]), encoding="utf-8"
    )
    lines = [
        {"id": "zh-1", "text": "青禾市下雨",
         "spans": [{"start": 0, "end": 3, "label": "LOC", "text": "青禾市"}],
         "meta": {"language": "zh", "style": "news", "split": "train"}},
        {"id": "zh-2", "text": "无事", "spans": [], "meta": {"split": "test"}},
    ]  # fmt: skip
    (folder / "corpus.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    (folder / "raw.txt").write_text("小满那天没有雨。\n\n渡口的灯修好了。\n", encoding="utf-8")
    return tmp_path / "assets"


def test_the_demo_project_is_made_once(workspace, assets):
    first, second = load_demo(workspace, assets), load_demo(workspace, assets)
    assert first == second
    assert [project.name for project in projects.all_projects(workspace)] == ["Demo"]
    counts = documents.count(workspace, first.id)
    assert (counts["all"], counts["train"], counts["test"], counts["none"]) == (4, 1, 1, 2)
    assert labels.get(workspace, first.id).names == ("LOC",)
    assert [row.name for row in queue.page(workspace, first.id).rows] == ["raw-01", "raw-02", "zh-1", "zh-2"]
    assert documents.get(workspace, number_of(workspace, first.id, "raw-02")).text == "渡口的灯修好了。"


def test_the_real_demo_corpus_opens_on_what_nobody_has_labelled(workspace):
    project = load_demo(workspace, REAL_ASSETS)
    counts = documents.count(workspace, project.id)
    assert (counts["all"], counts["none"], counts["labelled"]) == (24 + 5180, 24, 5180)
    head = queue.page(workspace, project.id, limit=25).rows
    assert [row.name for row in head] == [*(f"raw-{number:02d}" for number in range(1, 25)), "zh-0001"]
    assert all((row.split, row.revision, row.spans) == ("none", 0, 0) for row in head[:24])
    before = [row.id for row in queue.page(workspace, project.id, limit=1000).rows]
    assert load_demo(workspace, REAL_ASSETS) == project
    assert [row.id for row in queue.page(workspace, project.id, limit=1000).rows] == before


def test_a_demo_project_from_before_the_raw_sentences_gets_them_behind_and_keeps_its_work(workspace, assets):
    (assets / "demo" / "raw.txt").rename(assets / "raw.txt")
    (assets / "demo" / "raw.txt").write_text("", encoding="utf-8")
    project = load_demo(workspace, assets)
    edited = number_of(workspace, project.id, "zh-2")
    stands = annotations.current(workspace, edited).revision
    annotations.save(workspace, edited, stands, [Span(0, 2, "LOC")], user="me")
    (assets / "raw.txt").replace(assets / "demo" / "raw.txt")
    assert load_demo(workspace, assets) == project
    names = [row.name for row in queue.page(workspace, project.id).rows]
    assert names == ["zh-1", "zh-2", "raw-01", "raw-02"]
    assert [span.key for span in documents.get(workspace, edited).spans] == [(0, 2, "LOC")]


@pytest.mark.parametrize("name", ["raw.txt", "corpus.jsonl", "labels.json"])
def test_a_missing_file_of_the_demo_is_named(workspace, assets, name):
    (assets / "demo" / name).unlink()
    with pytest.raises(StoreError, match=f"{name}.*reinstall"):
        load_demo(workspace, assets)
    assert projects.all_projects(workspace) == []


def test_a_damaged_demo_corpus_is_named_with_its_line(workspace, assets):
    (assets / "demo" / "corpus.jsonl").write_text("{\n", encoding="utf-8")
    with pytest.raises(StoreError, match="line 1"):
        load_demo(workspace, assets)
    assert projects.all_projects(workspace) == []
