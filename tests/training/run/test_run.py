"""A whole run from its folder, with a small FLAT: what is written, and what happens when input is bad."""

import hashlib
import json
import shutil
from dataclasses import replace

import pytest
import torch

from app.i18n import text
from core.corpus.document_json import read_documents
from core.corpus.errors import CorpusError
from core.corpus.snapshot import UNLABELLED, AddedWord, Snapshot, read_manifest, read_snapshot, write_snapshot
from core.lexicon import Lexicon
from core.runtime.message import Message
from core.taggers.base.calibration import Calibration, Scaling
from core.taggers.base.model_folder import load_tagger
from core.taggers.base.registry import by_name
from core.text import Document, Label, LabelSet
from core.training.device import choose_device
from core.training.run.errors import TrainingError
from core.training.run.progress import Progress
from core.training.run.run import calibration_note, execute_training
from core.training.run.run_folder import RunFolder
from core.training.run.run_report import run_report
from core.training.run.run_request import RunRequest
from core.training.run.snapshot_words import with_changes
from core.training.stopping import Stopped
from tests.taggers.tiny_bert import tiny_bert
from tests.training.watched import after

LABELS = LabelSet().extended(["PER", "LOC"])
SMALL = {"hidden": 16, "heads": 2, "ffn": 16, "char_dim": 8, "bigram_dim": 0, "word_dim": 8}


@pytest.fixture
def run(tmp_path, documents) -> RunFolder:
    folder = RunFolder(tmp_path / "flat-0001")
    parts = {
        "train": tuple(documents[:24]),
        "dev": tuple(documents[24:30]),
        "test": tuple(documents[30:]),
        "corrections": (documents[0], Document("empty", "")),
    }
    write_snapshot(folder.snapshot, Snapshot(parts, LABELS, (AddedWord("昨天"),), ("兰州",)))
    (folder.snapshot / "words.txt").write_text("青岛\n兰州\n大理\n高兴\n", encoding="utf-8")
    folder.write_request(
        RunRequest(config=SMALL, settings={"epochs": 2, "learning_rate": 0.01}, lexicon="words.txt")
    )
    return folder


def execute(folder: RunFolder, should_stop=lambda: False) -> dict:
    return execute_training(folder, run_report(folder), should_stop)


def test_a_run_without_dev_documents_says_which_it_held_out(run, documents):
    parts = {"train": tuple(documents[:24]), "dev": (), "test": ()}
    write_snapshot(run.snapshot, Snapshot(parts, LABELS))
    run.write_request(RunRequest(config=SMALL, settings={"epochs": 1}, predict_all=False))
    scores = execute(run)
    assert len(run.held_out()) == scores["dev"]["documents"] == 2
    assert run.held_out() < {document.id for document in documents[:24]}


def test_a_run_writes_scores_model_events_and_an_answer_for_every_document(run, documents):
    scores = execute(run)
    assert scores == json.loads(run.scores_file.read_text())
    assert scores["dev"]["documents"] == 6
    assert scores["test"]["gold"] == 12
    assert scores["test"]["f1"] == scores["test"]["micro"]["f1"]
    assert scores["seconds_per_epoch"] == pytest.approx(scores["seconds"] / 2, abs=2e-3)
    assert run.events()[0]["event"] == "started"
    assert len(run.history()) == 2
    assert run.held_out() is None
    answers = {document.id: document for document in read_documents(run.predictions_file)}
    assert answers.keys() == {document.id for document in documents} | {"empty"}
    assert all(answers[document.id].text == document.text for document in documents)
    assert 0.9 < run.state().fraction <= 1


def test_the_model_knows_the_projects_labels_and_word_list(run):
    execute(run)
    tagger = load_tagger(run.model)
    assert tagger.labels == ("PER", "LOC")
    assert [("昨天" in tagger.lexicon), ("青岛" in tagger.lexicon), ("兰州" in tagger.lexicon)] == [
        True,
        True,
        False,
    ]


@pytest.mark.parametrize("looks", [0, 3, 4])  # at once, in the second epoch, while answering
def test_a_stopped_run_goes_on_to_the_same_losses(run, tmp_path, looks):
    with pytest.raises(Stopped):
        execute(run, after(looks))
    resumed = execute(run)
    whole = RunFolder(tmp_path / "whole")
    whole.path.mkdir()
    (whole.path / "snapshot").symlink_to(run.snapshot)
    whole.write_request(run.read_request())
    assert resumed["losses"] == execute(whole)["losses"]


