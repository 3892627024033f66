"""``core ensemble``: runs become a run that stands alone; what does not fit is one line."""

import json
import shutil

import pytest

from core.taggers.base.model_folder import load_tagger
from core.training.run.run_folder import RunFolder
from core.training.stopping import Stopped


@pytest.fixture(scope="module")
def _second(tmp_path_factory):
    return tmp_path_factory.mktemp("second")


@pytest.fixture
def members(core, training, trained, _second):
    """Two trained runs of one corpus."""
    out = _second / "run"
    if not out.exists():
        assert core(*training(out=out, epochs=12, seed=4)).status == 0
    return trained, out


def given(members, out, *more):
    return ("ensemble", *(part for each in members for part in ("--model", each)), "--out", out, *more)


def test_two_runs_become_one_that_stands_alone(core, corpus, members, tmp_path):
    copies = [shutil.copytree(each, tmp_path / f"copy{at}") for at, each in enumerate(members)]
    out = tmp_path / "both"
    answer = core(*given(copies, out, "--dev", corpus["dev"], "--test", corpus["test"], "--device", "cpu"))
    assert answer.status == 0, answer.err
    scores = answer.json
    assert scores["test"]["f1"] > 0.9
    assert scores["dev"]["documents"] == 5
    assert scores["members"] == [str(copy / "model") for copy in copies]
    assert "Confidence is" in answer.err
    for copy in copies:
        shutil.rmtree(copy)
    folder = RunFolder(out)
    assert folder.state().status == "finished"
    assert folder.read_request().kind == "ensemble"
    assert load_tagger(folder.model).name == "ensemble"
    evaluated = core("evaluate", "--model", out, "--data", corpus["test"], "--device", "cpu").json
    assert evaluated["f1"] == scores["test"]["f1"]
    text = tmp_path / "text.txt"
    text.write_text("林晓今天在青岛工作\n", encoding="utf-8")
    (line,) = core("tag", "--model", out, text, "--device", "cpu").lines
    assert [span["text"] for span in line["spans"]] == ["林晓", "青岛"]
    assert all(0 < span["score"] <= 1 for span in line["spans"])


def test_without_documents_it_has_no_scores(core, members, tmp_path):
    answer = core(*given(members, tmp_path / "both", "--device", "cpu"))
    assert answer.status == 0, answer.err
    assert (answer.json["dev"], answer.json["test"]) == (None, None)


def test_an_interrupted_one_is_resumed(core, corpus, members, tmp_path, monkeypatch):
    out = tmp_path / "both"

    def stop(*arguments):
        raise Stopped

    with monkeypatch.context() as patch:
        patch.setattr("core.training.run.ensemble_run.evaluate", stop)
        answer = core(*given(members, out, "--test", corpus["test"], "--device", "cpu"))
    assert answer.status == 130
    assert f"python -m core ensemble --out {out} --resume" in answer.err
    assert not (out / "model").exists()
    resumed = core("ensemble", "--out", out, "--resume")
    assert resumed.status == 0, resumed.err
    assert resumed.json["test"]["f1"] > 0.9


def test_what_does_not_fit_is_refused_before_anything_is_written(core, members, tmp_path):
    out = tmp_path / "both"
    assert "--model DIR is needed" in core("ensemble", "--out", out).reason
    assert "an ensemble has 2 to 64 members, got 1" in core(*given(members[:1], out)).reason
    assert "there is no model folder" in core(*given([members[0], tmp_path / "none"], out)).reason
    assert "holds no ensemble to resume" in core("ensemble", "--out", out, "--resume").reason
    other = shutil.copytree(members[1] / "model", tmp_path / "other")
    header = json.loads((other / "config.json").read_text(encoding="utf-8"))
    (other / "config.json").write_text(json.dumps({**header, "labels": ["PER", "GPE"]}), encoding="utf-8")
    reason = core(*given([members[0], other], out)).reason
    assert f"{other} has other labels than" in reason
    assert "GPE against LOC" in reason
    assert not out.exists()


def test_a_run_that_is_there_is_not_overwritten(core, members):
    assert "holds a run already" in core(*given(members, members[0])).reason
    assert (
        "made of trained runs"
        in core(
            "train", "--tagger", "ensemble", "--train", members[0], "--out", members[0].parent / "new"
        ).reason
    )
