"""A run of a tagger that needs no training: built, saved, scored and asked, with no epoch."""

from __future__ import annotations

import pytest

from core.lexicon import Entry, Lexicon
from core.taggers.base.model_folder import load_tagger
from core.training.run.document_lines import read_documents
from core.training.run.message import TrainingError
from core.training.run.run import execute_training
from core.training.run.run_folder import RunFolder
from core.training.run.run_report import run_report
from core.training.run.run_request import RunRequest
from core.training.run.snapshot import Snapshot, read_snapshot, write_snapshot


@pytest.fixture
def run(tmp_path, documents) -> RunFolder:
    folder = RunFolder(tmp_path / "dictionary-0001")
    parts = {"train": tuple(documents[:24]), "dev": tuple(documents[24:30]), "test": tuple(documents[30:])}
    added = (Entry("昨天", type="LOC"), "高兴")
    write_snapshot(folder.snapshot, Snapshot(parts, ("PER", "LOC"), added=added, removed=("兰州",)))
    (folder.snapshot / "words.txt").write_text("青岛\n兰州\n", encoding="utf-8")
    folder.write_request(RunRequest(tagger="dictionary", lexicon="words.txt"))
    return folder


def execute(folder: RunFolder) -> dict:
    return execute_training(folder, run_report(folder), lambda: False)


def test_it_is_saved_scored_and_answers_every_document(run, documents):
    scores = execute(run)
    assert (scores["epochs"], scores["best_epoch"], scores["losses"]) == (0, 0, [])
    # Every sentence says 昨天, which the person's list calls a place; 兰州 was taken out of it.
    expected = [
        {
            (span.start, span.end, span.label)
            for span in document.spans
            if "兰州" not in document.surface(span)
        }
        | {(at := document.text.index("昨天"), at + 2, "LOC")}
        for document in documents
    ]
    answers = {document.id: document for document in read_documents(run.predictions_file)}
    assert [{s.key for s in answers[document.id].spans} for document in documents] == expected
    assert scores["test"]["recall"] == pytest.approx(10 / 12)
    assert load_tagger(run.model).labels == ("PER", "LOC")


def test_it_may_be_run_again(run):
    first = execute(run)
    assert execute(run)["test"] == first["test"]


def test_a_snapshot_keeps_the_types_of_added_words(run):
    snapshot = read_snapshot(run.snapshot)
    assert snapshot.added == (Entry("昨天", type="LOC"), "高兴")
    lexicon = snapshot.changed(Lexicon([Entry("高兴", 9, "a"), "兰州"]))
    assert [lexicon.entry(word).type for word in ("昨天", "高兴")] == ["LOC", "a"]
    assert "兰州" not in lexicon


def test_a_word_that_is_none_is_named_with_its_line(run):
    (run.snapshot / "lexicon.tsv").write_text("added\t好\tLOC\nadded\t 坏\tLOC\n", encoding="utf-8")
    with pytest.raises(TrainingError, match=r"lexicon\.tsv, line 2: .*no blanks"):
        read_snapshot(run.snapshot)