@pytest.mark.parametrize(
    ("request_fields", "reason"),
    [
        ({"tagger": "nosuch"}, "nosuch"),
        ({"config": {"layers": 99}}, "layers"),
        ({"settings": {"epochs": "many"}}, "epochs"),
        ({"lexicon": "missing.txt"}, "missing.txt"),
        ({"config": {**SMALL, "word_vectors": "missing.vec"}}, r"missing\.vec cannot be read"),
        ({"device": "mps"}, "Apple GPU"),
    ],
)
def test_a_run_that_cannot_start_says_why(run, request_fields, reason):
    if reason == "Apple GPU" and torch.backends.mps.is_available():
        pytest.skip("this machine has an Apple GPU, so asking for it is no error")
    run.write_request({"lexicon": "words.txt", **request_fields})
    with pytest.raises(TrainingError, match=reason):
        execute(run)


def test_a_bad_line_of_a_vector_file_is_a_plain_sentence(run, tmp_path):
    vectors = tmp_path / "chars.vec"
    vectors.write_text("林 1 2\n晓 1 two\n", encoding="utf-8")
    run.write_request(RunRequest(config={**SMALL, "char_vectors": str(vectors)}, lexicon="words.txt"))
    with pytest.raises(TrainingError, match=r"chars\.vec, line 2: expected a token and 2 finite numbers"):
        execute(run)


def test_a_damaged_snapshot_is_named_by_file_and_line(run):
    with (run.snapshot / "train.jsonl").open("a", encoding="utf-8") as file:
        file.write('{"id": "x", "text": "短", "spans": [{"start": 0, "end": 9, "label": "PER"}]}\n')
    with pytest.raises(CorpusError, match=r"train\.jsonl, line 25 .*0-9"):
        execute(run)


def test_the_words_of_a_snapshot_change_a_lexicon(run):
    words = with_changes(Lexicon(["兰州", "青岛"]), read_snapshot(run.snapshot))
    assert ("昨天" in words, "兰州" in words, "青岛" in words) == (True, False, True)


def test_an_added_word_that_is_too_long_for_a_lexicon_is_a_plain_sentence(run):
    snapshot = read_snapshot(run.snapshot)
    write_snapshot(run.snapshot, replace(snapshot, added=(AddedWord("长" * 101),)))
    with pytest.raises(TrainingError, match="has 101 characters"):
        execute(run)


def test_the_guidelines_of_the_labels_reach_the_tagger(run, documents, monkeypatch):
    kind = by_name("flat")
    build, given = kind.build, []
    monkeypatch.setattr(kind, "build", lambda *args: given.append(args[2]) or build(*args))
    labels = LabelSet([Label("PER", description="找出人名"), Label("LOC")])
    parts = {"train": tuple(documents[:4])}
    write_snapshot(run.snapshot, Snapshot(parts, labels))
    execute(run)
    assert [resources.descriptions for resources in given] == [{"PER": "找出人名"}]


def test_unlabelled_texts_are_in_the_snapshot_and_its_hashes_but_are_not_answered(run, documents):
    texts = (Document("u1", "赵悦昨天离开大理了"), Document("u2", "孙平昨天到了兰州"), documents[24])
    snapshot = read_snapshot(run.snapshot)
    write_snapshot(run.snapshot, Snapshot({**snapshot.parts, UNLABELLED: texts}, snapshot.labels))
    assert read_snapshot(run.snapshot)[UNLABELLED] == texts
    written = (run.snapshot / "unlabelled.jsonl").read_bytes()
    digests = read_manifest(run.snapshot).sha256
    assert digests["unlabelled.jsonl"] == hashlib.sha256(written).hexdigest()
    settings = {"epochs": 1, "vat": 1.0, "vat_unlabelled": 2}
    run.write_request(RunRequest(config=SMALL, settings=settings, lexicon="words.txt"))
    execute(run)
    assert not {"u1", "u2"} & {document.id for document in read_documents(run.predictions_file)}
    logged = [str(Message.from_json(event["message"])) for event in run.events() if event["event"] == "log"]
    assert any("1 of the 3 unlabelled texts are also in dev or test" in line for line in logged)


