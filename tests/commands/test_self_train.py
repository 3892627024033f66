"""``core self-train``: what it asks for, what it writes into the run folder, and a run to its end."""

from core.training.run.run_folder import RunFolder
from tests.commands.test_distil import NAMES, SMALL, sentences, write


def test_rounds_and_confidence_are_kept_with_the_run_and_cannot_change(core, tmp_path):
    train = write(tmp_path / "train.jsonl", sentences(8, 2, NAMES[:4]))
    raw = write(tmp_path / "raw.jsonl", sentences(10, 5, NAMES[:4]))
    out = tmp_path / "run"
    begun = core(
        "self-train", "--train", train, "--raw", raw, "--out", out, *SMALL, "--epochs", "2",
        "--rounds", "1", "--confidence", "0.2", "--set", "char_vectors=",
    )  # fmt: skip
    assert begun.status == 0, begun.err
    assert begun.json["self_training"]["raw_texts"] == 10
    request = RunFolder(out).read_request()
    assert request.self_training == {"self_training_rounds": 1, "self_training_confidence": 0.2}
    changed = core("self-train", "--out", out, "--resume", "--rounds", "3")
    assert changed.status == 2
    assert "begun with --rounds 1, not 3" in changed.err


def test_it_asks_for_raw_texts_and_a_round(core, tmp_path):
    train = write(tmp_path / "train.jsonl", sentences(4, 2))
    given = ("self-train", "--train", train, "--out", tmp_path / "run")
    assert "--raw FILE is needed" in core(*given).err
    assert "without a round it is the command train" in core(*given, "--raw", train, "--rounds", "0").err
    assert "self_training_confidence" in core(*given, "--raw", train, "--confidence", "2").err
    assert not (tmp_path / "run").exists()
