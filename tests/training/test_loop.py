"""The loop: learns, keeps the best, stops when asked, resumes to the last bit."""

import errno
import json
import os
from pathlib import Path

import pytest
import torch

from core.corpus.errors import DiskFullError
from core.training.loop import train
from core.training.run import checkpoint as checkpoint_module
from core.training.run.errors import TrainingError
from core.training.run.run_folder import RunFolder
from core.training.settings import TrainingSettings
from tests.training.watched import after, same, weights

CPU = torch.device("cpu")


def learn(tagger, documents, folder: Path, *, stop_after=None, dev=None, **settings):
    """Train; ``stop_after`` is the number of steps after which to stop. Returns result and events."""
    events: list[dict] = []
    result = train(
        tagger,
        documents,
        documents[:8] if dev is None else dev,
        TrainingSettings(**{"epochs": 4, "batch_size": 4, "learning_rate": 0.02, **settings}),
        folder=RunFolder(folder),
        report=events.append,
        should_stop=after(stop_after),
        device=CPU,
    )
    return result, events


def test_training_learns_and_reports_every_epoch(tiny, documents, tmp_path):
    tagger = tiny()
    result, events = learn(tagger, documents, tmp_path, epochs=12)
    epochs = [event for event in events if event["event"] == "epoch"]
    assert [event["epoch"] for event in epochs] == list(range(1, 13))
    assert epochs[-1]["loss"] < epochs[0]["loss"] / 2
    assert epochs[-1]["dev"]["f1"] > 0.9
    assert epochs[-1]["fraction"] == pytest.approx(1)
    assert result.best_epoch == max(range(12), key=lambda i: (epochs[i]["dev"]["f1"], -i)) + 1
    usual = sum(len(document.text) for document in documents) / len(documents)
    assert tagger.usual_length == round(usual)
    assert any(event["event"] == "step" for event in events)


def test_the_same_seed_gives_the_same_weights_to_the_bit(tiny, documents, tmp_path):
    taggers = [tiny(), tiny()]
    for number, tagger in enumerate(taggers):
        learn(tagger, documents, tmp_path / str(number))
    assert same(weights(taggers[0]), weights(taggers[1]))
    other = tiny(seed=2)
    learn(other, documents, tmp_path / "other")
    assert not same(weights(taggers[0]), weights(other))


@pytest.mark.parametrize("optimiser", ["adamw", "sgd"])
@pytest.mark.parametrize("stop_after", [0, 5, 9, 14, 22])
def test_a_resumed_training_equals_an_uninterrupted_one_to_the_bit(
    tiny, documents, tmp_path, optimiser, stop_after
):
    whole = tiny()
    expected, _ = learn(whole, documents, tmp_path / "whole", optimiser=optimiser)
    broken, _ = learn(tiny(), documents, tmp_path / "cut", stop_after=stop_after, optimiser=optimiser)
    assert broken.stopped
    assert len(broken.history) == stop_after // 9
    torch.manual_seed(12345)  # whatever the new process drew before
    tagger = tiny(seed=77) if broken.history else tiny()
    resumed, _ = learn(tagger, documents, tmp_path / "cut", optimiser=optimiser)
    assert [record.loss for record in resumed.history] == [record.loss for record in expected.history]
    assert [record.f1 for record in resumed.history] == [record.f1 for record in expected.history]
    assert resumed.best_epoch == expected.best_epoch
    assert same(weights(tagger), weights(whole))


def test_a_finished_training_resumes_to_its_best_weights_without_a_step(tiny, documents, tmp_path):
    first = tiny()
    learn(first, documents, tmp_path)
    again = tiny(seed=9)
    result, events = learn(again, documents, tmp_path)
    assert again.steps == 0
    assert events == []
    assert len(result.history) == 4
    assert same(weights(again), weights(first))


def test_the_tagger_ends_with_the_best_epochs_weights_not_the_last(tiny, documents, tmp_path):
    # A rate that grows to madness after the first epochs makes later ones worse.
    tagger = tiny()
    result, _ = learn(tagger, documents, tmp_path, epochs=6, optimiser="sgd", learning_rate=1.0, clip_norm=0)
    scores = [record.f1 for record in result.history]
    assert scores[result.best_epoch - 1] == max(scores)
    assert scores.index(max(scores)) == result.best_epoch - 1
    folder = tmp_path / "checkpoint"
    index = json.loads((folder / "checkpoint.json").read_text())
    assert sorted(path.name for path in folder.iterdir()) == sorted(
        ["checkpoint.json", index["state"], index["best"]]
    )
    assert not tagger.training


def test_training_stops_early_when_dev_gets_no_better(tiny, documents, tmp_path):
    never = [document.with_spans(()) for document in documents[:3]]  # F1 stays 0
    result, _ = learn(tiny(), documents, tmp_path, dev=never, epochs=9, patience=2)
    assert len(result.history) == 3
    assert result.best_epoch == 1
    assert not result.stopped


def test_a_tagger_is_calibrated_once_on_dev_with_the_weights_that_are_saved(
    tiny, documents, tmp_path, monkeypatch
):
    tagger, calibrated = tiny(), []

    def calibrate(batches):
        texts = [document.text for batch in batches for document in batch.documents]
        calibrated.append((weights(tagger), "".join(sorted(texts)), tagger.training))

    monkeypatch.setattr(tagger, "calibrate", calibrate)
    monkeypatch.setattr(tagger, "save", lambda folder: calibrated.append("saved"))
    learn(tagger, documents, tmp_path, dev=documents[:3], longest_text=20)
    (final, texts, training), saved = calibrated
    assert same(final, weights(tagger))
    assert texts == "".join(sorted(document.text for document in documents[:3]))
    assert (training, saved) == (False, "saved")


