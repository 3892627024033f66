"""A run of a tagger that needs no training: built, saved, scored and asked, with no epoch."""

import pytest

from core.corpus.document_json import read_documents
from core.corpus.snapshot import AddedWord, Snapshot, read_snapshot, write_snapshot
from core.lexicon import Entry, Lexicon
from core.taggers.base.model_folder import load_tagger
from core.text import LabelSet
from core.training.run.run import execute_training
from core.training.run.run_folder import RunFolder
from core.training.run.run_report import run_report
from core.training.run.run_request import RunRequest
from core.training.run.snapshot_words import with_changes


@pytest.fixture
def run(tmp_path, documents) -> RunFolder:
    folder = RunFolder(tmp_path / "dictionary-0001")
    parts = {"train": tuple(documents[:24]), "dev": tuple(documents[24:30]), "test": tuple(documents[30:])}
    added = (AddedWord("昨天", "LOC"), AddedWord("高兴"))
    write_snapshot(folder.snapshot, Snapshot(parts, LabelSet().extended(["PER", "LOC"]), added, ("兰州",)))
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
    lexicon = with_changes(Lexicon([Entry("高兴", 9, "a"), "兰州"]), read_snapshot(run.snapshot))
    assert [lexicon.entry(word).type for word in ("昨天", "高兴")] == ["LOC", "a"]
    assert "兰州" not in lexicon
