"""A message goes to another process and comes back whole; what is no message is refused."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from app.i18n import text
from core.text.message import Message, Told, ToldValueError, _, message_of, ngettext, pgettext


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
    outer = Broken("document {number} and those after it cannot be read: {reason}", number=3, reason=inner)
    back = there_and_back(outer.message)
    english = "document 3 and those after it cannot be read: a/b is damaged ([Errno 5] disk); start a new run"
    assert str(back) == str(outer) == english
    assert text(back, "zh") == "第 3 篇及之后的文档无法读取：a/b 已损坏（[Errno 5] disk）；请开始新的运行"


def test_a_message_holds_no_error_and_so_none_of_its_frames():
    (reason,) = Broken("{reason}", reason=OSError(5, "disk")).message.values.values()
    assert reason == Message("{error}", values={"error": "[Errno 5] disk"})


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