def test_without_dev_documents_the_last_epoch_counts(tiny, documents, tmp_path):
    result, events = learn(tiny(), documents, tmp_path, dev=[], epochs=2)
    assert result.best_epoch == 2
    assert [event["dev"] for event in events if event["event"] == "epoch"] == [None, None]


def test_a_loss_that_is_no_number_stops_with_advice(tiny, documents, tmp_path):
    tagger = tiny()
    tagger.failing_step = 12
    with pytest.raises(TrainingError, match=r"diverged.*lower learning rate"):
        learn(tagger, documents, tmp_path)
    assert json.loads((tmp_path / "checkpoint" / "checkpoint.json").read_text())["epoch"] == 1


def test_a_checkpoint_of_another_training_is_refused_by_what_differs(tiny, documents, tmp_path):
    learn(tiny(), documents, tmp_path, stop_after=10)
    with pytest.raises(TrainingError, match="settings differ"):
        learn(tiny(), documents, tmp_path, learning_rate=0.5)
    with pytest.raises(TrainingError, match="documents differ"):
        learn(tiny(), documents[1:], tmp_path)
    with pytest.raises(TrainingError, match="config differ"):
        learn(tiny(width=4), documents, tmp_path)


@pytest.mark.parametrize("victim", ["state", "best"])
def test_a_truncated_checkpoint_is_named_with_the_way_out(tiny, documents, tmp_path, victim):
    learn(tiny(), documents, tmp_path, stop_after=10)
    folder = tmp_path / "checkpoint"
    path = folder / json.loads((folder / "checkpoint.json").read_text())[victim]
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(TrainingError, match=r"damaged.*delete that folder"):
        learn(tiny(), documents, tmp_path)


def test_a_checkpoint_index_cannot_point_out_of_its_folder(tiny, documents, tmp_path):
    learn(tiny(), documents, tmp_path, stop_after=10)
    path = tmp_path / "checkpoint" / "checkpoint.json"
    path.write_text(path.read_text().replace('"state-', '"../state-'))
    with pytest.raises(TrainingError, match="is damaged"):
        learn(tiny(), documents, tmp_path)


def test_a_disk_full_at_a_checkpoint_keeps_the_one_before_and_resumes_from_it(
    tiny, documents, tmp_path, monkeypatch
):
    expected, _ = learn(tiny(), documents, tmp_path / "whole")
    save, calls = checkpoint_module.save_file, 0

    def filling(tensors, path):
        nonlocal calls
        calls += 1
        if calls > 4:  # two files a checkpoint: the third checkpoint fails
            Path(path).write_bytes(b"half")
            raise OSError(errno.ENOSPC, "No space left on device")
        save(tensors, path)

    with monkeypatch.context() as patch:
        patch.setattr(checkpoint_module, "save_file", filling)
        with pytest.raises(DiskFullError, match="disk is full"):
            learn(tiny(), documents, tmp_path / "full")
    left = {path.name for path in (tmp_path / "full" / "checkpoint").iterdir()}
    index = json.loads((tmp_path / "full" / "checkpoint" / "checkpoint.json").read_text())
    assert left == {"checkpoint.json", index["state"], index["best"]}
    resumed, _ = learn(tiny(), documents, tmp_path / "full")
    assert [record.loss for record in resumed.history] == [record.loss for record in expected.history]


def test_weights_that_no_checkpoint_names_are_never_taken_for_the_best(tiny, documents, tmp_path):
    whole = tiny()
    learn(whole, documents, tmp_path / "whole", epochs=1)
    other = tiny(seed=9)
    learn(other, documents, tmp_path / "cut", epochs=1)
    (tmp_path / "cut" / "checkpoint" / "checkpoint.json").unlink()  # killed before it was written
    tagger = tiny()
    learn(tagger, documents, tmp_path / "cut", epochs=1)
    assert same(weights(tagger), weights(whole))
    assert not same(weights(tagger), weights(other))
    again = tiny(seed=5)
    learn(again, documents, tmp_path / "cut", epochs=1)
    assert same(weights(again), weights(whole))


def test_a_checkpoint_is_on_the_disk_before_its_index_names_it(tiny, documents, tmp_path, monkeypatch):
    synced: set[int] = set()
    fsync, replace, folder, indexed = os.fsync, os.replace, tmp_path / "checkpoint", 0

    def syncing(handle: int) -> None:
        synced.add(os.fstat(handle).st_ino)
        fsync(handle)

    def replacing(path, target) -> None:
        nonlocal indexed
        if Path(target).name == "checkpoint.json":
            index = json.loads(Path(path).read_text())
            assert {(folder / index[name]).stat().st_ino for name in ("state", "best")} <= synced
            indexed += 1
        replace(path, target)

    monkeypatch.setattr(os, "fsync", syncing)
    monkeypatch.setattr(os, "replace", replacing)
    learn(tiny(), documents, tmp_path)
    assert indexed == 4


def test_no_documents_is_an_error(tiny, tmp_path):
    with pytest.raises(TrainingError, match="no training documents"):
        learn(tiny(), [], tmp_path, dev=[])
