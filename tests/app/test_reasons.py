"""Every reason that core gives a person has a Chinese sentence, with all that it quotes."""

from __future__ import annotations

import ast
import re
import time
from pathlib import Path

from app.reasons import reason_in
from app.reasons.formats import PHRASES as FORMAT_PHRASES
from app.reasons.models import PHRASES as OPTION_PHRASES
from app.reasons.reading import FRAMES, PLACE, TABLES
from app.services.errors import sentence
from core.formats import FormatError
from core.lexicon import WordListError, WordListProblem
from core.store.db.errors import NotFound
from core.taggers.base.config_fields import ConfigError
from core.taggers.base.model_folder import AGAIN
from core.text.foreign_files import KNOWN
from core.training.run.message import Message, TrainingError

CORE = Path(__file__).parents[2] / "core"
ROOMS = (
    "agreement", "corpus", "encoders", "formats", "inspection", "jobs", "learning", "lexicon", "retrieval",
    "store", "taggers", "text", "training",
)  # fmt: skip
# The classes whose text a page shows as it stands. A Refusal and a WordListProblem have it second.
SHOWN = {
    "ChangeBlocked", "ConfigError", "CorpusError", "ElmoError", "EncoderError", "FormatError", "LabelInUse",
    "LexiconError", "ModelFolderError", "NameTaken", "NotAWorkspace", "OffsetError", "OverlapError",
    "PatternError", "PayloadError", "QueueError", "RecordError", "Refusal", "StoreError", "StoreReadOnly",
    "TrainingError", "ValueError", "VectorsError", "VersionsDiffer", "WordListProblem", "WorkspaceTooNew",
}  # fmt: skip
# Said to whoever calls a function wrongly, or by the command line alone; no page can bring it about.
ELSEWHERE = (
    "is no offset convention",
    "request.json",
    "texts need as many",
    "a text stands behind a query or before a context",
    "leaves a sentence",
    "is taken by",
    "a confidence lies outside",
    "a context needs at least",
    "a training set has",
    "budget must be",
    "there must be at least 1 bin",
    "confidences but",
    "documents but",
    "sizes but",
    "one count for each class",
    "words must be distinct",
    "perplexity needs",
    "needs held-out positives",
    "recall and precision lie",
    "is none of",
    "is not a file name",
)


def sentences():
    """What the rooms raise, each place filled with a mark of its own."""
    for path in sorted(path for room in ROOMS for path in (CORE / room).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            given = _sentence(node)
            own_words = re.sub(r"⟨\d+⟩", "", given or "")
            if re.search("[a-z]{3}", own_words) and not any(part in given for part in ELSEWHERE):
                yield given


def _sentence(node):
    if not isinstance(node, ast.Call) or not node.args:
        return None
    if isinstance(node.func, ast.Attribute) and ast.unparse(node.func) == "super().__init__":
        if len(node.args) > 1:
            return None  # told in both languages
        given = node.args[0]  # an error that words itself
    elif isinstance(node.func, ast.Name) and node.func.id in SHOWN:
        if node.func.id in ("TrainingError", "QueueError") and len(node.args) > 1:
            return None  # told in both languages
        given = node.args[node.func.id in ("Refusal", "WordListProblem")]
    else:
        return None
    if isinstance(given, ast.Constant) and isinstance(given.value, str):
        return given.value
    if not isinstance(given, ast.JoinedStr):
        return None
    marks = iter(range(100))
    return "".join(
        str(part.value)
        if isinstance(part, ast.Constant)
        else AGAIN
        if ast.unparse(part.value) in ("AGAIN", "model_folder.AGAIN")
        else f"⟨{next(marks)}⟩"
        for part in given.values
    )


def in_chinese(english: str) -> bool:
    """Whether a reason has a Chinese sentence that quotes the same, and stays as it is in English."""
    framed = re.search(r"^[^⟨]*(⟨\d⟩[^⟨]{0,30})*⟨(\d)⟩(; copy the whole|; update|; mend|; start|$)", english)
    said = english
    if reason_in(said, "zh") == said and framed is not None:  # a frame around another reason
        said = said.replace(f"⟨{framed[2]}⟩", "the pattern is empty")
    chinese = reason_in(said, "zh")
    quoted = sorted(re.findall(r"⟨\d+⟩", chinese)) == sorted(re.findall(r"⟨\d+⟩", said))
    return bool(re.search(r"[\u4e00-\u9fff]", chinese)) and quoted and reason_in(english, "en") == english


def test_a_reason_has_a_chinese_sentence_that_quotes_the_same():
    missing = [english for english in sorted(set(sentences())) if not in_chinese(english)]
    assert missing == [], "add them to a table in app/reasons"


def test_both_sides_hold_the_same_places():
    assert [
        english
        for table in (*TABLES, FRAMES, OPTION_PHRASES, FORMAT_PHRASES)
        for english, chinese in table
        if sorted(PLACE.findall(english)) != sorted(PLACE.findall(chinese))
    ] == []


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


def test_no_sentence_stands_twice():
    english = [said for table in TABLES for said, _ in table]
    assert sorted(set(english)) == sorted(english)


def test_what_a_foreign_file_is_and_what_to_do_is_known_in_chinese():
    assert {part for known in KNOWN for part in (known.kind, known.advice)} <= set(dict(FORMAT_PHRASES))


def test_a_phrase_in_a_sentence_is_turned_too():
    error = ConfigError("epochs: '0' does not fit, it takes a whole number from 1 to 1000")
    assert sentence(error, "zh") == "epochs：'0' 不合适，应为 1 到 1000 的整数"
    error = FormatError("a.docx is a Word document, not text: save it as plain text (.txt) and try again")
    assert sentence(error, "zh") == "a.docx 是 Word 文档，不是文本：请另存为纯文本（.txt），再重试"
    assert sentence(NotFound("run", "flat-0001"), "zh").startswith("工作区中没有运行 'flat-0001'")


def test_a_training_that_words_itself_in_english_only_is_looked_up():
    alone = TrainingError("there is no device 'tpu'; choose auto, cpu, cuda or mps")
    assert sentence(alone, "zh") == "没有设备 'tpu'；请选择 auto、cpu、cuda 或 mps"
    assert sentence(TrainingError("in English", "中文"), "zh") == "中文"
    assert Message("a", "b").zh == "b"


def test_lines_of_a_word_list_are_told_in_the_persons_language():
    problems = [WordListProblem(number, "the word before the tab is missing") for number in range(1, 8)]
    error = WordListError("words.txt", problems)
    assert sentence(error, "zh").startswith("words.txt：第 1 行：制表符前缺少词；第 2 行：")
    assert sentence(error, "zh").endswith("；另有 2 行")
    assert sentence(error, "en").endswith("; line 5: the word before the tab is missing; and 2 more")
