"""``core train``: one JSON object at the end, one line on bad input, a run that goes on after a stop."""

import argparse
import json
import shutil

import pytest
import torch

from core.commands import train as train_command
from core.corpus.snapshot import read_snapshot
from core.training.run.errors import TrainingError
from core.training.run.run_folder import RunFolder
from tests.interrupts import interrupted
from tests.taggers.tiny_bert import tiny_bert


def test_training_prints_one_object_with_scores_and_times(core, training, tmp_path):
    answer = core(*training())
    assert answer.status == 0, answer.err
    result = answer.json
    for part, documents in (("dev", 5), ("test", 4)):
        assert result[part]["documents"] == documents
        assert {"precision", "recall", "f1", "micro", "per_label"} <= result[part].keys()
    assert result["seconds"] > result["seconds_per_epoch"] > 0
    assert result["epochs"] == 2
    assert result["model"] == str(tmp_path / "run" / "model")
    assert "Epoch 2 of 2: loss" in answer.err
    assert "Device: CPU" in answer.err


def test_a_run_folder_and_its_model_are_both_models(core, trained, corpus):
    whole = core("evaluate", "--model", trained, "--data", corpus["test"])
    inner = core("evaluate", "--model", trained / "model", "--data", corpus["test"])
    assert whole.status == 0, whole.err
    assert whole.json == inner.json
    stored = json.loads((trained / "scores.json").read_text())["test"]
    assert whole.json == stored
    assert whole.json["f1"] > 0.9


def test_without_dev_and_test_a_tenth_is_held_out_and_test_is_null(core, training):
    arguments = training()
    for part in ("--dev", "--test"):
        at = arguments.index(part)
        del arguments[at : at + 2]
    answer = core(*arguments)
    assert answer.json["test"] is None
    assert answer.json["dev"]["documents"] == 2
    assert "2 of the 21 training documents are held out" in answer.err


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"epochs": "zero"}, "epochs: 'zero' does not fit"),
        ({"set": "layers=99"}, "layers: '99' does not fit"),
        ({"set": "layers"}, "expected FIELD=VALUE"),
        ({"set": "colour=red"}, "--set colour: no such field"),
        ({"tagger": "nosuch"}, "no tagger 'nosuch'"),
        ({"train": "missing.bmes"}, "there is no file missing.bmes"),
        ({"lexicon": "missing.txt"}, "missing.txt"),
        ({"descriptions": "missing.json"}, "--descriptions missing.json: No such file"),
        ({"device": "abacus"}, "invalid choice"),
        ({"device": "mps"}, "no Apple GPU"),
        ({"from": "nosuch"}, "nosuch"),
    ],
)
def test_bad_input_is_one_line_and_leaves_nothing_behind(core, training, tmp_path, options, reason):
    if options == {"device": "mps"} and torch.backends.mps.is_available():
        pytest.skip("this machine has an Apple GPU, so asking for it is no error")
    answer = core(*training(), *[item for name, value in options.items() for item in (f"--{name}", value)])
    assert reason in answer.reason
    assert not (tmp_path / "run" / "request.json").exists()


