"""Every reason a format raises has a Chinese sentence, with all that it quotes."""

from __future__ import annotations

import ast
import re
import time
from pathlib import Path

import pytest

from app.errors import sentence
from app.refusal_reasons import PLACE, REASONS, reason_in
from core.formats import FormatError

FORMATS = sorted((Path(__file__).parents[2] / "core" / "formats").glob("*.py"))
# Told to whoever names a convention on the command line, never by a file.
ELSEWHERE = ("is no offset convention",)


def sentences():
    """What the formats raise, each place filled with a mark of its own."""
    for path in FORMATS:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
                continue
            name = node.func.id
            if name not in ("RecordError", "FormatError", "Refusal", "ValueError"):
                continue
            given = node.args[1] if name == "Refusal" else node.args[0]
            if isinstance(given, ast.JoinedStr):
                marks = iter(range(100))
                yield "".join(
                    str(part.value) if isinstance(part, ast.Constant) else f"⟨{next(marks)}⟩"
                    for part in given.values
                )
            elif isinstance(given, ast.Constant):
                yield str(given.value)


@pytest.mark.parametrize("english", sorted(set(sentences())))
def test_a_reason_has_a_chinese_sentence_that_quotes_the_same(english):
    if any(part in english for part in ELSEWHERE):
        return
    if re.fullmatch(r"(row |span |a part of the discontinuous span )?⟨0⟩:? ⟨1⟩", english):
        english = english.replace("⟨1⟩", "the context is empty")  # a frame around another reason
    chinese = reason_in(english, "zh")
    assert re.search(r"[\u4e00-\u9fff]", chinese), "add it to app/refusal_reasons.py"
    assert sorted(re.findall(r"⟨\d+⟩", chinese)) == sorted(re.findall(r"⟨\d+⟩", english))
    assert reason_in(english, "en") == english


@pytest.mark.parametrize(("english", "chinese"), REASONS)
def test_both_sides_hold_the_same_places(english, chinese):
    assert sorted(PLACE.findall(english)) == sorted(PLACE.findall(chinese))


def test_a_reason_around_a_reason_is_read_to_the_end():
    said = "row 3: span PER 4-9 should read '{a} 张伟' but the text there is '北京'"
    assert reason_in(said, "zh") == "第 3 行：片段 PER 4-9 应为 '{a} 张伟'，但该处文本是 '北京'"


def test_what_no_format_says_stays_as_it_is():
    assert reason_in("a.txt: something new", "zh") == "a.txt: something new"


def test_a_refused_file_is_told_in_the_persons_language():
    error = FormatError("a.txt is empty: there is nothing to import")
    assert sentence(error, "zh") == "a.txt 是空文件，无可导入"
    assert sentence(error, "en") == str(error)


def test_a_hostile_reason_is_read_in_no_time():
    started = time.perf_counter()
    reason_in("span " + "a-" * 3000 + ": should read", "zh")
    assert time.perf_counter() - started < 5
