"""A project as a data set: ``datasets`` loads it from the folder as it was, and nobody is named in it."""

from __future__ import annotations

import json
import os

import pytest
import yaml

from core.export.dataset.export import write_dataset
from core.export.errors import ExportError
from core.text import Document, Label, LabelSet, Span

TEXT = "周敏在青岛大学附属医院工作🙂。"
LABELS = LabelSet((Label("PER", description="People | <b>all</b>"), Label("ORG"), Label("LOC")))
COMMENT = {"text": "unsure", "user": "mei.wu", "at": 1}


def document(number, split, **meta):
    spans = (Span(0, 2, "PER"), Span(3, 11, "ORG", 0.5), Span(3, 5, "LOC"))
    said = {"annotator": "mei.wu", "annotated_at": "2026-01-01", "comments": [COMMENT], **meta}
    return Document(f"d{number}", TEXT, spans, {**said, **({"split": split} if split else {})})


@pytest.fixture
def corpus():
    return [
        document(1, "train", source={"page": 3}),
        document(2, "dev"),
        document(3, "test"),
        document(4, ""),
    ]


def front_matter(folder):
    return yaml.safe_load((folder / "README.md").read_text(encoding="utf-8").split("---\n")[1])


@pytest.mark.parametrize("files", ["jsonl", "parquet"])
def test_the_hubs_library_loads_every_span_of_every_split(corpus, tmp_path, files, monkeypatch):
    datasets = pytest.importorskip("datasets")
    folder = tmp_path / "out"
    written = write_dataset(corpus, folder, LABELS, title="新闻", licence="cc-by-4.0", files=files)
    assert {name: facts.documents for name, facts in written.splits.items()} == {
        "train": 1, "validation": 1, "test": 1, "unassigned": 1,
    }  # fmt: skip
    loaded = datasets.load_dataset(str(folder), cache_dir=str(tmp_path / "cache"))
    assert set(loaded) == {"train", "validation", "test", "unassigned"}
    row = loaded["train"][0]
    assert [(s["start"], s["end"], s["label"], s["score"]) for s in row["spans"]] == [
        (span.start, span.end, span.label, span.score) for span in corpus[0].spans
    ]
    assert row["text"] == TEXT
    assert "".join(row["tokens"]) == TEXT
    names = loaded["train"].features["ner_tags"].feature.names
    assert names == ["O", "B-PER", "I-PER", "B-ORG", "I-ORG", "B-LOC", "I-LOC"]
    tags = [names[number] for number in row["ner_tags"]]
    assert [token for token, tag in zip(row["tokens"], tags, strict=True) if tag.endswith("PER")] == [
        "周",
        "敏",
    ]
    assert json.loads(row["meta"]) == {"source": {"page": 3}}


@pytest.mark.parametrize("named", [False, True])
def test_who_annotated_is_told_only_if_that_is_asked(corpus, tmp_path, named):
    folder = tmp_path / "out"
    write_dataset(corpus, folder, LABELS, title="t", named=named)
    everything = b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())
    assert (b"mei.wu" in everything) is named
    assert (b"unsure" in everything) is named


def test_the_card_names_files_labels_and_licence_and_holds_no_markup_of_others(corpus, tmp_path):
    folder = tmp_path / "out"
    write_dataset(corpus, folder, LABELS, title="# <i>x</i>", repository="a/b", licence="cc-by-4.0")
    head = front_matter(folder)
    assert head["license"] == "cc-by-4.0"
    assert head["pretty_name"] == "# <i>x</i>"
    assert head["language"] in ("zh", ["zh"])
    files = {each["split"]: each["path"] for each in head["configs"][0]["data_files"]}
    assert all((folder / path).is_file() for path in files.values())
    body = (folder / "README.md").read_text(encoding="utf-8").split("---\n", 2)[2]
    assert "<i>" not in body
    assert "<b>" not in body
    assert r"People \|" in body
    assert 'load_dataset("a/b")' in body
    assert "4 spans lie inside or across others" in body
    assert TEXT not in body


def test_a_project_without_splits_is_one_split(tmp_path):
    written = write_dataset([document(1, "")], tmp_path / "out", LABELS, title="t")
    assert list(written.splits) == ["train"]
    assert os.listdir(tmp_path / "out" / "data") == ["train.jsonl"]


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"licence": "my own"}, "licence"),
        ({"documents": []}, "no document"),
        ({"folder": "."}, "exists already"),
    ],
)
def test_what_cannot_be_written_leaves_nothing(corpus, tmp_path, changed, told):
    folder = tmp_path / changed.pop("folder", "out")
    with pytest.raises(ExportError, match=told):
        write_dataset(changed.pop("documents", corpus), folder, LABELS, title="t", **changed)
    assert not (tmp_path / "out").exists()
