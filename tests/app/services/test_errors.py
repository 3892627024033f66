"""Errors reach a person as one sentence that says what to do."""

import logging
from pathlib import Path

import pytest

from app.i18n import counted
from app.services.errors import AppError, sentence
from core.corpus.errors import DiskFullError
from core.encoders.transformer_files import EncoderError
from core.formats import FormatError, read_file
from core.lexicon import WordListError, WordListProblem
from core.runtime.message import Message
from core.store.db.errors import NameTaken, NotFound, PayloadError, StoreFull
from core.store.project.members import NotAllowed
from core.taggers.base.config_fields import ConfigError, config_from_settings
from core.taggers.base.model_folder import load_tagger
from core.text import LabelSet, OffsetError
from core.text.pattern import PatternError, check_pattern
from core.training.run.errors import TrainingError
from core.training.settings import TrainingSettings


def test_an_error_of_the_interface_speaks_the_sessions_language():
    error = AppError(
        "The demo takes texts of at most {limit}; this one has {count}. Shorten it, or "
        "run LatticeLens on your own machine.",
        limit=counted.characters(10),
        count=12,
    )
    assert "at most 10 characters; this one has 12" in sentence(error, "en")
    assert "不超过 10 个字符" in sentence(error, "zh")
    assert str(error) == sentence(error, "en")


def test_a_training_error_speaks_both_languages():
    error = TrainingError("there is no device {name}; choose auto, cpu, cuda or mps", name="'tpu'")
    assert sentence(error, "en") == "there is no device 'tpu'; choose auto, cpu, cuda or mps"
    assert sentence(error, "zh") == "没有设备 'tpu'；请选择 auto、cpu、cuda 或 mps"


@pytest.mark.parametrize(
    "error", [NameTaken("a project is here already"), StoreFull("/disk"), ValueError("row 3 has no tag")]
)
def test_messages_of_core_are_shown_unchanged(error):
    assert sentence(error) == str(error)


def test_a_full_disk_names_the_place():
    assert "'/w/file'" not in sentence(OSError(28, "No space left on device", "/w/file"))
    assert "/w/file: the disk is full" in sentence(OSError(28, "No space left on device", "/w/file"))


@pytest.mark.parametrize("error", [KeyError("x"), RuntimeError("boom"), ZeroDivisionError("by zero")])
def test_a_fault_of_ours_is_logged_with_its_traceback_and_shown_without(error, caplog):
    with caplog.at_level(logging.ERROR, logger="latticelens"):
        shown = sentence(error)
    assert "Something went wrong" in shown
    assert type(error).__name__ not in shown
    assert caplog.records[0].exc_info is not None


def test_a_full_disk_says_what_to_do_in_both_languages():
    error = DiskFullError(Path("runs/flat-0001/train.jsonl"))
    assert "Free some space" in sentence(error, "en")
    assert sentence(error, "zh").startswith("磁盘已满：无法把 train.jsonl 写入 runs/flat-0001")


def raised(action, *given, **named):
    with pytest.raises(Exception) as refused:
        action(*given, **named)
    return refused.value


def test_refusals_of_core_are_translated(tmp_path):
    (tmp_path / "a.txt").write_bytes(b"")
    (tmp_path / "a.pdf").write_bytes(b"%PDF-1.7")
    for error, told in [
        (raised(read_file, tmp_path / "a.txt"), "a.txt 是空文件，没有可导入的内容"),
        (
            raised(read_file, tmp_path / "a.pdf"),
            "a.pdf 是 PDF，不是文本：请复制出其中的文字，或转换为纯文本（.txt），再重试",
        ),
        (raised(check_pattern, ""), "正则表达式为空"),
        (
            raised(LabelSet().extended(["PER", "LOC"]).__getitem__, "X"),
            "'X' 不是本项目的标签；现有标签：PER、LOC",
        ),
        (NotFound("run", "flat-0001"), "工作区中没有运行 'flat-0001'；请刷新页面查看现有内容"),
    ]:
        assert sentence(error, "zh") == told
        assert sentence(error, "en") == str(error)


def test_a_refused_setting_has_the_name_of_its_field_and_on_the_command_line_that_of_its_option():
    error = raised(config_from_settings, TrainingSettings, {"epochs": "0"})
    assert sentence(error, "zh") == "轮数：'0' 不合适，应为 1 到 1000 的整数"
    assert sentence(error, "en") == "Epochs: '0' does not fit, it takes a whole number from 1 to 1000"
    assert str(error) == "epochs: '0' does not fit, it takes a whole number from 1 to 1000"
    assert sentence(raised(TrainingSettings, epochs=0), "zh").startswith("训练设置 轮数：")


def test_nested_reasons_are_translated(tmp_path):
    error = raised(load_tagger, tmp_path / "none")
    assert sentence(error, "zh") == f"没有模型文件夹 {tmp_path / 'none'}；请给出训练写成的文件夹"
    record = FormatError(
        "{name}: {reason}",
        name="a.jsonl",
        reason=OffsetError("the span at {start}-{end} has an empty label", start=1, end=2),
    )
    assert sentence(record, "zh") == "a.jsonl：1-2 处的实体没有标签"
    encoder = ConfigError(
        "encoder: {reason}",
        reason=EncoderError(
            "encoder {name} cannot read text alone ({reason}); choose another",
            name="x",
            reason=OSError(2, "gone"),
        ),
    )
    assert (
        sentence(encoder, "zh") == "编码器：编码器 x 不能只读文本（没有这个文件或文件夹）；请选择其他编码器"
    )


def test_refused_records_are_translated(tmp_path):
    (tmp_path / "a.jsonl").write_text(
        '{"text": "张三", "spans": [{"start": 0, "end": 9, "label": "PER"}]}\n{"text": 7}\n{"text": "李四"}\n'
    )
    told = [
        sentence(FormatError(one.message), "zh") for one in read_file(tmp_path / "a.jsonl", "jsonl").refusals
    ]
    assert told == ["实体 PER 0-9 不在文本内，文本共 2 字", "字段 'text' 应是文本，这里却是数"]


def test_lines_of_a_word_list_are_told_in_the_persons_language():
    problems = [
        WordListProblem(number, Message("the word before the tab is missing")) for number in range(1, 8)
    ]
    error = WordListError("words.txt", problems)
    assert sentence(error, "zh").startswith("words.txt：第 1 行：制表符前缺少词；第 2 行：")
    assert sentence(error, "zh").endswith("；另有 2 行")
    assert sentence(error, "en").endswith("; line 5: the word before the tab is missing; and 2 more")


def test_what_a_person_wrote_is_never_a_template():
    hostile = "{0.__class__} {name!r} {"
    errors = [
        NameTaken("there is a label {name} already; choose another name", name=hostile),
        PatternError(Message("{reason}", values={"reason": hostile}), 3),
    ]
    assert all(hostile in sentence(error, language) for error in errors for language in ("en", "zh"))
    assert sentence(ValueError(hostile), "zh") == hostile


def test_a_refusal_among_people_names_role_and_right_in_chinese():
    error = NotAllowed(
        "Your role in this project is {role}, which does not allow {right}. Ask {managers}.",
        role=Message("annotator"),
        right=Message("reviewing"),
        managers=["lin", "bo"],
    )
    assert (
        str(error) == "Your role in this project is annotator, which does not allow reviewing. Ask lin, bo."
    )
    assert "标注者" in sentence(error, "zh")
    assert "lin、bo" in sentence(error, "zh")
    assert isinstance(PayloadError("a comment needs some text"), ValueError)