@pytest.mark.parametrize(
    ("tagger", "given", "reason"),
    [
        ("bert", {"encoder": "./nosuch"}, "encoder: there is no folder './nosuch'"),
        ("mrc", {"encoder": "./nosuch"}, "encoder: there is no folder './nosuch'"),
        ("flat", {"encoder": "./nosuch"}, "encoder: there is no folder './nosuch'"),
        ("pu", {"encoder": "./nosuch"}, "encoder: there is no folder './nosuch'"),
        ("pu", {"over": "bert", "encoder": "./nosuch"}, "encoder: there is no folder './nosuch'"),
        ("elmo_crf", {"encoder": "./nosuch"}, "encoder: there is no folder nosuch"),
        ("bert", {"layer_mix": "scalar_mix", "first_layer": 3}, "no layer lies from 3 to -1"),
        ("mrc", {"last_layer": 9}, "no layer lies from -4 to 9: this encoder has 0 to 2"),
        ("flat", {"last_layer": -9}, "no layer lies from -4 to -9"),
        ("bert", {"frozen_layers": 9}, "frozen_layers: this encoder has 2 layers, not 9"),
        ("bert", {"layer_mix": "mean", "mix_dropout": 0.2}, "only a scalar mix leaves layers out"),
        ("bilstm_crf", {"char_vectors": "missing.vec"}, "char_vectors: there is no file missing.vec"),
        ("soft_lexicon", {"word_vectors": "missing.vec"}, "word_vectors: there is no file missing.vec"),
        ("bilstm_crf", {"bigram_vectors": "auto"}, "bigram_vectors: there is no file auto"),
    ],
)
def test_an_encoder_that_cannot_be_used_is_refused_before_anything_is_written(
    core, corpus, tmp_path, tagger, given, reason
):
    given = {"encoder": tiny_bert(), **given} if "layer" in " ".join(given) else given
    settings = [item for name, value in given.items() for item in ("--set", f"{name}={value}")]
    files = ("--train", corpus["train"], "--out", tmp_path / "run", "--lexicon", corpus["words"])
    assert reason in core("train", "--tagger", tagger, *files, *settings).reason
    assert not (tmp_path / "run").exists()


def test_a_folder_without_weights_is_refused_before_anything_is_written(core, corpus, tmp_path):
    folder = tmp_path / "encoder"
    shutil.copytree(tiny_bert(), folder)
    (folder / "model.safetensors").unlink()
    files = ("--train", corpus["train"], "--out", tmp_path / "run")
    answer = core("train", "--tagger", "bert", *files, "--set", f"encoder={folder}")
    assert "no safetensors weights" in answer.reason
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("content", ["", "[]", '{"PER": 1}', "{", "[" * 100_000])
def test_descriptions_are_labels_and_texts_or_refused(core, training, tmp_path, content):
    bad = tmp_path / "guidelines.json"
    bad.write_text(content)
    assert f"--descriptions {bad}" in core(*training(descriptions=bad)).reason
    assert not (tmp_path / "run").exists()


def test_the_snapshot_holds_the_descriptions(core, training, tmp_path):
    given = tmp_path / "guidelines.json"
    given.write_text('{"LOC": "找出地名", "OTHER": "别的"}', encoding="utf-8")
    assert core(*training(epochs=1, descriptions=given)).status == 0
    snapshot = read_snapshot(tmp_path / "run" / "snapshot")
    assert snapshot.descriptions == {"LOC": "找出地名", "OTHER": "别的"}
    assert snapshot.labels.names == ("LOC", "OTHER")


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "empty"),
        (b"\x00\x01\x02" * 50, "binary"),
        ("今天\n".encode(), "nothing to learn"),
        (b'{"text": 1}\n{"text": 2}\n', "no record"),
    ],
)
@pytest.mark.parametrize("part", ["train", "dev", "test"])
def test_a_file_that_cannot_teach_is_one_line(core, training, tmp_path, part, content, reason):
    if reason == "nothing to learn" and part != "train":
        pytest.skip("unlabelled documents may be scored: they say what must not be found")
    bad = tmp_path / ("bad.jsonl" if content.startswith(b"{") else "bad.txt")
    bad.write_bytes(content)
    assert reason in core(*training(**{part: bad})).reason
    assert not (tmp_path / "run").exists()


