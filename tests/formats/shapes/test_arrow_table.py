"""Parquet and datasets folders, judged by Hugging Face's own library."""

import zipfile

import pytest

from core.formats import read_file, write_file
from core.text import Document, Span

pa = pytest.importorskip("pyarrow")
import pyarrow.parquet as pq  # noqa: E402

CORPUS = [
    Document(
        "1", "拜登在北京", (Span(0, 2, "PER", 0.5), Span(0, 5, "EVENT"), Span(3, 5, "LOC")), {"source": "x"}
    ),
    Document("2", "Joe Biden came.", (Span(0, 9, "PER"),)),
    Document("3", ""),
]


@pytest.fixture(scope="module")
def datasets():
    return pytest.importorskip("datasets")


def test_the_library_reads_the_folder_and_its_classes(tmp_path, datasets):
    write_file(CORPUS, tmp_path / "a.zip", "datasets")
    with zipfile.ZipFile(tmp_path / "a.zip") as archive:
        archive.extractall(tmp_path / "a")
    loaded = datasets.load_from_disk(str(tmp_path / "a"))
    assert loaded.features["ner_tags"].feature.names == [
        "O",
        "B-PER",
        "I-PER",
        "B-EVENT",
        "I-EVENT",
        "B-LOC",
        "I-LOC",
    ]
    names = loaded.features["ner_tags"].feature
    assert [names.int2str(tag) for tag in loaded[1]["ner_tags"]] == ["B-PER", "I-PER", "O", "O"]
    assert loaded[1]["tokens"] == ["Joe", "Biden", "came", "."]
    assert loaded[0]["spans"][0] == {"start": 0, "end": 2, "label": "PER", "score": 0.5, "link": None}


def test_the_library_reads_the_parquet(tmp_path, datasets):
    write_file(CORPUS, tmp_path / "a.parquet")
    loaded = datasets.Dataset.from_parquet(str(tmp_path / "a.parquet"), cache_dir=str(tmp_path / "cache"))
    assert loaded["text"][:] == [document.text for document in CORPUS]
    assert loaded.features["ner_tags"].feature.names[1] == "B-PER"


def test_what_the_library_saved_is_read_split_by_split(tmp_path, datasets):
    features = datasets.Features(
        {
            "tokens": datasets.Sequence(datasets.Value("string")),
            "ner_tags": datasets.Sequence(datasets.ClassLabel(names=["O", "B-PER", "I-PER"])),
        }
    )
    rows = {"tokens": [["Joe", "Biden", "came", "."], ["来"]], "ner_tags": [[1, 2, 0, 0], [0]]}
    data = datasets.Dataset.from_dict(rows, features=features)
    datasets.DatasetDict({"train": data, "validation": data.select([0])}).save_to_disk(str(tmp_path / "d"))
    result = read_file(tmp_path / "d")
    assert (result.format, result.refusals) == ("datasets", ())
    assert [(d.text, d.meta["split"]) for d in result.documents] == [
        ("Joe Biden came.", "train"), ("来", "train"), ("Joe Biden came.", "dev"),
    ]  # fmt: skip
    assert result.documents[0].surface(result.documents[0].spans[0]) == "Joe Biden"


def test_tags_as_texts_and_numbers_without_names(tmp_path):
    table = pa.table(
        {"tokens": [["拜", "登"], ["在"], ["x"]], "tags": [["B-PER", "I-PER"], ["O", "O"], ["B"]]}
    )
    pq.write_table(table, tmp_path / "a.parquet")
    result = read_file(tmp_path / "a.parquet")
    assert [d.spans for d in result.documents] == [(Span(0, 2, "PER"),)]
    assert [one.reason[:5] for one in result.refusals] == ["row 2", "row 3"]
    pq.write_table(pa.table({"tokens": [["拜"]], "ner_tags": [[3]]}), tmp_path / "b.parquet")
    assert "does not name its classes" in read_file(tmp_path / "b.parquet").refusals[0].reason


def test_tokens_are_found_in_a_text_that_stands_beside_them(tmp_path):
    table = pa.table({"text": ["Joe  came"], "tokens": [["Joe", "came"]], "ner_tags": [["S-PER", "O"]]})
    pq.write_table(table, tmp_path / "a.parquet")
    (document,) = read_file(tmp_path / "a.parquet").documents
    assert (document.text, document.spans, document.meta["tokens"]) == (
        "Joe  came", (Span(0, 3, "PER"),), [[0, 3], [5, 9]],
    )  # fmt: skip
