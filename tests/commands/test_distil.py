"""``core distil``: a trained run teaches a smaller tagger, on raw text too."""

import json
import random
import re
import shutil

import pytest

from core.corpus.document_json import document_line
from core.corpus.snapshot import TAUGHT, read_snapshot
from core.taggers.base.model_folder import load_tagger
from core.text import Document, Span
from core.training import loop
from core.training.run.run_folder import RunFolder
from tests.sources.stand_in import Reply, stand_in

SMALL = [
    part
    for setting in ("hidden=12", "char_dim=8", "bigram_dim=0", "threads=1", "learning_rate=0.02", "fgm=0")
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
    assert "one teacher is needed: --model DIR" in core("distil", *given(taught, out)).reason
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


@pytest.fixture(scope="module")
def pipeline(tmp_path_factory):
    """A pipeline of spaCy that knows every name, and calls the labels by their long names."""
    spacy = pytest.importorskip("spacy")
    zh = spacy.blank("zh")
    zh.add_pipe("entity_ruler").add_patterns(
        [{"label": "PERSON" if at % 2 else "GPE", "pattern": name} for at, name in enumerate(NAMES)]
    )
    folder = tmp_path_factory.mktemp("pipeline") / "zh"
    zh.to_disk(folder)
    return folder


def texts_of(path):
    return {json.loads(line)["text"] for line in path.read_text().splitlines()}


def parts_of(taught):
    """The texts of the labelled parts."""
    return texts_of(taught["train"]) | texts_of(taught["dev"]) | texts_of(taught["test"])


def test_a_source_teaches_raw_texts_and_nothing_of_dev_and_test(core, taught, pipeline, tmp_path):
    raw = tmp_path / "raw.jsonl"
    raw.write_text("".join(taught[name].read_text() for name in ("raw", "dev", "test", "train")))
    out = tmp_path / "student"
    answer = core("distil", "--source", f"spacy:{pipeline}", "--raw", raw, *given(taught, out, epochs=1))
    assert answer.status == 0, answer.err
    held = read_snapshot(RunFolder(out).snapshot)[TAUGHT]
    assert re.search(rf"Learning from the answers of spacy on {len(held)} raw texts", answer.err)
    texts = {document.text for document in held}
    assert len(texts) > 190
    assert not texts & parts_of(taught)
    for document in held:
        (name,) = [at for at, character in enumerate(document.text) if character in NAMES]
        label = "PER" if NAMES.index(document.text[name]) % 2 else "LOC"
        assert [span.key for span in document.spans] == [(name, name + 1, label)]
    teacher = RunFolder(out).read_request().teacher
    assert (teacher["source"], teacher["labels"]) == ("spacy", "LOC\nPER")
    assert "not 0.9" in core("distil", "--out", out, "--resume", "--share", "0.9").reason


@pytest.mark.exhaustive
def test_a_student_of_a_source_beats_one_without(core, taught, pipeline, tmp_path):
    alone = core("train", "--tagger", "bilstm_crf", *given(taught, tmp_path / "alone", epochs=40))
    options = ("--source", f"spacy:{pipeline}", "--raw", taught["raw"], "--share", "0.7")
    answer = core("distil", *options, *given(taught, tmp_path / "student", epochs=25))
    assert answer.status == 0, answer.err
    assert answer.json["test"]["f1"] > alone.json["test"]["f1"] + 0.2
    assert answer.json["test"]["f1"] > 0.9


def test_a_language_model_says_what_it_costs_and_is_paid_once(core, taught, tmp_path):
    raw = write(tmp_path / "raw.jsonl", list(sentences(8, 9)))

    def behave(body, number):
        text = body["messages"][-1]["content"]
        name = next(character for character in text if character in NAMES)
        said = {"entities": [{"text": name, "label": "PER", "occurrence": 1}]}
        return Reply(json.dumps(said)) if number != 3 else Reply("I do not know.")

    with stand_in(behave) as server:
        source = tmp_path / "model.json"
        settings = {"kind": "language_model", "name": "M", "target": "m", "address": server.address}
        source.write_text(json.dumps({**settings, "read_price": 1000, "parallel": 1, "examples": 1}))
        options = ("--source", source, "--raw", raw, "--cache", tmp_path / "cache")
        first = core("distil", *options, *given(taught, tmp_path / "one", epochs=1))
        assert first.status == 0, first.err
        said, asked = first.err.index("8 texts go to"), len(server.asked)
        assert re.search(r"about \d+ tokens are read and \d+ written, [\d.]+ in the currency", first.err)
        assert said < first.err.index("on 8 raw texts")
        assert asked == 9  # one was asked again
        shown = {turn["content"] for _, body in server.asked for turn in body["messages"][1:-1]}
        assert not shown & (texts_of(taught["dev"]) | texts_of(taught["test"]))
        core("distil", *options, *given(taught, tmp_path / "two", epochs=1))
        assert len(server.asked) == asked


def test_a_source_that_cannot_teach_is_refused_before_anything_is_written(
    core, taught, teacher, pipeline, tmp_path
):
    out = tmp_path / "student"
    spacy = ("--source", f"spacy:{pipeline}")
    raw = ("--raw", taught["raw"])
    other = write(tmp_path / "other.jsonl", [Document("1", "孙今天", (Span(0, 1, "TITLE"),))])
    for options, files, reason in (
        (spacy, taught, "give them with --raw FILE"),
        ((*spacy, "--model", teacher, *raw), taught, "one teacher is needed"),
        (("--source", "spacy:nothing", *raw), taught, "cannot be opened"),
        (("--source", "nothing", *raw), taught, "give lac, spacy:PIPELINE"),
        ((*spacy, *raw), {**taught, "train": other}, "none of which is a label of --train (TITLE)"),
        ((*spacy, *raw, "--share", "2"), taught, "distillation setting share"),
        ((*spacy, "--raw", taught["dev"]), taught, "answered on no raw text"),
    ):
        assert reason in core("distil", *options, *given(files, out)).reason
    assert not out.exists()