def test_unlabelled_texts_teach_without_their_spans(core, training, corpus, tmp_path):
    texts = tmp_path / "texts.txt"
    texts.write_text("林晓昨天离开大理\n孙悦今天在青岛工作\n", encoding="utf-8")
    answer = core(*training(epochs=1, unlabelled=texts), "--set", "vat=1", "--set", "vat_unlabelled=2")
    assert answer.status == 0, answer.err
    told = (tmp_path / "run" / "snapshot" / "unlabelled.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["spans"] for line in told] == [[], []]
    assert "1 of the 2 unlabelled texts are also in dev or test" in answer.err
    labelled = core(*training(epochs=1, unlabelled=corpus["train"], out=tmp_path / "labelled"))
    assert labelled.status == 0
    texts_of = (tmp_path / "labelled" / "snapshot" / "unlabelled.jsonl").read_text(encoding="utf-8")
    assert not any(json.loads(line)["spans"] for line in texts_of.splitlines())


def test_strategies_are_settings_like_any_other(core, training):
    flags = ["fgm=1", "ema=0.9", "focal=2", "accumulate=2", "decay=inverse_sqrt"]
    answer = core(*training(epochs=1), *(part for flag in flags for part in ("--set", flag)))
    assert answer.status == 0, answer.err
    assert "swa_start" in core(*training(epochs=1, out="elsewhere"), "--set", "swa_start=2").reason


def test_an_attack_on_embeddings_that_never_learn_is_refused_before_anything_is_written(
    core, corpus, tmp_path
):
    words = ["--train", corpus["train"], "--dev", corpus["dev"], "--out", tmp_path / "run", "--epochs", 1]
    flags = ["--tagger", "bert", "--set", "fgm=1", "--set", f"encoder={tiny_bert()}", "--set"]
    answer = core("train", *words, *flags, "frozen_epochs=-1")
    assert "fgm: there is nothing to disturb, because frozen_epochs keeps" in answer.reason
    assert not (tmp_path / "run").exists()
    assert core("train", *words, *flags, "frozen_epochs=0").status == 0


def test_a_folder_that_holds_a_run_is_not_overwritten(core, training):
    assert core(*training(epochs=1)).status == 0
    assert "add --resume" in core(*training(epochs=1)).reason


def test_resume_needs_a_run_and_the_same_settings(core, training, tmp_path):
    assert "no run to resume" in core("train", "--resume", "--out", tmp_path / "none").reason
    assert "--train FILE is needed" in core("train", "--out", tmp_path / "none").reason
    core(*training(epochs=1))
    run = tmp_path / "run"
    assert "begun with epochs 1, not 5" in core("train", "--resume", "--out", run, "--epochs", 5).reason
    again = core("train", "--resume", "--out", run)
    assert again.status == 0
    assert again.json["epochs"] == 1


@pytest.mark.exhaustive
def test_an_interrupted_training_says_how_to_go_on_and_ends_as_if_never_stopped(core, training, tmp_path):
    whole = core(*training(epochs=20, out=tmp_path / "whole")).json
    events = tmp_path / "a run" / "events.jsonl"

    def begun() -> bool:
        return events.exists() and '"epoch": 2,' in events.read_text()

    err = interrupted(training(epochs=20, out=tmp_path / "a run"), begun)
    assert err.splitlines()[-1].endswith(f"train --out '{tmp_path / 'a run'}' --resume")
    resumed = core("train", "--resume", "--out", tmp_path / "a run")
    assert resumed.status == 0, resumed.err
    assert resumed.json["losses"] == whole["losses"]
    assert resumed.json["test"] == whole["test"]


def test_settings_are_split_between_training_and_tagger():
    config, settings = train_command.split_settings("flat", {"epochs": "4", "layers": "2"})
    assert (config, settings) == ({"layers": 2}, {"epochs": 4})
    with pytest.raises(TrainingError, match="learning_rate"):
        train_command.split_settings("flat", {"learning_rate": "fast"})


@pytest.mark.parametrize(
    ("given", "epochs"),
    [
        ([], 100),  # 3 steps an epoch
        (["--set", "swa_start=90", "--set", "swa_cycle=5"], 100),
        (["--epochs", "7"], 7),
        (["--tagger", "bert", "--set", f"encoder={tiny_bert()}"], None),
    ],
)
def test_where_nobody_says_how_many_epochs_the_documents_do(corpus, tmp_path, capsys, given, epochs):
    parser = argparse.ArgumentParser()
    train_command.add_parser(parser.add_subparsers())
    files = [word for part in ("train", "dev") for word in (f"--{part}", str(corpus[part]))]
    args = parser.parse_args(["train", *files, "--out", str(tmp_path / "run"), "--device", "cpu", *given])
    folder = RunFolder(tmp_path / "run")
    train_command.begin(folder, args, args.tagger or "flat")
    assert folder.read_request().settings.get("epochs") == epochs
    assert ("100 epochs, as many as 21 documents need" in capsys.readouterr().err) == (epochs == 100)
