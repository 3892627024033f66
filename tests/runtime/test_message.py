"""A message goes to another process and comes back whole; what is no message is refused."""

import json
from pathlib import Path

import numpy as np
import pytest

from app.i18n import text
from core.runtime.message import Message, Told, ToldValueError, _, damage_of, message_of, ngettext, pgettext


class Broken(ToldValueError):
    """An error for people."""


def there_and_back(message):
    return Message.from_json(json.loads(json.dumps(message.to_json())))


@pytest.mark.parametrize(
    "message",
    [
        _("Finished"),
        pgettext("change", "merge"),
        ngettext("CPU, {count} thread", "CPU, {count} threads", count=1200),
        _(", dev F1 {f1:.2f}", f1=91.2345),
        _("{names} and {one}", names=["a", _("none yet")], one=None),
        _("{text}", text="{0.__class__} {text!r} {"),
    ],
)
def test_a_message_comes_back_from_json_as_it_was(message):
    assert there_and_back(message) == message
    assert [text(there_and_back(message), one) for one in ("en", "zh")] == [
        text(message, one) for one in ("en", "zh")
    ]


def test_a_number_of_numpy_is_a_number_still():
    message = _(", dev F1 {f1:.2f}, {count}", f1=np.float32(91.25), count=np.int64(3))
    assert str(there_and_back(message)) == str(message) == ", dev F1 91.25, 3"


def test_an_error_in_an_error_comes_back_and_is_told_in_either_language():
    inner = Broken(
        "{path} is damaged ({reason}); start a new run", path=Path("a/b"), reason=OSError(5, "disk")
    )
    outer = Broken("{path}, line {number}: {reason}; start a new run", path="c", number=3, reason=inner)
    back = there_and_back(outer.message)
    english = "c, line 3: a/b is damaged (the disk reports an error); start a new run; start a new run"
    assert str(back) == str(outer) == english
    assert text(back, "zh") == "c 第 3 行：a/b 已损坏（磁盘报错）；请开始新的运行；请开始新的运行"


def test_a_message_holds_no_error_and_so_none_of_its_frames():
    (reason,) = Broken("{reason}", reason=OSError(5, "disk")).message.values.values()
    assert reason == Message("the disk reports an error")


@pytest.mark.parametrize(
    "value",
    [
        None,
        "a sentence",
        {},
        {"template": 3},
        {"template": "{"},
        {"template": "{path} is gone"},
        {"template": "{path.__class__}", "values": {"path": "a"}},
        {"template": "{0}", "values": {"0": "a"}},
        {"template": "{count:999999999}", "values": {"count": 1}},
        {"template": "{rate:.2f}", "values": {"rate": "much"}},
        {"template": "one", "plural": "many"},
        {"template": "one", "plural": "many", "values": {"count": "x"}},
        {"template": "{reason}", "values": {"reason": {"template": "{missing}"}}},
        {"template": "a", "values": []},
    ],
)
def test_what_is_no_message_is_refused(value):
    with pytest.raises(ValueError):
        Message.from_json(value)


def test_an_error_that_is_not_told_speaks_for_itself():
    assert str(message_of(KeyError("a"))) == "'a'"
    assert message_of(Broken("x")) == Message("x")
    assert isinstance(Broken("x"), (Told, ValueError))


@pytest.mark.parametrize(
    ("written", "told", "told_in_chinese"),
    [
        (
            '{"a": }',
            "line 1, column 7: a value is missing, or a text has no quotes",
            "第 1 行第 7 列：缺少值，或文本没有加引号",
        ),
        (
            "{a: 1}",
            "line 1, column 2: a field name in double quotes is missing",
            "第 1 行第 2 列：缺少带双引号的字段名",
        ),
        ('{"a": 1\n "b": 2}', "line 2, column 2: a comma is missing", "第 2 行第 2 列：缺少逗号"),
        ('{"a" 1}', "line 1, column 6: a colon is missing", "第 1 行第 6 列：缺少冒号"),
        ('{"a": "b}', "line 1, column 7: a closing quote is missing", "第 1 行第 7 列：缺少右引号"),
        ("{} {}", "line 1, column 4: more text follows the end", "第 1 行第 4 列：结尾之后还有内容"),
        (
            r'"\d"',
            "line 1, column 2: a backslash stands before a character that needs none",
            "第 1 行第 2 列：反斜杠后的字符不合法",
        ),
    ],
)
def test_what_the_json_parser_says_is_put_into_words(written, told, told_in_chinese):
    with pytest.raises(json.JSONDecodeError) as wrong:
        json.loads(written)
    assert str(message_of(wrong.value)) == told
    assert text(message_of(wrong.value), "zh") == told_in_chinese


def test_what_the_system_and_the_decoder_say_is_put_into_words(tmp_path):
    with pytest.raises(FileNotFoundError) as missing:
        (tmp_path / "none").read_text()
    assert str(message_of(missing.value)) == "there is no such file or folder"
    assert str(message_of(OSError(9999, "strange"))) == "strange"
    with pytest.raises(UnicodeDecodeError) as undecodable:
        b"ab\xff".decode("utf-8")
    assert str(message_of(undecodable.value)) == "byte 3 is not UTF-8 text"


def test_a_damaged_file_is_told_without_the_words_of_the_library():
    assert str(damage_of(KeyError("words"))) == "its content is not as it was written"
    assert str(damage_of(Broken("{name} is missing", name="x"))) == "x is missing"


def test_an_empty_text_stays_empty_in_every_language():
    assert (text("", "en"), text("", "zh")) == ("", "")  # gettext gives its catalogue's header for it