def test_unlabelled_texts_are_part_of_what_a_resumed_run_must_share(run):
    settings = {"epochs": 2, "vat": 1.0}
    run.write_request(RunRequest(config=SMALL, settings=settings, lexicon="words.txt"))
    snapshot = read_snapshot(run.snapshot)
    texts = (Document("u1", "赵悦昨天离开大理了"),)
    write_snapshot(run.snapshot, Snapshot({**snapshot.parts, UNLABELLED: texts}, snapshot.labels))
    execute(run)
    write_snapshot(run.snapshot, Snapshot(snapshot.parts, snapshot.labels))
    with pytest.raises(TrainingError, match="unlabelled differ"):
        execute(run)


def test_a_tagger_that_needs_no_training_is_saved_and_scored_at_once(run):
    run.write_request(RunRequest(tagger="dictionary", lexicon="words.txt", settings={"epochs": 3}))
    scores = execute(run)
    told = [Message.from_json(event["message"]) for event in run.events() if event["event"] == "log"]
    assert any("Confidence is not calibrated" in str(message) for message in told), (
        "dev is small, all is right"
    )
    assert any("置信度未校准" in text(message, "zh") for message in told)
    assert (scores["best_epoch"], scores["epochs"], scores["losses"]) == (0, 0, [])
    assert scores["test"]["f1"] > 0.9, "every name of the test documents is in the training documents"
    assert load_tagger(run.model).name == "dictionary"
    assert not run.checkpoint.exists()


def test_the_log_says_what_confidence_was_calibrated_on():
    note = calibration_note(Calibration(Scaling(1.604, -0.106), {"LOC": Scaling()}, 1497))
    assert "on 1497 spans" in str(note)
    assert "temperature 1.60, shift -0.11; labels with their own: 1." in str(note)
    assert "1497" in text(note, "zh")


def test_initialisation_is_part_of_a_run(run):
    found = []
    for name in ("own", "uniform"):
        settings = {"epochs": 1, "learning_rate": 1e-7, "initialisation": name, "initialisation_scale": 0.5}
        run.write_request(RunRequest(config=SMALL, settings=settings, lexicon="words.txt"))
        execute(run)
        shutil.rmtree(run.checkpoint)
        found.append(load_tagger(run.model).emission.weight.abs().max().item())
    assert found[1] == pytest.approx(0.5, abs=0.05) != found[0]


def test_a_device_comes_with_a_reason_and_an_absent_one_with_advice():
    device, why = choose_device("cpu")
    assert device.type == "cpu"
    assert "as asked" in str(why)
    assert "CPU" in text(why, "zh")
    assert str(choose_device("auto").why)
    with pytest.raises(TrainingError, match="choose auto"):
        choose_device("abacus")
    if not torch.cuda.is_available():
        with pytest.raises(TrainingError, match="0 CUDA devices"):
            choose_device("cuda")


def test_progress_estimates_from_this_process_only():
    now = 0.0
    progress = Progress(10, done=4, clock=lambda: now)
    assert (progress.fraction, progress.remaining_seconds) == (0.4, None)
    now = 1.0
    progress.advance(1)
    assert progress.remaining_seconds is None, "the first second promises nothing"
    now = 6.0
    progress.advance(1)
    assert progress.remaining_seconds == pytest.approx(12)
    assert [progress.due(), progress.due()] == [True, False]
    now = 6.6
    assert progress.due()


def test_a_plan_whose_attack_does_nothing_is_trained_and_its_log_says_so(run):
    config = {"encoder": tiny_bert(), "frozen_epochs": -1}
    settings = {"epochs": 1, "fgm": 1.0}
    run.write_request(RunRequest(tagger="bert", config=config, settings=settings, predict_all=False))
    execute(run)
    told = [Message.from_json(event["message"]) for event in run.events() if event["event"] == "log"]
    assert any(str(message).startswith("fgm: there is nothing to disturb") for message in told)
    (chinese,) = [said for message in told if "没有可扰动的嵌入" in (said := text(message, "zh"))]
    assert not chinese.startswith("fgm"), "it has the name of the form's field"
