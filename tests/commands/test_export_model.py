"""``core export-model`` and ``core push``: a trained run, as another program reads it."""

import json

import pytest


@pytest.mark.exhaustive
def test_a_run_leaves_as_a_graph_that_tags_like_it(core, trained, tmp_path):
    pytest.importorskip("onnxruntime")
    made = core(
        "export-model", "--model", trained, "--to", "onnx", "--out", tmp_path / "onnx", "--license", "mit"
    )
    assert made.status == 0, made.err
    assert made.json["tagger"] == "flat"
    assert made.json["largest_difference"] < 1e-4
    card = (tmp_path / "onnx" / "README.md").read_text(encoding="utf-8")
    assert "license: mit" in card
    assert "| train | 21 | 42 |" in card
    texts = tmp_path / "texts.txt"
    texts.write_text("林晓今天在青岛工作\n\n周平今天在兰州工作\n", encoding="utf-8")
    expected = core("tag", "--model", trained, texts).lines
    found = core("tag", "--model", tmp_path / "onnx", "--threads", "1", texts).lines
    assert [line["text"] for line in found] == [line["text"] for line in expected]
    for before, after in zip(expected, found, strict=True):
        keys = [[(s["start"], s["end"], s["label"]) for s in line["spans"]] for line in (before, after)]
        assert keys[0] == keys[1]
    assert expected[0]["spans"]


def test_a_run_leaves_as_it_is(core, trained, tmp_path):
    assert (
        core("export-model", "--model", trained, "--to", "latticelens", "--out", tmp_path / "out").status == 0
    )
    texts = tmp_path / "texts.txt"
    texts.write_text("林晓今天在青岛工作\n", encoding="utf-8")
    assert (
        core("tag", "--model", tmp_path / "out", texts).lines == core("tag", "--model", trained, texts).lines
    )


@pytest.mark.parametrize("command", ["export-model", "push"])
def test_there_is_no_such_model(core, tmp_path, command):
    more = ["--to", "onnx", "--out", tmp_path / "out"] if command == "export-model" else ["--repo", "a/b"]
    assert "no model folder" in core(command, "--model", tmp_path / "none", *more).reason


def test_a_tagger_that_cannot_leave_is_named(core, trained, tmp_path):
    answer = core("export-model", "--model", trained, "--to", "transformers", "--out", tmp_path / "out")
    assert answer.reason.startswith("core export-model: FLAT is no model of transformers")
    assert not (tmp_path / "out").exists()


def test_a_folder_that_holds_something_is_left_alone(core, trained, tmp_path):
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept" / "thesis.txt").write_text("mine")
    answer = core("export-model", "--model", trained, "--to", "onnx", "--out", tmp_path / "kept")
    assert "exists already" in answer.reason
    assert (tmp_path / "kept" / "thesis.txt").read_text() == "mine"


def test_a_wrong_licence_is_refused_before_anything_is_written(core, trained, tmp_path):
    out = tmp_path / "out"
    answer = core(
        "export-model", "--model", trained, "--to", "latticelens", "--out", out, "--license", "My own"
    )
    assert "no identifier of a licence" in answer.reason
    assert not out.exists()


def test_a_damaged_graph_is_named(core, tmp_path):
    (tmp_path / "onnx.json").write_text("{")
    (tmp_path / "texts.txt").write_text("a")
    assert "onnx.json is not JSON" in core("tag", "--model", tmp_path, tmp_path / "texts.txt").reason


def test_an_exported_graph_runs_on_the_processor_only(core, tmp_path):
    (tmp_path / "onnx.json").write_text("{}")
    (tmp_path / "texts.txt").write_text("a")
    answer = core("tag", "--model", tmp_path, "--device", "cuda", tmp_path / "texts.txt")
    assert "runs on the processor" in answer.reason


def test_a_push_needs_a_repository_and_a_token(core, trained, monkeypatch):
    monkeypatch.delenv("HF_TOKEN", raising=False)
    assert "owner/name" in core("push", "--model", trained, "--repo", "first").reason
    assert "HF_TOKEN" in core("push", "--model", trained, "--repo", "people/first").reason


def test_a_run_arrives_at_a_hub(core, trained, hub):
    answer = core("push", "--model", trained, "--repo", "people/first", "--license", "mit")
    assert answer.status == 0, answer.err
    assert answer.json["repo"] == "people/first"
    assert {"README.md", "config.json", "model.safetensors", "vocabulary.json"} <= set(hub.files)
    assert json.loads(hub.files["config.json"])["tagger"] == "flat"
    assert b"# first" in hub.files["README.md"]
