"""``core distil``: a trained run teaches a smaller tagger, on raw text too."""

from __future__ import annotations

import random
import re
import shutil

import pytest

from core.corpus.document_json import document_line
from core.taggers.base.model_folder import load_tagger
from core.text import Document, Span
from core.training import loop
from core.training.run.run_folder import RunFolder

SMALL = [
    part
    for setting in ("hidden=12", "char_dim=8", "bigram_dim=0", "threads=1", "learning_rate=0.02")
    for part in ("--set", setting)
]
NAMES = "赵钱孙李周吴郑王冯陈褚卫蒋沈韩杨朱秦尤许何吕施张孔曹严华金魏陶姜"
ENDS = "了吧吗呢啊呀嘛哦"  # so that hardly any two texts are the same: raw ones in dev or test are left out
VERBS = ("今天在", "昨天到", "明天又去")


def sentences(count, seed, names=NAMES):
    """Someone or some place does something; only who has seen a character knows which it is."""
    chance = random.Random(seed)
    for number in range(count):
        name, verb = chance.choice(names), chance.choice(VERBS)
        label = "PER" if NAMES.index(name) % 2 else "LOC"
        text = verb + name + "".join(chance.sample(ENDS, 3))
        yield Document(f"{seed}-{number}", text, (Span(len(verb), len(verb) + 1, label),))


def write(path, documents):
    path.write_bytes(b"".join(document_line(document) for document in documents))
    return path


@pytest.fixture(scope="module")
def taught(tmp_path_factory):
    """The files of a corpus whose training part is tiny."""
    folder = tmp_path_factory.mktemp("taught")
    return {
        "all": write(folder / "all.jsonl", sentences(300, 1)),
        "train": write(folder / "train.jsonl", sentences(12, 2, NAMES[:8])),
        "dev": write(folder / "dev.jsonl", sentences(20, 3)),
        "test": write(folder / "test.jsonl", sentences(60, 4)),
        "raw": write(folder / "raw.jsonl", sentences(200, 5)),
        "teacher": folder / "teacher",
    }


@pytest.fixture
def teacher(core, taught):
    """A run that knows nearly every character."""
    if not taught["teacher"].exists():
        files = [part for name in ("dev", "test") for part in (f"--{name}", taught[name])]
        answer = core(
            "train", "--tagger", "bilstm_crf", "--train", taught["all"], *files, "--out", taught["teacher"],
            "--device", "cpu", "--epochs", "25", *SMALL,
        )  # fmt: skip
        assert answer.status == 0, answer.err
        assert answer.json["test"]["f1"] > 0.9
    return taught["teacher"]


def given(taught, out, *more, epochs=6):
    files = [part for name in ("train", "dev", "test") for part in (f"--{name}", taught[name])]
    return (*files, "--out", out, "--device", "cpu", "--epochs", epochs, *SMALL, *more)


@pytest.mark.exhaustive
def test_a_student_that_reads_raw_text_with_its_teacher_beats_one_without(core, taught, teacher, tmp_path):
    alone = core("train", "--tagger", "bilstm_crf", *given(taught, tmp_path / "alone", epochs=40))
    assert alone.status == 0, alone.err
    out = tmp_path / "student"
    options = ("--model", teacher, "--raw", taught["raw"], "--share", "0.7")
    answer = core("distil", *options, *given(taught, out, epochs=25))
    assert answer.status == 0, answer.err
    assert answer.json["test"]["f1"] > alone.json["test"]["f1"] + 0.2
    assert answer.json["test"]["f1"] > 0.9
    assert re.search(r"The teacher reads 2\d\d texts", answer.err)
    folder = RunFolder(out)
    assert folder.read_request().teacher["share"] == 0.7
    assert load_tagger(folder.model).name == "bilstm_crf"


def test_a_stopped_distillation_is_resumed_without_its_teacher(core, taught, teacher, tmp_path, monkeypatch):
    copy = shutil.copytree(teacher, tmp_path / "teacher")
    lexicon = tmp_path / "words.txt"
    lexicon.write_text("今天\n昨天\n", encoding="utf-8")
    small = [part for setting in ("layers=1", "heads=2", "ffn=8") for part in ("--set", setting)]
    options = ("--model", copy, "--tagger", "flat", "--lexicon", lexicon, *small)
    whole = core("distil", *options, *given(taught, tmp_path / "whole", epochs=3))
    assert whole.status == 0, whole.err
    out, saved = tmp_path / "cut", loop.save_checkpoint

    def stop_after_one(*arguments):
        saved(*arguments)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(loop, "save_checkpoint", stop_after_one)
        assert core("distil", *options, *given(taught, out, epochs=3)).status == 130
    shutil.rmtree(copy)
    reason = core("distil", "--out", out, "--resume", "--share", "0.9").reason
    assert "was begun with --share 0.5, not 0.9" in reason
    resumed = core("distil", "--out", out, "--resume")
    assert resumed.status == 0, resumed.err
    assert resumed.json["losses"] == whole.json["losses"]
    assert resumed.json["test"]["f1"] == whole.json["test"]["f1"]


def test_what_does_not_fit_is_refused_before_anything_is_written(core, taught, teacher, tmp_path):
    out = tmp_path / "student"
    assert "--model DIR is needed" in core("distil", *given(taught, out)).reason
    assert (
        "there is no model folder" in core("distil", "--model", tmp_path / "no", *given(taught, out)).reason
    )
    for option, value, reason in (
        ("--share", "2", "distillation setting share"),
        ("--temperature", "0", "distillation setting temperature"),
        ("--tagger", "mrc", "BERT-MRC cannot learn from a teacher"),
        ("--tagger", "ensemble", "Ensemble cannot learn from a teacher"),
    ):
        assert reason in core("distil", "--model", teacher, *given(taught, out, option, value)).reason
    assert not out.exists()
    assert "has no teacher; go on with: train" in core("distil", "--out", teacher, "--resume").reason


def test_labels_that_the_teacher_does_not_know_are_refused_at_once(core, taught, teacher, tmp_path):
    other = write(tmp_path / "other.jsonl", [Document("1", "孙今天", (Span(0, 1, "NAME"),))])
    out = tmp_path / "student"
    answer = core("distil", "--model", teacher, *given({**taught, "train": other}, out))
    assert "the teacher does not know the labels NAME" in answer.reason
    assert not out.exists()
