"""The texts a pretraining learns from: labelled or not, but none that something is measured on."""

from __future__ import annotations

from core.corpus.snapshot import UNLABELLED, PartCounts, read_snapshot
from core.store.document import documents, trash
from core.store.project import projects
from core.store.run import snapshot
from core.text import Document, Span
from tests.store.by_hand import add_words


def test_documents_of_the_dev_and_test_split_and_of_the_trash_are_left_out(workspace, tmp_path):
    project = projects.create(workspace, "texts")
    other = projects.create(workspace, "others")
    given = [
        Document("labelled", "张伟在北京", (Span(0, 2, "PER"),), {"split": "train"}),
        Document("raw", "今天下雨"),
        Document("dev", "甲", (), {"split": "dev"}),
        Document("test", "乙", (), {"split": "test"}),
        Document("gone", "丙"),
    ]
    documents.add(workspace, project.id, given)
    documents.add(workspace, other.id, [Document("x", "别的")])
    gone = next(
        number for (number,) in workspace_rows(workspace, "SELECT id FROM documents WHERE name = 'gone'")
    )
    trash.trash_documents(workspace, project.id, [gone])
    add_words(workspace, project.id, ["张伟"], user="lin")
    counts = snapshot.write_texts(workspace, project.id, tmp_path / "run")
    assert counts == snapshot.count_texts(workspace, project.id) == PartCounts(2, 0, 9)
    read = read_snapshot(tmp_path / "run" / "snapshot")
    assert [(d.id, d.text, d.spans) for d in read[UNLABELLED]] == [
        ("labelled", "张伟在北京", ()),
        ("raw", "今天下雨", ()),
    ]
    snapshot.write_texts(workspace, project.id, tmp_path / "labelled", with_spans=True)
    with_spans = read_snapshot(tmp_path / "labelled" / "snapshot")[UNLABELLED]
    assert [(d.id, d.spans) for d in with_spans] == [("labelled", (Span(0, 2, "PER"),)), ("raw", ())]
    assert not read["train"]
    assert "张伟" in [word.word for word in read.added]


def workspace_rows(workspace, query):
    with workspace.reading() as db:
        return db.execute(query).fetchall()


def test_a_project_without_documents_has_nothing(workspace):
    project = projects.create(workspace, "texts")
    assert snapshot.count_texts(workspace, project.id) == PartCounts()
